package ui

import (
	"fmt"
	"slices"
	"strings"

	"birthregistry/app/auth"
	"birthregistry/app/records"
	"birthregistry/app/stats"
	"birthregistry/app/web/pages"
	"birthregistry/views"
)

// overview returns the totals of all measures, in one table for each section.
func (h *Statistics) overview(f records.Figures, a asked) (tables []views.FigureTable) {
	for n, section := range stats.Sections {
		t := views.FigureTable{ID: fmt.Sprint("section-", n), Title: section, First: "Measure", Trend: true}
		for i := range stats.Measures {
			m := &stats.Measures[i]
			if m.Section != section {
				continue
			}
			outside, _ := stats.Outside(f.Report, m)
			row := h.figureRow(m, f.Total.Tally(m), outside, nearest(h.published[m.ID], "", ""))
			row.Spark = sparkOf(f, m)
			row.Name, row.Href = m.Name, pages.StatisticsPath+"/"+m.ID+a.query
			row.Ways = waysIn(figureFilter{measure: m, period: a.period}, f.Total.Tally(m), a.who.May(auth.RecordRead))
			t.Rows = append(t.Rows, row)
		}
		t.Compared = slices.ContainsFunc(t.Rows, func(row views.FigureRow) bool { return row.Published != "" })
		tables = append(tables, t)
	}
	return tables
}

// figureRow returns a table row for a tally. It has the count, the rate, the interval, and the
// published figure with which the tally is compared.
func (h *Statistics) figureRow(m *stats.Measure, t stats.Tally, outside stats.Shown, near []stats.Reference) views.FigureRow {
	row := views.FigureRow{
		Count: countTwice(t, outside), Rate: shareTwice(rateOf(m, t), outside), Range: shareTwice(rangeOf(m, t), outside),
		Missing: views.Number(t.Missing), Tags: tagsOf(t),
	}
	row.Bar = barOf(m, t, near)
	if len(near) > 0 && t.Known+t.Missing > 0 {
		row.Published, row.PublishedOf = near[0].Text(), near[0].Label+", "+near[0].Years
		if near[0].Comparable != "full" {
			row.PublishedOf += " (" + comparability[near[0].Comparable] + ")"
		}
		if near[0].SeenIn == "" {
			row.PublishedOf += " (not confirmed)"
		}
		row.Word = word(m, t, near[0])
	}
	return row
}

// nearest returns the published figure with which to compare a group. It returns the first figure
// for the same parity or the same planned place. If there is none, it returns the first figure that
// isn't limited to a parity. Births planned in one place are never compared with births planned in
// another place. If no figure can be compared, nearest returns nil.
func nearest(all []stats.Reference, split, group string) []stats.Reference {
	pick := func(fits func(stats.Reference) bool) []stats.Reference {
		if i := slices.IndexFunc(all, fits); i >= 0 {
			return all[i : i+1]
		}
		return nil
	}
	everybody := func(r stats.Reference) bool { return r.Parity == "" && (r.Place == "" || split != stats.ByPlace) }
	own := func(r stats.Reference) bool {
		return split == stats.ByParity && r.Parity == group || split == stats.ByPlace && r.Place == group
	}
	if near := pick(own); near != nil {
		return near
	}
	return pick(everybody)
}

// word returns the words that say how a tally compares with a published figure. It returns "" for a
// tally that is shown only as a count, and for a published figure that is shown only as context.
func word(m *stats.Measure, t stats.Tally, r stats.Reference) string {
	if r.Comparable == "context" || !m.HasRate(t) {
		return ""
	}
	return stats.Compare(t, r.Share()).String()
}

// detail fills in the page about one measure.
func (h *Statistics) detail(page *views.MeasurePage, f records.Figures, m *stats.Measure, a asked) {
	t := f.Total.Tally(m)
	page.Ways = waysIn(figureFilter{measure: m, period: a.period}, t, a.who.May(auth.RecordRead))
	outside, groups := stats.Outside(f.Report, m)
	page.Big, page.Rate = countTwice(t, outside), shareTwice(rateOf(m, t), outside)
	page.None = noneCounted(f, t, page.Big)
	page.Tags = tagsOf(t)
	page.Range = shareTwice(rangeOf(m, t), outside)
	if text := rangeOf(m, t); text != "" && !strings.Contains(text, "ruled out") {
		page.Range = shareTwice("95% interval "+text, outside)
	}
	if !outside.ShareShown() { // the count on paper already shows that something is left out
		page.Rate.Paper, page.Range.Paper = "", ""
	}
	page.Facts = factsOf(m, t)
	for _, r := range h.published[m.ID] {
		page.Published = append(page.Published, publishedRow(m, t, r))
	}
	page.Peers = peersLine(f, m)
	if n := funnelOf(f, m, outside); n != nil {
		page.Funnel = n.picture()
		if !n.withheld {
			page.Funnel.Downloads = downloads(a, m, "funnel")
		}
	}
	for i := range f.Splits {
		page.Splits = append(page.Splits, h.split(&f.Splits[i], m, groups[f.Splits[i].Key], a))
	}
	page.Run = runOf(f, m, nearest(h.published[m.ID], "", ""))
	linkPoints(&page.Run, f, m, a)
	page.Method = []string{
		"Of " + m.Of + ".", m.Direction.Label(),
		"The 95% interval is Wilson’s. " + marks,
		"Records count in the month in which the first newborn was born. Voided and merged records are left out.",
	}
	if m.PerThousand {
		page.Method = append(page.Method, "Until the answer is known for 1,000, the page shows a count instead of a rate.")
	}
	if m.Note != "" {
		page.Method = append(page.Method, m.Note)
	}
}

// factsOf returns facts about a tally: among which births it is counted, for how many of them the
// answer is known, and how many the measure doesn't apply to.
func factsOf(m *stats.Measure, t stats.Tally) []views.Fact {
	facts := []views.Fact{{Label: "Counted among", Value: m.Of}}
	if t.Known+t.Missing > 0 {
		facts = append(facts, views.Fact{
			Label: "Known",
			Value: fmt.Sprintf("%s of the %s it applies to (%s not known)", stats.Percent(100*t.Complete(), 0), m.Unit, views.Number(t.Missing)),
		})
	}
	return append(facts, views.Fact{Label: "Does not apply to", Value: fmt.Sprintf("%s of all %s", views.Number(t.NotAsked()), m.Unit)})
}

// noneCounted returns a sentence that says why a measure has no figure. If the measure has a
// figure, or if the reason would reveal a figure that printouts hide, noneCounted returns "".
func noneCounted(f records.Figures, t stats.Tally, big views.Twice) string {
	switch {
	case t.Known+t.Missing > 0 || big.Paper != noFigure:
		return ""
	case f.Total.Births == 0:
		return "No births in these months are on file."
	}
	return "It doesn’t apply to any birth in these months."
}

func publishedRow(m *stats.Measure, t stats.Tally, r stats.Reference) views.PublishedRow {
	row := views.PublishedRow{
		Label: r.Label, Value: r.Text(), Years: r.Years, Population: r.Population + ", " + r.CountingUnit, Note: r.Note,
		Source: r.Source, URL: r.URL,
	}
	if r.Parity == "" {
		row.Word = word(m, t, r)
	}
	if r.Comparable != "full" {
		row.Tags = append(row.Tags, views.TagText{Kind: "plain", Text: comparability[r.Comparable]})
	}
	if r.SeenIn == "" {
		row.Tags = append(row.Tags, views.TagText{Kind: "warn", Text: "not confirmed"})
	}
	return row
}

// peersLine returns a sentence with the pooled figure of the installation's other practices. If
// there is no such figure, the sentence says why.
func peersLine(f records.Figures, m *stats.Measure) string {
	switch {
	case f.Peers == nil:
		return "Other practices of this installation: their figures are not shown in a sandbox."
	case m.PerThousand: // 4 of 1,000 would be “0%”
		return "Other practices of this installation: their figure is not shown, because it would be rounded to a whole percent, and the event is rarer than that."
	}
	pooled, enough := f.Peers.Pooled()
	if !enough {
		return fmt.Sprintf("Other practices of this installation: a pooled figure needs at least %d practices, none of them with more than half of the births. "+noFunnel,
			stats.MinPeers)
	}
	return fmt.Sprintf("Other practices of this installation: %s, %s practices, only records with consent.",
		stats.Percent(float64(pooled.Percent), 0), views.Number(pooled.Practices)) + " " + noFunnel
}

// noFunnel explains why the funnel plot has no points for other practices.
const noFunnel = "Only their pooled figure may be shown; no other practice is drawn as a point."

// split returns a table of a measure for each group of births in a stats.Split, such as each
// planned place. The groups in Rest, such as births without a stated place, aren't compared. Below
// the other groups, the table lists these groups, too, so that the lines add up to the total.
func (h *Statistics) split(split *stats.Split, m *stats.Measure, outside []stats.Shown, a asked) views.FigureTable {
	t := views.FigureTable{ID: "by-" + split.Key, Title: "By " + lowerFirst(split.Label), First: split.Label, Compared: true}
	ways := func(g *stats.Group, tally stats.Tally) [3]views.WayIn {
		return waysIn(figureFilter{measure: m, period: a.period, split: split.Key, group: g.Key}, tally, a.who.May(auth.RecordRead))
	}
	for i := range split.Groups {
		g := &split.Groups[i]
		tally := g.Tally(m)
		if slices.Contains(split.Rest, g.Key) {
			if tally.Known+tally.Missing > 0 {
				t.Under = append(t.Under, views.FigureLine{
					Name: restLabel(g), Count: countTwice(tally, outside[i]), Known: tally.Known > 0, Ways: ways(g, tally),
				})
			}
			continue
		}
		row := h.figureRow(m, tally, outside[i], nearest(h.published[m.ID], split.Key, g.Key))
		row.Name, row.Ways = g.Label, ways(g, tally)
		t.Rows = append(t.Rows, row)
	}
	slices.Reverse(t.Under)
	if split.Key == stats.ByAttendant {
		slices.Reverse(t.Under)
	}
	return t
}

func restLabel(g *stats.Group) string {
	if g.Key == stats.Unstated {
		return "not recorded"
	}
	return "attendant’s role “other” (for example a physician)"
}

// waysIn links each count of a tally to a list of exactly the births that are counted. In that
// list, users can fill in missing values. A count of 0 has no link. If the user may not read
// records, no count has a link.
func waysIn(of figureFilter, t stats.Tally, mayRead bool) (all [3]views.WayIn) {
	for n, to := range []struct {
		part stats.Part
		n    int
	}{{stats.Numerator, t.Yes}, {stats.Denominator, t.Known}, {stats.NotKnown, t.Missing}} {
		all[n] = views.WayIn{Number: views.Number(to.n), Label: views.Number(to.n) + " " + stats.Parts[to.part]}
		if to.n > 0 && mayRead {
			of.part = to.part
			all[n].Href = pages.RecordsPath + questioned(of.query())
		}
	}
	return all
}

package ui

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/records"
	"birthregistry/app/stats"
	"birthregistry/app/web/pages"
	"birthregistry/app/web/session"
	"birthregistry/assets"
	"birthregistry/store"
	"birthregistry/views"
)

// Statistics serves the pages with the measures, and exports the measures.
type Statistics struct {
	*pages.Pages
	auth    *auth.Service
	records *records.Records
	// published holds figures from outside the practice, for comparison. The keys are the IDs of
	// the measures.
	published map[string][]stats.Reference
}

// publishedFigures returns the published figures of each measure. They are part of the program, so
// publishedFigures panics if they have an error.
func publishedFigures() map[string][]stats.Reference {
	of, err := stats.References(assets.References)
	if err != nil {
		panic(err)
	}
	return of
}

// asked is a request for figures. It states the practice and the months.
type asked struct {
	who    auth.User
	now    time.Time // in the practice's time zone
	period stats.Period
	choice views.PeriodChoice
	query  string // the months as an address's query, "" for the default ones
}

// ask reads the requested months from the address. The address may contain them, because months
// aren't patient data. If it contains none, or invalid ones, ask returns the last 12 complete
// months. For invalid months, the choice in the result has mistakes.
func ask(c echo.Context, now time.Time) asked {
	a := asked{who: session.User(c)}
	a.now = now.In(a.who.Practice.Location())
	a.period = stats.LastYear(a.now)
	from, to := c.QueryParam("from"), c.QueryParam("to")
	a.choice = views.PeriodChoice{
		Path: c.Request().URL.Path,
		From: views.Input{Name: "from", Label: "First month", Hint: "such as 2026-01", Value: from, Type: "month", Width: "m"},
		To:   views.Input{Name: "to", Label: "Last month", Hint: "such as 2026-06", Value: to, Type: "month", Width: "m"},
	}
	if from != "" || to != "" {
		a.readMonths(from, to)
	}
	a.choice.Label = a.period.Label()
	a.choice.Presets = presets(a)
	return a
}

// readMonths parses the requested months. If a month is invalid, it adds a mistake.
func (a *asked) readMonths(from, to string) {
	wrong := func(box views.Input, text string) {
		a.choice.Mistakes = append(a.choice.Mistakes, views.Mistake{Name: box.Name, Text: text})
	}
	first, okFirst := stats.ParseMonth(from)
	last, okLast := stats.ParseMonth(to)
	if !okFirst {
		wrong(a.choice.From, "First month: write the year and the month, such as 2026-01.")
	}
	if !okLast {
		wrong(a.choice.To, "Last month: write the year and the month, such as 2026-06.")
	}
	period := stats.Period{First: first, Last: last}
	switch {
	case !okFirst || !okLast:
	case last < first:
		wrong(a.choice.To, "The last month is before the first month. Choose a later one.")
	case period.Months() > stats.MaxMonths:
		wrong(a.choice.To, "The period is longer than five years. Choose a later first month or an earlier last month.")
	default:
		a.period, a.query = period, monthsQuery(period)
	}
}

func monthsQuery(p stats.Period) string {
	return "?" + url.Values{"from": {p.First.String()}, "to": {p.Last.String()}}.Encode()
}

// presets returns the periods that users often choose.
func presets(a asked) []views.NavItem {
	now := a.now
	usual, year := stats.LastYear(now), stats.Month(now.Year()*12)
	path := a.choice.Path
	all := []views.NavItem{{Href: path, Label: "Last 12 complete months", Contains: a.period == usual}}
	add := func(label string, p stats.Period) {
		all = append(all, views.NavItem{Href: path + monthsQuery(p), Label: label, Contains: a.period == p && p != usual})
	}
	add(fmt.Sprint(now.Year(), " so far"), stats.Period{First: year, Last: stats.MonthOf(now)})
	for before := stats.Month(1); before <= 3; before++ {
		first := year - 12*before
		add(fmt.Sprint(first.Year()), stats.Period{First: first, Last: first + 11})
	}
	add("Last 5 years", stats.Period{First: usual.Last - stats.MaxMonths + 1, Last: usual.Last})
	return all
}

func (h *Statistics) GetStatistics(c echo.Context) error {
	a := ask(c, time.Now())
	page := views.Statistics{Period: a.choice}
	if len(a.choice.Mistakes) > 0 {
		return h.Render(c, http.StatusUnprocessableEntity, "Statistics", views.StatisticsOverview(page), a.choice.Mistakes...)
	}
	f, err := h.records.Statistics(c.Request().Context(), a.who.Practice, a.period)
	if err != nil {
		return err
	}
	page.Nothing = f.Total.Births == 0
	page.Lead = fmt.Sprintf("%s: %s, %s.", a.period.Label(), views.Count(f.Total.Births, "birth", "births"),
		views.Count(f.Total.Newborns, "newborn", "newborns"))
	page.Notices = leftOut(a, f)
	if a.who.May(auth.StatsExport) {
		page.Export = pages.StatisticsPath + "/export" + a.query
	}
	page.Sections, page.Marks = h.overview(f, a), marks
	return h.Render(c, http.StatusOK, "Statistics", views.StatisticsOverview(page))
}

// leftOut lists what the figures leave out, and what they may count twice.
func leftOut(a asked, f records.Figures) (all []views.Notice) {
	who := a.who
	add := func(text string, links ...views.Link) { all = append(all, views.Notice{Text: text, Links: links}) }
	if who.Practice.Sandbox {
		add("Synthetic data: these figures describe no real births and count in no other practice’s figures.")
	}
	if f.Period.Last >= stats.MonthOf(a.now) {
		add("These months are not over. Births still to come are missing here.")
	}
	var out []string
	var those []views.Link
	leave := func(n int, state birth.State) {
		if n > 0 {
			out = append(out, views.Count(n, string(state)+" record", string(state)+" records"))
			those = append(those, linkToState(f.Period, state))
		}
	}
	leave(f.Voided, birth.Voided)
	leave(f.Merged, birth.Merged)
	if !who.May(auth.RecordRead) {
		those = nil
	}
	if len(out) > 0 {
		add("Left out: "+strings.Join(out, " and ")+".", those...)
	}
	if f.Undated > 0 {
		var complete []views.Link
		if who.May(auth.RecordRead) {
			query := recordFilter{Filter: store.Filter{State: birth.Active, Missing: "birth_month"}}.query()
			complete = []views.Link{{Href: pages.RecordsPath + questioned(query), Text: "See them"}}
		}
		add(fmt.Sprintf("Not counted in any period, because the month of birth is missing: %s.", views.Count(f.Undated, "record", "records")), complete...)
	}
	look := views.Link{Href: pages.DuplicatesPath, Text: "Review the pairs"}
	if f.Reopened > 0 {
		add(fmt.Sprintf("%s into a record that no longer counts. Totals may be too low by that number.",
			views.UpperFirst(views.Count(f.Reopened, "record was merged", "records were merged"))), look)
	}
	switch {
	case f.Pairs >= store.CountedTo: // the count stops there, so there may be more
		add(fmt.Sprintf("%d or more possible duplicates are not yet reviewed. The totals of their months may be too high by that number.", store.CountedTo), look)
	case f.Pairs > 0:
		add(fmt.Sprintf("%s not yet reviewed. The totals of their months may be too high by up to %s.",
			views.UpperFirst(views.Count(f.Pairs, "possible duplicate is", "possible duplicates are")), views.Number(f.Pairs)), look)
	}
	return all
}

// linkToState returns a link to the records with a state. The list of records can be filtered by
// one month or one year. If the period is a month or a year, the link leads to the records of the
// period. Otherwise it leads to all records with this state.
func linkToState(p stats.Period, state birth.State) views.Link {
	f := recordFilter{Filter: store.Filter{State: state, Born: p.First.String()}}
	f.year, f.month, _ = strings.Cut(f.Born, "-")
	text := "See the " + string(state) + " ones"
	switch {
	case p.First == p.Last:
	case p.First%12 == 0 && p.Last == p.First+11:
		f.month = ""
	default:
		f.Born, text = "", "See all "+string(state)+" records"
	}
	return views.Link{Href: pages.RecordsPath + questioned(f.query()), Text: text}
}

func (h *Statistics) GetMeasure(c echo.Context) error {
	m := stats.Lookup(c.Param("measure"))
	if m == nil {
		return pages.ErrNotFound
	}
	a := ask(c, time.Now())
	page := views.MeasurePage{Name: m.Name, Plain: m.Plain, Period: a.choice}
	if len(a.choice.Mistakes) > 0 {
		return h.Render(c, http.StatusUnprocessableEntity, m.Name, views.MeasureDetail(page), a.choice.Mistakes...)
	}
	f, err := h.records.Measure(c.Request().Context(), a.who.Practice, a.period, m)
	if err != nil {
		return err
	}
	if a.who.May(auth.StatsExport) {
		query := url.Values{"measure": {m.ID}}
		if a.query != "" {
			query.Set("from", a.period.First.String())
			query.Set("to", a.period.Last.String())
		}
		page.Export = pages.StatisticsPath + "/export?" + query.Encode()
	}
	page.Notices = leftOut(a, f)
	h.detail(&page, f, m, a)
	if runLeaves(page.Run) {
		page.Run.Downloads = downloads(a, m, "chart")
	}
	if page.Against, err = h.against(c, a, f, m); err != nil {
		return err
	}
	status := http.StatusOK
	if len(page.Against.Mistakes) > 0 {
		status = http.StatusUnprocessableEntity
	}
	return h.Render(c, status, m.Name, views.MeasureDetail(page), page.Against.Mistakes...)
}

// GetStatisticsExport records the export in the audit trail, and then sends a CSV file with the
// figures of one measure or of all measures. Small numbers are left out of the file.
func (h *Statistics) GetStatisticsExport(c echo.Context) error {
	a := ask(c, time.Now())
	if len(a.choice.Mistakes) > 0 {
		return pages.ErrNotFound
	}
	measures, name := stats.Measures, "statistics"
	if id := c.QueryParam("measure"); id != "" {
		m := stats.Lookup(id)
		if m == nil {
			return pages.ErrNotFound
		}
		measures, name = []stats.Measure{*m}, "statistics-"+m.ID
	}
	f, err := h.records.Statistics(c.Request().Context(), a.who.Practice, a.period)
	if err != nil {
		return err
	}
	what := fmt.Sprintf("%s, %s to %s", views.Count(len(measures), "measure", "measures"), a.period.First, a.period.Last)
	if err := h.auth.NoteAlone(a.who, "statistics.export", what); err != nil {
		return err
	}
	h.DownloadHeaders(c, name)
	return h.sendTable(c, stats.Table(f.Report, measures, a.who.Practice.Sandbox))
}

package ui

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"
	"github.com/labstack/echo/v4"

	"birthregistry/app/auth"
	"birthregistry/app/records"
	"birthregistry/app/web/pages"
	"birthregistry/app/web/session"
	"birthregistry/views"
)

// Report serves the yearly report of births that a midwife's license may require. Its pages list
// what is missing, and offer the files to send.
type Report struct {
	*pages.Pages
	auth    *auth.Service
	records *records.Records
}

// reportAsked is the report that the query of a URL asks for.
type reportAsked struct {
	records.ReportScope
	year, provider string
	// attended and assisted are the numbers of births that the person counted themselves, as typed.
	attended, assisted string
}

// reportOf reads from the address which report the user wants. ok is false if the address has no
// year.
func reportOf(c echo.Context) (a reportAsked, ok bool) {
	a.year, a.provider = strings.TrimSpace(c.QueryParam("year")), c.QueryParam("by")
	a.attended, a.assisted = strings.TrimSpace(c.QueryParam("attended")), strings.TrimSpace(c.QueryParam("assisted"))
	a.Provider, _ = strconv.ParseInt(a.provider, 10, 64) // anything but a number means the whole practice
	if fourDigits.MatchString(a.year) {
		a.Year, _ = strconv.Atoi(a.year)
	}
	return a, a.Year > 0
}

// query returns the report as the query of a URL.
func (a reportAsked) query() string {
	query := url.Values{}
	for name, value := range map[string]string{"year": a.year, "by": a.provider, "attended": a.attended, "assisted": a.assisted} {
		if value != "" {
			query.Set(name, value)
		}
	}
	return questioned(query)
}

// GetReport shows the report of one year, for one provider or the whole practice. It also lists the
// facts that are missing from the report.
func (h *Report) GetReport(c echo.Context) error {
	a, ok := reportOf(c)
	page, whose, err := h.reportPage(c, a)
	if err != nil {
		return err
	}
	var mistakes []views.Mistake
	if a.year != "" && !ok {
		mistakes = append(mistakes, views.Mistake{Name: "year", Text: "Write the year with four digits, such as 2026."})
	}
	for _, box := range []views.Input{page.Attended, page.Assisted} {
		if _, err := counted(box.Value); err != nil {
			mistakes = append(mistakes, views.Mistake{Name: box.Name, Text: "Write a number, such as 41."})
		}
	}
	if len(mistakes) > 0 {
		return h.Render(c, http.StatusUnprocessableEntity, "Report", views.Report(page), mistakes...)
	}
	if ok {
		if err := h.compare(c, &page, a, whose); err != nil {
			return err
		}
	}
	return h.Render(c, http.StatusOK, "Report", views.Report(page))
}

// counted parses the number of births that a user has counted. If the box is empty, counted returns
// -1.
func counted(typed string) (int, error) {
	if typed == "" {
		return -1, nil
	}
	n, err := strconv.ParseUint(typed, 10, 20)
	return int(n), err
}

// mostProviders is how many providers the user can choose from. The page lists those with the most
// births.
const mostProviders = 200

// reportPage returns the first part of the page. It also returns the provider whom the report is
// about, or the zero value if the report is about the whole practice. If the practice has no such
// provider, reportPage returns an error, so that a report never has a wrong name.
func (h *Report) reportPage(c echo.Context, a reportAsked) (page views.ReportPage, whose records.Group, err error) {
	who := session.User(c)
	year := a.year
	if year == "" {
		year = strconv.Itoa(time.Now().In(who.Practice.Location()).Year() - 1)
	}
	page = views.ReportPage{
		Year: views.Input{Name: "year", Label: "Year of the births", Value: year, InputMode: "numeric", Width: "s"},
		Attended: views.Input{
			Name: "attended", Label: "Births attended", Hint: "From your own records. Leave it empty to skip the comparison.",
			Value: a.attended, InputMode: "numeric", Width: "s",
		},
		Assisted: views.Input{Name: "assisted", Label: "Births assisted", Hint: "In any other role. Used only if you choose a provider.", Value: a.assisted, InputMode: "numeric", Width: "s"},
		Sandbox:  who.Practice.Sandbox,
	}
	groups, err := h.records.ProviderGroups(c.Request().Context(), who.Practice.ID)
	if err != nil {
		return page, whose, err
	}
	named, _ := records.Unnamed(groups)
	slices.SortStableFunc(named, func(x, y records.Group) int { return y.Births - x.Births })
	choices := []views.Choice{{Value: "", Label: "The whole practice", Chosen: a.Provider == 0}}
	for n, g := range named {
		if g.ID == a.Provider {
			whose = g
		}
		if n < mostProviders || g.ID == a.Provider {
			choices = append(choices, views.Choice{Value: strconv.FormatInt(g.ID, 10), Label: reportedName(g), Chosen: g.ID == a.Provider})
		}
	}
	if whose.ID != a.Provider {
		return page, whose, pages.ErrNotFound
	}
	page.Providers = choices
	return page, whose, nil
}

func reportedName(g records.Group) string {
	if g.Credentials == "" {
		return g.Name
	}
	return g.Name + ", " + g.Credentials
}

// compare fills in the comparison of the counts that the user has typed with the births on file. It
// also lists which facts these births lack.
func (h *Report) compare(c echo.Context, page *views.ReportPage, a reportAsked, whose records.Group) error {
	who := session.User(c)
	counts, doubts, err := h.records.ReportCounts(c.Request().Context(), who.Practice.ID, a.ReportScope)
	if err != nil {
		return err
	}
	page.Asked, page.Title = true, "Births of "+a.year
	if whose.ID != 0 {
		page.Title += ", " + reportedName(whose)
	}
	attended, _ := counted(a.attended) // GetReport has already checked both numbers
	assisted, _ := counted(a.assisted)
	page.Rows = []views.ReportRow{compared("Attended", attended, counts[records.Primary], partAddress(who, a, records.Primary))}
	if a.Provider != 0 {
		page.Rows = append(page.Rows, compared("Assisted", assisted, counts[records.Assisted], partAddress(who, a, records.Assisted)))
	}
	page.Running = notOver(a.Year, time.Now().In(who.Practice.Location()))
	page.Missing = gaps(who, a, counts)
	for _, text := range doubtful(doubts) {
		page.Missing = slices.Insert(page.Missing, 0, views.ReportGap{Text: text, Href: pages.DuplicatesPath, Link: "Review the pairs"})
	}
	if whose.Members > 1 {
		page.Missing = slices.Insert(page.Missing, 0, views.ReportGap{Text: notCounted(whose), Href: providerPath(whose.ID), Link: "See who they are"})
	}
	if !who.Practice.Sandbox && counts[records.Primary] > counts[records.Unconsented] {
		page.File = pages.ReportPath + "/file" + a.query()
	}
	return nil
}

// compared returns a row of the comparison. own is the count that the user typed, or -1 if they
// typed none. filed is the count of births on file.
func compared(label string, own, filed int, href string) views.ReportRow {
	row := views.ReportRow{Label: label, Stated: "—", Filed: views.Number(filed), Result: "—"}
	if filed > 0 {
		row.Href = href
	}
	if own < 0 {
		return row
	}
	row.Stated = views.Number(own)
	switch {
	case own > filed:
		row.Result = views.Number(own-filed) + " missing"
	case own < filed:
		row.Result = views.Number(filed-own) + " more on file than you say"
	default:
		row.Result = "Complete"
	}
	return row
}

// notOver states that a year isn't over, so that births are still to come. It returns "" for a year
// that is over.
func notOver(year int, now time.Time) string {
	switch {
	case year > now.Year():
		return fmt.Sprintf("%d has not begun.", year)
	case year == now.Year():
		return fmt.Sprintf("%d is not over. Births still to come are missing here.", year)
	}
	return ""
}

// doubtful states that a report may count births twice or not at all until somebody reviews the
// duplicates.
func doubtful(d records.ReportDoubts) (texts []string) {
	if d.Pairs > 0 {
		texts = append(texts, views.UpperFirst(views.Count(d.Pairs, "possible duplicate is", "possible duplicates are"))+
			" not yet reviewed. If the two records of a pair are one birth, it is counted twice.")
	}
	if d.Reopened > 0 {
		texts = append(texts, views.UpperFirst(views.Count(d.Reopened, "record was merged", "records were merged"))+
			" into a record that no longer counts. If "+english.PluralWord(d.Reopened, "this birth belongs", "one of these births belongs")+
			" in this report, it may be missing.")
	}
	return texts
}

// notCounted states that a report leaves out the births of other providers with the same name.
// They may be the same person, but nobody has merged them.
func notCounted(whose records.Group) string {
	return fmt.Sprintf("%s with the same name: not merged with this one, so their births are not counted here.",
		views.UpperFirst(views.Count(whose.Members-1, "other provider", "other providers")))
}

// gaps lists the missing facts that users can fill in, beginning with the most serious.
func gaps(who auth.User, a reportAsked, counts records.ReportCounts) (all []views.ReportGap) {
	add := func(part records.ReportPart, text string) {
		if n := counts[part]; n > 0 {
			gap := views.ReportGap{Text: fmt.Sprintf(text, views.Count(n, "birth", "births"))}
			if gap.Href = partAddress(who, a, part); gap.Href != "" {
				gap.Link = "See " + english.PluralWord(n, "it", "them")
			}
			all = append(all, gap)
		}
	}
	add(records.Undated, "%s without a month of birth, so not counted in any year. Some may belong to this year.")
	add(records.Unconsented, "%s without the mother’s consent: counted here, but left out of the file.")
	add(records.Unfinished, "%s with a key fact missing: birth weight, gestational age, method or attendant.")
	return all
}

// partAddress returns the address of a list of the births in one part of the report. If the user
// may not read records, it returns "".
func partAddress(who auth.User, a reportAsked, part records.ReportPart) string {
	if !who.May(auth.RecordRead) {
		return ""
	}
	return pages.RecordsPath + questioned(reportFilter{a.ReportScope, part}.query())
}

package ui

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/labstack/echo/v4"

	"birthregistry/app/auth"
	"birthregistry/app/records"
	"birthregistry/app/report"
	"birthregistry/app/web/pages"
	"birthregistry/app/web/session"
	"birthregistry/views"
)

const reportTitle = "Participation in the birth registry"

// limitedReasons lists the purposes for which a limited data set may leave the practice (45 CFR
// 164.514(e)(3)). The audit trail records the purpose that the user chooses. The user can't type a
// purpose, because free text could contain a patient's name.
var limitedReasons = []views.Choice{
	{Value: "", Label: "Choose a reason"},
	{Value: "public-health", Label: "Public health: an authority or a data registry"},
	{Value: "research", Label: "Research"},
	{Value: "operations", Label: "Health care operations, such as a quality review"},
}

// reportToMake returns the report that the URL asks for. In a sandbox, it returns
// pages.ErrNotFound, because a sandbox's births are invented.
func reportToMake(c echo.Context) (reportAsked, error) {
	a, ok := reportOf(c)
	if !ok || session.User(c).Practice.Sandbox {
		return a, pages.ErrNotFound
	}
	return a, nil
}

// GetReportFile makes the report and shows a summary of its content. It doesn't send the report.
func (h *Report) GetReportFile(c echo.Context) error {
	a, err := reportToMake(c)
	if err != nil {
		return err
	}
	page, err := h.filePage(c, a)
	if err != nil {
		return err
	}
	return h.Render(c, http.StatusOK, reportTitle, views.ReportFile(page))
}

func (h *Report) filePage(c echo.Context, a reportAsked) (page views.ReportFilePage, err error) {
	ctx, who := c.Request().Context(), session.User(c)
	file, err := h.records.Report(ctx, who.Practice, a.ReportScope, report.SafeHarbor, io.Discard)
	if err != nil {
		return page, err
	}
	counts, doubts, err := h.records.ReportCounts(ctx, who.Practice.ID, a.ReportScope)
	if err != nil {
		return page, err
	}
	_, provider, err := h.reportPage(c, a)
	if err != nil {
		return page, err
	}
	whose := "all providers"
	if provider.ID != 0 {
		whose = reportedName(provider)
	}
	page = views.ReportFilePage{
		Title:   fmt.Sprintf("%s, %s, births of %s", who.Practice.Name, whose, a.year),
		Query:   a.query(),
		SHA256:  file.SHA256,
		Limited: who.May(auth.ReportLimited),
		Reasons: limitedReasons,
		Facts:   participation(who.Practice.Name, whose, a, counts, file, time.Now().In(who.Practice.Location())),
	}
	for _, text := range doubtful(doubts) {
		page.Facts = append(page.Facts, views.Fact{Label: "Not reviewed", Value: text})
	}
	if provider.Members > 1 {
		page.Facts = append(page.Facts, views.Fact{Label: "Not counted", Value: notCounted(provider)})
	}
	if file.Few > 0 {
		page.Warning = fmt.Sprintf("%s in the file are in groups of fewer than %d with the same year, three digits of the postal code and age group; "+
			"the smallest group has %d. Somebody who knows the practice may recognize them. Give the file only to those who need it.",
			views.UpperFirst(views.Count(file.Few, "birth", "births")), report.Few, file.Smallest)
	}
	return page, nil
}

// participation returns the facts on the page "Participation in the birth registry", which users
// can print. It states whose births the report has, of which year, and what the file contains.
func participation(practice, whose string, a reportAsked, counts records.ReportCounts, file records.ReportFile, now time.Time) []views.Fact {
	attended := views.Number(counts[records.Primary])
	if n, err := counted(a.attended); err == nil && n >= 0 {
		attended += " (" + views.Number(n) + " by own count)"
	}
	period := "January to December " + a.year
	if notOver(a.Year, now) != "" {
		period += ", made before the year was over"
	}
	facts := []views.Fact{
		{Label: "Practice", Value: practice},
		{Label: "Provider", Value: whose},
		{Label: "Period", Value: period},
		{Label: "Births on file", Value: attended},
	}
	if a.Provider != 0 {
		assisted := views.Number(counts[records.Assisted])
		if n, err := counted(a.assisted); err == nil && n >= 0 {
			assisted += " (" + views.Number(n) + " by own count)"
		}
		facts = append(facts, views.Fact{Label: "Births assisted", Value: assisted})
	}
	facts = append(facts,
		views.Fact{Label: "With a key fact missing", Value: views.Number(counts[records.Unfinished])},
		views.Fact{Label: "Left out, without consent", Value: views.Number(counts[records.Unconsented])},
		views.Fact{Label: "In the file", Value: views.Count(file.Births, "birth", "births") + ", " + views.Count(file.Rows, "newborn", "newborns")},
	)
	if n := file.MoreTransfers; n > 0 {
		facts = append(facts, views.Fact{
			Label: "Not in the file", Value: "further transfers of care of " + views.Count(n, "birth", "births") + ": a row has room for the first",
		})
	}
	return append(facts,
		views.Fact{Label: "SHA-256 of the file", Value: file.SHA256},
		views.Fact{Label: "Made on", Value: now.Format("January 2, 2006")},
	)
}

// PostReportFile records the download of the de-identified report in the audit trail, and then
// sends the report. The page may have been printed with the SHA-256 of the report. If the report
// now has a different SHA-256, PostReportFile doesn't send it.
func (h *Report) PostReportFile(c echo.Context) error {
	a, err := reportToMake(c)
	if err != nil {
		return err
	}
	err = h.send(c, a, report.SafeHarbor, "", pages.Posted(c).Get("sha256"))
	if !errors.Is(err, records.ErrReportChanged) || c.Response().Committed {
		return err
	}
	page, err := h.filePage(c, a)
	if err != nil {
		return err
	}
	page.Changed = true
	return h.Render(c, http.StatusConflict, reportTitle, views.ReportFile(page))
}

// PostReportLimited checks the password and the reason. Then it sends the limited data set.
func (h *Report) PostReportLimited(c echo.Context) error {
	a, err := reportToMake(c)
	if err != nil {
		return err
	}
	form := pages.Posted(c)
	reason := form.Get("reason")
	wrong := wrongPassword(h.auth.Confirm(c.Request().Context(), session.User(c), form.Get("password")))
	if !slices.ContainsFunc(limitedReasons[1:], func(known views.Choice) bool { return known.Value == reason }) {
		wrong = errors.Join(errReason, wrong)
	}
	if wrong == nil {
		return h.send(c, a, report.Limited, reason, "")
	}
	page, err := h.filePage(c, a)
	if err != nil {
		return err
	}
	page.Reasons = chosen(page.Reasons, reason)
	fields := map[error]string{errPassword: "password", errReason: "reason"}
	return h.Mistake(c, wrong, fields, reportTitle, views.ReportFile(page))
}

// errReason means that the user has chosen no reason for a limited data set or an erasure.
var errReason = errors.New("choose the reason")

// send records the download with the file's SHA-256 in the audit trail, and then sends the file.
// stated is the SHA-256 that the page showed for the de-identified report, or "" for the limited
// data set. If the de-identified report now has a different SHA-256, send returns
// records.ErrReportChanged.
//
// send makes the file twice, once for the SHA-256 and once for the download, so that no patient
// data is stored on the disk. If the second file differs from the recorded one, send cuts the
// download off.
func (h *Report) send(c echo.Context, a reportAsked, form report.Form, reason, stated string) error {
	ctx, who := c.Request().Context(), session.User(c)
	if _, _, err := h.reportPage(c, a); err != nil { // the report's provider doesn't exist
		return err
	}
	made, err := h.records.Report(ctx, who.Practice, a.ReportScope, form, io.Discard)
	if err == nil && form == report.SafeHarbor && made.SHA256 != stated {
		err = records.ErrReportChanged
	}
	if err != nil {
		return err
	}
	if err := h.auth.NoteAlone(who, "report.download", downloadOf(a, form, reason)+", SHA-256 "+made.SHA256); err != nil {
		return err
	}
	h.DownloadHeaders(c, "report-"+string(form)+"-"+a.year)
	return h.Ended(c, h.records.SendReport(ctx, who.Practice, a.ReportScope, form, made, c.Response()))
}

// downloadOf describes a report for the audit trail. The description doesn't include the SHA-256.
func downloadOf(a reportAsked, form report.Form, reason string) string {
	what := fmt.Sprintf("%s, %d", form, a.Year)
	if a.Provider != 0 {
		what += fmt.Sprintf(", provider %d", a.Provider)
	}
	if reason != "" {
		what += ": " + reason
	}
	return what
}

// GetReportColumns sends the data dictionary of a report. The address states which report: the
// de-identified one or the limited data set.
func (h *Report) GetReportColumns(c echo.Context) error {
	form := report.Form(c.QueryParam("form"))
	if form != report.SafeHarbor && form != report.Limited {
		return pages.ErrNotFound
	}
	h.DownloadHeaders(c, "report-columns-"+string(form))
	return h.Ended(c, h.records.ReportDictionary(c.Request().Context(), session.User(c).Practice.ID, form, c.Response()))
}

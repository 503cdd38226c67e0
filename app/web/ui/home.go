package ui

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"birthregistry/app/auth"
	"birthregistry/app/drafts"
	"birthregistry/app/imports"
	"birthregistry/app/ingest"
	"birthregistry/app/smart"
	"birthregistry/app/web/pages"
	"birthregistry/app/web/session"
	"birthregistry/views"
)

// Home serves the home page, which shows what needs attention. It also serves the files that every
// page needs.
type Home struct {
	*pages.Pages
	auth       *auth.Service
	ingest     *ingest.Service
	records    *Records
	statistics *Statistics
	drafts     *drafts.Service
	smart      *smart.Service
	imports    *imports.Service
}

const recentListed = 5

// GetHome shows what needs the user's attention, and links to what their role may do.
func (h *Home) GetHome(c echo.Context) error {
	ctx, who := c.Request().Context(), session.User(c)
	w, err := h.ingest.Waiting(ctx, who.Practice.ID)
	if err != nil {
		return err
	}
	home := views.HomePage{
		Greeting: greeting(who.Name, time.Now().In(who.Practice.Location())),
		Inbox:    who.May(auth.RecordAmend), NoRecords: !w.Records,
		MayCreate: who.May(auth.RecordCreate), MayImport: who.May(auth.ImportRun), MayRead: who.May(auth.RecordRead),
		MaySample: who.May(auth.SampleSend) && who.Practice.Sandbox,
		Waiting:   attentionFor(who, w),
	}
	if err := h.forAdmins(ctx, who, &home); err != nil {
		return err
	}
	if home.Replaced, err = h.records.replacedOnHome(c, w.Replaced); err != nil {
		return err
	}
	if home.Drafts, home.MoreDrafts, err = h.begun(ctx, who); err != nil {
		return err
	}
	if home.MayImport {
		if home.Uploads, err = h.uploads(ctx, who); err != nil {
			return err
		}
	}
	if home.MayRead {
		if home.Recent, err = h.records.recent(ctx, who); err != nil {
			return err
		}
	}
	h.statistics.headlines(ctx, who, &home)
	if home.Steps, err = h.steps(ctx, who, w.Records); err != nil {
		return err
	}
	return h.Render(c, http.StatusOK, "Home", views.Home(home))
}

const draftsOnHome = 3

// begun returns the user's own drafts that were changed last. more reports whether the user has
// more drafts.
func (h *Home) begun(ctx context.Context, who auth.User) (all []views.Draft, more bool, err error) {
	own, err := h.drafts.List(ctx, who, false, draftsOnHome+1)
	for n, d := range own {
		if n == draftsOnHome {
			return all, true, nil
		}
		all = append(all, draftView(who, d, time.Now()))
	}
	return all, false, err
}

// uploads returns the user's spreadsheets that haven't been imported yet.
func (h *Home) uploads(ctx context.Context, who auth.User) (all []views.Upload, err error) {
	waiting, err := h.imports.Waiting(ctx, who)
	zone := who.Practice.Location()
	for _, i := range waiting {
		all = append(all, views.Upload{
			Href: "/registry/imports/" + i.ID, Title: i.About.Name + ", " + views.Count(i.Rows, "row", "rows"),
			At: views.Moment(i.At, zone), Until: views.Moment(i.At.Add(imports.FileKept), zone),
		})
	}
	return all, err
}

// greeting returns a greeting with the user's first name, according to the time of day in the
// practice. The first name is the first word that doesn't end with a period, because titles and
// initials end with one.
func greeting(name string, now time.Time) string {
	text := "Good evening"
	switch {
	case now.Hour() >= 5 && now.Hour() < 12:
		text = "Good morning"
	case now.Hour() >= 12 && now.Hour() < 18:
		text = "Good afternoon"
	}
	for first := range strings.FieldsSeq(name) {
		if !strings.HasSuffix(first, ".") {
			return text + ", " + first
		}
	}
	return text
}

func (h *Records) recent(ctx context.Context, who auth.User) (all []views.RecentBirth, err error) {
	rows, err := h.records.Recent(ctx, who.Practice.ID, recentListed)
	for _, r := range rows {
		all = append(all, views.RecentBirth{
			RecordRow: rowOf(r, nil, who.Practice.Location()),
			Born:      listedTime(r.Born), Mother: r.Initials, Method: label("delivery_method", r.Facts.Method),
		})
	}
	return all, err
}

// steps lists what a user should do first in a new practice, as far as their role allows. It marks
// what has been done. When everything has been done, it returns nil. The list also suggests a
// second factor, but isn't shown only because of that.
func (h *Home) steps(ctx context.Context, who auth.User, records bool) (all []views.Step, err error) {
	if who.May(auth.RecordCreate) {
		all = append(all, views.Step{Label: "Record the first birth, or import a file", Href: pages.FormPath, Done: records})
	}
	if who.May(auth.UserManage) {
		users, err := h.auth.Members(ctx, who)
		if err != nil {
			return nil, err
		}
		all = append(all, views.Step{Label: "Invite your colleagues", Href: "/registry/users/invite", Done: len(users) > 1})
	}
	if who.May(auth.KeyMint) && who.Practice.EHRBeta {
		keys, err := h.auth.Keys(ctx, who.Practice.ID)
		if err != nil {
			return nil, err
		}
		all = append(all, views.Step{Label: "Create an API key for another system", Href: pages.SettingsPath + "#keys", Done: len(keys) > 0})
	}
	if !slices.ContainsFunc(all, func(step views.Step) bool { return !step.Done }) {
		return nil, nil
	}
	factors, err := h.auth.SecondFactors(ctx, who.ID)
	return append(all, views.Step{Label: "Protect your account with a passkey or a second factor", Href: "/account#passkeys", Done: factors.Any()}), err
}

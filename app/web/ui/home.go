package ui

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"birthregistry/app/auth"
	"birthregistry/app/drafts"
	"birthregistry/app/ingest"
	"birthregistry/app/web/pages"
	"birthregistry/app/web/session"
	"birthregistry/store"
	"birthregistry/views"
)

// Home is the home page, which shows what needs attention, and the files that all
// pages need.
type Home struct {
	*pages.Pages
	auth       *auth.Service
	ingest     *ingest.Service
	records    *Records
	statistics *Statistics
	drafts     *drafts.Service
}

// GetHome shows what needs the attention of the user's role, and where to go.
func (h *Home) GetHome(c echo.Context) error {
	who := session.User(c)
	w, err := h.ingest.Waiting(c.Request().Context(), who.Practice.ID)
	if err != nil {
		return err
	}
	home := views.HomePage{Waiting: attentionFor(who, w), Nothing: who.May(auth.RecordAmend), Actions: actionsOf(who)}
	if home.Replaced, err = h.records.replacedOnHome(c, w.Replaced); err != nil {
		return err
	}
	if home.Drafts, home.MoreDrafts, err = h.begun(c.Request().Context(), who); err != nil {
		return err
	}
	h.statistics.headlines(c.Request().Context(), who, &home)
	if home.Steps, err = h.steps(c.Request().Context(), who, w.Records); err != nil {
		return err
	}
	return h.Render(c, http.StatusOK, "Home", views.Home(home))
}

// draftsOnHome is how many drafts the home page lists.
const draftsOnHome = 3

// begun returns the births that the user has begun last, and whether there are more.
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

// attentionFor returns what needs the attention of a user who can act on it.
func attentionFor(who auth.User, w store.NeedsAttention) (all []views.AttentionItem) {
	if !who.May(auth.RecordAmend) {
		return nil
	}
	add := func(n int, one, many, href string) {
		if n == 0 {
			return
		}
		number, label := strconv.Itoa(n), many
		if n == 1 {
			label = one
		}
		if n >= store.CountedTo {
			number += " or more"
		}
		all = append(all, views.AttentionItem{Number: number, Label: label, Href: href})
	}
	add(w.Replaced, "record replaced by a push that may be older", "records replaced by pushes that may be older", "#replaced")
	add(w.Failed, "failed ingestion in 7 days", "failed ingestions in 7 days", pages.IngestionsPath+"?show="+string(store.FailedOnly))
	add(w.Rejects, "ingestion with rejects in 7 days", "ingestions with rejects in 7 days", pages.IngestionsPath+"?show="+string(store.WithRejects))
	add(w.Pairs, "possible duplicate", "possible duplicates", pages.DuplicatesPath)
	add(w.Incomplete, "record lacks key facts", "records lack key facts", "/registry/records?incomplete=yes&state=active")
	return all
}

// actionsOf returns the next steps that the user's role has.
func actionsOf(who auth.User) (all []views.Action) {
	for _, a := range []struct {
		needs       auth.Permission
		label, href string
	}{
		{auth.RecordCreate, "Record a birth", "/registry/capture"},
		{auth.ImportRun, "Import a file", "/registry/import"},
		{auth.RecordRead, "Records", "/registry/records"},
		{auth.IngestionView, "Ingestions", pages.IngestionsPath},
		{auth.KeyList, "API keys", pages.SettingsPath + "#keys"},
	} {
		if who.May(a.needs) && (a.needs != auth.KeyList || who.Practice.EHRBeta) {
			all = append(all, views.Action{Label: a.label, Href: a.href})
		}
	}
	return all
}

// steps returns the first steps in a practice that the user may take, each marked
// by whether it is done; nil when all are.
func (h *Home) steps(ctx context.Context, who auth.User, records bool) (all []views.Step, err error) {
	if who.May(auth.RecordCreate) {
		all = append(all, views.Step{Label: "Record the first birth, or import a file", Href: "/registry/capture", Done: records})
	}
	if who.May(auth.UserManage) {
		users, err := h.auth.Members(ctx, who)
		if err != nil {
			return nil, err
		}
		all = append(all, views.Step{Label: "Invite your colleagues", Href: "/registry/users", Done: len(users) > 1})
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
	return all, nil
}

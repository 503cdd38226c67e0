package ui

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/drafts"
	"birthregistry/app/mapping/form"
	"birthregistry/app/stats"
	"birthregistry/app/web/pages"
	"birthregistry/app/web/session"
	"birthregistry/store"
	"birthregistry/views"
)

// GetDrafts lists the drafts: births that somebody has started to record or amend, but hasn't saved
// yet.
func (h *Form) GetDrafts(c echo.Context) error {
	who := session.User(c)
	all, err := h.drafts.List(c.Request().Context(), who, true, drafts.Listed)
	if err != nil {
		return err
	}
	page := views.DraftList{Everybody: who.May(auth.RecordRead), More: len(all) == drafts.Listed}
	for _, d := range all {
		page.Drafts = append(page.Drafts, draftView(who, d, time.Now()))
	}
	return h.Render(c, http.StatusOK, "Drafts", views.Drafts(page))
}

func draftView(who auth.User, d drafts.Draft, now time.Time) views.Draft {
	zone := who.Practice.Location()
	out := views.Draft{
		Href: draftPath(d.Token), Title: draftTitle(d), By: d.By, Own: d.Author == who.ID, Saved: views.Moment(d.SavedAt, zone),
	}
	if d.EndsSoon(now) {
		out.Ends = endsSoon(d, zone)
	}
	return out
}

// draftTitle returns a name for a draft, which consists of the mother's name, the number of
// newborns and the date of birth.
func draftTitle(d drafts.Draft) string {
	if d.Damaged {
		return "A draft that is damaged and can only be discarded"
	}
	var parts []string
	if name := strings.TrimSpace(d.Typed.Get("mother_family_name")); name != "" {
		if given := strings.TrimSpace(d.Typed.Get("mother_given_names")); given != "" {
			name += ", " + given
		}
		parts = append(parts, views.Isolated(name))
	}
	if word := map[int]string{2: "twins", 3: "triplets"}[form.Count(d.Typed, birth.ChildList)]; word != "" {
		parts = append(parts, word)
	}
	if day, ok := form.ReadDate(d.Typed.Get("child.0.birth_date")); ok {
		if at, err := time.Parse(time.DateOnly, day); err == nil {
			parts = append(parts, at.Format("Jan 2"))
		}
	}
	switch {
	case len(parts) == 0 && d.Record != "":
		return "Amending a record without a name or date"
	case d.Record != "":
		return "Amending " + strings.Join(parts, ", ")
	case len(parts) == 0:
		parts = append(parts, "a birth without a name or date")
	}
	return views.UpperFirst(strings.Join(parts, ", ")) + ", " + stats.Percent(float64(filledIn(d)), 0) + " filled in"
}

// filledIn returns how much of a draft is filled in. The result is a percentage of the fields that
// most births need.
func filledIn(d drafts.Draft) int {
	asked, filled := 0, 0
	for _, part := range formParts {
		for n := range max(1, form.Count(d.Typed, birth.ChildList)) {
			if n > 0 && part.about != birth.Child {
				break
			}
			for _, name := range part.first {
				if part.about == birth.Child {
					name = birth.Of(birth.ChildList, n, name).String()
				}
				asked++
				if strings.TrimSpace(d.Typed.Get(name)+d.Typed.Get(name+".time")) != "" {
					filled++
				}
			}
		}
	}
	return 100 * filled / max(asked, 1)
}

func (h *Form) GetDiscard(c echo.Context) error {
	d, err := h.draftOf(c)
	if err != nil {
		return err
	}
	who := session.User(c)
	return h.Render(c, http.StatusOK, "Discard a draft", views.DiscardDraft(draftView(who, d, time.Now()), pages.Owner(who)))
}

// draftOf returns the draft in the path, even if it is damaged. If there is no such draft, it
// returns noDraft.
func (h *Form) draftOf(c echo.Context) (drafts.Draft, error) {
	token, err := draftToken(c)
	if err != nil {
		return drafts.Draft{}, err
	}
	d, err := h.drafts.Open(c.Request().Context(), session.User(c), token)
	switch {
	case errors.Is(err, store.ErrNotFound):
		err = noDraft
	case errors.Is(err, store.ErrDamaged):
		d.Damaged, err = true, nil
	}
	return d, err
}

func (h *Form) PostDiscard(c echo.Context) error {
	d, err := h.draftOf(c)
	if err != nil {
		return err
	}
	if err := h.drafts.Discard(session.User(c), d.Token); err != nil {
		return err
	}
	if d.Handle != "" {
		h.Sessions.SpendChart(c, d.Handle)
	}
	h.Sessions.Flash(c, "The draft is discarded.")
	if d.Record != "" {
		return c.Redirect(http.StatusSeeOther, recordAddress(d.Record))
	}
	return c.Redirect(http.StatusSeeOther, pages.DraftsPath)
}

package ui

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"birthregistry/app/drafts"
	"birthregistry/app/mapping/form"
	"birthregistry/app/web/session"
	"birthregistry/store"
)

// keptAnswer is the JSON that the form's script gets. It has the draft's address and revision. Text
// states when the draft was saved, or why it wasn't. Read states how the form has understood the
// text in each box. Its keys are names of boxes. Sections states how complete each section is. Its
// keys are IDs of sections.
type keptAnswer struct {
	Path     string            `json:"path,omitzero"`
	Revision int               `json:"revision,omitzero"`
	Text     string            `json:"text"`
	Read     map[string]string `json:"read,omitzero"`
	Sections map[string]string `json:"sections,omitzero"`
}

// AsksScript reports whether a script of the form sent the request. The answer must then be a
// keptAnswer, because the script can't follow a redirect to another page.
func (h *Form) AsksScript(c echo.Context) bool {
	return c.Request().Header.Get("Accept") == echo.MIMEApplicationJSON
}

// NotKept answers the form's script with the reason why the user can't save now. The status is 401,
// which makes the script try again, because the user may sign in or set up a second factor on
// another page.
func (h *Form) NotKept(c echo.Context) error {
	text := "Your session has ended. What you typed is kept: sign in on another page, or press Save and sign in."
	if mustSetUp(c) {
		text = "Your practice now requires a second factor. What you typed is kept: press Save and set one up, or do so on another page."
	}
	return h.JSON(c, http.StatusUnauthorized, keptAnswer{Text: text})
}

// keepSilently stores the form when the script has sent it. If the user hasn't typed anything yet,
// keepSilently stores nothing.
func (h *Form) keepSilently(c echo.Context, f *birthForm, seen int, content drafts.Content) error {
	if f.stored.Revision == 0 && seen == 0 && f.untouched(content) {
		return h.JSON(c, http.StatusOK, keptAnswer{})
	}
	d, err := h.drafts.Save(c.Request().Context(), f.who, f.fresh, seen, content)
	switch {
	case err == nil:
		f.parse()
		return h.JSON(c, http.StatusOK, keptAnswer{
			Path: f.address(), Revision: d.Revision, Text: savedAt(d.SavedAt, session.Zone(c)) + f.overtaken(), Read: f.understood(), Sections: f.sectionStates(),
		})
	case errors.Is(err, drafts.ErrStale):
		return h.JSON(c, http.StatusConflict, keptAnswer{
			Text: "This draft was changed on another page. What you typed is kept on this page: press “Save as a draft and continue” to compare.",
		})
	case errors.Is(err, drafts.ErrGone):
		return h.JSON(c, http.StatusConflict, keptAnswer{
			Text: "This draft was saved or discarded on another page. What you typed is kept on this page: press “Save as a draft and continue” to keep it.",
		})
	case errors.Is(err, drafts.ErrTooLarge), errors.Is(err, drafts.ErrTooMany):
		return h.JSON(c, http.StatusConflict, keptAnswer{Text: whyNotKept(err) + "."})
	case store.IsUnavailable(err):
		return h.JSON(c, http.StatusServiceUnavailable, keptAnswer{Text: whyNotKept(err)})
	}
	return err
}

// overtaken returns a message if somebody else has changed the record since the page was opened.
// Otherwise it returns "".
func (f *birthForm) overtaken() string {
	if f.amends() && f.version != f.now.Record.Version {
		return ". The record has changed since you opened it: press “Save as a draft and continue” to compare."
	}
	return ""
}

// untouched reports whether the user has typed nothing since the form was opened.
func (f *birthForm) untouched(content drafts.Content) bool {
	if f.amends() {
		return form.Same(content.Typed, f.values(f.from))
	}
	for name, texts := range content.Typed {
		if !strings.HasSuffix(name, ".attending") && strings.TrimSpace(strings.Join(texts, "")) != "" {
			return false
		}
	}
	return true
}

// savedAt returns a sentence that says at what time a draft was saved.
func savedAt(at time.Time, zone *time.Location) string {
	return "Saved " + at.In(zone).Format("3:04 PM")
}

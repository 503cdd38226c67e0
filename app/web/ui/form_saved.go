package ui

import (
	"fmt"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/labstack/echo/v4"

	"birthregistry/app/auth"
	"birthregistry/app/changes"
	"birthregistry/app/web/pages"
	"birthregistry/app/web/session"
	"birthregistry/views"
)

// savedKey is the session's key for the record that the user has saved last.
const savedKey = auth.SessionSaved

// lastSaved is what the confirmation shows about the saved record. It is in the session, so that no
// address contains the ID of a record that the user may not see.
type lastSaved struct {
	UUID, Chart                   string
	Version                       int
	At                            time.Time
	Amended, Unchanged, Suspected bool
}

func (h *Form) toSaved(c echo.Context, f *birthForm, saved changes.Saved) error {
	doc, err := json.Marshal(lastSaved{
		UUID: saved.UUID, Chart: saved.Chart, Version: saved.Version, At: saved.At,
		Amended: f.amends(), Unchanged: saved.Unchanged, Suspected: saved.Suspected,
	})
	if err != nil {
		return fmt.Errorf("web: what was saved cannot be written as JSON")
	}
	if !saved.Unchanged || !h.savedLast(c, saved) { // a form that was sent twice gets the first confirmation again
		h.Sessions.Put(c.Request().Context(), savedKey, string(doc))
	}
	return c.Redirect(http.StatusSeeOther, SavedPath)
}

func (h *Form) savedLast(c echo.Context, saved changes.Saved) bool {
	var last lastSaved
	doc := h.Sessions.GetString(c.Request().Context(), savedKey)
	return json.Unmarshal([]byte(doc), &last) == nil && last.UUID == saved.UUID && last.Version == saved.Version
}

// GetSaved confirms that a record was saved. A scribe sees the chart number and the time, but no
// link to the record.
func (h *Form) GetSaved(c echo.Context) error {
	var last lastSaved
	doc := h.Sessions.GetString(c.Request().Context(), savedKey)
	if doc == "" || json.Unmarshal([]byte(doc), &last) != nil {
		return c.Redirect(http.StatusSeeOther, pages.FormPath)
	}
	shown := views.SavedRecord{
		Chart: last.Chart, At: views.Moment(last.At, session.Zone(c)), Amended: last.Amended, Unchanged: last.Unchanged,
	}
	if session.User(c).May(auth.RecordRead) {
		shown.Record, shown.Version, shown.Suspected = "/registry/records/"+last.UUID, last.Version, last.Suspected
	}
	return h.Render(c, http.StatusOK, "Saved", views.FormSaved(shown))
}

package pages

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"birthregistry/app/web/session"
	"birthregistry/store"
)

// NoteReading enters into the audit trail that a record was opened. A record is
// not shown unless that is kept.
func (p *Pages) NoteReading(c echo.Context, id string) error {
	err := p.auth.NoteAlone(session.User(c), "record.read", id)
	if store.IsUnavailable(err) {
		return ErrUnreadable
	}
	return err
}

var ErrUnreadable = NewError(
	http.StatusServiceUnavailable, "This record cannot be shown at the moment",
	"Who reads a record is noted, and that cannot be noted now. Wait a minute and open it again; "+
		"if it stays so, call whoever runs the registry.", "", "",
)

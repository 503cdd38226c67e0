package pages

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"birthregistry/app/web/session"
	"birthregistry/store"
)

// NoteReading adds an entry to the audit trail, which records that the user has opened a record. If
// it returns an error, the caller must not show the record. The error is ErrUnreadable if the
// database can't be written.
func (p *Pages) NoteReading(c echo.Context, id string) error {
	err := p.auth.NoteAlone(session.User(c), "record.read", id)
	if store.IsUnavailable(err) {
		return ErrUnreadable
	}
	return err
}

// ErrUnreadable is the page that a user sees instead of a record if the audit trail can't be
// written.
var ErrUnreadable = NewError(
	http.StatusServiceUnavailable, "This record cannot be shown at the moment",
	"The registry notes who reads a record, and cannot do that now. Wait a minute and open the record again; "+
		"if that does not help, call the person who runs the registry.", "", "",
)

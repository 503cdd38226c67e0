package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"birthregistry/store"
)

// noteReading enters into the audit trail that a record was opened. A record is
// not shown unless that is kept.
func (p *Pages) noteReading(c echo.Context, id string) error {
	err := p.auth.NoteAlone(person(c), "record.read", id)
	if store.IsUnavailable(err) {
		return notShown
	}
	return err
}

var notShown = newPageError(
	http.StatusServiceUnavailable, "This record cannot be shown at the moment",
	"Who reads a record is noted, and that cannot be noted now. Wait a minute and open it again; "+
		"if it stays so, call whoever runs the registry.", "", "",
)

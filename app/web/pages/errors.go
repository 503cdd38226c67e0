package pages

import "net/http"

// ErrDamaged is the page for a record, or other data, that isn't as the program wrote it. The page
// shows no values, because a wrong value is worse than none.
var ErrDamaged = NewError(
	http.StatusServiceUnavailable, "The stored data is damaged",
	"The data stored for this page is not what the registry wrote, so it is not shown. Other records are not affected. "+
		"Tell the person who runs the registry: birthregistry check says what is damaged, and birthregistry restore brings back the latest sound backup.",
	"/docs/recover#a-record-is-called-damaged", "How to restore damaged data",
)

// Error is a page that states what went wrong and what to do next. Handlers return it like any
// other error.
type Error struct {
	Status          int
	title, text     string
	next, nextLabel string
}

// NewError returns a page with an HTTP status. title states what went wrong, and text what to do.
// The link nextLabel leads to the address next. If next is "", the page has no link.
func NewError(status int, title, text, next, nextLabel string) *Error {
	return &Error{Status: status, title: title, text: text, next: next, nextLabel: nextLabel}
}

func (p *Error) Error() string { return "web: " + p.title }

// These are the errors that any page may return.
var (
	ErrNotFound = NewError(
		http.StatusNotFound, "This page does not exist",
		"The address may be mistyped, or the page may no longer exist.", "/registry", "Go to the home page",
	)
	ErrRole = NewError(
		http.StatusForbidden, "Your role does not allow this",
		"Nothing was changed. If you need to do this, ask a practice admin.", "/registry", "Go to the home page",
	)
	ErrMethod = NewError(
		http.StatusMethodNotAllowed, "This page cannot do that",
		"Nothing was changed. Open the page from the navigation.", "/registry", "Go to the home page",
	)
	ErrUnencrypted = NewError(
		http.StatusForbidden, "Use the https address",
		"The registry answers only over an encrypted connection. Nothing was changed.", "", "",
	)
	ErrUnavailable = NewError(
		http.StatusServiceUnavailable, "The registry cannot save at the moment",
		"Nothing was changed. Go back, wait a minute and send the form again; if that does not help, call the person who runs the registry.", "", "",
	)
	ErrInternal = NewError(
		http.StatusInternalServerError, "Sorry, there is a problem",
		"Nothing was changed. Go back and try again; if it happens again, call the person who runs the registry.", "", "",
	)
)

package views

import (
	"context"
	"net/url"
	"time"

	"github.com/a-h/templ"
)

// Reader is the person for whom a page is rendered. Components get the reader from their context.
// The zero value is a visitor who isn't signed in.
type Reader struct {
	// Owner is a hidden value in each form of the page. It identifies the user for whom the form
	// was made. It is "" if the form was made for nobody in particular.
	Owner string
	// Zone is the time zone in which the page shows times; nil means UTC.
	Zone   *time.Location
	StepUp StepUp
	// Mistakes lists what was wrong with the form that the reader sent. The page shows the list,
	// and each field also shows its own mistake.
	Mistakes []Mistake
}

type readerKey struct{}

// WithReader returns a copy of ctx that holds the reader for whom a page is rendered.
func WithReader(ctx context.Context, r Reader) context.Context {
	return context.WithValue(ctx, readerKey{}, r)
}

func readerOf(ctx context.Context) Reader {
	r, _ := ctx.Value(readerKey{}).(Reader)
	return r
}

// mistakeAt returns the mistake in a field, or "" if the field has none.
func mistakeAt(ctx context.Context, name string) string {
	for _, m := range readerOf(ctx).Mistakes {
		if m.Name == name {
			return m.Text
		}
	}
	return ""
}

// ownedAction returns the address to which a form with a file is sent. The address states for whom
// the form was made, because the server must know this before it reads the file.
func ownedAction(ctx context.Context, path string) templ.SafeURL {
	return templ.SafeURL(path + "?" + url.Values{"owner": {readerOf(ctx).Owner}}.Encode())
}

// Moment formats a time to the minute, in the given time zone, such as "Mar 2, 2026, 4:18 AM EST".
func Moment(t time.Time, zone *time.Location) string {
	return t.In(zone).Format("Jan 2, 2006, 3:04 PM MST")
}

// moment formats a time like Moment, in the reader's time zone.
func moment(ctx context.Context, t time.Time) string {
	if zone := readerOf(ctx).Zone; zone != nil {
		return Moment(t, zone)
	}
	return Moment(t, time.UTC)
}

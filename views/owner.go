package views

import (
	"context"
	"net/url"

	"github.com/a-h/templ"
)

type ownerKey struct{}

// WithOwner sets for whom the forms of a page are made; "" means nobody.
func WithOwner(ctx context.Context, owner string) context.Context {
	return context.WithValue(ctx, ownerKey{}, owner)
}

func ownerOf(ctx context.Context) string {
	owner, _ := ctx.Value(ownerKey{}).(string)
	return owner
}

// ownedAction returns the address for a form with a file. The address states for whom the form
// was made, so that the server can read that before the file.
func ownedAction(ctx context.Context, path string) templ.SafeURL {
	return templ.SafeURL(path + "?" + url.Values{"owner": {ownerOf(ctx)}}.Encode())
}

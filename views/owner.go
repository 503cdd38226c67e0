package views

import (
	"context"
	"net/url"

	"github.com/a-h/templ"
)

type ownerKey struct{}

// WithOwner says for whom the forms of a page are made: "" for nobody.
func WithOwner(ctx context.Context, owner string) context.Context {
	return context.WithValue(ctx, ownerKey{}, owner)
}

func ownerOf(ctx context.Context) string {
	owner, _ := ctx.Value(ownerKey{}).(string)
	return owner
}

// ownedAction is where a form is sent that carries a file: for whom it was made
// is read before the file is.
func ownedAction(ctx context.Context, path string) templ.SafeURL {
	return templ.SafeURL(path + "?" + url.Values{"owner": {ownerOf(ctx)}}.Encode())
}

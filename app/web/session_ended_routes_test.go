package web_test

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
	"birthregistry/app/web"
	"birthregistry/store/storetest"
)

// lateUpload is a file with a question about its columns, which is stored without an entry in the trail.
const lateUpload = "mrn?,Family,Born,W\nA-1,Okonkwo,03/04/2026,3400\nA-2,Okonkwo,04/05/2026,3400\n"

// lateForms are the forms of the routes that would otherwise refuse an empty one.
func lateForms(at fixture) map[string]url.Values {
	return map[string]url.Values{
		"/registry/settings/keys":     {"label": {"late"}, "scope": {"ingest:read"}},
		"/registry/users":             {"email": {"late@example.org"}, "name": {"Late"}, "role": {"admin"}},
		"/registry/fields":            {"label": {"Late"}, "kind": {"text"}},
		"/account/practice":           {"practice": {fmt.Sprint(at.practice)}},
		"/registry/capture":           {"do": {"keep"}, "fresh": {at.named.Replace(":draft")}, "gravida": {"7"}, "revision": {"1"}, "step": {"9"}},
		"/registry/drafts/:draft":     {"do": {"keep"}, "fresh": {at.named.Replace(":draft")}, "gravida": {"7"}, "revision": {"1"}, "step": {"9"}},
		"/registry/ingestions/sample": {"sample": {"01-single-birth"}},
	}
}

// A body may be held back while an admin takes the account away. No row may change afterwards, other
// than the session that keeps what was typed for the sign-in.
func TestNoRouteChangesAnythingAfterTheAccountWasDisabled(t *testing.T) {
	t.Parallel()
	i := apptest.Start(t)
	for n, route := range web.RoutePaths() {
		if route.Method != "POST" || strings.HasPrefix(route.Path, "/api/") || strings.HasPrefix(route.Path, "/sign-in") {
			continue
		}
		at := newFixture(t, i, fmt.Sprint("late ", n))
		b := i.SignIn(at.practice, auth.Admin)
		form := url.Values{}
		for name, values := range lateForms(at)[route.Path] {
			form[name] = values
		}
		form.Set("owner", find(t, b.Get("/registry/users/invite"), `name="owner" value="([^"]*)"`))
		var before map[string]string
		happens := func() {
			_, err := i.App.Auth.DisableUser(b.Email)
			assert.NoError(t, err)
			before = storetest.Rows(t, i.Config.DB)
		}
		path := at.named.Replace(route.Path)
		if route.Path == "/registry/import" {
			postFileLate(t, b, path+"?owner="+url.QueryEscape(form.Get("owner")), happens)
		} else {
			postLate(b, path, form, happens)
		}
		after := storetest.Rows(t, i.Config.DB)
		for table := range after {
			if table != "sessions" && table != "sums" { // the signed sum of the sessions is in sums
				assert.Equal(t, before[table], after[table], "%s changes %s", route.Path, table)
			}
		}
	}
}

func postFileLate(t *testing.T, b *apptest.Browser, path string, happens func()) {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", "late.csv")
	require.NoError(t, err)
	_, err = part.Write([]byte(lateUpload))
	require.NoError(t, err)
	require.NoError(t, form.Close())
	b.Do("POST", path, late{strings.NewReader(body.String()), sync.OnceFunc(happens)}, map[string]string{
		"Content-Type": form.FormDataContentType(), "Sec-Fetch-Site": "same-origin", "Expect": "100-continue",
	})
}

package web_test

import (
	"database/sql"
	"net/url"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
)

// Another process holds the database until the writer gives up. As on a full disk, it can then
// be read but not written.
func TestWhileNothingCanBeWrittenEveryPageSaysWhatDidNotHappen(t *testing.T) {
	t.Parallel()
	i := clinic(t)
	admin := i.SignIn(i.Practice, auth.Admin)
	require.Equal(t, 303, admin.Post("/registry/capture", openForm(t, admin, birthOf("Okonkwo"))).StatusCode)
	path := "/registry/records/" + i.Record("B-000001").ID
	form := parsePage(t, admin.Get(path+"/amend")).form()
	form.Set("gravida", "3")
	olive := i.Stranger()
	enter(t, olive, "olive@example.org")

	raw, err := sql.Open("sqlite", i.Config.DB+"?_txlock=immediate&_pragma=busy_timeout(10000)") // the service may be writing
	require.NoError(t, err)
	defer raw.Close() //nolint:errcheck // read only
	held, err := raw.Begin()
	require.NoError(t, err)
	answers, asked := map[string]apptest.Page{}, map[string]func() apptest.Page{
		"detail":   func() apptest.Page { return admin.Get(path) },
		"versions": func() apptest.Page { return admin.Get(path + "/versions") },
		"amend":    func() apptest.Page { return admin.Get(path + "/amend") },
		"save":     func() apptest.Page { return admin.Post(path+"/amend", form) },
		"search":   func() apptest.Page { return admin.Post("/registry/records/search", url.Values{"q": {"B-000001"}}) },
		"find":     func() apptest.Page { return admin.Post("/registry/find", url.Values{"q": {"Okonkwo"}}) },
		"factor":   func() apptest.Page { return olive.Post("/account/factor/start", url.Values{"factor": {longPassword}}) },
	}
	var mu sync.Mutex
	var all sync.WaitGroup
	for name, ask := range asked {
		all.Go(func() {
			answer := ask()
			mu.Lock()
			defer mu.Unlock()
			answers[name] = answer
		})
	}
	all.Wait()
	require.NoError(t, held.Rollback())
	for name, answer := range answers {
		require.Equal(t, 503, answer.StatusCode, name)
		title := "The registry cannot save at the moment"
		switch name {
		case "detail", "versions", "amend":
			title = "This record cannot be shown at the moment"
		case "save":
			title = "Nothing you typed is lost"
			require.Equal(t, "3", parsePage(t, answer).form().Get("gravida"), "what was typed is kept")
		}
		require.Contains(t, answer.Body, title, name)
	}
	require.Equal(t, 200, admin.Get(path).StatusCode)
}

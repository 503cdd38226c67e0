package web_test

import (
	"encoding/csv"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
	"birthregistry/store"
	"birthregistry/store/storetest"
)

func entriesOf(t *testing.T, page apptest.Page) (rows []string) {
	t.Helper()
	require.Equal(t, 200, page.StatusCode, page.Body)
	for _, n := range marked(dom(t, page), "entry") {
		rows = append(rows, words(n))
	}
	return rows
}

func TestTheAuditPageShowsWhoDidWhatToWhichRecordAndFromWhere(t *testing.T) {
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "26-1"}.Bundle())
	i.Push(apptest.Course{Chart: "26-2", Mother: "Diaz"}.Bundle())
	path, id := recordPath(i, "26-1"), i.Record("26-1").ID
	viewer, admin := i.SignIn(i.Practice, auth.Viewer), i.SignIn(i.Practice, auth.Admin)
	provider := i.SignIn(i.Practice, auth.Provider)
	viewer.Get(path)
	viewer.Get(recordPath(i, "26-2"))
	provider.Post(path+"/void", url.Values{"reason": {"Entered twice"}, "basis": {"1"}})
	page := admin.Get("/registry/audit")
	rows := entriesOf(t, page)
	require.Regexp(t, `Robin Provider Voided a record Record `+id+` 127\.0\.0\.1 \d+$`, rows[0])
	require.Regexp(t, `Robin Viewer Opened a record `, rows[1])
	require.Equal(t, path, link(dom(t, page), id))
	for _, secret := range []string{"26-1", "Okonkwo", "Diaz", "Entered twice"} {
		require.NotContains(t, page.Body, secret)
	}
	require.Contains(t, page.Body, "Intact")

	require.Len(t, entriesOf(t, admin.Get("/registry/audit?record="+id)), 2)
	require.Len(t, entriesOf(t, admin.Get("/registry/audit?area=read&record="+strings.ToUpper(id))), 1)
	require.Len(t, entriesOf(t, admin.Get("/registry/audit?area=record")), 1)
	require.Empty(t, entriesOf(t, admin.Get("/registry/audit?area=import")))
	require.Equal(t, 422, admin.Get("/registry/audit?record=Okonkwo").StatusCode)
	looked := admin.Get(link(dom(t, admin.Get(path)), "Audit trail of this record"))
	require.Len(t, entriesOf(t, looked), 3)

	for _, role := range []auth.Role{auth.Provider, auth.Viewer, auth.Scribe} {
		other := i.SignIn(i.Practice, role)
		require.Equal(t, 403, other.Get("/registry/audit").StatusCode, role)
		require.Equal(t, 403, other.Get("/registry/audit/csv").StatusCode, role)
	}
	require.Empty(t, entriesOf(t, i.SignIn(i.AddPractice("Hillside"), auth.Admin).Get("/registry/audit")))
}

func TestAnEntryOfTheAuditTrailLeadsToWhatItIsAbout(t *testing.T) {
	i := apptest.Start(t)
	who := auth.User{Name: "Carla", Practice: store.Practice{ID: i.Practice}, Role: auth.Admin}
	const id = "0199d3a1-7c4e-7b52-9d6f-3f0c8f6a1b27"
	b := i.SignIn(i.Practice, auth.Admin)
	for _, c := range []struct{ action, object, page string }{
		{"record.read", id, "/registry/records/" + id},
		{"duplicate.keep", id, "/registry/records/" + id},
		{"import.run", id, "/registry/imports/" + id},
		{"sample.send", id, "/registry/ingestions/" + id},
		{"provider.merge", "provider 3 into 7", "/registry/providers/3"},
		{"provider.group", "2 providers into 7, and new ones later", "/registry/providers/7"},
		{"provider.ungroup", "provider 7", "/registry/providers/7"},
		{"record.export", "12 records", ""},
		{"draft.discard", "0199d3a1-7c4e-7b52-9d6f-3f0c8f6a1b28", ""},
		{"key.mint", "provider 3", ""},
	} {
		require.NoError(t, i.App.Auth.NoteAlone(who, c.action, c.object))
		require.Equal(t, c.page, link(dom(t, b.Get("/registry/audit")), c.object), "%s, which is the newest entry", c.action)
	}
}

func TestTheAuditTrailCanBePagedBothWaysAndKeepsTheFilter(t *testing.T) {
	i := apptest.Start(t)
	who := auth.User{Name: "Carla", Practice: store.Practice{ID: i.Practice}, Role: auth.Admin}
	for n := range 120 {
		require.NoError(t, i.App.Auth.NoteAlone(who, "key.mint", fmt.Sprint("key ", n)))
	}
	b := i.SignIn(i.Practice, auth.Admin)
	one := b.Get("/registry/audit?area=key")
	require.Len(t, entriesOf(t, one), 50)
	require.Contains(t, entriesOf(t, one)[0], "key 119")
	two := b.Get(link(dom(t, one), "Older"))
	require.Contains(t, two.Request.URL.RawQuery, "area=key")
	require.Contains(t, entriesOf(t, two)[0], "key 69")
	three := b.Get(link(dom(t, two), "Older"))
	require.Len(t, entriesOf(t, three), 21, "with the key of the installation")
	require.Empty(t, link(dom(t, three), "Older"))
	require.Equal(t, entriesOf(t, two), entriesOf(t, b.Get(link(dom(t, three), "Newer"))))
	require.Equal(t, entriesOf(t, one), entriesOf(t, b.Get(link(dom(t, two), "Newer"))))

	file := b.Get(link(dom(t, one), "Download as CSV"))
	require.Equal(t, "text/csv; charset=utf-8", file.Header.Get("Content-Type"))
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(file.Body, "\ufeff"))).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 122)
	require.Equal(t, []string{"entry", "at", "who", "action", "about", "from"}, rows[0])
	require.Equal(t, "key 0", rows[120][4])
	require.Equal(t, "test", rows[121][4])
	require.Equal(t, 404, b.Get("/registry/audit/csv?record=x").StatusCode)
}

func TestTheAuditPageSaysWhichEntryWasAltered(t *testing.T) {
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "26-1"}.Bundle())
	b := i.SignIn(i.Practice, auth.Admin)
	for range 3 {
		b.Get(recordPath(i, "26-1"))
	}
	altered := trailLength(t, i) - 1
	storetest.Exec(t, i.Config.DB, "drop trigger audit_stands", fmt.Sprintf("update audit set actor = 'Nobody' where id = %d", altered))
	page := b.Get("/registry/audit")
	require.Contains(t, page.Body, "Altered")
	require.Contains(t, page.Body, fmt.Sprintf("Entry %d was changed, or entries at or before it were removed", altered))
}

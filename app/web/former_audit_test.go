package web_test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
	"birthregistry/store/storetest"
)

func TestTheTrailFromBeforeAPracticeCameHereIsReadToItsFirstEntry(t *testing.T) {
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "26-1", Weight: 3000}.Bundle())
	record := i.Record("26-1")
	var former []string
	for n := range 250 {
		action, object := "record.read", record.ID
		if n%2 == 1 {
			action, object = "record.export", "7 records"
		}
		former = append(former, fmt.Sprintf(
			`insert into former_audit (practice, id, at, actor, action, object, address) values (%d, %d, 4000000000000, 'Former %d.', '%s', '%s', '')`,
			i.Practice, n+1, n, action, object))
	}
	storetest.Exec(t, i.Config.DB, former...)
	b := i.SignIn(i.Practice, auth.Admin)

	seen := entriesTo(t, b, "/registry/audit", "older")
	for n := range 250 {
		require.Contains(t, seen, fmt.Sprintf("Former %d.", n))
	}
	seen = entriesTo(t, b, "/registry/records/"+record.ID+"/everything", "trail") + entriesTo(t, b, "/registry/records/"+record.ID+"/everything", "downloads")
	for n := range 250 {
		require.Contains(t, seen, fmt.Sprintf("Former %d.", n), "reads and downloads")
	}
}

// entriesTo returns a page of entries with all older ones, whose address has this parameter.
func entriesTo(t *testing.T, b *apptest.Browser, path, way string) (all string) {
	t.Helper()
	older := regexp.MustCompile(`href="([^"]*[?&]` + way + `=-?\d+[^"]*)"`)
	for range 20 {
		page := b.Get(path)
		require.Equal(t, 200, page.StatusCode)
		all += page.Body
		found := older.FindStringSubmatch(page.Body)
		if found == nil {
			return all
		}
		path = regexp.MustCompile(`&amp;`).ReplaceAllString(found[1], "&")
	}
	require.Fail(t, "the pages have no end")
	return ""
}

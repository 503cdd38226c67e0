package app_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
)

func TestADamagedRecordIsNotShownAndNothingElseFails(t *testing.T) {
	t.Parallel()
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "one", Weight: 3000}.Bundle())
	i.Push(apptest.Course{Chart: "two", Born: "2026-04-02T04:18:00-05:00", Weight: 3000}.Bundle())
	one, two := i.Record("one").Head(), i.Record("two").Head()
	b := i.SignIn(i.Practice, auth.Admin)
	behind(t, i.Config.DB, fmt.Sprintf(`update versions set clinical = replace(clinical, '3000', '4999') where record = %d`, one.ID))
	for _, path := range []string{"", "/versions", "/amend"} {
		page := b.Get("/registry/records/" + one.UUID + path)
		require.Equal(t, http.StatusServiceUnavailable, page.StatusCode, path)
		require.Contains(t, page.Body, "The stored data is damaged", path)
		require.Contains(t, page.Body, "birthregistry restore", path)
	}
	require.Equal(t, http.StatusOK, b.Get("/registry/records/"+two.UUID).StatusCode)
	require.Equal(t, http.StatusOK, b.Get("/registry/records").StatusCode)
	require.Equal(t, 2, i.Push(apptest.Course{Chart: "two", Born: "2026-04-02T04:18:00-05:00", Weight: 3001, Stamp: "2030-01-01T00:00:00Z"}.Bundle()).Accepted[0].Version)

	i.Push(apptest.Course{Chart: "one", Weight: 3001, Stamp: "2030-01-01T00:00:00Z"}.Bundle())
	require.Equal(t, http.StatusServiceUnavailable, b.Get("/registry/records/"+one.UUID).StatusCode, "what is written over it does not hide it")
}

func TestADamagedReceiptIsNotShown(t *testing.T) {
	t.Parallel()
	i := apptest.Start(t)
	accepted := i.Post(apptest.Course{Chart: "one"}.Bundle())
	i.Receipt(accepted)
	behind(t, i.Config.DB, `update ingestions set created_at = created_at - 3600000`)
	require.Equal(t, http.StatusInternalServerError, i.Do(http.MethodGet, apptest.PathOf(accepted), "").StatusCode)
	require.Equal(t, http.StatusAccepted, i.Post(apptest.Course{Chart: "two"}.Bundle()).StatusCode)
}

func TestARecordWhoseAttendantWasTakenAwayIsNotShown(t *testing.T) {
	t.Parallel()
	for _, statement := range []string{`delete from providers`, `update providers set practice = 99`, `update providers set survivor = 99, merged_into = 99`} {
		i := apptest.Start(t)
		i.Push(apptest.Course{Chart: "one", Extra: []string{witness(1)}}.Bundle())
		one := i.Record("one").Head()
		b := i.SignIn(i.Practice, auth.Admin)
		require.Equal(t, http.StatusOK, b.Get("/registry/records/"+one.UUID).StatusCode)
		behind(t, i.Config.DB, "pragma foreign_keys = off; "+statement)
		require.Equal(t, http.StatusServiceUnavailable, b.Get("/registry/records/"+one.UUID).StatusCode, statement)
	}
}

package app_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
)

// Spec, "Record lifecycle": an amendment keeps the previous values as history, including who
// was present.
func TestAnEarlierVersionStillShowsWhoWasPresent(t *testing.T) {
	t.Parallel()
	i := apptest.Start(t)
	by := func(name string) string {
		return apptest.Course{Chart: "A", Extra: []string{
			`{"resourceType":"Practitioner","id":"` + name + `","name":[{"text":"` + name + `"}]}`,
			`{"resourceType":"Encounter","status":"finished","participant":[{"type":[{"coding":[{"code":"ATND"}]}],
			"individual":{"reference":"Practitioner/` + name + `"}}]}`,
		}}.Bundle()
	}
	require.Len(t, i.Push(by("Lindqvist")).Accepted, 1)
	require.Len(t, i.Push(apptest.Batch(by("Abara"), by("Mora"), apptest.Course{Chart: "A"}.Bundle())).Accepted, 3)
	require.Len(t, i.Push(apptest.Course{Chart: "A", Status: "entered-in-error"}.Bundle()).Accepted, 1)
	for version, name := range map[int]string{1: "Lindqvist", 2: "Abara", 3: "Mora"} {
		providers := i.RecordAt("A", version).Providers
		require.Len(t, providers, 1)
		require.Equal(t, name, providers[0].Name)
		require.True(t, providers[0].Attending)
	}
	require.Empty(t, i.RecordAt("A", 4).Providers)
	require.Empty(t, i.RecordAt("A", 5).Providers, "a retraction leaves the content as it was")
	i.Clean()
}

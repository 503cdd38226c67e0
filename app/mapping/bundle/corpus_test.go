package bundle

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
	"birthregistry/app/corpus"
	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
	"birthregistry/app/mapping/mappingtest"
)

// spots are the values of a file that are checked.
type spots = mappingtest.Values

// expected is the result of reading a file. Every value was read from the JSON by hand.
type expected struct {
	rejected  *fhir.Problem
	reference string // Patient/id of a single course; otherwise the entry
	chart     string
	fields    spots
	providers []string // key | name | credentials | role
	transfers []string // type | direction | who | datetime
	attendant string   // the attendant if LOINC 87286-1 were an attendant code, too
}

func TestTheCorpusIsReadUnchanged(t *testing.T) {
	folder, files := corpus.Folder(t, corpus.Bundles)
	if folder == "" {
		return
	}
	require.ElementsMatch(t, slices.Collect(maps.Keys(corpusFiles)), files, "every file has its spots, and every spot its file")
	for _, file := range files {
		t.Run(file, func(t *testing.T) {
			checkFile(t, corpus.Read(t, folder, file), corpusFiles[file])
		})
	}
}

func checkFile(t *testing.T, body []byte, want expected) {
	t.Helper()
	require.NoError(t, fhir.Scan(bytes.NewReader(body)))
	read := func(mapper Reader) []mapping.Item {
		all := read(t, mapper, string(body))
		require.Len(t, all, 1)
		return all
	}
	i := read(Reader{})[0]
	if want.rejected != nil {
		require.Equal(t, want.rejected, i.Problem)
		require.Equal(t, want.reference, i.Rejected)
		require.NotEmpty(t, i.Expression)
		return
	}
	require.Nil(t, i.Problem)
	require.Equal(t, want.reference, i.Accepted)
	require.Equal(t, want.chart, i.Chart)
	d := birth.Mask(*i.Draft).Draft()
	require.Len(t, d.Children, 1)
	for _, field := range checked {
		require.Equal(t, want.fields[field], stated(d, field), field)
	}
	for field := range want.fields {
		require.Contains(t, checked, field)
	}
	require.Equal(t, want.providers, providers(d))
	require.Equal(t, want.transfers, transfers(d))
	require.False(t, d.Consent.Granted)
	require.Empty(t, d.IGVersion, "no real file carries a version")

	d = birth.Mask(*read(Reader{Attendants: []string{"ATND", "87286-1"}})[0].Draft).Draft()
	require.Equal(t, want.attendant, stated(d, "attendant_name"))
	require.Equal(t, want.attendant != "", stated(d, "attendant_title") == `"do"`)
}

func providers(d birth.Draft) (all []string) {
	for _, p := range d.Providers {
		all = append(all, strings.Join([]string{p.Key, p.Name, p.Credentials, string(p.Role)}, " | "))
	}
	return all
}

func transfers(d birth.Draft) (all []string) {
	for _, tr := range d.Transfers {
		all = append(all, strings.Join([]string{tr.Type, tr.Direction, tr.Who, tr.DateTime}, " | "))
	}
	return all
}

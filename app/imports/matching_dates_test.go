package imports_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/auth"
	"birthregistry/app/fixture"
	"birthregistry/app/imports"
	"birthregistry/app/mapping/sheet"
)

func TestAmbiguousDatesOfAFileThatMixesBothOrdersCanBeErrors(t *testing.T) {
	b := fixture.New(t)
	file := "Chart,Mother last,Baby DOB\nD1,One,13/4/2024\nD2,Two,4/25/2024\nD3,Three,3/4/2024\nD4,Four,5/5/2024\n"
	first := answered(b, file, nil, nil, sheet.NoDateOrder)
	require.Equal(t, "rows 4: new 3, amends 0, revives 0, unchanged 0, errors 1, suspected 0", fixture.Counts(first.About.Preview))
	require.Equal(t, []int{4}, first.About.Preview.Values[0].Rows)
	require.Contains(t, first.About.Preview.Values[0].Text, "not certain whether the day or the month comes first")
	next := b.Upload(b.Person(auth.Admin), file)
	require.Equal(t, imports.Matched, next.About.Step, "the answer is remembered")
	require.Equal(t, 1, next.About.Preview.Errors)
}

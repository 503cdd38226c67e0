package imports_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/auth"
	"birthregistry/app/fixture"
)

func TestThePreviewIsRightForRowsOfOneFileWithSimilarChartNumbers(t *testing.T) {
	b := fixture.New(t)
	who := b.Person(auth.Admin)
	b.Imported(who, fixture.Head+fixture.Row("", "Zero", 1, 3000))
	given := b.Records()[0].Chart
	for _, file := range []string{
		fixture.Row("A-1", "One", 1, 3000) + fixture.Row("a-1", "Two", 2, 3100) + fixture.Row("A 1", "Three", 3, 3100) + fixture.Row("A-1 ", "Four", 4, 3100),
		fixture.Row(given, "Zero", 1, 3300) + fixture.Row("", "Zero", 1, 3400) + fixture.Row("x", "Five", 5, 3000) + fixture.Row(given+" ", "Zero", 1, 3500),
		fixture.Row("B-000002", "Six", 1, 3300) + fixture.Row("", "Seven", 2, 3400),
	} {
		i := b.Upload(who, fixture.Head+file)
		previewed := fixture.Counts(i.About.Preview)
		require.NoError(t, b.Imports.Confirm(t.Context(), who, i.ID, true))
		b.Drain()
		require.Equal(t, previewed, fixture.Counts(*again(b, who, i.ID).Result))
	}
	b.Clean()
}

package imports_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/auth"
	"birthregistry/app/fixture"
	"birthregistry/app/stats"
	"birthregistry/store"
)

// counted returns everything that the statistics of the practice count.
func counted(b *fixture.Fixture) *stats.Report {
	b.Helper()
	report := stats.NewReport(stats.Period{First: 2022 * 12, Last: 2026*12 + 11})
	c, err := store.Read(b.Context(), b.DB, func(v *store.View) (store.Counted, error) {
		return v.Counted(b.Caller.Practice, report.Period.First, report.Period)
	})
	require.NoError(b, err)
	c.AddTo(report)
	return report
}

func TestAfterAnUndoEveryStatisticIsWhatItWasBeforeTheImport(t *testing.T) {
	b := fixture.New(t)
	who := b.Person(auth.Admin)
	const columns = "chart_number,mother_family_name,birth_date,birth_weight_g,delivery_method,gestational_age_weeks,attendant_name\n"
	file := columns
	for n := range 20 {
		file += fmt.Sprintf("A%d,Mother %d,2025-%02d-02,%d,vaginal_spontaneous,%d,Jane Rivers\n", n, n, n%12+1, 2400+100*n, 36+n%6)
	}
	b.Imported(who, file)
	for _, r := range b.Records() {
		if r.Chart == "A7" {
			_, err := b.Changes.Void(who, r.UUID, "by mistake", r.Version)
			require.NoError(t, err)
		}
	}
	before := counted(b)
	later := columns
	for n := range 40 { // amends, restores and adds; moves births to other months, and to another attendant
		later += fmt.Sprintf("A%d,Mother %d,2025-%02d-03,%d,cesarean,%d,Ann Lee\n", n, n, (n+5)%12+1, 2000+50*n, 33+n%8)
	}
	i := b.Imported(who, later)
	require.NotEqual(t, before, counted(b), "the import counts")
	undone(b, who, i.ID)
	after := counted(b)
	require.Equal(t, before.Voided+20, after.Voided, "the births that it added are voided and left out of every figure")
	after.Voided = before.Voided
	require.Equal(t, before, after)
	b.Clean()
}

package imports_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/fixture"
	"birthregistry/store"
)

func TestARowThatRepeatsATimeWithoutItsOffsetLeavesTheTimeOnFile(t *testing.T) {
	const head = "chart_number,mother_family_name,mother_given_names,birth_date,birth_datetime,birth_weight_g\n"
	for _, c := range []struct{ name, onFile, row, want string }{
		{"the practice's offset", "2026-03-02 04:18:30-05:00", "2026-03-02 04:18", "2026-03-02T04:18:30-05:00"},
		{"UTC", "2026-03-03 02:30Z", "2026-03-02 21:30", "2026-03-03T02:30:00Z"},
		{"daylight saving time", "2026-07-02 04:18-04:00", "2026-07-02 4:18 AM", "2026-07-02T04:18:00-04:00"},
		{"another minute", "2026-03-02 04:18-05:00", "2026-03-02 04:19", "2026-03-02T04:19:00"},
		{"the clock of another zone", "2026-03-02 04:18Z", "2026-03-02 04:18", "2026-03-02T04:18:00"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := fixture.New(t)
			require.NoError(t, b.DB.Update(func(tx *store.Tx) error { return tx.SetTimeZone(b.Caller.Practice, "America/New_York") }))
			who := b.Person(auth.Provider)
			day := c.row[:len("2026-03-02")]
			b.Imported(who, head+"A,One,Ann,"+day+","+c.onFile+",3000\n")
			b.Imported(who, head+"A,One,Ann,"+day+","+c.row+",3100\n")
			require.Equal(t, 2, called(b, "A")[0].Version)
			require.Equal(t, c.want, content(b, "A").Children[0].Text("birth_datetime"))
			b.Clean()
		})
	}
}

func TestARowOfABirthThatIsOnFileTwiceIsAccepted(t *testing.T) {
	const head = "chart_number,mother_family_name,mother_given_names,birth_datetime,birth_weight_g\n"
	b := fixture.New(t)
	require.NoError(t, b.DB.Update(func(tx *store.Tx) error { return tx.SetTimeZone(b.Caller.Practice, "America/New_York") }))
	who := b.Person(auth.Provider)
	b.Imported(who, head+"A,One,Ann,2026-03-02 04:18-05:00,3000\nB,One,Ann,2026-03-02 04:18,3000\n")
	b.Imported(who, head+"A,One,Ann,2026-03-02 04:18,3100\n")
	require.Equal(t, 2, called(b, "A")[0].Version, "its time of birth has not changed, so it does not newly match the other record")
	b.Clean()
}

// content returns the present content of the record with a chart number.
func content(b *fixture.Fixture, chart string) (d birth.Draft) {
	b.Helper()
	r := called(b, chart)[0]
	require.NoError(b, b.DB.View(b.Context(), func(v *store.View) error {
		on, err := b.Changes.BaseOf(v, b.Caller.Practice, r, r.Version)
		d = on.Draft
		return err
	}))
	return d
}

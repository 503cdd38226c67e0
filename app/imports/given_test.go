package imports_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/changes"
	"birthregistry/app/fixture"
	"birthregistry/store"
)

// called returns the records with a chart number, the given one first.
func called(b *fixture.Fixture, chart string) (all []store.Record) {
	b.Helper()
	for _, r := range b.Records() {
		if r.Chart == chart && r.Given {
			all = append([]store.Record{r}, all...)
		} else if r.Chart == chart {
			all = append(all, r)
		}
	}
	return all
}

func TestAPushedBundleNeverMatchesARecordWhoseNumberTheRegistryGave(t *testing.T) {
	d := fixture.NewStaffed(t)
	given := d.Save(d.Scribe, changes.Form{Draft: fixture.Typed("", "Okonkwo", 3200)})
	require.Equal(t, "B-000001", given.Chart)
	was := d.Records()[0]
	require.True(t, was.Given)

	require.Equal(t, "unknown-chart", d.Only(d.Push(fixture.Batch(fixture.Deletion("Bundle/B-000001")))))
	require.Equal(t, "unknown-chart", d.Only(d.Push(fixture.Retraction("B-000001"))))
	pushed := d.Push(fixture.Birth("B-000001", "Haddad", fixture.Evening)).Accepted[0]
	require.False(t, pushed.Amended)
	require.True(t, d.Push(fixture.Birth("B-000001", "Haddad", fixture.Evening)).Accepted[0].Amended, "its own record")
	d.Reports(d.Push(fixture.Batch(fixture.Birth("B-000001", "Haddad", fixture.Evening), fixture.Birth("B-000002", "Hale", fixture.Night), fixture.Retraction("B-000001"))), 3, 0)

	two := called(d.Fixture, "B-000001")
	require.Len(t, two, 2)
	require.Equal(t, was, two[0])
	require.Equal(t, pushed.Submission, two[1].UUID)
	require.Equal(t, birth.Voided, two[1].State)

	next := d.Save(d.Scribe, changes.Form{Draft: fixture.Typed("", "Lee", 3200)})
	require.Equal(t, "B-000004", next.Chart)
	d.Push(fixture.Birth("B-000006", "Osei", fixture.Evening))
	require.Equal(t, "B-000006a", d.Save(d.Scribe, changes.Form{Draft: fixture.Typed("", "Mora", 3200)}).Chart, "nor is one given that was pushed earlier")
	d.Clean()
}

func TestARecordWhoseNumberReadsLikeAnothersIsAmendedByThePersonWhoOpenedIt(t *testing.T) {
	d := fixture.NewStaffed(t)
	given := d.Save(d.Provider, changes.Form{Draft: fixture.Typed("", "Okonkwo", 3200)})
	d.Push(fixture.Birth("B-000001", "Haddad", fixture.Evening))
	saved := d.Save(d.Provider, changes.Form{Draft: fixture.Typed("B-000001", "Okonkwo", 3300), UUID: given.UUID, BaseVersion: 1})
	require.Equal(t, changes.Saved{UUID: given.UUID, Chart: "B-000001", Version: 2, State: birth.Active, At: saved.At}, saved)
	pushed := called(d.Fixture, "B-000001")[1]
	on, err := d.Changes.BaseVersion(context.Background(), d.Caller.Practice, pushed.UUID)
	require.NoError(t, err)
	on.Draft.Mother.Set(birth.Must("gravida"), birth.Value{Number: 2, Source: birth.Manual})
	require.Equal(t, 2, d.Save(d.Provider, changes.Form{Draft: on.Draft, UUID: pushed.UUID, BaseVersion: 1}).Version)
	_, err = d.Changes.Void(d.Provider, given.UUID, "no birth", 2)
	require.NoError(t, err)
	require.Equal(t, birth.Active, called(d.Fixture, "B-000001")[1].State)
	d.Clean()
}

func TestANewRecordCannotTakeANumberThatTheRegistryGave(t *testing.T) {
	d := fixture.NewStaffed(t)
	d.Save(d.Provider, changes.Form{Draft: fixture.Typed("", "Okonkwo", 3200)})
	_, err := d.Changes.Save(d.Provider, changes.Form{Draft: fixture.Typed("B-000001", "Haddad", 3200)})
	require.ErrorIs(t, err, changes.ErrChartTaken)
}

func TestAnExportedNumberThatTheRegistryGaveComesBackToItsRecord(t *testing.T) {
	b := fixture.New(t)
	who := b.Person(auth.Provider)
	b.Imported(who, fixture.Head+fixture.Row("", "Okonkwo", 1, 3000)+fixture.Row("B-000003", "Lee", 2, 3100)+fixture.Row("", "Mora", 3, 3200))
	require.Equal(t, "B-000003a", b.Records()[0].Chart, "the third record, whose number was typed for the second")
	done := b.Imported(who, fixture.Head+fixture.Row("B-000001", "Okonkwo", 1, 3050)+fixture.Row("B-000003", "Lee", 2, 3100)+fixture.Row("B-000003a", "Mora", 3, 3250))
	require.Equal(t, "rows 3: new 0, amends 2, revives 0, unchanged 1, errors 0, suspected 0", fixture.Counts(*done.Result))
	require.Equal(t, 2, called(b, "B-000001")[0].Version)
	b.Clean()
}

func TestARowWhoseNumberMatchesTwoRecordsIsLeftOut(t *testing.T) {
	b := fixture.New(t)
	who := b.Person(auth.Provider)
	b.Imported(who, fixture.Head+fixture.Row("", "Okonkwo", 1, 3000))
	early := b.Upload(who, fixture.Head+fixture.Row("B-000001", "Okonkwo", 1, 3050)+fixture.Row("new", "Lee", 2, 3100))
	require.Equal(t, "rows 2: new 1, amends 1, revives 0, unchanged 0, errors 0, suspected 0", fixture.Counts(early.About.Preview))
	b.Push(fixture.Birth("B-000001", "Haddad", fixture.Evening))
	for _, weight := range []int{3000, 3050} { // even if it would change nothing
		late := b.Upload(who, fixture.Head+fixture.Row("B-000001", "Okonkwo", 1, weight)+fixture.Row("new", "Lee", 2, 3100))
		require.Equal(t, "rows 2: new 1, amends 0, revives 0, unchanged 0, errors 1, suspected 0", fixture.Counts(late.About.Preview))
		require.Contains(t, b.ErrorFile(who, late.ID), "Two records have this chart number")
		require.NoError(t, b.Imports.Drop(context.Background(), who, late.ID))
	}
	require.NoError(t, b.Imports.Confirm(context.Background(), who, early.ID, false))
	b.Drain()
	done, err := b.Imports.Import(context.Background(), who, early.ID)
	require.NoError(t, err)
	require.Equal(t, "rows 2: new 1, amends 0, revives 0, unchanged 0, errors 1, suspected 0", fixture.Counts(*done.Result))
	require.Contains(t, b.ErrorFile(who, early.ID), "Two records have this chart number")
	for _, r := range called(b, "B-000001") {
		require.Equal(t, 1, r.Version)
	}
	scribe := b.Person(auth.Scribe)
	may := b.Upload(scribe, fixture.Head+fixture.Row("B-000001", "Okonkwo", 1, 3050))
	require.False(t, strings.Contains(b.ErrorFile(scribe, may.ID), "Two records"), "a user without read access sees what any other row would get")
	b.Clean()
}

package intake

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/store"
)

// called returns the records with a chart number, the given one first.
func (b *bed) called(chart string) (all []store.Record) {
	b.Helper()
	for _, r := range b.records() {
		if r.Chart == chart && r.Given {
			all = append([]store.Record{r}, all...)
		} else if r.Chart == chart {
			all = append(all, r)
		}
	}
	return all
}

func TestAPushedBundleNeverMatchesARecordWhoseNumberTheRegistryGave(t *testing.T) {
	d := newDesk(t)
	given := d.save(d.scribe, Entry{Draft: typed("", "Okonkwo", 3200)})
	require.Equal(t, "B-000001", given.Chart)
	was := d.records()[0]
	require.True(t, was.Given)

	require.Equal(t, "unknown-chart", d.only(d.push(batch(deletion("Bundle/B-000001")))))
	require.Equal(t, "unknown-chart", d.only(d.push(retract("B-000001"))))
	pushed := d.push(told("B-000001", "Haddad", evening)).Accepted[0]
	require.False(t, pushed.Amended)
	require.True(t, d.push(told("B-000001", "Haddad", evening)).Accepted[0].Amended, "its own record")
	d.reports(d.push(batch(told("B-000001", "Haddad", evening), told("B-000002", "Hale", night), retract("B-000001"))), 3, 0)

	two := d.called("B-000001")
	require.Len(t, two, 2)
	require.Equal(t, was, two[0])
	require.Equal(t, pushed.Submission, two[1].UUID)
	require.Equal(t, birth.Voided, two[1].State)

	next := d.save(d.scribe, Entry{Draft: typed("", "Lee", 3200)})
	require.Equal(t, "B-000004", next.Chart)
	d.push(told("B-000006", "Osei", evening))
	require.Equal(t, "B-000006a", d.save(d.scribe, Entry{Draft: typed("", "Mora", 3200)}).Chart, "nor is one given that was pushed earlier")
	d.clean()
}

func TestARecordWhoseNumberReadsLikeAnothersIsAmendedByThePersonWhoOpenedIt(t *testing.T) {
	d := newDesk(t)
	given := d.save(d.provider, Entry{Draft: typed("", "Okonkwo", 3200)})
	d.push(told("B-000001", "Haddad", evening))
	saved := d.save(d.provider, Entry{Draft: typed("B-000001", "Okonkwo", 3300), UUID: given.UUID, BaseVersion: 1})
	require.Equal(t, Saved{UUID: given.UUID, Chart: "B-000001", Version: 2, State: birth.Active}, saved)
	pushed := d.called("B-000001")[1]
	on, err := d.BaseVersion(context.Background(), d.caller.Practice, pushed.UUID)
	require.NoError(t, err)
	on.Draft.Mother.Set(birth.Must("gravida"), birth.Value{Number: 2, Source: birth.Manual})
	require.Equal(t, 2, d.save(d.provider, Entry{Draft: on.Draft, UUID: pushed.UUID, BaseVersion: 1}).Version)
	_, err = d.Void(d.provider, given.UUID, "no birth", 2)
	require.NoError(t, err)
	require.Equal(t, birth.Active, d.called("B-000001")[1].State)
	d.clean()
}

func TestANewRecordIsNotTypedUnderANumberThatTheRegistryGave(t *testing.T) {
	d := newDesk(t)
	d.save(d.provider, Entry{Draft: typed("", "Okonkwo", 3200)})
	_, err := d.Save(d.provider, Entry{Draft: typed("B-000001", "Haddad", 3200)})
	require.ErrorIs(t, err, ErrChartTaken)
}

func TestAnExportedNumberThatTheRegistryGaveComesBackToItsRecord(t *testing.T) {
	b := newBed(t)
	who := b.person(auth.Provider)
	b.imported(who, head+row("", "Okonkwo", 1, 3000)+row("B-000003", "Lee", 2, 3100)+row("", "Mora", 3, 3200))
	require.Equal(t, "B-000003a", b.records()[0].Chart, "the third record, whose number was typed for the second")
	done := b.imported(who, head+row("B-000001", "Okonkwo", 1, 3050)+row("B-000003", "Lee", 2, 3100)+row("B-000003a", "Mora", 3, 3250))
	require.Equal(t, "rows 3: new 0, amends 2, revives 0, unchanged 1, errors 0, suspected 0", counts(*done.Result))
	require.Equal(t, 2, b.called("B-000001")[0].Version)
	b.clean()
}

func TestARowWhoseNumberTwoRecordsHaveIsLeftOut(t *testing.T) {
	b := newBed(t)
	who := b.person(auth.Provider)
	b.imported(who, head+row("", "Okonkwo", 1, 3000))
	early := b.upload(who, head+row("B-000001", "Okonkwo", 1, 3050)+row("new", "Lee", 2, 3100))
	require.Equal(t, "rows 2: new 1, amends 1, revives 0, unchanged 0, errors 0, suspected 0", counts(early.About.Preview))
	b.push(told("B-000001", "Haddad", evening))
	for _, weight := range []int{3000, 3050} { // also where it would change nothing
		late := b.upload(who, head+row("B-000001", "Okonkwo", 1, weight)+row("new", "Lee", 2, 3100))
		require.Equal(t, "rows 2: new 1, amends 0, revives 0, unchanged 0, errors 1, suspected 0", counts(late.About.Preview))
		require.Contains(t, b.errorFile(who, late.ID), "Two records have this chart number")
		require.NoError(t, b.Drop(context.Background(), who, late.ID))
	}
	require.NoError(t, b.Confirm(context.Background(), who, early.ID, false))
	b.drain()
	done, err := b.Import(context.Background(), who, early.ID)
	require.NoError(t, err)
	require.Equal(t, "rows 2: new 1, amends 0, revives 0, unchanged 0, errors 1, suspected 0", counts(*done.Result))
	require.Contains(t, b.errorFile(who, early.ID), "Two records have this chart number")
	for _, r := range b.called("B-000001") {
		require.Equal(t, 1, r.Version)
	}
	scribe := b.person(auth.Scribe)
	may := b.upload(scribe, head+row("B-000001", "Okonkwo", 1, 3050))
	require.False(t, strings.Contains(b.errorFile(scribe, may.ID), "Two records"), "who reads no records is told as of any other")
	b.clean()
}

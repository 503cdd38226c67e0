package records_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/changes"
	"birthregistry/app/records"
	"birthregistry/store"
)

// session is an installation with its records and an admin.
type session struct {
	*apptest.Installation
	records *records.Records
	carla   auth.User
}

func open(t testing.TB) *session {
	t.Helper()
	d := &session{Installation: apptest.Start(t)}
	d.records = records.New(d.App.DB, d.App.Vault)
	d.carla = auth.User{Name: "Carla Diaz", Email: "carla@riverside.example", Practice: store.Practice{ID: d.Practice}, Role: auth.Admin}
	require.NoError(t, d.App.DB.Update(func(tx *store.Tx) (err error) {
		d.carla.ID, err = tx.AddUser(d.carla.Email, d.carla.Name)
		return err
	}))
	return d
}

// list returns a page of the list of records.
func (d *session) list(f store.Filter, at records.Cursor) records.Page {
	d.T.Helper()
	page, err := d.records.List(context.Background(), d.Practice, f, at)
	require.NoError(d.T, err)
	return page
}

// id returns the ID of the record with a chart number.
func (d *session) id(chart string) string {
	d.T.Helper()
	r, err := d.records.Find(context.Background(), d.Practice, chart)
	require.NoError(d.T, err)
	return r.UUID
}

// amend changes a record and saves it as Carla.
func (d *session) amend(chart string, change func(*changes.Form)) {
	d.T.Helper()
	base, err := d.App.Changes.BaseVersion(context.Background(), d.Practice, d.id(chart))
	require.NoError(d.T, err)
	e := changes.Form{Draft: base.Draft, UUID: base.Record.UUID, BaseVersion: base.Record.Version}
	change(&e)
	saved, err := d.App.Changes.Save(d.carla, e)
	require.NoError(d.T, err)
	require.False(d.T, saved.Unchanged)
}

// state states a field by hand.
func state(v *birth.Values, field string, value birth.Value) {
	value.Source = birth.Manual
	v.Set(birth.Must(field), value)
}

func TestAListHasTheMothersInitialsHerNameForASearchAndTheTimeOfBirth(t *testing.T) {
	d := open(t)
	d.Push(apptest.Course{Chart: "26-1", Kids: 2, Weight: 3000}.Bundle())
	d.Push(apptest.Course{Chart: "26-2", Mother: "  'ångström-Lee", Born: "2026-03-05T04:18:00-05:00"}.Bundle())
	d.Push(apptest.Course{Chart: "26-3", Born: "-"}.Bundle())
	rows := d.list(store.Filter{}, records.Cursor{}).Rows
	require.Len(t, rows, 3)
	require.Equal(t, []string{"26-3", "26-2", "26-1"}, []string{rows[0].Chart, rows[1].Chart, rows[2].Chart}, "newest first")
	require.Equal(t, "A. O.", rows[2].Initials)
	require.Equal(t, "A. Å.", rows[1].Initials)
	require.Equal(t, "2026-03-05T04:18:00-05:00", rows[1].Born)
	require.Equal(t, 2, rows[2].Newborns)
	require.Empty(t, rows[0].Born)
	require.Equal(t, birth.FHIRPush, rows[0].Source)
	require.Contains(t, rows[2].Mother, "Okonkwo")
}

func TestAListCanBePagedBothWaysAndItsFirstPageIsFull(t *testing.T) {
	d := open(t)
	const total = 2*records.PageSize + 7
	var bundles []string
	for n := range total {
		bundles = append(bundles, apptest.Course{Chart: fmt.Sprintf("%03d", n), Mother: fmt.Sprint("M", n)}.Bundle())
	}
	d.Push(apptest.Batch(bundles...))
	charts := func(p records.Page) (all []string) {
		for _, r := range p.Rows {
			all = append(all, r.Chart)
		}
		return all
	}
	one := d.list(store.Filter{}, records.Cursor{})
	require.Len(t, one.Rows, records.PageSize)
	require.Empty(t, one.Newer)
	two := d.list(store.Filter{}, records.Cursor{ID: one.Older})
	require.NotEmpty(t, two.Newer)
	three := d.list(store.Filter{}, records.Cursor{ID: two.Older})
	require.Len(t, three.Rows, 7)
	require.Empty(t, three.Older)
	all := slices.Concat(charts(one), charts(two), charts(three))
	require.Len(t, all, total)
	require.True(t, slices.IsSortedFunc(all, func(a, b string) int { return strings.Compare(b, a) }))

	require.Equal(t, two, d.list(store.Filter{}, records.Cursor{ID: three.Newer, Back: true}))
	require.Equal(t, one, d.list(store.Filter{}, records.Cursor{ID: two.Newer, Back: true}))
	behindFirst := d.list(store.Filter{}, records.Cursor{ID: one.Rows[3].UUID, Back: true})
	require.Equal(t, one, behindFirst, "going back from the middle of the first page shows all of it")

	byChart := store.Filter{Chart: "0"}
	first := d.list(byChart, records.Cursor{})
	require.Equal(t, "000", first.Rows[0].Chart, "a search is in the order of chart numbers")
	second := d.list(byChart, records.Cursor{ID: first.Older})
	require.Len(t, second.Rows, 50)
	require.Equal(t, "099", second.Rows[49].Chart)
	require.Empty(t, second.Older)
	require.Equal(t, first, d.list(byChart, records.Cursor{ID: second.Newer, Back: true}))
}

func TestACursorOfAnotherPracticeOrOfNoRecordStartsAtTheBeginning(t *testing.T) {
	d := open(t)
	d.Push(apptest.Course{Chart: "1"}.Bundle())
	other := d.AddPractice("Hillside")
	key := d.Mint(other, "ingest:write", "ingest:read")
	auth := []string{"Authorization", "Bearer " + key}
	d.Push(apptest.Course{Chart: "theirs"}.Bundle(), auth...)
	foreign, err := d.records.Find(t.Context(), other, "theirs")
	require.NoError(t, err)
	whole := d.list(store.Filter{}, records.Cursor{})
	require.Len(t, whole.Rows, 1)
	for _, id := range []string{foreign.UUID, uuid.NewString(), "x", "' or 1=1"} {
		for _, back := range []bool{false, true} {
			require.Equal(t, whole, d.list(store.Filter{}, records.Cursor{ID: id, Back: back}))
		}
	}
	require.Empty(t, d.list(store.Filter{Chart: "theirs"}, records.Cursor{}).Rows)
	require.Empty(t, d.list(store.Filter{Chart: foreign.UUID}, records.Cursor{}).Rows)
	_, err = d.records.Show(t.Context(), d.Practice, foreign.UUID, 0, true)
	require.ErrorIs(t, err, records.ErrNotFound)
	_, _, _, err = d.records.History(t.Context(), d.Practice, foreign.UUID, 0)
	require.ErrorIs(t, err, records.ErrNotFound)
	_, err = d.records.Compare(t.Context(), d.Practice, foreign.UUID, 1, 1)
	require.ErrorIs(t, err, records.ErrNotFound)
}

func TestASearchFindsByIDChartNumberNameAndDay(t *testing.T) {
	d := open(t)
	d.Push(apptest.Course{Chart: "26-1"}.Bundle())
	d.Push(apptest.Course{Chart: "26-2", Mother: "Haddad", Born: "2026-03-05T10:00:00-05:00"}.Bundle())
	d.Push(apptest.Course{Chart: "haddock", Mother: "Ek", Born: "2026-02-05"}.Bundle())
	find := func(text, day string) (charts []string) {
		f, err := d.records.Search(t.Context(), d.Practice, store.Filter{}, text, day)
		require.NoError(t, err)
		for _, row := range d.list(f, records.Cursor{}).Rows {
			charts = append(charts, row.Chart)
		}
		return charts
	}
	id := d.id("26-1")
	for _, text := range []string{id, strings.ToUpper(id), " " + id + " "} {
		require.Equal(t, []string{"26-1"}, find(text, ""), text)
	}
	f, err := d.records.Search(t.Context(), d.Practice, store.Filter{State: birth.Voided}, id, "")
	require.NoError(t, err)
	require.Empty(t, d.list(f, records.Cursor{}).Rows, "within the filter, which the page states")
	require.Equal(t, []string{"26-1", "26-2"}, find(" 26 ", ""), "trimmed")
	require.Equal(t, []string{"26-2"}, find("HADDAD", ""))
	require.Equal(t, []string{"26-2"}, find("had", ""))
	require.Equal(t, []string{"haddock"}, find("haddock", ""), "nobody has that name, but a record that number")
	require.Equal(t, []string{"26-2"}, find("3/5/2026", "2026-03-05"))
	require.Equal(t, []string{"haddock"}, find("Feb 5, 2026", "2026-02-05"))
	require.Empty(t, find("Feb 6, 2026", "2026-02-06"))
	require.Empty(t, find("nobody", ""))
	require.Empty(t, find("a\x00b", ""), "no record has such a number")
}

func TestAValueWasSetInTheOldestVersionSinceWhichItIsUnchanged(t *testing.T) {
	d := open(t)
	d.Push(apptest.Course{Chart: "1", Weight: 3000}.Bundle())
	d.Push(apptest.Course{Chart: "1", Weight: 3400}.Bundle())
	d.amend("1", func(e *changes.Form) {
		state(&e.Draft.Mother, "gravida", birth.Value{Number: 2})
		state(&e.Draft.Mother, "mother_given_names", birth.Value{Text: "Amara"}) // the same value, stated by hand
	})
	d.amend("1", func(e *changes.Form) {
		state(&e.Draft.Mother, "gravida", birth.Value{Number: 3})
		state(&e.Draft.Children[0], "apgar_five_minute", birth.Value{Number: 9})
	})
	d.amend("1", func(e *changes.Form) { state(&e.Draft.Mother, "gravida", birth.Value{Number: 2}) })
	rec := d.Record("1")
	require.NoError(t, d.records.Trace(t.Context(), d.Practice, &rec))
	in := func(list records.Values, field string) *records.Event {
		v, ok := list.Get(field)
		require.True(t, ok, field)
		return v.SetIn
	}
	child := rec.Children[0]
	require.Equal(t, 2, in(child, "birth_weight_g").Version)
	require.Equal(t, "key test", in(child, "birth_weight_g").Who())
	require.Equal(t, 1, in(child, "birth_date").Version)
	require.Equal(t, 4, in(child, "apgar_five_minute").Version)
	require.Equal(t, "Carla Diaz", in(child, "apgar_five_minute").Who())
	require.Equal(t, 3, in(rec.Mother, "mother_given_names").Version, "another source is another word")
	require.Equal(t, 1, in(rec.Mother, "mother_family_name").Version)
	require.Equal(t, 5, in(rec.Mother, "gravida").Version, "it was something else in between")

	earlier := d.RecordAt("1", 3)
	require.NoError(t, d.records.Trace(t.Context(), d.Practice, &earlier))
	require.Equal(t, 3, in(earlier.Mother, "gravida").Version, "as of an earlier version")
}

func TestConsentProvidersAndCustomFieldsShowTheVersionTheyWereSetIn(t *testing.T) {
	d := open(t)
	d.field("a", "Tub")
	d.field("b", "Room")
	d.Push(apptest.Course{Chart: "1"}.Bundle())
	d.amend("1", func(e *changes.Form) { e.Custom = map[string]string{"a": "one", "b": "two"} })
	d.amend("1", func(e *changes.Form) {
		e.Draft.Consent.Granted = true
		e.Custom = map[string]string{"a": "one", "b": "three"}
	})
	d.Push(apptest.Course{Chart: "1", Weight: 3000}.Bundle())
	rec := d.RecordAt("1", 3)
	require.NoError(t, d.records.Trace(t.Context(), d.Practice, &rec))
	require.Equal(t, 3, rec.ConsentSet.Version)
	require.Equal(t, birth.Manual, rec.ConsentSet.Source)
	require.Equal(t, "Carla Diaz", rec.ConsentSet.Who())
	require.Equal(t, 1, rec.ProvidersSet.Version)
	require.Equal(t, 2, rec.CustomFields[0].SetIn.Version, "it was said again and stands as it did")
	require.Equal(t, 3, rec.CustomFields[1].SetIn.Version)
	rec = d.Record("1")
	require.NoError(t, d.records.Trace(t.Context(), d.Practice, &rec))
	require.Equal(t, 2, rec.CustomFields[0].SetIn.Version, "a push says nothing of them")
	require.Equal(t, birth.Manual, rec.CustomFields[0].SetIn.Source)
	hidden, err := d.records.Show(t.Context(), d.Practice, "1", 0, false)
	require.NoError(t, err)
	require.NoError(t, d.records.Trace(t.Context(), d.Practice, &hidden), "what is not revealed is not traced, and breaks nothing")
}

func TestTraceGoesBackThroughMoreVersionsThanItReadsAtOnce(t *testing.T) {
	d := open(t)
	var bundles []string
	for n := range 120 {
		bundles = append(bundles, apptest.Course{Chart: "1", Weight: 3000 + n/60}.Bundle())
	}
	d.Push(apptest.Batch(bundles...))
	rec := d.Record("1")
	require.Equal(t, 120, rec.Version)
	require.NoError(t, d.records.Trace(t.Context(), d.Practice, &rec))
	for _, v := range rec.Children[0] {
		want := 1
		if v.Field.Name == "birth_weight_g" {
			want = 61
		}
		require.Equal(t, want, v.SetIn.Version, v.Field.Name)
	}
}

func TestTheHistoryNamesWhatHappenedAndWhoDidIt(t *testing.T) {
	d := open(t)
	d.Push(apptest.Course{Chart: "1", Weight: 3000}.Bundle())
	d.amend("1", func(e *changes.Form) { state(&e.Draft.Mother, "gravida", birth.Value{Number: 2}) })
	id := d.id("1")
	_, err := d.App.Changes.Void(d.carla, id, "Entered twice", 2)
	require.NoError(t, err)
	_, err = d.App.Changes.Restore(d.carla, id, "It was another birth")
	require.NoError(t, err)
	d.Push(apptest.Course{Chart: "1", Status: "entered-in-error"}.Bundle())
	d.Push(apptest.Course{Chart: "1", Weight: 3100}.Bundle())
	head, events, more, err := d.records.History(t.Context(), d.Practice, id, 0)
	require.NoError(t, err)
	require.False(t, more)
	require.Equal(t, 6, head.Version)
	var described []string
	for _, e := range events {
		described = append(described, fmt.Sprint(e.Version, " ", e.What(), " by ", e.Who(), " ", e.Note))
	}
	require.Equal(t, []string{
		"6 Sent again after it was voided by key test ", "5 Retracted by key test ",
		"4 Restored by Carla Diaz It was another birth", "3 Voided by Carla Diaz Entered twice",
		"2 Amended by Carla Diaz ", "1 Recorded by key test ",
	}, described)
	restored := d.RecordAt("1", 4)
	require.Equal(t, birth.Active, restored.State)
	require.Equal(t, "It was another birth", restored.Event.Note)
	hidden, err := d.records.Show(t.Context(), d.Practice, id, 4, false)
	require.NoError(t, err)
	require.Empty(t, hidden.Event.Note)
}

func TestALongHistoryComesPageByPage(t *testing.T) {
	d := open(t)
	var bundles []string
	for n := range records.HistorySize + 5 {
		bundles = append(bundles, apptest.Course{Chart: "1", Weight: 3000 + n}.Bundle())
	}
	d.Push(apptest.Batch(bundles...))
	_, events, more, err := d.records.History(t.Context(), d.Practice, d.id("1"), 0)
	require.NoError(t, err)
	require.True(t, more)
	require.Len(t, events, records.HistorySize)
	_, events, more, err = d.records.History(t.Context(), d.Practice, d.id("1"), events[len(events)-1].Version)
	require.NoError(t, err)
	require.False(t, more)
	require.Len(t, events, 5)
}

func TestAComparisonListsWhatDiffersAndCountsTheRest(t *testing.T) {
	d := open(t)
	d.field("room", "Room")
	d.Push(apptest.Course{Chart: "1", Weight: 3000}.Bundle())
	d.amend("1", func(e *changes.Form) {
		state(&e.Draft.Children[0], "birth_weight_g", birth.Value{Number: 3100})
		state(&e.Draft.Mother, "perineum", birth.Value{Text: "intact"})
		e.Draft.Consent.Granted = true
		e.Draft.Transfers = []birth.Transfer{{Type: "intrapartum", Direction: "out", Urgency: "non_urgent", Source: birth.Manual}}
		e.Custom = map[string]string{"room": "Blue"}
		e.Draft.Mother.Drop("mother_birth_date")
		e.Draft.Mother.Drop("mother_age_years")
	})
	for _, versions := range [][2]int{{1, 2}, {2, 1}} {
		c, err := d.records.Compare(t.Context(), d.Practice, d.id("1"), versions[0], versions[1])
		require.NoError(t, err)
		require.Equal(t, []int{1, 2}, []int{c.Before.Version, c.After.Version}, "the lower one first")
		require.Equal(t, []records.Difference{
			{Subject: "Mother", Field: "Mother's date of birth", Before: "May 17, 1994", SourceBefore: birth.FHIRPush},
			{Subject: "Mother", Field: "Mother's age at the birth", Before: "31 years", SourceBefore: birth.FHIRPush},
			{Subject: "Mother", Field: "Perineum", After: "Intact", SourceAfter: birth.Manual},
			{Subject: "Newborn 1", Field: "Birth weight", Before: "3,000 g", After: "3,100 g", SourceBefore: birth.FHIRPush, SourceAfter: birth.Manual},
			{Subject: "Transfers", Field: "Transfer 1", After: "Intrapartum, from us, not urgent"},
			{Subject: "Consent", Field: "Consent", Before: "Not recorded", After: "Granted"},
			{Subject: "Custom fields", Field: "Room", After: "Blue"},
		}, c.Rows)
		require.Positive(t, c.Same)
	}
	same, err := d.records.Compare(t.Context(), d.Practice, d.id("1"), 2, 2)
	require.NoError(t, err)
	require.Empty(t, same.Rows)
	_, err = d.records.Compare(t.Context(), d.Practice, d.id("1"), 1, 9)
	require.ErrorIs(t, err, records.ErrNotFound)
}

// field adds a custom field to the practice.
func (d *session) field(key, label string) {
	d.T.Helper()
	require.NoError(d.T, d.App.DB.Update(func(tx *store.Tx) error {
		_, err := tx.AddCustomField(d.Practice, birth.CustomField{Key: key, Label: label, Kind: birth.CustomText})
		return err
	}))
}

func TestCustomFieldsAreShownInThePracticesOrderAndOnlyWhenRevealed(t *testing.T) {
	d := open(t)
	d.field("b", "Second by name")
	d.field("a", "First by name")
	d.Push(apptest.Course{Chart: "1"}.Bundle())
	d.amend("1", func(e *changes.Form) { e.Custom = map[string]string{"a": "one", "b": "two"} })
	d.amend("1", func(e *changes.Form) { e.Custom = map[string]string{"a": "", "b": "three"} })
	d.Push(apptest.Course{Chart: "1", Weight: 3000}.Bundle())
	stated := func(version int) (all []string) {
		for _, o := range d.RecordAt("1", version).CustomFields {
			all = append(all, o.Field.Label+": "+o.Text)
		}
		return all
	}
	require.Empty(t, stated(1))
	require.Equal(t, []string{"Second by name: two", "First by name: one"}, stated(2))
	require.Equal(t, []string{"Second by name: three"}, stated(3))
	require.Equal(t, stated(3), stated(4), "a push says nothing of them")
	hidden, err := d.records.Show(t.Context(), d.Practice, "1", 2, false)
	require.NoError(t, err)
	require.Equal(t, map[string]records.CustomValue{"a": {Sealed: true}, "b": {Sealed: true}}, hidden.Custom)
	require.NotContains(t, fmt.Sprint(hidden.CustomFields), "two")
}

func TestTheSurroundingsOfARecordAreShown(t *testing.T) {
	d := open(t)
	d.Push(apptest.Course{Chart: "1"}.Bundle())
	d.Push(apptest.Course{Chart: "2", Weight: 3000}.Bundle())
	d.Push(apptest.Course{Chart: "3", Mother: "Diaz"}.Bundle())
	around := func(chart string) records.Around {
		a, err := d.records.Around(t.Context(), d.Practice, d.Record(chart))
		require.NoError(t, err)
		return a
	}
	flagged := around("2")
	require.Len(t, flagged.Duplicates, 1)
	require.Equal(t, "1", flagged.Duplicates[0].Chart)
	var missing []string
	for _, f := range flagged.Missing {
		missing = append(missing, f.String())
	}
	require.Equal(t, []string{"child.0.gestational_age_weeks", "child.0.delivery_method", "attendant_type"}, missing)
	require.Equal(t, "2", around("1").Duplicates[0].Chart, "the older one is told as well")
	require.Empty(t, around("3").Duplicates)
	_, err := d.App.Changes.Void(d.carla, d.id("1"), "Entered twice", 1)
	require.NoError(t, err)
	require.Empty(t, around("2").Duplicates, "a voided record resembles nothing")
}

func TestDatesAreShownAsPeopleWriteThemWithTheirStatedOffset(t *testing.T) {
	for stated, want := range map[string]string{
		"2026": "2026", "2026-03": "Mar 2026", "2026-03-02": "Mar 2, 2026", "": "", "soon": "soon",
		"2026-03-02T04:18:00": "Mar 2, 2026, 4:18 AM", "2026-03-02T16:08:59Z": "Mar 2, 2026, 4:08 PM UTC",
		"2026-03-02T00:18:00-05:00": "Mar 2, 2026, 12:18 AM UTC-05:00",
	} {
		require.Equal(t, want, birth.When(stated), stated)
	}
}

func TestATimeInThePracticesOffsetIsWrittenWithTheNameOfItsZone(t *testing.T) {
	newYork, err := time.LoadLocation("America/New_York")
	require.NoError(t, err)
	for stated, want := range map[string]string{
		"2026-03-02T04:18:00-05:00": "Mar 2, 2026, 4:18 AM EST", "2026-07-02T04:18:00-04:00": "Jul 2, 2026, 4:18 AM EDT",
		"2026-07-02T04:18:00-05:00": "Jul 2, 2026, 4:18 AM UTC-05:00", "2026-07-02T04:18:00Z": "Jul 2, 2026, 4:18 AM UTC",
		"2026-07-02T04:18:00": "Jul 2, 2026, 4:18 AM", "2026-07-02": "Jul 2, 2026", "soon": "soon",
	} {
		require.Equal(t, want, birth.NameZone(birth.When(stated), newYork), stated)
	}
	require.Equal(t, "Granted, Mar 2, 2026, 4:18 AM UTC", birth.NameZone("Granted, Mar 2, 2026, 4:18 AM UTC", time.UTC))
}

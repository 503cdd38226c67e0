package archive

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/stretchr/testify/require"

	"birthregistry/app/auth"
	"birthregistry/app/customfields"
	"birthregistry/app/fixture"
	"birthregistry/app/records"
	"birthregistry/app/stats"
	"birthregistry/store"
)

// shown is what the pages of a practice show, through the services that they use. Numbers
// that an installation assigns are not in it.
func shown(f *fixture.Fixture, p store.Practice) map[string]any {
	f.Helper()
	all := map[string]any{}
	reads := records.New(f.DB, f.Vault)
	for _, r := range f.Records() {
		for version := 1; version <= r.Version; version++ {
			all[fmt.Sprint("record ", r.UUID, " version ", version)] = shownVersion(f, reads, p.ID, r.UUID, version)
		}
		all["facts "+r.UUID] = []any{r.Chart, r.Given, r.State, r.Version, r.Content, r.Replaced, r.Facts, r.Source, r.Suspected, r.Stamp, r.Saved, r.IGVersion, r.CreatedAt, r.UpdatedAt}
	}
	shownLists(f, reads, p, all)
	for _, period := range periods() {
		for i := range stats.Measures {
			m := &stats.Measures[i]
			figures, err := reads.Measure(f.Context(), p, period, m)
			require.NoError(f, err)
			figures.Peers = nil // other practices'
			all["measure "+m.ID+" of "+period.Label()] = figures
		}
	}
	return all
}

// periods are a month with births and one without, two years, and the longest.
func periods() (all []stats.Period) {
	for _, months := range [][2]string{{"2026-03", "2026-03"}, {"2019-01", "2019-01"}, {"2025-01", "2025-12"}, {"2026-01", "2026-12"}, {"2022-01", "2026-12"}} {
		first, _ := stats.ParseMonth(months[0])
		last, _ := stats.ParseMonth(months[1])
		all = append(all, stats.Period{First: first, Last: last})
	}
	return all
}

// shownVersion is what the page of a record shows of a version, with the history up to it.
func shownVersion(f *fixture.Fixture, reads *records.Records, p store.PracticeID, id string, version int) []string {
	rec, err := reads.Show(f.Context(), p, id, version, true)
	require.NoError(f, err)
	require.NoError(f, reads.Trace(f.Context(), p, &rec))
	text, err := json.Marshal(rec)
	require.NoError(f, err)
	lines := []string{string(text), eventText(rec.Event)}
	for _, values := range append([]records.Values{rec.Mother, rec.Care}, rec.Children...) {
		for _, v := range values {
			require.NotNil(f, v.SetIn)
			lines = append(lines, v.Field.Name+" "+eventText(*v.SetIn))
		}
	}
	for _, own := range rec.CustomFields {
		lines = append(lines, own.Field.Key+" "+own.Text)
	}
	return lines
}

func eventText(e records.Event) string {
	return fmt.Sprint(e.Version, " ", e.What(), " by ", e.Who(), " at ", e.At.UTC(), ": ", e.Note, " ", e.Ingestion, e.Kind, e.Decision, e.Other, e.OtherChart, e.Undoes)
}

// shownLists are the lists: pages of records, providers with their careers, reviews, imports with
// what undoing them did, custom fields and what is remembered about spreadsheets.
func shownLists(f *fixture.Fixture, reads *records.Records, p store.Practice, all map[string]any) {
	page, err := reads.List(f.Context(), p.ID, store.Filter{}, records.Cursor{})
	require.NoError(f, err)
	for n, row := range page.Rows {
		all[fmt.Sprint("listed ", n)] = []any{row.UUID, row.Mother, row.Born, row.Newborns}
	}
	providers := f.ProvidersByName()
	for _, name := range slices.Sorted(maps.Keys(providers)) {
		all["career of "+name] = f.Career(providers[name].ID)
	}
	replaced, err := reads.Replaced(f.Context(), p.ID, 99)
	require.NoError(f, err)
	for n, r := range replaced {
		all[fmt.Sprint("replaced ", n)] = []any{r.Head.UUID, eventText(r.Before), eventText(r.After), r.Rows, r.Same}
	}
	waiting, _, err := reads.Queue(f.Context(), p.ID, store.Pair{})
	require.NoError(f, err)
	for n, w := range waiting {
		all[fmt.Sprint("pair ", n)] = []any{w.Older.UUID, w.Newer.UUID, w.Merge == nil}
	}
	resolved, _, err := reads.Resolved(f.Context(), p.ID, 0, false)
	require.NoError(f, err)
	for n, r := range resolved {
		all[fmt.Sprint("review ", n)] = []any{r.Decision, r.Stays.UUID, r.Goes.UUID, r.StaysVersion, r.GoesVersion, r.By, r.At, r.UndoneAt, r.UndoneBy, r.Again, r.Lost, r.Waits, r.May}
	}
	fields, err := customfields.New(f.DB, auth.New(f.DB, f.Vault)).List(f.Context(), p.ID)
	require.NoError(f, err)
	for n, field := range fields {
		all[fmt.Sprint("custom field ", n)] = []any{field.Key, field.Label, field.Kind, field.Options, field.Retired}
	}
	admin := auth.User{Practice: p, Role: auth.Admin}
	for n, i := range f.Listed(admin) {
		plan, err := f.Imports.UndoResult(f.Context(), admin, i)
		require.NoError(f, err)
		all[fmt.Sprint("import ", n)] = []any{i.ID, i.By, i.At, i.Status, i.About, i.Result, i.Accepted, i.Rejected, plan}
	}
	remembered, _, err := f.Imports.Remembered(f.Context(), admin)
	require.NoError(f, err)
	all["remembered"] = remembered
}

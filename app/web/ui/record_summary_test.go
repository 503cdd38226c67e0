package ui

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/records"
	"birthregistry/views"
)

// shownValues makes values from pairs of a field and a text, a number or a yes.
func shownValues(pairs ...any) (all records.Values) {
	for i := 0; i < len(pairs); i += 2 {
		v := records.Value{Field: birth.Must(pairs[i].(string))}
		switch stated := pairs[i+1].(type) {
		case string:
			v.Value.Text = stated
		case int:
			v.Value.Number = float64(stated)
		case bool:
			v.Value.Flag = stated
		}
		all = append(all, v)
	}
	return all
}

func summarized(rec records.Record) map[string]string {
	cells := map[string]string{}
	for _, cell := range summaryOf(rec, records.Around{Attended: 41}, auth.User{}) {
		cells[cell.Label] = strings.ReplaceAll(cell.Value, "\u00a0", " ")
		if cell.More != "" {
			cells[cell.Label] += " | " + strings.ReplaceAll(cell.More, "\u00a0", " ")
		}
	}
	return cells
}

func TestTheSummaryDescribesTheBirthInOneLine(t *testing.T) {
	rec := records.Record{
		Mother: shownValues("mother_family_name", "Okafor", "mother_given_names", "Ngozi"),
		Care:   shownValues("plurality", 2, "birth_setting", "home_planned"),
		Children: []records.Values{
			shownValues("child_sex", "female", "birth_datetime", "2026-03-02T16:18:00-05:00", "gestational_age_weeks", 39, "gestational_age_days", 2,
				"birth_weight_g", 3430, "delivery_method", "vaginal_spontaneous"),
			shownValues("child_sex", "male", "birth_datetime", "2026-03-02T16:29:00-05:00", "gestational_age_weeks", 39, "gestational_age_days", 2,
				"birth_weight_g", 2268, "delivery_method", "vaginal_spontaneous"),
		},
		Providers: []records.Provider{{ID: 1, Name: "Jane Rivers", Credentials: "CPM", Role: birth.RoleMidwife, Attending: true}},
	}
	require.Equal(t, "Okafor, Ngozi", recordTitle(rec))
	require.Equal(t, map[string]string{
		"Newborns": "Twins, girl and boy", "Born": "Mar 2, 2026 | 4:18 PM and 4:29 PM", "Gestation": "39w 2d",
		"Weight": "3,430 g · 2,268 g | 7 lb 9 oz · 5 lb 0 oz", "Birth": "Vaginal | spontaneous", "Place": "Home | planned",
		"Attended by": "Jane Rivers, CPM",
	}, summarized(rec))
}

func TestTheSummaryCountsTheAttendantsBirthsUpToAHundred(t *testing.T) {
	who, by := auth.User{Role: auth.Viewer}, records.Provider{ID: 7, Name: "Jane Rivers"}
	for births, want := range map[int]string{0: "", 1: "1 birth", 99: "99 births", 100: "100 or more births"} {
		require.Equal(t, want, attendantCell(by, births, who).More)
	}
}

func TestTheSummaryLeavesOutWhatIsNotKnownAndNeverGuesses(t *testing.T) {
	require.Empty(t, summarized(records.Record{}))
	require.Empty(t, summarized(records.Record{Children: []records.Values{nil}}), "not even a singleton")
	require.Equal(t, "Record 26-1", recordTitle(records.Record{ChartNumber: "26-1"}))
	require.Equal(t, "Haddad", recordTitle(records.Record{Mother: shownValues("mother_family_name", "Haddad")}))
	for _, c := range []struct {
		name  string
		rec   records.Record
		label string
		want  string
	}{
		{"two newborns of an unstated plurality", records.Record{Children: []records.Values{nil, nil}}, "Newborns", "2 newborns"},
		{"a plurality that contradicts them", records.Record{Care: shownValues("plurality", 1), Children: []records.Values{nil, nil}}, "Newborns", "2 newborns"},
		{"one of two", records.Record{Care: shownValues("plurality", 2), Children: []records.Values{shownValues("child_sex", "male")}}, "Newborns", "1 of 2, boy"},
		{"one sex of two", records.Record{Children: []records.Values{shownValues("child_sex", "male"), nil}}, "Newborns", "2 newborns"},
		{"an unknown sex", records.Record{Children: []records.Values{shownValues("child_sex", "unknown")}}, "Newborns", ""},
		{"stillborn", records.Record{Children: []records.Values{shownValues("live_birth", false)}}, "Newborns", "Stillborn"},
		{"one of two stillborn", records.Record{Children: []records.Values{shownValues("live_birth", false), shownValues("live_birth", true)}}, "Newborns", "2 newborns; 1 stillborn"},
		{"one weight of two", records.Record{Children: []records.Values{shownValues("birth_weight_g", 3000), nil}}, "Weight", "3,000 g · not known | 6 lb 10 oz · not known"},
		{"two methods", records.Record{Children: []records.Values{shownValues("delivery_method", "vaginal_spontaneous"), shownValues("delivery_method", "cesarean")}}, "Birth", "Vaginal, spontaneous · Cesarean"},
		{"one method of two", records.Record{Children: []records.Values{shownValues("delivery_method", "vaginal_vacuum"), nil}}, "Birth", "Vaginal, vacuum · not known"},
		{"weeks without days", records.Record{Children: []records.Values{shownValues("gestational_age_weeks", 39)}}, "Gestation", "39 weeks"},
		{"a day without a time", records.Record{Children: []records.Values{shownValues("birth_date", "2026-03-02")}}, "Born", "Mar 2, 2026"},
		{"one time of two", records.Record{Children: []records.Values{shownValues("birth_datetime", "2026-03-02T16:18:00-05:00"), shownValues("birth_date", "2026-03-02")}}, "Born", "Mar 2, 2026, 4:18 PM · Mar 2, 2026"},
		{"two days", records.Record{Children: []records.Values{shownValues("birth_datetime", "2026-03-02T23:58:00-05:00"), shownValues("birth_datetime", "2026-03-03T00:09:00-05:00")}}, "Born", "Mar 2, 2026, 11:58 PM · Mar 3, 2026, 12:09 AM"},
		{"one day of two", records.Record{Children: []records.Values{shownValues("birth_date", "2026-03-02"), nil}}, "Born", "Mar 2, 2026 · not known"},
		{"nobody named, a role stated", records.Record{Care: shownValues("attendant_type", "midwife")}, "Attended by", "Midwife"},
		{"an unknown place", records.Record{Care: shownValues("birth_setting", "unknown")}, "Place", ""},
	} {
		require.Equal(t, c.want, summarized(c.rec)[c.label], c.name)
	}
}

func TestALabelInsideASentenceKeepsNamesAbbreviationsAndItsLetters(t *testing.T) {
	for label, inside := range map[string]string{
		"Birth weight": "birth weight", "Apgar score at 5 min": "Apgar score at 5 min", "WIC food received": "WIC food received",
		"Übung": "übung", "A": "a", "": "",
	} {
		require.Equal(t, inside, lowerFirst(label))
	}
	require.Equal(t, "Élise", views.UpperFirst("élise"))
}

func TestAMissingFactNamesItsNewborn(t *testing.T) {
	path := birth.Path{List: birth.ChildList, Index: 1, Field: "delivery_method"}
	require.Equal(t, "Method of delivery", missingLabel(path, 1))
	require.Equal(t, "Method of delivery of the second newborn", missingLabel(path, 2))
	require.Equal(t, "Method of delivery of newborn 2 of 8", missingLabel(path, 8))
}

package imports_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/auth"
	"birthregistry/app/fixture"
)

// annsBirth is a spreadsheet with one birth, which is imported before another spreadsheet.
const annsBirth = "chart_number,mother_family_name,mother_given_names,mother_birth_date,birth_datetime,estimated_due_date,child_sex,birth_weight_g\n" +
	"K1,Abel,Ann,1990-01-01,2024-01-05 10:00,2024-01-09,F,3400\n"

func TestARowNeverAmendsTheRecordOfAnotherMotherOrBirth(t *testing.T) {
	const mother, birth = "seems to be another mother's", "seems to be another birth"
	for name, c := range map[string]struct{ columns, row, says string }{
		"another mother in another year":                {"mother_family_name,mother_given_names,mother_birth_date,birth_date", "Zeta,Zoe,1985-05-05,2025-02-02", birth},
		"another mother on the same day":                {"mother_family_name,mother_given_names,mother_birth_date,birth_date", "Zeta,Zoe,1985-05-05,2024-01-05", mother},
		"another mother, with only her name":            {"mother_family_name,mother_given_names", "Zeta,Zoe", mother},
		"another mother, with only her family name":     {"mother_family_name", "Zeta", mother},
		"another name on the same day":                  {"mother_family_name,mother_given_names,birth_date", "Zeta,Zoe,2024-01-05", mother},
		"another mother born on the same day":           {"mother_family_name,mother_given_names,mother_birth_date", "Zeta,Zoe,1990-01-01", mother},
		"another mother with the same given name":       {"mother_family_name,mother_given_names", "Zeta,Ann", mother},
		"another mother with the same family name":      {"mother_family_name,mother_given_names,mother_birth_date,birth_date", "Abel,Bea,1991-02-02,2024-01-05", mother},
		"another mother with the same name":             {"mother_family_name,mother_given_names,mother_birth_date", "Abel,Ann,1985-05-05", mother},
		"another date of birth of the mother":           {"mother_birth_date,birth_date", "1985-05-05,2024-01-05", mother},
		"the mother's next birth":                       {"mother_family_name,mother_given_names,mother_birth_date,birth_date", "Abel,Ann,1990-01-01,2025-08-06", birth},
		"the mother's previous birth":                   {"mother_family_name,mother_given_names,mother_birth_date,birth_date", "Abel,Ann,1990-01-01,2022-08-06", birth},
		"the mother's next pregnancy, by its due date":  {"mother_family_name,mother_given_names,estimated_due_date", "Abel,Ann,2025-08-06", birth},
		"the mother's next pregnancy, by its LMP":       {"mother_family_name,mother_given_names,last_menstrual_period", "Abel,Ann,2024-11-06", birth},
		"a birth in another year":                       {"birth_date", "2025-01-05", birth},
		"a birth on the next day, of nobody knows whom": {"birth_date", "2024-01-06", birth},
		"a birth on the next day, of another mother":    {"mother_family_name,mother_given_names,birth_date", "Zeta,Zoe,2024-01-06", mother},

		"another mother with the same given name on the same day":  {"mother_family_name,mother_given_names,birth_date", "Smith,Ann,2024-01-05", mother},
		"another mother with the same family name on the same day": {"mother_family_name,mother_given_names,birth_date", "Abel,Rosa,2024-01-05", mother},
		"a given name one letter apart of another family":          {"mother_family_name,mother_given_names,birth_date", "Roe,Anna,2024-01-05", mother},
		"a corrected name, born at another time":                   {"mother_family_name,mother_given_names,birth_datetime", "Abell,Ann,2024-01-05 19:40", mother},
		"another time of birth, of nobody knows whom":              {"birth_datetime", "2024-01-05 19:40", birth},
		"a birth of months later, without her date of birth":       {"mother_family_name,mother_given_names,birth_date", "Abel,Ann,2024-05-20", birth},

		"only a weight":                           {"birth_weight_g", "3500", ""},
		"the same birth":                          {"mother_family_name,mother_given_names,mother_birth_date,birth_date", "Abel,Ann,1990-01-01,2024-01-05", ""},
		"the same mother":                         {"mother_family_name,mother_given_names", "ABEL,Ann Marie", ""},
		"the same family name":                    {"mother_family_name", "abel", ""},
		"a time of birth":                         {"birth_datetime", "2024-01-05 10:30", ""},
		"a corrected time of birth":               {"mother_family_name,mother_given_names,birth_datetime", "Abel,Ann,2024-01-06 10:00", ""},
		"a corrected day of birth":                {"mother_birth_date,birth_date", "1990-01-01,2024-01-15", ""},
		"a day of birth that was months off":      {"mother_family_name,mother_given_names,mother_birth_date,birth_date", "Abel,Ann,1990-01-01,2024-05-20", ""},
		"a day of birth that was a week off":      {"mother_family_name,mother_given_names,birth_date", "Abel,Ann,2024-01-12", ""},
		"another time of birth of the mother":     {"mother_family_name,mother_given_names,birth_datetime", "Abel,Ann,2024-01-05 19:40", ""},
		"a corrected date of birth of the mother": {"mother_family_name,mother_given_names,mother_birth_date,birth_date", "Abel,Ann,1991-01-01,2024-01-05", ""},
		"a name after a marriage":                 {"mother_family_name,mother_given_names,mother_birth_date", "Zeta,Ann,1990-01-01", ""},
		"a corrected name":                        {"mother_family_name,mother_given_names,birth_date", "Abell,Ann,2024-01-05", ""},
		"a name that was a stand-in":              {"mother_family_name,mother_given_names,mother_birth_date,birth_date", "Zeta,Zoe,1990-01-01,2024-01-05", ""},
		"a corrected due date":                    {"estimated_due_date", "2024-01-19", ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := fixture.New(t)
			who := b.Person(auth.Provider)
			b.Imported(who, annsBirth)
			i := b.Upload(who, "chart_number,"+c.columns+",apgar_five_minute\nK1,"+c.row+",9\n")
			if c.says == "" {
				require.Empty(t, i.About.Preview.Values)
				require.Equal(t, 1, i.About.Preview.Amends)
				return
			}
			require.Equal(t, 0, i.About.Preview.Amends)
			require.Len(t, i.About.Preview.Values, 1)
			wrong := i.About.Preview.Values[0]
			require.Contains(t, wrong.Text, c.says)
			require.Equal(t, "K1", wrong.Value, "the box is that of the chart number")
			require.Equal(t, called(b, "K1")[0].UUID, wrong.Records[0])
			require.Contains(t, b.ErrorFile(who, i.ID), "chart_number: The record on file with this chart number "+c.says)
		})
	}
}

func TestAVoidedRecordIsNotRestoredAsAnotherMothers(t *testing.T) {
	b := fixture.New(t)
	who := b.Person(auth.Provider)
	b.Imported(who, annsBirth)
	_, err := b.Changes.Void(who, called(b, "K1")[0].UUID, "by mistake", 1)
	require.NoError(t, err)
	i := b.Upload(who, fixture.Head+"K1,Zeta,Zoe,2025-02-02 10:00,3000,cesarean\n"+fixture.Row("K2", "Other", 1, 3000))
	require.Equal(t, "rows 2: new 1, amends 0, revives 0, unchanged 0, errors 1, suspected 0", fixture.Counts(i.About.Preview))
	require.NoError(t, b.Imports.Confirm(t.Context(), who, i.ID, true))
	b.Drain()
	require.Equal(t, 2, called(b, "K1")[0].Version)
	require.Contains(t, b.ErrorFile(who, i.ID), "seems to be another birth", "the import says what the preview says")
}

func TestARecordThatHasBecomeAnotherMothersSinceThePreviewIsNotAmended(t *testing.T) {
	b := fixture.New(t)
	who := b.Person(auth.Provider)
	i := b.Upload(who, fixture.Head+"K1,Zeta,Zoe,2026-03-02 04:18,3000,cesarean\n")
	require.Equal(t, 1, i.About.Preview.New)
	require.NoError(t, b.Imports.Confirm(t.Context(), who, i.ID, true))
	b.Accept(fixture.Course("K0", 3000))
	j := b.Upload(who, annsBirth)
	require.NoError(t, b.Imports.Confirm(t.Context(), who, j.ID, true))
	b.Drain()
	done := again(b, who, j.ID)
	require.Equal(t, 1, done.Result.Errors)
	require.Equal(t, 1, called(b, "K1")[0].Version)
}

func TestConsecutiveRowsWithOneChartNumberAreNoTwinsIfTheirBirthsAreMonthsApart(t *testing.T) {
	b := fixture.New(t)
	who := b.Person(auth.Provider)
	const head = "chart_number,mother_family_name,mother_given_names,birth_date\n"
	i := b.Upload(who, head+"P1,Abel,Ann,2022-01-05\nP1,Abel,Ann,2024-01-06\nP2,Bell,Bea,2024-01-05\nP2,Bell,Bea,2024-01-06\n")
	require.Equal(t, "rows 4: new 1, amends 0, revives 0, unchanged 0, errors 1, suspected 0", fixture.Counts(i.About.Preview))
	require.Equal(t, []int{3}, i.About.Preview.Values[0].Rows)
	require.Contains(t, i.About.Preview.Values[0].Text, "at least 22 weeks from the one in row 2")
}

func TestTwinsInRowsOfDifferentBirthsAreNoted(t *testing.T) {
	b := fixture.New(t)
	const head = "chart_number,mother_family_name,mother_given_names,birth_datetime\n"
	i := b.Upload(b.Person(auth.Provider), head+
		",Lee,Sue,2026-03-02 23:50\n,Lee,Sue,2026-03-03 00:10\n"+
		"T-A,Ray,Liz,2026-03-02 10:00\nT-B,Ray,Liz,2026-03-02 10:10\n"+
		"N1,Ode,Uma,2026-03-02 10:00\nN2,Ode,Uma,2024-03-02 10:10\nN3,Oda,Eva,2024-03-02 10:10\n"+
		"T,Kay,Ida,2026-03-02 10:00\nT,,,2026-03-02 10:10\n")
	notes := i.About.Preview.Notes
	require.Len(t, notes, 2)
	require.Equal(t, []int{3, 5}, []int{notes[0].Row, notes[1].Row})
	require.Contains(t, notes[0].Text, "Row 2 has the same mother and date")
	require.Equal(t, 1, notes[0].At)
}

func TestAnAttendantWhoMayBeSeveralPeopleIsNotedOnce(t *testing.T) {
	b := fixture.New(t)
	i := b.Upload(b.Person(auth.Provider), "chart_number,mother_family_name,birth_date,attendant_name\n"+
		"1,Lee,2026-03-02,Jane Rivers\n2,Ray,2026-03-02,Jane / Sue\n3,Ode,2026-03-02,Jane / Sue\n4,Kay,2026-03-02,Jane and Sue\n")
	require.Len(t, i.About.Preview.Notes, 2)
	require.Equal(t, []int{3, 5}, []int{i.About.Preview.Notes[0].Row, i.About.Preview.Notes[1].Row})
	require.Contains(t, i.About.Preview.Notes[0].Text, "one provider")
	require.Equal(t, 4, i.About.Preview.New, "they are imported nevertheless")
}

package stats_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
	"birthregistry/app/stats"
)

// tally counts one course for one measure, in the same way as a record.
func tally(id string, change func(d *birth.Draft)) stats.Tally {
	d := birth.Draft{Children: make([]birth.Values, 1)}
	state(&d.Children[0], "birth_date", birth.Value{Text: "2026-03-02"})
	state(&d.Children[0], "delivery_method", birth.Value{Text: "vaginal_spontaneous"})
	change(&d)
	facts := birth.Mask(d).Facts()
	m, _ := stats.ParseMonth("2026-03")
	r := stats.NewReport(stats.Period{First: m, Last: m})
	r.Add(facts.BirthMonth, facts.Attendant, facts.Outcome)
	t := r.Total.Tally(stats.Lookup(id))
	return t
}

func state(v *birth.Values, field string, value birth.Value) { v.Set(birth.Must(field), value) }

func TestBoundaries(t *testing.T) {
	number := func(field string, n float64) func(*birth.Draft) {
		return func(d *birth.Draft) {
			if birth.Must(field).About == birth.Child {
				state(&d.Children[0], field, birth.Value{Number: n})
				return
			}
			state(&d.Mother, field, birth.Value{Number: n})
		}
	}
	gestation := func(weeks, days float64) func(*birth.Draft) {
		return func(d *birth.Draft) {
			number("gestational_age_weeks", weeks)(d)
			number("gestational_age_days", days)(d)
		}
	}
	stillborn := func(weeks, days float64) func(*birth.Draft) {
		return func(d *birth.Draft) {
			gestation(weeks, days)(d)
			state(&d.Children[0], "live_birth", birth.Value{})
		}
	}
	all := func(changes ...func(*birth.Draft)) func(*birth.Draft) {
		return func(d *birth.Draft) {
			for _, change := range changes {
				change(d)
			}
		}
	}
	answer := func(field string, yes bool) func(*birth.Draft) {
		return func(d *birth.Draft) { state(&d.Children[0], field, birth.Value{Flag: yes}) }
	}
	code := func(field, code string) func(*birth.Draft) {
		return func(d *birth.Draft) { state(&d.Children[0], field, birth.Value{Text: code, Set: []string{code}}) }
	}
	for _, c := range []struct {
		measure, name string
		change        func(*birth.Draft)
		yes, known    int
	}{
		{"preterm", "36 weeks 6 days", gestation(36, 6), 1, 1},
		{"preterm", "37 weeks 0 days", gestation(37, 0), 0, 1},
		{"preterm_early", "33 weeks 6 days", gestation(33, 6), 1, 1},
		{"preterm_early", "34 weeks 0 days", gestation(34, 0), 0, 1},
		{"lbw", "2499 g", number("birth_weight_g", 2499), 1, 1},
		{"lbw", "2500 g", number("birth_weight_g", 2500), 0, 1},
		{"macrosomia", "3999 g", number("birth_weight_g", 3999), 0, 1},
		{"macrosomia", "4000 g", number("birth_weight_g", 4000), 1, 1},
		{"apgar5_lt7", "Apgar 6", number("apgar_five_minute", 6), 1, 1},
		{"apgar5_lt7", "Apgar 7", number("apgar_five_minute", 7), 0, 1},
		{"apgar5_lt7", "Apgar 0", number("apgar_five_minute", 0), 1, 1},
		{"apgar5_lt7", "not scored", func(*birth.Draft) {}, 0, 0},
		{"pph_1000", "999 mL", number("blood_loss_ml", 999), 0, 1},
		{"pph_1000", "1000 mL", number("blood_loss_ml", 1000), 1, 1},
		{"pph_500v", "499 mL", number("blood_loss_ml", 499), 0, 1},
		{"pph_500v", "500 mL", number("blood_loss_ml", 500), 1, 1},
		{"dcc", "59 seconds", number("cord_clamping_seconds", 59), 0, 1},
		{"dcc", "60 seconds", number("cord_clamping_seconds", 60), 1, 1},
		{"fetal_20", "19 weeks 6 days", stillborn(19, 6), 0, 0},
		{"fetal_20", "20 weeks 0 days", stillborn(20, 0), 1, 1},
		{"fetal_20", "died in labor", all(gestation(30, 0), code("perinatal_death", "intrapartum")), 1, 1},
		{"fetal_20", "the time of a fetal death", all(gestation(30, 0), code("fetal_death_time_point", "before_labor")), 1, 1},
		{"fetal_20", "died before labor, and living", all(code("perinatal_death", "antepartum"), answer("infant_living", true)), 0, 0},
		{"preterm", "died before labor", all(gestation(30, 0), code("perinatal_death", "antepartum")), 0, 0},
		{"apgar5_lt7", "died before labor", all(number("apgar_five_minute", 0), code("perinatal_death", "antepartum")), 0, 0},
		{"infant_death", "died after the birth", code("perinatal_death", "neonatal"), 1, 1},
		{"infant_death", "an age at death", number("age_at_death_hours", 3), 1, 1},
		{"infant_death", "born alive, and died by six weeks", all(answer("live_birth", true), code("newborn_six_weeks", "died")), 1, 1},
		{"infant_death", "born alive, not living", all(answer("live_birth", true), answer("infant_living", false)), 1, 1},
		{"infant_death", "not living, perhaps stillborn", answer("infant_living", false), 0, 0},
		{"infant_death", "died after the birth, and living", all(code("perinatal_death", "neonatal"), answer("infant_living", true)), 0, 0},
		{"bf_init", "started", answer("breastfeeding_initiated", true), 1, 1},
		{"bf_init", "started, and over at discharge", all(answer("breastfeeding_initiated", true), answer("breastfed_at_discharge", false)), 1, 1},
		{"bf_init", "at discharge", answer("breastfed_at_discharge", true), 1, 1},
		{"bf_init", "not at discharge", answer("breastfed_at_discharge", false), 0, 1},
		{"bf_init", "not started, but at discharge", all(answer("breastfeeding_initiated", false), answer("breastfed_at_discharge", true)), 0, 0},
		{"bf_init", "died after the birth", all(code("perinatal_death", "neonatal"), answer("breastfeeding_initiated", false)), 0, 0},
		{"nicu", "two days", number("nicu_days", 2), 1, 1},
		{"nicu", "no day", number("nicu_days", 0), 0, 1},
		{"nicu", "two days, not admitted", all(number("nicu_days", 2), code("newborn_conditions", "none")), 0, 0},
	} {
		got := tally(c.measure, c.change)
		require.Equal(t, [2]int{c.yes, c.known}, [2]int{got.Yes, got.Known}, "%s: %s", c.measure, c.name)
		require.Equal(t, 1, got.Base)
	}
	missing := tally("apgar5_lt7", func(*birth.Draft) {})
	require.Equal(t, 1, missing.Missing, "what is not known is not no")
}

func TestTwinsAreOneBirthAndTwoNewbornsAndOneCesareanMakesItACesareanBirth(t *testing.T) {
	twins := func(d *birth.Draft) {
		second := birth.Values{}
		state(&second, "delivery_method", birth.Value{Text: "cesarean"})
		state(&second, "birth_weight_g", birth.Value{Number: 2400})
		state(&d.Children[0], "birth_weight_g", birth.Value{Number: 2600})
		d.Children = append(d.Children, second)
	}
	require.Equal(t, stats.Tally{Yes: 1, Known: 1, Base: 1}, tally("cesarean", twins))
	require.Equal(t, stats.Tally{Known: 1, Base: 1}, tally("svb", twins))
	require.Equal(t, stats.Tally{Yes: 1, Known: 2, Base: 2}, tally("lbw", twins))
	require.Equal(t, stats.Tally{Base: 2}, tally("lbw_term", twins), "single ones only")
}

func TestABirthLateOnNewYearsEveCountsInTheOldYearWhateverUTCSays(t *testing.T) {
	d := birth.Draft{Children: make([]birth.Values, 1)}
	state(&d.Children[0], "birth_date", birth.Value{Text: "2025-12-31"})
	state(&d.Children[0], "birth_datetime", birth.Value{Text: "2025-12-31T23:30:00-06:00"})
	require.Equal(t, "2025-12", birth.Mask(d).Facts().BirthMonth)

	chicago, err := time.LoadLocation("America/Chicago")
	require.NoError(t, err)
	newYear := time.Date(2026, 1, 1, 3, 0, 0, 0, time.UTC) // the evening before in Chicago
	require.Equal(t, "Dec 2024 to Nov 2025", stats.LastYear(newYear.In(chicago)).Label())
	require.Equal(t, "2025", stats.LastYear(newYear).Label())
}

func TestMonthsAreReadAndWritten(t *testing.T) {
	for _, wrong := range []string{"", "2026", "2026-13", "2026-00", "2026-1", "0000-01", "2026-03-02", "x"} {
		_, ok := stats.ParseMonth(wrong)
		require.False(t, ok, wrong)
	}
	p := stats.Period{First: month(t, "2026-03"), Last: month(t, "2026-03")}
	require.Equal(t, "Mar 2026", p.Label())
	require.Equal(t, 60, p.Trend().Months())
}

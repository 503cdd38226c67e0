package bundle

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFetalDeathReportsAreReadFromTheirObservations(t *testing.T) {
	for _, c := range []struct {
		code  string
		value m
		field string
		want  string
	}{
		{"68500-8", m{"valueDateTime": "2015-05"}, "last_other_outcome_date", `"2015-05"`},
		{"73773-4", m{"valueInteger": 2}, "live_births_this_delivery", "2"},
		{"73772-6", m{"valueInteger": 0}, "fetal_deaths_this_delivery", "0"},
		{"73814-6", coded("240278000"), "obstetric_procedures", `["version"]`},
		{"73814-6", coded("260413007"), "obstetric_procedures", `["none"]`},
		{"73814-6", coded("UNK"), "obstetric_procedures", ""},
		{"obstetric_procedures", coded("version_failed"), "obstetric_procedures", `["version_failed"]`},
		{"73811-2", coded("434631000124100"), "fetal_death_time_point", `"in_labor_after_assessment"`},
		{"73811-2", coded("434671000124102"), "fetal_death_time_point", `"in_labor_before_assessment"`},
		{"73811-2", coded("434681000124104"), "fetal_death_time_point", `"before_labor"`},
		{"73811-2", coded("UNK"), "fetal_death_time_point", ""},
		{"85699-7", coded("398166005"), "autopsy", `"performed"`},
		{"85699-7", coded("Y"), "autopsy", `"performed"`},
		{"73768-4", coded("397943006"), "autopsy", `"planned"`},
		{"73768-4", m{"valueBoolean": false}, "autopsy", `"not_performed"`},
		{"73767-6", coded("262008008"), "placental_histology", `"not_performed"`},
		{"74498-7", coded("N"), "autopsy_histology_used", "false"},
		{"74498-7", m{"valueBoolean": true}, "autopsy_histology_used", "true"},
	} {
		d := masked(t, bundle(mother(), patient("fetus", fetusProfile), obs(c.code, c.value)))
		require.Equal(t, c.want, stated(d, c.field), "%s %s", c.code, text(t, c.value))
	}
}

package bundle

import (
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
)

// Decision 47: a wrong value is worse than none. If one of two times must be wrong and nothing
// shows which, neither is kept.
func TestImpossibleTimesOfLaborAreLeftOut(t *testing.T) {
	at := func(field, clock string) m {
		return obs(field, m{"valueDateTime": "2018-05-18T" + clock + ":00-07:00"})
	}
	born := func(clock string) m {
		return child(m{"birthDate": "2018-05-18", "_birthDate": extended(extension(birthTime, m{"valueDateTime": "2018-05-18T" + clock + ":00-07:00"}))})
	}
	for _, c := range []struct {
		why         string
		stated      []m
		field, want string
	}{
		{"pushing after the birth", []m{at("pushing_datetime", "13:01")}, "pushing_datetime", ""},
		{"pushing before the birth", []m{at("pushing_datetime", "12:59")}, "pushing_datetime", `"2018-05-18T12:59:00-07:00"`},
		{"the placenta before the birth", []m{at("placenta_datetime", "12:59")}, "placenta_datetime", ""},
		{"the placenta after the birth", []m{at("placenta_datetime", "13:20")}, "placenta_datetime", `"2018-05-18T13:20:00-07:00"`},
		{
			"full dilation before active labor",
			[]m{at("active_labor_datetime", "11:00"), at("full_dilation_datetime", "10:00")},
			"full_dilation_datetime", "",
		},
		{
			"active labor after full dilation",
			[]m{at("active_labor_datetime", "11:00"), at("full_dilation_datetime", "10:00")},
			"active_labor_datetime", "",
		},
		{
			"pushing before full dilation, which happens",
			[]m{at("pushing_datetime", "10:00"), at("full_dilation_datetime", "11:00")},
			"pushing_datetime", `"2018-05-18T10:00:00-07:00"`,
		},
	} {
		d := masked(t, bundle(append([]m{mother(), born("13:00")}, c.stated...)...))
		require.Equal(t, c.want, stated(d, c.field), c.why)
	}
}

// The causes of a fetal death are Conditions of BFDR, and spec.md doesn't list Conditions
// among the resources that are read.
func TestTheCauseOfAFetalDeathIsReadFromItsConditionOnlyUnderBFDR(t *testing.T) {
	condition := m{
		"resourceType": "Condition", "subject": m{"reference": "Patient/child"},
		"category": l{codingOf("http://loinc.org", "76060-3")}, "code": codingOf("http://snomed.info/sct", "237292005"),
	}
	require.Equal(t, `"placental_insufficiency"`, stated(wideCourse(t, condition), "fetal_death_cause"))
	require.Empty(t, stated(wideCourse(t, condition), "fetal_death_other_causes"))
	require.Empty(t, stated(courseOf(t, condition), "fetal_death_cause"))
	other := condition.With(m{"category": l{codingOf("http://loinc.org", "76061-1")}})
	require.Equal(t, `["placental_insufficiency"]`, stated(wideCourse(t, other), "fetal_death_other_causes"))
}

func TestTheMainReasonOfATransferIsReadOnlyFromTheServicesOwnCodes(t *testing.T) {
	for _, c := range []struct {
		why    string
		coding l
		want   string
	}{
		{"of our system", l{m{"system": birth.OwnSystem, "code": "slow_progress"}}, "slow_progress"},
		{"of another system", l{m{"system": "http://snomed.info/sct", "code": "slow_progress"}}, ""},
		{"unknown", l{m{"system": birth.OwnSystem, "code": "no_such_reason"}}, ""},
		{"two of them", l{m{"system": birth.OwnSystem, "code": "slow_progress"}, m{"system": birth.OwnSystem, "code": "bleeding"}}, ""},
	} {
		d := masked(t, bundle(mother(), child(), encounter(m{
			"type": l{m{"text": "Intrapartum transfer"}}, "reasonCode": l{m{"coding": c.coding, "text": "as told"}},
		})))
		require.Len(t, d.Transfers, 1)
		require.Equal(t, c.want, d.Transfers[0].ReasonCode, c.why)
		require.Equal(t, "as told", d.Transfers[0].Reason)
	}
}

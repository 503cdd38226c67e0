package bundle

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheNewestEffectiveTimeWinsAndEntryOrderOnlyBreaksTies(t *testing.T) {
	at := func(n int, more ...m) m { return obs("9274-2", append([]m{integer(n)}, more...)...) }
	when := func(time any) m { return m{"effectiveDateTime": time} }
	for _, c := range []struct {
		name     string
		one, two m
		want     [2]string // in this order, and in the opposite one
	}{
		{"the newer day", at(5, when("2026-03-02")), at(9, when("2026-03-03")), [2]string{"9", "9"}},
		{"the newer minute", at(5, when("2026-03-02T04:18:00-05:00")), at(9, when("2026-03-02T04:23:00-05:00")), [2]string{"9", "9"}},
		{"by the instant, not by its letters", at(5, when("2026-03-02T04:18:00-05:00")), at(9, when("2026-03-02T09:17:00Z")), [2]string{"5", "5"}},
		{"the newer end of a period", at(5, m{"effectivePeriod": m{"end": "2026-03-02"}}), at(9, m{"effectivePeriod": m{"start": "2026-03-03"}}), [2]string{"9", "9"}},
		{"an instant", at(5, when("2026-03-02")), at(9, m{"effectiveInstant": "2026-03-03T15:00:00Z"}), [2]string{"9", "9"}},
		{"an instant that may be of the same day", at(5, when("2026-03-02")), at(9, m{"effectiveInstant": "2026-03-03T03:00:00Z"}), [2]string{"5", "9"}},
		{"a month that may be either", at(5, when("2026-03")), at(9, when("2026-03-03")), [2]string{"5", "9"}},
		{"a month before", at(5, when("2026-02")), at(9, when("2026-03-03")), [2]string{"9", "9"}},
		{"no time at all", at(5), at(9, when("2026-03-03")), [2]string{"5", "9"}},
		{"a time that is none", at(5, when("yesterday")), at(9, when("2026-03-03")), [2]string{"5", "9"}},
		{"a time of another JSON type", at(5, when(20260304)), at(9, when("2026-03-03")), [2]string{"5", "9"}},
		{"a year that registries write for none", at(5, when("9999-09-09")), at(9, when("2026-03-03")), [2]string{"5", "9"}},
		{"the same time", at(5, when("2026-03-03")), at(9, when("2026-03-03")), [2]string{"5", "9"}},
		{"the same time, a correction", at(5, when("2026-03-03")), at(9, when("2026-03-03"), m{"status": "corrected"}), [2]string{"9", "9"}},
		{"no time, an amendment", at(5), at(9, m{"status": "amended"}), [2]string{"9", "9"}},
		{"a correction of an older one", at(5, when("2026-03-02"), m{"status": "corrected"}), at(9, when("2026-03-03")), [2]string{"9", "9"}},
		{"the same time, issued later", at(5, m{"issued": "2026-03-03T10:00:00Z"}), at(9, m{"issued": "2026-03-03T11:00:00Z"}), [2]string{"9", "9"}},
		{"what is final before what is newer", at(5, when("2026-03-04"), m{"status": "preliminary"}), at(9, when("2026-03-03")), [2]string{"9", "9"}},
		{"a value that is usable before a newer one that is not", at(9, when("2026-03-02")), at(99, when("2026-03-03")), [2]string{"9", "9"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want[0], stated(courseOf(t, c.one, c.two), "apgar_five_minute"))
			require.Equal(t, c.want[1], stated(courseOf(t, c.two, c.one), "apgar_five_minute"))
		})
	}
}

func TestANewerFindingDoesNotUndoAnother(t *testing.T) {
	old, now := m{"effectiveDateTime": "2025-11-02"}, m{"effectiveDateTime": "2026-03-02"}
	for _, order := range [][]m{
		{obs("73775-9", coded("11687002"), old), obs("73775-9", coded("260413007"), now)},
		{obs("73775-9", coded("260413007"), now), obs("73775-9", coded("11687002"), old)},
	} {
		require.Equal(t, `["diabetes_gestational"]`, stated(courseOf(t, order...), "risk_factors"))
	}
	for _, order := range [][]m{
		{obs("73813-8", coded("11612004"), old), obs("73813-8", coded("260413007"), now)},
		{obs("73813-8", coded("260413007"), now), obs("73813-8", coded("11612004"), old)},
	} {
		require.Equal(t, "true", stated(courseOf(t, order...), "chorioamnionitis"))
	}
}

func TestTheDaysGoWithTheWeeksThatTheyWereStatedWith(t *testing.T) {
	early, late := m{"effectiveDateTime": "2026-03-02"}, m{"effectiveDateTime": "2026-03-03"}
	d := courseOf(t, obs("11884-4", quantity(277, "d"), early), obs("11884-4", quantity(38, "wk"), late))
	require.Equal(t, [2]string{"38", ""}, [2]string{stated(d, "gestational_age_weeks"), stated(d, "gestational_age_days")})
}

func TestAnObservationWithAnUnclearStatusIsNotRead(t *testing.T) {
	for _, more := range []m{
		{"status": "entered-in-error"},
		{"status": "cancelled"},
		{"status": "Cancelled"},
		{"status": "withdrawn"},
		{"status": 5},
		{"status": l{}},
		{"modifierExtension": l{m{"url": "http://x/not"}}},
		{"modifierExtension": "x"},
	} {
		require.Empty(t, stated(courseOf(t, obs("9274-2", integer(9), more)), "apgar_five_minute"), text(t, more))
	}
	for _, status := range []any{"final", "amended", "corrected", "preliminary", "registered", "unknown", "FINAL", nil} {
		require.Equal(t, "9", stated(courseOf(t, obs("9274-2", integer(9), m{"status": status})), "apgar_five_minute"), status)
	}
}

func TestACodingOfAnotherSystemIsNotRead(t *testing.T) {
	question := func(system, code string) m {
		return obs("x", m{"code": m{"coding": l{m{"system": system, "code": code}}}})
	}
	for _, c := range []struct {
		code, field string
		value       m
		systems     map[string]bool
	}{
		{"9274-2", "apgar_five_minute", integer(9), map[string]bool{
			"http://loinc.org": true, "": true, "urn:laboratory": false, "http://snomed.info/sct": false, "urn:birthregistry:spine": false,
		}},
		{"apgar_five_minute", "apgar_five_minute", integer(9), map[string]bool{
			"urn:birthregistry:spine": true, "": true, "http://loinc.org": false, "urn:laboratory": false,
		}},
		{raceCode, "mother_race", asked("White", true), map[string]bool{
			"http://hl7.org/fhir/us/vr-common-library/CodeSystem/CodeSystem-local-observation-codes-vr": true, "": true,
			"http://loinc.org": false, "urn:laboratory": false,
		}},
	} {
		for system, own := range c.systems {
			d := courseOf(t, question(system, c.code).With(c.value, m{"code": question(system, c.code)["code"]}))
			require.Equal(t, own, stated(d, c.field) != "", "%s %s", system, c.code)
		}
	}
	answer := func(system, code string) m {
		return m{"valueCodeableConcept": m{"coding": l{m{"system": system, "code": code}}}}
	}
	for _, c := range []struct{ question, field, answer, system string }{
		{"73761-9", "fetal_presentation", "6096002", "http://snomed.info/sct"},
		{"73761-9", "fetal_presentation", "OTH", "http://terminology.hl7.org/CodeSystem/v3-NullFlavor"},
		{"73761-9", "fetal_presentation", "breech", "urn:birthregistry:spine"},
		{"87303-4", "wic_received", "Y", "http://terminology.hl7.org/CodeSystem/v2-0136"},
		{"73775-9", "previous_preterm_birth", "161765003", "http://snomed.info/sct"},
		{"73812-0", "newborn_conditions", "assistedventfollowingdelivery", "http://hl7.org/fhir/us/bfdr/CodeSystem/CodeSystem-local-bfdr-codes"},
	} {
		require.NotEmpty(t, stated(courseOf(t, obs(c.question, answer(c.system, c.answer))), c.field), c.answer)
		require.NotEmpty(t, stated(courseOf(t, obs(c.question, answer("", c.answer))), c.field), c.answer)
		for _, another := range []string{"urn:laboratory", "http://loinc.org", "http://hl7.org/fhir/sid/icd-10-cm"} {
			require.Empty(t, stated(courseOf(t, obs(c.question, answer(another, c.answer))), c.field), "%s of %s", c.answer, another)
		}
	}
	both := m{"valueCodeableConcept": concept("70028003", "6096002")}
	require.Empty(t, stated(courseOf(t, obs("73761-9", both)), "fetal_presentation"), "codings that mean two things mean none")
	require.Empty(t, stated(courseOf(t, obs("87303-4", m{"valueCodeableConcept": concept("Y", "N")})), "wic_received"))
}

package bundle

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func integer(n any) m { return m{"valueInteger": n} }

func TestAWithdrawnObservationStatesNothing(t *testing.T) {
	for _, status := range []string{"entered-in-error", "cancelled"} {
		require.Empty(t, stated(courseOf(t, obs("9274-2", integer(9), m{"status": status})), "apgar_five_minute"))
	}
	for _, status := range []any{"final", "amended", "preliminary", "", nil} {
		require.Equal(t, "9", stated(courseOf(t, obs("9274-2", integer(9), m{"status": status})), "apgar_five_minute"))
	}
}

func TestAbsentValuesAreNull(t *testing.T) {
	for name, value := range map[string]m{
		"no value":                        {},
		"dataAbsentReason":                integer(9).With(m{"dataAbsentReason": concept("unknown")}),
		"data-absent-reason of the value": {"_valueInteger": extended(extension(absent, m{"valueCode": "unknown"}))},
		"of the number of a quantity":     {"valueQuantity": m{"value": 0, "_value": extended(extension(absent, m{"valueCode": "unknown"})), "code": "{score}"}},
		"of a code":                       {"valueCodeableConcept": m{"coding": l{m{"code": "9", "_code": extended(extension(absent, m{"valueCode": "unknown"}))}}}},
		"a null flavor":                   coded("UNK"),
		"-1":                              integer(-1),
		"-1 as a text":                    integer("-1"),
		"an empty text":                   {"valueString": ""},
		"blanks":                          {"valueString": "  "},
		"a quantity without a value":      {"valueQuantity": m{"unit": "{score}", "code": "{score}"}},
		"a quantity of -1":                quantity(-1, "{score}"),
		"an empty quantity":               {"valueQuantity": m{}},
		"an empty concept":                {"valueCodeableConcept": m{}},
		"null":                            {"valueInteger": nil, "valueQuantity": nil, "valueCodeableConcept": nil},
	} {
		require.Empty(t, stated(courseOf(t, obs("9274-2", value)), "apgar_five_minute"), name)
	}
	for code, field := range map[string]string{
		"87303-4": "wic_received", "73761-9": "fetal_presentation", "57712-2": "mother_education", "69044-6": "prenatal_first_visit_date",
		"73762-7": "delivery_method",
	} {
		for _, flavor := range []string{"UNK", "ASKU", "NI", "NA", "MSK", "NASK", "PREFUS", ""} {
			require.Empty(t, stated(courseOf(t, obs(code, coded(flavor))), field), "%s %s", code, flavor)
		}
	}
}

func TestNumbersAreReadLenientlyButCountsMustBeWhole(t *testing.T) {
	for _, c := range []struct {
		name  string
		value m
		want  string
	}{
		{"an integer", integer(9), "9"},
		{"a decimal that is whole", quantity(9.0, "{score}"), "9"},
		{"a text", integer("9"), "9"},
		{"a text in a quantity", quantity(" 9 ", "{score}"), "9"},
		{"valueString", m{"valueString": "9"}, "9"},
		{"a quantity with the unit alone", m{"valueQuantity": m{"value": 9, "unit": "{score}"}}, "9"},
		{"a quantity with any annotation", quantity(9, "{points}"), "9"},
		{"a quantity of 1", quantity(9, "1"), "9"},
		{"a quantity without a unit", m{"valueQuantity": m{"value": 9}}, "9"},
		{"half a point", quantity(8.5, "{score}"), ""},
		{"half a point of 1", quantity(8.5, "1"), ""},
		{"out of range", integer(11), ""},
		{"a comparator", m{"valueQuantity": m{"value": 9, "comparator": "<", "code": "{score}"}}, ""},
		{"another unit", quantity(9, "g"), ""},
		{"hexadecimal", m{"valueString": "0x9"}, ""},
		{"not a number", m{"valueString": "NaN"}, ""},
		{"infinite", m{"valueString": "Inf"}, ""},
		{"too large for a number", m{"valueString": "1e999"}, ""},
		{"a number with words", m{"valueString": "9 points"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, stated(courseOf(t, obs("9274-2", c.value)), "apgar_five_minute"))
		})
	}
}

func TestTheFirstUsableValueUnderTheBestCodeIsKept(t *testing.T) {
	for _, c := range []struct {
		name string
		of   []m
		want string
	}{
		{"the first of a code", []m{obs("9274-2", integer(8)), obs("9274-2", integer(9))}, "8"},
		{"one that is not usable gives way", []m{obs("9274-2", integer(88)), obs("9274-2"), obs("9274-2", integer(9))}, "9"},
		{"the field's own name before LOINC", []m{obs("9274-2", integer(8)), obs("apgar_five_minute", integer(9))}, "9"},
		{"whatever the order", []m{obs("apgar_five_minute", integer(9)), obs("9274-2", integer(8))}, "9"},
		{"the coding that is known", []m{obs("x", m{"code": concept("x", "9274-2")}, integer(8))}, "8"},
		{"codings that name two facts name none", []m{obs("x", m{"code": concept("x", "9274-2", "9272-6")}, integer(8))}, ""},
		{"a name of ours next to another's, too", []m{obs("x", m{"code": concept("9274-2", "apgar_one_minute")}, integer(8))}, ""},
		{"a coding and the name of the same", []m{obs("x", m{"code": concept("9274-2", "apgar_five_minute")}, integer(8))}, "8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, stated(courseOf(t, c.of...), "apgar_five_minute"))
		})
	}
	d := courseOf(t, obs("x", m{"code": concept("9274-2", "9272-6")}, integer(8)))
	require.Empty(t, stated(d, "apgar_one_minute"), "codings of one code say the same")
	counted := obs("68497-7", integer(3))
	for _, order := range [][]m{{counted, obs("73775-9", coded("200144004"))}, {obs("73775-9", coded("200144004")), counted}} {
		require.Equal(t, "3", stated(courseOf(t, order...), "previous_cesareans"), "the number is better than at least one")
	}
}

func TestFindingsOfACategoryAccumulate(t *testing.T) {
	d := courseOf(t,
		obs("73775-9", coded("11687002")), obs("73775-9", coded("161765003")), obs("73775-9", coded("15938005")),
		obs("73775-9", coded("11687002")), obs("73775-9", coded("OTH")), obs("73775-9", integer(4)), obs("73775-9", m{"valueBoolean": true}),
	)
	require.JSONEq(t, `["diabetes_gestational", "eclampsia"]`, stated(d, "risk_factors"))
	require.Equal(t, "true", stated(d, "previous_preterm_birth"))
	require.Empty(t, stated(d, "previous_cesareans"), "another finding, or a number, says nothing about cesareans")
}

func TestNoneMeansNoToEveryItemOfItsCategoryUnlessAFindingIsStated(t *testing.T) {
	none := obs("73775-9", coded("260413007"))
	d := courseOf(t, none)
	require.JSONEq(t, `["none"]`, stated(d, "risk_factors"))
	require.Equal(t, "false", stated(d, "previous_preterm_birth"))
	require.Equal(t, "0", stated(d, "previous_cesareans"))
	require.Empty(t, stated(d, "labor_augmented"), "another category is not stated")

	preterm, cesarean := obs("73775-9", coded("161765003")), obs("73775-9", coded("200144004"))
	for _, order := range [][]m{{none, preterm, cesarean}, {preterm, cesarean, none}, {preterm, none, cesarean}} {
		d = courseOf(t, order...)
		require.Equal(t, "true", stated(d, "previous_preterm_birth"), "a finding next to none stands")
		require.Equal(t, "1", stated(d, "previous_cesareans"))
	}
	d = courseOf(t, obs("73813-8", coded("260413007")))
	for _, field := range []string{"labor_augmented", "antibiotics_in_labor", "steroids_lung_maturation", "chorioamnionitis"} {
		require.Equal(t, "false", stated(d, field))
	}
	require.Empty(t, stated(d, "labor_onset_type"), "none of the traits does not say how labor began")
	require.Empty(t, stated(courseOf(t, obs("73781-7", coded("260413007"))), "perineum"), "nor that the perineum is intact")
}

func TestThePreviousCesareanRiskFactorMeansAtLeastOnePreviousCesarean(t *testing.T) {
	finding := obs("73775-9", coded("200144004"))
	for _, c := range []struct{ counted, want string }{{"0", "1"}, {"3", "3"}} {
		number := obs("68497-7", integer(c.counted))
		require.Equal(t, c.want, stated(courseOf(t, finding, number), "previous_cesareans"))
		require.Equal(t, c.want, stated(courseOf(t, number, finding), "previous_cesareans"))
	}
}

func TestUnknownValuesGiveWayToKnownOnes(t *testing.T) {
	unknown, vaginal, cesarean := obs("73762-7", coded("261665006")), obs("73762-7", coded("700000006")), obs("73762-7", coded("11466000"))
	own := obs("delivery_method", coded("unknown"))
	for _, order := range [][]m{{unknown, vaginal, cesarean}, {vaginal, unknown, cesarean}, {own, unknown, vaginal}, {vaginal, own}} {
		require.Equal(t, `"vaginal_spontaneous"`, stated(courseOf(t, order...), "delivery_method"))
	}
	require.Equal(t, `"unknown"`, stated(courseOf(t, unknown, own), "delivery_method"))
}

func TestTheWorstTearIsKept(t *testing.T) {
	say := func(codes ...string) (all []m) {
		for _, code := range codes {
			all = append(all, obs("73781-7", coded(code)))
		}
		return all
	}
	const episiotomy, first, second, third, fourth, severe = "85548006", "57759005", "6234006", "10217006", "399031001", "398019008"
	for want, order := range map[string][]m{
		`"second"`: say(episiotomy, first, second), `"third"`: say(severe, third, second), `"fourth"`: say(fourth, severe, third, episiotomy),
		`"third_or_fourth"`: append(say(severe, second), obs("perineum", coded("episiotomy"))), `"episiotomy"`: say(episiotomy),
		`"first"`: append(say(first), obs("perineum", coded("intact"))),
	} {
		require.Equal(t, want, stated(courseOf(t, order...), "perineum"))
		slices.Reverse(order)
		require.Equal(t, want, stated(courseOf(t, order...), "perineum"), "whatever the order")
	}
}

func TestFinalObservationsComeBeforeOthers(t *testing.T) {
	for _, early := range []string{"preliminary", "registered", "unknown", "Preliminary"} {
		for _, late := range []any{"final", "amended", "corrected", nil} {
			before, after := obs("9274-2", integer(5), m{"status": early}), obs("9274-2", integer(9), m{"status": late})
			require.Equal(t, "9", stated(courseOf(t, before, after), "apgar_five_minute"))
			require.Equal(t, "9", stated(courseOf(t, after, before), "apgar_five_minute"))
		}
		own := obs("apgar_five_minute", integer(5), m{"status": early})
		require.Equal(t, "9", stated(courseOf(t, own, obs("9274-2", integer(9))), "apgar_five_minute"), "a better code of the field, too")
		require.Equal(t, "5", stated(courseOf(t, own), "apgar_five_minute"), "alone it stands")
		d := courseOf(t, obs("73775-9", coded("11687002"), m{"status": early}), obs("73775-9", coded("15938005")))
		require.JSONEq(t, `["eclampsia"]`, stated(d, "risk_factors"), "a finding, too")
		d = courseOf(t, obs("73775-9", coded("11687002"), m{"status": early}), obs("73775-9", coded("15938005"), m{"status": early}))
		require.JSONEq(t, `["diabetes_gestational", "eclampsia"]`, stated(d, "risk_factors"), "of one standing they accumulate")
		tear := obs("73781-7", coded("399031001"), m{"status": early})
		require.Equal(t, `"second"`, stated(courseOf(t, tear, obs("73781-7", coded("6234006"))), "perineum"))
	}
}

func TestAnAnomalyOffTheListIsOther(t *testing.T) {
	d := courseOf(t, obs("73780-9", coded("OTH")), obs("73780-9", coded("80281008")))
	require.JSONEq(t, `["cleft_lip", "other"]`, stated(d, "congenital_anomalies"))
}

func TestAnInductionStatesHowLaborBegan(t *testing.T) {
	d := courseOf(t, obs("73813-8", coded("177135005")), obs("73813-8", coded("408818004")), obs("73813-8", coded("236958009")))
	require.Equal(t, `"induced"`, stated(d, "labor_onset_type"))
	require.JSONEq(t, `["oxytocin", "amniotomy"]`, stated(d, "induction_agents"))
	require.Empty(t, stated(courseOf(t, obs("73813-8", coded("7824"))), "induction_agents"), "a drug does not say what it was given for")
}

func TestAnEmergencyCesareanIsACesarean(t *testing.T) {
	for code, want := range map[string][2]string{
		"274130007": {`"cesarean"`, "true"}, "177141003": {`"cesarean"`, "false"}, "11466000": {`"cesarean"`, ""},
		"700000006": {`"vaginal_spontaneous"`, ""}, "261665006": {`"unknown"`, ""},
	} {
		d := courseOf(t, obs("73762-7", coded(code)))
		require.Equal(t, want, [2]string{stated(d, "delivery_method"), stated(d, "stat_cesarean")}, code)
	}
}

func TestPartialDatesAreReadAsFarAsTheyAreKnown(t *testing.T) {
	for _, c := range []struct {
		name  string
		value m
		want  string
	}{
		{"a date", m{"valueDateTime": "2016-01-28"}, `"2016-01-28"`},
		{"a month", m{"valueDateTime": "2016-01"}, `"2016-01"`},
		{"a time gives its own day", m{"valueDateTime": "2016-01-28T23:30:00-07:00"}, `"2016-01-28"`},
		{"a time in UTC may be of the day before", m{"valueDateTime": "2016-01-28T03:30:00Z"}, `"2016-01"`},
		{"midnight in UTC stands for a date alone", m{"valueDateTime": "2016-01-28T00:00:00Z"}, `"2016-01-28"`},
		{"with fractions of a second, too", m{"valueDateTime": "2016-01-28T00:00:00.000+00:00"}, `"2016-01-28"`},
		{"or of the month before", m{"valueDateTime": "2016-02-01T03:30:00+00:00"}, `"2016"`},
		{"or of the year before", m{"valueString": "2016-01-01T03:30:00Z"}, ""},
		{"a text", m{"valueString": " 2016-01-28 "}, `"2016-01-28"`},
		{"a partial date next to it", m{"_valueDateTime": extended(partial(m{"year": 2016, "month": 1}))}, `"2016-01"`},
		{"not a date", m{"valueDateTime": "January 2016"}, ""},
		{"a day that does not exist", m{"valueDateTime": "2016-02-30"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, stated(courseOf(t, obs("68499-3", c.value)), "last_live_birth_date"))
		})
	}
}

func TestResourcesOffTheListAreIgnored(t *testing.T) {
	bare := courseOf(t)
	for _, kind := range []string{"Procedure", "Condition", "Coverage", "RelatedPerson", "Location", "Organization", "observation", ""} {
		r := obs("9274-2", integer(9)).With(m{"resourceType": kind, "status": 5, "code": concept("236958009")})
		require.Equal(t, bare, courseOf(t, r), kind)
	}
}

package uscore

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

// her is the Patient of a chart; seen and diagnosed are about her.
func her(more ...m) m {
	return m{"resourceType": "Patient", "id": "p", "gender": "female", "birthDate": "1994-05-17"}.With(more...)
}

func seen(id, code, when string, more ...m) m {
	return m{
		"resourceType": "Observation", "id": id, "status": "final", "subject": m{"reference": "Patient/p"}, "effectiveDateTime": when,
		"code": m{"coding": l{m{"system": mapping.LOINCURL, "code": code}}},
	}.With(more...)
}

func diagnosed(id, system, code, onset string, more ...m) m {
	return m{
		"resourceType": "Condition", "id": id, "subject": m{"reference": "Patient/p"}, "onsetDateTime": onset,
		"code": m{"coding": l{m{"system": system, "code": code}}}, "clinicalStatus": m{"coding": l{m{"code": "active"}}},
	}.With(more...)
}

func stayed(id, class, kind, start, end string, more ...m) m {
	return m{
		"resourceType": "Encounter", "id": id, "status": "finished", "subject": m{"reference": "Patient/p"}, "class": m{"code": class},
		"type": l{m{"coding": l{m{"system": mapping.SNOMEDURL, "code": kind}}}}, "period": m{"start": start, "end": end},
	}.With(more...)
}

func day1(date string) m { return m{"valueDateTime": date} }

// readChart reads a chart on May 3, 2026, launched from the encounter "e" if there is one.
func readChart(t *testing.T, resources ...m) Reading {
	t.Helper()
	var c fhir.Chart
	for _, resource := range resources {
		require.NoError(t, c.Add(jsontext.Value(text(t, resource))))
	}
	r := Read(c, Launch{At: time.Date(2026, 5, 3, 12, 0, 0, 0, time.UTC), Encounter: "e"})
	requireSoundReading(t, r)
	return r
}

// filledFields returns the fields that a chart fills in, except for her identity.
func filledFields(r Reading, as Role) spots {
	out := spots{}
	for _, o := range r.As[as].Origins {
		if !strings.HasPrefix(o.At.Field, "mother_") {
			out[o.At.Field] = valueAt(r.As[as].Draft, o.At)
		}
	}
	return out
}

func TestAgeDecidesWhoseChartItIsAndContradictionsLeaveItOpen(t *testing.T) {
	pregnant := seen("o", pregnancyStatus, "2026-01-01", coded2(mapping.SNOMEDURL, "77386006"))
	liveborn := diagnosed("c", mapping.ICD10URL, "Z38.00", "2026-05-01")
	for _, c := range []struct {
		patient m
		with    []m
		role    Role
	}{
		{her(), nil, Mother},
		{her(m{"birthDate": "2026-05-02"}), nil, Newborn},
		{her(m{"birthDate": "2025-05-04"}), nil, Newborn},
		{her(m{"birthDate": "2025-05-03"}), nil, Unknown},
		{her(m{"birthDate": "2016-05-03"}), nil, Mother},
		{her(m{"birthDate": "2016-05-04"}), nil, Unknown},
		{her(m{"birthDate": "1965-05-03"}), nil, Unknown},
		{her(m{"birthDate": "1966-05-03"}), nil, Mother},
		{her(m{"birthDate": "1994"}), nil, Mother},
		{her(m{"birthDate": "2025"}), nil, Unknown},
		{her(m{"birthDate": "2026-06-01"}), nil, Unknown},
		{her(m{"birthDate": "1990-02-29"}), nil, Unknown},
		{her(m{"birthDate": ""}), []m{pregnant}, Unknown},
		{her(m{"gender": "male"}), []m{pregnant}, Unknown},
		{her(m{"gender": ""}), nil, Mother},
		{her(m{"birthDate": "2026-05-02", "gender": "male"}), nil, Newborn},
		{her(m{"birthDate": "2026-05-02"}), []m{pregnant}, Unknown},
		{her(), []m{liveborn}, Unknown},
		{her(), []m{liveborn, pregnant}, Mother},
	} {
		r := readChart(t, append([]m{c.patient}, c.with...)...)
		require.Equal(t, c.role, r.Role, "%v %v: %s", c.patient, c.with, r.Why)
	}
}

func coded2(system, code string) m {
	return m{"valueCodeableConcept": m{"coding": l{m{"system": system, "code": code}}}}
}

func TestOnePregnancyIsChosenFirst(t *testing.T) {
	due19, due26 := seen("d19", "11778-8", "2018-11-01", day1("2019-05-20")), seen("d26", "11778-8", "2026-01-01", day1("2026-05-20"))
	born19 := seen("b19", deliveryTime, "2019-05-22", day1("2019-05-22"))
	for name, c := range map[string]struct {
		resources []m
		why       string // of the first notice; "" for no pregnancy
	}{
		"the nearest due date":                {[]m{due19, due26}, "due on May 20, 2026"},
		"a due date before an older birth":    {[]m{born19, due19, due26}, "due on May 20, 2026"},
		"the birth of a due date":             {[]m{due19, born19}, "the birth on May 22, 2019"},
		"a date of birth before the stay":     {[]m{stayed("s", "IMP", "177184002", "2019-05-21", "2019-05-24"), born19}, "the birth on May 22, 2019"},
		"a stay for a birth":                  {[]m{stayed("s", "IMP", "177184002", "2026-05-01", "2026-05-03")}, "the stay from May 1, 2026"},
		"a stay for something else":           {[]m{stayed("s", "IMP", "50849002", "2026-05-01", "2026-05-03")}, ""},
		"a delivery without a time":           {[]m{stayed("s", "IMP", "177184002", "", "")}, ""},
		"the encounter of the launch":         {[]m{due19, stayed("e", "AMB", "424619006", "2019-03-01", "2019-03-01"), due26}, "due on May 20, 2019"},
		"the stay of the launch":              {[]m{due26, stayed("e", "IMP", "183452005", "2026-05-02", "2026-05-03")}, "the stay from May 2, 2026"},
		"a stay too early for a birth":        {[]m{due26, stayed("e", "IMP", "183452005", "2025-12-01", "2025-12-03")}, "due on May 20, 2026"},
		"a stay after the birth":              {[]m{seen("b", deliveryTime, "2026-04-20", day1("2026-04-20")), stayed("e", "IMP", "183452005", "2026-05-01", "2026-05-03")}, "the birth on Apr 20, 2026"},
		"a newer pregnancy without a date":    {[]m{due19, born19, diagnosed("c", mapping.SNOMEDURL, "72892002", "2025-12-01")}, "recorded from Dec 1, 2025"},
		"a diagnosis of the same pregnancy":   {[]m{due26, diagnosed("c", mapping.SNOMEDURL, "72892002", "2025-10-01")}, "due on May 20, 2026"},
		"a complaint of the puerperium":       {[]m{seen("b", deliveryTime, "2026-02-20", day1("2026-02-20")), diagnosed("c", mapping.ICD10URL, "O90.0", "2026-04-20")}, "the birth on Feb 20, 2026"},
		"a period that no pregnancy followed": {[]m{seen("l", "8665-2", "2026-03-10", day1("2026-03-01"))}, ""},
		"a period in a pregnancy":             {[]m{seen("l", "8665-2", "2025-09-10", day1("2025-07-28")), seen("v", "68493-6", "2026-01-01", m{"valueInteger": 3})}, "due on May 4, 2026"},
		"a planned day of birth":              {[]m{seen("b", deliveryTime, "2026-04-01", day1("2026-05-01"))}, ""},
		"a due date of another system":        {[]m{seen("d", "11778-8", "2026-01-01", day1("2026-05-20"), m{"code": m{"coding": l{m{"system": "urn:x", "code": "11778-8"}}}})}, ""},
	} {
		r := readChart(t, append([]m{her()}, c.resources...)...)
		first := r.As[Mother].Notices[0]
		if c.why == "" {
			require.Contains(t, first, "not clear which pregnancy", name)
		} else {
			require.Contains(t, first, c.why, name)
		}
	}
}

// A value fills in its field only if everything fits; the nearest value on the wrong side of
// each limit does not.
func TestOnlyWhatFitsIsFilledIn(t *testing.T) {
	born := seen("b", deliveryTime, "2026-05-01", day1("2026-05-01")) // the window begins on 2025-07-04 and ends on 2026-05-04
	count := func(n int) m { return m{"valueInteger": n} }
	amount := func(n float64, unit string) m {
		return m{"valueQuantity": m{"value": n, "code": unit}}
	}
	sct := func(code string) m { return coded2(mapping.SNOMEDURL, code) }
	for name, c := range map[string]struct {
		resource m
		filled   string // the field's value; "" when it must stay open
		field    string
	}{
		"the first day of the window":        {seen("o", "11977-6", "2025-07-04", count(2)), "2", "parity"},
		"the day before the window":          {seen("o", "11977-6", "2025-07-03", count(2)), "", "parity"},
		"the last day of the window":         {seen("o", "11996-6", "2026-05-02", count(2)), "2", "gravida"},
		"a day of the future":                {seen("o", "11996-6", "2026-05-05", count(2)), "", "gravida"},
		"25 pregnancies":                     {seen("o", "11996-6", "2026-01-01", count(25)), "25", "gravida"},
		"26 pregnancies":                     {seen("o", "11996-6", "2026-01-01", count(26)), "", "gravida"},
		"births on the day of the birth":     {seen("o", "11977-6", "2026-05-01", count(1)), "", "parity"},
		"births on the day before it":        {seen("o", "11977-6", "2026-04-30", count(1)), "1", "parity"},
		"births counted after the birth":     {seen("o", "11977-6", "2026-05-02", count(1)), "", "parity"},
		"30 kg":                              {seen("o", "56077-1", "2026-01-01", amount(30, "kg")), "66.1", "prepregnancy_weight_lb"},
		"less than 30 kg":                    {seen("o", "56077-1", "2026-01-01", amount(29.8, "kg")), "", "prepregnancy_weight_lb"},
		"250 kg":                             {seen("o", "56077-1", "2026-01-01", amount(250, "kg")), "551.2", "prepregnancy_weight_lb"},
		"more than 250 kg":                   {seen("o", "56077-1", "2026-01-01", amount(250.2, "kg")), "", "prepregnancy_weight_lb"},
		"148 pounds":                         {seen("o", "8348-5", "2026-01-01", amount(148, "[lb_av]")), "148", "prepregnancy_weight_lb"},
		"a weight two weeks before":          {seen("o", "29463-7", "2026-04-17", amount(80, "kg")), "176.4", "delivery_weight_lb"},
		"a weight fifteen days before":       {seen("o", "29463-7", "2026-04-16", amount(80, "kg")), "", "delivery_weight_lb"},
		"a weight the day after":             {seen("o", "29463-7", "2026-05-02", amount(80, "kg")), "", "delivery_weight_lb"},
		"220 cm":                             {seen("o", "8302-2", "2015-01-01", amount(220, "cm")), "86.6", "mother_height_in"},
		"221 cm":                             {seen("o", "8302-2", "2015-01-01", amount(221, "cm")), "", "mother_height_in"},
		"a height at sixteen":                {seen("o", "8302-2", "2010-05-17", amount(165, "cm")), "65", "mother_height_in"},
		"a height before sixteen":            {seen("o", "8302-2", "2010-05-16", amount(165, "cm")), "", "mother_height_in"},
		"a period 308 days before":           {seen("o", "8665-2", "2025-08-01", day1("2025-06-27")), `"2025-06-27"`, "last_menstrual_period"},
		"a period 309 days before":           {seen("o", "8665-2", "2025-08-01", day1("2025-06-26")), "", "last_menstrual_period"},
		"a period 140 days before":           {seen("o", "8665-2", "2026-01-01", day1("2025-12-12")), `"2025-12-12"`, "last_menstrual_period"},
		"a period 139 days before":           {seen("o", "8665-2", "2026-01-01", day1("2025-12-13")), "", "last_menstrual_period"},
		"due three weeks before":             {seen("o", "11778-8", "2026-01-01", day1("2026-04-10")), `"2026-04-10"`, "estimated_due_date"},
		"due 22 days before":                 {seen("o", "11778-8", "2026-01-01", day1("2026-04-09")), "", "estimated_due_date"},
		"a gestational age the day before":   {seen("o", "11884-4", "2026-04-30", amount(39, "wk"), aBaby), "39", "gestational_age_weeks"},
		"a gestational age two days before":  {seen("o", "11884-4", "2026-04-29", amount(39, "wk"), aBaby), "", "gestational_age_weeks"},
		"44 weeks":                           {seen("o", "11884-4", "2026-05-01", amount(44, "wk"), aBaby), "44", "gestational_age_weeks"},
		"45 weeks":                           {seen("o", "11884-4", "2026-05-01", amount(45, "wk"), aBaby), "", "gestational_age_weeks"},
		"19 weeks":                           {seen("o", "11884-4", "2026-05-01", amount(19, "wk"), aBaby), "", "gestational_age_weeks"},
		"no cesarean":                        {seen("o", "68497-7", "2026-01-01", count(0)), "0", "previous_cesareans"},
		"the first visit":                    {seen("o", "69044-6", "2026-01-01", day1("2025-09-18")), `"2025-09-18"`, "prenatal_first_visit_date"},
		"the first visit of another time":    {seen("o", "69044-6", "2026-01-01", day1("2024-09-18")), "", "prenatal_first_visit_date"},
		"a smoking status":                   {seen("o", smokingStatus, "2026-01-01", sct("266919005")), "", "cigarettes_per_day_pre"},
		"vertex":                             {seen("o", "73761-9", "2026-05-01", sct("70028003"), aBaby), `"vertex"`, "fetal_presentation"},
		"vertex in some other system":        {seen("o", "73761-9", "2026-05-01", coded2("urn:x", "70028003"), aBaby), "", "fetal_presentation"},
		"vertex of a visit":                  {seen("o", "73761-9", "2026-03-01", sct("70028003"), aBaby), "", "fetal_presentation"},
		"streptococci five weeks before":     {seen("o", "72607-5", "2026-03-27", sct("10828004")), `["gbs_positive"]`, "infections"},
		"streptococci before that":           {seen("o", "72607-5", "2026-03-26", sct("10828004")), "", "infections"},
		"no streptococci":                    {seen("o", "72607-5", "2026-04-20", sct("260385009")), "", "infections"},
		"pre-eclampsia":                      {diagnosed("c", mapping.SNOMEDURL, "398254007", "2026-04-20"), `["hypertension_gestational"]`, "risk_factors"},
		"antepartum eclampsia":               {diagnosed("c", mapping.SNOMEDURL, "198992004", "2026-04-20"), `["eclampsia"]`, "risk_factors"},
		"gestational diabetes of old":        {diagnosed("c", mapping.ICD10URL, "O24.410", "2020-04-20"), "", "risk_factors"},
		"gestational diabetes, without dots": {diagnosed("c", mapping.ICD10URL, "O24410", "2026-02-20"), `["diabetes_gestational"]`, "risk_factors"},
		"hypertension of old":                {diagnosed("c", mapping.ICD10URL, "I10", "2010-01-01"), `["hypertension_prepregnancy"]`, "risk_factors"},
		"hypertension that was over":         {diagnosed("c", mapping.ICD10URL, "I10", "2010-01-01", m{"abatementDateTime": "2011-01-01"}), "", "risk_factors"},
		"hypertension of the last weeks":     {diagnosed("c", mapping.ICD10URL, "I10", "2026-04-20"), "", "risk_factors"},
		"a family history":                   {diagnosed("c", mapping.SNOMEDURL, "312824007", "2026-01-01"), "", "risk_factors"},
		"chronic hepatitis B":                {diagnosed("c", mapping.ICD10URL, "B18.1", "2012-01-01"), `["hepatitis_b"]`, "infections"},
		"acute hepatitis B of old":           {diagnosed("c", mapping.ICD10URL, "B16.9", "2012-01-01"), "", "infections"},
		"a third-degree tear":                {diagnosed("c", mapping.ICD10URL, "O70.21", "2026-05-01"), `"third"`, "perineum"},
		"a ruptured uterus":                  {diagnosed("c", mapping.SNOMEDURL, "34430009", "2026-05-01"), `["uterine_rupture"]`, "maternal_morbidity"},
		"a preterm birth before":             {diagnosed("c", mapping.SNOMEDURL, "161765003", "2023-05-01"), "true", "previous_preterm_birth"},
		"a preterm birth, this one perhaps":  {diagnosed("c", mapping.SNOMEDURL, "161765003", "2026-05-02"), "", "previous_preterm_birth"},
	} {
		r := readChart(t, her(), born, c.resource)
		got := spots{}
		for _, o := range r.As[Mother].Origins {
			got[o.At.Field] = valueAt(r.As[Mother].Draft, o.At)
		}
		require.Equal(t, c.filled, got[c.field], "%s: %v", name, r.As[Mother].Hints)
		others := slices.DeleteFunc(slices.Sorted(maps.Keys(got)), func(field string) bool {
			return field == c.field || field == "mother_birth_date" || field == "birth_date" || strings.HasPrefix(field, "gestational_age")
		})
		require.Empty(t, others, name)
	}
}

// If the findings are about one child, by their subject, the weight counts. If they are about
// two, nobody knows which is the first newborn of the form.
func TestTheWeightOfOneOfTwoNewbornsIsNotFilledIn(t *testing.T) {
	born := seen("b", deliveryTime, "2026-05-01", day1("2026-05-01"))
	of := func(id, baby string, grams int) m {
		return seen(id, "8339-4", "2026-05-01", m{"valueQuantity": m{"value": grams, "code": "g"}, "focus": l{m{"reference": "Patient/" + baby}}})
	}
	one := readChart(t, her(), born, of("w1", "x", 2500))
	require.Equal(t, spots{"birth_date": `"2026-05-01"`, "birth_weight_g": "2500"}, filledFields(one, Mother))
	two := readChart(t, her(), born, of("w1", "x", 2500), of("w2", "y", 2300))
	require.Empty(t, filledFields(two, Mother))
}

// A chart that doesn't mention something hasn't answered "none" or "no".
func TestAChartThatSaysNothingFillsInNothing(t *testing.T) {
	r := readChart(t, her(), seen("b", deliveryTime, "2026-05-01", day1("2026-05-01")))
	require.Equal(t, spots{"birth_date": `"2026-05-01"`}, filledFields(r, Mother))
}

func TestTheNewestOfManyValuesIsUsedAndTheOthersAreOffered(t *testing.T) {
	resources := []m{her(), seen("b", deliveryTime, "2026-05-01", day1("2026-05-01"))}
	for i := range 20 {
		when := time.Date(2026, 1, 1+i, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
		resources = append(resources, seen(fmt.Sprint("v", i), "11996-6", when, m{"valueInteger": i}))
	}
	r := readChart(t, resources...)
	require.Equal(t, "19", filledFields(r, Mother)["gravida"])
	o := r.As[Mother].Origins
	at := slices.IndexFunc(o, func(o Origin) bool { return o.At.Field == "gravida" })
	require.Len(t, o[at].Others, mostOthers+1)
	require.Equal(t, "18, Jan 19, 2026, LOINC 11996-6", o[at].Others[0])
	require.Equal(t, "and more", o[at].Others[mostOthers])
}

func TestTheAttendantComesOnlyFromAStayForTheBirth(t *testing.T) {
	who := func(names ...string) m {
		list := l{}
		for _, name := range names {
			list = append(list, m{"type": l{m{"coding": l{m{"system": "urn:any", "code": "ATND"}}}}, "individual": m{"display": name}})
		}
		return m{"participant": list}
	}
	for _, c := range []struct {
		stay m
		name string
		role string
	}{
		{stayed("e", "IMP", "177184002", "2026-05-01", "2026-05-02", who("Olive Reyes, CNM")), "Olive Reyes, CNM", "midwife"},
		{stayed("e", "IMP", "177184002", "2026-05-01", "2026-05-02", who("Midwife Jones")), "Midwife Jones", ""},
		{stayed("e", "IMP", "177184002", "2026-05-01", "2026-05-02", who("A B", "C D")), "", ""},
		{stayed("e", "IMP", "183452005", "2026-05-01", "2026-05-02", who("A B")), "", ""},
		{stayed("e", "IMP", "177184002", "2026-05-01", "2026-05-02", who("")), "", ""},
	} {
		d := readChart(t, her(), c.stay).As[Mother].Draft
		if c.name == "" {
			require.Empty(t, d.Providers)
			continue
		}
		require.Len(t, d.Providers, 1)
		require.Equal(t, c.name, d.Providers[0].Name)
		require.EqualValues(t, c.role, d.Providers[0].Role)
	}
}

func TestTheAttendantOfABirthWithTwoStaysIsAHint(t *testing.T) {
	by := func(id, name, start, end string) m {
		return stayed(id, "IMP", "177184002", start, end, m{"participant": l{m{"type": l{m{"coding": l{m{"code": "ATND"}}}}, "individual": m{"display": name}}}})
	}
	before, after := by("a", "Olive Reyes, CNM", "2026-05-01T08:00:00-04:00", "2026-05-01T12:00:00-04:00"), by("b", "Ada Post, MD", "2026-05-01T12:30:00-04:00", "2026-05-03T07:00:00-04:00")
	born := seen("t", deliveryTime, "2026-05-01T11:00:00-04:00", day1("2026-05-01T10:00:00-04:00"))
	requireDoubts(t, map[string]doubted{
		"one stay":                        {chart: []m{her(), born, before}, field: "name", filled: "Olive Reyes, CNM"},
		"a transfer after the birth":      {chart: []m{her(), born, before, after}, field: "name", filled: "Olive Reyes, CNM"},
		"a birth at no certain time":      {chart: []m{her(), bornMay1, before, after}, field: "name", why: "one of several attending providers"},
		"a transfer at no certain time":   {chart: []m{her(), before, after}, field: "name", why: "one of several attending providers"},
		"the same midwife in both":        {chart: []m{her(), born, before, by("b", "Olive Reyes, CNM", "2026-05-01T12:30:00-04:00", "2026-05-03")}, field: "name", filled: "Olive Reyes, CNM"},
		"the stay for an earlier birth":   {chart: []m{her(), born, before, by("b", "Ada Post, MD", "2023-05-01", "2023-05-03")}, field: "name", filled: "Olive Reyes, CNM"},
		"a stay for something else":       {chart: []m{her(), born, before, after.With(m{"type": l{}})}, field: "name", filled: "Olive Reyes, CNM"},
		"a stay of the week after":        {chart: []m{her(), born, before, by("b", "Ada Post, MD", "2026-05-03", "")}, field: "name", filled: "Olive Reyes, CNM"},
		"a stay that began after a birth": {chart: []m{her(), born, after}, field: "name", why: "began after it"},
	})
	late := seen("t", deliveryTime, "2026-05-02T00:10:00-04:00", day1("2026-05-01T23:10:00-04:00"))
	requireDoubts(t, map[string]doubted{
		"an evening that is the next day in UTC": {chart: []m{her(), late, by("a", "Olive Reyes, CNM", "2026-05-02T01:30:00Z", "2026-05-03T15:00:00Z")}, field: "name", filled: "Olive Reyes, CNM"},
		"a birth without a time":                 {chart: []m{her(), bornMay1, by("a", "Olive Reyes, CNM", "2026-05-02T01:30:00Z", "2026-05-03T15:00:00Z")}, field: "name", filled: "Olive Reyes, CNM"},
		"the night after it, in UTC":             {chart: []m{her(), late, by("a", "Olive Reyes, CNM", "2026-05-02T03:30:00Z", "2026-05-03T15:00:00Z")}, field: "name", why: "began after it"},
	})
}

func TestAPlaceThatWasOnlyPlannedIsNotOfferedAsTheFacility(t *testing.T) {
	at := func(status, name string) m { return m{"status": status, "location": m{"display": name}} }
	r := readChart(t, her(), stayed("s", "IMP", "177184002", "2026-05-01", "2026-05-02", m{
		"location": l{at("planned", "Hill Birth Center"), at("reserved", "Room 4"), at("completed", "General Hospital")},
	}))
	hints := hintsAt(r.As[Mother], "facility_name")
	require.Len(t, hints, 1)
	require.Contains(t, hints[0].Text, "General Hospital")
}

func TestEveryRequestedCodeIsALOINCCodeAndRequestedOnce(t *testing.T) {
	codes := Codes()
	require.True(t, slices.IsSorted(codes))
	require.Equal(t, slices.Compact(slices.Clone(codes)), codes)
	for _, code := range codes {
		require.Regexp(t, `^\d{1,7}-\d$`, code)
		sum, double := 0, true // the check digit, mod 10
		for i := len(code) - 3; i >= 0; i-- {
			n := int(code[i] - '0')
			if double {
				if n *= 2; n > 9 {
					n -= 9
				}
			}
			sum, double = sum+n, !double
		}
		require.Equal(t, (10-sum%10)%10, int(code[len(code)-1]-'0'), code)
	}
	codes[0] = "changed"
	require.NotEqual(t, "changed", Codes()[0])
}

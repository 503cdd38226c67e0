package uscore

import (
	"strings"
	"testing"

	"birthregistry/app/mapping"
)

// These values are plausible by themselves but not together.
func TestValuesThatContradictEachOtherAreAllDoubtful(t *testing.T) {
	due := seen("due", "11778-8", "2025-10-01", day1("2026-05-04"))
	obs := func(id, code, when string, n int) m { return seen(id, code, when, counted(n)) }
	const first = "2025-10-01"
	requireDoubts(t, map[string]doubted{
		"a count of pregnancies that falls":         {chart: []m{her(), due, obs("g", "11996-6", first, 4), obs("g2", "11996-6", "2026-01-01", 3)}, field: "gravida", why: "a higher number with an earlier date"},
		"one that grows":                            {chart: []m{her(), due, obs("g", "11996-6", first, 3), obs("g2", "11996-6", "2026-01-01", 4)}, field: "gravida", filled: "4"},
		"one that was corrected at once":            {chart: []m{her(), due, obs("g", "11996-6", first, 4), obs("g2", "11996-6", first, 3).With(m{"status": "corrected"})}, field: "gravida", filled: "3"},
		"cesareans that fall":                       {chart: []m{her(), due, obs("g", "68497-7", first, 2), obs("g2", "68497-7", "2026-01-01", 1)}, field: "previous_cesareans", why: "a higher number with an earlier date"},
		"as many births as pregnancies":             {chart: []m{her(), due, obs("g", "11996-6", first, 2), obs("p", "11977-6", first, 2)}, field: "gravida", why: "contradict each other"},
		"the births of these":                       {chart: []m{her(), due, obs("g", "11996-6", first, 2), obs("p", "11977-6", first, 2)}, field: "parity", why: "contradict each other"},
		"births and losses beyond all pregnancies":  {chart: []m{her(), due, obs("g", "11996-6", first, 3), obs("p", "11977-6", first, 1), obs("o", "69043-8", first, 2)}, field: "other_pregnancy_outcomes", why: "contradict each other"},
		"births and losses that fit":                {chart: []m{her(), due, obs("g", "11996-6", first, 4), obs("p", "11977-6", first, 1), obs("o", "69043-8", first, 2)}, field: "gravida", filled: "4"},
		"a first pregnancy and a last birth":        {chart: []m{her(), due, obs("g", "11996-6", first, 1), seen("l", "68499-3", first, day1("2022-03-01"))}, field: "gravida", why: "contradict each other"},
		"the last birth of these":                   {chart: []m{her(), due, obs("g", "11996-6", first, 1), seen("l", "68499-3", first, day1("2022-03-01"))}, field: "last_live_birth_date", why: "contradict each other"},
		"more cesareans than births":                {chart: []m{her(), due, obs("p", "11977-6", first, 1), obs("c", "68497-7", first, 2)}, field: "previous_cesareans", why: "more cesareans"},
		"children, and no birth before":             {chart: []m{her(), due, obs("p", "11977-6", first, 0), obs("l", "11638-4", first, 2)}, field: "previous_live_births_living", why: "no birth before"},
		"more children than births, as after twins": {chart: []m{her(), due, obs("p", "11977-6", first, 1), obs("l", "11638-4", first, 2)}, field: "previous_live_births_living", filled: "2"},
		"a height that falls by a head":             {chart: []m{her(), due, seen("h", "8302-2", first, weighing(170, "cm")), seen("h2", "8302-2", "2026-01-01", weighing(150, "cm"))}, field: "mother_height_in", why: "very different"},
		"a height that differs by a little":         {chart: []m{her(), due, seen("h", "8302-2", first, weighing(170, "cm")), seen("h2", "8302-2", "2026-01-01", weighing(168, "cm"))}, field: "mother_height_in", filled: "66.1"},
		"weights of which one must be wrong":        {chart: []m{her(), bornMay1, seen("w", "56077-1", first, weighing(120, "kg")), seen("w2", weightAtBirth, "2026-05-01", weighing(60, "kg"))}, field: "prepregnancy_weight_lb", why: "too far apart"},
		"the later of these":                        {chart: []m{her(), bornMay1, seen("w", "56077-1", first, weighing(120, "kg")), seen("w2", weightAtBirth, "2026-05-01", weighing(60, "kg"))}, field: "delivery_weight_lb", why: "too far apart"},
		"weights of a loss that can be":             {chart: []m{her(), bornMay1, seen("w", "56077-1", first, weighing(120, "kg")), seen("w2", weightAtBirth, "2026-05-01", weighing(112, "kg"))}, field: "delivery_weight_lb", filled: "246.9"},
		"Apgar scores that fall beyond belief":      {chart: []m{baby(), obs("a", "9272-6", "2026-05-01", 9), obs("b", "9274-2", "2026-05-01", 2)}, field: "apgar_five_minute", why: "the form's checks question it", as: Newborn},
		"two scores of one minute":                  {chart: []m{baby(), obs("a", "9272-6", "2026-05-01T04:20:00-04:00", 9), obs("b", "9272-6", "2026-05-01T06:20:00-04:00", 4)}, field: "apgar_one_minute", why: contradicted, as: Newborn},
		"the one that was corrected since":          {chart: []m{baby(), obs("a", "9272-6", "2026-05-01T04:20:00-04:00", 9), obs("b", "9272-6", "2026-05-01T06:20:00-04:00", 4).With(m{"status": "corrected"})}, field: "apgar_one_minute", filled: "4", as: Newborn},
		"one that was corrected before another":     {chart: []m{baby(), obs("a", "9272-6", "2026-05-01T04:20:00-04:00", 9).With(m{"status": "corrected"}), obs("b", "9272-6", "2026-05-01T06:20:00-04:00", 4)}, field: "apgar_one_minute", why: contradicted, as: Newborn},
		"the one that was issued anew":              {chart: []m{baby(), obs("a", "9272-6", "2026-05-01T04:20:00-04:00", 9).With(m{"issued": "2026-05-01T08:21:00Z"}), obs("b", "9272-6", "2026-05-01T04:20:00-04:00", 8).With(m{"issued": "2026-05-01T08:40:00Z"})}, field: "apgar_one_minute", filled: "8", as: Newborn},
		"last births on two days":                   {chart: []m{her(), due, seen("l", "68499-3", first, day1("2022-03-01")), seen("l2", "68499-3", "2026-01-01", day1("2022-03-11"))}, field: "last_live_birth_date", why: anotherDay},
		"a last birth told more closely":            {chart: []m{her(), due, seen("l", "68499-3", first, day1("2022-03")), seen("l2", "68499-3", "2026-01-01", day1("2022-03-11"))}, field: "last_live_birth_date", filled: `"2022-03-11"`},
		"a newer count that nobody can read":        {chart: []m{her(), due, obs("g", "11996-6", first, 2), seen("g2", "11996-6", "2026-01-01", m{"valueString": "3, this included"})}, field: "gravida", why: unreadNewer},
		"an older one that nobody can read":         {chart: []m{her(), due, obs("g", "11996-6", "2026-01-01", 2), seen("g2", "11996-6", first, m{"valueString": "3, this included"})}, field: "gravida", filled: "2"},
		"a last birth in her childhood":             {chart: []m{her(), due, seen("l", "68499-3", first, day1("2001-03-01"))}, field: "last_live_birth_date", why: "a child then"},
		"gestations of one birth, told in two ways": {chart: []m{baby(), seen("a", "11884-4", "2026-05-01", weighing(39, "wk")), seen("b", "11885-1", "2026-05-01", weighing(36, "wk"))}, field: "gestational_age_weeks", why: contradicted, as: Newborn},
		"estimates that are a week apart":           {chart: []m{baby(), seen("a", "11884-4", "2026-05-01", weighing(39, "wk")), seen("b", "11885-1", "2026-05-01", weighing(38, "wk"))}, field: "gestational_age_weeks", filled: "39", as: Newborn},
		"a weight estimated before the birth":       {chart: []m{baby(), seen("w", "8339-4", "2026-05-01", weighing(3400, "g"), m{"method": m{"text": "Estimated by ultrasound"}})}, field: "birth_weight_g", why: saysOtherwise, as: Newborn},
		"a weight by a scale":                       {chart: []m{baby(), seen("w", "8339-4", "2026-05-01", weighing(3400, "g"), m{"method": m{"text": "Infant scale"}})}, field: "birth_weight_g", filled: "3400", as: Newborn},
		"two menstrual periods, weeks apart":        {chart: []m{her(), bornMay1, seen("l", periodBegan, first, day1("2025-07-28")), seen("l2", periodBegan, "2025-11-01", day1("2025-09-01"))}, field: "last_menstrual_period", why: "more than a week apart"},
		"the same, and no birth":                    {chart: []m{her(), seen("n", visitCount, "2025-12-01", counted(3)), seen("l", periodBegan, first, day1("2025-07-28")), seen("l2", periodBegan, "2025-11-01", day1("2025-09-01"))}, field: "last_menstrual_period", why: "does not fit"},
		"a period that she is unsure of":            {chart: []m{her(), bornMay1, seen("l", periodBegan, first, day1("2025-07-28"), m{"note": l{m{"text": "Patient unsure of date"}}})}, field: "last_menstrual_period", why: saysOtherwise},
		"a period that is approximate":              {chart: []m{her(), bornMay1, seen("l", periodBegan, first, day1("2025-07-28"), worded(mapping.LOINCURL, periodBegan, "", "LMP (approximate)"))}, field: "last_menstrual_period", why: saysOtherwise},
		"a first pregnancy, and a cesarean before":  {chart: []m{her(), due, obs("g", "11996-6", first, 1), obs("c", "68497-7", first, 1)}, field: "previous_cesareans", why: "a first pregnancy"},
		"a first pregnancy, and a preterm birth":    {chart: []m{her(), due, obs("g", "11996-6", first, 1), diagnosed("c", mapping.SNOMEDURL, "161765003", "2023-01-10")}, field: "previous_preterm_birth", why: "a first pregnancy"},
		"a route by its own display":                {chart: []m{her(), bornMay1, routed("700000006", "Vaginal delivery of fetus")}, field: "delivery_method", filled: `"vaginal_spontaneous"`},
		"a vaginal birth after a section":           {chart: []m{her(), bornMay1, routed("700000006", "Vaginal birth after cesarean")}, field: "delivery_method", filled: `"vaginal_spontaneous"`},
		"a rare height alone":                       {chart: []m{her(), due, seen("h", "8302-2", first, weighing(220, "cm"))}, field: "mother_height_in", filled: "86.6"},
		"a height of feet with a fraction":          {chart: []m{her(), due, seen("h", "8302-2", first, weighing(5.6, "[ft_i]"))}, field: "mother_height_in", why: unreadValue},
		"a route whose words say another":           {chart: []m{her(), bornMay1, routed("11466000", "Spontaneous vaginal delivery")}, field: "delivery_method", why: unreadValue},
		"a route that was planned":                  {chart: []m{her(), bornMay1, routed("11466000", "Planned cesarean")}, field: "delivery_method", why: unreadValue},
		"a route in its own words":                  {chart: []m{her(), bornMay1, routed("11466000", "Repeat low transverse cesarean section")}, field: "delivery_method", filled: `"cesarean"`},
		"a vaginal birth":                           {chart: []m{her(), bornMay1, routed("700000006", "Vaginal delivery")}, field: "delivery_method", filled: `"vaginal_spontaneous"`},
		"a breech that is called vertex":            {chart: []m{her(), bornMay1, seen("r", "73761-9", "2026-05-01", aBaby, m{"valueCodeableConcept": m{"text": "Vertex", "coding": l{m{"system": mapping.SNOMEDURL, "code": "6096002"}}}})}, field: "fetal_presentation", why: unreadValue},
		"streptococci that are called negative":     {chart: []m{her(), bornMay1, seen("g", "72607-5", "2026-04-10", m{"valueCodeableConcept": m{"text": "Negative", "coding": l{m{"system": mapping.SNOMEDURL, "code": "10828004"}}}})}, field: "infections", why: saysOtherwise},
		"streptococci, and none by a later word":    {chart: []m{her(), bornMay1, seen("g", "72607-5", "2026-04-05", coded2(mapping.SNOMEDURL, "10828004")), seen("g2", "72607-5", "2026-04-20", m{"valueString": "Negative"})}, field: "infections", why: "another result of that day or later"},
		"streptococci, and none on the same day":    {chart: []m{her(), bornMay1, seen("a", "72607-5", "2026-04-10", coded2(mapping.SNOMEDURL, "10828004")), seen("g", "72607-5", "2026-04-10", coded2(mapping.SNOMEDURL, "260385009"))}, field: "infections"},
		"the same, in the other order":              {chart: []m{her(), bornMay1, seen("g", "72607-5", "2026-04-10", coded2(mapping.SNOMEDURL, "10828004")), seen("a", "72607-5", "2026-04-10", coded2(mapping.SNOMEDURL, "260385009"))}, field: "infections"},
		"streptococci, and later none, preliminary": {chart: []m{her(), bornMay1, seen("g", "72607-5", "2026-04-05", coded2(mapping.SNOMEDURL, "10828004")), seen("h", "72607-5", "2026-04-20", coded2(mapping.SNOMEDURL, "260385009"), m{"status": "preliminary"})}, field: "infections", why: "another result of that day or later"},
		"none, and streptococci later":              {chart: []m{her(), bornMay1, seen("g", "72607-5", "2026-04-05", coded2(mapping.SNOMEDURL, "260385009")), seen("h", "72607-5", "2026-04-20", coded2(mapping.SNOMEDURL, "10828004"))}, field: "infections", filled: `["gbs_positive"]`},
		"cigarettes whose unit says packs":          {chart: []m{her(), bornMay1, seen("s", "64794-1", first, m{"valueQuantity": m{"value": 1, "code": "/d", "system": "http://unitsofmeasure.org", "unit": "packs/day"}})}, field: "cigarettes_per_day_pre"},
		"cigarettes whose unit says so":             {chart: []m{her(), bornMay1, seen("s", "64794-1", first, m{"valueQuantity": m{"value": 3, "code": "/d", "system": "http://unitsofmeasure.org", "unit": "cigarettes/day"}})}, field: "cigarettes_per_day_pre", filled: "3"},
		"a score whose part says that it is absent": {chart: []m{baby(), seen("p", "48334-7", "2026-05-01", m{"component": l{m{"code": m{"coding": l{m{"system": mapping.LOINCURL, "code": "9272-6"}}}, "valueInteger": 0, "_valueInteger": m{"extension": l{m{"url": "http://hl7.org/fhir/StructureDefinition/data-absent-reason", "valueCode": "not-performed"}}}}}})}, field: "apgar_one_minute", as: Newborn},
		"a score in a part":                         {chart: []m{baby(), seen("p", "48334-7", "2026-05-01", m{"component": l{m{"code": m{"coding": l{m{"system": mapping.LOINCURL, "code": "9272-6"}}}, "valueInteger": 8}}})}, field: "apgar_one_minute", filled: "8", as: Newborn},
		"an anomaly that is refuted later":          {chart: []m{baby(), diagnosed("c", mapping.SNOMEDURL, "70156005", "2026-05-01"), diagnosed("d", mapping.SNOMEDURL, "70156005", "2026-05-02", m{"verificationStatus": m{"coding": l{m{"code": "refuted"}}}})}, field: "congenital_anomalies", why: refutedToo, as: Newborn},
		"streptococci of the pregnancy before":      {chart: []m{her(), bornMay1, seen("g", "72607-5", "2026-04-10", coded2(mapping.SNOMEDURL, "10828004"), worded(mapping.LOINCURL, "72607-5", "", "GBS, previous pregnancy"))}, field: "infections", why: saysOtherwise},
	})
}

func routed(code, text string) m {
	return seen("r", routeOfBirth, "2026-05-01", aBaby, m{"valueCodeableConcept": m{"text": text, "coding": l{m{"system": mapping.SNOMEDURL, "code": code}}}})
}

func TestFindingsBeforeAndAfterTheBirthAreDistinguished(t *testing.T) {
	at := seen("b", deliveryTime, "2026-05-01T05:00:00-04:00", day1("2026-05-01T04:18:00-04:00"))
	weight := func(when string) m { return seen("w", bodyWeight, when, weighing(72, "kg")) }
	requireDoubts(t, map[string]doubted{
		"her weight in the evening of that day":   {chart: []m{her(), at, weight("2026-05-01T20:00:00-04:00")}, field: "delivery_weight_lb"},
		"her weight in the night before":          {chart: []m{her(), at, weight("2026-05-01T02:00:00-04:00")}, field: "delivery_weight_lb", filled: "158.7"},
		"her weight at some time of that day":     {chart: []m{her(), at, weight("2026-05-01")}, field: "delivery_weight_lb"},
		"her weight of the day before":            {chart: []m{her(), at, weight("2026-04-30")}, field: "delivery_weight_lb", filled: "158.7"},
		"her weight of a birth at no time":        {chart: []m{her(), bornMay1, weight("2026-05-01T02:00:00-04:00")}, field: "delivery_weight_lb"},
		"two times of birth":                      {chart: []m{her(), at, seen("b2", deliveryTime, "2026-05-01T05:00:00-04:00", day1("2026-05-01T04:28:00-04:00"))}, field: "birth_datetime", why: ""},
		"the same time in two zones":              {chart: []m{her(), at, seen("b2", deliveryTime, "2026-05-01T05:00:00-04:00", day1("2026-05-01T03:18:00-05:00"))}, field: "birth_date", filled: `"2026-05-01"`},
		"a delivery three weeks after a birth":    {chart: []m{her(), seen("b", deliveryTime, "2026-04-10", day1("2026-04-10")), stayed("e", "IMP", "177184002", "2026-05-01", "2026-05-02", m{"participant": l{m{"type": l{m{"coding": l{m{"code": "ATND"}}}}, "individual": m{"display": "Dr. Post"}}}})}, field: "name"},
		"the birth before it":                     {chart: []m{her(), seen("b", deliveryTime, "2026-04-10", day1("2026-04-10")), stayed("e", "IMP", "177184002", "2026-05-01", "2026-05-02")}, field: "birth_date", filled: `"2026-04-10"`},
		"a first visit before any pregnancy":      {chart: []m{her(), bornMay1, seen("f", visitFirst, "2025-10-01", day1("2025-07-10"))}, field: "prenatal_first_visit_date", why: "not in this pregnancy"},
		"a pregnancy too young for a birth":       {chart: []m{her(), seen("d", "11778-8", "2026-05-01", day1("2026-12-01"))}, field: "estimated_due_date", why: "not lasted long enough"},
		"what is said in it":                      {chart: []m{her(), seen("d", "11778-8", "2026-05-01", day1("2026-12-01")), seen("g", "11996-6", "2026-05-01", counted(3))}, field: "gravida", why: "not lasted long enough"},
		"a time of midnight":                      {chart: []m{her(), seen("b", deliveryTime, "2026-05-01T05:00:00-04:00", day1("2026-05-01T00:00:00-04:00"))}, field: "birth_datetime", why: midnight},
		"a newborn's time of midnight":            {chart: []m{bornAt("2026-05-01T00:00:00-04:00")}, field: "birth_datetime", why: midnight, as: Newborn},
		"a newborn weighed in the evening":        {chart: []m{baby(), seen("w", bodyWeight, "2026-05-01T23:00:00-04:00", weighing(3300, "g"))}, field: "birth_weight_g", why: laterWeight, as: Newborn},
		"a newborn weighed within the hour":       {chart: []m{baby(), seen("w", bodyWeight, "2026-05-01T05:00:00-04:00", weighing(3400, "g"))}, field: "birth_weight_g", filled: "3400", as: Newborn},
		"one who attended before the birth":       {chart: []m{her(), at, attendedBy(m{"end": "2026-04-30T22:00:00-04:00"})}, field: "name"},
		"a group that attended":                   {chart: []m{her(), at, attendedBy(m{}, "Organization/hill")}, field: "name"},
		"a relative who attended":                 {chart: []m{her(), at, attendedBy(m{}, "https://ehr.example/fhir/RelatedPerson/r")}, field: "name"},
		"a provider who attended":                 {chart: []m{her(), at, attendedBy(m{}, "https://ehr.example/fhir/PractitionerRole/r")}, field: "name", filled: "Olive Reyes, CNM"},
		"one who came after the birth":            {chart: []m{her(), at, attendedBy(m{"start": "2026-05-02"})}, field: "name"},
		"one who attended through the birth":      {chart: []m{her(), at, attendedBy(m{"start": "2026-04-30", "end": "2026-05-01"})}, field: "name", filled: "Olive Reyes, CNM"},
		"no pregnancy any more, and no birth":     {chart: []m{her(), dueMay20, seen("g", "11996-6", "2025-11-01", counted(2)), seen("n", pregnancyStatus, "2026-03-01", coded2(mapping.SNOMEDURL, "60001007"))}, field: "gravida", why: "not pregnant"},
		"no pregnancy before it":                  {chart: []m{her(), dueMay20, seen("g", "11996-6", "2025-11-01", counted(2)), seen("n", pregnancyStatus, "2025-08-01", coded2(mapping.SNOMEDURL, "60001007"))}, field: "gravida", filled: "2"},
		"no pregnancy after the birth":            {chart: []m{her(), bornMay1, seen("g", "11996-6", "2025-11-01", counted(2)), seen("n", pregnancyStatus, "2026-05-03", coded2(mapping.SNOMEDURL, "60001007"))}, field: "gravida", filled: "2"},
		"a time told as a timing":                 {chart: []m{her(), bornMay1, untimed(m{"effectiveTiming": m{"event": l{"2019-03-01"}}})}, field: "gravida", why: undatedValue},
		"a time that is not known, and issued":    {chart: []m{her(), bornMay1, untimed(m{"_effectiveDateTime": m{"extension": l{m{"url": "http://hl7.org/fhir/StructureDefinition/data-absent-reason", "valueCode": "unknown"}}}})}, field: "gravida", why: undatedValue},
		"a time that is no date, and issued":      {chart: []m{her(), bornMay1, untimed(m{"effectiveDateTime": "2026-02-30"})}, field: "gravida", why: undatedValue},
		"issued, and that is all":                 {chart: []m{her(), bornMay1, untimed(m{})}, field: "gravida", filled: "2"},
		"a record that is not used any more":      {chart: []m{her(m{"active": false}), bornMay1, untimed(m{})}, field: "gravida", why: "no longer uses this record"},
		"a record that another one replaced":      {chart: []m{her(m{"link": l{m{"type": "replaced-by", "other": m{"reference": "Patient/q"}}}}), bornMay1, untimed(m{})}, field: "gravida", why: "no longer uses this record"},
		"a record that replaced another one":      {chart: []m{her(m{"link": l{m{"type": "replaces", "other": m{"reference": "Patient/q"}}}}), bornMay1, untimed(m{})}, field: "gravida", filled: "2"},
		"days of a gestation that may be written": {chart: []m{baby(), seen("g", "11884-4", "2026-05-01", weighing(38.5, "wk"))}, field: "gestational_age_days", as: Newborn},
		"the weeks of it":                         {chart: []m{baby(), seen("g", "11884-4", "2026-05-01", weighing(38.5, "wk"))}, field: "gestational_age_weeks", filled: "38", as: Newborn},
		"days of a gestation that are days":       {chart: []m{baby(), seen("g", "11884-4", "2026-05-01", weighing(38.43, "wk"))}, field: "gestational_age_days", filled: "3", as: Newborn},
	})
}

// bornAt returns a newborn with another time of birth.
func bornAt(at string) m {
	return baby(m{"_birthDate": m{"extension": l{m{"url": "http://hl7.org/fhir/StructureDefinition/patient-birthTime", "valueDateTime": at}}}})
}

// untimed returns a count of pregnancies that has only an issue date.
func untimed(more m) m {
	o := seen("o", "11996-6", "", counted(2), m{"issued": "2026-01-01T08:00:00Z"}, more)
	if o["effectiveDateTime"] == "" {
		delete(o, "effectiveDateTime")
	}
	return o
}

// attendedBy returns the Encounter of a birth with a participant who attended for a part of
// it.
func attendedBy(period m, reference ...string) m {
	return stayed("s", "IMP", "177184002", "2026-04-30", "2026-05-02", m{"participant": l{m{
		"type": l{m{"coding": l{m{"code": "ATND"}}}}, "period": period, "individual": m{"display": "Olive Reyes, CNM", "reference": strings.Join(reference, "")},
	}}})
}

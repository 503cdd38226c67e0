package uscore

import (
	"testing"

	"birthregistry/app/mapping"
)

func TestTheWindowBeginsAtTheLastMenstrualPeriodOrTheDueDateLess280Days(t *testing.T) {
	requireDoubts(t, map[string]doubted{
		"on the day of the period":            {chart: []m{her(), periodJul, bornMay1, seen("o", "11977-6", "2025-07-28", counted(1))}, field: "parity", filled: "1"},
		"on the day before":                   {chart: []m{her(), periodJul, bornMay1, seen("o", "11977-6", "2025-07-27", counted(1))}, field: "parity", why: otherTime},
		"280 days before the due date":        {chart: []m{her(), dueMay20, seen("o", "11977-6", "2025-08-13", counted(1))}, field: "parity", filled: "1"},
		"281 days before the due date":        {chart: []m{her(), dueMay20, seen("o", "11977-6", "2025-08-12", counted(1))}, field: "parity", why: otherTime},
		"before a preterm birth at 28 weeks":  {chart: []m{her(), bornMay1, at28Weeks, seen("o", "11977-6", "2025-09-01", counted(1))}, field: "parity", why: otherTime},
		"in the pregnancy of that birth":      {chart: []m{her(), bornMay1, at28Weeks, seen("o", "11977-6", "2025-11-01", counted(1))}, field: "parity", filled: "1"},
		"a count in a first week, undated":    {chart: []m{her(), bornMay1, seen("o", "11996-6", "2025-08-10", counted(1))}, field: "gravida", why: beforeKnown},
		"gestational diabetes in that week":   {chart: []m{her(), periodJul, bornMay1, diagnosed("c", mapping.ICD10URL, "O24.410", "2025-08-02")}, field: "risk_factors", why: beforeAnybody},
		"chlamydia in that week":              {chart: []m{her(), periodJul, bornMay1, diagnosed("c", mapping.ICD10URL, "A56.02", "2025-08-02")}, field: "infections", filled: `["chlamydia"]`},
		"a count before she can have known":   {chart: []m{her(), periodJul, bornMay1, seen("o", "11996-6", "2025-08-10", counted(1))}, field: "gravida", why: "it may count earlier ones only"},
		"a diagnosis before the period":       {chart: []m{her(), periodJul, bornMay1, diagnosed("c", mapping.ICD10URL, "O24.410", "2025-07-20")}, field: "risk_factors", why: notBegun},
		"a first visit before the period":     {chart: []m{her(), periodJul, bornMay1, seen("o", "69044-6", "2025-10-01", day1("2025-07-20"))}, field: "prenatal_first_visit_date", why: "not in this pregnancy"},
		"a pregnancy that a diagnosis begins": {chart: []m{her(), diagnosed("c", mapping.ICD10URL, "Z34.80", "2026-01-10"), seen("o", "11996-6", "2025-12-01", counted(1))}, field: "gravida", why: otherTime},
	})
}

// at28Weeks is the gestational age of a newborn who was born early.
var at28Weeks = seen("ga", "11884-4", "2026-05-01", weighing(28, "wk"), aBaby)

func TestTheWindowEndsWithAnEarlierBirthOrItsStay(t *testing.T) {
	earlier := seen("b25", deliveryTime, "2025-08-10", day1("2025-08-10"))
	stay := stayed("s25", "IMP", "177184002", "2025-08-09", "2025-08-14")
	lastLive := seen("ll", "68499-3", "2025-11-01", day1("2025-08-10"))
	miscarried := diagnosed("mc", mapping.ICD10URL, "O03.9", "2025-08-10", m{"abatementDateTime": "2025-08-12", "clinicalStatus": m{"coding": l{m{"code": "resolved"}}}})
	count := func(when string) m { return seen("o", "11977-6", when, counted(1)) }
	born := bornMay1
	requireDoubts(t, map[string]doubted{
		"before a birth that is stated":       {chart: []m{her(), earlier, born, count("2025-08-09")}, field: "parity", why: otherTime},
		"on the day of that birth":            {chart: []m{her(), earlier, born, count("2025-08-10")}, field: "parity", why: otherTime},
		"after that birth":                    {chart: []m{her(), earlier, born, count("2025-09-20")}, field: "parity", filled: "1"},
		"in the stay of an earlier birth":     {chart: []m{her(), stay, born, count("2025-08-13")}, field: "parity", why: otherTime},
		"after the stay of an earlier birth":  {chart: []m{her(), stay, born, count("2025-09-20")}, field: "parity", filled: "1"},
		"before the last live birth":          {chart: []m{her(), lastLive, born, count("2025-08-09")}, field: "parity", why: otherTime},
		"before a miscarriage":                {chart: []m{her(), miscarried, born, count("2025-08-09")}, field: "parity", why: otherTime},
		"a weight of the pregnancy before":    {chart: []m{her(), earlier, born, seen("o", "56077-1", "2025-07-20", weighing(61, "kg"))}, field: "prepregnancy_weight_lb", why: otherTime},
		"a diagnosis of the pregnancy before": {chart: []m{her(), earlier, born, diagnosed("c", mapping.ICD10URL, "O13.3", "2025-07-20")}, field: "risk_factors", why: notBegun},
		"a culture of the pregnancy before":   {chart: []m{her(), earlier, seen("o", "72607-5", "2025-07-20", coded2(mapping.SNOMEDURL, "10828004")), born}, field: "infections", why: ""},
	})
}

func TestTheWindowEndsWithABirthThatIsStated(t *testing.T) {
	tear := diagnosed("c", mapping.ICD10URL, "O70.2", "2025-12-01")
	requireDoubts(t, map[string]doubted{
		"a count of four days after":          {chart: []m{her(), seen("b", deliveryTime, "2026-04-20", day1("2026-04-20")), seen("o", "11996-6", "2026-04-24", counted(3))}, field: "gravida", why: otherTime},
		"hypertension after the birth":        {chart: []m{her(), bornMay1, diagnosed("c", mapping.ICD10URL, "O13.5", "2026-05-03")}, field: "risk_factors", why: afterTheBirth},
		"chlamydia after the birth":           {chart: []m{her(), bornMay1, diagnosed("c", mapping.ICD10URL, "A56.02", "2026-05-03")}, field: "infections", why: afterTheBirth},
		"gestational diabetes on the day":     {chart: []m{her(), bornMay1, diagnosed("c", mapping.ICD10URL, "O24.410", "2026-05-01")}, field: "risk_factors", filled: `["diabetes_gestational"]`},
		"a tear of the birth":                 {chart: []m{her(), bornMay1, diagnosed("c", mapping.ICD10URL, "O70.2", "2026-05-01")}, field: "perineum", filled: `"third"`},
		"a tear recorded in the pregnancy":    {chart: []m{her(), bornMay1, tear}, field: "perineum", why: notAtBirth},
		"a tear and no birth stated":          {chart: []m{her(), dueMay20, tear}, field: "perineum", why: noBirthDay},
		"a hemorrhage in the first trimester": {chart: []m{her(), bornMay1, diagnosed("c", mapping.SNOMEDURL, "47821001", "2025-10-01")}, field: "maternal_morbidity", why: notAtBirth},
	})
}

func TestItMustBeBeyondDoubtWhichPregnancyIsMeant(t *testing.T) {
	gravida := func(when string) m { return seen("o", "11996-6", when, counted(2)) }
	due25 := seen("d25", "11778-8", "2024-11-01", day1("2025-05-20"))
	born25 := seen("b25", deliveryTime, "2025-05-01", day1("2025-05-01"))
	requireDoubts(t, map[string]doubted{
		"a due date of a year ago":               {chart: []m{her(), due25, gravida("2025-01-01")}, field: "gravida", why: "the due date is long past"},
		"the due date itself":                    {chart: []m{her(), due25}, field: "estimated_due_date", why: "the due date is long past"},
		"a birth of a year ago":                  {chart: []m{her(), born25, gravida("2025-01-01")}, field: "gravida", why: "may belong to another pregnancy"},
		"the day of that birth":                  {chart: []m{her(), born25}, field: "birth_date", why: "may belong to another pregnancy"},
		"a birth of a year ago, launched from":   {chart: []m{her(), born25, gravida("2025-01-01"), stayed("e", "IMP", "177184002", "2025-05-01", "2025-05-02")}, field: "gravida", filled: "2"},
		"her height all the same":                {chart: []m{her(), due25, seen("h", "8302-2", "2025-01-01", weighing(170, "cm"))}, field: "mother_height_in", filled: "66.9"},
		"a miscarriage in the pregnancy":         {chart: []m{her(), dueMay20, gravida("2025-11-01"), diagnosed("c", mapping.ICD10URL, "O03.9", "2025-12-01")}, field: "gravida", why: "may not have ended in a birth"},
		"a later menstrual period":               {chart: []m{her(), dueMay20, gravida("2025-11-01"), seen("l", "8665-2", "2026-04-01", day1("2026-03-20"))}, field: "gravida", why: "a later menstrual period"},
		"a period after the due date":            {chart: []m{her(), seen("d", "11778-8", "2025-09-01", day1("2026-04-02")), gravida("2025-11-01"), seen("l", "8665-2", "2026-05-02", day1("2026-04-25"))}, field: "gravida", why: "a later menstrual period"},
		"two due dates more than a week apart":   {chart: []m{her(), dueMay20, seen("d2", "11778-8", "2026-02-01", day1("2026-06-05"))}, field: "estimated_due_date", why: "more than a week apart"},
		"two due dates less than a week apart":   {chart: []m{her(), dueMay20, seen("d2", "11778-8", "2026-02-01", day1("2026-05-22"))}, field: "estimated_due_date", filled: `"2026-05-22"`},
		"an emergency in a pregnancy that lasts": {chart: []m{her(), seen("d", "11778-8", "2025-12-01", day1("2026-07-20")), stayed("s", "EMER", "183460006", "2026-04-10", "2026-04-11"), seen("w", "29463-7", "2026-04-05", weighing(80, "kg"))}, field: "delivery_weight_lb", why: ""},
		"visits after a stay said for a birth":   {chart: []m{her(), stayed("s", "IMP", "177184002", "2026-03-01", "2026-03-02"), stayed("v", "AMB", "424619006", "2026-03-20", "2026-03-20"), seen("w", "29463-7", "2026-02-25", weighing(80, "kg"))}, field: "delivery_weight_lb", why: ""},
		"a delivery weight in mid-pregnancy":     {chart: []m{her(), dueMay20, seen("w", "69461-2", "2025-12-01", weighing(70, "kg"))}, field: "delivery_weight_lb", why: "the day of the birth"},
	})
}

func TestARunningCountIsNotTheCountOfAllVisits(t *testing.T) {
	visits := func(when string) m { return seen("o", "68493-6", when, counted(7)) }
	requireDoubts(t, map[string]doubted{
		"in July for a birth in November":                       {chart: []m{her(), seen("d", "11778-8", "2025-12-20", day1("2026-07-20")), visits("2026-03-15")}, field: "prenatal_visit_count", why: runningCount},
		"in mid-pregnancy, the birth known":                     {chart: []m{her(), bornMay1, visits("2026-01-10")}, field: "prenatal_visit_count", why: runningCount},
		"the week before the birth":                             {chart: []m{her(), bornMay1, visits("2026-04-24")}, field: "prenatal_visit_count", why: runningCount},
		"at the birth":                                          {chart: []m{her(), bornMay1, visits("2026-05-01")}, field: "prenatal_visit_count", filled: "7"},
		"cigarettes of the third trimester, told in the first":  {chart: []m{her(), periodJul, bornMay1, seen("o", "64795-8", "2025-09-20", counted(0))}, field: "cigarettes_per_day_t3", why: runningCount},
		"cigarettes of the third trimester":                     {chart: []m{her(), periodJul, bornMay1, seen("o", "64795-8", "2026-04-20", counted(0))}, field: "cigarettes_per_day_t3", filled: "0"},
		"cigarettes of the second trimester, told in the first": {chart: []m{her(), periodJul, bornMay1, seen("o", "87299-4", "2025-09-20", counted(0))}, field: "cigarettes_per_day_t2", why: runningCount},
		"cigarettes of the first trimester, told in its course": {chart: []m{her(), periodJul, bornMay1, seen("o", "87298-6", "2025-09-20", counted(0))}, field: "cigarettes_per_day_t1", filled: "0"},
	})
}

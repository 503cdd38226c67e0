package uscore

import (
	"testing"

	"birthregistry/app/mapping"
)

func TestACountOfEarlierBirthsThatWasMadeAfterThisOneIsAHint(t *testing.T) {
	at := seen("b", deliveryTime, "2026-05-01T05:00:00-04:00", day1("2026-05-01T04:18:00-04:00"))
	stay := stayed("s", "IMP", "177184002", "2026-05-01T02:00:00-04:00", "2026-05-03T10:00:00-04:00")
	living := func(when string) m { return seen("o", "11638-4", when, counted(2)) }
	requireDoubts(t, map[string]doubted{
		"hours after the birth":       {chart: []m{her(), at, living("2026-05-01T15:00:00-04:00")}, field: "previous_live_births_living", why: afterBirth},
		"hours before it":             {chart: []m{her(), at, living("2026-05-01T02:30:00-04:00")}, field: "previous_live_births_living", filled: "2"},
		"at some time of that day":    {chart: []m{her(), at, living("2026-05-01")}, field: "previous_live_births_living", why: afterBirth},
		"on that day, at no time":     {chart: []m{her(), bornMay1, living("2026-05-01T02:30:00-04:00")}, field: "previous_live_births_living", why: afterBirth},
		"in the stay for the birth":   {chart: []m{her(), stay, living("2026-05-02")}, field: "previous_live_births_living", why: afterBirth},
		"before the stay":             {chart: []m{her(), stay, living("2026-04-30")}, field: "previous_live_births_living", filled: "2"},
		"cesareans, this one perhaps": {chart: []m{her(), stay, seen("o", "68497-7", "2026-05-02", counted(1))}, field: "previous_cesareans", why: afterBirth},
	})
}

func TestACountFromAfterADeliveryThatOnlyADiagnosisShowsIsAHint(t *testing.T) {
	parity := func(when string) m { return seen("o", "11977-6", when, counted(1)) }
	shown := func(system, code string) m { return diagnosed("d", system, code, "2026-05-01") }
	requireDoubts(t, map[string]doubted{
		"nothing shows it":                     {chart: []m{her(), dueMay20, parity("2026-05-02")}, field: "parity", filled: "1"},
		"a delivery":                           {chart: []m{her(), dueMay20, parity("2026-05-02"), shown(mapping.ICD10URL, "O80")}, field: "parity", why: afterBirth},
		"a delivery since":                     {chart: []m{her(), dueMay20, parity("2026-04-30"), shown(mapping.ICD10URL, "O80")}, field: "parity", filled: "1"},
		"its outcome":                          {chart: []m{her(), dueMay20, parity("2026-05-02"), shown(mapping.ICD10URL, "Z37.0")}, field: "parity", why: afterBirth},
		"its outcome, in SNOMED CT":            {chart: []m{her(), dueMay20, parity("2026-05-02"), shown(mapping.SNOMEDURL, "169826009")}, field: "parity", why: afterBirth},
		"a cesarean that the count may be of":  {chart: []m{her(), dueMay20, seen("o", "68497-7", "2026-05-02", counted(1)), shown(mapping.ICD10URL, "O82")}, field: "previous_cesareans", why: afterBirth},
		"a tear":                               {chart: []m{her(), dueMay20, parity("2026-05-02"), shown(mapping.SNOMEDURL, "6234006")}, field: "parity", why: afterBirth},
		"a hemorrhage after it":                {chart: []m{her(), dueMay20, parity("2026-05-02"), shown(mapping.ICD10URL, "O72.1")}, field: "parity", why: afterBirth},
		"the newborn's score":                  {chart: []m{her(), dueMay20, parity("2026-05-02"), seen("a", "9274-2", "2026-05-01", counted(9), aBaby)}, field: "parity", why: afterBirth},
		"the delivery before":                  {chart: []m{her(), dueMay20, parity("2026-05-02"), diagnosed("d", mapping.ICD10URL, "O80", "2023-05-01")}, field: "parity", filled: "1"},
		"the care after the delivery before":   {chart: []m{her(), dueMay20, parity("2026-05-02"), diagnosed("d", mapping.ICD10URL, "Z39.2", "2025-09-01")}, field: "parity", filled: "1"},
		"an outcome that is all that is known": {chart: []m{her(), parity("2026-05-02"), shown(mapping.ICD10URL, "Z37.0")}, field: "parity", why: afterBirth},
	})
}

func TestAValueThatAnEarlierBirthInTheChartContradictsIsAHint(t *testing.T) {
	born19 := seen("b19", deliveryTime, "2019-05-22", day1("2019-05-22"))
	born22 := seen("b22", deliveryTime, "2022-03-01", day1("2022-03-01"))
	stay22 := stayed("s22", "IMP", "177184002", "2022-02-28", "2022-03-03")
	lost22 := diagnosed("c", "http://hl7.org/fhir/sid/icd-10-cm", "O03.9", "2022-03-01")
	stated := func(code string, value m) m { return seen("o", code, "2025-11-01", value) }
	const more = "more births before this one"
	requireDoubts(t, map[string]doubted{
		"a first pregnancy":               {chart: []m{her(), bornMay1, born19, stated("11996-6", counted(1))}, field: "gravida", why: more},
		"a second pregnancy":              {chart: []m{her(), bornMay1, born19, stated("11996-6", counted(2))}, field: "gravida", filled: "2"},
		"a second pregnancy of three":     {chart: []m{her(), bornMay1, born19, stay22, stated("11996-6", counted(2))}, field: "gravida", why: more},
		"a birth and the stay for it":     {chart: []m{her(), bornMay1, born22, stay22, stated("11996-6", counted(2))}, field: "gravida", filled: "2"},
		"no birth before":                 {chart: []m{her(), bornMay1, born19, stated("11977-6", counted(0))}, field: "parity", why: more},
		"one birth before":                {chart: []m{her(), bornMay1, born19, stated("11977-6", counted(1))}, field: "parity", filled: "1"},
		"no living child":                 {chart: []m{her(), bornMay1, born19, stated("11638-4", counted(0))}, field: "previous_live_births_living", why: more},
		"no living child, but a dead one": {chart: []m{her(), bornMay1, born19, stated("11638-4", counted(0)), seen("d", "68496-9", "2025-11-01", counted(1))}, field: "previous_live_births_living", filled: "0"},
		"the last live birth but one":     {chart: []m{her(), bornMay1, born22, stated("68499-3", day1("2019-05-22"))}, field: "last_live_birth_date", why: notTheLast},
		"the last live birth":             {chart: []m{her(), bornMay1, born19, born22, stated("68499-3", day1("2022-03-01"))}, field: "last_live_birth_date", filled: `"2022-03-01"`},
		"a day after that birth":          {chart: []m{her(), bornMay1, born22, stated("68499-3", day1("2022-03-02"))}, field: "last_live_birth_date", filled: `"2022-03-02"`},
		"the last loss but one":           {chart: []m{her(), bornMay1, lost22, stated("68500-8", day1("2019-05-22"))}, field: "last_other_outcome_date", why: notTheLast},
		"the last loss":                   {chart: []m{her(), bornMay1, lost22, stated("68500-8", day1("2022-03-01"))}, field: "last_other_outcome_date", filled: `"2022-03-01"`},
	})
}

func TestNoCesareanBeforeIsNotFilledInIfTheChartShowsOne(t *testing.T) {
	none := seen("o", "68497-7", "2025-11-01", counted(0))
	const was = "the chart says that there was one"
	requireDoubts(t, map[string]doubted{
		"a diagnosis of it":             {chart: []m{her(), bornMay1, none, diagnosed("c", mapping.SNOMEDURL, "161805006", "2025-11-01")}, field: "previous_cesareans", why: was},
		"labor after it that failed":    {chart: []m{her(), bornMay1, none, diagnosed("c", mapping.ICD10URL, "O66.41", "2026-05-01")}, field: "previous_cesareans", why: was},
		"its scar":                      {chart: []m{her(), bornMay1, none, diagnosed("c", mapping.ICD10URL, "O34.22", "2025-11-01")}, field: "previous_cesareans", why: was},
		"an earlier stay for it":        {chart: []m{her(), bornMay1, none, stayed("s", "IMP", "11466000", "2019-05-21", "2019-05-24")}, field: "previous_cesareans", why: was},
		"an earlier route of birth":     {chart: []m{her(), bornMay1, none, seen("r", routeOfBirth, "2019-05-22", coded2(mapping.SNOMEDURL, "11466000"))}, field: "previous_cesareans", why: was},
		"the stay for this birth":       {chart: []m{her(), bornMay1, none, stayed("s", "IMP", "11466000", "2026-05-01", "2026-05-03")}, field: "previous_cesareans", filled: "0"},
		"an earlier vaginal birth":      {chart: []m{her(), bornMay1, none, stayed("s", "IMP", "177184002", "2019-05-21", "2019-05-24")}, field: "previous_cesareans", filled: "0"},
		"one cesarean, and an old stay": {chart: []m{her(), bornMay1, seen("o", "68497-7", "2025-11-01", counted(1)), stayed("s", "IMP", "11466000", "2019-05-21", "2019-05-24")}, field: "previous_cesareans", filled: "1"},
	})
}

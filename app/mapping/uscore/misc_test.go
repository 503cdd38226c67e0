package uscore

import (
	"testing"

	"birthregistry/app/mapping"

	"github.com/stretchr/testify/require"
)

func TestAResourceWithAnUnknownModifierIsNotRead(t *testing.T) {
	mark := m{"modifierExtension": l{m{"url": "https://ehr.example/not-so", "valueBoolean": true}}}
	gravida := func(more ...m) m {
		return seen("o", "11996-6", "2026-01-01", append(more, counted(2))...)
	}
	part := func(more ...m) m {
		return seen("o", "34970-4", "2026-01-01", m{"component": l{m{"code": m{"coding": l{m{"system": mapping.LOINCURL, "code": "11996-6"}}}}.With(append(more, counted(2))...)}})
	}
	attended := func(more ...m) m {
		return m{"participant": l{m{"type": l{m{"coding": l{m{"code": "ATND"}}}}, "individual": m{"display": "Olive Reyes, CNM"}}.With(more...)}}
	}
	stay := func(more ...m) m {
		return stayed("s", "IMP", "177184002", "2026-05-01", "2026-05-02", more...)
	}
	requireDoubts(t, map[string]doubted{
		"an Observation":            {chart: []m{her(), bornMay1, gravida(mark)}, field: "gravida"},
		"an Observation without":    {chart: []m{her(), bornMay1, gravida(m{"modifierExtension": l{}})}, field: "gravida", filled: "2"},
		"implicit rules":            {chart: []m{her(), bornMay1, gravida(m{"implicitRules": "https://ehr.example/rules"})}, field: "gravida"},
		"a component":               {chart: []m{her(), bornMay1, part(mark)}, field: "gravida"},
		"a component without":       {chart: []m{her(), bornMay1, part()}, field: "gravida", filled: "2"},
		"a Condition":               {chart: []m{her(), bornMay1, diagnosed("c", mapping.ICD10URL, "O24.410", "2026-01-01", mark)}, field: "risk_factors"},
		"a participant":             {chart: []m{her(), stay(attended(mark))}, field: "name"},
		"a participant without":     {chart: []m{her(), stay(attended())}, field: "name", filled: "Olive Reyes, CNM"},
		"the Patient":               {chart: []m{her(mark, named("Roe", "Ada"))}, field: "mother_family_name", why: "a mark that"},
		"a contact of the Patient":  {chart: []m{her(m{"contact": l{mark}}, named("Roe", "Ada"))}, field: "mother_family_name", filled: `"Roe"`},
		"a resource contained":      {chart: []m{her(), bornMay1, gravida(m{"contained": l{mark.With(m{"resourceType": "Device"})}})}, field: "gravida", filled: "2"},
		"a newer value with a mark": {chart: []m{her(), bornMay1, gravida(), seen("o2", "11996-6", "2026-03-01", mark, counted(3))}, field: "gravida", why: unreadMarked},
	})
}

func TestAnAmountCountsOnlyInItsUnitAndIfItsCodeAndTextAgree(t *testing.T) {
	quantity := func(of m) m { return m{"valueQuantity": of} }
	height := func(more ...m) []m {
		return []m{her(), bornMay1, seen("h", "8302-2", "2026-01-01", more...)}
	}
	texted := func(code, display, text string, more ...m) []m {
		return []m{her(), bornMay1, seen("o", code, "2026-04-25", append(more, worded(mapping.LOINCURL, code, display, text))...)}
	}
	const ucum = "http://unitsofmeasure.org"
	const field = "mother_height_in"
	requireDoubts(t, map[string]doubted{
		"centimeters":                  {chart: height(quantity(m{"value": 170, "unit": "cm", "system": ucum, "code": "cm"})), field: field, filled: "66.9"},
		"a unit in words":              {chart: height(quantity(m{"value": 67, "unit": "in"})), field: field, filled: "67"},
		"no unit":                      {chart: height(quantity(m{"value": 67})), field: field, why: unreadValue},
		"a unit of another system":     {chart: height(quantity(m{"value": 67, "unit": "in", "system": "urn:local", "code": "in"})), field: field, why: unreadValue},
		"a unit against its code":      {chart: height(quantity(m{"value": 67, "unit": "cm", "system": ucum, "code": "[in_i]"})), field: field, why: unreadValue},
		"a unit against its code, too": {chart: height(quantity(m{"value": 167, "unit": "inches", "system": ucum, "code": "cm"})), field: field, why: unreadValue},
		"less than":                    {chart: height(quantity(m{"value": 170, "comparator": "<", "code": "cm"})), field: field, why: unreadValue},
		"a reason why there is none":   {chart: height(quantity(m{"value": 170, "code": "cm"}), m{"dataAbsentReason": m{"coding": l{m{"code": "error"}}}}), field: field},
		"a number in words":            {chart: height(m{"valueString": "170"}), field: field, why: unreadValue},
		"a range":                      {chart: height(m{"valueRange": m{"low": m{"value": 170, "code": "cm"}}}), field: field, why: unreadValue},
		"two of one moment":            {chart: append(height(quantity(m{"value": 170, "code": "cm"})), seen("h2", "8302-2", "2026-01-01", weighing(168, "cm"))), field: field, why: contradicted},
		"the same twice":               {chart: append(height(quantity(m{"value": 170, "code": "cm"})), seen("h2", "8302-2", "2026-01-01", weighing(170, "cm"))), field: field, filled: "66.9"},
		"two of one moment, one issued later": {chart: []m{
			her(), bornMay1, seen("o", "11996-6", "2026-01-01", counted(2), m{"issued": "2026-01-01T08:00:00Z"}),
			seen("o2", "11996-6", "2026-01-01", counted(3), m{"issued": "2026-01-02T08:00:00Z"}),
		}, field: "gravida", filled: "3"},
		"a goal":                          {chart: texted("29463-7", "Body weight", "Goal weight", weighing(80, "kg")), field: "delivery_weight_lb", why: saysOtherwise},
		"a weight of the fetus":           {chart: texted("29463-7", "", "Estimated fetal weight", weighing(50, "kg")), field: "delivery_weight_lb", why: saysOtherwise},
		"a weight":                        {chart: texted("29463-7", "Body weight", "Weight", weighing(80, "kg")), field: "delivery_weight_lb", filled: "176.4"},
		"a weight of another kind":        {chart: []m{her(), bornMay1, seen("o", "29463-7", "2026-04-25", weighing(80, "kg"), m{"code": m{"coding": l{m{"system": mapping.LOINCURL, "code": "29463-7"}, m{"system": mapping.LOINCURL, "code": "8341-0"}}}})}, field: "delivery_weight_lb"},
		"the father's height":             {chart: texted("8302-2", "", "Father's height", weighing(180, "cm")), field: field, why: saysOtherwise},
		"a panel of the father's":         {chart: []m{her(), bornMay1, seen("o", "x", "2026-01-01", m{"code": m{"text": "Father of baby: measurements"}, "component": l{m{"code": m{"coding": l{m{"system": mapping.LOINCURL, "code": "8302-2"}}}}.With(weighing(185, "cm"))}})}, field: field, why: saysOtherwise},
		"a height called a weight":        {chart: texted("8302-2", "Body weight", "", weighing(170, "cm")), field: field, why: saysOtherwise},
		"her weight by its official name": {chart: texted("69461-2", "Mother's body weight --at delivery", "", weighing(80, "kg")), field: "delivery_weight_lb", filled: "176.4"},
		"the weight of her mother":        {chart: texted("69461-2", "", "Mother's body weight", weighing(80, "kg")), field: "delivery_weight_lb", why: saysOtherwise},
		"births called pregnancies":       {chart: texted("11977-6", "", "Gravida", counted(2)), field: "parity", why: saysOtherwise},
		"pregnancies by their local name": {chart: texted("11996-6", "", "OB G", counted(2)), field: "gravida", filled: "2"},
		"births, by LOINC's own name":     {chart: texted("11977-6", "[#] Parity", "Para", counted(2)), field: "parity", filled: "2"},
		"the last period by LOINC's name": {chart: []m{her(), bornMay1, seen("o", "8665-2", "2025-09-20", day1("2025-07-28"), worded(mapping.LOINCURL, "8665-2", "Last menstrual period start date", ""))}, field: "last_menstrual_period", filled: `"2025-07-28"`},
		"previous cesareans by LOINC's":   {chart: texted("68497-7", "Number of previous cesarean deliveries", "", counted(1)), field: "previous_cesareans", filled: "1"},
		"a note that it is wrong":         {chart: []m{her(), bornMay1, seen("o", "11996-6", "2026-01-01", counted(4), m{"note": l{m{"text": "Disregard, wrong patient"}}})}, field: "gravida", why: saysOtherwise},
		"two codes of ours in one":        {chart: []m{her(), bornMay1, seen("o", "11996-6", "2026-01-01", counted(2), m{"code": m{"coding": l{m{"system": mapping.LOINCURL, "code": "11996-6"}, m{"system": mapping.LOINCURL, "code": "11977-6"}}}})}, field: "gravida", why: twoCodes},
		"a due date told in UTC":          {chart: []m{her(), seen("d", "11778-8", "2025-11-01", day1("2026-05-20T05:00:00Z"))}, field: "estimated_due_date", why: "UTC"},
		"a period told in UTC":            {chart: []m{her(), bornMay1, seen("d", "8665-2", "2025-11-01", day1("2025-07-27T22:00:00+00:00"))}, field: "last_menstrual_period", why: "UTC"},
		"a status in another case":        {chart: []m{her(), bornMay1, seen("o", "11996-6", "2026-01-01", counted(2), m{"status": "Final"})}, field: "gravida"},
		"a registered one":                {chart: []m{her(), bornMay1, seen("o", "11996-6", "2026-01-01", counted(2), m{"status": "registered"})}, field: "gravida"},
		"half a pregnancy":                {chart: []m{her(), bornMay1, seen("o", "11996-6", "2026-01-01", m{"valueQuantity": m{"value": 2.5}})}, field: "gravida", why: unreadValue},
		"pregnancies in kilograms":        {chart: []m{her(), bornMay1, seen("o", "11996-6", "2026-01-01", weighing(2, "kg"))}, field: "gravida", why: unreadValue},
		"a period after the due date":     {chart: []m{her(), dueMay20, seen("l", "8665-2", "2026-04-30", day1("2026-06-10"))}, field: "last_menstrual_period"},
	})
}

func TestAStayCountsOnlyIfItTookPlaceForABirth(t *testing.T) {
	attended := m{"participant": l{m{"type": l{m{"coding": l{m{"code": "ATND"}}}}, "individual": m{"display": "Olive Reyes, CNM"}}}}
	stay := func(more ...m) []m {
		return []m{her(), stayed("s", "IMP", "177184002", "2026-05-01", "2026-05-02", append([]m{attended}, more...)...)}
	}
	requireDoubts(t, map[string]doubted{
		"finished":                  {chart: stay(), field: "name", filled: "Olive Reyes, CNM"},
		"planned":                   {chart: stay(m{"status": "planned"}), field: "name"},
		"canceled":                  {chart: stay(m{"status": "cancelled"}), field: "name"},
		"entered in error":          {chart: stay(m{"status": "entered-in-error"}), field: "name"},
		"in another case":           {chart: stay(m{"status": "FINISHED"}), field: "name"},
		"of another server":         {chart: stay(m{"subject": m{"reference": "https://other.example/fhir/Patient/p"}}), field: "name"},
		"of another class":          {chart: stay(m{"class": m{"system": "urn:local", "code": "IMP"}}), field: "name"},
		"a false labor":             {chart: stay(m{"type": l{m{"coding": l{m{"system": mapping.SNOMEDURL, "code": "177184002"}}, "text": "False labor, rule out delivery"}}}), field: "name"},
		"of an obstetric emergency": {chart: []m{her(), stayed("s", "EMER", "183460006", "2026-05-01", "2026-05-02", attended)}, field: "name", why: "does not say that it was for the birth"},
	})
	filled := readChart(t, stay()...).As[Mother]
	require.Empty(t, filled.Draft.Children[0], "a stay tells no day of birth")
}

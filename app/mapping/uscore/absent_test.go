package uscore

import (
	"testing"

	"birthregistry/app/mapping"
)

func TestAComponentWhoseValueIsMarkedAsAbsentFillsInNothing(t *testing.T) {
	absent := m{"extension": l{m{"url": "http://hl7.org/fhir/StructureDefinition/data-absent-reason", "valueCode": "not-performed"}}}
	panel := func(more m) m {
		return seen("a", "71437-8", "2026-05-01T05:00:00-04:00", m{"component": l{m{"code": m{"coding": l{m{"system": mapping.LOINCURL, "code": "9272-6"}}}}.With(more)}})
	}
	requireDoubts(t, map[string]doubted{
		"a score":               {chart: []m{baby(), panel(counted(0))}, field: "apgar_one_minute", filled: "0", as: Newborn},
		"no score, with a 0":    {chart: []m{baby(), panel(counted(0).With(m{"_valueInteger": absent}))}, field: "apgar_one_minute", why: unreadValue, as: Newborn},
		"no score, in a text":   {chart: []m{baby(), panel(m{"valueString": "0", "_valueString": absent})}, field: "apgar_one_minute", why: unreadValue, as: Newborn},
		"no score, by its code": {chart: []m{baby(), panel(m{"valueQuantity": m{"value": 0, "code": "{score}", "extension": l{absent["extension"].(l)[0]}}})}, field: "apgar_one_minute", why: unreadValue, as: Newborn},
	})
}

func TestAnAmountWithAnAbsentPartIsNotAddedUp(t *testing.T) {
	ounces := amountOf(0, "[oz_av]")
	ounces["valueQuantity"].(m)["extension"] = l{m{"url": "http://hl7.org/fhir/StructureDefinition/data-absent-reason", "valueCode": "unknown"}}
	weight := inParts("w", birthWeightCode, "2026-05-01T05:00:00-04:00", amountOf(7, "[lb_av]"), ounces)
	requireDoubts(t, map[string]doubted{"pounds without ounces": {chart: []m{baby(), weight}, field: "birth_weight_g", as: Newborn}})
}

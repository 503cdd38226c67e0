package metamorphic

import (
	"encoding/json"
	"slices"
	"strings"

	"birthregistry/app/mapping/uscore"
)

// chartFindingMutations change the Observations of a chart.
var chartFindingMutations = []mutation{
	stay("codes have other words", "Observation", func(o object) {
		for _, c := range objectsAt(o, "code", "coding") {
			c["display"] = "as entered"
		}
	}),
	stay("a code of another system stands behind ours", "Observation", func(o object) {
		if codings, ok := at(o, "code", "coding").(list); ok {
			o["code"].(object)["coding"] = append(codings, coding("urn:hospital:flowsheet", "4711"))
		}
	}),
	same("findings that are older stand next to each", func(chart object) {
		for _, o := range ofChart(chart, "Observation") {
			if textAt(o, "status") == "final" && !hasChartDate(o) && o["focus"] == nil && len(textAt(o, "effectiveDateTime")) >= len("2006-01-02") && !earliestCounts(o) {
				older := clone(o)
				older["id"], older["effectiveDateTime"] = idNextTo("older-", o), "1999"+textAt(o, "effectiveDateTime")[4:]
				addTo(chart, older)
			}
		}
	}),
	same("newer findings that were entered in error stand next to each", withEach("mistaken-", status("entered-in-error"))),
	same("newer findings that were cancelled stand next to each", withEach("cancelled-", status("cancelled"))),
	same("newer findings with a reason why there is no value stand next to each", withEach("absent-", object{"dataAbsentReason": concept(coding("urn:x", "error"))})),
	withhold("findings were entered in error", "Observation", whatever, func(o object) { o["status"] = "entered-in-error" }),
	inVersions("Observation", status("entered-in-error")), inVersions("Observation", effective("2090-01-01")),
	inVersions("Condition", object{"verificationStatus": concept(coding(verified, "entered-in-error"))}),
	inVersions("Encounter", status("entered-in-error")),
	withhold("findings were cancelled", "Observation", whatever, func(o object) { o["status"] = "cancelled" }),
	withhold("findings are of an unknown state", "Observation", whatever, func(o object) { o["status"] = "unknown" }),
	withhold("findings are preliminary", "Observation", whatever, func(o object) { o["status"] = "preliminary" }),
	withhold("findings have a reason why there is no value", "Observation", whatever, func(o object) {
		o["dataAbsentReason"] = concept(coding("urn:x", "unknown"))
		for _, c := range objectsAt(o, "component") {
			c["dataAbsentReason"] = concept(coding("urn:x", "unknown"))
		}
	}),
	withhold("findings have a modifier that nobody knows", "Observation", whatever, func(o object) { overlay(o, unknownModifier) }),
	withhold("findings are about somebody else", "Observation", whatever, func(o object) { o["subject"] = ref("Patient/somebody-else") }),
	withhold("findings are about nobody", "Observation", whatever, func(o object) { delete(o, "subject") }),
	withhold("findings have a relative in focus", "Observation", notDelivery, func(o object) { o["focus"] = list{ref("RelatedPerson/husband")} }),
	withhold("findings are undated", "Observation", notHeight, func(o object) {
		for _, name := range []string{"effectiveDateTime", "effectivePeriod", "effectiveInstant", "issued"} {
			delete(o, name)
		}
	}),
	withhold("findings are of the future", "Observation", whatever, func(o object) { redate(o, "2090-01-01") }),
	withhold("what is of one pregnancy is of fourteen years before", "Observation", ofThisPregnancy, func(o object) { redate(o, "2012-03-01") }),
	withhold("findings are of another code system", "Observation", whatever, func(o object) { systems(o["code"], "urn:hospital:flowsheet") }),
	withhold("findings have no code system", "Observation", whatever, func(o object) { systems(o["code"], "") }),
	withhold("answers are of another code system", "Observation", hasAnswer, func(o object) { systems(o["valueCodeableConcept"], "urn:hospital:list") }),
	withhold("amounts have no unit", "Observation", isMass, func(o object) { o["valueQuantity"] = object{"value": at(o, "valueQuantity", "value")} }),
	withhold("amounts are integers", "Observation", isMass, func(o object) {
		o["valueInteger"] = json.Number("82")
		delete(o, "valueQuantity")
	}),
	withhold("the words of units contradict their codes", "Observation", isMass, func(o object) {
		q := o["valueQuantity"].(object)
		o["valueQuantity"] = object{"value": q["value"], "code": unitOf(q), "unit": map[string]string{"kg": "lb", "g": "kg", "[lb_av]": "kg", "cm": "in", "[in_i]": "cm", "lbs": "kg"}[unitOf(q)], "system": ucum}
	}),
	withhold("amounts are bounds", "Observation", hasNumber, func(o object) { o["valueQuantity"].(object)["comparator"] = ">" }),
	withhold("numbers are negative", "Observation", hasNumber, func(o object) { o["valueQuantity"].(object)["value"] = json.Number("-1") }),
	withhold("counts are 99", "Observation", hasCount, func(o object) { o["valueInteger"] = json.Number("99") }),
	withhold("counts are negative", "Observation", hasCount, func(o object) { o["valueInteger"] = json.Number("-1") }),
	withhold("dates are 9999-09-09", "Observation", hasChartDate, func(o object) { o["valueDateTime"] = "9999-09-09" }),
	withhold("dates do not exist", "Observation", hasChartDate, func(o object) { o["valueDateTime"] = "2026-02-30" }),
	withhold("dates are of the year 1", "Observation", hasChartDate, func(o object) { o["valueDateTime"] = "0001-01-01" }),
	withhold("dates are in words", "Observation", hasChartDate, func(o object) {
		o["valueString"] = "in the spring"
		delete(o, "valueDateTime")
	}),
	withhold("what is of the newborn does not say whose it is", "Observation", ofBaby, func(o object) { delete(o, "focus") }).in(uscore.Mother),
	withhold("what is of the newborn has a brother in focus, of years ago", "Observation", ofBaby, func(o object) {
		o["focus"] = list{ref("Patient/brother")}
		redate(o, "2020-05-01")
	}).in(uscore.Mother),
	withhold("a running count of visits is of the first months", "Observation", coded("68493-6"), func(o object) { redate(o, "2025-11-01") }),
	withhold("what is of this pregnancy was recorded before it", "Observation", ofThisPregnancy, func(o object) { redate(o, "2025-07-20") }).of("a full chart"),
	withhold("what is of this pregnancy was recorded at the birth before", "Observation", ofThisPregnancy, func(o object) { redate(o, "2025-07-10") }).of("a full chart"),
	withhold("weights are of the hours before the birth", "Observation", coded("8339-4", "29463-7"), func(o object) { redate(o, "2026-05-01T01:00:00-04:00") }).of("a full chart of a newborn"),
}

// in limits a mutation to charts that are read under a role.
func (m mutation) in(role uscore.Role) mutation {
	return m.where(func(chart object) bool { return textAt(chart, "as") == string(role) })
}

// of limits a mutation to the full charts of this project, whose dates it knows.
func (m mutation) of(string) mutation {
	return m.where(func(chart object) bool {
		id := textAt(ofChart(chart, "Patient")[0], "id")
		return id == "p" && strings.HasPrefix(textAt(chart, "at"), "2026-0") && chart["full"] == true
	})
}

func (m mutation) where(fits func(object) bool) mutation {
	make := m.make
	m.make = func(chart object) []mutant {
		if !fits(chart) {
			return nil
		}
		return make(chart)
	}
	return m
}

func withEach(prefix string, members object) func(chart object) {
	return func(chart object) {
		for _, o := range ofChart(chart, "Observation") {
			near := clone(o)
			overlay(near, members)
			near["id"], near["issued"] = idNextTo(prefix, o), "2089-01-01T00:00:00Z"
			if q, ok := near["valueQuantity"].(object); ok {
				q["value"] = json.Number("7")
			}
			if near["valueInteger"] != nil {
				near["valueInteger"] = json.Number("7")
			}
			addTo(chart, near)
		}
	}
}

func redate(o object, to string) {
	for _, name := range []string{"effectivePeriod", "effectiveInstant", "issued"} {
		delete(o, name)
	}
	o["effectiveDateTime"] = to
}

func coded(codes ...string) func(object) bool {
	return func(o object) bool {
		return slices.ContainsFunc(objectsAt(o, "code", "coding"), func(c object) bool { return slices.Contains(codes, textAt(c, "code")) })
	}
}

// earliestCounts are the kinds of findings for which the earliest one counts, or that state the
// time of a birth.
var earliestCounts = coded("8339-4", "29463-7", "3141-9", "93857-1")

func notHeight(o object) bool { return !coded("8302-2", "3137-7")(o) }

// notDelivery excludes the time of delivery, which is the mother's although its focus may be
// the child.
func notDelivery(o object) bool { return !coded("93857-1")(o) }

func hasAnswer(o object) bool { return len(objectsAt(o, "valueCodeableConcept", "coding")) > 0 }

func hasNumber(o object) bool {
	_, ok := at(o, "valueQuantity", "value").(json.Number)
	return ok
}

func hasCount(o object) bool {
	_, ok := o["valueInteger"].(json.Number)
	return ok
}

func isMass(o object) bool {
	q, _ := o["valueQuantity"].(object)
	return hasNumber(o) && slices.Contains([]string{"g", "kg", "[lb_av]", "cm", "[in_i]", "lbs"}, unitOf(q))
}

func hasChartDate(o object) bool { return textAt(o, "valueDateTime") != "" }

// ofBaby are the findings of one newborn.
var ofBaby = coded("8339-4", "9272-6", "9274-2", "9271-8", "76516-4")

// ofThisPregnancy are the findings of one pregnancy that do not state its time.
var ofThisPregnancy = coded("11996-6", "11977-6", "11638-4", "68496-9", "69043-8", "68497-7", "56077-1", "64794-1", "87298-6", "68493-6", "72607-5", "68499-3", "69044-6")

// partial leaves out every second resource of a type, as a refused search or a missing page
// does, and marks the type as partly read.
func partial(kind string) mutation {
	return mutation{says: "every other " + kind + " was not read, and the chart says so: no more than of the whole chart", make: func(chart object) []mutant {
		n := 0
		chart["resources"] = slices.DeleteFunc(chart["resources"].(list), func(r any) bool {
			if textAt(r, "resourceType") != kind {
				return false
			}
			n++
			return n%2 == 0
		})
		chart["partial"] = append(slices.Clone(listAt(chart, "partial")), kind)
		if n < 2 {
			return nil
		}
		return []mutant{{doc: chart, less: true}}
	}}
}

package metamorphic

import (
	"encoding/json"
	"slices"
	"strings"

	"birthregistry/app/birth"
)

// rangeMutations put impossible values into findings.
var rangeMutations = []mutation{
	lose("every number is the registries' word for not known: lost", isNumeric, func(f finding) { setNumber(f, unknownOf[f.only().Name]) }),
	lose("every number is negative: lost", func(f finding) bool { return hasAmount(f) || hasInteger(f) }, func(f finding) { setNumber(f, "-1") }),
	lose("every number is beyond reason: lost", func(f finding) bool { return hasAmount(f) || hasInteger(f) }, func(f finding) { setNumber(f, "1e9") }),
	lose("every count and score is a fraction: lost", func(f finding) bool {
		return hasInteger(f) && f.only().Kind == birth.Int && slices.Contains([]string{"", "{score}", "/d"}, f.only().Unit)
	}, func(f finding) { setNumber(f, "1.5") }),
	lose("every date is 9999-09-09: lost", hasDate, setDate("9999-09-09")),
	lose("every date is 9999: lost", hasDate, setDate("9999")),
	lose("every date is 8888-08-08: lost", hasDate, setDate("8888-08-08")),
	lose("every date is of the year 1: lost", hasDate, setDate("0001-01-01T00:00:00Z")),
	lose("every date is of the year 0: lost", hasDate, setDate("0000-00-00")),
	lose("every date is of the year 1753: lost", hasDate, setDate("1753-01-01")),
	lose("every date is a thousand years off: lost", hasDate, setDate("3026-03-02")),
	lose("every date does not exist: lost", hasDate, setDate("2026-02-30")),
	lose("every date is in words: lost", hasDate, setDate("last August")),
	keep("every date has a time of day", func(f finding) bool {
		return hasDate(f) && f.only().Kind == birth.Date && len(textAt(f.object, "valueDateTime")) == len("2006-01-02")
	}, func(f finding) {
		f.object["valueDateTime"] = textAt(f.object, "valueDateTime") + "T00:00:00"
	}),
}

// unknownOf is how registries write an unknown number.
var unknownOf = map[string]string{
	"birth_weight_g": "9999", "gestational_age_weeks": "99", "apgar_one_minute": "99", "apgar_five_minute": "99", "apgar_ten_minute": "88",
	"cigarettes_per_day_pre": "99", "cigarettes_per_day_t1": "99", "cigarettes_per_day_t2": "99", "cigarettes_per_day_t3": "99",
	"prenatal_visit_count": "99", "previous_live_births_living": "99", "previous_live_births_dead": "99", "other_pregnancy_outcomes": "99",
	"gravida": "99", "parity": "99", "prepregnancy_weight_lb": "999", "delivery_weight_lb": "999", "live_births_this_delivery": "99", "fetal_deaths_this_delivery": "99",
}

func isNumeric(f finding) bool {
	if f.only() == nil || unknownOf[f.only().Name] == "" {
		return false
	}
	return hasInteger(f) || hasUnit("g", "wk", "{score}", "[lb_av]", "lb_av")(f)
}

func setNumber(f finding, digits string) {
	if q, ok := f.object["valueQuantity"].(object); ok {
		q["value"] = json.Number(digits)
		return
	}
	f.object["valueInteger"] = json.Number(digits)
}

func hasDate(f finding) bool { return f.only() != nil && textAt(f.object, "valueDateTime") != "" }

func setDate(to string) func(finding) {
	return func(f finding) { f.object["valueDateTime"] = to }
}

// absenceMutations leave values out, some with a reason and some without.
var absenceMutations = []mutation{
	lose("a reason why there is no value stands next to each: lost", anything, func(f finding) {
		f.object["dataAbsentReason"] = concept(coding("http://terminology.hl7.org/CodeSystem/data-absent-reason", "unknown"))
	}),
	lose("values are gone: lost", anything, func(f finding) { setValue(f, "", nil) }),
	lose("values are null: lost", anything, func(f finding) {
		for name := range f.object {
			if len(name) > 5 && name[:5] == "value" {
				f.object[name] = nil
			}
		}
		delete(f.object, "component")
	}),
	lose("values are empty texts: lost", anything, func(f finding) { setValue(f, "valueString", "") }),
	lose("values are blank: lost", anything, func(f finding) { setValue(f, "valueString", "  ") }),
	lose("numbers have nothing but an extension that says unknown: lost", hasInteger, func(f finding) { setValue(f, "_valueInteger", absent("unknown")) }),
	lose("dates have nothing but an extension that says unknown: lost", hasDate, func(f finding) { setValue(f, "_valueDateTime", absent("asked-unknown")) }),
	lose("yes and no have nothing but an extension that says unknown: lost", hasFlag, func(f finding) { setValue(f, "_valueBoolean", absent("not-asked")) }),
	lose("amounts have a unit and no number: lost", hasAmount, func(f finding) {
		setValue(f, "valueQuantity", object{"unit": "g", "code": "g", "system": ucum})
	}),
	lose("coded values are the null flavor UNK: lost", hasConcept, nullFlavor("UNK")),
	lose("coded values are the null flavor ASKU: lost", hasConcept, nullFlavor("ASKU")),
	lose("coded values are the null flavor NA: lost", hasConcept, nullFlavor("NA")),
	lose("coded values were refused: lost", hasConcept, func(f finding) {
		setValue(f, "valueCodeableConcept", concept(coding("http://terminology.hl7.org/CodeSystem/v3-ActReason", "PREFUS")))
	}),
	lose("coded values have words alone: lost", hasConcept, func(f finding) { setValue(f, "valueCodeableConcept", object{"text": "see the notes"}) }),
	same("members that are null are added everywhere", func(doc object) {
		everyObject(doc, func(o object) {
			for _, name := range []string{"dataAbsentReason", "focus", "comparator", "period", "language"} {
				if _, there := o[name]; !there {
					o[name] = nil
				}
			}
		})
	}),
}

func setValue(f finding, name string, value any) {
	for member := range f.object {
		if len(member) > 5 && member[:5] == "value" || len(member) > 6 && member[:6] == "_value" {
			delete(f.object, member)
		}
	}
	delete(f.object, "component")
	if name != "" {
		f.object[name] = value
	}
}

func hasFlag(f finding) bool {
	_, ok := f.object["valueBoolean"].(bool)
	return ok && f.only() != nil
}

func hasConcept(f finding) bool {
	return len(objectsAt(f.object, "valueCodeableConcept", "coding")) > 0
}

func nullFlavor(code string) func(finding) {
	return func(f finding) { setValue(f, "valueCodeableConcept", concept(coding(nulls, code))) }
}

// codeMutations change codes and their systems.
var codeMutations = []mutation{
	lose("every code is of another system: lost", anything, func(f finding) { systems(f.object["code"], "urn:hospital:flowsheet") }),
	lose("every code is of SNOMED CT, though it is not: lost", anything, func(f finding) { systems(f.object["code"], snomed) }),
	keep("codes have no system", anything, func(f finding) { unsystem(f.object["code"]) }),
	keep("codes have other words", anything, func(f finding) {
		f.object["code"] = with(f.object["code"].(object), object{"text": "Something else"})
		for _, c := range objectsAt(f.object, "code", "coding") {
			c["display"] = "Something else"
		}
	}),
	keep("a code of another system stands before ours", anything, func(f finding) {
		prepend(f.object["code"], coding("urn:hospital:flowsheet", "4711"))
	}),
	keep("a code of another system that looks like one of ours stands before ours", anything, func(f finding) {
		prepend(f.object["code"], coding("urn:hospital:flowsheet", "9272-6"))
	}),
	keep("a code of another system that looks like one of ours stands behind ours", anything, func(f finding) {
		codings := at(f.object, "code", "coding").(list)
		f.object["code"].(object)["coding"] = append(codings, coding("urn:hospital:flowsheet", "9272-6"))
	}),
	lose("every field's own name is of another system: lost", func(f finding) bool { return f.only() != nil }, func(f finding) {
		f.object["code"] = concept(coding("urn:hospital:flowsheet", f.only().Name))
	}),
	keep("every code is the field's name, of the registry's own system", func(f finding) bool {
		return f.only() != nil && (hasInteger(f) || hasAmount(f) || hasFlag(f) || hasDate(f)) && f.only().Name != "delayed_cord_clamping"
	}, func(f finding) { f.object["code"] = concept(coding(own, f.only().Name)) }),
	lose("coded values are of another system: lost", hasConcept, func(f finding) { systems(f.object["valueCodeableConcept"], "urn:hospital:list") }),
	keep("coded values have no system", hasConcept, func(f finding) { unsystem(f.object["valueCodeableConcept"]) }),
	keep("coded values have other words", hasConcept, func(f finding) {
		for _, c := range objectsAt(f.object, "valueCodeableConcept", "coding") {
			c["display"] = "as entered"
		}
	}),
	keep("a coded value of another system stands before ours", hasConcept, func(f finding) {
		prepend(f.object["valueCodeableConcept"], coding("urn:hospital:list", "70028003"))
	}),
	keep("findings have components that nobody asks for", func(f finding) bool { return f.object["component"] == nil }, func(f finding) {
		f.object["component"] = list{with(object{"code": concept(coding(loinc, "9272-6"))}, integer(1)), with(object{"code": concept(coding(loinc, "8339-4"))}, amount("1000", "g"))}
	}),
	same("findings about glucose, blood pressure and pregnancy are added", func(doc object) {
		for _, b := range courses(doc) {
			add(b, observation("2339-0", amount("90", "mg/dL")), observation("29463-7", amount("3500", "g")), observation("82810-3", sct("77386006")),
				observation("85354-9", object{"component": list{with(object{"code": concept(coding(loinc, "8480-6"))}, amount("120", "mm[Hg]"))}}))
		}
	}),
}

func systems(c any, system string) {
	for _, coding := range objectsAt(c, "coding") {
		switch {
		case system != "":
			coding["system"] = system
		case !strings.HasPrefix(textAt(coding, "system"), "urn:hospital:"): // another mutation put this code there
			delete(coding, "system")
		}
	}
}

// unsystem removes the systems, except those that belong to others.
func unsystem(c any) {
	for _, coding := range objectsAt(c, "coding") {
		if !strings.HasPrefix(textAt(coding, "system"), "urn:hospital:") {
			delete(coding, "system")
		}
	}
}

func prepend(c any, first object) {
	codings, _ := at(c, "coding").(list)
	c.(object)["coding"] = append(list{first}, codings...)
}

package metamorphic

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// unitMutations change amounts and their units.
var unitMutations = []mutation{
	keep("grams and pounds are kilograms", hasUnit("g", "[lb_av]", "lb_av"), func(f finding) { inUnit(f, "kg") }),
	keep("kilograms and pounds are grams", hasUnit("kg", "[lb_av]", "lb_av"), func(f finding) { inUnit(f, "g") }),
	keep("masses are ounces", hasUnit("g", "kg", "[lb_av]", "lb_av"), func(f finding) { inUnit(f, "[oz_av]") }),
	keep("inches are centimeters", hasUnit("[in_i]", "in_i"), func(f finding) { inUnit(f, "cm") }),
	keep("lengths are meters", hasUnit("[in_i]", "in_i", "cm"), func(f finding) { inUnit(f, "m") }),
	keep("milliliters are liters", hasUnit("mL", "ml"), func(f finding) { inUnit(f, "L") }),
	one("weeks are days: the same, and the days are told", func(doc object) *mutant {
		m := &mutant{free: []string{"gestational_age_days"}}
		for _, f := range findings(doc) {
			if hasUnit("wk")(f) {
				inUnit(f, "d")
			}
		}
		return m
	}),
	keep("numbers are texts", hasAmount, func(f finding) {
		q := f.object["valueQuantity"].(object)
		q["value"] = string(q["value"].(json.Number))
	}),
	keep("numbers have an exponent", hasAmount, func(f finding) {
		q := f.object["valueQuantity"].(object)
		if digits := string(q["value"].(json.Number)); !strings.Contains(digits, "e") {
			q["value"] = json.Number(digits + "e0")
		}
	}),
	keep("integers are decimals", hasInteger, func(f finding) {
		if digits := string(f.object["valueInteger"].(json.Number)); !strings.ContainsAny(digits, ".e") {
			f.object["valueInteger"] = json.Number(digits + ".0")
		}
	}),
	keep("integers are texts", hasInteger, func(f finding) { f.object["valueInteger"] = string(f.object["valueInteger"].(json.Number)) }),
	keep("integers are Quantities without a unit", func(f finding) bool { return hasInteger(f) && !isMeasure(f) }, func(f finding) {
		f.object["valueQuantity"] = object{"value": f.object["valueInteger"]}
		delete(f.object, "valueInteger")
	}),
	keep("units stand in words alone", hasUnit("g", "kg", "[lb_av]", "[in_i]", "cm", "wk"), func(f finding) {
		q := f.object["valueQuantity"].(object)
		unit := map[string]string{"[lb_av]": "lb", "[in_i]": "in", "wk": "weeks"}[textAt(q, "code")]
		if unit == "" {
			unit = textAt(q, "code")
		}
		f.object["valueQuantity"] = object{"value": q["value"], "unit": unit}
	}),
	keep("units have other words that mean the same", hasUnit("g", "kg", "[lb_av]", "[in_i]", "wk"), func(f finding) {
		q := f.object["valueQuantity"].(object)
		q["unit"] = map[string]string{"g": "grams", "kg": "kg", "[lb_av]": "lbs", "[in_i]": "in", "wk": "weeks"}[unitOf(q)]
	}),
	lose("masses and lengths have no unit: lost", isMeasure, func(f finding) {
		f.object["valueQuantity"] = object{"value": f.object["valueQuantity"].(object)["value"]}
	}),
	lose("masses and lengths are integers: lost", isMeasure, func(f finding) {
		f.object["valueInteger"] = wholePart(f)
		delete(f.object, "valueQuantity")
	}),
	lose("masses and lengths are texts: lost", isMeasure, func(f finding) {
		f.object["valueString"] = string(wholePart(f))
		delete(f.object, "valueQuantity")
	}),
	lose("the words of units contradict their codes: lost", isMeasure, func(f finding) {
		q := f.object["valueQuantity"].(object)
		other := map[string]string{"g": "kg", "kg": "lb", "[lb_av]": "kg", "lb_av": "kg", "[in_i]": "cm", "in_i": "cm", "cm": "in", "mL": "L"}[unitOf(q)]
		f.object["valueQuantity"] = object{"value": q["value"], "unit": other, "code": unitOf(q), "system": ucum}
	}),
	lose("units are of another kind: lost", hasAmount, func(f finding) {
		f.object["valueQuantity"] = object{"value": f.object["valueQuantity"].(object)["value"], "unit": "mm[Hg]", "code": "mm[Hg]", "system": ucum}
	}),
	lose("units are unknown: lost", isMeasure, func(f finding) {
		f.object["valueQuantity"] = object{"value": f.object["valueQuantity"].(object)["value"], "unit": "st", "code": "[stone_av]", "system": ucum}
	}),
	lose("amounts are bounds: lost", hasAmount, func(f finding) { f.object["valueQuantity"].(object)["comparator"] = "<" }),
	lose("amounts are ranges: lost", hasAmount, func(f finding) {
		f.object["valueRange"] = object{"low": f.object["valueQuantity"], "high": f.object["valueQuantity"]}
		delete(f.object, "valueQuantity")
	}),
	lose("amounts are in words: lost", func(f finding) bool { return hasAmount(f) || hasInteger(f) }, func(f finding) {
		f.object["valueString"] = "not measured"
		delete(f.object, "valueQuantity")
		delete(f.object, "valueInteger")
	}),
}

func hasAmount(f finding) bool {
	_, ok := at(f.object, "valueQuantity", "value").(json.Number)
	return ok && f.only() != nil
}

func hasInteger(f finding) bool {
	_, ok := f.object["valueInteger"].(json.Number)
	return ok && f.only() != nil
}

func unitOf(q object) string {
	if code := textAt(q, "code"); code != "" {
		return code
	}
	return textAt(q, "unit")
}

func hasUnit(units ...string) func(finding) bool {
	return func(f finding) bool {
		q, _ := f.object["valueQuantity"].(object)
		return hasAmount(f) && slices.Contains(units, unitOf(q)) && !strings.HasPrefix(string(q["value"].(json.Number)), "-")
	}
}

// isMeasure reports whether a finding is a mass, a length or a volume with a unit, under a
// code that does not fix the unit.
func isMeasure(f finding) bool {
	return hasUnit("g", "kg", "[lb_av]", "lb_av", "[in_i]", "in_i", "cm")(f) && f.only().Name != textAt(f.object, "code", "coding", 0, "code")
}

func wholePart(f finding) json.Number {
	value, _ := at(f.object, "valueQuantity", "value").(json.Number).Float64()
	return json.Number(strconv.Itoa(int(value)))
}

// sizes are the sizes of units in grams, meters, milliliters and days.
var sizes = map[string]float64{
	"g": 1, "kg": 1000, "[lb_av]": 453.59237, "lb_av": 453.59237, "[oz_av]": 28.349523125,
	"m": 1, "cm": 0.01, "[in_i]": 0.0254, "in_i": 0.0254, "mL": 1, "ml": 1, "L": 1000, "d": 1, "wk": 7,
}

func inUnit(f finding, unit string) {
	q := f.object["valueQuantity"].(object)
	value, _ := q["value"].(json.Number).Float64()
	converted := strconv.FormatFloat(value*sizes[unitOf(q)]/sizes[unit], 'f', 8, 64)
	f.object["valueQuantity"] = object{"value": json.Number(converted), "unit": unit, "code": unit, "system": ucum}
}

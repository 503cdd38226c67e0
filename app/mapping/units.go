package mapping

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"birthregistry/app/fhir"
)

// Unit is a unit's dimension and its size in that dimension.
type Unit struct {
	Base string
	Size float64
}

// Units has the accepted units, by their UCUM codes and the words that real systems write.
var Units = map[string]Unit{
	"g": {"g", 1}, "gm": {"g", 1}, "gram": {"g", 1}, "grams": {"g", 1}, "kg": {"g", 1000}, "kilogram": {"g", 1000},
	"kilograms": {"g", 1000}, "kgs": {"g", 1000}, "mg": {"g", 0.001},
	"[lb_av]": {"g", 453.59237}, "lb_av": {"g", 453.59237}, "lb": {"g", 453.59237}, "lbs": {"g", 453.59237},
	"pound": {"g", 453.59237}, "pounds": {"g", 453.59237},
	"[oz_av]": {"g", 28.349523125}, "oz_av": {"g", 28.349523125}, "oz": {"g", 28.349523125}, "ounce": {"g", 28.349523125},
	"ounces": {"g", 28.349523125},

	"[in_i]": {"cm", 2.54}, "in_i": {"cm", 2.54}, "in": {"cm", 2.54}, "inch": {"cm", 2.54}, "inches": {"cm", 2.54},
	"[ft_i]": {"cm", 30.48}, "ft_i": {"cm", 30.48}, "ft": {"cm", 30.48}, "foot": {"cm", 30.48}, "feet": {"cm", 30.48},
	"cm": {"cm", 1}, "centimeter": {"cm", 1}, "centimeters": {"cm", 1}, "centimetre": {"cm", 1},
	"centimetres": {"cm", 1}, "m": {"cm", 100}, "meter": {"cm", 100}, "meters": {"cm", 100}, "metre": {"cm", 100}, "metres": {"cm", 100},
	"mm": {"cm", 0.1},

	"s": {"s", 1}, "sec": {"s", 1}, "second": {"s", 1}, "seconds": {"s", 1}, "min": {"s", 60}, "minute": {"s", 60}, "minutes": {"s", 60},
	"h": {"s", 3600}, "hour": {"s", 3600}, "hours": {"s", 3600},
	"d": {"s", 86400}, "day": {"s", 86400}, "days": {"s", 86400},
	"{day}": {"s", 86400}, "{days}": {"s", 86400},
	"wk": {"s", 7 * 86400}, "week": {"s", 7 * 86400}, "weeks": {"s", 7 * 86400}, "wks": {"s", 7 * 86400}, "w": {"s", 7 * 86400},
	"{wk}": {"s", 7 * 86400}, "{week}": {"s", 7 * 86400}, "{weeks}": {"s", 7 * 86400},

	"mL": {"ml", 1}, "ml": {"ml", 1}, "L": {"ml", 1000}, "l": {"ml", 1000}, "cL": {"ml", 10}, "cl": {"ml", 10}, "dL": {"ml", 100},
	"dl": {"ml", 100}, "mls": {"ml", 1}, "milliliter": {"ml", 1}, "milliliters": {"ml", 1}, "cc": {"ml", 1}, "ccs": {"ml", 1}, // cubic centimeters
	"liter": {"ml", 1000}, "liters": {"ml", 1000},

	"a": {"a", 1}, "year": {"a", 1}, "years": {"a", 1}, "{score}": {"1", 1}, "score": {"1", 1}, "/10": {"1", 1}, "1": {"1", 1}, "{count}": {"1", 1},
	"/d": {"/d", 1}, "/day": {"/d", 1}, "per day": {"/d", 1}, "{cigarettes}/d": {"/d", 1}, "{cigarettes}": {"/d", 1},
	"{cigarette}": {"/d", 1}, "cigarettes": {"/d", 1}, "cigarettes/day": {"/d", 1}, "cigarettes per day": {"/d", 1},
}

// UnitNamed finds a unit by its exact name or, if there is none, by its name in any case.
func UnitNamed(name string) (Unit, bool) {
	u, known := Units[name]
	if !known {
		u, known = Units[strings.ToLower(strings.TrimSpace(name))]
	}
	return u, known
}

// UnitOf returns the code of an amount's unit or, without a code, its text.
func UnitOf(q *fhir.Quantity) string {
	return cmp.Or(q.Code, q.Unit)
}

// ucum lists the addresses of UCUM, the only code system whose codes are read as units. "" stands
// for a code without a stated system.
var ucum = []string{
	"", "http://unitsofmeasure.org", "http://unitsofmeasure.org/", "https://unitsofmeasure.org", "urn:oid:2.16.840.1.113883.6.8",
}

// UnitsDiffer reports whether an amount's unit is in doubt: its system isn't UCUM, its UCUM code
// isn't known with these capital letters (Mg is 1000 kg, not mg), or its text names a different
// unit from its code.
func UnitsDiffer(q *fhir.Quantity) bool {
	switch {
	case !slices.Contains(ucum, q.System):
		return true
	case q.Code == "":
		return false
	}
	code, known := Units[q.Code]
	if q.System == "" {
		code, known = UnitNamed(q.Code)
	}
	text, named := UnitNamed(q.Unit)
	switch {
	case !known:
		return q.System != "" && !strings.HasPrefix(q.Code, "{")
	case named:
		return code != text
	}
	return namesAnother(q.Unit, code)
}

// longestUnit is how many bytes of a unit's text are searched at most.
const longestUnit = 200

// otherRate matches a unit's text that counts something other than cigarettes a day. UCUM has no
// code for packs, so systems write "packs" next to the code /d.
var otherRate = regexp.MustCompile(`(?i)\b(packs?|pkts?|pks?|ppd|weeks?|weekly|wk|months?|monthly|mo|years?|yearly)\b`)

// namesAnother reports whether a text names another unit of mass, length or volume and doesn't name
// the given unit as well. For cigarettes a day, it reports whether the text names another rate.
func namesAnother(text string, unit Unit) bool {
	if unit.Base == "/d" {
		return otherRate.MatchString(text[:min(len(text), longestUnit)])
	}
	if len(text) > longestUnit || unit.Base != "g" && unit.Base != "cm" && unit.Base != "ml" {
		return false
	}
	another := false
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) }) {
		named, known := UnitNamed(word)
		if known && named == unit {
			return false
		}
		another = another || known && named.Base == unit.Base
	}
	return another
}

// unitless reports whether an amount may be stated without its unit. A score or a count has no
// unit, and 39 can only be weeks. A mass, a length or a volume must state its unit, such as 3.4
// kg or 3.4 lb (decision 29).
func unitless(unit string) bool {
	u, _ := UnitNamed(unit)
	return u.Base != "g" && u.Base != "cm" && u.Base != "ml"
}

// Convert converts n from one unit to another. It returns false if a unit is unknown or if the
// two have different dimensions. A plain count may name its items ({visits}), but packs aren't
// converted to cigarettes.
func Convert(n float64, from, to string) (float64, bool) {
	source, known := UnitNamed(from)
	target, _ := UnitNamed(to)
	plain := to == "" || target.Base == "1"
	switch {
	case !known:
		return n, plain && strings.HasPrefix(from, "{")
	case source == target:
		return n, true
	case plain:
		return n, source.Base == "1"
	}
	return n * source.Size / target.Size, source.Base == target.Base
}

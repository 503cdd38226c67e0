package mapping

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"birthregistry/app/fhir"
)

// Unit is a unit of measurement. Base is the base unit of its dimension, and Size is how many base
// units it has.
type Unit struct {
	Base string
	Size float64
}

// Units maps UCUM codes, and the names that real systems use, to the accepted units.
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

	"s": {"s", 1}, "sec": {"s", 1}, "secs": {"s", 1}, "second": {"s", 1}, "seconds": {"s", 1},
	"min": {"s", 60}, "mins": {"s", 60}, "minute": {"s", 60}, "minutes": {"s", 60},
	"h": {"s", 3600}, "hr": {"s", 3600}, "hrs": {"s", 3600}, "hour": {"s", 3600}, "hours": {"s", 3600},
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

// UnitNamed returns the unit with a name. It looks for the exact name first, and then for the name
// in lower case. It returns false if there is no such unit.
func UnitNamed(name string) (Unit, bool) {
	u, known := Units[name]
	if !known {
		u, known = Units[strings.ToLower(strings.TrimSpace(name))]
	}
	return u, known
}

// UnitOf returns the code of an amount's unit. If there is no code, it returns the unit's text.
func UnitOf(q *fhir.Quantity) string {
	return cmp.Or(q.Code, q.Unit)
}

// ucum lists the addresses of UCUM. Only codes from UCUM are read as units. The address "" is for a
// code without a system.
var ucum = []string{
	"", "http://unitsofmeasure.org", "http://unitsofmeasure.org/", "https://unitsofmeasure.org", "urn:oid:2.16.840.1.113883.6.8",
}

// UnitsDiffer reports whether an amount's unit is doubtful. A unit is doubtful if its system isn't
// UCUM, or if its text names a different unit than its code. It is also doubtful if no known UCUM
// code is written exactly like the code, with the same capital letters: Mg is 1000 kg, and not mg.
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

// longestUnit is the maximum number of bytes that are searched in a unit's text.
const longestUnit = 200

// otherRate matches the text of a unit that isn't cigarettes per day. UCUM has no code for packs,
// so systems write "packs" next to the code /d.
var otherRate = regexp.MustCompile(`(?i)\b(packs?|pkts?|pks?|ppd|weeks?|weekly|wk|months?|monthly|mo|years?|yearly)\b`)

// namesAnother reports whether a unit's text names another unit of mass, length, volume or time. It
// returns false if the text also names the given unit, or if the text is too long. If the given
// unit is cigarettes per day, namesAnother reports whether the text is about another rate.
func namesAnother(text string, unit Unit) bool {
	if unit.Base == "/d" {
		return otherRate.MatchString(text[:min(len(text), longestUnit)])
	}
	if len(text) > longestUnit || !slices.Contains([]string{"g", "cm", "ml", "s"}, unit.Base) {
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

// unitless reports whether an amount may lack its unit. A score or a count has no unit, and a
// gestational age of 39 can only be weeks. A mass, a length or a volume must have its unit, because
// 3.4 may be kg or lb (decision 29).
func unitless(unit string) bool {
	u, _ := UnitNamed(unit)
	return u.Base != "g" && u.Base != "cm" && u.Base != "ml"
}

// Convert converts n from one unit to another. It returns false if the first unit is unknown, or if
// the two units have different dimensions. A count may name what is counted ({visits}), but packs
// aren't converted to cigarettes.
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

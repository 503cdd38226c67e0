package mapping

import (
	"strings"

	"birthregistry/app/fhir"
)

// unit is a unit's dimension and its size in it.
type unit struct {
	base string
	size float64
}

// units knows every accepted unit: UCUM codes and the bare forms that real
// systems write.
var units = map[string]unit{
	"g": {"g", 1}, "gm": {"g", 1}, "gram": {"g", 1}, "grams": {"g", 1}, "kg": {"g", 1000}, "mg": {"g", 0.001},
	"[lb_av]": {"g", 453.59237}, "lb_av": {"g", 453.59237}, "lb": {"g", 453.59237}, "lbs": {"g", 453.59237},
	"[oz_av]": {"g", 28.349523125}, "oz_av": {"g", 28.349523125}, "oz": {"g", 28.349523125},

	"[in_i]": {"cm", 2.54}, "in_i": {"cm", 2.54}, "in": {"cm", 2.54}, "[ft_i]": {"cm", 30.48}, "ft_i": {"cm", 30.48},
	"cm": {"cm", 1}, "m": {"cm", 100}, "mm": {"cm", 0.1},

	"s": {"s", 1}, "sec": {"s", 1}, "min": {"s", 60}, "h": {"s", 3600},
	"d": {"s", 86400}, "wk": {"s", 7 * 86400}, "day": {"s", 86400}, "days": {"s", 86400}, "week": {"s", 7 * 86400}, "weeks": {"s", 7 * 86400},

	"ml": {"ml", 1}, "l": {"ml", 1000}, "cl": {"ml", 10}, "dl": {"ml", 100},

	"a": {"a", 1}, "{score}": {"1", 1}, "score": {"1", 1}, "1": {"1", 1}, "{count}": {"1", 1}, "/d": {"/d", 1}, "{cigarettes}/d": {"/d", 1},
}

// unitNamed finds a unit as it is written, else whatever its case.
func unitNamed(name string) (unit, bool) {
	u, known := units[name]
	if !known {
		u, known = units[strings.ToLower(strings.TrimSpace(name))]
	}
	return u, known
}

func unitOf(q *fhir.Quantity) string {
	if q.Code != "" {
		return q.Code
	}
	return q.Unit
}

// convert turns n of one unit into another. A number without a unit is
// read only where the field is a score or a count: elsewhere, and with an
// unknown unit, it says nothing.
func convert(n float64, from, to string) (float64, bool) {
	source, known := unitNamed(from)
	target, _ := unitNamed(to)
	dimensionless := to == "" || target.base == "1"
	if from == "" || !known && strings.HasPrefix(from, "{") {
		return n, dimensionless
	}
	switch {
	case !known:
		return 0, false
	case dimensionless:
		return n, source.base == "1"
	case source == target:
		return n, true
	}
	return n * source.size / target.size, source.base == target.base
}

package mapping

import (
	"math"
	"slices"
	"strings"

	"birthregistry/app/fhir"
)

// Sum is an amount that an Observation states in two components, such as 7 lb and 4 oz, 5 ft and 6
// in, or 36 wk and 2 d.
type Sum struct {
	Larger, Smaller float64
	Units           [2]string // in human-readable form, such as lb and oz
	// Amount is the total in the smaller unit.
	Amount *fhir.Quantity
}

// sums lists the pairs of units that an amount in two components may have. The field most is how
// many of the smaller unit make one of the larger unit.
var sums = []struct {
	larger, smaller string
	most            float64
	words           [2]string
}{
	{"[lb_av]", "[oz_av]", 16, [2]string{"lb", "oz"}},
	{"[ft_i]", "[in_i]", 12, [2]string{"ft", "in"}},
	{"wk", "d", 7, [2]string{"wk", "d"}},
}

// SumOf returns the total of the two components of an Observation that has no value itself. The
// result ok is true only if both components have the Observation's code and their units are a pair
// in sums. Only the amount in the smaller unit may have a fraction.
func SumOf(o *fhir.Observation) (s Sum, ok bool) {
	if len(o.Component) != 2 || valuesIn(o) > 0 || len(o.Code.Coding) == 0 {
		return Sum{}, false
	}
	var amounts [2]float64
	var units [2]Unit
	for i := range o.Component {
		part := o.Part(i)
		q := part.ValueQuantity
		if !sameCode(part.Code, o.Code) || hidden(&part) != "" || q == nil || !q.Value.Set || q.Comparator != "" || q.Value.Float < 0 || UnitsDiffer(q) {
			return Sum{}, false
		}
		amounts[i], units[i] = q.Value.Float, Units[strings.TrimSpace(UnitOf(q))]
	}
	if units[0].Size < units[1].Size {
		slices.Reverse(amounts[:])
		slices.Reverse(units[:])
	}
	for _, pair := range sums {
		whole := amounts[0] == math.Trunc(amounts[0])
		if units == [2]Unit{Units[pair.larger], Units[pair.smaller]} && amounts[1] < pair.most && whole {
			sum := fhir.Number{Float: amounts[0]*pair.most + amounts[1], Set: true}
			return Sum{amounts[0], amounts[1], pair.words, &fhir.Quantity{Value: sum, Code: pair.smaller}}, true
		}
	}
	return Sum{}, false
}

// Part is one of the two amounts of a Sum. It is the larger one if Larger is set.
type Part struct {
	Unit   string // the larger unit of the pair
	Larger bool
}

// PartOf reports whether the amount of an Observation may be a part of a Sum whose other part is
// in another Observation, such as 7 lb next to 4 oz. It returns false for weeks and days, because
// completed weeks are right without the days.
func PartOf(o *fhir.Observation) (p Part, ok bool) {
	q := o.ValueQuantity
	if q == nil || !q.Value.Set || q.Comparator != "" || q.Value.Float <= 0 || UnitsDiffer(q) {
		return Part{}, false
	}
	unit, _ := UnitNamed(UnitOf(q))
	for _, pair := range sums {
		switch {
		case pair.larger == "wk":
		case unit == Units[pair.larger] && q.Value.Float == math.Trunc(q.Value.Float):
			return Part{pair.larger, true}, true
		case unit == Units[pair.smaller] && q.Value.Float < pair.most:
			return Part{pair.larger, false}, true
		}
	}
	return Part{}, false
}

// IsSplit reports whether an Observation has one part of a Sum as its value and the other part in a
// component with the same code.
func IsSplit(o *fhir.Observation) bool {
	whole, ok := PartOf(o)
	for i := 0; ok && i < len(o.Component); i++ {
		part := o.Part(i)
		other, is := PartOf(&part)
		if is && other.Unit == whole.Unit && other.Larger != whole.Larger && sameCode(part.Code, o.Code) {
			return true
		}
	}
	return false
}

// sameCode reports whether two concepts have the same first coding.
func sameCode(a, b fhir.CodeableConcept) bool {
	return len(a.Coding) > 0 && a.Coding[0].Code == b.Coding[0].Code && SystemOf(a.Coding[0].System) == SystemOf(b.Coding[0].System)
}

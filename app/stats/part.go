package stats

import "birthregistry/app/birth"

// Part names the births behind one number of a measure's figure, such as its numerator.
type Part string

// The parts. A birth of twins can be in several.
const (
	Numerator   Part = "numerator"
	Denominator Part = "denominator"
	NotKnown    Part = "unknown"
)

// Parts maps the parts to the words for them on pages.
var Parts = map[Part]string{Numerator: "counted as yes", Denominator: "counted", NotKnown: "not known"}

// Counts reports whether a birth with an outcome (birth.Outcome as text) is in a part of
// the figure. For a measure of newborns, one newborn in the part is enough.
func (m *Measure) Counts(part Part, outcome string) bool {
	var o birth.Outcome
	o.Read(outcome)
	t := m.count(&o)
	switch part {
	case Numerator:
		return t.Yes > 0
	case Denominator:
		return t.Known > 0
	case NotKnown:
		return t.Missing > 0
	}
	return false
}

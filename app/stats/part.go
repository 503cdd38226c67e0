package stats

import "birthregistry/app/birth"

// Part names one number of a measure's figure, such as its numerator. Pages list the births in that
// part.
type Part string

// These are the parts. A birth of twins can be in several parts.
const (
	Numerator   Part = "numerator"
	Denominator Part = "denominator"
	NotKnown    Part = "unknown"
)

// Parts maps each part to the words that pages show for it.
var Parts = map[Part]string{Numerator: "counted as yes", Denominator: "counted", NotKnown: "not known"}

// Counts reports whether a birth counts in a part of the measure's figure. outcome is the birth's
// birth.Outcome in its text form. If the measure counts newborns, one newborn in the part is
// enough.
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

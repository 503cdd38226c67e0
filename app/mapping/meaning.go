package mapping

import (
	"slices"

	"birthregistry/app/birth"
)

// Meaning is one way to read an Observation code: the field that the code states, and how far
// the code ranks behind the best code of that field.
type Meaning struct {
	Field *birth.Field
	Rank  int
	// Own is set when the code is the field's name in the service's own CodeSystem, so
	// that the value can mean nothing else.
	Own bool
	// Category is set when the code names a category of findings.
	Category bool
}

// Outranks reports whether value a of a field with one choice is more informative than value b. A
// known value outranks "unknown". A worse tear outranks a lesser tear or an episiotomy, because
// both can occur at one birth. equal is set if both values are provisional, or if neither is.
// Otherwise, Outranks returns false.
func Outranks(field *birth.Field, a, b birth.Value, equal bool) bool {
	switch {
	case field.Kind != birth.Code || !equal:
		return false
	case field.Name == "perineum":
		return slices.Index(tears, a.Text) > slices.Index(tears, b.Text)
	}
	return a.Text != "unknown" && b.Text == "unknown"
}

// tears lists the states of the perineum, the worst last. The exact degree comes after
// third_or_fourth because it is more informative.
var tears = []string{"unknown", "intact", "other", "episiotomy", "first", "second", "third_or_fourth", "third", "fourth"}

// Union returns the codes of a, then those of b that a lacks.
func Union(a, b []string) []string {
	all := slices.Clone(a)
	for _, code := range b {
		if !slices.Contains(all, code) {
			all = append(all, code)
		}
	}
	return all
}

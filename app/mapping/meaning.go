package mapping

import (
	"slices"

	"birthregistry/app/birth"
)

// Meaning is one way to read an Observation's code. It has the field to which the code belongs.
// Rank is 0 for the field's best code, and higher for other codes.
type Meaning struct {
	Field *birth.Field
	Rank  int
	// Own is set if the code is the field's name in the service's own CodeSystem. The value can
	// then mean nothing else.
	Own bool
	// Category is set if the code is for a category of findings.
	Category bool
}

// Outranks reports whether the value a is more informative than the value b, for a field with one
// choice. A known value outranks "unknown". A worse tear outranks a lesser tear or an episiotomy,
// because both can occur at one birth. The argument equal is set if the two values are equally
// certain: both are provisional, or neither is. If equal isn't set, Outranks returns false.
func Outranks(field *birth.Field, a, b birth.Value, equal bool) bool {
	switch {
	case field.Kind != birth.Code || !equal:
		return false
	case field.Name == "perineum":
		return slices.Index(tears, a.Text) > slices.Index(tears, b.Text)
	}
	return a.Text != "unknown" && b.Text == "unknown"
}

// tears lists the options for the perineum, from the least informative to the most. The worst tear
// is last. An exact degree comes after third_or_fourth because it is more informative.
var tears = []string{"unknown", "intact", "other", "episiotomy", "first", "second", "third_or_fourth", "third", "fourth"}

// Union returns the codes of a, followed by the codes of b that aren't in a.
func Union(a, b []string) []string {
	all := slices.Clone(a)
	for _, code := range b {
		if !slices.Contains(all, code) {
			all = append(all, code)
		}
	}
	return all
}

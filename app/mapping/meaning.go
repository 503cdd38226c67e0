package mapping

import (
	"slices"

	"birthregistry/app/birth"
)

// Meaning is one way an Observation code is read: as which field, and how far
// it stands from the best code of that field.
type Meaning struct {
	Field *birth.Field
	Rank  int
	// Own is set when the code is the field's name in the service's own
	// CodeSystem, so that the value can be nothing else.
	Own bool
	// Category is set when the code is that of a category of findings.
	Category bool
}

// Outranks reports whether one option of a field tells more than another,
// whatever their codes, where they are alike in being final: what is known more
// than "unknown", and the worst tear more than a lesser one or an episiotomy, beside
// which it happened.
func Outranks(field *birth.Field, a, b birth.Value, equal bool) bool {
	switch {
	case field.Kind != birth.Code || !equal:
		return false
	case field.Name == "perineum":
		return slices.Index(tears, a.Text) > slices.Index(tears, b.Text)
	}
	return a.Text != "unknown" && b.Text == "unknown"
}

// tears orders what is said of the perineum, the worst last; of third-or-fourth
// and the exact degree the exact one tells more.
var tears = []string{"unknown", "intact", "other", "episiotomy", "first", "second", "third_or_fourth", "third", "fourth"}

func Union(a, b []string) []string {
	all := slices.Clone(a)
	for _, code := range b {
		if !slices.Contains(all, code) {
			all = append(all, code)
		}
	}
	return all
}

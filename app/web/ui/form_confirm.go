package ui

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"birthregistry/app/birth"
)

// confirmed reports whether the submitted confirmations cover every warning.
func (f *birthForm) confirmed() bool {
	return !slices.ContainsFunc(f.found, func(found birth.CheckFinding) bool { return !found.Blocks && !f.isTicked(found) })
}

// isTicked reports whether a person has confirmed a warning.
func (f *birthForm) isTicked(found birth.CheckFinding) bool {
	return slices.Contains(strings.Fields(strings.Join(f.typed["confirm"], " ")), f.tick(found))
}

// tick returns the value of the checkbox that confirms a warning. It depends on the typed values, so
// that a confirmation holds neither for a value that is corrected later nor for another newborn.
func (f *birthForm) tick(found birth.CheckFinding) string {
	values := fnv.New64a()
	for _, at := range found.Values() {
		for _, name := range boxesOf(at) {
			for _, text := range f.typed[name] {
				_, _ = fmt.Fprintf(values, "%q", strings.TrimSpace(text))
			}
			_, _ = values.Write([]byte{0})
		}
	}
	return fmt.Sprintf("%s=%x", found.ID(), values.Sum64())
}

// boxesOf returns the names of the boxes that a value is read from. The time of birth is read with the
// date of birth.
func boxesOf(at birth.Path) []string {
	boxes := []string{at.String(), at.String() + ".time"}
	switch at.Field {
	case "birth_date":
		at.Field = "birth_datetime"
		return append(boxes, at.String(), at.String()+".time")
	case "birth_datetime":
		at.Field = "birth_date"
		return append(boxes, at.String())
	}
	return boxes
}

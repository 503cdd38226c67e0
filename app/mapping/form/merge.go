package form

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"birthregistry/app/birth"
)

// Merged is a field whose value in the record has changed since the form was filled in, because
// somebody else saved the record. Now is the present value in the record. Mine is the value that
// the user has on the form.
type Merged struct {
	Name      string
	Now, Mine []string
	// Taken is set if the form now has the record's present value, because the user hadn't changed
	// the field.
	Taken bool
}

// Merge updates a form that was filled in from an earlier version of a record. It compares three
// forms, which must come from Tidy: the form as it was filled in (was), the form filled in from the
// present version (now), and the form that the user sent (mine).
//
// If the user hasn't changed a field, it gets the present value. Otherwise, it stays as typed.
// Merge returns the updated form, and a list of fields of both kinds. It lists a field if the value
// in the record has changed and differs from what was typed.
func Merge(was, now, mine url.Values) (url.Values, []Merged) {
	merged := maps.Clone(mine)
	names := maps.Clone(was)
	maps.Copy(names, now)
	var changed []Merged
	for _, name := range slices.Sorted(maps.Keys(names)) {
		before, current, typed := filledIn(was[name]), filledIn(now[name]), filledIn(mine[name])
		if slices.Equal(before, current) || slices.Equal(current, typed) {
			continue
		}
		taken := slices.Equal(before, typed)
		if taken {
			merged[name] = slices.Clone(now[name])
			if now[name] == nil {
				delete(merged, name)
			}
		}
		changed = append(changed, Merged{name, current, typed, taken})
	}
	for n := Count(merged, birth.ChildList) - 1; n >= Count(now, birth.ChildList); n-- {
		if IsBlank(merged, birth.ChildList, n) { // removed from the record, and not changed by the user
			merged = Remove(merged, birth.ChildList, n)
		}
	}
	return Tidy(merged), changed
}

// Same reports whether two forms have the same values. An empty field is the same as a missing one.
// The confirmation of warnings doesn't matter. Both forms must come from Tidy.
func Same(a, b url.Values) bool {
	names := maps.Clone(a)
	maps.Copy(names, b)
	for name := range names {
		if name != confirmed && !slices.Equal(filledIn(a[name]), filledIn(b[name])) {
			return false
		}
	}
	return true
}

// IsBlank reports whether nothing was typed for a member of a list.
func IsBlank(typed url.Values, list string, n int) bool {
	for name, texts := range typed {
		if l, i, _, ok := inList(name); ok && l == list && i == n && len(filledIn(texts)) > 0 {
			return false
		}
	}
	return true
}

// filledIn returns the texts of a field that aren't blank, sorted.
func filledIn(texts []string) (all []string) {
	for _, text := range texts {
		if text = strings.TrimSpace(text); text != "" {
			all = append(all, text)
		}
	}
	slices.Sort(all)
	return all
}

package form

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"birthregistry/app/birth"
)

// Merged is a field of a form whose value on file somebody else has changed since the form was
// filled. Now is the value on file, and Mine is what the user has on the form.
type Merged struct {
	Name      string
	Now, Mine []string
	// Taken is set if the form now has the value on file, because the user hadn't changed the
	// field.
	Taken bool
}

// Merge updates a form that was filled from an earlier version to what is on file now. was is the
// form as it was filled, now is the form as it would be filled today, and mine is the form as it
// was sent. All three must be forms that Tidy returned. A field that the user hasn't changed takes
// the value on file, and a changed field stays as it was typed. Both kinds are listed if the value
// on file has changed and differs from what was typed.
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

// Same reports whether two forms state the same. An empty field states nothing, and a confirmation
// of warnings doesn't matter. Both forms must be ones that Tidy returned.
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

// filledIn returns the texts of a field that are not empty, sorted.
func filledIn(texts []string) (all []string) {
	for _, text := range texts {
		if text = strings.TrimSpace(text); text != "" {
			all = append(all, text)
		}
	}
	slices.Sort(all)
	return all
}

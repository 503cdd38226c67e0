package form

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"birthregistry/app/birth"
	"birthregistry/app/mapping"
)

// Until a birth is saved, everything on the form remains text, under the names of the form's boxes.
// The functions in this file add and remove members of the form's lists.

var lists = []string{birth.ChildList, birth.ProviderList, birth.TransferList}

// inList splits the name of a field in a list. For example, child.2.birth_date has the list child,
// the index 2 and the field birth_date.
func inList(name string) (list string, n int, field string, ok bool) {
	parts := strings.SplitN(name, ".", 3)
	if len(parts) < 3 || !slices.Contains(lists, parts[0]) || len(parts[1]) > 2 {
		return "", 0, "", false
	}
	n, err := strconv.Atoi(parts[1])
	return parts[0], n, parts[2], err == nil && n >= 0 && strconv.Itoa(n) == parts[1]
}

// Count returns how many members a list of a form has. The form must come from Tidy.
func Count(typed url.Values, list string) (count int) {
	for name := range typed {
		if l, n, _, ok := inList(name); ok && l == list {
			count = max(count, n+1)
		}
	}
	return count
}

// ShiftProviders adds shift to the numbers of the providers that were chosen on a form
// (person.0.provider). When a practice moves to another installation, its providers get new
// numbers.
func ShiftProviders(typed url.Values, shift int64) {
	for name, texts := range typed {
		if list, _, field, ok := inList(name); !ok || list != birth.ProviderList || field != "provider" {
			continue
		}
		for n, text := range texts {
			if id, err := strconv.ParseInt(text, 10, 64); err == nil {
				texts[n] = strconv.FormatInt(id+shift, 10)
			}
		}
	}
}

// most has the maximum number of members of each list, and the word for these members in errors.
var most = map[string]struct {
	members int
	what    string
}{
	birth.ChildList: {mapping.MaxSiblings, "newborns"}, birth.ProviderList: {30, "people"}, birth.TransferList: {10, "transfers"},
}

// MostRows returns how many members a list of the form may have. This is the maximum for the list.
// If the form was filled in with more members, it is their number.
func MostRows(list string, basis *birth.Draft) int {
	ward := most[list].members
	if basis == nil {
		return ward
	}
	filled := map[string]int{
		birth.ChildList: len(basis.Children), birth.ProviderList: len(basis.Providers), birth.TransferList: len(basis.Transfers),
	}
	return max(ward, filled[list])
}

// TooMany returns the problem for a list that has too many members.
func TooMany(list string, basis *birth.Draft) birth.CheckFinding {
	ward := MostRows(list, basis)
	return birth.CheckFinding{
		Rule: "too-many", About: []birth.Path{birth.Of(list, ward-1, firstFields[list])}, Blocks: true,
		Text: fmt.Sprintf("A birth can have up to %d %s. Remove the others.", ward, most[list].what),
	}
}

// count returns how many members of a list are read. If there are more than the maximum, it adds a
// problem. The additional members stay on the form but aren't read.
func (r *reader) count(list string, basis *birth.Draft) int {
	count := Count(r.typed, list)
	if ward := MostRows(list, basis); count > ward {
		r.form.Problems = append(r.form.Problems, TooMany(list, basis))
		return ward
	}
	return count
}

// Tidy returns the form with the members of its lists numbered without gaps. The weeks and days of
// each gestational age are in one value, as in the form's box. Tidy leaves out a person or a
// transfer if nothing was typed for it. It never leaves out a newborn.
func Tidy(typed url.Values) url.Values {
	rows := map[string]map[int]bool{}
	for _, list := range lists {
		rows[list] = map[int]bool{}
	}
	for name, texts := range typed {
		list, n, field, ok := inList(name)
		if ok && (list == birth.ChildList || field != "attending" && strings.TrimSpace(strings.Join(texts, "")) != "") {
			rows[list][n] = true
		}
	}
	place := map[string]map[int]int{}
	for list, present := range rows {
		place[list] = map[int]int{}
		ordered := make([]int, 0, len(present))
		for n := range present {
			ordered = append(ordered, n)
		}
		slices.Sort(ordered)
		for i, n := range ordered {
			place[list][n] = i
		}
	}
	tidy := make(url.Values, len(typed))
	for name, texts := range typed {
		list, n, field, ok := inList(name)
		if !ok {
			tidy[name] = texts
		} else if i, kept := place[list][n]; kept {
			tidy[birth.Of(list, i, field).String()] = texts
		}
	}
	joinGestations(tidy)
	return tidy
}

// firstFields has the first field of the members of each list. Add adds a member by setting this
// field.
var firstFields = map[string]string{birth.ChildList: "birth_date", birth.ProviderList: "name", birth.TransferList: "type"}

// Add adds an empty member at the end of a list. The form must come from Tidy.
func Add(typed url.Values, list string) {
	typed.Set(birth.Of(list, Count(typed, list), firstFields[list]).String(), "")
}

// Remove returns a form without the nth member of a list. The form must come from Tidy.
func Remove(typed url.Values, list string, n int) url.Values {
	left := make(url.Values, len(typed))
	for name, texts := range typed {
		if l, i, _, ok := inList(name); !ok || l != list || i != n {
			left[name] = texts
		}
	}
	return Tidy(left)
}

package mapping

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"birthregistry/app/birth"
)

// What was typed stays what it is until it is saved: it is kept, and shown
// again, as the names and texts of the form itself. These functions add and
// remove members of its lists.

var lists = []string{birth.ChildList, birth.PersonList, birth.TransferList}

// inList takes the name of a field of a list apart: child.2.birth_date is
// (child, 2, birth_date).
func inList(name string) (list string, n int, field string, ok bool) {
	parts := strings.SplitN(name, ".", 3)
	if len(parts) < 3 || !slices.Contains(lists, parts[0]) || len(parts[1]) > 3 {
		return "", 0, "", false
	}
	n, err := strconv.Atoi(parts[1])
	return parts[0], n, parts[2], err == nil && n >= 0 && strconv.Itoa(n) == parts[1]
}

// Count returns how many members of a list a tidy form has.
func Count(typed url.Values, list string) (count int) {
	for name := range typed {
		if l, n, _, ok := inList(name); ok && l == list {
			count = max(count, n+1)
		}
	}
	return count
}

// Tidy returns the form with the members of its lists numbered without gaps.
// A person or a transfer of whom nothing was typed is left out; a newborn never
// is.
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
	return tidy
}

// Add adds an empty member at the end of a list of a tidy form.
func Add(typed url.Values, list string) {
	first := map[string]string{birth.ChildList: "birth_date", birth.PersonList: "name", birth.TransferList: "type"}[list]
	typed.Set(birth.Of(list, Count(typed, list), first).String(), "")
}

// Remove returns a tidy form without the nth member of a list.
func Remove(typed url.Values, list string, n int) url.Values {
	left := make(url.Values, len(typed))
	for name, texts := range typed {
		if l, i, _, ok := inList(name); !ok || l != list || i != n {
			left[name] = texts
		}
	}
	return Tidy(left)
}

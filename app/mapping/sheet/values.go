package sheet

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"birthregistry/app/birth"
)

// fold returns a text in lower case, with single spaces. Texts are compared and remembered in this
// form.
func fold(text string) string { return strings.ToLower(strings.Join(strings.Fields(text), " ")) }

// Group is a text that isn't a value of its column's field. Rows is the number of cells that
// contain it.
type Group struct {
	Column int    // the column's position, from 0
	Text   string // the text in the form that the function fold returns
	Shown  string // the text as it was first written
	Rows   int
	// Guess is the code for which the text certainly is an abbreviation, or "". Note says what the
	// abbreviation leaves open.
	Guess, Note string
}

// TooMany is a column with more different texts than a user can match with values (MaxValues).
type TooMany struct{ Column int }

// Unknown returns the texts that the user must match with values. These are texts that aren't
// values of their column's target, in columns for values from a list or for yes and no. They are
// sorted by column, and the most frequent texts of a column come first.
//
// Unknown leaves out texts for which the layout already has a value (Column.Values). It also leaves
// out texts that are longer than MaxText, which remain errors. The result many is the position of a
// column with more than MaxValues such texts, or -1.
func (c Format) Unknown(from io.Reader) (all []Group, many int, err error) {
	r := &reader{}
	header, err := r.open(c, from)
	if err != nil {
		return nil, -1, err
	}
	found := map[int]map[string]*Group{}
	many = -1
	for cells, err := range r.scan.filled() {
		if err != nil {
			return nil, -1, err
		}
		if notBirth(header.Cells, cells) {
			continue
		}
		for i, cell := range cells[:min(len(cells), len(r.columns))] {
			t, text := r.columns[i], TextOf(cell)
			if t == nil || text == "" || !t.coded() || r.known(t, text) || damaged(cell) != "" {
				continue
			}
			key := fold(text)
			if _, chosen := c.Layout.column(i).Values[key]; chosen || len(key) > MaxText {
				continue
			}
			if found[i] == nil {
				found[i] = map[string]*Group{}
			}
			if g := found[i][key]; g != nil {
				g.Rows++
				continue
			}
			if len(found[i]) == MaxValues {
				many = i
				continue
			}
			code, note := meaning(t, key)
			found[i][key] = &Group{i, key, cut(text, MaxText), 1, code, note}
		}
	}
	for _, groups := range found {
		for _, g := range groups {
			all = append(all, *g)
		}
	}
	slices.SortFunc(all, func(a, b Group) int {
		return cmp.Or(a.Column-b.Column, b.Rows-a.Rows, strings.Compare(a.Text, b.Text))
	})
	return all, many, nil
}

// known reports whether a text can be read without asking the user what it means.
func (r *reader) known(t *knownColumn, text string) bool {
	switch {
	case t.field != nil:
		if t.blank(text) {
			return true
		}
		_, _, ok := r.parse(t.field, text, "")
		return ok
	case t.custom != nil:
		_, _, ok := r.customCell(t.custom, text)
		return ok
	}
	_, ok := readBool(text)
	return ok || t.blank(text)
}

// Options returns the values of a target from which the user chooses, with their labels.
func (c Format) Options(target string) (all []Choice) {
	for _, t := range c.targets() {
		if t.name != target || !t.coded() {
			continue
		}
		switch {
		case t.field != nil && t.field.Kind != birth.Bool:
			for _, o := range t.field.Options {
				all = append(all, Choice{o.Code, o.Label})
			}
		case t.custom != nil && t.custom.Kind == birth.CustomChoice:
			for _, o := range t.custom.Options {
				all = append(all, Choice{o, o})
			}
		default:
			all = []Choice{{"yes", "Yes"}, {"no", "No"}}
		}
	}
	return all
}

package sheet

import (
	"slices"
	"strings"

	"birthregistry/app/birth"
	"birthregistry/app/mapping"
)

// Names returns the names of the template's columns, in order.
func (c Format) Names() (names []string) {
	for _, column := range c.columns() {
		names = append(names, column.name)
	}
	return names
}

// Rows returns a course of care as rows of the template, one for each newborn. An export of such
// rows can be imported again. Every row repeats the values of the mother and the care. The map
// custom has the values of the practice's custom fields, keyed by field key.
func (c Format) Rows(d birth.Draft, custom map[string]string) [][]string {
	columns := c.columns()
	children := d.Children
	if len(children) == 0 {
		children = []birth.Values{nil}
	}
	rows := make([][]string, len(children))
	for i, child := range children {
		stated := slices.Concat(d.Mother, d.Care, child)
		rows[i] = make([]string, len(columns))
		for n, column := range columns {
			rows[i][n] = column.write(d, stated, custom)
		}
	}
	return rows
}

// write returns the text of a cell, or "" if there is no value for it.
func (column knownColumn) write(d birth.Draft, stated birth.Values, custom map[string]string) string {
	switch {
	case column.custom != nil:
		return custom[column.custom.Key]
	case column.transfer != nil: // the template can hold one transfer
		if len(d.Transfers) == 0 {
			return ""
		}
		first := d.Transfers[0]
		return *column.transfer(&first)
	case column.field != nil:
		value, ok := stated.Get(column.field.Name)
		if !ok {
			return ""
		}
		return Written(column.field, value)
	case column.name == chartColumn:
		return d.Chart
	case column.name == consentColumn:
		if !d.Consent.Recorded {
			return ""
		}
		return writeBool(d.Consent.Granted)
	default:
		return d.Consent.DateTime
	}
}

// Written returns a value as a text from which Read reads the same value.
func Written(f *birth.Field, v birth.Value) string {
	if f.Kind == birth.Codes {
		return strings.Join(v.Set, "; ")
	}
	return mapping.Typed(f, v)
}

func writeBool(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

package sheet

import (
	"cmp"
	"fmt"
	"slices"

	"birthregistry/app/birth"
	"birthregistry/app/mapping"
)

// newborn holds the values that were read from a row.
type newborn struct {
	Row
	chart               string
	mother, care, child birth.Values
	consent             birth.Consent
	hasConsent          bool
	transfer            birth.Transfer
	custom              map[string]string
	parts               parts
	wrong               []Cell
}

// read reads the cells of a row. A cell that can't be read is recorded as wrong.
func (r *reader) read(row Row) *newborn {
	n := &newborn{Row: row}
	for i, cell := range row.Cells {
		text := TextOf(cell)
		if text == "" {
			continue
		}
		if i >= len(r.columns) {
			n.fail("", "The row has more cells than the header has columns. Put quotation marks around text that contains the delimiter.")
			break
		}
		known := len(n.wrong)
		switch column := r.columns[i]; {
		case column == nil:
		case damaged(cell) != "":
			n.fail(column.name, damaged(cell))
		case column.name == chartColumn:
			n.readChart(cleanCell(cell))
		default:
			r.readColumn(n, column, r.layout.column(i), text)
		}
		for k := range n.wrong[known:] {
			n.wrong[known+k].Value = text
		}
	}
	if i := r.void.column(row); i >= 0 {
		n.fail("", fmt.Sprintf("Column %s says that this row is void or deleted. Delete the row, or clear that cell. A record on file is voided on its own page.", Position(i+1)))
	}
	r.join(n)
	n.complete()
	return n
}

// readColumn reads a cell of a column. It uses the user's answers about the column (Column.As) and
// about the text of the cell (Column.Values).
func (r *reader) readColumn(n *newborn, column *knownColumn, by Column, text string) {
	if code, chosen := by.Values[fold(text)]; chosen && column.coded() {
		if code == "" {
			return
		}
		text = code
	}
	switch {
	case column.blank(text):
	case column.read != nil:
		if wrong := column.read(r, n, text, by.As); wrong != "" {
			n.fail(column.name, wrong)
		}
	case column.field != nil:
		value, wrong := r.cell(column.field, text, by.As)
		if wrong != "" {
			n.fail(column.name, wrong)
			return
		}
		if column.transfer != nil {
			*column.transfer(&n.transfer) = value.Text
			return
		}
		n.values(column.field).Set(column.field, value)
	case column.custom != nil:
		r.readCustom(n, column, text)
	default:
		r.readConsent(n, column.name, text)
	}
}

func (r *reader) readCustom(n *newborn, column *knownColumn, text string) {
	value, wrong, ok := r.customCell(column.custom, text)
	if !ok {
		n.fail(column.name, cmp.Or(wrong, howToWriteCustom(column.custom)))
		return
	}
	if n.custom == nil {
		n.custom = map[string]string{}
	}
	n.custom[column.custom.Key] = value
}

// values returns the row's values for the subject of a field, which is the mother, the care or the
// child.
func (n *newborn) values(f *birth.Field) *birth.Values {
	return map[birth.Subject]*birth.Values{birth.Mother: &n.mother, birth.Care: &n.care, birth.Child: &n.child}[f.About]
}

func (n *newborn) readChart(text string) {
	if isBlank(text) || fold(text) == "none" {
		return
	}
	if wrong := notChart(text); wrong != "" {
		n.fail(chartColumn, wrong)
		return
	}
	var ok bool
	if n.chart, ok = birth.Chart(text); !ok || len(text) > mapping.MaxChart {
		n.chart = ""
		n.fail(chartColumn, "Write the chart number on one line, with up to 100 characters.")
	}
}

func (r *reader) readConsent(n *newborn, column, text string) {
	var ok bool
	if column == consentColumn {
		n.consent.Granted, ok = readBool(text)
		n.hasConsent, n.consent.Recorded = ok, ok
		if !ok {
			n.fail(column, "Write yes or no; leave it blank when it is not known.")
		}
		return
	}
	var wrong string
	if n.consent.DateTime, wrong, ok = r.calendar.dateTime(text); !ok {
		n.fail(column, cmp.Or(wrong, howToWrite(birth.Must("birth_datetime"))))
	}
}

func (n *newborn) fail(column, text string) {
	n.wrong = append(n.wrong, Cell{Row: n.Number, Column: column, Text: text})
}

// failed reports whether the row's cell in a column couldn't be read.
func (n *newborn) failed(column string) bool {
	return slices.ContainsFunc(n.wrong, func(c Cell) bool { return c.Column == column })
}

// complete marks a row as wrong if it has no values about a birth.
func (n *newborn) complete() {
	if len(n.wrong) == 0 && len(n.mother)+len(n.care)+len(n.child)+len(n.custom) == 0 && !n.hasConsent && n.transfer == (birth.Transfer{}) {
		n.fail("", "The row says nothing about a birth. Fill it in or delete it.")
	}
}

func (r *reader) customCell(f *birth.CustomField, text string) (value, wrong string, ok bool) {
	switch f.Kind {
	case birth.CustomDate:
		return r.calendar.date(text)
	case birth.CustomBool:
		yes, ok := readBool(text)
		return writeBool(yes), "", ok
	case birth.CustomNumber:
		n, ok := r.number(text)
		if ok {
			value, ok = f.Accept(fmt.Sprint(n))
		}
		return value, "", ok
	case birth.CustomChoice:
		for _, option := range f.Options {
			if plain(option) == plain(text) {
				value, ok = f.Accept(option)
			}
		}
		return value, "", ok
	}
	value, ok = f.Accept(text)
	return value, tooLong(text), ok
}

func howToWriteCustom(f *birth.CustomField) string {
	switch f.Kind {
	case birth.CustomDate:
		return howToWrite(&birth.Field{Kind: birth.Date})
	case birth.CustomBool:
		return howToWrite(&birth.Field{Kind: birth.Bool})
	case birth.CustomNumber:
		return "Write a number in digits, with a decimal point."
	case birth.CustomChoice:
		return howToWrite(&birth.Field{Kind: birth.Code})
	}
	return howToWrite(&birth.Field{Kind: birth.Text})
}

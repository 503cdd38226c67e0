package sheet

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"birthregistry/app/birth"
)

// Writer writes a CSV file that spreadsheet programs open correctly. The file is encoded in UTF-8
// and begins with a byte order mark. Commas separate the cells, and rows end with CRLF. No cell can
// run as a formula.
type Writer struct {
	to    io.Writer
	begun bool
	err   error
}

// NewWriter returns a Writer for a CSV file.
func NewWriter(to io.Writer) *Writer { return &Writer{to: to} }

// Row writes a row of cells, after making them safe with SafeCell. Before the first row, it writes
// a byte order mark.
func (w *Writer) Row(cells ...string) error {
	var line strings.Builder
	if !w.begun {
		line.WriteString("\ufeff")
		w.begun = true
	}
	for i, cell := range cells {
		if i > 0 {
			line.WriteByte(',')
		}
		cell = SafeCell(birth.Plain(cell))
		if strings.ContainsAny(cell, ",;\"\r\n\t") || strings.TrimSpace(cell) != cell {
			cell = `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
		}
		line.WriteString(cell)
	}
	line.WriteString("\r\n")
	if w.err == nil {
		_, w.err = io.WriteString(w.to, line.String())
	}
	return w.err
}

// SafeCell returns a cell with an apostrophe in front of it if a spreadsheet would run the cell as
// a formula (OWASP, "CSV injection"). Some programs also run formulas with full-width signs. A
// number with a sign isn't a formula.
//
// SafeCell also adds an apostrophe if the cell begins with an apostrophe that the reader would
// remove. The reader removes the added apostrophe again.
func SafeCell(cell string) string {
	if signed(cell) && !plainNo.MatchString(cell) || kept(cell) {
		return "'" + cell
	}
	return cell
}

// signed reports whether a cell begins with a sign that may begin a formula.
func signed(cell string) bool {
	first, _ := utf8.DecodeRuneInString(cell)
	return cell != "" && strings.ContainsRune("=+-@\t\r＝＋－＠", first)
}

// kept reports whether a cell begins with an apostrophe because the rest would be a formula or a
// number. The apostrophe makes the cell a text.
func kept(cell string) bool {
	bare := strings.TrimLeft(cell, "'")
	return bare != cell && bare != "" && (signed(bare) || bare[0] >= '0' && bare[0] <= '9')
}

// Template writes a file that has only a header row, with every column that is read.
func (c Format) Template(to io.Writer) error {
	return NewWriter(to).Row(c.Names()...)
}

// Dictionary writes a row for each column, with its meaning and how to write it.
func (c Format) Dictionary(to io.Writer) error {
	w := NewWriter(to)
	if err := w.Row("column", "label", "about", "type", "unit", "minimum", "maximum", "values", "how to write it"); err != nil {
		return err
	}
	for _, column := range c.columns() {
		if err := w.Row(column.describe()...); err != nil {
			return err
		}
	}
	return nil
}

func (c knownColumn) describe() []string {
	row := []string{c.name, c.label, "care", "text", "", "", "", "", ""}
	switch {
	case c.field != nil:
		f := c.field
		row[2], row[3], row[4], row[8] = f.About.String(), f.Kind.String(), f.UnitLabel(), howToWrite(f)
		if f.Max > 0 {
			row[5], row[6] = fmt.Sprint(f.Min), fmt.Sprint(f.Max)
		}
		row[7] = OptionList(f.Options)
	case c.custom != nil:
		row[2], row[3], row[8] = "custom field", string(c.custom.Kind), howToWriteCustom(c.custom)
		row[7] = strings.Join(c.custom.Options, "; ")
	case c.name == chartColumn:
		row[8] = "Write the number by which your practice knows the birth. If a birth is on file under this number, it is amended. " +
			"Consecutive rows with the same number are twins or triplets. If the cell is blank, the registry assigns a number."
	case c.name == consentColumn:
		row[3], row[8] = "bool", "Write yes or no. If the cell of a new record is blank, consent counts as not granted."
	default:
		row[3], row[8] = "datetime", howToWrite(birth.Must("birth_datetime"))
	}
	return row
}

// OptionList returns options as text, such as "code = label; code = label".
func OptionList(options []birth.Option) string {
	var all []string
	for _, o := range options {
		all = append(all, o.Code+" = "+o.Label)
	}
	return strings.Join(all, "; ")
}

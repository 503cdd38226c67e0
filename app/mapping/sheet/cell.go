package sheet

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"birthregistry/app/birth"
	"birthregistry/app/mapping"
)

// cleanCell removes white space around a cell. It also removes the characters by which spreadsheets
// keep a text as text: an apostrophe before a formula or a number, and ="…".
func cleanCell(cell string) string {
	cell = strings.TrimFunc(cell, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(unseen, r) })
	switch {
	case kept(cell):
		cell = cell[1:]
	case strings.HasPrefix(cell, `="`) && strings.HasSuffix(cell, `"`) && len(cell) > len(`=""`):
		cell = cell[len(`="`) : len(cell)-1]
	}
	return strings.TrimSpace(cell)
}

// unseen has characters without width that come along when a text is copied from a web page.
const unseen = "\u200b\u2060\ufeff"

// TextOf returns the text of a cell in the form in which it is read. It removes what spreadsheets
// put around a text (cleanCell), and replaces non-breaking spaces. It also removes the day that
// spreadsheets and databases put before a time of day without a date (dayZero). Chart numbers are
// compared exactly, so they aren't read in this way.
func TextOf(cell string) string {
	return dayZero.ReplaceAllString(strings.ReplaceAll(cleanCell(cell), "\u00a0", " "), "$1")
}

// dayZero is the day that Access, LibreOffice and Excel write before a time of day that has no
// date.
var dayZero = regexp.MustCompile(`^(?:12/30/1899|30/12/1899|30\.12\.1899|1899-12-30|12/31/1899|1899-12-31|1/0/1900)(?:T| +)(\d)`)

// cell reads a cell that isn't blank as a value of a field. The result wrong says what is wrong
// with the cell and how to write it. It never quotes the cell.
func (r *reader) cell(f *birth.Field, text, as string) (value birth.Value, wrong string) {
	value, wrong, ok := r.parse(f, text, as)
	if wrong != "" {
		return value, wrong
	}
	if ok {
		value.Source = birth.CSV
		value, ok = f.Accept(value)
	}
	if !ok {
		return value, howToWrite(f)
	}
	if f.Kind == birth.Text {
		return value, cmp.Or(tooLong(text), notText(f, text))
	}
	return value, ""
}

// tooLong says how to shorten a text that is too long to be kept. It returns "" if the text isn't.
func tooLong(text string) string {
	if fault := birth.TextFault(text); fault != "" {
		return "The text is too long: " + fault + "."
	}
	return ""
}

// parse reads a cell that isn't blank as a value of a field. as states how to read cells that could
// mean several things, such as the unit of bare numbers (Column.As). If the cell can't be read,
// wrong may say why more precisely than howToWrite does; otherwise it is "".
func (r *reader) parse(f *birth.Field, text, as string) (value birth.Value, wrong string, ok bool) {
	switch f.Kind {
	case birth.Text:
		return birth.Value{Text: text}, "", true
	case birth.Date:
		value.Text, wrong, ok = r.calendar.date(text)
	case birth.DateTime:
		if as == noClock {
			text = withoutClock(text)
		}
		value.Text, wrong, ok = r.calendar.dateTime(text)
	case birth.Int, birth.Decimal:
		value.Number, ok = r.amount(f, text, as)
	case birth.Bool:
		value.Flag, ok = readBool(text)
	case birth.Code:
		value.Text, ok = readOption(f, text)
	case birth.Codes:
		value, ok = readOptions(f, text)
	}
	if number := f.Kind == birth.Int || f.Kind == birth.Decimal; number && !ok && thousands.MatchString(text) {
		wrong = "Leave out the comma, which may be a decimal comma. " + howToWrite(f)
	}
	return value, wrong, ok
}

// thousands matches a number in which a comma stands before three digits.
var thousands = regexp.MustCompile(`^\d{1,3},\d{3}\b`)

// amount reads a number and returns it in the field's unit. A number without a unit is in the
// column's unit, which is the argument unit. If that is "", it is in the field's unit. amount also
// reads amounts with their units, such as 7 lb 2 oz.
func (r *reader) amount(f *birth.Field, text, unit string) (float64, bool) {
	if unit == dotOunces {
		text, unit = dotOz.ReplaceAllString(text, "$1 lb $2 oz"), "lb"
		if plainNo.MatchString(text) && !isDigits(text) || commaNo.MatchString(text) { // the fraction is not certainly ounces
			return 0, false
		}
	}
	if len(text) > 2 && text[0] == '0' && isDigits(text) && slices.Contains(pregnancies, f.Name) {
		return 0, false
	}
	n, bare := r.number(text)
	if !bare {
		n, bare = r.thousand(f, text, unit)
	}
	switch {
	case bare && (unit == "" || unit == f.Unit):
		return n, true
	case bare && unit == poundsOunces, f.Unit == "":
		return 0, false
	case bare:
		return mapping.ReadAmount(f, strconv.FormatFloat(n, 'f', -1, 64)+" "+unit)
	case unit == poundsOunces:
		if m := lbOz.FindStringSubmatch(text); m != nil {
			text = m[1] + " lb " + m[2] + " oz"
		}
	}
	if r.decimalComma() {
		text = commaAmount.ReplaceAllString(text, "$1.$2$3")
	}
	if strings.Contains(text, ",") {
		return 0, false
	}
	return mapping.ReadAmount(f, text) // "7 lb 2 oz", as in the form
}

// pregnancies lists the counts in which several numbers may be written as one, such as 0010 for
// term, preterm, losses and living. In other counts, 007 is 7, as programs with columns of a fixed
// width write it.
var pregnancies = []string{"gravida", "parity", "previous_live_births_living", "previous_live_births_dead", "other_pregnancy_outcomes"}

// thousand reads a number with a comma before three digits, such as 3,905. The comma may be a
// decimal comma. thousand succeeds if only one of 3.905 and 3905 is possible for the field.
func (r *reader) thousand(f *birth.Field, text, unit string) (n float64, ok bool) {
	if !r.decimalComma() || !commaNo.MatchString(text) {
		return 0, false
	}
	for _, comma := range []string{".", ""} {
		read, err := strconv.ParseFloat(strings.Replace(text, ",", comma, 1), 64)
		in, known := read, true
		if unit != "" {
			in, known = mapping.Convert(read, unit, f.Unit)
		}
		switch {
		case err != nil || !known || !f.InRange(in):
		case ok: // both numbers are possible
			return 0, false
		default:
			n, ok = read, true
		}
	}
	return n, ok
}

// poundsOunces is the value of Column.As for a column in which 7-2 means 7 lb 2 oz.
const poundsOunces = "lb oz"

// dotOunces is the value of Column.As for a column in which 7.12 means 7 lb 12 oz, and 7 means 7
// lb. In such a column, 7.1 is an error, because spreadsheets also write 7.10 as 7.1.
const dotOunces = "lb.oz"

var dotOz = regexp.MustCompile(`^(\d{1,2})[.,]([2-9]|[1-9]\d|0)$`)

var lbOz = regexp.MustCompile(`^(\d{1,2})(?: *[-/, ] *)(\d{1,2}(?:\.\d)?)$`)

// howToWrite returns a text that says how to write a value of a field. It is for errors and for the
// data dictionary.
func howToWrite(f *birth.Field) string {
	switch f.Kind {
	case birth.Date:
		return "Write the date as 2026-03-02 or 3/2/2026 (month/day/year), the year with four digits."
	case birth.DateTime:
		return "Write date and time as 2026-03-02 04:18 or 3/2/2026 4:18 AM (month/day/year), the year with four digits."
	case birth.Int, birth.Decimal:
		kind := "a whole number"
		if f.Kind == birth.Decimal {
			kind = "a number with a decimal point"
		}
		unit := f.UnitLabel()
		switch {
		case f.Unit == "g":
			unit = " in grams, or in pounds and ounces, such as 7 lb 2 oz"
		case unit != "":
			unit = " in " + unit
		}
		return fmt.Sprintf("Write %s from %v to %v%s.", kind, f.Min, f.Max, unit)
	case birth.Bool:
		return "Write yes or no; leave it blank when it is not known."
	case birth.Code:
		return "Write one of the values that the data dictionary lists for this column."
	case birth.Codes:
		return "Write values that the data dictionary lists for this column, separated by semicolons (;)."
	}
	return "Write up to 200 characters."
}

var (
	plainNo = regexp.MustCompile(`^[+-]?\d{1,15}(\.\d{1,15})?([eE][+-]?\d{1,2})?$`)
	commaNo = regexp.MustCompile(`^[+-]?\d{1,15},\d{1,15}$`)
)

// dateTime joins a day, a time of day and an offset. It returns false if the result isn't a valid
// date and time.
func dateTime(day, clock, offset string) (string, bool) {
	t, err := time.Parse("15:04:05", seconds(clock))
	if err != nil {
		return "", false
	}
	if len(offset) == len("+0000") {
		offset = offset[:3] + ":" + offset[3:]
	}
	return birth.ParseDateTime(day + "T" + t.Format(time.TimeOnly) + offset)
}

func seconds(clock string) string {
	if strings.Count(clock, ":") == 1 {
		return clock + ":00"
	}
	return clock
}

// commaAmount matches an amount with a unit and a decimal comma, such as "3,5 kg". The comma can
// only be a decimal comma, because one or two digits follow it.
var commaAmount = regexp.MustCompile(`^(\d+),(\d{1,2})( *[A-Za-z]+\.?)$`)

// decimalComma reports whether a comma may be a decimal comma, because it doesn't separate cells.
func (r *reader) decimalComma() bool { return strings.IndexByte(";\t", r.scan.delimiter) >= 0 }

// number reads a number in digits. In a file whose cells are separated by semicolons or tabs, a
// comma is a decimal comma, unless three digits follow it, because 1,000 may be a thousand. In
// every other file, number refuses a comma as ambiguous.
func (r *reader) number(text string) (float64, bool) {
	_, behind, _ := strings.Cut(text, ",")
	if r.decimalComma() && len(behind) != 3 && commaNo.MatchString(text) {
		text = strings.Replace(text, ",", ".", 1)
	}
	if !plainNo.MatchString(text) {
		return 0, false
	}
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil
}

func readBool(text string) (flag, ok bool) {
	switch strings.ToLower(text) {
	case "yes", "y", "true", "1":
		return true, true
	case "no", "n", "false", "0":
		return false, true
	}
	return false, false
}

// readOption reads a value of a field by its code or its label, in upper or lower case. It also
// reads a sex by its first letter.
func readOption(f *birth.Field, text string) (string, bool) {
	wanted := plain(text)
	if wanted == "" {
		return "", false
	}
	for _, o := range f.Options {
		if plain(o.Code) == wanted || plain(o.Label) == wanted {
			return o.Code, true
		}
		if f.Name == "child_sex" && len(wanted) == 1 && strings.HasPrefix(o.Code, wanted) {
			return o.Code, true
		}
	}
	return "", false
}

// readOptions reads several values of a field that are separated by semicolons.
func readOptions(f *birth.Field, text string) (v birth.Value, ok bool) {
	for part := range strings.SplitSeq(text, ";") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		code, known := readOption(f, part)
		if !known {
			return v, false
		}
		v.Set = append(v.Set, code)
	}
	if len(v.Set) > 1 && (slices.Contains(v.Set, "none") || slices.Contains(v.Set, "unknown")) {
		return v, false
	}
	return v, len(v.Set) > 0
}

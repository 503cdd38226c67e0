package sheet

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"birthregistry/app/birth"
	"birthregistry/app/mapping"
)

// calendar reads dates in the form that a file uses.
type calendar struct {
	order DateOrder
	last  int // the last year that a two-digit year can mean; 0 makes two-digit years errors
}

// eitherDayText is the error for a date that could be either of two days.
const eitherDayText = "It is not certain whether the day or the month comes first. Write the date as 2026-03-02."

// midnightText is the error for 24:00, because people mean the beginning of a day by it, too.
const midnightText = "24:00 may be the beginning or the end of the day. For the beginning, write 00:00 of that day; for the end, 00:00 of the next day."

// serialText is the error for the number that a spreadsheet stores for a date.
const serialText = "A spreadsheet stores dates as numbers, and this may be such a number. Format the cell as a date, or write the date as 2026-03-02."

// isSerial reports whether a text may be the number that a spreadsheet stores for a date.
func isSerial(text string) bool {
	n, err := strconv.ParseFloat(text, 64)
	return err == nil && plainNo.MatchString(text) && n >= serialFirst && n < serialEnd
}

var (
	isoDate = regexp.MustCompile(`^\d{4}(-\d{2}){0,2}$`)
	// 2026/3/2 and 2026.3.2 can be read in only one order.
	yearFirst = regexp.MustCompile(`^(\d{4})([-/.])(\d{1,2})([-/.])(\d{1,2})$`)
	numeric   = regexp.MustCompile(`^(\d{1,2})([-/.])(\d{1,2})([-/.])(\d{4}|\d{2})$`)
	// 2-Mar-2026, 2 March 2026 and Mar 2, 2026 match. 2. März doesn't, because the names of months
	// are English.
	dayName = regexp.MustCompile(`^(\d{1,2})(?:st|nd|rd|th)?[-/ .]+([A-Za-z]{3,9})\.?[-/ .,]+(\d{4}|\d{2})$`)
	nameDay = regexp.MustCompile(`^([A-Za-z]{3,9})\.? +(\d{1,2})(?:st|nd|rd|th)?,? +(\d{4}|\d{2})$`)
	// A date, a space or a T, and a time of day.
	withTime = regexp.MustCompile(`^(.*\d{2})(?:T|,? +)(\d{1,2}:\d{2}(?::\d{2})?)(?:\.\d+)? ?([AaPp])?\.?(?:[Mm]\.?)? ?(Z|[+-]\d{2}:?\d{2})?$`)
	// A date and a time of day without a colon, as used in hospitals: 2026-03-02 0418.
	military = regexp.MustCompile(`^(.*\d)(?:T|,? +)([01]\d|2[0-3])([0-5]\d)$`)
	weekday  = regexp.MustCompile(`^(?i)(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*[., ]+`)
)

// timed returns the parts of a date that has a time of day. They are the groups of withTime. It
// returns nil for any other text.
func timed(text string) []string {
	if m := military.FindStringSubmatch(text); m != nil {
		_, day := writtenDate(m[1]) // in Mar 2 2026, the four digits are the year
		if day || isoDate.MatchString(m[1]) && len(m[1]) == len(time.DateOnly) {
			return []string{text, m[1], m[2] + ":" + m[3], "", ""}
		}
	}
	return withTime.FindStringSubmatch(text)
}

// written is a date in the form in which it is written, as three numbers. The first two numbers may
// be in either order. The zero value isn't a date.
type written struct {
	one, two, year int
	either         bool // set if month and day may be in either order; otherwise one is the month
	short          bool // the year has two digits
}

func writtenDate(text string) (d written, ok bool) {
	text = weekday.ReplaceAllString(text, "")
	number := func(s string) int {
		n, _ := strconv.Atoi(s) // digits only
		return n
	}
	if m := yearFirst.FindStringSubmatch(text); m != nil {
		return written{number(m[3]), number(m[5]), number(m[1]), false, false}, m[2] == m[4]
	}
	if m := numeric.FindStringSubmatch(text); m != nil {
		return written{number(m[1]), number(m[3]), number(m[5]), true, len(m[5]) == 2}, m[2] == m[4]
	}
	if m := dayName.FindStringSubmatch(text); m != nil {
		d = written{mapping.MonthNamed(m[2]), number(m[1]), number(m[3]), false, len(m[3]) == 2}
		return d, d.one > 0
	}
	if m := nameDay.FindStringSubmatch(text); m != nil {
		d = written{mapping.MonthNamed(m[1]), number(m[2]), number(m[3]), false, len(m[3]) == 2}
		return d, d.one > 0
	}
	return d, false
}

// monthFirst and dayFirst report whether there is such a date if it is read with the month or the
// day first.
func (d written) monthFirst() bool { return d.exists(d.one, d.two) }
func (d written) dayFirst() bool   { return d.either && d.exists(d.two, d.one) }

// ambiguous reports whether a date can be read in both orders and means a different day in each.
func (d written) ambiguous() bool { return d.monthFirst() && d.dayFirst() && d.one != d.two }

func (d written) exists(month, day int) bool {
	t := time.Date(d.fullYear(2099), time.Month(month), day, 0, 0, 0, 0, time.UTC)
	return month >= 1 && month <= 12 && t.Day() == day && d.fullYear(2099) >= 1000
}

// fullYear returns the year of a date. For a two-digit year, it returns the latest year with these
// two digits that isn't later than the argument last.
func (d written) fullYear(last int) int {
	if !d.short {
		return d.year
	}
	year := last - last%100 + d.year
	if year > last {
		year -= 100
	}
	return year
}

// date reads a date. wrong is eitherDayText if the date may be either of two days, and serialText if
// the text may be the number that a spreadsheet stores. Otherwise it is "", even if the date can't be
// read.
func (c calendar) date(text string) (date, wrong string, ok bool) {
	if isoDate.MatchString(text) {
		date, ok = birth.ParseDate(text)
		return date, "", ok
	}
	d, ok := writtenDate(text)
	if !ok && isSerial(text) {
		return "", serialText, false
	}
	if !ok {
		return c.midnight(text)
	}
	month, day := d.one, d.two
	switch {
	case d.ambiguous() && c.order == "":
		return "", eitherDayText, false
	case c.order == DayFirst && d.either, c.order == "" && !d.monthFirst():
		month, day = d.two, d.one
	}
	if !d.exists(month, day) || d.short && c.last == 0 {
		return "", "", false
	}
	at := time.Date(d.fullYear(c.last), time.Month(month), day, 0, 0, 0, 0, time.UTC)
	if at.Day() != day { // February 29, but the year with four digits isn't a leap year
		return "", "", false
	}
	return at.Format(time.DateOnly), "", true
}

// midnight reads a date to which a spreadsheet has added the time 00:00. The result ok is false for
// any other text.
func (c calendar) midnight(text string) (date, wrong string, ok bool) {
	if !strings.Contains(text, ":") {
		return "", "", false
	}
	at, wrong, _ := c.dateTime(text)
	date, clock, timed := strings.Cut(at, "T")
	return date, wrong, timed && strings.HasPrefix(clock, "00:00:00")
}

// dateTime reads a date with a time of day, on a 24-hour clock or with AM or PM. The time may have
// an offset. dateTime also reads a date without a time.
func (c calendar) dateTime(text string) (at, wrong string, ok bool) {
	m := timed(text)
	if m == nil {
		if strings.Contains(text, ":") {
			return "", "", false
		}
		return c.date(text)
	}
	if strings.HasPrefix(m[2], "24:00") {
		return "", midnightText, false
	}
	day, wrong, ok := c.date(m[1])
	if !ok || len(day) != len(time.DateOnly) {
		return "", wrong, false
	}
	clock := m[2]
	if m[3] != "" {
		t, err := time.Parse("3:04:05 PM", seconds(clock)+" "+strings.ToUpper(m[3])+"M")
		if err != nil {
			return "", "", false
		}
		clock = t.Format(time.TimeOnly)
	}
	at, ok = dateTime(day, clock, m[4])
	return at, "", ok
}

// withoutClock removes the time from a date and time if the time could be on a 12-hour or a 24-hour
// clock.
func withoutClock(text string) string {
	if m := timed(text); m != nil && m[3] == "" && eitherClock(m[2]) {
		return m[1]
	}
	return text
}

// dated reports whether a column contains dates.
func (c *knownColumn) dated() bool {
	switch {
	case c.field != nil:
		return c.field.Kind == birth.Date || c.field.Kind == birth.DateTime
	case c.custom != nil:
		return c.custom.Kind == birth.CustomDate
	}
	return c.name == consentTimeColumn
}

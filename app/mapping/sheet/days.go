package sheet

import (
	"errors"
	"io"
	"regexp"
	"strconv"
	"time"

	"birthregistry/app/birth"
)

// slashDate is a date with slashes, with or without a time after it.
var slashDate = regexp.MustCompile(`^((\d{1,2})/(\d{1,2})/\d{4})(?:[, ]|$)`)

// dayFirstText is the error for a date that may mean either of two days.
const dayFirstText = "Another date in this file has the day first, so this one could be either of two days. Write the date as 2026-03-02."

// WritesDayFirst reports whether a file has a date that certainly has the day before the
// month, and reads no further than that date. A slash date is read month first, but a
// spreadsheet that has written one such date means the day first in every column.
func (c Format) WritesDayFirst(from io.Reader) (bool, error) {
	r := &reader{}
	if _, err := r.open(c, from); err != nil {
		return false, err
	}
	for {
		cells, err := r.scan.next()
		if errors.Is(err, io.EOF) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		for i, cell := range cells[:min(len(cells), len(r.columns))] {
			if column := r.columns[i]; column != nil && column.dated() && dayFirst(cellText(cell)) {
				return true, nil
			}
		}
	}
}

// dated reports whether a column holds dates.
func (c knownColumn) dated() bool {
	switch {
	case c.field != nil:
		return c.field.Kind == birth.Date || c.field.Kind == birth.DateTime
	case c.custom != nil:
		return c.custom.Kind == birth.CustomDate
	}
	return c.name == consentTimeColumn
}

// dayFirst reports whether a date is valid only with the day before the month.
func dayFirst(text string) bool {
	m := slashDate.FindStringSubmatch(text)
	if m == nil {
		return false
	}
	_, monthFirst := time.Parse("1/2/2006", m[1])
	_, dayFirst := time.Parse("2/1/2006", m[1])
	return monthFirst != nil && dayFirst == nil
}

// eitherDay reports whether a date means different days when read month first and day
// first.
func eitherDay(text string) bool {
	m := slashDate.FindStringSubmatch(text)
	if m == nil {
		return false
	}
	one, _ := strconv.Atoi(m[2]) // both are digits
	two, _ := strconv.Atoi(m[3])
	return one != two && max(one, two) <= 12
}

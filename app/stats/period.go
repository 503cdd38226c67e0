package stats

import (
	"fmt"
	"time"
)

// Month is a calendar month, counted from year 0. A birth belongs to the month of its stated local
// date. A birth at 23:30 on December 31 therefore counts in the old year, even if the next year has
// already begun in UTC.
type Month int

// MonthOf returns the month of a time, in the time's own location.
func MonthOf(t time.Time) Month { return Month(t.Year()*12 + int(t.Month()) - 1) }

// ParseMonth parses a month such as 2026-03. It returns false if text isn't a month.
func ParseMonth(text string) (Month, bool) {
	t, err := time.Parse("2006-01", text)
	return MonthOf(t), err == nil && t.Year() > 0
}

// String returns the month in the form 2006-01.
func (m Month) String() string { return fmt.Sprintf("%04d-%02d", m.Year(), m%12+1) }

// Year returns the month's year.
func (m Month) Year() int { return int(m / 12) }

// Label returns the month as pages show it, such as Mar 2026.
func (m Month) Label() string {
	return time.Date(m.Year(), time.Month(m%12+1), 1, 0, 0, 0, 0, time.UTC).Format("Jan 2006")
}

// Period is a span of months. It includes the first and the last month.
type Period struct{ First, Last Month }

// MaxMonths is the longest period: five years.
const MaxMonths = 60

// Months returns how many months the period has.
func (p Period) Months() int { return int(p.Last-p.First) + 1 }

// Has reports whether the period contains a month.
func (p Period) Has(m Month) bool { return m >= p.First && m <= p.Last }

// Label returns the period as pages show it, such as Mar 2026, 2025, or Mar 2026 to May 2026.
func (p Period) Label() string {
	switch {
	case p.First == p.Last:
		return p.First.Label()
	case p.First%12 == 0 && p.Last == p.First+11:
		return fmt.Sprint(p.First.Year())
	}
	return p.First.Label() + " to " + p.Last.Label()
}

// Trend returns the five years that end with the period's last month. A Run covers these years.
func (p Period) Trend() Period { return Period{p.Last - MaxMonths + 1, p.Last} }

// LastYear returns the usual period, the last twelve complete months before now. now must be in the
// practice's time zone.
func LastYear(now time.Time) Period {
	last := MonthOf(now) - 1
	return Period{last - 11, last}
}

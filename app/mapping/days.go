package mapping

import (
	"strings"
	"time"

	"birthregistry/app/birth"
)

// Day is a calendar day, as the number of days since 1970-01-01. Days can be added and subtracted.
type Day int

// DayOf returns the calendar day of a time, in the time's own location.
func DayOf(t time.Time) Day {
	return Day(time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC).Unix() / (24 * 60 * 60))
}

// Time returns the beginning of the day, in UTC.
func (d Day) Time() time.Time { return time.Unix(int64(d)*24*60*60, 0).UTC() }

// String returns the day in human-readable form, such as "Mar 2, 2026".
func (d Day) String() string { return birth.When(d.Time().Format(time.DateOnly)) }

// InUTC reports whether a FHIR dateTime is in UTC. If a program writes all times in UTC, they don't
// show the local calendar day. An evening in New York is already the next day in UTC.
func InUTC(at string) bool {
	return len(at) > len(time.DateOnly) && (strings.HasSuffix(at, "Z") || strings.HasSuffix(at, "00:00") && strings.ContainsAny(at[len(at)-6:], "+-"))
}

// Moment is when something in a chart happened, as precisely as the chart says. A partial date can
// be any day from First to Last. The zero Moment means that the time isn't known.
type Moment struct {
	Text        string    // FHIR date or dateTime
	First, Last Day       // on the local calendar, as written
	At          time.Time // for sorting; UTC is assumed if there is no offset
	Instant     bool      // set if At is exact
}

// Known reports whether the chart has a time at all.
func (m Moment) Known() bool { return m.Text != "" }

// Exact reports whether the calendar day is known.
func (m Moment) Exact() bool { return m.Known() && m.First == m.Last }

// Date returns the date as text, without the time of day. It may be a partial date.
func (m Moment) Date() string { return m.Text[:min(len(m.Text), len(time.DateOnly))] }

// MomentOf reads a FHIR date, dateTime or instant. It returns the zero Moment for any other text.
func MomentOf(text string) Moment {
	text, ok := birth.ParseDateTime(text)
	if !ok {
		return Moment{}
	}
	m := Moment{Text: text}
	m.At, m.Instant = birth.Instant(text)
	if date := m.Date(); len(date) < len(time.DateOnly) {
		layout, years, months := "2006", 1, 0
		if len(date) > len("2006") {
			layout, years, months = "2006-01", 0, 1
		}
		from, _ := time.Parse(layout, date)
		m.First, m.Last, m.At = DayOf(from), DayOf(from.AddDate(years, months, -1)), from
		return m
	}
	from, _ := time.Parse(time.DateOnly, m.Date())
	m.First, m.Last = DayOf(from), DayOf(from)
	if m.At.IsZero() {
		m.At = from
	}
	return m
}

// FirstMoment returns the Moment of the first text that is a date. It returns the zero Moment if
// there is none.
func FirstMoment(texts ...string) Moment {
	for _, text := range texts {
		if m := MomentOf(text); m.Known() {
			return m
		}
	}
	return Moment{}
}

// OutsidePeriod reports whether a period has ended before a day, or begins after it.
func OutsidePeriod(start, end Moment, today Day) bool {
	return end.Known() && end.Last < today || start.Known() && start.First > today
}

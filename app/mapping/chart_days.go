package mapping

import (
	"time"

	"birthregistry/app/birth"
)

// day counts the days since 1970-01-01, so that spans of a pregnancy are sums.
type day int

func dayOf(t time.Time) day {
	return day(time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC).Unix() / (24 * 60 * 60))
}

func (d day) time() time.Time { return time.Unix(int64(d)*24*60*60, 0).UTC() }

func (d day) String() string { return birth.When(d.time().Format(time.DateOnly)) }

// moment is when something in a chart was, as far as the chart tells: a partial
// date can be any day from first to last. The zero moment is not known.
type moment struct {
	text        string    // FHIR date or dateTime
	first, last day       // on the calendar of the place, as it is written
	at          time.Time // for the order; without an offset as if it were UTC
	instant     bool      // at is exact
}

func (m moment) known() bool { return m.text != "" }

// exact reports whether the day is told.
func (m moment) exact() bool { return m.known() && m.first == m.last }

// date is the moment without its time of day.
func (m moment) date() string { return m.text[:min(len(m.text), len(time.DateOnly))] }

// momentOf reads a FHIR date, dateTime or instant.
func momentOf(text string) moment {
	text, ok := birth.ParseDateTime(text)
	if !ok {
		return moment{}
	}
	m := moment{text: text}
	m.at, m.instant = birth.Instant(text)
	if date := m.date(); len(date) < len(time.DateOnly) {
		layout, years, months := "2006", 1, 0
		if len(date) > len("2006") {
			layout, years, months = "2006-01", 0, 1
		}
		from, _ := time.Parse(layout, date)
		m.first, m.last, m.at = dayOf(from), dayOf(from.AddDate(years, months, -1)), from
		return m
	}
	from, _ := time.Parse(time.DateOnly, m.date())
	m.first, m.last = dayOf(from), dayOf(from)
	if m.at.IsZero() {
		m.at = from
	}
	return m
}

// firstOf is the first of the texts that is a date.
func firstOf(texts ...string) moment {
	for _, text := range texts {
		if m := momentOf(text); m.known() {
			return m
		}
	}
	return moment{}
}

// over reports whether a period is over, or has not begun, on a day.
func over(start, end moment, today day) bool {
	return end.known() && end.last < today || start.known() && start.first > today
}

// The spans of a pregnancy, in days (uscore-mapping §3).
const (
	term        = 280 // from the last menstrual period to the due date
	longest     = 301 // 43 weeks
	viable      = 140 // 20 weeks
	postTerm    = 21  // a birth that much after the due date
	afterwards  = 3   // what is recorded soon after the birth
	latestLMP   = 140 // before the birth
	earliestLMP = 308
)

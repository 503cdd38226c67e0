package birth

import "time"

// Stamp is when a record was last changed in its source system (spec, "Bundle.meta.lastUpdated
// or timestamp"; decision 20): the first and the last instant that the stated time can mean. A
// time with an offset means one instant, and a date means the whole day. The zero Stamp means that
// nothing was stated.
type Stamp struct{ First, Last time.Time }

// IsZero reports whether nothing was stated.
func (s Stamp) IsZero() bool { return s.First.IsZero() }

// ParseStamp reads a stamp in the form of a FHIR time. A date, a month or a year, and a
// time without an offset, are read in zone, the time zone of the practice. ok is false for
// any other text.
func ParseStamp(text string, zone *time.Location) (s Stamp, ok bool) {
	if t, offset, ok := parseTime(text); ok {
		if !offset {
			t = time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), zone)
		}
		return Stamp{t.UTC(), t.UTC()}, true
	}
	if _, ok := ParseDate(text); !ok {
		return Stamp{}, false
	}
	years, months, days := 0, 0, 0
	layout := time.DateOnly[:len(text)]
	switch layout {
	case "2006":
		years = 1
	case "2006-01":
		months = 1
	default:
		days = 1
	}
	first, err := time.ParseInLocation(layout, text, zone)
	if err != nil {
		return Stamp{}, false
	}
	return Stamp{first.UTC(), first.AddDate(years, months, days).Add(-1).UTC()}, true
}

// futureLimit is how far in the future a stamp may be by the installation's clock. A later
// stamp is dropped, because it would block every later amendment.
const futureLimit = 24 * time.Hour

// Usable reports whether s states a time that is at most a day in the future.
func (s Stamp) Usable(now time.Time) bool {
	return !s.IsZero() && !s.First.After(now.Add(futureLimit))
}

// Saving returns the stamp of a change that a person saves now. onFile is the present stamp of the
// record. Saving returns now or, if onFile is in the future because a sender's clock is fast, a
// time just after onFile. So everything that was pushed before, or is pushed again unchanged, is
// older than what the person saved.
func Saving(now, onFile time.Time) time.Time {
	if now.After(onFile) {
		return now
	}
	return onFile.Add(1)
}

package birth

import "time"

// Stamp is when a record was last changed where it comes from (spec,
// "Bundle.meta.lastUpdated or timestamp"; decision 20): the first and the last
// instant that what is stated can mean. A time with an offset means one instant,
// a date all of its day. The zero Stamp is none.
type Stamp struct{ First, Last time.Time }

// Instantly returns the stamp that means one instant; the zero time is none.
func Instantly(t time.Time) Stamp { return Stamp{t, t} }

// IsZero reports whether nothing was stated.
func (s Stamp) IsZero() bool { return s.First.IsZero() }

// ParseStamp reads a stamp as FHIR writes times. A date, a month or a year, and
// a time without an offset, are read in zone, which is the practice's. ok is
// false for what is none of these.
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

// futureLimit is how far ahead of our clock a stamp may lie. One beyond it
// would block every later amendment, so it is dropped.
const futureLimit = 24 * time.Hour

// Usable reports whether there is a stamp that lies no more than a day ahead.
func (s Stamp) Usable(now time.Time) bool {
	return !s.IsZero() && !s.First.After(now.Add(futureLimit))
}

// Saving returns the stamp of what a person saves now over a record whose stamp
// is onFile: the moment, or just after onFile where that lies ahead (the clock of
// a sender may run fast). So what was pushed before is older than what the person
// saved, and so is the same push sent again.
func Saving(now, onFile time.Time) time.Time {
	if now.After(onFile) {
		return now
	}
	return onFile.Add(1)
}

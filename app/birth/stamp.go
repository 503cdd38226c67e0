package birth

import "time"

// Stamp is the time at which a record was last changed in its source system (spec,
// "Bundle.meta.lastUpdated or timestamp"; decision 20). First and Last are the earliest and the
// latest instant that the stated time can mean. A time with an offset means one instant; a date
// means the whole day. The zero Stamp means that no time was stated.
type Stamp struct{ First, Last time.Time }

// IsZero reports whether no time was stated.
func (s Stamp) IsZero() bool { return s.First.IsZero() }

// ParseStamp parses a stamp in the form of a FHIR date or dateTime. zone is the time zone of the
// practice, which applies to everything without an offset: a time, a date, a month or a year. ok is
// false if the text has another form.
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

// futureLimit is how far a stamp may be in the future, by the installation's clock. A later stamp
// is dropped, because it would block every later amendment.
const futureLimit = 24 * time.Hour

// Usable reports whether s states a time that is at most a day in the future.
func (s Stamp) Usable(now time.Time) bool {
	return !s.IsZero() && !s.First.After(now.Add(futureLimit))
}

// Saving returns the stamp of a change that a person saves at the time now. onFile is the record's
// present stamp. The result is now. If a sender's fast clock has set onFile to the future, the
// result is a time just after onFile. Everything that was pushed before, or is pushed again
// unchanged, is therefore older than what the person saved.
func Saving(now, onFile time.Time) time.Time {
	if now.After(onFile) {
		return now
	}
	return onFile.Add(1)
}

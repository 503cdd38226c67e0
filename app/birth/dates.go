package birth

import (
	"regexp"
	"strings"
	"time"
)

// The first and the last year that a date of a record can have. They exclude 9999, which registries
// write for an unknown date, and the years 1 and 1900, which programs write for a missing date.
const (
	firstYear = 1901
	lastYear  = 2199
)

// possible reports whether the year of a time is from firstYear to lastYear.
func possible(t time.Time) bool { return t.Year() >= firstYear && t.Year() <= lastYear }

// ParseDate checks a FHIR date, which may be partial (2019, 2019-02, 2019-02-25), and returns it
// unchanged. It returns "" and false for any other text, for a day that doesn't exist, and for a
// year before firstYear or after lastYear.
func ParseDate(s string) (string, bool) {
	var layout string
	switch len(s) {
	case len("2006"):
		layout = "2006"
	case len("2006-01"):
		layout = "2006-01"
	case len(time.DateOnly):
		layout = time.DateOnly
	default:
		return "", false
	}
	if t, err := time.Parse(layout, s); err != nil || !possible(t) {
		return "", false
	}
	return s, true
}

// ParseDateTime parses a FHIR dateTime: a date, which may be partial, or a date with a time of day.
// It keeps the offset if one is stated (some real documents leave the offset out), and drops
// fractions of a second. It returns "" and false for any other text.
func ParseDateTime(s string) (string, bool) {
	if date, ok := ParseDate(s); ok {
		return date, true
	}
	t, offset, ok := parseTime(s)
	if !ok {
		return "", false
	}
	if !offset {
		return t.Format("2006-01-02T15:04:05"), true
	}
	return t.Format("2006-01-02T15:04:05Z07:00"), true
}

// Instant returns the instant that a dateTime with an offset means. It returns false if s has no
// offset or can't be parsed.
func Instant(s string) (time.Time, bool) {
	t, offset, ok := parseTime(s)
	return t, ok && offset
}

// parseTime parses a date with a time of day. offset is true if an offset was stated. Seconds may
// be missing, and a leap second is read as the second before it.
func parseTime(s string) (t time.Time, offset, ok bool) {
	if len(s) < len("2006-01-02T15:04") || len(s) > len("2006-01-02T15:04:05.123456789+00:00") {
		return time.Time{}, false, false
	}
	if second := len("2006-01-02T15:04"); strings.HasPrefix(s[second:], ":60") {
		s = s[:second] + ":59" + s[second+len(":60"):]
	}
	for _, layout := range [...]struct {
		text   string
		offset bool
	}{
		{time.RFC3339, true},
		{"2006-01-02T15:04:05", false},
		{"2006-01-02T15:04Z07:00", true},
		{"2006-01-02T15:04", false},
	} {
		if t, err := time.Parse(layout.text, s); err == nil {
			_, east := t.Zone()
			return t, layout.offset, possible(t) && east >= -maxOffset && east <= maxOffset
		}
	}
	return time.Time{}, false, false
}

// maxOffset is the largest offset from UTC, in seconds, that FHIR allows. No clock uses a larger
// one.
const maxOffset = 14 * 60 * 60

// age returns the number of whole years between two full dates. It returns false unless both are
// full dates.
func age(born, at string) (int, bool) {
	from, err := time.Parse(time.DateOnly, born)
	if err != nil {
		return 0, false
	}
	to, err := time.Parse(time.DateOnly, at)
	if err != nil {
		return 0, false
	}
	years := to.Year() - from.Year()
	if to.Month() < from.Month() || to.Month() == from.Month() && to.Day() < from.Day() {
		years--
	}
	return years, true
}

// When returns a date or time in human-readable form, in its stated offset: "Mar 2, 2026, 4:18 AM
// UTC-05:00". A partial date stays partial. A text that isn't a date is returned unchanged.
func When(stated string) string {
	for _, layout := range [...]struct{ read, write string }{
		{"2006", "2006"},
		{"2006-01", "Jan 2006"},
		{time.DateOnly, "Jan 2, 2006"},
		{"2006-01-02T15:04:05", "Jan 2, 2006, 3:04 PM"},
		{"2006-01-02T15:04:05Z", "Jan 2, 2006, 3:04 PM UTC"},
		{"2006-01-02T15:04:05-07:00", "Jan 2, 2006, 3:04 PM UTC-07:00"},
	} {
		if t, err := time.Parse(layout.read, stated); err == nil {
			return t.Format(layout.write)
		}
	}
	return stated
}

// inOffset matches a time with an offset in the form that When returns.
var inOffset = regexp.MustCompile(`[A-Z][a-z]{2} \d{1,2}, \d{4}, \d{1,2}:\d{2} [AP]M UTC([+-]\d{2}:\d{2})?`)

// NameZone replaces the offsets of times in a text by the name of zone, such as EST, because pages
// show all other times with that name. It leaves an offset unchanged if zone had another offset at
// that time.
func NameZone(text string, zone *time.Location) string {
	return inOffset.ReplaceAllStringFunc(text, func(stated string) string {
		layout := "Jan 2, 2006, 3:04 PM UTC-07:00"
		if strings.HasSuffix(stated, "UTC") {
			layout = "Jan 2, 2006, 3:04 PM UTC"
		}
		t, err := time.Parse(layout, stated)
		if err != nil {
			return stated
		}
		_, offset := t.Zone()
		if _, here := t.In(zone).Zone(); here != offset {
			return stated
		}
		return t.In(zone).Format("Jan 2, 2006, 3:04 PM MST")
	})
}

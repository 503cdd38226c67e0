package sheet

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"birthregistry/app/birth"
	"birthregistry/app/mapping"
)

// Facts holds what is known about the cells of a column, whatever they mean. It takes a few hundred
// bytes, even if the file is long.
type Facts struct {
	Filled  int      `json:"filled"`
	Samples []string `json:"samples"` // the first texts that differ

	Dates      int `json:"dates"`       // dates, with or without a time
	Timed      int `json:"timed"`       // dates with a time other than midnight
	MonthFirst int `json:"month_first"` // dates that exist only with the month first
	DayFirst   int `json:"day_first"`   // dates that exist only with the day first
	EitherDay  int `json:"either_day"`  // dates that may be either of two days
	ShortYears int `json:"short_years"` // dates with a two-digit year
	HalfTimed  int `json:"half_timed"`  // dates with a time that has AM or PM
	AnyTimed   int `json:"any_timed"`   // dates with a time that may be on a 12-hour or a 24-hour clock
	FirstYear  int `json:"first_year"`  // the earliest four-digit year
	LastYear   int `json:"last_year"`

	Bare     int     `json:"bare"` // numbers without a unit
	Least    float64 `json:"least"`
	Most     float64 `json:"most"`
	Broken   int     `json:"broken"`    // numbers with a fraction
	NoDays   int     `json:"no_days"`   // fractions that can't be days of a week: 39.7, 39.25
	NoOunces int     `json:"no_ounces"` // fractions that can't be ounces of a pound: 7.25, 7.05
	Amounts  int     `json:"amounts"`   // numbers with a unit
	Pairs    int     `json:"pairs"`     // two or three numbers: 8/9
	Weeks    int     `json:"weeks"`     // weeks and days: 39+2
	Half     int     `json:"half"`      // times with AM or PM
	Clock24  int     `json:"clock_24"`  // times that are certainly on a 24-hour clock
	AnyClock int     `json:"any_clock"` // times that may be on either clock
	// AnyAt is the first cell with a time that may be on a 12-hour or a 24-hour clock. HalfAt is
	// the first cell with a time that has AM or PM. Either cell may also have a date.
	AnyAt  Seen `json:"any_at,omitzero"`
	HalfAt Seen `json:"half_at,omitzero"`

	Commas int `json:"commas"`      // texts with a comma
	Two    int `json:"two"`         // texts of two words, without a comma
	Titles int `json:"credentials"` // texts with credentials after a name
}

// Seen is a cell of a file, with its row and its text. A long text is cut like a sample. Row is 0
// if there is no such cell.
type Seen struct {
	Row  int    `json:"row"`
	Text string `json:"text"`
}

// first sets s to a cell, unless s already has one.
func (s *Seen) first(row int, text string) {
	if s.Row == 0 {
		*s = Seen{row, cut(text, sampleLength)}
	}
}

// samplesShown is how many samples are kept for a column. sampleLength is the maximum length of a
// sample in bytes.
const (
	samplesShown = 3
	sampleLength = 40
)

var (
	pair   = regexp.MustCompile(`^\d{1,2} ?[/-] ?\d{1,2}( ?[/-] ?\d{1,2})?$`)
	clock  = regexp.MustCompile(`^(\d{1,2}):?(\d{2})(:\d{2})?$`)
	halves = regexp.MustCompile(`(?i)^\d{1,2}(:\d{2}){0,2} ?[ap]\.?(m\.?)?$`)
	amount = regexp.MustCompile(`(?i)^\d+([.,]\d+)? ?(g|gms?|grams?|kgs?|lbs?|#|oz|cm|in|ml|cc|')`)
)

// see adds the cell of one row to what is known about the column.
func (f *Facts) see(row int, text string) {
	f.Filled++
	f.sample(text)
	f.seeDate(row, text)
	lower := strings.ToLower(text)
	_, _, weeks := mapping.ReadGestation(lower)
	switch n, err := strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64); {
	case err == nil && (plainNo.MatchString(text) || commaNo.MatchString(text)):
		f.seeNumber(n, text)
	case weeks:
		f.Weeks++
	case pair.MatchString(text):
		f.Pairs++
	case amount.MatchString(text):
		f.Amounts++
	}
	f.seeClock(row, text)
	if _, titles := titled(text); titles != "" {
		f.Titles++
	}
	_, _, comma := strings.Cut(text, ",")
	switch {
	case comma:
		f.Commas++
	case len(strings.Fields(text)) == 2:
		f.Two++
	}
}

// titled splits a name from the credentials after it, as in Jane Rivers, CPM, LM and Jane Rivers CPM,
// LM. Without a comma before them, it splits off only credentials that stand for a role, because
// other credentials may be part of the name.
func titled(text string) (name, titles string) {
	parts := strings.Split(text, ",")
	at := len(parts)
	for at > 1 && isCredential(strings.TrimSpace(parts[at-1]), text) {
		at--
	}
	before, after := strings.TrimSpace(strings.Join(parts[:at], ",")), strings.TrimSpace(strings.Join(parts[at:], ","))
	words := strings.Fields(before)
	at = len(words)
	for at > 1 && credential.MatchString(words[at-1]) && birth.RoleOf(words[at-1]) != birth.RoleOther {
		at--
	}
	switch {
	case at == len(words) && after == "":
		return text, ""
	case at == len(words):
		return before, after
	}
	titles = strings.Join(words[at:], ", ")
	if after != "" {
		titles += ", " + after
	}
	return strings.TrimRight(strings.Join(words[:at], " "), ","), titles
}

var credential = regexp.MustCompile(`^[A-Z][A-Za-z]{0,4}(-[A-Z]{1,3})?$`)

// isCredential reports whether the text after a comma is a credential. A given name, as in "Rivers,
// Jane", isn't a credential. A credential stands for a role, or has at least two capital letters.
// The capitals count only if the whole text isn't in capitals.
func isCredential(one, text string) bool {
	capitals := strings.IndexFunc(one, unicode.IsUpper) != strings.LastIndexFunc(one, unicode.IsUpper) && strings.ContainsFunc(text, unicode.IsLower)
	return credential.MatchString(one) && (capitals || birth.RoleOf(one) != birth.RoleOther)
}

func (f *Facts) sample(text string) {
	if len(f.Samples) == samplesShown {
		return
	}
	if text = cut(text, sampleLength); !slices.Contains(f.Samples, text) {
		f.Samples = append(f.Samples, text)
	}
}

// cut shortens a text to a maximum number of bytes, without splitting a character, and adds "…". It
// returns a text that isn't too long unchanged.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

func (f *Facts) seeDate(row int, text string) {
	day := text
	if m := timed(text); m != nil {
		day = m[1]
		if m[2] != "0:00" && m[2] != "00:00" && m[2] != "00:00:00" && m[2] != "0:00:00" {
			f.Timed++
		}
		switch {
		case m[3] != "":
			f.HalfTimed++
			f.HalfAt.first(row, text)
		case eitherClock(m[2]):
			f.AnyTimed++
			f.AnyAt.first(row, text)
		}
	}
	d, ok := writtenDate(day)
	switch {
	case ok && (d.monthFirst() || d.dayFirst()):
		f.year(d)
		switch {
		case !d.either:
		case d.ambiguous():
			f.EitherDay++
		case d.dayFirst() && !d.monthFirst():
			f.DayFirst++
		case d.monthFirst() && !d.dayFirst():
			f.MonthFirst++
		}
	case isoDate.MatchString(day) && len(day) > len("2026"):
		year, _ := strconv.Atoi(day[:len("2026")])
		f.year(written{year: year})
	}
}

func (f *Facts) year(d written) {
	f.Dates++
	if d.short {
		f.ShortYears++
		return
	}
	if f.FirstYear == 0 || d.year < f.FirstYear {
		f.FirstYear = d.year
	}
	f.LastYear = max(f.LastYear, d.year)
}

func (f *Facts) seeNumber(n float64, text string) {
	if f.Bare == 0 {
		f.Least, f.Most = n, n
	}
	f.Bare++
	f.Least, f.Most = min(f.Least, n), max(f.Most, n)
	if _, fraction, broken := strings.Cut(strings.Replace(text, ",", ".", 1), "."); broken {
		f.Broken++
		if len(fraction) != 1 || fraction > "6" {
			f.NoDays++
		}
		if ounces, err := strconv.Atoi(fraction); err != nil || ounces > 15 || len(fraction) > 1 && fraction[0] == '0' {
			f.NoOunces++
		}
	}
}

func (f *Facts) seeClock(row int, text string) {
	if halves.MatchString(text) {
		f.Half++
		f.HalfAt.first(row, text)
		return
	}
	m := clock.FindStringSubmatch(text)
	if m == nil || readClock(text) == "" {
		return
	}
	// Without a colon, 0418 can't be a time on a 12-hour clock. With a colon, the zero proves
	// nothing, because spreadsheets turn 4:18 into 04:18 on both clocks.
	if !eitherClock(m[1]) || m[1][0] == '0' && !strings.Contains(text, ":") {
		f.Clock24++
		return
	}
	f.AnyClock++
	f.AnyAt.first(row, text)
}

// eitherClock reports whether a time without AM or PM may be on a 12-hour clock.
func eitherClock(clock string) bool {
	hours, _, _ := strings.Cut(clock, ":")
	hour, _ := strconv.Atoi(hours) // digits only
	return hour >= 1 && hour <= 12
}

// readClock reads a time of day, which may have only three digits. It returns "" for any other
// text, such as 25:10.
func readClock(text string) string {
	if len(text) == len("418") && isDigits(text) {
		text = "0" + text
	}
	clock := mapping.ReadTime(text)
	if _, ok := birth.ParseDateTime("2026-03-02T" + clock); !ok {
		return ""
	}
	return clock
}

// mostly reports whether n is at least 80% of the filled cells of the column.
func (f *Facts) mostly(n int) bool { return n > 0 && 10*n >= 8*f.Filled }

// numbers returns how many cells contain a number or an amount.
func (f *Facts) numbers() int { return f.Bare + f.Amounts }

// times returns how many cells contain a time of day.
func (f *Facts) times() int { return f.Half + f.Clock24 + f.AnyClock }

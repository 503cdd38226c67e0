package sheet

import (
	"html"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"birthregistry/app/birth"
)

// blankWords lists what people write if there is no value. It leaves out “none” and “not done”,
// which answer some questions.
var blankWords = strings.Fields("- -- – — n/a unk unk. unknown unavailable (null) (blank) not_available not_applicable not_known not_stated not_recorded not_documented")

// missing lists the texts that databases and their programs write if there is no value. Other
// spellings, such as Null and Nan, are also names.
var missing = strings.Fields(`NULL null NaN nan \N <NA> <null> N.A. n.a.`)

// longestBlank is the length of the longest of blankWords.
const longestBlank = len("not_documented")

// blankStarts holds the characters with which the texts of blankWords and missing begin.
const blankStarts = `-nu(\<`

// isBlank reports whether a text says that there is no value.
func isBlank(text string) bool {
	return len(text) <= longestBlank && startsWith(text, blankStarts) && (slices.Contains(missing, text) || slices.Contains(blankWords, strings.ReplaceAll(fold(text), " ", "_")))
}

// blank reports whether a cell counts as if it were blank. In a column of coded values, only the
// field knows which texts mean that a value is unknown, because the user is asked about all others.
func (c *knownColumn) blank(text string) bool {
	switch {
	case c.field != nil && c.field.SaysUnknown(text):
		return true
	case c.name == consentColumn:
		return slices.Contains([]string{"u", "unk", "unknown"}, fold(text))
	case c.coded() || c.custom != nil:
		return false
	case isBlank(text):
		return true
	}
	return c.who() && strings.EqualFold(text, "none") || c.read != nil && slices.Contains([]string{"99:99", "9999"}, text)
}

// who reports whether a column contains names of people or places.
func (c *knownColumn) who() bool {
	return c.names() || slices.Contains([]string{attendant, "attendant_name", "attendant_credentials", "facility_name"}, c.name)
}

var (
	sheetError = regexp.MustCompile(`(?i)#(?:REF!|N/A|NAME\?|VALUE!|DIV/0!|NUM!|NULL!|SPILL!|CALC!|FIELD!|GETTING_DATA)`)
	tooNarrow  = regexp.MustCompile(`^#{3,}$`)
	// formula matches = and a cell, a number or a function. Other texts may begin with = as well.
	formula = regexp.MustCompile(`^=[ (+-]*(?:\$?[A-Za-z]{1,3}\$?\d|\d|[A-Z][A-Z.]*\()`)
)

// damaged says what is wrong with a cell that doesn't have what the spreadsheet showed or should
// have shown. It returns "" if nothing is wrong.
func damaged(cell string) string {
	if strings.IndexByte(cell, '#') < 0 && strings.IndexByte(cell, '=') < 0 { // nearly every cell
		return ""
	}
	cell = strings.TrimSpace(cell)
	switch {
	case tooNarrow.MatchString(cell):
		return "The column was too narrow to show the value. Widen it in the spreadsheet, and save the file as CSV again."
	case formula.MatchString(cell):
		return "The cell has a formula instead of its result. Replace it with the value."
	case sheetError.MatchString(cell):
		return "A formula in the spreadsheet failed here. Correct it there, or write the value, or leave the cell blank."
	}
	return ""
}

// wording is a pattern that is tried only if the text starts with one of the characters in starts.
// Most cells don't, and a comparison of one character is much faster than the pattern.
type wording struct {
	starts  string // in lower case
	pattern *regexp.Regexp
}

func (w wording) matches(text string) bool {
	return startsWith(text, w.starts) && w.pattern.MatchString(text)
}

// startsWith reports whether a text starts with one of some characters, in upper or lower case, or
// with a character that isn't in ASCII.
func startsWith(text, starts string) bool {
	if text == "" {
		return false
	}
	first := text[0]
	if 'A' <= first && first <= 'Z' {
		first += 'a' - 'A'
	}
	return first >= utf8.RuneSelf || strings.IndexByte(starts, first) >= 0
}

var (
	ditto = wording{`"'sadi`, regexp.MustCompile(`^(?i)(?:["”″〃']+|same|same as (?:above|before|last)|as above|see above|ditto|do\.|idem)$`)}
	refer = wording{"spci", regexp.MustCompile(`^(?i)(?:see|per|check|in) (?:the )?(?:notes?|charts?|comments?|emr|ehr|records?|below|attached|file)\b`)}
	later = wording{"tp", regexp.MustCompile(`^(?i)(?:tbd|tba|pending|to follow)$`)}
	mask  = wording{"x*[(<{rmwhda", regexp.MustCompile(`^(?i)(?:[x*•█]{3,20}|[\[(<{]?(?:redacted|masked|removed|withheld|hidden|de-?identified|anonymi[sz]ed)[\])>}]?)$`)}
	// entity matches a character as web pages write it.
	entity = regexp.MustCompile(`&(?:#\d{2,5}|#[xX][0-9A-Fa-f]{2,5}|[A-Za-z]{2,8});`)
)

// notText says what is wrong with a text that can't be the value of a field, although the field
// takes any text. It returns "" if nothing is wrong.
func notText(f *birth.Field, text string) string {
	c := knownColumn{name: f.Name}
	switch {
	case f.Name == "mother_postal_code" && notZip(text) != "":
		return notZip(text)
	case ditto.matches(text), later.matches(text), refer.matches(text) && (c.who() || !strings.ContainsAny(text, ":;,")): // a reason may follow
		return "Write the value itself, or leave the cell blank. Each row is read by itself."
	case masked(text):
		return "The text seems to be masked. Write the value, or leave the cell blank."
	case c.who() && !lettered(text):
		return "This isn't a name. Write the name, or leave the cell blank."
	case len(text) <= len("false") && c.who() && !c.names() && slices.Contains([]string{"y", "n", "x", "yes", "no", "true", "false"}, fold(text)):
		return "This isn't a name. Write the name, or leave the cell blank."
	case !ascii(text) && (strings.ContainsRune(text, utf8.RuneError) || garbled(text)):
		return "Some letters are damaged. Write the text again, and save the file as “CSV UTF-8”."
	case entity.MatchString(text) && html.UnescapeString(text) != text:
		return "The text has codes of a web page, such as &#39;. Write the characters themselves."
	}
	return ""
}

// masked reports whether a text has characters or a word in place of what a program has removed.
func masked(text string) bool {
	return startsWith(text, mask.starts) && mask.matches(strings.ReplaceAll(text, " ", ""))
}

// ascii reports whether a text has only characters of ASCII.
func ascii(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// lettered reports whether a text has a letter or a digit.
func lettered(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// garbled reports whether a text is UTF-8 that was read as Windows-1252, such as PeÃ±a for Peña.
func garbled(text string) bool {
	if !strings.ContainsAny(text, "ÂÃÄÅâ") { // the first bytes of most accented letters and signs
		return false
	}
	narrow, err := charmap.Windows1252.NewEncoder().String(text)
	return err == nil && narrow != text && utf8.ValidString(narrow)
}

var (
	exponent  = regexp.MustCompile(`^\d(?:[.,]\d+)?[eE]\+\d{1,3}$`)
	pointZero = regexp.MustCompile(`^\d+\.0+$`)
)

// notChart says what is wrong with a text that can't be a chart number. It returns "" if nothing is
// wrong.
func notChart(text string) string {
	switch {
	case exponent.MatchString(text):
		return "The spreadsheet has shortened this number. Format its column as text or as a number without decimals, write the number again, and save the file."
	case pointZero.MatchString(text):
		return "A program has added decimals to this number, so it differs from the chart number. Remove them."
	case later.matches(text), refer.matches(text), mask.matches(text), !lettered(text):
		return "This isn't a chart number. Write the number, or leave the cell blank."
	}
	return ""
}

var (
	zip = regexp.MustCompile(`^\d{1,4}$`)
	// decimal matches a number that a spreadsheet writes in place of a text of digits.
	decimal = regexp.MustCompile(`^\d+\.\d+$`)
)

// notZip says what is wrong with a text that can't be a postal code, because a spreadsheet has
// changed it. It returns "" if nothing is wrong.
func notZip(text string) string {
	if zip.MatchString(text) || decimal.MatchString(text) || exponent.MatchString(text) {
		return "The spreadsheet has changed this ZIP code, for example by dropping a leading zero. Write it with five digits."
	}
	return ""
}

package mapping

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// gestationTyped matches weeks and days in the ways in which midwives write them: 39+4, 39w4d, 39w
// 4d, 39 4/7, 39 4/7 weeks, 39 weeks 4 days, 39 weeks and 4 days, 39 weeks 4/7, 39+4 weeks.
var gestationTyped = regexp.MustCompile(
	`^(\d{1,2})(?: ?\+ ?([0-6])(?:/7)?(?: ?` + inWeeks + `)?| ?` + inWeeks + `(?: ?\+ ?|[ ,]*(?:and )?)([0-6]) ?(?:d|days?)|(?: ?` + inWeeks + `)?[ -]([0-6])/7(?: ?` + inWeeks + `)?)$`,
)

const inWeeks = `(?:w|wk|wks|weeks?)`

// ReadGestation returns the weeks and days in a text. The result ok is false if the text doesn't
// have both.
func ReadGestation(text string) (weeks, days string, ok bool) {
	m := gestationTyped.FindStringSubmatch(strings.ToLower(strings.Join(strings.Fields(text), " ")))
	if m == nil {
		return "", "", false
	}
	return m[1], m[2] + m[3] + m[4], true
}

// MonthNamed returns the number of a month from its name or from at least the first three letters.
// It returns 0 for any other word.
func MonthNamed(word string) int {
	word = strings.ToLower(strings.TrimSuffix(word, "."))
	for i, name := range [...]string{
		"january", "february", "march", "april", "may", "june",
		"july", "august", "september", "october", "november", "december",
	} {
		if len(word) >= 3 && strings.HasPrefix(name, word) {
			return i + 1
		}
	}
	return 0
}

// ReadTime reads a time of day that somebody has typed. It returns the time as in a dateTime, such
// as "04:18:00", followed by the offset if there is one. It returns "" for any other text.
//
// It accepts 04:18, 4:18 pm, 4:18p, 418p, 4pm, 16:18:30 and 04:18 -05:00. It also accepts the forms
// 0418, 4.18 and 4h18, which are used in charts. It doesn't check the offset or whether there is such
// a time of day: 25:70 gives "25:70:00". It doesn't accept 418, which states no half of the day.
func ReadTime(text string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	together := len(Leading(first, "0123456789")) // the digits before a space, as 12 in "12 5 pm"
	text = strings.ToLower(strings.ReplaceAll(text, " ", ""))
	offset := ""
	if i := strings.IndexAny(text, "+-z"); i >= 0 {
		text, offset = text[:i], strings.ToUpper(text[i:])
	}
	half := 0
	for suffix, hours := range map[string]int{"a": 1, "am": 1, "a.m.": 1, "p": 2, "pm": 2, "p.m.": 2} {
		if rest, ok := strings.CutSuffix(text, suffix); ok { // no text ends in two of these suffixes
			text, half = rest, hours
			break
		}
	}
	if n := len(text); (n == 4 || n == 3 && half != 0 && together == 3) && Leading(text, "0123456789") == text {
		text = text[:n-2] + ":" + text[n-2:]
	}
	parts := strings.Split(strings.NewReplacer(".", ":", "h", ":").Replace(text), ":")
	if len(parts) > 3 || len(parts) == 1 && half == 0 {
		return ""
	}
	clock := [3]int{}
	for i, part := range parts {
		n, err := strconv.Atoi(part)
		if err != nil || n < 0 || len(part) > 2 || i > 0 && len(part) != 2 {
			return ""
		}
		clock[i] = n
	}
	if half != 0 {
		if clock[0] < 1 || clock[0] > 12 {
			return ""
		}
		clock[0] = clock[0]%12 + 12*(half-1)
	}
	return fmt.Sprintf("%02d:%02d:%02d%s", clock[0], clock[1], clock[2], offset)
}

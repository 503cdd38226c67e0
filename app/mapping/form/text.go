package form

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"birthregistry/app/birth"
	"birthregistry/app/mapping"
)

// ReadText reads what a person typed, or a file states, for a field; several texts if
// the field has several choices. stated is false when nothing was typed; ok is false
// when the text cannot be read. A value out of range or off the value set is read:
// birth.Check reports it.
func ReadText(f *birth.Field, typed []string) (v birth.Value, stated, ok bool) {
	var texts []string
	for _, text := range typed {
		text = strings.TrimSpace(birth.Plain(text))
		if text != "" && !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	if len(texts) == 0 {
		return birth.Value{}, false, true
	}
	if f.Kind == birth.Codes {
		return birth.Value{Set: texts}, true, true
	}
	text := texts[0]
	ok = true
	switch f.Kind {
	case birth.Date:
		v.Text, ok = ReadDate(text)
	case birth.Int, birth.Decimal:
		v.Number, ok = mapping.ReadAmount(f, text)
	case birth.Bool:
		v.Flag, ok = text == mapping.Yes, text == mapping.Yes || text == mapping.No
	default:
		v.Text = text
	}
	return v, true, ok
}

// hasShortYear reports whether a date is three numbers, the last a two-digit year:
// 3/2/26.
func hasShortYear(text string) bool {
	parts := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" /.-", r) })
	return len(parts) == 3 && len(parts[2]) == 2 && !slices.ContainsFunc(parts, func(part string) bool {
		_, err := strconv.Atoi(part)
		return err != nil || len(part) > 2
	})
}

// ReadDate reads a date as people in the US type it, whole or in part, and returns it as
// the spine keeps it: 2026-03-02, 2026-03 or 2026; false for anything else. It takes
// 3/2/2026, 3-2-2026, 2026/3/2, Mar 2 2026, 2 March 2026, 3/2026, March 2026 and the
// spine's own forms. A year has four digits.
func ReadDate(text string) (string, bool) {
	text = strings.TrimSpace(text)
	if date, ok := birth.ParseDate(text); ok {
		return date, true
	}
	var year, month, day int
	var numbers []int
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" /,-", r) }) {
		n, err := strconv.Atoi(word)
		switch {
		case err != nil && month == 0:
			month = monthNamed(word)
			if month == 0 {
				return "", false
			}
		case err != nil || n < 0 || len(word) != 4 && len(word) > 2:
			return "", false
		case len(word) == 4 && year == 0:
			year = n
		default:
			numbers = append(numbers, n)
		}
	}
	if month == 0 && len(numbers) > 0 {
		month, numbers = numbers[0], numbers[1:]
	}
	if len(numbers) == 1 {
		day, numbers = numbers[0], nil
		if day == 0 {
			return "", false
		}
	}
	date := fmt.Sprintf("%04d-%02d", year, month)
	if day != 0 {
		date += fmt.Sprintf("-%02d", day)
	}
	if _, ok := birth.ParseDate(date); !ok || month == 0 || len(numbers) > 0 {
		return "", false
	}
	return date, true
}

// monthNamed returns the month for its name or at least the first three letters of it; 0
// for any other word.
func monthNamed(word string) int {
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

// ReadTime reads a time of day as people type it and returns it as in a dateTime,
// "04:18:00" followed by the offset if one was typed; "" for anything else. It takes
// 04:18, 4:18 pm, 4:18p, 4pm, 16:18:30 and 04:18 -05:00, and as charts write it, 0418,
// 4.18 and 4h18.
func ReadTime(text string) string {
	text = strings.ToLower(strings.ReplaceAll(text, " ", ""))
	offset := ""
	if i := strings.IndexAny(text, "+-z"); i >= 0 {
		text, offset = text[:i], strings.ToUpper(text[i:])
	}
	half := 0
	for suffix, hours := range map[string]int{"a": 1, "am": 1, "a.m.": 1, "p": 2, "pm": 2, "p.m.": 2} {
		if rest, ok := strings.CutSuffix(text, suffix); ok { // no text ends in two of them
			text, half = rest, hours
			break
		}
	}
	if len(text) == 4 && mapping.Leading(text, "0123456789") == text {
		text = text[:2] + ":" + text[2:]
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

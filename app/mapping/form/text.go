package form

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"birthregistry/app/birth"
	"birthregistry/app/mapping"
)

// ReadText reads the text for a field, which was typed by a user or comes from a file. If the field
// has several choices, typed has several texts. ReadText reports whether there is a text, and
// whether it can be read. It also returns values that are out of range or not among the field's
// options, which birth.Check reports.
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

// ReadDate reads a full or partial date as people in the US type it. It returns the date in the
// spine's form (2026-03-02, 2026-03 or 2026), or false for any other text. It accepts 3/2/2026,
// 3-2-2026, 2026/3/2, Mar 2 2026, 2 March 2026, 3/2026, March 2026 and the spine's own forms. A
// year has four digits.
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
			month = mapping.MonthNamed(word)
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

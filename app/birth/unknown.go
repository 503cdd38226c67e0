package birth

import (
	"slices"
	"strings"
)

// SaysUnknown reports whether registries write this text for an unknown value. Such a text is a
// number of nines or eights that the field can't hold (99, 9999), a date of nines (99/99/9999) or
// in the year 9999, or one of the texts in Field.Unknown. For a yes-or-no field, or a choice
// without the option “unknown”, it can also be U, UNK or Unknown. Such a text counts as if the
// field had been left blank.
func (f *Field) SaysUnknown(text string) bool {
	text = strings.ToLower(Tidy(text))
	switch f.Kind {
	case Text:
		return f.meansUnknown(text)
	case Int, Decimal:
		return len(text) > 1 && (only(text, '9') || only(text, '8')) && !f.InRange(filler(text))
	case Date, DateTime:
		return strings.HasPrefix(text, "9999") || strings.Contains(text, "/9999") ||
			only(separators.Replace(text), '9')
	}
	return slices.Contains([]string{"u", "unk", "unknown"}, text) && !f.HasOption("unknown")
}

// only reports whether a text consists only of repetitions of one digit.
func only(text string, digit rune) bool {
	return text != "" && strings.Trim(text, string(digit)) == ""
}

// filler returns the number that a text of digits stands for, such as 99 for "99".
func filler(text string) (n float64) {
	for _, digit := range text {
		n = n*10 + float64(digit-'0')
	}
	return n
}

// separators removes what separates the digits of a date and a time.
var separators = strings.NewReplacer("-", "", "/", "", ":", "", " ", "", "t", "")

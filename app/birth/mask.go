package birth

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Course is a course of care that was masked: it holds only fields of Spine, with values of the
// right type and in range. Mask makes a Course from a Draft, Readmit from the documents of an
// archive, and Restore from documents that were masked before they were stored. Changes to records
// are stored only as a Course, so nothing outside the allow-list (Spine) is ever stored.
type Course struct {
	draft             Draft
	clinical, patient []byte
}

// maxText is the maximum length of a text in bytes. Longer texts are cut rather than rejected.
const maxText = 200

// Mask applies the allow-list to a draft (spec, "Masking runs before persistence"). It drops fields
// that are stated about the wrong subject. It also drops values that have the wrong kind, are out
// of range, or aren't in the value set. It then computes the derived fields.
func Mask(d Draft) Course {
	chart, _ := Chart(d.Chart) // every source has refused an invalid chart number
	masked := Draft{
		Chart:     chart,
		Stamp:     d.Stamp,
		IGVersion: igVersion(d.IGVersion),
		Reading:   d.Reading,
		Mother:    allowed(d.Mother, Mother),
		Care:      allowed(d.Care, Care),
		Transfers: slices.DeleteFunc(slices.Clone(d.Transfers), Transfer.unusable),
		Consent:   d.Consent.masked(),
	}
	for _, child := range d.Children {
		masked.Children = append(masked.Children, allowed(child, Child))
	}
	attended := false
	for _, p := range d.Providers {
		p.Name, p.Credentials = Tidy(p.Name), Tidy(p.Credentials)
		p.Attending = p.Attending && !attended // if several providers attend, the first one is the attendant (decision 31)
		attended = attended || p.Attending
		if !Must("attendant_type").HasOption(string(p.Role)) {
			p.Role = RoleOther
		}
		masked.Providers = append(masked.Providers, p)
	}
	for i := range masked.Transfers {
		masked.Transfers[i].mask()
	}
	masked.derive()
	return Course{masked, masked.document(false), masked.document(true)}
}

// masked returns the consent with only what may be stored. Recorded is also set if the consent is
// granted or has a date.
func (c Consent) masked() Consent {
	at, _ := ParseDateTime(c.DateTime)
	return Consent{Recorded: c.Recorded || c.Granted || at != "", Granted: c.Granted, DateTime: at}
}

// Chart returns the course's chart number, or "" if none was stated.
func (c Course) Chart() string { return c.draft.Chart }

// Draft returns the contents of the course. Callers must not change the draft's slices.
func (c Course) Draft() Draft { return c.draft }

// Chart returns a chart number in the form in which it is compared and stored: without surrounding
// white space, but otherwise unchanged. Two different numbers must never become equal, so the
// number is never shortened or cleaned up. ok is false if the number contains a control character,
// and every reader then refuses the number: nobody types a control character on purpose, and
// without this character the number might be another mother's. Invisible characters that scripts
// need (a zero-width joiner, a direction mark) are kept and compared like any other character.
func Chart(number string) (chart string, ok bool) {
	chart = strings.TrimSpace(number)
	if strings.ContainsFunc(chart, unicode.IsControl) {
		return "", false
	}
	return chart, true
}

// Plain returns a text without its control characters, except tabs and line ends. Nobody types
// control characters, and a NUL breaks pages and files.
func Plain(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && !strings.ContainsRune("\t\r\n", r) {
			return -1
		}
		return r
	}, text)
}

// roomToDerive is how many values about one subject Mask usually derives. Mask allocates space for
// this many.
const roomToDerive = 4

func allowed(values Values, about Subject) Values {
	kept := make(Values, 0, len(values)+roomToDerive)
	for _, s := range values {
		if s.Field.About != about {
			continue
		}
		if value, ok := s.Field.Accept(s.Value); ok {
			kept = append(kept, Stated{s.Field, value})
		}
	}
	return kept
}

// Accept returns the value in the form in which the field stores it. It returns false if the field
// can't store the value, which must then be dropped.
func (f *Field) Accept(v Value) (Value, bool) {
	kept := Value{Source: v.Source}
	ok := false
	switch f.Kind {
	case Text:
		kept.Text = Tidy(v.Text)
		ok = kept.Text != "" && !f.meansUnknown(kept.Text)
	case Date:
		kept.Text, ok = ParseDate(v.Text)
	case DateTime:
		kept.Text, ok = ParseDateTime(v.Text)
	case Int:
		kept.Number = math.Abs(v.Number) // -0 is 0
		ok = v.Number == math.Trunc(v.Number) && v.Number >= 0 && f.InRange(v.Number)
	case Decimal:
		kept.Number = math.Round(math.Abs(v.Number)*10) / 10
		ok = v.Number >= 0 && f.InRange(kept.Number)
	case Bool:
		kept.Flag, ok = v.Flag, true
	case Code:
		kept.Text, ok = v.Text, f.HasOption(v.Text)
	case Codes:
		kept.Set = f.acceptSet(v.Set)
		ok = len(kept.Set) > 0
	}
	return kept, ok
}

// meansUnknown reports whether the text is one of the field's Unknown texts.
func (f *Field) meansUnknown(text string) bool {
	return slices.Contains(f.Unknown, strings.ToLower(text))
}

// acceptSet returns the codes that are in the field's value set, in the order of that set. If
// "none" or "unknown" occurs together with another code, it drops "none" and "unknown", which the
// other code contradicts.
func (f *Field) acceptSet(codes []string) []string {
	var kept []string
	for _, o := range f.Options {
		if slices.Contains(codes, o.Code) {
			kept = append(kept, o.Code)
		}
	}
	if len(kept) > 1 {
		kept = slices.DeleteFunc(kept, func(code string) bool { return code == "none" || code == "unknown" })
	}
	return kept
}

func (t Transfer) unusable() bool {
	return !within(t.Type, TransferTypes) || !within(t.Direction, TransferDirections) ||
		!within(t.Urgency, TransferUrgencies) || !within(t.Who, TransferSubjects)
}

func within(code string, set []string) bool { return code == "" || slices.Contains(set, code) }

// mask changes the transfer so that it holds only what may be stored. An unknown reason code or
// mode is dropped, but the rest of the transfer is kept.
func (t *Transfer) mask() {
	if LabelIn(TransferReasons, t.ReasonCode) == "" {
		t.ReasonCode = ""
	}
	if LabelIn(TransferModes, t.Mode) == "" {
		t.Mode = ""
	}
	at, _ := ParseDateTime(t.DateTime)
	t.DateTime, t.Reason = at, Tidy(t.Reason)
}

// igVersion returns s if it looks like a version (2.0.0, 2.0.0-ballot), and "" otherwise.
func igVersion(s string) string {
	if len(s) == 0 || len(s) > 32 || s[0] < '0' || s[0] > '9' {
		return ""
	}
	for _, r := range s {
		if !(r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '.' || r == '-') {
			return ""
		}
	}
	return s
}

// Tidy returns a text in which control characters are replaced with spaces and each run of white
// space is a single space. It shortens the text to at most maxText bytes.
func Tidy(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
	return cut(strings.Join(strings.Fields(s), " "), maxText)
}

// cut shortens s to at most n bytes without splitting a character.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return strings.TrimRight(s[:n], " ")
}

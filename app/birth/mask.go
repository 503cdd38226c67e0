package birth

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Course is a masked course of care: it holds only what the spine allows, in range and of the right
// type. Mask makes a Course from a Draft, Readmit from the documents of an archive, and Restore from
// documents that were masked before they were stored. A change of a record is stored only as a
// Course, so only what is on the allow-list (the spine) is stored.
type Course struct {
	draft             Draft
	clinical, patient []byte
}

// maxText is the maximum length of a text in bytes; longer texts are cut, not rejected.
const maxText = 200

// Mask applies the allow-list to a draft (spec, "Masking runs before
// persistence"). It keeps a field of the spine only where it is stated about the field's own
// subject, drops values of the wrong kind, out of range or outside the value set, and computes the
// derived fields.
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
		p.Attending = p.Attending && !attended // if several attend, the first counts (decision 31)
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

// masked returns the part of a consent that may be kept. A consent that is granted or has a date
// was recorded.
func (c Consent) masked() Consent {
	at, _ := ParseDateTime(c.DateTime)
	return Consent{Recorded: c.Recorded || c.Granted || at != "", Granted: c.Granted, DateTime: at}
}

// Chart returns the chart number, or "" if none was stated.
func (c Course) Chart() string { return c.draft.Chart }

// Draft returns the contents of the course. Callers must not change its slices.
func (c Course) Draft() Draft { return c.draft }

// Chart returns a chart number as it is compared and stored: trimmed, but otherwise unchanged. It
// is never cut or tidied, because two different numbers must not become equal. ok is false for a
// number with a control character inside. Every reader refuses such a number: nobody types a
// control character on purpose, and without it the number might be another mother's. Invisible
// characters that scripts need (a zero-width joiner, a direction mark) are kept and compared like
// any other. A number with one of them is therefore a different number.
func Chart(number string) (chart string, ok bool) {
	chart = strings.TrimSpace(number)
	if strings.ContainsFunc(chart, unicode.IsControl) {
		return "", false
	}
	return chart, true
}

// Plain removes the control characters of a text except tabs and line ends. Nobody types
// them, and a NUL breaks pages and files.
func Plain(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && !strings.ContainsRune("\t\r\n", r) {
			return -1
		}
		return r
	}, text)
}

// roomToDerive is how many more values about one subject Mask usually derives.
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

// Accept returns the value in the form in which the field stores it. It returns false if the
// value must be dropped.
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

// acceptSet returns the known codes in the order of the value set. It drops "none" and "unknown" if
// there is another code, because that code contradicts them.
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

// mask keeps what may be stored. An unknown reason code or mode is dropped, but the rest of
// the transfer stays.
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

// igVersion returns a text that looks like a version (2.0.0, 2.0.0-ballot), and "" for any
// other.
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

// Tidy replaces control characters with spaces, collapses white space, and cuts to maxText.
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

package smart

import (
	"errors"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"birthregistry/app/birth"
	"birthregistry/app/mapping/uscore"
	"birthregistry/store"
)

// keptPrefill is a Prefill in the form in which it is sealed. It has the values that birth.Mask
// allows, and texts for the clinician that are short enough for a page.
type keptPrefill struct {
	EHR      string                     `json:"ehr"`
	EHRID    int64                      `json:"ehr_id"`
	Practice store.PracticeID           `json:"practice"`
	ReadAt   time.Time                  `json:"read_at"`
	Patient  uscore.Patient             `json:"patient"`
	Role     uscore.Role                `json:"role"`
	Why      string                     `json:"why"`
	As       map[uscore.Role]keptFilled `json:"as"`
	Unread   []string                   `json:"unread"`
	Conduct  []string                   `json:"conduct"`
}

// keptFilled is a uscore.Filled in the form in which it is sealed. Clinical and Patient are the two
// documents of the draft's course of care (birth.Course). Chart and Providers are the parts of the
// draft that these documents leave out.
type keptFilled struct {
	Chart     string           `json:"chart"`
	Clinical  jsontext.Value   `json:"clinical"`
	Patient   jsontext.Value   `json:"patient"`
	Providers []birth.Provider `json:"providers"`
	Origins   []uscore.Origin  `json:"origins"`
	Hints     []uscore.Hint    `json:"hints"`
	Notices   []string         `json:"notices"`
	Unused    []string         `json:"unused"`
}

// The limits for texts shown to the clinician: the characters in each text, and the texts of each
// kind.
const (
	maxWords = 400
	maxLines = 200
)

func maskPrefill(p Prefill) keptPrefill {
	kept := keptPrefill{
		EHR: p.EHR, EHRID: p.EHRID, Practice: p.Practice, ReadAt: p.ReadAt.UTC(),
		Patient: uscore.Patient{
			Name: words(p.Reading.Patient.Name), BirthDate: words(p.Reading.Patient.BirthDate),
			Number: words(p.Reading.Patient.Number), Deceased: p.Reading.Patient.Deceased,
		},
		Role: p.Reading.Role, Why: words(p.Reading.Why),
		As: map[uscore.Role]keptFilled{}, Unread: lines(p.Unread), Conduct: lines(p.Conduct),
	}
	for role, filled := range p.Reading.As {
		kept.As[role] = maskFilled(filled)
	}
	return kept
}

func maskFilled(f uscore.Filled) keptFilled {
	course := birth.Mask(f.Draft)
	draft := course.Draft()
	providers := slices.Clone(draft.Providers)
	for i := range providers {
		if f.Draft.Providers[i].Role == "" { // a record's provider always has a role, but a chart may not state one
			providers[i].Role = ""
		}
	}
	kept := keptFilled{
		Chart: course.Chart(), Clinical: course.Clinical(), Patient: course.Patient(), Providers: providers,
		Notices: lines(f.Notices), Unused: lines(f.Unused),
	}
	for _, o := range f.Origins {
		if onForm(o.At, draft) {
			kept.Origins = append(kept.Origins, uscore.Origin{At: o.At, Text: words(o.Text), Others: lines(o.Others)})
		}
	}
	for _, h := range f.Hints {
		if !onForm(h.At, draft) || len(kept.Hints) == maxLines {
			continue
		}
		kept.Hints = append(kept.Hints, uscore.Hint{At: h.At, Text: words(h.Text), Value: maskHint(h)})
	}
	return kept
}

// maskHint returns the value of a hint in the form in which it may be stored. It returns nil if the
// hint has no value, or if the spine's field doesn't accept the value. A chart number and a
// provider's name aren't fields of the spine and may be any text.
func maskHint(h uscore.Hint) *birth.Value {
	if h.Value == nil {
		return nil
	}
	field := birth.Lookup(h.At.Field)
	if field == nil || h.At.List == birth.ProviderList || h.At.List == birth.TransferList {
		return &birth.Value{Text: words(h.Value.Text), Source: h.Value.Source}
	}
	value, ok := field.Accept(*h.Value)
	if !ok {
		return nil
	}
	return &value
}

// onForm reports whether the form for a draft has a place: the chart number, or a field of the
// record, a newborn, a provider or a transfer. The form always has a first newborn, even if the
// draft has none.
func onForm(at birth.Path, d birth.Draft) bool {
	switch at.List {
	case birth.ProviderList, birth.TransferList:
		return at.Index >= 0 && at.Index <= max(len(d.Providers), len(d.Transfers))
	case birth.ChildList:
		return birth.Lookup(at.Field) != nil && at.Index >= 0 && at.Index < max(len(d.Children), 1)
	case "":
		return birth.Lookup(at.Field) != nil || at == birth.At("chart_number")
	}
	return false
}

// open converts the sealed form back into a Prefill. It reverses maskPrefill.
func (k keptPrefill) open() (Prefill, error) {
	p := Prefill{
		EHR: k.EHR, EHRID: k.EHRID, Practice: k.Practice, ReadAt: k.ReadAt, Unread: k.Unread, Conduct: k.Conduct,
		Reading: uscore.Reading{Patient: k.Patient, Role: k.Role, Why: k.Why, As: map[uscore.Role]uscore.Filled{}},
	}
	for role, f := range k.As {
		course, err := birth.Restore(f.Clinical, f.Patient)
		if err != nil {
			return Prefill{}, errors.New("smart: a prefill cannot be read")
		}
		draft := course.Draft()
		draft.Chart, draft.Providers = f.Chart, f.Providers
		p.Reading.As[role] = uscore.Filled{Draft: draft, Origins: f.Origins, Hints: f.Hints, Notices: f.Notices, Unused: f.Unused}
	}
	return p, nil
}

// words makes text from an EHR fit for a page. The result is one line without control characters.
// If it is longer than maxWords characters, words cuts it there and adds "…".
func words(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar {
			return ' '
		}
		return r
	}, s)
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > maxWords {
		s = strings.TrimSpace(string(r[:maxWords])) + "…"
	}
	return s
}

func lines(all []string) []string {
	var kept []string
	for _, line := range all {
		if line = words(line); line != "" && len(kept) < maxLines {
			kept = append(kept, line)
		}
	}
	return kept
}

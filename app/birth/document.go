package birth

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A course is stored as two JSON documents of the same shape: a clinical one, which statistics can
// read, and one with the patient data, which is sealed.
//
//	{"mother": {FIELD: {"value": …, "source": …}}, "care": {…}, "children": [{…}],
//	 "transfers": [{…}], "consent": {"granted": …, "date_time": …, "recorded": …}}

// Clinical returns the JSON document that holds no patient data.
func (c Course) Clinical() []byte { return c.clinical }

// Patient returns the JSON document with the patient data: names, dates, places and demographics.
// It must be sealed before it is stored.
func (c Course) Patient() []byte { return c.patient }

func (d *Draft) document(sealed bool) []byte {
	b := make([]byte, 0, 1024)
	b = append(b, `{"mother":`...)
	b = appendValues(b, d.Mother, sealed)
	b = append(b, `,"care":`...)
	b = appendValues(b, d.Care, sealed)
	b = append(b, `,"children":[`...)
	for i, child := range d.Children {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendValues(b, child, sealed)
	}
	b = append(b, ']')
	if len(d.Transfers) > 0 {
		b = append(b, `,"transfers":[`...)
		for i, t := range d.Transfers {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendJSON(b, t.half(sealed))
		}
		b = append(b, ']')
	}
	if !sealed {
		b = append(b, `,"consent":`...)
		b = appendJSON(b, d.Consent.stored())
	}
	return append(b, '}')
}

// half returns a transfer with only its patient data if sealed is set, and without its patient data
// otherwise.
func (t Transfer) half(sealed bool) Transfer {
	if sealed {
		return Transfer{DateTime: t.DateTime, Reason: t.Reason}
	}
	t.DateTime, t.Reason = "", ""
	return t
}

func appendJSON(b []byte, v any) []byte {
	doc, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("birth: %T cannot be written as JSON", v)) // can't happen, because v holds only strings and bools
	}
	return append(b, doc...)
}

func appendValues(b []byte, values Values, sealed bool) []byte {
	b = append(b, '{')
	first := true
	for _, s := range values {
		if s.Field.Sealed != sealed {
			continue
		}
		if !first {
			b = append(b, ',')
		}
		first = false
		b = append(b, s.Field.opening...)
		b = s.Value.append(b, s.Field.Kind)
		b = append(b, `,"source":"`...)
		b = append(b, s.Value.Source...) // needs no quoting: the source is one of four words
		b = append(b, `"}`...)
	}
	return append(b, '}')
}

// JSON returns the value of a field of this kind as JSON. The result doesn't include the value's
// source.
func (v Value) JSON(kind Kind) []byte { return v.append(nil, kind) }

func (v Value) append(b []byte, kind Kind) []byte {
	switch kind {
	case Int, Decimal:
		return strconv.AppendFloat(b, v.Number, 'f', -1, 64)
	case Bool:
		if v.Flag {
			return append(b, "true"...)
		}
		return append(b, "false"...)
	case Codes:
		b = append(b, '[')
		for i, code := range v.Set {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendString(b, code)
		}
		return append(b, ']')
	default:
		return appendString(b, v.Text)
	}
}

func appendString(b []byte, s string) []byte {
	b, err := jsontext.AppendQuote(b, s)
	if err != nil { // invalid UTF-8: AppendQuote has written U+FFFD in its place
		return b
	}
	return b
}

// stored is the form into which Restore decodes one of a course's two documents (Course.Clinical
// and Course.Patient).
type stored struct {
	Mother    map[string]storedValue   `json:"mother"`
	Care      map[string]storedValue   `json:"care"`
	Children  []map[string]storedValue `json:"children"`
	Transfers []Transfer               `json:"transfers"`
	Consent   storedConsent            `json:"consent"`
}

// storedConsent is a consent in a document. Recorded is written only if it can't be inferred: a
// consent that was granted or has a date was recorded.
type storedConsent struct {
	Consent
	Recorded bool `json:"recorded,omitzero"`
}

func (c Consent) stored() storedConsent {
	return storedConsent{c, c.Recorded && !c.Granted && c.DateTime == ""}
}

type storedValue struct {
	Value  jsontext.Value `json:"value"`
	Source Source         `json:"source"`
}

// Restore returns the course that was stored as these two documents. Either document may be empty.
// Without the patient document, the course has no sealed fields. Restore skips fields that are no
// longer in Spine, and values of the wrong type. It returns an error if a document isn't readable.
func Restore(clinical, patient []byte) (Course, error) {
	var d Draft
	for _, doc := range [][]byte{clinical, patient} {
		if len(doc) == 0 {
			continue
		}
		var s stored
		if err := json.Unmarshal(doc, &s); err != nil {
			return Course{}, fmt.Errorf("birth: a stored course is not readable")
		}
		d.add(s)
	}
	d.sort()
	return Course{d, clinical, patient}, nil
}

// Readmit returns the course in two documents from outside, such as from the archive of a practice.
// Like Mask, it keeps only what may be stored. Unlike Mask, it doesn't compute derived values,
// because an old version must stay as it was. It returns ErrTooMany for too many newborns or
// transfers, and another error for an unreadable document or a value without a known source.
func Readmit(clinical, patient []byte) (Course, error) {
	if tooMany(clinical) || tooMany(patient) {
		return Course{}, ErrTooMany
	}
	stated, err := Restore(clinical, patient)
	if err != nil {
		return Course{}, err
	}
	d := stated.draft
	d.Mother, d.Care = allowed(d.Mother, Mother), allowed(d.Care, Care)
	for i := range d.Children {
		d.Children[i] = allowed(d.Children[i], Child)
	}
	d.Transfers = slices.DeleteFunc(d.Transfers, Transfer.unusable)
	for i := range d.Transfers {
		d.Transfers[i].mask()
	}
	for _, values := range d.subjects() {
		for _, s := range values {
			if !s.Value.Source.known() {
				return Course{}, fmt.Errorf("birth: a stored value has no known source")
			}
		}
	}
	return Course{d, d.document(false), d.document(true)}, nil
}

func (s Source) known() bool { return slices.Contains([]Source{Manual, CSV, FHIRPush, EHRPull}, s) }

func (d *Draft) add(s stored) {
	addValues(&d.Mother, s.Mother)
	addValues(&d.Care, s.Care)
	for i, child := range s.Children {
		if i == len(d.Children) {
			d.Children = append(d.Children, nil)
		}
		addValues(&d.Children[i], child)
	}
	for i, t := range s.Transfers {
		if i == len(d.Transfers) {
			d.Transfers = append(d.Transfers, t)
			continue
		}
		d.Transfers[i].DateTime, d.Transfers[i].Reason = t.DateTime, t.Reason
	}
	if s.Consent != (storedConsent{}) {
		d.Consent = s.Consent.Consent
		d.Consent.Recorded = s.Consent.Recorded
		d.Consent = d.Consent.masked()
	}
}

func addValues(into *Values, from map[string]storedValue) {
	for name, s := range from {
		field := Lookup(name)
		if field == nil {
			continue
		}
		value := Value{Source: s.Source}
		var err error
		switch field.Kind {
		case Int, Decimal:
			err = json.Unmarshal(s.Value, &value.Number)
		case Bool:
			err = json.Unmarshal(s.Value, &value.Flag)
		case Codes:
			err = json.Unmarshal(s.Value, &value.Set)
		default:
			err = json.Unmarshal(s.Value, &value.Text)
		}
		if err == nil {
			into.Set(field, value)
		}
	}
}

package mapping

import (
	"slices"
	"strconv"
	"strings"

	"birthregistry/app/birth"
)

// Kept is a fact that a record contains, and the elements from which it was read.
type Kept struct {
	Fact
	// Field is the field of the spine. It is nil if the fact isn't a field.
	Field *birth.Field
	Value birth.Value
	From  []*Element
	// Computed lists the facts from which this fact was computed. It is used if the fact wasn't
	// read from an element.
	Computed []string
}

// computed maps each field that birth.Mask computes to the facts from which it is computed.
var computed = map[string][]string{
	"birth_month":           {"birth_date"},
	"mother_age_years":      {"mother_birth_date", "birth_date"},
	"delayed_cord_clamping": {"cord_clamping_seconds"},
	"vbac":                  {"previous_cesareans", "delivery_method"},
	Attendance:              {Providers},
	"attendant_name":        {Providers},
	"attendant_credentials": {Providers},
	"doula_present":         {Providers},
}

// Report returns the facts that are stored if the draft becomes a record. It also returns the
// elements that aren't kept. A profile isn't data, so an unused profile is in neither list.
func (t *Trace) Report(d *birth.Draft) (kept []Kept, dropped []*Element) {
	var record birth.Draft
	if d != nil {
		record = birth.Mask(*d).Draft()
		t.maskedBy(d, &record)
	}
	kept = t.kept(&record)
	used := map[*Element]bool{}
	for _, k := range kept {
		for _, e := range k.From {
			used[e] = true
		}
	}
	for _, e := range t.elements {
		if !used[e] && !strings.HasSuffix(e.At, ProfileMember) { // a profile isn't data
			dropped = append(dropped, e)
		}
	}
	return kept, dropped
}

// maskedBy records what the privacy rules remove from a draft, and what they replace with a
// computed value.
func (t *Trace) maskedBy(d, record *birth.Draft) {
	lost := func(stated, stored birth.Values, child int) {
		for _, s := range stated {
			name := s.Field.Name
			value, why := accept(s.Field, s.Value)
			had, has := stored.Get(name)
			switch {
			case has && len(computed[name]) > 0 && !had.Equal(value): // the computed value replaces it
				t.Lose(name, child, Superseded)
			case !has && why != "":
				t.Lose(name, child, why)
			case !has:
				t.Lose(name, child, OffTheList)
			}
		}
	}
	lost(d.Mother, record.Mother, -1)
	lost(d.Care, record.Care, -1)
	for i := range d.Children {
		lost(d.Children[i], record.Children[i], i)
	}
	if len(record.Transfers) == 0 {
		t.Lose(Transfers, -1, OffTheList)
	}
	if record.IGVersion == "" {
		t.Lose(IGVersion, -1, OffTheList)
	}
}

// kept returns a record's facts. Facts that aren't fields of the spine come first. The others are
// in the order of the spine.
func (t *Trace) kept(record *birth.Draft) (all []Kept) {
	for _, name := range []string{ChartNumber, SourceStamp, IGVersion, ConsentFact, Providers, Transfers} {
		if from := t.from[Fact{name, -1}]; len(from) > 0 {
			all = append(all, Kept{Fact: Fact{name, -1}, From: slices.Clone(from), Value: birth.Value{Text: statedOf(name, record)}})
		}
	}
	values := func(values birth.Values, child int) {
		for _, s := range values {
			fact := Fact{s.Field.Name, child}
			k := Kept{Fact: fact, Field: s.Field, Value: s.Value, From: t.from[fact]}
			if len(k.From) == 0 {
				k.Computed = computed[fact.Name]
			}
			all = append(all, k)
		}
	}
	values(record.Mother, -1)
	values(record.Care, -1)
	for i, child := range record.Children {
		values(child, i)
	}
	return all
}

// statedOf returns a record's value for a fact that isn't a field of the spine, as text.
func statedOf(name string, record *birth.Draft) string {
	switch name {
	case ChartNumber:
		return record.Chart
	case IGVersion:
		return record.IGVersion
	case SourceStamp:
		if !record.Stamp.IsZero() {
			return record.Stamp.UTC().Format("2006-01-02T15:04:05Z")
		}
	case ConsentFact:
		return map[bool]string{true: "granted", false: "not granted"}[record.Consent.Granted]
	case Providers:
		var names []string
		for _, p := range record.Providers {
			names = append(names, p.Name)
		}
		return strings.Join(names, "; ")
	case Transfers:
		return strconv.Itoa(len(record.Transfers))
	}
	return ""
}

// Attendance is the field for the role of the attendant in an Encounter.
const Attendance = "attendant_type"

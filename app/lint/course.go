package lint

import (
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
	"birthregistry/app/mapping/bundle"
)

// Course is the report on one course of care or one retraction.
type Course struct {
	// Reference is the reference that the receipt would contain.
	Reference string `json:"reference"`
	// Result is "accepted" or "rejected". Problem is the code of the reason for a
	// rejection.
	Result  string `json:"result"`
	Problem string `json:"problem,omitzero"`
	// Action is what the course of care would do to a record: create, amend, revive, void, no-op or
	// reject.
	Action string `json:"action"`
	// Kept lists the facts that the record would hold. They are listed even if the course of care
	// is rejected, provided that it is rejected only because of earlier records.
	Kept    []Kept    `json:"kept"`
	Dropped []Dropped `json:"dropped"`
}

// Kept is a fact that a record holds.
type Kept struct {
	// Field is the name of a field of the spine (the standard fields of every record), or
	// chart_number, source_stamp, ig_version, consent, providers or transfers.
	Field string `json:"field"`
	// About is mother, care, child or record. If it is child, Child is the number of the child,
	// from 1.
	About string         `json:"about"`
	Child int            `json:"child,omitzero"`
	Value jsontext.Value `json:"value,omitzero"` // set only if values are revealed
	Unit  string         `json:"unit,omitzero"`
	From  []Element      `json:"from"`
	// Computed lists the fields from which the fact is computed. It is empty if an element of the
	// Bundle states the fact.
	Computed []string `json:"computed,omitempty"`

	field *birth.Field
	value birth.Value
}

// Spine returns the field of the spine and its value. For a fact that isn't in the spine, the field
// is nil, and the value has a text at most.
func (k Kept) Spine() (*birth.Field, birth.Value) { return k.field, k.value }

// Element is an element of the Bundle: a resource, or part of a resource.
type Element struct {
	At       string `json:"at"` // FHIRPath-like
	Resource string `json:"resource,omitzero"`
	Code     string `json:"code,omitzero"`
	// Extension is the name of a known extension.
	Extension string `json:"extension,omitzero"`
}

// Dropped is an element that the record doesn't keep, with the reason.
type Dropped struct {
	Element
	Why mapping.Reason `json:"why"`
}

// add adds an item to the report on its Bundle. elsewhere holds the places of the elements that
// birth.BFDRReading would keep (see keptAsBFDR). If such an element is dropped, the report states
// that.
func (l *Linter) add(b *Bundle, item mapping.Item, elsewhere map[string]bool) {
	if item.Rejected == "" {
		_, outside := item.Trace.Report(nil)
		b.Outside = append(b.Outside, l.dropped(outside, nil)...)
		return
	}
	c := Course{Reference: l.reference(item), Result: "accepted", Kept: []Kept{}, Dropped: []Dropped{}}
	d, problem, at := l.records.decide(item)
	c.Action = d.Action.String()
	if problem != nil {
		c.Result, c.Problem, c.Action, c.Reference = "rejected", problem.Name, birth.Reject.String(), item.Rejected
		b.Outcome.Rejected = append(b.Outcome.Rejected, Rejected{item.Rejected, problem.Outcome(at...)})
	} else {
		b.Outcome.Accepted = append(b.Outcome.Accepted, accepted(c.Reference, d))
	}
	switch {
	case item.Trace != nil:
		kept, dropped := item.Trace.Report(item.Draft)
		c.Kept = l.kept(item.Draft, kept)
		c.Dropped = l.dropped(dropped, elsewhere)
	case item.Retraction && item.Chart != "":
		chart := Kept{Field: mapping.ChartNumber, About: "record", From: []Element{{At: item.ChartAt}}}
		if l.settings.Reveal {
			chart.Value = valueOf(item.Chart)
		}
		c.Kept = append(c.Kept, chart)
	}
	b.Courses = append(b.Courses, c)
}

// reference returns the reference that the receipt would have. Unless Settings.Reveal is set, it
// replaces a patient's id with the place of the Patient in the Bundle.
func (l *Linter) reference(item mapping.Item) string {
	if l.settings.Reveal {
		return item.Accepted
	}
	return item.Rejected
}

func accepted(reference string, d birth.Decision) Accepted {
	a := Accepted{Reference: reference, Suspected: d.Suspected}
	switch d.Action {
	case birth.Void, birth.NoOp:
		a.Retracted, a.Version = true, d.Version
	case birth.Amend, birth.Revive:
		a.Amended, a.Version = true, d.Version
	}
	return a
}

func (l *Linter) kept(d *birth.Draft, facts []mapping.Kept) []Kept {
	all := make([]Kept, len(facts))
	for i, fact := range facts {
		k := Kept{Field: fact.Name, About: "record", From: []Element{}, Computed: fact.Computed, field: fact.Field, value: fact.Value}
		if fact.Field != nil {
			k.About, k.Unit = fact.Field.About.String(), fact.Field.Unit
		}
		if fact.Child >= 0 {
			k.Child = fact.Child + 1
		}
		for _, e := range fact.From {
			k.From = append(k.From, l.element(e))
		}
		if l.settings.Reveal {
			k.Value = revealed(d, fact)
		}
		all[i] = k
	}
	return all
}

// revealed returns the value of a fact as JSON, for a report that reveals values.
func revealed(d *birth.Draft, fact mapping.Kept) jsontext.Value {
	switch fact.Name {
	case mapping.Providers:
		var names []string
		for _, p := range d.Providers {
			names = append(names, p.Name)
		}
		return valueOf(names)
	case mapping.Transfers:
		return valueOf(d.Transfers)
	case mapping.ConsentFact:
		if d == nil {
			return nil
		}
		return valueOf(d.Consent)
	}
	if fact.Field != nil {
		return fact.Value.JSON(fact.Field.Kind)
	}
	return valueOf(fact.Value.Text)
}

func valueOf(v any) jsontext.Value {
	doc, err := json.Marshal(v)
	if err != nil {
		return nil // cannot happen: these are texts and lists of texts
	}
	return doc
}

func (l *Linter) dropped(elements []*mapping.Element, elsewhere map[string]bool) []Dropped {
	all := make([]Dropped, len(elements))
	for i, e := range elements {
		all[i] = Dropped{l.element(e), e.Why}
		if e.Why == mapping.NotRead && elsewhere[e.At] {
			all[i].Why = mapping.ReadAsBFDR
		}
	}
	return all
}

// element returns those parts of an element that a report may show. Unless Settings.Reveal is set,
// it includes a code only if the code is certainly not a submitted value.
func (l *Linter) element(e *mapping.Element) Element {
	code := ""
	if i := slices.IndexFunc(e.Codes, bundle.IsPublic); i >= 0 && e.Resource == "Observation" {
		code = e.Codes[i].Code // the code of a Condition is its value
	} else if l.settings.Reveal && len(e.Codes) > 0 {
		code = e.Codes[0].Code
	}
	kind := e.Resource
	if !fhir.IsType(kind) && kind != "" {
		kind = "(unknown type)"
	}
	return Element{At: e.At, Resource: kind, Code: code, Extension: e.Extension}
}

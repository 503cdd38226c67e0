package fhir

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// Chart holds what the service reads about one patient when an EHR launches it (spec, "EHR-launch
// lane"; US Core). It holds resources of four types. Their structs have members only for what is
// used. Add puts one resource at a time into the Chart.
type Chart struct {
	Patient      ChartPatient
	Observations []ChartObservation
	Conditions   []Condition
	Encounters   []ChartEncounter
	// Partial lists the types of which the EHR has, or may have, more resources than were read. The
	// resources that weren't read could contradict the others.
	Partial []string
}

// Whole reports whether all resources of these types were read. A type is incomplete if it is in
// Partial.
func (c *Chart) Whole(types ...string) bool {
	return !slices.ContainsFunc(types, func(t string) bool { return slices.Contains(c.Partial, t) })
}

// ChartTypes lists the resource types that Add reads.
var ChartTypes = []string{"Patient", "Observation", "Condition", "Encounter"}

// Add decodes one resource into the chart. If one of the resource's members has the wrong JSON
// type, Add leaves the chart unchanged and returns a ShapeError with the place of the member. It
// ignores a resource of any other type and returns nil.
func (c *Chart) Add(resource jsontext.Value) error {
	var head struct {
		Type string `json:"resourceType"`
	}
	if Decode(resource, &head, literal("resource"), "") != nil {
		return &ShapeError{"resource"}
	}
	switch at := literal(head.Type); head.Type {
	case "Patient":
		return decodeInto(&c.Patient, resource, at)
	case "Observation":
		return appendTo(&c.Observations, resource, at)
	case "Condition":
		return appendTo(&c.Conditions, resource, at)
	case "Encounter":
		return appendTo(&c.Encounters, resource, at)
	}
	return nil
}

// Marks is embedded in resources that may have a modifierExtension or implicitRules. Either may
// reverse the meaning of the resource (R4, "Extensibility", "isModifier"). Marked is set if the
// resource has one. The resource must then not be used.
type Marks struct{ Marked bool }

func (m *Marks) mark(resource jsontext.Value) { m.Marked = isMarked(resource) }

func decodeInto[T any](into *T, resource jsontext.Value, at literal) error {
	var one T
	err := Decode(resource, &one, at, "")
	if m, can := any(&one).(interface{ mark(jsontext.Value) }); can {
		m.mark(resource)
	}
	if err == nil {
		*into = one
	}
	return err
}

func appendTo[T any](list *[]T, resource jsontext.Value, at literal) error {
	var one T
	err := decodeInto(&one, resource, at)
	if err == nil {
		*list = append(*list, one)
	}
	return err
}

// ChartPatient is the patient of a chart (US Core Patient).
type ChartPatient struct {
	Patient
	Marks
	Identifier       []ChartIdentifier `json:"identifier"`
	Name             []ChartName       `json:"name"`
	Address          []ChartAddress    `json:"address"`
	DeceasedBoolean  bool              `json:"deceasedBoolean"`
	DeceasedDateTime string            `json:"deceasedDateTime"`
	SingleBirth      *bool             `json:"multipleBirthBoolean"` // false for a single birth
	Active           *bool             `json:"active"`
	Link             []ChartLink       `json:"link"`
}

// ChartLink says how the patient's record relates to another record: replaced-by, replaces, refer
// or seealso.
type ChartLink struct {
	Type string `json:"type"`
}

// Replaced reports whether the EHR has replaced this record with another one, or no longer uses
// it.
func (p *ChartPatient) Replaced() bool {
	return p.Active != nil && !*p.Active || slices.ContainsFunc(p.Link, func(l ChartLink) bool { return l.Type == "replaced-by" })
}

// ChartIdentifier is an identifier with the period in which it is valid.
type ChartIdentifier struct {
	Identifier
	Use    string `json:"use"`
	Period Period `json:"period"`
}

// ChartName is a name with the period in which it is valid.
type ChartName struct {
	HumanName
	Period Period `json:"period"`
}

// ChartAddress is a postal address in a chart. Its street and city are not read.
type ChartAddress struct {
	Address
	Type    string `json:"type"`
	Country string `json:"country"`
	Period  Period `json:"period"`
}

// ChartObservation is an observation in a chart (US Core Observation profiles). It also has members
// that aren't read from a pushed Observation: the method, a time that is a Timing, and the
// extensions of the time.
type ChartObservation struct {
	ID   string `json:"id"`
	Meta Meta   `json:"meta"`
	Observation
	Marks
	Note              []Note          `json:"note"`
	Method            CodeableConcept `json:"method"`
	EffectiveDateTime string          `json:"effectiveDateTime"`
	EffectivePeriod   Period          `json:"effectivePeriod"`
	EffectiveInstant  string          `json:"effectiveInstant"`
	EffectiveTiming   Present         `json:"effectiveTiming"`
	EffectiveElement  Element         `json:"_effectiveDateTime"`
	Issued            string          `json:"issued"`
}

// Effective reports whether the observation has an effective[x] of any kind.
func (o *ChartObservation) Effective() bool {
	return o.EffectiveDateTime+o.EffectiveInstant+o.EffectivePeriod.Start+o.EffectivePeriod.End != "" ||
		bool(o.EffectiveTiming) || len(o.EffectiveElement.Extension) > 0
}

// Note is what somebody wrote about a resource (Annotation). It is searched for words that
// contradict the resource, and never stored.
type Note struct {
	Text string `json:"text"`
}

// Condition is a diagnosis or problem in a chart (US Core Condition profiles). Some systems leave
// out its category.
type Condition struct {
	Marks
	ID                 string            `json:"id"`
	Meta               Meta              `json:"meta"`
	ClinicalStatus     CodeableConcept   `json:"clinicalStatus"`
	VerificationStatus CodeableConcept   `json:"verificationStatus"`
	Category           []CodeableConcept `json:"category"`
	Code               CodeableConcept   `json:"code"`
	Subject            Reference         `json:"subject"`
	OnsetDateTime      string            `json:"onsetDateTime"`
	OnsetPeriod        Period            `json:"onsetPeriod"`
	OnsetAge           *Quantity         `json:"onsetAge"`
	OnsetRange         *Range            `json:"onsetRange"`
	OnsetString        string            `json:"onsetString"`
	AbatementDateTime  string            `json:"abatementDateTime"`
	AbatementPeriod    Period            `json:"abatementPeriod"`
	AbatementAge       *Quantity         `json:"abatementAge"`
	AbatementRange     *Range            `json:"abatementRange"`
	AbatementString    string            `json:"abatementString"`
	AbatementBoolean   bool              `json:"abatementBoolean"` // in FHIR before R4; true means that the condition has ended, but the date isn't known
	RecordedDate       string            `json:"recordedDate"`
	Note               []Note            `json:"note"`
}

// Range stands for a value that is a range. Its limits aren't read.
type Range struct{}

// ChartEncounter is a visit or stay in a chart (US Core Encounter).
type ChartEncounter struct {
	ID string `json:"id"`
	Encounter
	Marks
	Class Coding `json:"class"`
}

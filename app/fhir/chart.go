package fhir

import "github.com/go-json-experiment/json/jsontext"

// Chart is what is read of one patient in an EHR: the four resources of the
// pull lane (spec, "EHR-launch lane"; US Core) in shapes that have no room for
// anything else. Add fills it, one resource at a time.
type Chart struct {
	Patient      ChartPatient
	Observations []ChartObservation
	Conditions   []Condition
	Encounters   []ChartEncounter
}

// ChartTypes are the resources that Add reads.
var ChartTypes = []string{"Patient", "Observation", "Condition", "Encounter"}

// Add decodes one resource into the chart. A wrong JSON type inside it costs
// that resource only: the chart stays as it was, and the ShapeError says where
// it is. A resource of another type is left out without an error.
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

func decodeInto[T any](into *T, resource jsontext.Value, at literal) error {
	var one T
	err := Decode(resource, &one, at, "")
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
	Identifier       []ChartIdentifier `json:"identifier"`
	Name             []ChartName       `json:"name"`
	Address          []ChartAddress    `json:"address"`
	DeceasedBoolean  bool              `json:"deceasedBoolean"`
	DeceasedDateTime string            `json:"deceasedDateTime"`
	SingleBirth      *bool             `json:"multipleBirthBoolean"` // false is a single birth
}

// ChartIdentifier is an identifier with the time it is for.
type ChartIdentifier struct {
	Identifier
	Use    string `json:"use"`
	Period Period `json:"period"`
}

// ChartName is a name with the time it is for.
type ChartName struct {
	HumanName
	Period Period `json:"period"`
}

// ChartAddress is an address, of which the postal code alone is kept, with what
// it is for (postal or physical) and when.
type ChartAddress struct {
	Address
	Type   string `json:"type"`
	Period Period `json:"period"`
}

// ChartObservation is a finding in a chart (US Core Observation profiles), with
// the times and the components that a pushed one is not asked for.
type ChartObservation struct {
	ID   string `json:"id"`
	Meta Meta   `json:"meta"`
	Observation
	EffectiveDateTime string           `json:"effectiveDateTime"`
	EffectivePeriod   Period           `json:"effectivePeriod"`
	EffectiveInstant  string           `json:"effectiveInstant"`
	Issued            string           `json:"issued"`
	Component         []ChartComponent `json:"component"`
}

// ChartComponent is one part of a finding, with its own code and value.
type ChartComponent struct {
	Code                 CodeableConcept  `json:"code"`
	DataAbsentReason     *CodeableConcept `json:"dataAbsentReason"`
	ValueQuantity        *Quantity        `json:"valueQuantity"`
	ValueInteger         Number           `json:"valueInteger"`
	ValueString          string           `json:"valueString"`
	ValueDateTime        string           `json:"valueDateTime"`
	ValueCodeableConcept *CodeableConcept `json:"valueCodeableConcept"`
}

// Condition is a diagnosis or problem in a chart (US Core Condition profiles).
// Its category is never asked for: some systems leave it out.
type Condition struct {
	ID                 string          `json:"id"`
	Meta               Meta            `json:"meta"`
	ClinicalStatus     CodeableConcept `json:"clinicalStatus"`
	VerificationStatus CodeableConcept `json:"verificationStatus"`
	Code               CodeableConcept `json:"code"`
	Subject            Reference       `json:"subject"`
	OnsetDateTime      string          `json:"onsetDateTime"`
	OnsetPeriod        Period          `json:"onsetPeriod"`
	AbatementDateTime  string          `json:"abatementDateTime"`
	AbatementPeriod    Period          `json:"abatementPeriod"`
	RecordedDate       string          `json:"recordedDate"`
}

// ChartEncounter is a visit or stay in a chart (US Core Encounter).
type ChartEncounter struct {
	ID string `json:"id"`
	Encounter
	Class Coding `json:"class"`
}

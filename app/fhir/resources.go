package fhir

// The six resources that are read (spec, "Resources read from a course of
// care"); anything not listed is ignored.

// Patient is the mother or a child.
type Patient struct {
	ID                   string      `json:"id"`
	Meta                 Meta        `json:"meta"`
	Extension            Extensions  `json:"extension"`
	Name                 []HumanName `json:"name"`
	Gender               string      `json:"gender"`
	BirthDate            string      `json:"birthDate"`
	BirthDateElement     Element     `json:"_birthDate"`
	Address              []Address   `json:"address"`
	DeceasedElement      Element     `json:"_deceasedBoolean"`
	MultipleBirth        Number      `json:"multipleBirthInteger"`
	MultipleBirthElement Element     `json:"_multipleBirthInteger"`
	SingleBirthElement   Element     `json:"_multipleBirthBoolean"`
}

// Observation is one finding.
type Observation struct {
	Status               string           `json:"status"`
	Code                 CodeableConcept  `json:"code"`
	Subject              Reference        `json:"subject"`
	Focus                []Reference      `json:"focus"`
	DataAbsentReason     *CodeableConcept `json:"dataAbsentReason"`
	ValueQuantity        *Quantity        `json:"valueQuantity"`
	ValueInteger         Number           `json:"valueInteger"`
	ValueBoolean         *bool            `json:"valueBoolean"`
	ValueString          string           `json:"valueString"`
	ValueDateTime        string           `json:"valueDateTime"`
	ValueDateTimeElement Element          `json:"_valueDateTime"`
	ValueCodeableConcept *CodeableConcept `json:"valueCodeableConcept"`
	Component            []Component      `json:"component"`
}

// Component is one part of an Observation.
type Component struct {
	Code                 CodeableConcept  `json:"code"`
	ValueBoolean         *bool            `json:"valueBoolean"`
	ValueCodeableConcept *CodeableConcept `json:"valueCodeableConcept"`
}

// Practitioner is a provider.
type Practitioner struct {
	ID            string          `json:"id"`
	Identifier    []Identifier    `json:"identifier"`
	Name          []HumanName     `json:"name"`
	Qualification []Qualification `json:"qualification"`
}

// Qualification is what a practitioner is trained for.
type Qualification struct {
	Code CodeableConcept `json:"code"`
}

// Encounter is the stay or visit: who took part, where, and transfers.
type Encounter struct {
	Meta            Meta                `json:"meta"`
	Extension       Extensions          `json:"extension"`
	Status          string              `json:"status"`
	Type            []CodeableConcept   `json:"type"`
	Priority        *CodeableConcept    `json:"priority"`
	Subject         Reference           `json:"subject"`
	Participant     []Participant       `json:"participant"`
	Period          Period              `json:"period"`
	ReasonCode      []CodeableConcept   `json:"reasonCode"`
	Hospitalization *Hospitalization    `json:"hospitalization"`
	Location        []EncounterLocation `json:"location"`
}

// Participant is somebody who took part in an Encounter.
type Participant struct {
	Type       []CodeableConcept `json:"type"`
	Individual Reference         `json:"individual"`
}

// Hospitalization tells where a patient came from and went.
type Hospitalization struct {
	AdmitSource          *CodeableConcept `json:"admitSource"`
	DischargeDisposition *CodeableConcept `json:"dischargeDisposition"`
}

// EncounterLocation is the place of an Encounter. Its status tells a planned
// place from one where the patient was.
type EncounterLocation struct {
	Location     Reference        `json:"location"`
	Status       string           `json:"status"`
	PhysicalType *CodeableConcept `json:"physicalType"`
}

// Composition is the document's first entry; its status may retract the record.
type Composition struct {
	Meta   Meta            `json:"meta"`
	Status string          `json:"status"`
	Type   CodeableConcept `json:"type"`
	// Subject is the child, or the fetus, that the document reports.
	Subject Reference `json:"subject"`
}

// Consent is the consent decision.
type Consent struct {
	Status    string     `json:"status"`
	DateTime  string     `json:"dateTime"`
	Provision *Provision `json:"provision"`
}

// Provision is a rule of a Consent; rules may be nested.
type Provision struct {
	Type      string      `json:"type"`
	Provision []Provision `json:"provision"`
}

// Denies reports whether the provision, or one inside it, is a deny.
func (p *Provision) Denies() bool {
	if p == nil {
		return false
	}
	if p.Type == "deny" {
		return true
	}
	for i := range p.Provision {
		if p.Provision[i].Denies() {
			return true
		}
	}
	return false
}

package fhir

// This file has the six resource types on the spec's list ("Resources read from a course of care").
// The file bfdr.go has the types that are read only if the operator has chosen birth.BFDRReading.

// Patient is the Patient resource of the mother or a child.
type Patient struct {
	ID                   string      `json:"id"`
	Meta                 Meta        `json:"meta"`
	Identifier           Identities  `json:"identifier"` // read only to recognize references
	Extension            Extensions  `json:"extension" fhir:"value"`
	Name                 []HumanName `json:"name"`
	Gender               string      `json:"gender" fhir:"value"`
	BirthDate            string      `json:"birthDate" fhir:"value"`
	BirthDateElement     *Element    `json:"_birthDate" fhir:"value"`
	Address              []Address   `json:"address" fhir:"value"`
	DeceasedElement      *Element    `json:"_deceasedBoolean" fhir:"value"`
	MultipleBirth        Number      `json:"multipleBirthInteger" fhir:"value"`
	MultipleBirthElement *Element    `json:"_multipleBirthInteger" fhir:"value"`
	SingleBirth          *bool       `json:"multipleBirthBoolean" fhir:"value"` // false for a single birth
	SingleBirthElement   *Element    `json:"_multipleBirthBoolean" fhir:"value"`
	Lost                 Lost        `json:"-"`
}

// Observation is one measurement, answer or other finding.
type Observation struct {
	ID                   string            `json:"id" fhir:"value"`
	Meta                 Version           `json:"meta" fhir:"value"`
	Status               string            `json:"status" fhir:"value"`
	Code                 CodeableConcept   `json:"code" fhir:"value"`
	Subject              Reference         `json:"subject"`
	Focus                []Reference       `json:"focus"`
	Encounter            *Reference        `json:"encounter" fhir:"value"`
	HasMember            []Reference       `json:"hasMember" fhir:"value"`
	EffectiveDateTime    string            `json:"effectiveDateTime" fhir:"value"`
	EffectivePeriod      Period            `json:"effectivePeriod" fhir:"value"`
	EffectiveInstant     string            `json:"effectiveInstant" fhir:"value"`
	Issued               string            `json:"issued" fhir:"value"`
	DataAbsentReason     *CodeableConcept  `json:"dataAbsentReason" fhir:"value"`
	ValueQuantity        *Quantity         `json:"valueQuantity" fhir:"value"`
	ValueInteger         Number            `json:"valueInteger" fhir:"value"`
	ValueIntegerElement  *Element          `json:"_valueInteger" fhir:"value"`
	ValueBoolean         *bool             `json:"valueBoolean" fhir:"value"`
	ValueBooleanElement  *Element          `json:"_valueBoolean" fhir:"value"`
	ValueString          string            `json:"valueString" fhir:"value"`
	ValueStringElement   *Element          `json:"_valueString" fhir:"value"`
	ValueDateTime        string            `json:"valueDateTime" fhir:"value"`
	ValueDateTimeElement *Element          `json:"_valueDateTime" fhir:"value"`
	ValueCodeableConcept *CodeableConcept  `json:"valueCodeableConcept" fhir:"value"`
	ValueRange           Present           `json:"valueRange"`
	ValueRatio           Present           `json:"valueRatio"`
	ValueSampledData     Present           `json:"valueSampledData"`
	ValueTime            Present           `json:"valueTime"`
	ValuePeriod          Present           `json:"valuePeriod"`
	Interpretation       []CodeableConcept `json:"interpretation" fhir:"value"`
	Note                 []Note            `json:"note" fhir:"value"`
	Component            []Component       `json:"component" fhir:"value"`
	Lost                 Lost              `json:"-"`
}

// Component is one part of an Observation, with its own code and value.
type Component struct {
	Code                 CodeableConcept  `json:"code" fhir:"value"`
	DataAbsentReason     Present          `json:"dataAbsentReason"`
	ValueQuantity        *Quantity        `json:"valueQuantity" fhir:"value"`
	ValueInteger         Number           `json:"valueInteger" fhir:"value"`
	ValueIntegerElement  *Element         `json:"_valueInteger" fhir:"value"`
	ValueBoolean         *bool            `json:"valueBoolean" fhir:"value"`
	ValueBooleanElement  *Element         `json:"_valueBoolean" fhir:"value"`
	ValueString          string           `json:"valueString" fhir:"value"`
	ValueStringElement   *Element         `json:"_valueString" fhir:"value"`
	ValueDateTime        string           `json:"valueDateTime" fhir:"value"`
	ValueDateTimeElement *Element         `json:"_valueDateTime" fhir:"value"`
	ValueCodeableConcept *CodeableConcept `json:"valueCodeableConcept" fhir:"value"`
	ValueRange           Present          `json:"valueRange"`
	ValueRatio           Present          `json:"valueRatio"`
	ValueSampledData     Present          `json:"valueSampledData"`
	ValueTime            Present          `json:"valueTime"`
	ValuePeriod          Present          `json:"valuePeriod"`
	// Interpretation is about the component alone.
	Interpretation []CodeableConcept `json:"interpretation" fhir:"value"`
	Lost           Lost              `json:"-"`
}

// Part returns the nth component as an Observation. The code, the value and the interpretation come
// from the component.
// The status, subject, focus, encounter, times, version and notes come from the whole Observation.
// The ID is empty.
func (o *Observation) Part(n int) Observation {
	c := &o.Component[n]
	part := Observation{
		Status: o.Status, Subject: o.Subject, Focus: o.Focus, Encounter: o.Encounter, Issued: o.Issued, Meta: o.Meta,
		EffectiveDateTime: o.EffectiveDateTime, EffectivePeriod: o.EffectivePeriod, EffectiveInstant: o.EffectiveInstant,
		Code: c.Code, Note: o.Note, Interpretation: c.Interpretation, Lost: c.Lost,
		ValueQuantity: c.ValueQuantity, ValueInteger: c.ValueInteger, ValueIntegerElement: c.ValueIntegerElement,
		ValueBoolean: c.ValueBoolean, ValueBooleanElement: c.ValueBooleanElement,
		ValueString: c.ValueString, ValueStringElement: c.ValueStringElement,
		ValueDateTime: c.ValueDateTime, ValueDateTimeElement: c.ValueDateTimeElement, ValueCodeableConcept: c.ValueCodeableConcept,
		ValueRange: c.ValueRange, ValueRatio: c.ValueRatio, ValueSampledData: c.ValueSampledData, ValueTime: c.ValueTime, ValuePeriod: c.ValuePeriod,
	}
	if c.DataAbsentReason {
		part.DataAbsentReason = &CodeableConcept{}
	}
	return part
}

// Practitioner is a provider such as a midwife or a physician.
type Practitioner struct {
	Meta          Version         `json:"meta" fhir:"value"`
	ID            string          `json:"id"`
	Identifier    []Identifier    `json:"identifier"`
	Name          []HumanName     `json:"name"`
	Qualification []Qualification `json:"qualification" fhir:"value"`
}

// Qualification is what a practitioner is trained for.
type Qualification struct {
	Code CodeableConcept `json:"code"`
}

// Encounter is a stay or visit. It records who took part, where it was, and transfers.
type Encounter struct {
	ID              string              `json:"id" fhir:"value"`
	Meta            Meta                `json:"meta"`
	Extension       Extensions          `json:"extension" fhir:"value"`
	Status          string              `json:"status" fhir:"value"`
	Type            []CodeableConcept   `json:"type" fhir:"value"`
	Priority        *CodeableConcept    `json:"priority" fhir:"value"`
	Subject         Reference           `json:"subject"`
	Participant     []Participant       `json:"participant" fhir:"value"`
	Period          Period              `json:"period" fhir:"value"`
	ReasonCode      []CodeableConcept   `json:"reasonCode" fhir:"value"`
	Hospitalization *Hospitalization    `json:"hospitalization" fhir:"value"`
	Location        []EncounterLocation `json:"location" fhir:"value"`
	Lost            Lost                `json:"-"`
}

// Participant is somebody who took part in an Encounter.
type Participant struct {
	Type       []CodeableConcept `json:"type"`
	Individual Reference         `json:"individual"`
	Period     Period            `json:"period" fhir:"value"`
}

// Hospitalization records where a patient came from and where the patient went.
type Hospitalization struct {
	AdmitSource          *CodeableConcept `json:"admitSource" fhir:"value"`
	DischargeDisposition *CodeableConcept `json:"dischargeDisposition" fhir:"value"`
}

// EncounterLocation is the place of an Encounter. Its status tells a planned place from a place
// where the patient actually was. Its period is when the patient was there.
type EncounterLocation struct {
	Location     Reference        `json:"location" fhir:"value"`
	Status       string           `json:"status" fhir:"value"`
	PhysicalType *CodeableConcept `json:"physicalType" fhir:"value"`
	Period       Period           `json:"period" fhir:"value"`
}

// Composition is the document's first entry. It may have a status that retracts the record.
type Composition struct {
	ID     string          `json:"id" fhir:"value"`
	Meta   Meta            `json:"meta"`
	Status string          `json:"status"`
	Type   CodeableConcept `json:"type" fhir:"value"`
	// Subject is the child or the fetus that the document is about.
	Subject Reference `json:"subject"`
	Lost    Lost      `json:"-"`
}

// Consent is a patient's consent decision. The field Decision exists only in FHIR R5. Its value
// isn't read, but if it is present, the other fields don't mean what they mean in R4.
type Consent struct {
	Status    string     `json:"status" fhir:"value"`
	DateTime  string     `json:"dateTime" fhir:"value"`
	Provision *Provision `json:"provision" fhir:"value"`
	Patient   Reference  `json:"patient" fhir:"value"`
	// PolicyRule is the general rule. The provisions are exceptions to it.
	PolicyRule CodeableConcept `json:"policyRule" fhir:"value"`
	Decision   Present         `json:"decision"`
	Lost       Lost            `json:"-"`
}

// Provision is a rule in a Consent. Rules may be nested.
type Provision struct {
	Type              string      `json:"type"`
	Provision         []Provision `json:"provision"`
	ModifierExtension Present     `json:"modifierExtension"`
}

// Permits reports whether the provision and all provisions nested in it permit. A provision doesn't
// permit if it denies, has a modifierExtension, or has a type that R4 doesn't define. A nil
// provision permits.
func (p *Provision) Permits() bool {
	if p == nil {
		return true
	}
	if p.Type != "" && p.Type != "permit" || bool(p.ModifierExtension) {
		return false
	}
	for i := range p.Provision {
		if !p.Provision[i].Permits() {
			return false
		}
	}
	return true
}

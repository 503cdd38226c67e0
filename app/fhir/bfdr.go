package fhir

// This file has four resource types that aren't on the spec's list. BFDR 2.0.0, the FHIR guide for
// reporting births, records facts about a birth in them. They are read only if the operator has
// chosen birth.BFDRReading (decision 30).

// Procedure is a procedure that was done to the mother or a newborn.
type Procedure struct {
	ID                string           `json:"id"`
	Meta              Meta             `json:"meta"`
	ModifierExtension Extensions       `json:"modifierExtension"`
	Status            string           `json:"status"`
	StatusElement     *Element         `json:"_status"`
	Category          *CodeableConcept `json:"category"`
	Code              CodeableConcept  `json:"code"`
	Subject           Reference        `json:"subject"`
	Encounter         Reference        `json:"encounter"`
	PerformedDateTime string           `json:"performedDateTime"`
	PerformedPeriod   Period           `json:"performedPeriod"`
	PerformedAge      *Quantity        `json:"performedAge"`
	PerformedRange    *Range           `json:"performedRange"`
	PerformedString   string           `json:"performedString"`
	// Outcome records whether an external cephalic version (turning the fetus in the womb)
	// succeeded.
	Outcome *CodeableConcept `json:"outcome"`
}

// BirthCondition is a condition that the mother or a newborn had. Conditions in an EHR's chart have
// their own type, Condition.
type BirthCondition struct {
	ID                 string            `json:"id"`
	Meta               Meta              `json:"meta"`
	ModifierExtension  Extensions        `json:"modifierExtension"`
	ClinicalStatus     CodeableConcept   `json:"clinicalStatus"`
	VerificationStatus *CodeableConcept  `json:"verificationStatus"`
	Category           []CodeableConcept `json:"category"`
	Code               CodeableConcept   `json:"code"`
	Subject            Reference         `json:"subject"`
	Encounter          Reference         `json:"encounter"`
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
	RecordedDate       string            `json:"recordedDate"`
}

// Coverage records who paid for the delivery.
type Coverage struct {
	ID                string          `json:"id"`
	Meta              Meta            `json:"meta"`
	ModifierExtension Extensions      `json:"modifierExtension"`
	Status            string          `json:"status"`
	StatusElement     *Element        `json:"_status"`
	Type              CodeableConcept `json:"type"`
	Beneficiary       Reference       `json:"beneficiary"`
	Period            Period          `json:"period"`
}

// Location is a place such as a hospital or a ward. Its address is not read.
type Location struct {
	ID           string            `json:"id"`
	Meta         Version           `json:"meta"`
	Name         string            `json:"name"`
	Mode         string            `json:"mode"`
	Type         []CodeableConcept `json:"type"`
	PhysicalType *CodeableConcept  `json:"physicalType"`
	PartOf       Reference         `json:"partOf"`
}

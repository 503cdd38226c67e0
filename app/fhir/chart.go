package fhir

// Chart is what is read of one patient in an EHR: the four resources of the
// pull lane (spec, "EHR-launch lane") in shapes that have no room for anything
// else. Everything in it is about the patient launched.
type Chart struct {
	Patient      ChartPatient
	Observations []ChartObservation
	Conditions   []Condition
	Encounters   []ChartEncounter
}

// ChartPatient is the patient of a chart (US Core Patient).
type ChartPatient struct {
	ID         string       `json:"id"`
	Identifier []Identifier `json:"identifier"`
	Name       []HumanName  `json:"name"`
	Gender     string       `json:"gender"`
	BirthDate  string       `json:"birthDate"`
}

// ChartObservation is a finding in a chart (US Core Observation profiles).
type ChartObservation struct {
	ID string `json:"id"`
	Observation
}

// Condition is a diagnosis or problem in a chart (US Core Condition profiles).
type Condition struct {
	ID string `json:"id"`
}

// ChartEncounter is a visit or stay in a chart (US Core Encounter).
type ChartEncounter struct {
	ID string `json:"id"`
	Encounter
}

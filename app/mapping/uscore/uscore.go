// Package uscore reads the chart of one patient, as an EHR gives it at a SMART launch
// (US Core on FHIR R4), and fills in the form "Record a birth" with it.
//
// Read decides whose chart it is (a mother's, a newborn's or unknown) and what it fills
// in under each role: values with their origins, hints that the clinician may take over,
// and notices about the chart as a whole. Codes lists the codes worth requesting from an
// EHR.
//
// A clinical value is filled in only if it is final, dated, in range, of the pregnancy in question
// and beyond doubt, because a wrong value is worse than none. Any other value that may help is a
// hint with its reason. A fact missing from the chart never means no. The reader never saves
// anything, and never fills in a chart number or a fact about anybody but the mother, the newborn
// and the attending provider. It has no clock: the time of the launch is given.
//
// US Core has no codes for most of a birth, so much is left to the clinician. rows.go
// and conditions.go list the fields that a chart can state, fits.go decides when a value
// counts, and pregnancy.go and window.go decide which pregnancy is meant.
package uscore

import (
	"time"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
)

// Role says whose chart it is.
type Role string

// The roles of a chart's patient.
const (
	Mother  Role = "mother"
	Newborn Role = "newborn"
	Unknown Role = "unknown"
)

// Launch is what a launch states in addition to the chart.
type Launch struct {
	At        time.Time // of the launch
	Encounter string    // id of the Encounter in context, "" for none
	// Base is the FHIR base of the EHR. An absolute reference names the patient only if it
	// begins with Base. If Base is "", resources with absolute references are not used.
	Base string
}

// Reading is the result of reading a chart.
type Reading struct {
	// Patient shows the clinician whose chart it is.
	Patient Patient
	// Role says whose chart it seems to be, and Why gives the reason in plain words. As holds
	// what the chart fills in under every role, because the clinician may correct the role.
	Role Role
	Why  string
	As   map[Role]Filled
}

// Patient is the patient as a banner shows them. An empty field is not stated.
type Patient struct {
	Name      string // as people write it
	BirthDate string // FHIR date
	Number    string // the medical record number
	Deceased  bool
}

// Filled is what a chart fills into the form.
type Filled struct {
	// Draft holds the values, all with the source ehr_pull.
	Draft birth.Draft
	// Origins states where in the chart every value of the draft was found.
	Origins []Origin
	// Hints are shown next to a field and fill in nothing.
	Hints []Hint
	// Notices are about the whole chart: contradictions, and which pregnancy was chosen and
	// why. Unused lists in plain words what was read but not used.
	Notices []string
	Unused  []string
}

// Origin states where in the chart a value was found.
type Origin struct {
	At birth.Path
	// Text is what the chart says, with unit, date and code: "170.2 cm, May 1, 2026, LOINC
	// 8302-2". Others are further values that fit.
	Text   string
	Others []string
}

// Hint is a value that may fit a field, and why it was not filled in.
type Hint struct {
	At   birth.Path
	Text string
	// Value is the value that the clinician may take over with one press, or nil if the hint
	// can only be read.
	Value *birth.Value
}

// Read maps the chart of one patient onto the spine. It fills in a clinical value only if it is
// final, dated, in range, of the index pregnancy and beyond doubt (decisions 47, 48);
// everything else that may help is a hint, with the reason. A fact missing from the
// chart never means no. The same chart gives the same reading, in whatever order its
// resources come, and a partly read chart fills in nothing that the whole would not.
//
// Procedure, Practitioner, RelatedPerson and Coverage are not read from a chart (spec), so
// the method of delivery, the attendant's role and the payer mostly stay empty. Read fills
// in no chart number: the practice chooses which one to use.
func Read(c fhir.Chart, launch Launch) Reading {
	r := newReader(c, launch)
	role, why := r.role()
	return Reading{
		Patient: r.banner(), Role: role, Why: why,
		As: map[Role]Filled{Mother: r.mother(), Newborn: r.newborn(), Unknown: r.unknown()},
	}
}

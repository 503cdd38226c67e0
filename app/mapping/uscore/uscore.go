// Package uscore reads the chart of one patient, which an EHR provides at a SMART launch (US Core
// on FHIR R4). It fills in the form "Record a birth" from the chart.
//
// Read decides whose chart it is: a mother's, a newborn's or unknown. It returns what is filled in
// for each of these roles: values with their origins, hints that the clinician may apply, and
// notices about the chart as a whole. Codes lists the codes to request from an EHR.
//
// A clinical value is filled in only if it is final, dated, in range, from the pregnancy in
// question and beyond doubt, because a wrong value is worse than none. Any other value that may
// help is a hint with its reason. If a fact is missing from the chart, this never means no. The
// package never saves anything. It never fills in a chart number, or a fact about anybody except
// the mother, the newborn and the attending provider. It has no clock, so the caller passes the
// time of the launch.
//
// US Core has no codes for most facts of a birth, so much is left to the clinician. The files
// rows.go and conditions.go list the fields that can come from a chart, fits.go decides when a
// value counts, and pregnancy.go and window.go decide which pregnancy is meant.
package uscore

import (
	"time"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
)

// Role says whose chart it is.
type Role string

// The possible roles of the patient.
const (
	Mother  Role = "mother"
	Newborn Role = "newborn"
	Unknown Role = "unknown"
)

// Launch holds what is known from a launch in addition to the chart.
type Launch struct {
	At        time.Time // the time of the launch
	Encounter string    // the ID of the encounter from which the clinician launched, or ""
	// Base is the EHR's FHIR base address. An absolute reference is to the patient only if it
	// begins with Base. If Base is "", resources with absolute references aren't used.
	Base string
}

// Reading is the result of reading a chart.
type Reading struct {
	// Patient is for showing the clinician whose chart it is.
	Patient Patient
	// Role says whose chart it seems to be, and Why is the reason in plain words. The map As has
	// what is filled in from the chart for every role, because the clinician may correct the role.
	Role Role
	Why  string
	As   map[Role]Filled
}

// Patient is the patient in the form in which a banner shows them. A field is empty if the chart
// doesn't have it.
type Patient struct {
	Name      string // in human-readable form
	BirthDate string // FHIR date
	Number    string // the medical record number
	Deceased  bool
}

// Filled is what is filled in from a chart.
type Filled struct {
	// Draft has the values that are filled in. Their source is ehr_pull.
	Draft birth.Draft
	// Origins says where in the chart each value of the draft was found.
	Origins []Origin
	// Hints are shown next to a field. They aren't filled in.
	Hints []Hint
	// Notices are about the whole chart. They are about contradictions, and about which pregnancy
	// was chosen and why. Unused says in plain words what was read but not used.
	Notices []string
	Unused  []string
}

// Origin says where in the chart a value was found.
type Origin struct {
	At birth.Path
	// Text is what is in the chart, with unit, date and code: "170.2 cm, May 1, 2026, LOINC
	// 8302-2". Others has further values that fit.
	Text   string
	Others []string
}

// Hint is a value that may belong in a field, with the reason why it wasn't filled in.
type Hint struct {
	At   birth.Path
	Text string
	// Value is the value that the clinician can apply with one click. It is nil if the hint can
	// only be read.
	Value *birth.Value
}

// Read maps the chart of one patient to the fields of the spine. It fills in a clinical value only
// if it is final, dated, in range, from the index pregnancy and beyond doubt (decisions 47, 48).
// Anything else that may help is a hint with its reason. If a fact is missing from the chart, this
// never means no. The same chart always gives the same result, whatever the order of its resources.
// If a chart was only partly read, Read fills in nothing that it wouldn't fill in from the whole
// chart.
//
// Procedure, Practitioner, RelatedPerson and Coverage aren't read from a chart (spec). The method
// of delivery, the attendant's role and the payer therefore mostly stay empty. Read fills in no
// chart number, because the practice chooses which number to use.
func Read(c fhir.Chart, launch Launch) Reading {
	r := newReader(c, launch)
	role, why := r.role()
	return Reading{
		Patient: r.banner(), Role: role, Why: why,
		As: map[Role]Filled{Mother: r.mother(), Newborn: r.newborn(), Unknown: r.unknown()},
	}
}

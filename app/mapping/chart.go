package mapping

import (
	"time"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
)

// ChartRole says whose chart was launched.
type ChartRole string

// The roles of a chart's patient.
const (
	ChartMother  ChartRole = "mother"
	ChartNewborn ChartRole = "newborn"
	ChartUnknown ChartRole = "unknown"
)

// ChartLaunch is what the launch says besides the chart.
type ChartLaunch struct {
	At        time.Time // of the launch
	Encounter string    // id of the Encounter in context, "" for none
	// Base is the FHIR base of the EHR: an absolute reference is to the patient only
	// below it. "" leaves out what is referred to absolutely.
	Base string
}

// ChartReading is a chart as it was understood.
type ChartReading struct {
	// Patient tells the clinician whose chart it is.
	Patient ChartPerson
	// Role is whose chart it seems to be, Why says it in plain words. As has what
	// the chart fills in under every role: the clinician may say otherwise.
	Role ChartRole
	Why  string
	As   map[ChartRole]Filled
}

// ChartPerson is the patient as a banner shows them. Empty is not stated.
type ChartPerson struct {
	Name      string // as people write it
	BirthDate string // FHIR date
	Number    string // the medical record number
	Deceased  bool
}

// Filled is what a chart fills into the form.
type Filled struct {
	// Draft holds the values, every one of them of source ehr_pull.
	Draft birth.Draft
	// Origins says of every value of the draft where in the chart it was found.
	Origins []Origin
	// Hints are shown beside a field and fill in nothing.
	Hints []Hint
	// Notices are about the chart as a whole: contradictions, which pregnancy was
	// chosen and why. Unused says what was read and not used, in plain words.
	Notices []string
	Unused  []string
}

// Origin is where a value was found.
type Origin struct {
	At birth.Place
	// Text is what the chart says, with unit, date and code: "170.2 cm, May 1,
	// 2026, LOINC 8302-2". Others are further fitting values, newest first.
	Text   string
	Others []string
}

// Hint is a value that may fit a field, and why it was not filled in.
type Hint struct {
	At   birth.Place
	Text string
	// Value is what the clinician may take over with one press; nil for a hint
	// that is to be read only.
	Value *birth.Value
}

// ReadChart maps the chart of one patient onto the spine (uscore-mapping; US Core
// has no codes for most of a birth, so that much stays for the clinician). It
// fills in a value only if it is final, dated, in range, of the index pregnancy
// and beyond doubt (decisions 47, 48); everything else that may help is a hint,
// with the reason. That something is not in the chart never means no. The same
// chart gives the same reading, in whatever order its resources come, and a chart
// of which not everything was read fills in nothing that the whole of it would not.
//
// Procedure, Practitioner, RelatedPerson and Coverage are not read in this lane
// (spec), so that the way of birth, the attendant's role and the payer are mostly
// left open. It fills in no chart number: which one to use is for the practice.
func ReadChart(c fhir.Chart, launch ChartLaunch) ChartReading {
	r := newChartReader(c, launch)
	role, why := r.role()
	return ChartReading{
		Patient: r.person(), Role: role, Why: why,
		As: map[ChartRole]Filled{ChartMother: r.mother(), ChartNewborn: r.newborn(), ChartUnknown: r.unknown()},
	}
}

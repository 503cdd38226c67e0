// Package birth defines a record of a birth: what it may hold, where each value came from, what may
// be stored, how duplicates are recognized, and how a submission changes the record on file.
//
// A course of care is one mother, one or more children, and what is known about the pregnancy, the
// birth and the people present (spec, "What the service does"). One of the readers in package
// mapping returns it as a Draft. Check reports what a person should correct. Mask turns the draft
// into a Course, which holds only what is allowed; only a Course can be stored. Decide determines
// whether a submission creates, amends, revives or voids a record, changes nothing, or is rejected.
//
// Spine is the table that declares every field once. Reading, masking, storage, the form,
// spreadsheets and the guide all follow this table. The package is pure: it uses no clock, no I/O
// and no logger.
package birth

import "time"

// Source states how a value came into the registry (spec, "Provenance").
type Source string

// The four sources. Each stored value has exactly one of them.
const (
	Manual   Source = "manual"
	CSV      Source = "csv"
	FHIRPush Source = "fhir_push"
	EHRPull  Source = "ehr_pull"
)

// Label returns the name that pages show for the source, such as "Entered by hand".
func (s Source) Label() string {
	switch s {
	case Manual:
		return "Entered by hand"
	case CSV:
		return "CSV"
	case FHIRPush:
		return "EHR push"
	case EHRPull:
		return "From EHR"
	}
	return string(s)
}

// Draft is a course of care that was read from a Bundle, a chart, a spreadsheet or a form. It may
// still hold values that must not be stored. Mask removes these values and returns a Course, and
// only a Course can be stored. The member Care holds the values about the care itself, such as the
// place of birth.
type Draft struct {
	// Chart is the chart number (Bundle.identifier.value), or "" if no number was stated. A record
	// without a chart number can be neither amended nor retracted by a submission.
	Chart string
	// Stamp is the time at which the source system last changed the record, or zero if that isn't
	// stated. A time without an offset is read as UTC, because a draft has no practice whose time
	// zone could apply.
	Stamp time.Time
	// IGVersion is the version of BFDR (the FHIR guide for birth and fetal death reporting) that
	// the document declares, such as "2.0.0".
	IGVersion string
	// Reading says which resources of the Bundle were read. It is "" if the draft isn't from a
	// Bundle.
	Reading Reading

	Mother    Values
	Care      Values
	Children  []Values
	Providers []Provider
	Transfers []Transfer
	Consent   Consent
}

// Consent is the mother's decision on whether the birth may count in figures that are shared. Every
// course of care has a Consent, even if nobody asked her. The decision never keeps a record from
// being stored or shown (spec, "Consent rules").
type Consent struct {
	// Recorded is set if the mother was asked, or if a Consent resource was sent. Otherwise her
	// decision isn't known and counts as not granted.
	Recorded bool `json:"-"`
	Granted  bool `json:"granted"`
	// DateTime is the time of the decision as Consent.dateTime states it, or "".
	DateTime string `json:"date_time,omitzero"`
}

// Transfer is one transfer of care (spec, "Encounter rules" 3). Type, Direction, Urgency, Who,
// ReasonCode and Mode are codes, which aren't sealed. DateTime and Reason are patient data, which
// are sealed.
type Transfer struct {
	Type      string `json:"type,omitzero"`      // antepartum, intrapartum, postpartum, neonatal
	Direction string `json:"direction,omitzero"` // in, out
	Urgency   string `json:"urgency,omitzero"`   // urgent, non_urgent
	Who       string `json:"who,omitzero"`       // mother, child
	Source    Source `json:"source,omitzero"`
	// ReasonCode is the main reason, as the code of one of TransferReasons. Mode is the means of
	// transport, as the code of one of TransferModes.
	ReasonCode string `json:"reason_code,omitzero"`
	Mode       string `json:"mode,omitzero"`

	DateTime string `json:"datetime,omitzero"`
	Reason   string `json:"reason,omitzero"`
}

// Package mapping reads births from their four sources (Bundle, EHR chart, spreadsheet,
// form) into one type, birth.Draft. Charts, spreadsheets and forms are
// read by the packages uscore, sheet and form below it.
//
//	Mapper.Read   a FHIR Bundle, item by item, with its retractions
//
// The rules for Bundles are those of the spec ("Resources read from a course of
// care") and of BFDR 2.0.0 with its earlier versions. The spine says which code
// states which field; this package says how a resource is read.
//
// A value that cannot be read is left out and never rejects a record: a wrong
// value is worse than none. Only the structure of a Bundle can reject it: no
// mother, several mothers, no child, a wrong JSON type. Nothing here decides what
// may be stored; birth.Mask does. The package is pure: no clock, no I/O except the
// reader that it is given, no logger.
package mapping

import (
	"birthregistry/app/birth"
	"birthregistry/app/fhir"
)

// Mapper reads Bundles by the operator's settings.
type Mapper struct {
	// Attendants are the participation codes that mark the attendant. The spec
	// names ATND alone; a site whose documents use the code of BFDR proper adds
	// LOINC 87286-1.
	Attendants []string
	// Reading is which resources are read; the zero value is birth.SpecReading.
	Reading birth.Reading
	// Traced says that each item comes with its Trace.
	Traced bool

	// beforeCourse is called before a course is mapped; tests make it panic.
	beforeCourse func()
}

// Item is one unit of a Bundle: a course of care, a retraction, or what is
// wrong with one of them.
type Item struct {
	// Accepted and Rejected are the references under which the receipt reports
	// the item (decisions 18).
	Accepted, Rejected string

	// Draft is the course of care, when it is one.
	Draft *birth.Draft
	// Retraction voids the record with the chart number Chart, or where there is
	// none the first of Others that is on file: a urn can be a chart number as it
	// stands and without its prefix.
	Retraction bool
	Chart      string
	Others     []string
	// ChartAt is where the chart number is named, or should be.
	ChartAt string
	// Stamps are the source system's last changes that are stated, best first.
	Stamps []Stamp
	// Custom is what is said in the practice's own fields, by key. No Bundle
	// and no chart fills it; nil leaves what stands.
	Custom map[string]string

	// Amend lays what the item states over the record on file, and returns what the
	// record says then, or why it can't. It is nil where the item says all that the
	// record is to say, as every Bundle does; Draft then replaces what is on file.
	Amend func(onFile birth.Draft) (*birth.Draft, *fhir.Problem)

	// Trace is what became of all that the item carries, where the mapper traces. An
	// item that has nothing else is what stands beside the courses of a batch.
	Trace *Trace

	// Problem and Expression say why the item is rejected.
	Problem    *fhir.Problem
	Expression string
	// Panic is where in the program the mapper failed on this item, "" when it
	// did not: a defect of this program, not of the submission.
	Panic string
}

// Stamp is a last-modified time as it is stated, which can be read
// (birth.ParseStamp), and where that is. What a time without an offset means, and
// whether it lies too far ahead, the practice's zone and a clock tell.
type Stamp struct{ Text, At string }

func rejection(at string, problem *fhir.Problem, expression string) Item {
	return Item{Rejected: at, Problem: problem, Expression: expression}
}

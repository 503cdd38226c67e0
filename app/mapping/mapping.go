// Package mapping holds what the readers of births share. Each of the four sources has a
// reader below it, and all of them fill the same type, birth.Draft:
//
//	bundle   a FHIR Bundle, item by item, with its retractions
//	uscore   the chart that an EHR gives at a launch
//	sheet    a spreadsheet, row by row
//	form     what a person typed
//
// The package itself holds Item, the unit that the write path takes from a reader; the
// code for values that several sources state in the same way (amounts and their units,
// days and times, code systems, names, transfers of care); and Trace with its Reasons,
// which records what became of everything that a Bundle carried.
//
// A value that cannot be read is left out and never rejects a record: a wrong value is
// worse than none. This package doesn't decide what may be stored; birth.Mask does. It
// imports none of the readers, and has no clock, no I/O and no logger.
package mapping

import (
	"birthregistry/app/birth"
	"birthregistry/app/fhir"
)

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
	// Custom are the values of the practice's custom fields, by key. No Bundle
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

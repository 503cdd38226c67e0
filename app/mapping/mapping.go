// Package mapping holds what the readers of births share. Each of the four sources has a
// reader below it, and all of them fill the same type, birth.Draft:
//
//	bundle   a FHIR Bundle, item by item, with its retractions
//	uscore   the chart that an EHR provides at a launch
//	sheet    a spreadsheet, row by row
//	form     what a person typed
//
// The package itself holds Item, the unit that the write path takes from a reader; the code for
// values that several sources state in the same way (amounts and their units, days and times,
// code systems, names, transfers of care); and Trace with its Reasons, which records what
// happened to everything in a Bundle.
//
// In a Bundle or a chart, a value that cannot be read is left out and never rejects a record,
// because a wrong value is worse than none. In a spreadsheet or a form, it is an error that a
// person can fix. This package doesn't decide what may be stored; birth.Mask does. It imports none
// of the readers, and has no clock, no I/O and no logger.
package mapping

import (
	"birthregistry/app/birth"
	"birthregistry/app/fhir"
)

// Item is one item that a reader yields: a course of care, a retraction, or the rejection of one of
// them.
type Item struct {
	// Accepted and Rejected are the references by which the receipt identifies the item
	// (decision 18).
	Accepted, Rejected string

	// Draft is the course of care, if the item is one.
	Draft *birth.Draft
	// Retraction voids the record with the chart number Chart or, if there is none, with
	// the first of Others that is on file. Others are further readings of the stated number: a
	// urn may be a chart number with its prefix or without it.
	Retraction bool
	Chart      string
	Others     []string
	// ChartAt is the place where the chart number is stated, or should be.
	ChartAt string
	// Stamps are the statements of when the item was last changed in the source system, the best
	// one first.
	Stamps []Stamp
	// Custom holds the values of the practice's custom fields, by key. The readers of Bundles and
	// charts leave it nil, which leaves the values on file unchanged.
	Custom map[string]string

	// Amend combines the item with the record on file. It returns the resulting record, or the
	// problem. It is nil if the item states the whole record, as every Bundle does; Draft then
	// replaces what is on file.
	Amend func(onFile birth.Draft) (*birth.Draft, *fhir.Problem)
	// States reports whether the item itself states a value. It is nil if Amend is nil.
	States func(at birth.Path) bool

	// Trace records what happened to everything in the item, if the mapper traces. An item that
	// has only a Trace records the elements of a batch that belong to none of its courses.
	Trace *Trace

	// Problem is why the item is rejected, or nil if it is accepted. Expression is the place of the
	// problem.
	Problem    *fhir.Problem
	Expression string
	// RejectedChart is the chart number of a rejected course, or "" if it can't be read.
	RejectedChart string
	// Panic is the place in the program at which the mapper panicked on this item, or "". A
	// panic is a defect of this program, not of the submission.
	Panic string
}

// Stamp is a last-modified time as a document states it (Text), and the place that states it (At).
// birth.ParseStamp interprets the text. This package doesn't, because it has neither the practice's
// time zone nor a clock.
type Stamp struct{ Text, At string }

// Package mapping holds what the readers of births have in common. Each of the four sources of
// births has a reader in a package below it. All of them fill in the same type, birth.Draft:
//
//	bundle   a FHIR Bundle, item by item, with its retractions
//	uscore   the chart that an EHR provides at a launch
//	sheet    a spreadsheet, row by row
//	form     what a user typed
//
// The package itself has three things. Item is what a reader passes on to be written. Then there is
// the code for values that are similar in several sources: amounts and their units, days and times,
// code systems, names, and transfers of care. Finally, Trace and its Reasons record what happened
// to everything in a Bundle.
//
// In a Bundle or a chart, a value that cannot be read is left out and never rejects a record,
// because a wrong value is worse than none. In a spreadsheet or a form, it is an error that a user
// can fix. This package doesn't decide what may be stored; birth.Mask does. It imports none of the
// readers, and has no clock, no I/O and no logger.
package mapping

import (
	"birthregistry/app/birth"
	"birthregistry/app/fhir"
)

// Item is what a reader yields. It is a course of care, a retraction, or the rejection of either.
type Item struct {
	// Accepted and Rejected are the references to the item in the receipt (decision 18). The
	// receipt uses the one that fits the outcome.
	Accepted, Rejected string

	// Draft is the course of care. It is nil if the item isn't a course of care.
	Draft *birth.Draft
	// Retraction means that the item voids the record with the chart number Chart. If there is no
	// such record, it voids the first of Others that is on file. Others has further ways to read
	// the number. A urn, for example, may be a chart number with its prefix or without it.
	Retraction bool
	Chart      string
	Others     []string
	// ChartAt is the place where the chart number is, or where it should be.
	ChartAt string
	// Stamps lists the times at which the item was last changed in the source system, as the
	// document states them. The best one is first.
	Stamps []Stamp
	// Custom holds the values of the practice's custom fields, by the fields' keys. The readers of
	// Bundles and charts leave it nil, so that existing values don't change.
	Custom map[string]string

	// Amend combines the item with the existing record. It returns the resulting record, or a
	// problem. Amend is nil if the item is a whole record, as every Bundle is. In this case, Draft
	// replaces the existing record.
	Amend func(onFile birth.Draft) (*birth.Draft, *fhir.Problem)
	// States reports whether the item itself has a value at a place. It is nil if Amend is nil.
	States func(at birth.Path) bool

	// Trace records what happened to everything in the item, if the mapper makes a trace. An item
	// may have only a Trace. It then records the elements of a batch that belong to no course of
	// care.
	Trace *Trace

	// Problem is the reason why the item is rejected, or nil if it is accepted. Expression is the
	// place of the problem in the document.
	Problem    *fhir.Problem
	Expression string
	// RejectedChart is the chart number of a rejected course of care, or "" if it can't be read.
	RejectedChart string
	// Panic is the place in the program where the mapper panicked on this item, or "". A panic is a
	// defect of this program, and not of the submission.
	Panic string
}

// Stamp is the time at which something was last changed (Text) and the place in the document where
// this time is stated (At). The text is as in the document. birth.ParseStamp interprets it, because
// this package has neither the practice's time zone nor a clock.
type Stamp struct{ Text, At string }

// Package bundle reads FHIR Bundles: courses of care, batches of them, and retractions.
//
// Reader.Read yields the items of a Bundle in order. It keeps only one entry in memory at a time.
// Reader.ReadWhole does the same for a Bundle that is in memory. The rules are those of the spec
// ("Resources read from a course of care"). If the operator has chosen so, the rules of BFDR 2.0.0
// (Birth and Fetal Death Reporting) and its earlier versions also apply (bfdr*.go). The spine
// defines which code belongs to which field. This package defines how each resource is read.
//
// A value that cannot be read is left out and never rejects a record. A Bundle is rejected only for
// its structure or its chart number: no mother, several mothers, no child, a wrong JSON type, more
// elements than any real course has, a message that isn't about a birth, or an invalid chart
// number. If the mapping of a course of care panics, only that item fails (Item.Panic). If Traced is
// set, each course comes with the reason why each part of it was kept or not. The package decides
// nothing about storage, and has no clock, no logger, and no I/O except the reader that it is given.
package bundle

import (
	"errors"
	"io"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

// The limits for one course of care. A real one has about 60 entries, a few thousand elements and
// one or two children.
const (
	maxNesting  = 4
	maxElements = 200_000
)

// entries is a function that calls visit for the entries of a Bundle, in order. It may be called
// more than once. It stops at the first error from visit, and returns the Bundle's head.
type entries func(visit func(*fhir.Entry) error) (fhir.Head, error)

// Read reads a buffered Bundle and calls yield with its items in order. Only one entry is in memory
// at a time. Read stops at the first error from yield.
//
// First, Read handles the retraction entries, both in the Bundle and in Bundles inside it (spec,
// POST; decision 17). If any of the other entries is itself a Bundle, every such entry is a course
// of care, and entries of other types are ignored. Otherwise, the whole Bundle is one course of
// care. A document without retractions is decoded only once.
func (m Reader) Read(r io.ReadSeeker, yield func(mapping.Item) error) error {
	retracts, err := mayRetract(r)
	if err != nil {
		return err
	}
	return m.read(func(visit func(*fhir.Entry) error) (fhir.Head, error) {
		if _, err := r.Seek(0, io.SeekStart); err != nil {
			return fhir.Head{}, err
		}
		return fhir.ReadBundle(r, "Bundle", visit)
	}, retracts, yield)
}

// ReadWhole is like Read, but for a Bundle that is in memory. It searches for the entries only
// once.
func (m Reader) ReadWhole(doc []byte, yield func(mapping.Item) error) error {
	var found []*fhir.Entry
	retracts := false
	head, err := fhir.ReadWhole(doc, "Bundle", func(e *fhir.Entry) error {
		found = append(found, e)
		retracts = retracts || e.Method == "DELETE" || e.Kind == "Bundle" && namesDelete(e.Resource)
		return nil
	})
	if err != nil {
		return err
	}
	return m.read(func(visit func(*fhir.Entry) error) (fhir.Head, error) {
		for _, e := range found {
			if err := visit(e); err != nil {
				return head, err
			}
		}
		return head, nil
	}, retracts, yield)
}

func (m Reader) read(b entries, retracts bool, yield func(mapping.Item) error) error {
	if retracts {
		if err := b.retractions("", 0, yield); err != nil {
			return err
		}
	}
	return m.readCourses(b, yield)
}

// readCourses yields all items except the retraction entries.
func (m Reader) readCourses(b entries, yield func(mapping.Item) error) error {
	only := m.courseAt("Bundle")
	nested, message, retractions, near := false, false, 0, m.newTrace()
	head, err := b(func(e *fhir.Entry) error {
		switch {
		case e.Method == "DELETE":
			retractions++
			only.delete(e)
		case e.Kind == "Bundle":
			nested, only = true, nil
			return m.readInner(e, e.Place.String(), 1, message, yield)
		case e.Kind == "MessageHeader":
			message = true // the first entry of a message (FHIR R4, bdl-12)
			near.Entry(e)
			if !nested {
				only.add(e)
			}
		case !nested:
			only.add(e)
			fallthrough
		default:
			near.Entry(e)
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case nested:
		return near.Yield(yield)
	case retractions > 0 && only.entries == 0:
		return nil
	case only.entries == 0 && head.Shape == nil:
		return yield(rejection("Bundle", fhir.NothingUsable, "Bundle.entry"))
	}
	return yield(only.item(head, "Bundle", ""))
}

// readInner reads a Bundle inside the submitted Bundle. The argument at is the entry of the
// submitted Bundle that has the inner Bundle. The receipt reports the items under this entry. The
// argument message is set if a MessageHeader comes before the inner Bundle.
func (m Reader) readInner(outer *fhir.Entry, at string, depth int, message bool, yield func(mapping.Item) error) error {
	if depth > maxNesting {
		return yield(rejection(at, fhir.TooNested, at))
	}
	inner := m.courseAt(outer.Place.Resource())
	inner.message = message
	nested, retractions, near := false, 0, m.newTrace()
	head, err := outer.ReadBundle(func(e *fhir.Entry) error {
		switch {
		case e.Method == "DELETE":
			retractions++
			inner.delete(e)
		case e.Kind == "Bundle":
			nested = true
			return m.readInner(e, at, depth+1, inner.message, yield)
		default:
			inner.add(e)
			near.Entry(e)
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case outer.Shape != nil:
		return yield(misshapen(at, outer.Shape))
	case nested:
		return near.Yield(yield)
	case retractions > 0 && inner.entries == 0:
		return nil
	}
	return yield(inner.item(head, at, at))
}

func misshapen(at string, err error) mapping.Item {
	shape := (*fhir.ShapeError)(nil)
	if errors.As(err, &shape) {
		return rejection(at, fhir.WrongType, shape.Expression)
	}
	return rejection(at, fhir.WrongType, at)
}

// Reader reads Bundles according to the operator's settings.
type Reader struct {
	// Attendants lists the codes for participation that identify the attendant. The default is
	// ATND, the only code in the spec. If an installation's documents use BFDR's own code, the
	// operator adds LOINC 87286-1. With birth.BFDRReading, that code is always read.
	Attendants []string
	// Reading selects which resources are read. The zero value is birth.SpecReading.
	Reading birth.Reading
	// Traced is set if Reader makes a Trace for each course of care (Item.Trace).
	Traced bool

	// beforeCourse is called before a course of care is mapped. Tests make it panic.
	beforeCourse func()
}

func rejection(at string, problem *fhir.Problem, expression string) mapping.Item {
	return mapping.Item{Rejected: at, Problem: problem, Expression: expression}
}

package mapping

import (
	"errors"
	"io"

	"birthregistry/app/fhir"
)

// The limits of one course of care; real ones have some 60 entries, a few
// thousand elements and one child or two.
const (
	maxNesting  = 4
	maxElements = 200_000
)

// entries are those of a Bundle, which can be visited more than once: it visits them in
// order, stops at the first error of visit, and returns the Bundle's head.
type entries func(visit func(*fhir.Entry) error) (fhir.Head, error)

// Read reads a buffered Bundle and yields its items in order; it holds one
// entry at a time. It stops at the first error of yield.
//
// Modes (spec, POST; decisions 17): retraction entries are taken out first, of
// the Bundle and of those in it; then, if any entry is itself a Bundle, every
// such entry is a course of care and the others are ignored; else the Bundle is
// one course of care. A document that names no retraction is read once.
func (m Mapper) Read(r io.ReadSeeker, yield func(Item) error) error {
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

// ReadWhole is Read for a Bundle that is in memory: its entries are found once.
func (m Mapper) ReadWhole(doc []byte, yield func(Item) error) error {
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

func (m Mapper) read(b entries, retracts bool, yield func(Item) error) error {
	if retracts {
		if err := b.retractions("", 0, yield); err != nil {
			return err
		}
	}
	return m.readCourses(b, yield)
}

// readCourses yields everything but the retraction entries.
func (m Mapper) readCourses(b entries, yield func(Item) error) error {
	only := m.courseAt("Bundle")
	nested, message, retractions, beside := false, false, 0, m.newTrace()
	head, err := b(func(e *fhir.Entry) error {
		switch {
		case e.Method == "DELETE":
			retractions++
		case e.Kind == "Bundle":
			nested, only = true, nil
			return m.readInner(e, e.Place.String(), 1, message, yield)
		case e.Kind == "MessageHeader":
			message = true // the first entry of a message (FHIR R4, bdl-12)
			beside.entry(e)
			if !nested {
				only.add(e)
			}
		case !nested:
			only.add(e)
			fallthrough
		default:
			beside.entry(e)
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case nested:
		return beside.yield(yield)
	case retractions > 0 && only.entries == 0:
		return nil
	case only.entries == 0 && head.Shape == nil:
		return yield(rejection("Bundle", fhir.NothingUsable, "Bundle.entry"))
	}
	return yield(only.item(head, "Bundle", ""))
}

// readInner reads a Bundle that is an entry of the submitted one. Whatever it
// holds is reported under the submitted Bundle's entry, at. message tells that a
// MessageHeader stands before it.
func (m Mapper) readInner(outer *fhir.Entry, at string, depth int, message bool, yield func(Item) error) error {
	if depth > maxNesting {
		return yield(rejection(at, fhir.TooNested, at))
	}
	inner := m.courseAt(outer.Place.Resource())
	inner.message = message
	nested, retractions, beside := false, 0, m.newTrace()
	head, err := outer.ReadBundle(func(e *fhir.Entry) error {
		switch {
		case e.Method == "DELETE":
			retractions++
		case e.Kind == "Bundle":
			nested = true
			return m.readInner(e, at, depth+1, inner.message, yield)
		default:
			inner.add(e)
			beside.entry(e)
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case outer.Shape != nil:
		return yield(misshapen(at, outer.Shape))
	case nested:
		return beside.yield(yield)
	case retractions > 0 && inner.entries == 0:
		return nil
	}
	return yield(inner.item(head, at, at))
}

func misshapen(at string, err error) Item {
	shape := (*fhir.ShapeError)(nil)
	if errors.As(err, &shape) {
		return rejection(at, fhir.WrongType, shape.Expression)
	}
	return rejection(at, fhir.WrongType, at)
}

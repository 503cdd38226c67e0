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
	maxChildren = 100
)

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
	if retracts {
		if err := rewind(r); err != nil {
			return err
		}
		if err := readRetractions(r, "Bundle", "", 0, yield); err != nil {
			return err
		}
	}
	if err := rewind(r); err != nil {
		return err
	}
	return m.readCourses(r, yield)
}

func rewind(r io.Seeker) error {
	_, err := r.Seek(0, io.SeekStart)
	return err
}

// readCourses yields everything but the retraction entries.
func (m Mapper) readCourses(r io.Reader, yield func(Item) error) error {
	only := &course{mapper: m, bundle: "Bundle"}
	nested, retractions := false, 0
	head, err := fhir.ReadBundle(r, "Bundle", func(e *fhir.Entry) error {
		switch {
		case e.Method == "DELETE":
			retractions++
		case e.Kind == "Bundle":
			nested, only = true, nil
			return m.readInner(e, e.Place.String(), 1, yield)
		case !nested:
			only.add(e)
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case nested, retractions > 0 && only.entries == 0:
		return nil
	case only.entries == 0 && head.Shape == nil:
		return yield(rejection("Bundle", fhir.NothingUsable, "Bundle.entry"))
	}
	return yield(only.item(head, "Bundle", ""))
}

// readInner reads a Bundle that is an entry of the submitted one. Whatever it
// holds is reported under the submitted Bundle's entry, at.
func (m Mapper) readInner(outer *fhir.Entry, at string, depth int, yield func(Item) error) error {
	if depth > maxNesting {
		return yield(rejection(at, fhir.TooNested, at))
	}
	inner := &course{mapper: m, bundle: outer.Place.Resource()}
	nested, retractions := false, 0
	head, err := outer.ReadBundle(func(e *fhir.Entry) error {
		switch {
		case e.Method == "DELETE":
			retractions++
		case e.Kind == "Bundle":
			nested = true
			return m.readInner(e, at, depth+1, yield)
		default:
			inner.add(e)
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case outer.Shape != nil:
		return yield(misshapen(at, outer.Shape))
	case nested, retractions > 0 && inner.entries == 0:
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

package bundle

import (
	"birthregistry/app/birth"
	"birthregistry/app/mapping"
)

// held returns the draft's values of a child or, with -1, those of the mother or the care,
// whichever the field is about.
func held(d *birth.Draft, f *birth.Field, child int) *birth.Values {
	switch {
	case f.About == birth.Care:
		return &d.Care
	case child >= 0:
		return &d.Children[child]
	}
	return &d.Mother
}

// newTrace returns a new Trace, or nil unless Traced is set.
func (m Reader) newTrace() *mapping.Trace {
	if !m.Traced {
		return nil
	}
	return mapping.NewTrace()
}

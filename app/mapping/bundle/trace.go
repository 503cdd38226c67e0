package bundle

import (
	"birthregistry/app/birth"
	"birthregistry/app/mapping"
)

// held returns the values in the draft to which a field belongs. These are the values of the child
// with this index, of the mother or of the care. For the mother and the care, child is -1.
func held(d *birth.Draft, f *birth.Field, child int) *birth.Values {
	switch {
	case f.About == birth.Care:
		return &d.Care
	case child >= 0:
		return &d.Children[child]
	}
	return &d.Mother
}

// newTrace returns a new Trace if Traced is set, and nil otherwise.
func (m Reader) newTrace() *mapping.Trace {
	if !m.Traced {
		return nil
	}
	return mapping.NewTrace()
}

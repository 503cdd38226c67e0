package intake

import (
	"slices"

	"birthregistry/app/birth"
)

// What the board knows of births that look alike: which records are live under
// which fingerprint, and which a person kept beside each other.

// match compares a submission with the other live records. One that a person
// kept beside this one is no match, as long as the fingerprints stay.
func (b *board) match(e *entry, sub *submission) birth.Match {
	var m birth.Match
	same := samePrints(e.prints, sub.prints)
	for _, print := range sub.prints {
		for _, id := range b.live[print] {
			if id == e.ID {
				continue
			}
			m.Any = m.Any || !same || !slices.Contains(b.kept[e.ID], id)
			m.Changed = m.Changed || !slices.Contains(e.prints, print)
		}
	}
	return m
}

// setPrints keeps the picture of live fingerprints true.
func (b *board) setPrints(e *entry, prints []birth.Fingerprint, state birth.State) {
	for _, print := range e.prints {
		b.live[print] = slices.DeleteFunc(b.live[print], func(id int64) bool { return id == e.ID })
		if !slices.Contains(prints, print) || state != birth.Active {
			b.alike = append(b.alike, b.live[print]...)
		}
	}
	if !e.fresh && !samePrints(e.prints, prints) {
		b.lapse(e.ID)
	}
	e.prints = prints
	if state != birth.Active {
		return
	}
	for _, print := range prints {
		b.live[print] = append(b.live[print], e.ID)
	}
}

// lapse forgets whom a record was kept beside: it is another birth now.
func (b *board) lapse(id int64) {
	b.lapsed = append(b.lapsed, id)
	for _, other := range b.kept[id] {
		b.kept[other] = slices.DeleteFunc(b.kept[other], func(kept int64) bool { return kept == id })
	}
	delete(b.kept, id)
}

// settles says that writing the board may take marks off records that looked like
// another: whoever comes next must see that on file. It happens when one of two
// births that look alike goes or turns into another, which is rare.
func (b *board) settles() bool { return len(b.alike) > 0 }

// samePrints reports whether two sets of fingerprints are the same.
func samePrints(a, b []birth.Fingerprint) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(print birth.Fingerprint) bool { return !slices.Contains(b, print) })
}

package intake

import (
	"slices"

	"birthregistry/app/birth"
)

// What the board knows of births that look alike: which records are live under
// which fingerprint, and which a person kept beside each other.

// lookAlike looks up the live records under fingerprints that the board does not
// know yet.
func (b *board) lookAlike(prints []birth.Fingerprint) error {
	unknown := slices.DeleteFunc(slices.Clone(prints), func(print birth.Fingerprint) bool {
		_, known := b.live[print]
		return known
	})
	return b.lookAgain(unique(unknown))
}

// lookAgain looks up the live records under fingerprints.
func (b *board) lookAgain(prints []birth.Fingerprint) error {
	if len(prints) == 0 {
		return nil
	}
	live, err := b.view.LiveByPrint(b.practice, prints, b.most)
	for _, print := range prints {
		found := crowd{more: b.most > 0 && len(live[print]) == b.most}
		for _, id := range live[print] {
			found.add(id)
		}
		b.live[print] = found
	}
	return err
}

// match compares a submission with the other live records. One that a person
// kept beside this one is no match, as long as the fingerprints stay.
func (b *board) match(e *entry, sub *submission) birth.Match {
	var m birth.Match
	same, kept := samePrints(e.prints, sub.prints), b.kept[e.ID]
	for _, print := range sub.prints {
		live := b.live[print]
		if !live.any(func(id int64) bool { return id != e.ID }) {
			continue
		}
		m.Any = m.Any || !same || live.any(func(id int64) bool { return id != e.ID && !kept[id] })
		m.Changed = m.Changed || !slices.Contains(e.prints, print)
	}
	return m
}

// setPrints keeps the picture of live fingerprints true.
func (b *board) setPrints(e *entry, prints []birth.Fingerprint, state birth.State) {
	for _, print := range e.prints {
		live := b.live[print]
		live.drop(e.ID)
		b.live[print] = live
		if !slices.Contains(prints, print) || state != birth.Active {
			b.leaves(print, live)
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
		live := b.live[print]
		live.add(e.ID)
		b.live[print] = live
	}
}

// leaves notes the records that may no longer look like another, now that a record has
// left a fingerprint: the one that is left, or, of several, those that a person marked
// as no duplicates of all the others.
func (b *board) leaves(print birth.Fingerprint, left crowd) {
	switch {
	case left.more || left.size() > 1:
		b.crowded = append(b.crowded, print)
	case left.size() == 1:
		b.alone = append(b.alone, left.one)
	}
}

// lapse forgets whom a record was kept beside: it is another birth now.
func (b *board) lapse(id int64) {
	b.lapsed = append(b.lapsed, id)
	for other := range b.kept[id] {
		delete(b.kept[other], id)
	}
	delete(b.kept, id)
}

// mayUnsuspect reports whether writing the board may take the mark of a suspected
// duplicate off a record: the next submission must see that on file. It happens when
// one of two births that look alike goes or turns into another, which is rare.
func (b *board) mayUnsuspect() bool { return len(b.alone)+len(b.crowded) > 0 }

// unsuspect takes the mark off every record that no longer looks like another.
func (b *board) unsuspect() error {
	alone := b.alone
	if len(b.crowded) > 0 {
		kept, err := b.tx.KeptUnder(b.practice, unique(b.crowded))
		if err != nil {
			return err
		}
		alone = append(alone, kept...)
	}
	if len(alone) == 0 {
		return nil
	}
	return b.tx.Unsuspect(b.practice, unique(alone))
}

// samePrints reports whether two sets of fingerprints are the same.
func samePrints(a, b []birth.Fingerprint) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(print birth.Fingerprint) bool { return !slices.Contains(b, print) })
}

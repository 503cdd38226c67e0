package changes

// candidates holds the IDs of active records that share one fingerprint. It holds only the records
// that were read, and the number read is limited (witnesses). Most fingerprints belong to one
// active record, so the first record is stored without a map.
type candidates struct {
	one  int64
	rest map[int64]bool
	// more is set if the database may hold further active records with this fingerprint.
	more bool
}

// witnesses is how many active records are read for each fingerprint, in addition to one for each
// record of the change set. Even if the change set deactivates all of its own records, some other
// records are then known. A single other record already shows that a birth may be a duplicate. A
// few are therefore enough, and the cost doesn't grow with the number of similar records. If a
// person has marked records as not duplicates, more are read (readPast).
const witnesses = 3

func (c *candidates) add(id int64) {
	switch {
	case c.one == 0 || c.one == id:
		c.one = id
	case c.rest == nil:
		c.rest = map[int64]bool{id: true}
	default:
		c.rest[id] = true
	}
}

func (c *candidates) drop(id int64) {
	delete(c.rest, id)
	if c.one != id {
		return
	}
	c.one = 0
	for next := range c.rest {
		c.one = next
		delete(c.rest, next)
		return
	}
}

// any reports whether any of the records satisfies a condition.
func (c *candidates) any(is func(int64) bool) bool {
	if c.one != 0 && is(c.one) {
		return true
	}
	for id := range c.rest {
		if is(id) {
			return true
		}
	}
	return false
}

// size returns the number of records in c.
func (c *candidates) size() int {
	if c.one == 0 {
		return 0
	}
	return 1 + len(c.rest)
}

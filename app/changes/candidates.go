package changes

// candidates holds the live records under one fingerprint, as far as they were read.
// Nearly all fingerprints have one at most, which needs no map.
type candidates struct {
	one  int64
	rest map[int64]bool
	// more reports that there may be more of them on file.
	more bool
}

// witnesses is how many live records under a fingerprint are read besides those
// that a set may take away and those that one of its records is no duplicate of. Any
// of the rest shows that a birth looks like another, so the cost does not grow with the
// number of records of one birth.
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

// any reports whether is holds for one of them.
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

// size counts those that were read and are still there.
func (c *candidates) size() int {
	if c.one == 0 {
		return 0
	}
	return 1 + len(c.rest)
}

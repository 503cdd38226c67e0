package intake

// crowd holds the live records under one fingerprint, as far as they were looked up.
// Nearly all fingerprints have one at most, which needs no map.
type crowd struct {
	one  int64
	rest map[int64]bool
	// more reports that there may be more of them on file.
	more bool
}

// witnesses is how many live records under a fingerprint are looked up besides those
// that a board may take away and those that one of its records is no duplicate of. Any
// of the rest shows that a birth looks like another, so the cost does not grow with the
// number of records of one birth.
const witnesses = 3

func (c *crowd) add(id int64) {
	switch {
	case c.one == 0 || c.one == id:
		c.one = id
	case c.rest == nil:
		c.rest = map[int64]bool{id: true}
	default:
		c.rest[id] = true
	}
}

func (c *crowd) drop(id int64) {
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
func (c *crowd) any(is func(int64) bool) bool {
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

// size counts those that were looked up and are still there.
func (c *crowd) size() int {
	if c.one == 0 {
		return 0
	}
	return 1 + len(c.rest)
}

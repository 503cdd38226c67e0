package stats

import (
	"encoding/binary"
	"strings"

	"birthregistry/app/birth"
)

// MonthCounts counts the births of a month in every way in which a Report divides them. The
// database stores these counts, so that a report adds up a few months instead of many births. The
// order in which births are added doesn't matter. The zero value has no births.
type MonthCounts struct {
	// splits has the groups of each split, in the order of a report.
	splits [][]Group
	// Voided and Merged count records that are left out of all figures.
	Voided, Merged int

	one counted
}

// Add counts a record with the given state. attendant is the role of the attendant, and outcome is
// a birth.Outcome in its text form.
func (c *MonthCounts) Add(state birth.State, attendant, outcome string) {
	switch state {
	case birth.Voided:
		c.Voided++
	case birth.Merged:
		c.Merged++
	case birth.Active:
		c.init()
		one := c.one.read(outcome)
		for split, group := range [...]int{attendantGroup(attendant), int(one.Planned), int(one.Parous)} {
			c.splits[split][group].add(one)
		}
	}
}

func (c *MonthCounts) init() {
	if c.splits != nil {
		return
	}
	for _, names := range splitGroups {
		c.splits = append(c.splits, newGroups(names))
	}
}

// Reset sets all counts to zero.
func (c *MonthCounts) Reset() {
	c.Voided, c.Merged = 0, 0
	for _, groups := range c.splits {
		for g := range groups {
			groups[g].reset()
		}
	}
}

// births returns how many births are counted.
func (c *MonthCounts) births() (n int) {
	if c.splits == nil {
		return 0
	}
	for g := range c.splits[0] {
		n += c.splits[0][g].Births
	}
	return n
}

// Bytes encodes the counts. Equal counts are encoded as equal bytes.
func (c *MonthCounts) Bytes() []byte { return c.body([]byte(countsHead())) }

// body appends the encoded counts to b. It doesn't append the bytes of countsHead.
func (c *MonthCounts) body(b []byte) []byte {
	c.init()
	b = appendNumbers(b, c.Voided, c.Merged)
	for _, groups := range c.splits {
		for g := range groups {
			if groups[g].Births > 0 {
				b = groups[g].append(appendNumbers(b, g+1))
			}
		}
		b = appendNumbers(b, 0)
	}
	return b
}

func appendNumbers(b []byte, all ...int) []byte {
	for _, n := range all {
		b = binary.AppendUvarint(b, uint64(n))
	}
	return b
}

// append encodes a group and appends it to b. It encodes the births and newborns, and then each
// measure that applies to at least one of them. For each measure, it encodes the distance from the
// index of the previous measure.
func (g *Group) append(b []byte) []byte {
	b = appendNumbers(b, g.Births, g.Newborns)
	last := -1
	for at, t := range g.counts {
		if t.Known+t.Missing > 0 {
			b = appendNumbers(b, at-last, t.Yes, t.Known, t.Missing)
			last = at
		}
	}
	return appendNumbers(b, 0)
}

// AddBytes adds the counts that Bytes has encoded as b. If this program can't read b, AddBytes adds
// nothing and returns false. The records must then be counted again.
func (c *MonthCounts) AddBytes(b []byte) bool {
	if !CountsReadable(b) {
		return false
	}
	c.init()
	r := countsReader{rest: b[headSize:]}
	r.addTo(c)
	return true
}

// CountsReadable reports whether AddBytes can read encoded counts.
func CountsReadable(b []byte) bool {
	if !CountsCurrent(b) {
		return false
	}
	r := countsReader{rest: b[headSize:]}
	r.addTo(nil)
	return !r.bad && len(r.rest) == 0
}

// CountsCurrent reports whether encoded counts were made with the measures as this program defines
// them.
func CountsCurrent(b []byte) bool { return strings.HasPrefix(string(b), countsHead()) }

// countsReader decodes encoded counts, without their first bytes (countsHead). At the first number
// that is invalid, it sets bad. From then on, it returns only 0.
type countsReader struct {
	rest []byte
	bad  bool
}

// mostCounted is the largest number that encoded counts may have, so that totals of such numbers
// don't overflow.
const mostCounted = 1 << 40

// number decodes the next number. If the number exceeds the limit most or can't be decoded, number
// marks the reader as bad and returns 0.
func (r *countsReader) number(most int) int {
	n, size := binary.Uvarint(r.rest)
	if r.bad = r.bad || size <= 0 || n > uint64(most); r.bad {
		return 0
	}
	r.rest = r.rest[size:]
	return int(n)
}

// addTo decodes the counts that the reader hasn't read yet, and adds them to c. If c is nil, addTo
// only decodes them.
func (r *countsReader) addTo(c *MonthCounts) {
	voided, merged := r.number(mostCounted), r.number(mostCounted)
	if c != nil {
		c.Voided += voided
		c.Merged += merged
	}
	for split, names := range splitGroups {
		for g := r.number(len(names)); g > 0; g = r.number(len(names)) {
			if c == nil {
				r.addGroup(nil)
			} else {
				r.addGroup(&c.splits[split][g-1])
			}
		}
	}
}

func (r *countsReader) addGroup(g *Group) {
	births, newborns := r.number(mostCounted), r.number(mostCounted)
	if g != nil {
		g.Births += births
		g.Newborns += newborns
	}
	last := len(Measures) - 1
	for at := -1; ; {
		step := r.number(last - at)
		if step == 0 {
			return
		}
		at += step
		t := Tally{Yes: r.number(mostCounted), Known: r.number(mostCounted), Missing: r.number(mostCounted)}
		if g != nil {
			g.counts[at].join(t)
		}
	}
}

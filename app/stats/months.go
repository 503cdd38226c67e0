package stats

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"birthregistry/app/birth"
)

// MonthCounts counts the births of a month in every way in which a Report divides them. The
// database stores it, so that a report of many births adds up a few counts. The zero value
// counts nothing. Counts can be added in any order.
type MonthCounts struct {
	// splits has the groups of each split, in the order of a report.
	splits [][]Group
	// Voided and Merged count the records that no figure includes.
	Voided, Merged int

	one counted
}

// Add counts a record, given its state, the attendant's role, and the outcome in its text form.
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

// Reset makes c count nothing.
func (c *MonthCounts) Reset() {
	c.Voided, c.Merged = 0, 0
	for _, groups := range c.splits {
		for g := range groups {
			groups[g].reset()
		}
	}
}

// births returns the number of births.
func (c *MonthCounts) births() (n int) {
	if c.splits == nil {
		return 0
	}
	for g := range c.splits[0] {
		n += c.splits[0][g].Births
	}
	return n
}

// countsFormat is the version of the stored form. Raise it when a measure, a group or a class
// of birth.Outcome comes to mean something else: counts stored before are then counted again.
const countsFormat = 1

// countsHead begins the stored form. It changes with the measures and the groups, whose places
// the form contains.
var countsHead = func() []byte {
	sum := crc32.NewIEEE()
	fmt.Fprintln(sum, countsFormat, splitGroups)
	for i := range Measures {
		fmt.Fprintln(sum, Measures[i].ID)
	}
	return sum.Sum(nil)
}()

// Bytes encodes the counts. Equal counts have equal bytes.
func (c *MonthCounts) Bytes() []byte {
	c.init()
	b := append([]byte{}, countsHead...)
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

// append encodes a group: its births and newborns, then each measure that applies to any of
// them, with its distance from the one before.
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

// AddBytes adds counts that Bytes encoded. It returns false and adds nothing if they aren't in
// the form of this program: then the records have to be counted again.
func (c *MonthCounts) AddBytes(b []byte) bool {
	r := countsReader{rest: b}
	if !r.head() {
		return false
	}
	c.init()
	c.Voided += r.number()
	c.Merged += r.number()
	for _, groups := range c.splits {
		for g := r.number(); g > 0 && g <= len(groups); g = r.number() {
			r.addTo(&groups[g-1])
		}
	}
	return true
}

// CountsReadable reports whether AddBytes can add encoded counts.
func CountsReadable(b []byte) bool {
	r := countsReader{rest: b}
	return r.head()
}

// countsReader reads the stored form of counts.
type countsReader struct{ rest []byte }

func (r *countsReader) head() bool {
	n := len(countsHead)
	if len(r.rest) < n || string(r.rest[:n]) != string(countsHead) {
		return false
	}
	r.rest = r.rest[n:]
	return true
}

// number returns the next number, or 0 at the end.
func (r *countsReader) number() int {
	n, size := binary.Uvarint(r.rest)
	r.rest = r.rest[max(size, 0):]
	return int(n)
}

func (r *countsReader) addTo(g *Group) {
	g.Births += r.number()
	g.Newborns += r.number()
	at := -1
	for step := r.number(); step > 0 && at+step < len(g.counts); step = r.number() {
		at += step
		t := &g.counts[at]
		t.Yes += r.number()
		t.Known += r.number()
		t.Missing += r.number()
	}
}

package stats

import (
	"encoding/binary"
	"slices"
)

// Counts holds what outcomes add to the figures across practices: first the Yes of each measure's
// Tally, then the Known of each. Sums over practices also have a row for each bit of the practice
// IDs: the Known of all practices whose ID has that bit set (Spread). From these rows, Majority
// finds a practice that has more than half. Counts can be added and subtracted in any order.
//
// The database stores Counts, so the order of Measures, and what each measure counts, are part of
// the file format. If one of them changes, a migration must empty the tallies
// (migrations/00028_tallies.sql), so that the program counts again.
type Counts []int64

// The rows of Counts: Yes, Known, and then a row for each bit of the practice IDs. Each row has a
// place for every measure.
const (
	yesRow = iota
	knownRow
	firstBit
)

func (c Counts) at(row, place int) int64 {
	if i := row*len(Measures) + place; i < len(c) {
		return c[i]
	}
	return 0
}

// Yes and Known return the counts of the measure at an index of Measures.
func (c Counts) Yes(place int) int   { return int(c.at(yesRow, place)) }
func (c Counts) Known(place int) int { return int(c.at(knownRow, place)) }

// Place returns the index of the measure in Measures.
func (m *Measure) Place() int { return places[m.ID] }

// Add adds other counts, multiplied by times. With -1, it subtracts them.
func (c *Counts) Add(other Counts, times int64) {
	c.grow(len(other))
	for i, n := range other {
		(*c)[i] += times * n
	}
}

func (c *Counts) grow(n int) {
	if n > len(*c) {
		*c = append(*c, make(Counts, n-len(*c))...)
	}
}

// Tallier counts outcomes. It is reused, so that many outcomes allocate nothing.
type Tallier struct{ one counted }

// Count adds an outcome in its text form, multiplied by times. It ignores an outcome without
// consent, because only the figures of its own practice include such an outcome (decision 42).
func (t *Tallier) Count(c *Counts, outcome string, times int64) {
	one := t.one.read(outcome)
	if !one.Consent {
		return
	}
	c.grow(firstBit * len(Measures))
	for _, a := range one.adds {
		(*c)[yesRow*len(Measures)+a.measure] += times * int64(a.Yes)
		(*c)[knownRow*len(Measures)+a.measure] += times * int64(a.Known)
	}
}

// Spread returns what a practice's counts add to the sums over practices.
func (c Counts) Spread(practice int64) Counts {
	if len(c) == 0 {
		return nil
	}
	sum := slices.Clone(c)
	for bit := firstBit; practice != 0; practice, bit = practice>>1, bit+1 {
		if practice&1 == 1 {
			sum.grow((bit + 1) * len(Measures))
			copy(sum[bit*len(Measures):], c[knownRow*len(Measures):])
		}
	}
	return sum
}

// Majority returns the ID of the only practice that can have more than half of Known. A bit is set
// in the result if all practices whose ID has that bit have, together, more than half of Known. So
// if one practice has more than half, the result is its ID. Otherwise the result may be any number.
func (c Counts) Majority(place int) (practice int64) {
	known := c.at(knownRow, place)
	for bit := firstBit; bit*len(Measures) < len(c); bit++ {
		if 2*c.at(bit, place) > known {
			practice |= 1 << (bit - firstBit)
		}
	}
	return practice
}

// Bytes encodes counts. It returns nil if all are zero. Equal counts have equal bytes.
func (c Counts) Bytes() []byte {
	n := len(c)
	for n > 0 && c[n-1] == 0 {
		n--
	}
	if n == 0 {
		return nil
	}
	b := make([]byte, 0, 2*n)
	for _, count := range c[:n] {
		b = binary.AppendVarint(b, count)
	}
	return b
}

// AddBytes adds counts that Bytes encoded.
func (c *Counts) AddBytes(b []byte) {
	for i := 0; len(b) > 0; i++ {
		n, size := binary.Varint(b)
		if size <= 0 {
			return // not a number; the check command will report that the counts differ
		}
		if i == len(*c) {
			*c = append(*c, 0)
		}
		(*c)[i] += n
		b = b[size:]
	}
}

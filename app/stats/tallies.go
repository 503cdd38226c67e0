package stats

import (
	"encoding/binary"
	"slices"
)

// Counts are what outcomes add to the figures across practices: of each measure
// the Yes, then of each the Known. Sums over practices have the Known of each
// measure once more for each bit of a practice's id: of the practices that have
// it set (Spread). They can be added and taken away in any order, and are kept
// beside the records (store), so the order of Measures and what each of them
// counts are part of the file: who changes them fills the tallies anew by a migration.
type Counts []int64

// The rows of Counts, each of which has a place for every measure.
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

// Yes and Known are those of the measure at a place of Measures.
func (c Counts) Yes(place int) int   { return int(c.at(yesRow, place)) }
func (c Counts) Known(place int) int { return int(c.at(knownRow, place)) }

// Place is where a measure stands in Measures.
func (m *Measure) Place() int { return places[m.ID] }

// Add adds other counts so many times; -1 takes them away.
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

// Tallier counts outcomes; it is used over and over, so that many need no memory.
type Tallier struct{ one counted }

// Count adds an outcome, written as text, so many times. One without consent
// counts for nobody but its own practice (decisions 42).
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

// Spread is what the counts of a practice add to the sums over practices.
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

// Majority is the one practice that can hold more than half of what is known: if
// any does, each bit of its id is that of more than half.
func (c Counts) Majority(place int) (practice int64) {
	known := c.at(knownRow, place)
	for bit := firstBit; bit*len(Measures) < len(c); bit++ {
		if 2*c.at(bit, place) > known {
			practice |= 1 << (bit - firstBit)
		}
	}
	return practice
}

// Bytes writes counts down, nil where all are zero. Equal counts have equal bytes.
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

// AddBytes adds counts that Bytes has written.
func (c *Counts) AddBytes(b []byte) {
	for i := 0; len(b) > 0; i++ {
		n, size := binary.Varint(b)
		if size <= 0 {
			return // no number: check says that the counts differ
		}
		if i == len(*c) {
			*c = append(*c, 0)
		}
		(*c)[i] += n
		b = b[size:]
	}
}

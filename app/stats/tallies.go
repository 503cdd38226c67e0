package stats

import (
	"encoding/binary"
	"slices"
)

// Counts holds the counts with which figures across practices are computed. Its first row has the
// Yes of each measure's Tally, and its second row has the Known.
//
// Totals over several practices have further rows, one for each bit of the practice IDs. The row of
// a bit has the Known of all practices whose ID has that bit set (Spread). From these rows,
// Majority finds a practice that has more than half. Counts can be added and subtracted in any
// order.
//
// The database stores Counts, so the order of Measures and the definition of each measure are part
// of the file format. If either changes, a migration must empty the tallies
// (migrations/00028_tallies.sql), so that the program counts again.
type Counts []int64

// These are the rows of Counts: Yes, Known, and one row for each bit of the practice IDs. Each row
// has a number for every measure.
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

// Yes and Known return the counts of a measure. place is the measure's index in Measures.
func (c Counts) Yes(place int) int   { return int(c.at(yesRow, place)) }
func (c Counts) Known(place int) int { return int(c.at(knownRow, place)) }

// Place returns the measure's index in Measures.
func (m *Measure) Place() int { return places[m.ID] }

// Add adds the other counts, multiplied by times. If times is -1, Add subtracts them.
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

// Tallier counts outcomes. A Tallier that is reused counts any number of outcomes without
// allocating memory.
type Tallier struct{ one counted }

// Count adds an outcome to c, multiplied by times. outcome is a birth.Outcome in its text form.
// Count ignores an outcome without consent, because only its own practice's figures may include it
// (decision 42).
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

// Spread returns a practice's counts in the form in which they are added to the totals over several
// practices (see Counts). practice is the ID of the practice.
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

// Majority returns the ID of the only practice that can have more than half of a measure's Known.
// If no practice has more than half, the result may be any number. place is the measure's index in
// Measures. Majority sets a bit of the result if the practices whose IDs have that bit set have,
// together, more than half of Known.
func (c Counts) Majority(place int) (practice int64) {
	known := c.at(knownRow, place)
	for bit := firstBit; bit*len(Measures) < len(c); bit++ {
		if 2*c.at(bit, place) > known {
			practice |= 1 << (bit - firstBit)
		}
	}
	return practice
}

// Bytes encodes the counts. It returns nil if all counts are zero. Equal counts are encoded as
// equal bytes.
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

// AddBytes adds the counts that Bytes has encoded as b.
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

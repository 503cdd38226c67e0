package store

import (
	"bytes"
	"crypto/sha256"
	"fmt"
)

// monthRow is a row of month_counts. A checksum of the whole row begins its stored bytes, so
// that a damaged row is counted again instead of being added up.
type monthRow struct {
	practice PracticeID
	month    string
	upto     int64
	stored   []byte
}

// rowSum is the length of the checksum, in bytes.
const rowSum = 8

func (r *monthRow) sum(counts []byte) []byte {
	hash := sha256.New()
	fmt.Fprintf(hash, "%d\n%s\n%d\n%d\n", r.practice, r.month, r.upto, len(counts))
	hash.Write(counts)
	return hash.Sum(nil)[:rowSum]
}

// store returns the bytes that the row stores for encoded counts.
func (r *monthRow) store(counts []byte) []byte { return append(r.sum(counts), counts...) }

// counts returns the encoded counts, or false if the row isn't as it was stored.
func (r *monthRow) counts() (counts []byte, ok bool) {
	if len(r.stored) < rowSum {
		return nil, false
	}
	counts = r.stored[rowSum:]
	return counts, bytes.Equal(r.sum(counts), r.stored[:rowSum])
}

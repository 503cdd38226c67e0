package store

import (
	"bytes"
	"crypto/sha256"
	"fmt"
)

// countsRow is a row of stored counts of births. It counts the births of a month (in the table
// month_counts) or of a practice's providers (in provider_counts). The stored bytes begin with a
// checksum of the whole row. If the checksum is wrong, the row is damaged, and its counts are
// computed again rather than used.
type countsRow struct {
	practice PracticeID
	of       string // the month, such as "2026-03", or ofProviders
	idRange         // the range of records that are counted
	stored   []byte
}

// idRange is a range of record IDs: those above After, up to and including Upto.
type idRange struct{ After, Upto int64 }

// ofProviders is the value of countsRow.of if the row counts the births of providers. It can't be
// mistaken for a month.
const ofProviders = "providers"

// rowSum is the size in bytes of the checksum at the beginning of countsRow.stored.
const rowSum = 8

func (r *countsRow) sum(counts []byte) []byte {
	hash := sha256.New()
	fmt.Fprintf(hash, "%d\n%s\n%d\n%d\n%d\n", r.practice, r.of, r.After, r.Upto, len(counts))
	hash.Write(counts)
	return hash.Sum(nil)[:rowSum]
}

// store returns encoded counts in the form in which the row stores them, which is with a checksum
// in front.
func (r *countsRow) store(counts []byte) []byte { return append(r.sum(counts), counts...) }

// counts returns the encoded counts, without the checksum. It returns false if the row has changed
// since it was stored.
func (r *countsRow) counts() (counts []byte, ok bool) {
	if len(r.stored) < rowSum {
		return nil, false
	}
	counts = r.stored[rowSum:]
	return counts, bytes.Equal(r.sum(counts), r.stored[:rowSum])
}

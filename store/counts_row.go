package store

import (
	"bytes"
	"crypto/sha256"
	"fmt"
)

// countsRow is a row of stored counts of births, either by month (the table month_counts) or by
// provider (provider_counts). The stored bytes begin with a checksum of the whole row. If the
// checksum is wrong, the row is damaged. Its counts are then computed again instead of being added
// to a figure.
type countsRow struct {
	practice PracticeID
	of       string // the month, or ofProviders
	idRange         // the records that it counts
	stored   []byte
}

// idRange is the records with an ID above After and up to Upto.
type idRange struct{ After, Upto int64 }

// ofProviders is the value of countsRow.of for the counts of providers. It can't be confused with a
// month.
const ofProviders = "providers"

// rowSum is the length in bytes of the checksum, with which countsRow.stored begins.
const rowSum = 8

func (r *countsRow) sum(counts []byte) []byte {
	hash := sha256.New()
	fmt.Fprintf(hash, "%d\n%s\n%d\n%d\n%d\n", r.practice, r.of, r.After, r.Upto, len(counts))
	hash.Write(counts)
	return hash.Sum(nil)[:rowSum]
}

// store returns encoded counts in the form in which the row stores them: after their checksum.
func (r *countsRow) store(counts []byte) []byte { return append(r.sum(counts), counts...) }

// counts returns the encoded counts, or false if the row has changed since it was stored.
func (r *countsRow) counts() (counts []byte, ok bool) {
	if len(r.stored) < rowSum {
		return nil, false
	}
	counts = r.stored[rowSum:]
	return counts, bytes.Equal(r.sum(counts), r.stored[:rowSum])
}

package smart

import (
	"encoding/hex"
	"fmt"
	"strings"

	"birthregistry/app/seal"
	"birthregistry/store"
)

// unlistedError returns ErrUnlisted with details that help the operator find a typo in the list of
// EHRs. It doesn't quote the unlisted issuer, because anybody can send one. Instead, it gives the
// issuer's code and the nearest listed issuer. The operator can guess the issuer and compare codes,
// because Survey shows the code for any address.
func (s *Service) unlistedError(all []store.EHR, iss string) error {
	normal, err := NormalIssuer(iss)
	if err != nil {
		return ErrUnlisted
	}
	nearest, apart := nearestIssuer(all, normal)
	if nearest == normal {
		return fmt.Errorf("%w: %s is listed, but has no TLS, so it needs serve --ehr-loopback", ErrUnlisted, nearest)
	}
	return fmt.Errorf("%w: its code is %s; the nearest that is listed is %s (edit distance %d)", ErrUnlisted, s.issuerCode(normal), nearest, apart)
}

// issuerCode returns a keyed hash of an issuer in its normal form. Without the installation's key,
// nobody can check whether a guessed issuer has this code.
func (s *Service) issuerCode(normal string) string {
	return hex.EncodeToString(seal.Hash(s.vault.Key("unlisted issuers"), 0, normal)[:8])
}

// maxCompared is the maximum number of bytes of an address that are compared. Anybody can send a
// long address, and the work grows with the square of its length.
const maxCompared = 256

// nearestIssuer returns the listed issuer whose host and path are most similar to those of the
// issuer normal. It also returns the number of edits between them. All issuers are in their normal
// form.
func nearestIssuer(all []store.EHR, normal string) (nearest string, apart int) {
	apart = 2 * maxCompared
	for _, e := range all {
		if n := edits(hostAndPath(normal), hostAndPath(e.Issuer), apart); n < apart {
			nearest, apart = e.Issuer, n
		}
	}
	return nearest, apart
}

func hostAndPath(issuer string) string {
	_, rest, _ := strings.Cut(issuer, "://")
	return rest[:min(len(rest), maxCompared)]
}

// edits returns how many bytes must be added, removed or replaced to turn a into b (the Levenshtein
// distance). It returns limit as soon as the distance can't be smaller than limit.
func edits(a, b string, limit int) int {
	row := make([]int, len(b)+1) // the edits from a[:i] to b[:j]
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal, least := row[0], i+1
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, diagonal+1, row[j]+1)
			least = min(least, row[j+1])
		}
		if least >= limit {
			return limit
		}
	}
	return row[len(b)]
}

package smart

import (
	"encoding/hex"
	"fmt"
	"strings"

	"birthregistry/app/seal"
	"birthregistry/store"
)

// unlistedError returns ErrUnlisted for an issuer, with details that help the operator find a typo
// in the list. It doesn't quote an unlisted issuer, because anybody can send one. Instead it gives
// the issuer's code, with which the operator can verify a guess (Survey shows the code of any
// address), and the nearest listed issuer.
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

// issuerCode returns a keyed hash of an issuer in its normal form. Only with the installation's key
// can a guess of the issuer be verified.
func (s *Service) issuerCode(normal string) string {
	return hex.EncodeToString(seal.Hash(s.vault.Key("unlisted issuers"), 0, normal)[:8])
}

// maxCompared limits how many bytes of an address are compared, because anybody can send a long
// address, and the work grows with the square of its length.
const maxCompared = 256

// nearestIssuer returns the listed issuer that differs from an issuer by the fewest edits of its
// host and path, and the number of these edits. Both issuers are in their normal form.
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

// edits returns how many bytes must be added, removed or replaced to make b from a (Levenshtein's
// distance). It returns limit as soon as the distance can't be smaller.
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

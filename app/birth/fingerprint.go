package birth

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Fingerprint identifies a birth, so that the registry recognizes a birth that is already on file.
// It is a keyed hash of the practice, the mother's name, and the newborn's time and date of birth
// (spec, "Duplicate fingerprint"). It reveals none of them.
type Fingerprint [16]byte

// Fingerprints returns one fingerprint per child, without repeats. It leaves out a child if neither
// a full date nor a time of birth is known, and returns nil if the mother's name isn't stated. A
// birth without a fingerprint isn't checked for duplicates. key is the installation's key for
// fingerprints.
func (c Course) Fingerprints(key []byte, practice int64) []Fingerprint {
	name := compared(c.draft.Mother.Text("mother_family_name") + c.draft.Mother.Text("mother_given_names"))
	if name == "" {
		return nil
	}
	var fingerprints []Fingerprint
	for _, child := range c.draft.Children {
		at, date := newbornTime(child)
		if at == "" {
			continue
		}
		p := fingerprint(key, practice, name, at, date)
		if !slices.Contains(fingerprints, p) {
			fingerprints = append(fingerprints, p)
		}
	}
	return fingerprints
}

// newbornTime returns the time of birth (at) and the date of birth in the form that is hashed into
// a fingerprint. at is a minute in UTC, or a local minute if no offset was stated. If no time was
// stated, at is the date of birth. If only a partial date is known, at is "", because a partial
// date is too imprecise to compare.
func newbornTime(child Values) (at, date string) {
	date = child.Text("birth_date")
	if t, offset, ok := parseTime(child.Text("birth_datetime")); ok {
		if offset {
			return t.UTC().Format("2006-01-02T15:04Z"), date
		}
		return t.Format("2006-01-02T15:04"), date
	}
	if len(date) == len("2006-01-02") {
		return date, date
	}
	return "", date
}

// fingerprint returns the keyed hash of a list of texts. The length of each text is hashed before
// it, so that two different lists never give the same bytes.
func fingerprint(key []byte, practice int64, parts ...string) (p Fingerprint) {
	mac := hmac.New(sha256.New, key)
	b := binary.BigEndian.AppendUint64(nil, uint64(practice))
	for _, part := range parts {
		b = binary.BigEndian.AppendUint32(b, uint32(len(part)))
		b = append(b, part...)
	}
	mac.Write(b)
	copy(p[:], mac.Sum(nil))
	return p
}

// compared returns a mother's name in the form in which names are compared (decision 22):
// Unicode-normalized (NFKC), case-folded, and without white space and invisible characters. "De La
// Cruz" and "DeLaCruz" are therefore equal. A change to this form needs a migration that empties
// records.fingerprinted, so that all fingerprints are computed again.
func compared(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, fold(name))
}

// fold returns a name that is Unicode-normalized (NFKC) and case-folded, and in which each run of
// white space is a single space.
func fold(name string) string {
	if ascii(name) { // most names are ASCII and don't need the Unicode tables
		return strings.Join(strings.Fields(strings.ToLower(name)), " ")
	}
	name = norm.NFKC.String(cases.Fold().String(norm.NFKC.String(name)))
	return strings.Join(strings.Fields(name), " ")
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

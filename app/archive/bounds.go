package archive

import (
	"bytes"
	"errors"

	"github.com/go-json-experiment/json/jsontext"

	"birthregistry/app/birth"
)

// The limits of an archive. Without them, a forged archive could use up the service's memory.
// Archives that this program writes stay below them.
const (
	// MaxLine is the maximum length of a line in bytes. Even the receipt of the largest batch is
	// less than half as long.
	MaxLine = 8 << 20
	// maxManifest is the maximum size of the manifest in bytes.
	maxManifest = 4 << 20
	// maxRatio is the maximum factor by which a file may grow when it is decompressed. Rows that
	// differ only in their numbers compress best, and even they don't grow by a factor of a
	// hundred.
	maxRatio = 200
	spareFor = 64 << 20 // additional bytes that are allowed, for small files
	// maxID is the maximum ID of a row. It leaves room for the numbers that an import adds to IDs.
	// maxNumber is the maximum for all other numbers, because many programs that read JSON round
	// larger integers.
	maxID     = 1 << 40
	maxNumber = 1 << 53
	// firstYear and lastYear are the limits for times such as created_at. The dates of birth in a
	// push or a form have the same limits.
	firstYear, lastYear = 1970, 2100
	// maxUsers is the maximum number of users in a practice. An import keeps their IDs in memory.
	maxUsers = 10_000
	// maxCustom is the maximum number of custom fields in a practice, and of custom values in one
	// record.
	maxCustom = 500
)

// mostRows has the maximum number of rows for some members of the archive. An import keeps these
// members in memory, or a page shows all their rows together.
var mostRows = map[string]int{
	"practice" + lines: 1, "matches" + lines: 1, "users" + lines: maxUsers, "memberships" + lines: maxUsers, "custom_fields" + lines: maxCustom,
}

// participants checks that no version of a record has more than birth.MaxProviders providers. The
// rows of a version follow one another, so participants counts them for one version at a time.
type participants struct {
	record, version int64
	count           int
}

func (p *participants) next(record, version int64) error {
	if record != p.record || version != p.version {
		*p = participants{record: record, version: version}
	}
	if p.count++; p.count > birth.MaxProviders {
		return damaged("a birth has more than %d providers", birth.MaxProviders)
	}
	return nil
}

// hasAtMost reports whether doc is a JSON object with at most this many members. It stops reading
// as soon as there are more.
func hasAtMost(most int, doc []byte) bool {
	d := jsontext.NewDecoder(bytes.NewBuffer(doc))
	if start, err := d.ReadToken(); err != nil || start.Kind() != '{' {
		return false
	}
	for n := 0; d.PeekKind() == '"'; n++ {
		if n == most || d.SkipValue() != nil || d.SkipValue() != nil {
			return false
		}
	}
	return true
}

// errShape means that a row doesn't have the form in which this program writes rows.
var errShape = errors.New("does not have the form that this program writes")

func shape(ok bool) error {
	if ok {
		return nil
	}
	return errShape
}

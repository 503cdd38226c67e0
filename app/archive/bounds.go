package archive

import (
	"bytes"
	"errors"

	"github.com/go-json-experiment/json/jsontext"

	"birthregistry/app/birth"
)

// The bounds of an archive. Without them, a forged archive could use up the service's memory.
// Archives that this program writes stay below them.
const (
	// MaxLine is how long a line may be, in bytes. The receipt of the largest batch is less than
	// half as long.
	MaxLine = 8 << 20
	// maxManifest is the largest size of the manifest, in bytes.
	maxManifest = 4 << 20
	// maxRatio is the greatest factor by which a file may grow when it is decompressed. Even rows
	// that differ only in their numbers don't grow by a factor of a hundred.
	maxRatio = 200
	spareFor = 64 << 20 // bytes allowed in addition, for small files
	// maxID bounds the IDs of rows, so that none overflows when an import adds to it. maxNumber
	// bounds all other numbers, because many programs that read JSON round larger integers.
	maxID     = 1 << 40
	maxNumber = 1 << 53
	// firstYear and lastYear bound times such as created_at. Dates of birth have the same bounds as
	// in a push or a form.
	firstYear, lastYear = 1970, 2100
	// maxUsers bounds the users of a practice. An import holds their IDs in memory.
	maxUsers = 10_000
	// maxCustom bounds the custom fields of a practice, and their values in one record.
	maxCustom = 500
)

// mostRows limits the rows of some members of the archive. An import holds such a member in memory,
// or a page shows all its rows at once.
var mostRows = map[string]int{
	"practice" + lines: 1, "matches" + lines: 1, "users" + lines: maxUsers, "memberships" + lines: maxUsers, "custom_fields" + lines: maxCustom,
}

// participants checks that no version has more than birth.MaxProviders providers. The rows of a
// version come one after the other, so participants counts one version at a time.
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

// hasAtMost reports whether a JSON object has at most this many members. It stops reading when
// there are more.
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

// errShape means that this program wouldn't have written the row in this form.
var errShape = errors.New("does not have the form that this program writes")

func shape(ok bool) error {
	if ok {
		return nil
	}
	return errShape
}

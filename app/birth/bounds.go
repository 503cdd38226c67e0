package birth

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// The limits of a course of care. Real courses have one or two children, three or four providers
// and no transfer. A course beyond these limits is a sender's mistake, and would delay all
// submissions behind it in the queue.
const (
	MaxChildren  = 100
	MaxProviders = 200
	MaxTransfers = 100
	// MaxIdentifier is the maximum length in bytes of a chart number or a provider's
	// identifier.
	MaxIdentifier = 255
)

// Exceeds reports whether a draft is larger than a course of care can be: it has too many newborns,
// providers or transfers, or its chart number or a provider's identifier is too long.
func (d *Draft) Exceeds() bool {
	if len(d.Children) > MaxChildren || len(d.Providers) > MaxProviders || len(d.Transfers) > MaxTransfers {
		return true
	}
	for i := range d.Providers {
		if p := &d.Providers[i]; len(p.Key) > MaxIdentifier || len(p.NPI) > MaxIdentifier {
			return true
		}
	}
	return len(d.Chart) > MaxIdentifier
}

// ErrTooMany means that a course from outside, such as from an archive, has too many newborns or
// transfers.
var ErrTooMany = fmt.Errorf("has more than %d newborns or %d transfers", MaxChildren, MaxTransfers)

// tooMany reports whether doc has more newborns or transfers than are allowed. doc is one of a
// course's two JSON documents (Course.Clinical or Course.Patient). tooMany counts before anything
// is built from the document.
func tooMany(doc []byte) bool {
	most := map[string]int{"children": MaxChildren, "transfers": MaxTransfers}
	d := jsontext.NewDecoder(bytes.NewBuffer(doc))
	if _, err := d.ReadToken(); err != nil {
		return false // Restore reports the error
	}
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return false
		}
		limit, bounded := most[name.String()]
		if !bounded || d.PeekKind() != '[' {
			if d.SkipValue() != nil {
				return false
			}
			continue
		}
		if _, err := d.ReadToken(); err != nil {
			return false
		}
		for n := 0; d.PeekKind() != ']'; n++ {
			if n == limit {
				return true
			}
			if d.SkipValue() != nil {
				return false
			}
		}
		if _, err := d.ReadToken(); err != nil {
			return false
		}
	}
	return false
}

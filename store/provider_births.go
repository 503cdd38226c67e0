package store

import (
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"slices"
	"strings"
	"sync"
)

// births holds the numbers of births of a provider. They include the births of providers that were
// merged into it.
type births struct {
	all, attended int
	seen          int64 // when the newest of these records was created, in milliseconds since 1970
}

// providerCounts holds the numbers of births by provider ID. The births of a merged provider are
// counted for the provider into which it was merged.
type providerCounts map[int64]births

func (c providerCounts) add(provider int64, more births) {
	sum := c[provider]
	c[provider] = births{sum.all + more.all, sum.attended + more.attended, max(sum.seen, more.seen)}
}

// providersHead returns the bytes at the beginning of encoded counts. They identify the query that
// computed the counts, so counts that an earlier version of this program has stored with a
// different query aren't used.
var providersHead = sync.OnceValue(func() string {
	hash := sha256.Sum256([]byte(providersQuery))
	return string(hash[:8])
})

// providersCurrent reports whether encoded counts were computed with this program's query.
func providersCurrent(b []byte) bool { return strings.HasPrefix(string(b), providersHead()) }

// bytes returns the counts in encoded form. Equal counts have equal bytes.
func (c providerCounts) bytes() []byte {
	b := []byte(providersHead())
	for _, provider := range slices.Sorted(maps.Keys(c)) {
		n := c[provider]
		for _, number := range []int64{provider, int64(n.all), int64(n.attended), n.seen} {
			b = binary.AppendVarint(b, number)
		}
	}
	return b
}

// addBytes adds encoded counts, which bytes has returned, to c. They must be current
// (providersCurrent).
func (c providerCounts) addBytes(b []byte) {
	b = b[len(providersHead()):]
	number := func() int64 {
		n, size := binary.Varint(b)
		b = b[max(size, 0):]
		if size <= 0 {
			b = nil
		}
		return n
	}
	for len(b) > 0 {
		provider := number()
		c.add(provider, births{int(number()), int(number()), number()})
	}
}

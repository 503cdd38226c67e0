package store

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"hash"
	"math"
	"math/bits"
	"sync"
	"sync/atomic"
	"time"
)

// sum is the code of a row (an HMAC), or the sum of several codes modulo 2^256. Codes can be added
// and subtracted in any order.
type sum [4]uint64

func (s *sum) add(o sum) {
	var carry uint64
	for i := range s {
		s[i], carry = bits.Add64(s[i], o[i], carry)
	}
}

func (s *sum) sub(o sum) {
	var borrow uint64
	for i := range s {
		s[i], borrow = bits.Sub64(s[i], o[i], borrow)
	}
}

const (
	sumSize   = 32
	keyIDSize = 4
	tagSize   = 16
)

func (s sum) append(b []byte) []byte {
	for _, word := range s {
		b = binary.BigEndian.AppendUint64(b, word)
	}
	return b
}

func sumIn(b []byte) (s sum) {
	for i := range s {
		s[i] = binary.BigEndian.Uint64(b[8*i:])
	}
	return s
}

// codes computes the codes (HMACs) of rows, and signs sums of these codes. The key for the codes
// stays the same as long as the database exists. The keys for signatures are derived from the
// installation's keys, and change with them. Somebody with a former key and an old backup can
// compute the codes of rows, but can't sign a sum: a former key isn't accepted once the rotation
// that replaced it has ended. A process that serves during the rotation may accept the former key
// until it next writes to a signed table.
type codes struct {
	hashes sync.Pool
	// keys returns the keys for signatures. The first one signs. The others only verify, while a
	// rotation is in progress.
	keys   func() ([][]byte, error)
	loaded atomic.Pointer[sumKeys]
}

// sumKeys holds the keys for signatures, as last loaded.
type sumKeys struct {
	all []sumKey
	at  time.Time
}

// formerCounts is how long a key that may have been replaced is accepted before the keys are loaded
// again.
const formerCounts = time.Second

type sumKey struct {
	id     uint32
	hashes *sync.Pool // a pool of HMACs with the key
}

func newCodes(root []byte, keys func() ([][]byte, error)) (*codes, error) {
	c := &codes{keys: keys}
	c.hashes.New = func() any { return &scratch{hash: hmac.New(sha256.New, root)} }
	return c, c.load()
}

// load loads the keys for signatures.
func (c *codes) load() error {
	keys, err := c.keys()
	if err != nil {
		return err
	}
	all := make([]sumKey, len(keys))
	for i, key := range keys {
		id := sha256.Sum256(append([]byte("birthregistry row key "), key...))
		all[i] = sumKey{binary.BigEndian.Uint32(id[:]), &sync.Pool{New: func() any { return &scratch{hash: hmac.New(sha256.New, key)} }}}
	}
	c.loaded.Store(&sumKeys{all, time.Now()})
	return nil
}

type scratch struct {
	hash hash.Hash
	text []byte
	out  [sha256.Size]byte
}

// row returns the code of a row of a table.
func (c *codes) row(t *signed, row []any) sum {
	s := c.hashes.Get().(*scratch)
	defer c.hashes.Put(s)
	s.text = append(s.text[:0], t.label...)
	for i, value := range row {
		if i != t.macAt {
			s.text = appendValue(s.text, value)
		}
	}
	return s.sum()
}

// hooked returns the code of a row as it is before or after a change.
func (c *codes) hooked(t *signed, row hookedRow) (sum, error) {
	s := c.hashes.Get().(*scratch)
	defer c.hashes.Put(s)
	s.text = append(s.text[:0], t.label...)
	for i := range t.columns {
		if i == t.macAt {
			continue
		}
		value, err := row.value(i)
		if err != nil {
			return sum{}, err
		}
		s.text = row.appendTo(s.text, value)
	}
	return s.sum(), nil
}

// sum returns the code of the row whose encoded values are in the buffer, and clears the buffer.
func (s *scratch) sum() sum {
	s.hash.Reset()
	_, _ = s.hash.Write(s.text)
	clear(s.text)
	return sumIn(s.hash.Sum(s.out[:0]))
}

// appendValue appends a value to b, together with the value's SQLite type. No two different rows
// have the same encoding.
func appendValue(b []byte, value any) []byte {
	switch value := value.(type) {
	case nil:
		return append(b, 0)
	case int64:
		return binary.BigEndian.AppendUint64(append(b, 1), uint64(value))
	case float64:
		return binary.BigEndian.AppendUint64(append(b, 2), math.Float64bits(value))
	case string:
		b = binary.BigEndian.AppendUint32(append(b, 3), uint32(len(value)))
		return append(b, value...)
	case []byte:
		b = binary.BigEndian.AppendUint32(append(b, 4), uint32(len(value)))
		return append(b, value...)
	}
	return append(b, 5) // SQLite has no other type
}

// seal returns content with a signature, which also binds the content to a place, such as a row of
// a table. It doesn't encrypt the content.
func (c *codes) seal(place, content []byte) []byte {
	key := c.loaded.Load().all[0]
	sealed := binary.BigEndian.AppendUint32(make([]byte, 0, keyIDSize+len(content)+tagSize), key.id)
	return append(append(sealed, content...), key.tag(place, content)...)
}

// open returns the content that seal has signed for a place. It returns false if the content wasn't
// signed for this place with a valid key. If the key is unknown, open loads the keys again, because
// the key may be new. If the key isn't the one that signs, it may no longer be valid, so open loads
// the keys again unless they were loaded within formerCounts.
func (c *codes) open(place, sealed []byte) ([]byte, bool) {
	if len(sealed) < keyIDSize+tagSize {
		return nil, false
	}
	id, content := binary.BigEndian.Uint32(sealed), sealed[keyIDSize:len(sealed)-tagSize]
	key, signs := c.key(id)
	if key == nil || !signs && time.Since(c.loaded.Load().at) > formerCounts {
		if c.load() != nil {
			return nil, false
		}
		key, _ = c.key(id)
	}
	if key == nil || subtle.ConstantTimeCompare(key.tag(place, content), sealed[len(sealed)-tagSize:]) != 1 {
		return nil, false
	}
	return content, true
}

// present reports whether content was signed with the current key.
func (c *codes) present(sealed []byte) bool {
	return len(sealed) >= keyIDSize && binary.BigEndian.Uint32(sealed) == c.loaded.Load().all[0].id
}

// key returns the key with the given ID, or nil if the key is unknown. signs reports whether this
// key is the one that signs.
func (c *codes) key(id uint32) (k *sumKey, signs bool) {
	all := c.loaded.Load().all
	for i := range all {
		if all[i].id == id {
			return &all[i], i == 0
		}
	}
	return nil, false
}

func (k *sumKey) tag(place, content []byte) []byte {
	s := k.hashes.Get().(*scratch)
	defer k.hashes.Put(s)
	s.text = binary.BigEndian.AppendUint32(s.text[:0], uint32(len(place)))
	s.text = append(append(s.text, place...), content...)
	s.hash.Reset()
	_, _ = s.hash.Write(s.text)
	return s.hash.Sum(nil)[:tagSize]
}

// place returns the place to which the mac of a row is bound.
func (k rowKey) place() []byte {
	b := append([]byte("row "), k.table.name...)
	for _, arg := range k.args() {
		b = appendValue(b, arg)
	}
	return b
}

// openRow returns the sum that a row's mac contains. It returns false if the mac isn't valid for
// this row.
func (c *codes) openRow(k rowKey, mac []byte) (sum, bool) {
	content, ok := c.open(k.place(), mac)
	if !ok || len(content) != sumSize {
		return sum{}, false
	}
	return sumIn(content), true
}

func (c *codes) sealRow(k rowKey, s sum) []byte { return c.seal(k.place(), s.append(nil)) }

// total is the number of rows that a practice has in a table, and the sum of these rows' codes.
type total struct {
	rows int64
	sum  sum
}

// totals holds the totals of one practice, by table number.
type totals map[byte]total

func (t totals) add(number byte, rows int64, s sum) {
	was := t[number]
	was.rows += rows
	was.sum.add(s)
	t[number] = was
}

const totalSize = 1 + 8 + sumSize

func totalsPlace(practice int64) []byte {
	return binary.BigEndian.AppendUint64([]byte("sums "), uint64(practice))
}

func (c *codes) sealTotals(practice int64, t totals) []byte {
	content := []byte{signedForm}
	for n := range len(signedTables) {
		if of, ok := t[byte(n)]; ok && of != (total{}) {
			content = of.sum.append(binary.BigEndian.AppendUint64(append(content, byte(n)), uint64(of.rows)))
		}
	}
	return c.seal(totalsPlace(practice), content)
}

func (c *codes) openTotals(practice int64, sealed []byte) (totals, bool) {
	content, ok := c.open(totalsPlace(practice), sealed)
	if !ok || len(content)%totalSize != 1 || content[0] != signedForm {
		return nil, false
	}
	t := totals{}
	for content = content[1:]; len(content) > 0; content = content[totalSize:] {
		t[content[0]] = total{int64(binary.BigEndian.Uint64(content[1:])), sumIn(content[9:])}
	}
	return t, true
}

// Package seal encrypts patient data at rest. It encrypts values with age, and binds each value to
// the place where it is stored. It also makes keyed hashes.
//
// # Form
//
// A sealed value is
//
//	epoch number (4 bytes) | age nonce (16 bytes) | age STREAM of the payload
//
// An age header belongs before the nonce. It is stored only once for each epoch, which lasts about
// an hour, because encrypting a file key for the recipients takes thirty times as long as sealing a
// row. The epoch's header, followed by the sealed value without its first four bytes, is an
// ordinary age file: `cat header value | age -d -i registry.key` opens it. A test verifies this
// with the stock library.
//
// The payload is
//
//	digest of the place (16 bytes) | form (1 byte: 0 plain, 1 S2) | content
//
// If the ciphertext is moved to another practice, table or row, it therefore doesn't open there.
//
// # Why rows may share a header
//
// age derives the key of a STREAM from the file key and a nonce by HKDF-SHA-256 (age specification,
// "Payload"). As in age, every STREAM here has its own random 128-bit nonce. Every row therefore
// has its own key, and the file key itself encrypts nothing. The rows of an epoch share only the
// file key. The file key opens all of them, but so does the identity (the secret key in the key
// file). The file key stays in memory while the process runs. The disk holds only the header, in
// which the file key is encrypted for the identity and for any recovery keys. Recipients are hybrid
// (ML-KEM-768 with X25519). When keys are changed, the headers are encrypted again (rotate.go), and
// the rows stay as they are.
//
// # What it does not do
//
// Sealing hides neither the number of rows nor their lengths after compression. Package seal never
// makes a new key if an old one is missing or wrong.
package seal

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/klauspost/compress/s2"
)

// Place identifies where a sealed value is stored. The value can't be opened at any other place.
type Place struct {
	Practice int64 // 0 for values that belong to the installation
	Table    string
	Row      string
}

// appendDigest appends a digest of the place to b. A length prefix separates table and row.
func (p Place) appendDigest(b []byte) []byte {
	text := make([]byte, 0, 128)
	text = binary.BigEndian.AppendUint64(text, uint64(p.Practice))
	text = binary.BigEndian.AppendUint32(text, uint32(len(p.Table)))
	text = append(append(text, p.Table...), p.Row...)
	sum := sha256.Sum256(text)
	return append(b, sum[:digestSize]...)
}

const (
	epochSize  = 4
	digestSize = 16

	plainForm = 0
	s2Form    = 1
)

// ErrSealed means that a value can't be opened: it was damaged, moved from its place, or sealed
// with another key.
var ErrSealed = errors.New("seal: a sealed value does not open in its place; the file was damaged or altered")

// Seal compresses and encrypts a value, and binds it to its place. It returns an error only if
// Ready was never called.
func (v *Vault) Seal(p Place, content []byte) ([]byte, error) {
	e := v.current.Load()
	if e == nil {
		return nil, errors.New("seal: no epoch is open; Ready was not called")
	}
	scratch := scratches.Get().(*[]byte)
	defer scratches.Put(scratch)
	payload := slices.Grow((*scratch)[:0], digestSize+1+s2.MaxEncodedLen(len(content)))
	*scratch = payload
	payload = p.appendDigest(payload)
	packed := s2.Encode(payload[digestSize+1:cap(payload)], content)
	if len(packed) < len(content) {
		payload = append(payload, s2Form)
		payload = payload[:len(payload)+len(packed)]
	} else {
		payload = append(append(payload, plainForm), content...)
	}
	defer clear(payload)
	sealed := make([]byte, epochSize+nonceSize, epochSize+nonceSize+streamSize(len(payload)))
	binary.BigEndian.PutUint32(sealed, uint32(e.id))
	nonce := sealed[epochSize:]
	_, _ = rand.Read(nonce) // never fails
	return appendStream(sealed, e.fileKey, nonce, payload)
}

// scratches is a pool of buffers for payloads.
var scratches = sync.Pool{New: func() any { return new([]byte) }}

// Open decrypts a value that was sealed for place p. It returns ErrSealed if the value is damaged
// or was sealed for another place, and ErrWrongKey if no key opens the header of its epoch.
func (v *Vault) Open(p Place, sealed []byte) ([]byte, error) { return v.OpenInto(nil, p, sealed) }

// OpenInto is like Open, but it may use the memory of buffer for the result.
func (v *Vault) OpenInto(buffer []byte, p Place, sealed []byte) ([]byte, error) {
	if len(sealed) < epochSize+nonceSize {
		return nil, ErrSealed
	}
	e, err := v.epoch(int64(binary.BigEndian.Uint32(sealed)))
	if err != nil {
		return nil, err
	}
	sealed = sealed[epochSize:]
	payload, err := openStream(e.fileKey, sealed[:nonceSize], sealed[nonceSize:])
	if err != nil || len(payload) <= digestSize ||
		subtle.ConstantTimeCompare(payload[:digestSize], p.appendDigest(nil)) != 1 {
		return nil, ErrSealed
	}
	content := payload[digestSize+1:]
	switch payload[digestSize] {
	case plainForm:
		return content, nil
	case s2Form:
		unpacked, err := s2.Decode(buffer, content)
		if err != nil {
			return nil, ErrSealed
		}
		return unpacked, nil
	default:
		return nil, fmt.Errorf("%w: it has a form of a later version", ErrSealed)
	}
}

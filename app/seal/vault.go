package seal

import (
	"context"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"sync/atomic"

	"filippo.io/age"
)

// Store stores headers and secrets. The database file implements it.
type Store interface {
	// Recipients returns the public keys for which headers are encrypted, and the number of that
	// list. The installation's key comes first. The number increases with every change to the list.
	Recipients() (list int64, texts []string, err error)
	// Box returns the first recipient, which is the installation's key.
	Box() (string, error)
	// AdoptBox records the installation's key if none is recorded yet. SetBox replaces the recorded
	// key.
	AdoptBox(recipient string) error
	SetBox(recipient string) error
	// AddRecovery and RemoveRecovery add and remove recipients other than the installation's key.
	AddRecovery(recipient string) error
	RemoveRecovery(recipient string) error

	// PutEpoch stores a header and returns its number. list is the number of the list of recipients
	// for whom the header is encrypted. If that list is no longer current, PutEpoch returns an
	// error that Outdated recognizes.
	PutEpoch(header []byte, list int64) (int64, error)
	// Epoch returns the header with the given number.
	Epoch(id int64) ([]byte, error)
	// EpochsBehind returns up to limit headers that were encrypted for a list of recipients before
	// the given list, in the order of their numbers. after is the number of the last header that
	// the caller has seen, or 0. CountBehind returns how many such headers there are. RewrapEpochs
	// replaces headers. It returns the same errors as PutEpoch.
	EpochsBehind(list, after int64, limit int) (ids []int64, headers [][]byte, err error)
	CountBehind(list int64) (int, error)
	RewrapEpochs(list int64, ids []int64, headers [][]byte) error

	// PutSecret stores a sealed secret under a name. It returns an error if the name is taken.
	PutSecret(name string, sealed []byte) error
	// SetSecret stores a sealed secret under a name, and replaces a secret that already has this
	// name.
	SetSecret(name string, sealed []byte) error
	// SignAnew signs the checksums over all rows again, with the first key of RowKeys. When ctx
	// ends, it stops between two transactions and returns ctx.Err().
	SignAnew(ctx context.Context, progress func(done, total int)) error
	// Secret returns the sealed secret with the given name, or an error that Missing recognizes.
	Secret(name string) ([]byte, error)
	// Missing reports whether err means that a header, key or secret doesn't exist. Outdated
	// reports whether err means that something already exists, or has changed since the caller read
	// it.
	Missing(err error) bool
	Outdated(err error) bool
}

// Vault seals and opens values. It is safe for concurrent use.
type Vault struct {
	store   Store
	keyFile string
	keys    atomic.Pointer[[]*age.HybridIdentity] // the keys in the key file as of the last time it was read
	others  []*age.HybridIdentity                 // the keys that other files held when the vault was opened
	root    []byte                                // the secret from which the keys of keyed hashes are derived

	current atomic.Pointer[epoch]
	renew   sync.Mutex
	known   sync.Map // number -> *epoch

	formerRowKeys [][]byte // the keys that signed rows before MoveTo replaced them
	trustsCopy    bool     // whether the database's copy of the signing key may be used
}

// RootSecret is the name of the secret from which all keys for keyed hashes of a database are
// derived.
const RootSecret = "hash-root"

var rootPlace = Place{Table: "secrets", Row: RootSecret}

// These are the errors of Open. Each message says what to do.
var (
	ErrNoKey = errors.New("seal: the key file is missing, and the database was sealed with it; " +
		"put the key file back or name it with --key-file")
	ErrWrongKey = errors.New("seal: the key file does not open this database: it is another database's, or was replaced by a change of keys; " +
		"name the right one with --key-file")
	ErrKeyOpen = errors.New("seal: the key file can be read by others; run chmod 600 on it, or on a copy elsewhere if its disk has no file permissions")
)

// Open opens the vault of a database. If the database has never been sealed and the key file is
// missing, Open makes the key, and made is true. In any other case, a missing or wrong key is an
// error, and Open makes no key. A sealed value may have been encrypted for a key that isn't in
// keyFile. For this case, the argument others lists more key files, whose keys are also tried. Open
// ignores those of them that it can't read.
func Open(store Store, keyFile string, others ...string) (v *Vault, made bool, err error) {
	sealed, err := store.Secret(RootSecret)
	fresh := err != nil && store.Missing(err)
	if err != nil && !fresh {
		return nil, false, err
	}
	keys, err := readKeys(keyFile)
	if errors.Is(err, os.ErrNotExist) {
		if !fresh {
			return nil, false, ErrNoKey
		}
		keys, made, err = makeIdentity(keyFile)
	}
	if err != nil {
		return nil, false, err
	}
	v = &Vault{store: store, keyFile: keyFile}
	for _, other := range others {
		more, _ := readKeys(other)
		v.others = append(v.others, more...)
	}
	keys = append(keys, v.others...)
	v.keys.Store(&keys)
	if fresh {
		if sealed, err = v.found(); err != nil {
			return nil, made, err
		}
	}
	if v.root, err = v.Open(rootPlace, sealed); err != nil {
		return nil, made, err
	}
	return v, made, v.adopt()
}

// adopt records the current key as the installation's key if no key is recorded yet. That is so in
// a new database, and in a database from before the list of recipients existed. adopt returns
// ErrWrongKey if none of the keys in the key files is in the list, because those keys then don't
// belong to the database.
func (v *Vault) adopt() error {
	_, texts, err := v.store.Recipients()
	if err != nil {
		return err
	}
	if len(texts) == 0 {
		if err := v.store.AdoptBox(publicOf((*v.keys.Load())[0])); err != nil {
			return err
		}
		if _, texts, err = v.store.Recipients(); err != nil {
			return err
		}
	}
	for _, key := range *v.keys.Load() {
		if slices.Contains(texts, publicOf(key)) {
			return nil
		}
	}
	return ErrWrongKey
}

// found creates and stores the root secret of the keyed hashes. If two processes do this at the
// same time, both use the secret that was stored first.
func (v *Vault) found() ([]byte, error) {
	if err := errors.Join(v.adopt(), v.Ready()); err != nil {
		return nil, err
	}
	root := make([]byte, sha256.Size)
	_, _ = rand.Read(root) // never fails
	sealed, err := v.Seal(rootPlace, root)
	if err != nil {
		return nil, err
	}
	if err := v.store.PutSecret(RootSecret, sealed); err != nil {
		if existing, getErr := v.store.Secret(RootSecret); getErr == nil {
			return existing, nil
		}
		return nil, err
	}
	return sealed, nil
}

// Key derives a key for one kind of keyed hash, such as fingerprints, idempotency keys or provider
// identities. purpose names the kind. The derived key stays the same as long as the database
// exists, even if the installation's key is rotated.
func (v *Vault) Key(purpose string) []byte {
	key, err := hkdf.Key(sha256.New, v.root, nil, "birthregistry "+purpose, sha256.Size)
	if err != nil { // only for absurd lengths
		panic("seal: " + err.Error())
	}
	return key
}

// Hash returns a keyed hash of a value within a practice.
func Hash(key []byte, practice int64, value string) []byte {
	mac := hmac.New(sha256.New, key)
	_, _ = fmt.Fprintf(mac, "%d\n", practice)
	_, _ = io.WriteString(mac, value)
	return mac.Sum(nil)
}

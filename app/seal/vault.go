package seal

import (
	"bytes"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"filippo.io/age"
)

// Shelf is where headers and secrets are kept: the database file.
type Shelf interface {
	// PutEpoch keeps a header and returns its number.
	PutEpoch(header []byte) (int64, error)
	// Epoch returns a header.
	Epoch(id int64) ([]byte, error)
	// PutSecret keeps a sealed secret; it fails when there is one of that name.
	PutSecret(name string, sealed []byte) error
	// Secret returns a sealed secret, or an error that Missing knows.
	Secret(name string) ([]byte, error)
	// Missing reports whether err says that there is no such thing.
	Missing(err error) bool
}

// Vault seals and opens. It is safe for concurrent use.
type Vault struct {
	shelf     Shelf
	identity  age.Identity
	recipient age.Recipient
	root      []byte // of the keyed hashes

	current atomic.Pointer[epoch]
	renew   sync.Mutex
	known   sync.Map // number -> *epoch
}

type epoch struct {
	id      int64
	fileKey []byte
	made    time.Time
}

// epochLife is how long one header serves.
const epochLife = time.Hour

// rootSecret names the secret from which the keys of all keyed hashes derive.
const rootSecret = "hash-root"

var rootPlace = Place{Table: "secrets", Row: rootSecret}

// Errors of Open; each says what to do.
var (
	ErrNoKey = errors.New("seal: the key file is missing, and the database was sealed with it; " +
		"put the key file back or name it with --key-file")
	ErrWrongKey = errors.New("seal: the key file does not open this database; name the right one with --key-file")
	ErrKeyOpen  = errors.New("seal: the key file can be read by others; run chmod 600 on it")
)

// Open opens the vault of a database. Where the database has never been
// sealed, the key is made if the file is not there; made says so. A missing or
// wrong key is an error, never a new key.
func Open(shelf Shelf, keyFile string) (v *Vault, made bool, err error) {
	sealed, err := shelf.Secret(rootSecret)
	fresh := err != nil && shelf.Missing(err)
	if err != nil && !fresh {
		return nil, false, err
	}
	identity, err := readIdentity(keyFile)
	if errors.Is(err, os.ErrNotExist) {
		if !fresh {
			return nil, false, ErrNoKey
		}
		identity, made, err = makeIdentity(keyFile)
	}
	if err != nil {
		return nil, false, err
	}
	v = &Vault{shelf: shelf, identity: identity, recipient: identity.Recipient()}
	if fresh {
		if sealed, err = v.found(); err != nil {
			return nil, made, err
		}
	}
	if v.root, err = v.Open(rootPlace, sealed); err != nil {
		return nil, made, err
	}
	return v, made, nil
}

// found makes the installation's root secret. Of two processes that found the
// same database, one wins and the other takes its secret.
func (v *Vault) found() ([]byte, error) {
	if err := v.Ready(); err != nil {
		return nil, err
	}
	root := make([]byte, sha256.Size)
	_, _ = rand.Read(root) // never fails
	sealed, err := v.Seal(rootPlace, root)
	if err != nil {
		return nil, err
	}
	if err := v.shelf.PutSecret(rootSecret, sealed); err != nil {
		if existing, getErr := v.shelf.Secret(rootSecret); getErr == nil {
			return existing, nil
		}
		return nil, err
	}
	return sealed, nil
}

// Ready makes sure that Seal has an epoch that is not too old. It writes to
// the shelf, so it must not be called inside a write transaction.
func (v *Vault) Ready() error {
	if e := v.current.Load(); e != nil && time.Since(e.made) < epochLife {
		return nil
	}
	v.renew.Lock()
	defer v.renew.Unlock()
	if e := v.current.Load(); e != nil && time.Since(e.made) < epochLife {
		return nil
	}
	header, err := v.newHeader()
	if err != nil {
		return err
	}
	fileKey, err := age.DecryptHeader(header, v.identity)
	if err != nil {
		return fmt.Errorf("seal: a new header does not open: %w", err)
	}
	id, err := v.shelf.PutEpoch(header)
	if err != nil {
		return err
	}
	e := &epoch{id: id, fileKey: fileKey, made: time.Now()}
	v.known.Store(id, e)
	v.current.Store(e)
	return nil
}

// newHeader lets the stock library wrap a new file key to the recipients, and
// keeps the header of the empty file it makes.
func (v *Vault) newHeader() ([]byte, error) {
	var file bytes.Buffer
	w, err := age.Encrypt(&file, v.recipient)
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("seal: make a header: %w", err)
	}
	header, err := age.ExtractHeader(&file)
	if err != nil {
		return nil, fmt.Errorf("seal: make a header: %w", err)
	}
	return header, nil
}

// epoch returns an epoch, unwrapping its header once.
func (v *Vault) epoch(id int64) (*epoch, error) {
	if e, ok := v.known.Load(id); ok {
		return e.(*epoch), nil
	}
	header, err := v.shelf.Epoch(id)
	if err != nil {
		if v.shelf.Missing(err) {
			return nil, ErrSealed
		}
		return nil, err
	}
	fileKey, err := age.DecryptHeader(header, v.identity)
	if err != nil {
		return nil, ErrWrongKey
	}
	e := &epoch{id: id, fileKey: fileKey}
	v.known.Store(id, e)
	return e, nil
}

// Key derives the key of one kind of keyed hash: fingerprints, idempotency
// keys, provider identities. It is the same as long as the database lives,
// whatever key the database is sealed with.
func (v *Vault) Key(purpose string) []byte {
	key, err := hkdf.Key(sha256.New, v.root, nil, "birthregistry "+purpose, sha256.Size)
	if err != nil { // only for absurd lengths
		panic("seal: " + err.Error())
	}
	return key
}

// Hash is a keyed hash of a value within a practice.
func Hash(key []byte, practice int64, value string) []byte {
	mac := hmac.New(sha256.New, key)
	_, _ = fmt.Fprintf(mac, "%d\n", practice)
	_, _ = io.WriteString(mac, value)
	return mac.Sum(nil)
}

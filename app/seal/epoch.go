package seal

import (
	"crypto/rand"
	"time"

	"filippo.io/age"
)

type epoch struct {
	id      int64
	fileKey []byte
	made    time.Time
}

// epochLife is how long Seal uses one epoch, which is a file key with its age header.
const epochLife = time.Hour

// Ready ensures that Seal has an epoch (a file key with its header) that isn't too old. Ready may
// write to the store, so it must not be called inside a write transaction.
func (v *Vault) Ready() error {
	if e := v.current.Load(); e != nil && time.Since(e.made) < epochLife {
		return nil
	}
	v.renew.Lock()
	defer v.renew.Unlock()
	if e := v.current.Load(); e != nil && time.Since(e.made) < epochLife {
		return nil
	}
	return v.begin()
}

// SealOne seals a single value: it calls Ready, and then Seal. Like Ready, it must not be called
// inside a write transaction.
func (v *Vault) SealOne(p Place, content []byte) ([]byte, error) {
	if err := v.Ready(); err != nil {
		return nil, err
	}
	return v.Seal(p, content)
}

// begin starts a new epoch. It makes a file key, encrypts it for the current recipients, and stores
// the resulting header.
func (v *Vault) begin() error {
	fileKey := make([]byte, fileKeySize)
	_, _ = rand.Read(fileKey) // never fails
	for {
		list, recipients, err := v.recipients()
		if err != nil {
			return err
		}
		header, err := wrap(fileKey, recipients)
		if err != nil {
			return err
		}
		// Never seal with a header that this installation can't open. If another process has
		// rotated the keys meanwhile, unwrap reads the new key.
		if _, err := v.unwrap(header); err != nil {
			return err
		}
		id, err := v.store.PutEpoch(header, list)
		if err != nil && v.store.Outdated(err) {
			continue
		}
		if err != nil {
			return err
		}
		e := &epoch{id: id, fileKey: fileKey, made: time.Now()}
		v.known.Store(id, e)
		v.current.Store(e)
		return nil
	}
}

// recipients returns the current list of recipients, for whom new headers are encrypted, and the
// number of that list.
func (v *Vault) recipients() (list int64, all []*age.HybridRecipient, err error) {
	list, texts, err := v.store.Recipients()
	if err != nil {
		return 0, nil, err
	}
	all, err = parse(texts)
	return list, all, err
}

// epoch returns the epoch with the given ID. It decrypts the epoch's header only on the first call.
func (v *Vault) epoch(id int64) (*epoch, error) {
	if e, ok := v.known.Load(id); ok {
		return e.(*epoch), nil
	}
	header, err := v.store.Epoch(id)
	if err != nil {
		if v.store.Missing(err) {
			return nil, ErrSealed
		}
		return nil, err
	}
	fileKey, err := v.unwrap(header)
	if err != nil {
		return nil, err
	}
	e := &epoch{id: id, fileKey: fileKey}
	v.known.Store(id, e)
	return e, nil
}

// unwrap decrypts a header with the keys in memory, and returns the file key. If that fails, it
// reads the key file again, because another process may have rotated the keys: a rotation writes
// the new key to the file before any header needs that key. unwrap returns ErrWrongKey if no key
// decrypts the header.
func (v *Vault) unwrap(header []byte) ([]byte, error) {
	if fileKey, err := age.DecryptHeader(header, identities(*v.keys.Load())...); err == nil {
		return fileKey, nil
	}
	keys, err := readKeys(v.keyFile)
	if err != nil {
		return nil, ErrWrongKey
	}
	fileKey, err := age.DecryptHeader(header, identities(keys)...)
	if err != nil {
		return nil, ErrWrongKey
	}
	v.keys.Store(&keys)
	return fileKey, nil
}

func identities(keys []*age.HybridIdentity) []age.Identity {
	all := make([]age.Identity, len(keys))
	for i := range keys {
		all[i] = keys[i]
	}
	return all
}

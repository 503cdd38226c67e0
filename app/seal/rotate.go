package seal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"filippo.io/age"
)

// Changing keys.
//
// A rotation changes only the headers. Each header holds the file key of an epoch (a period of
// about an hour), and is encrypted again for the current recipients. The sealed rows stay as they
// are. That is enough: somebody who has the former key and a copy of the database from that time
// can read that copy in any case. In later states of the database, the former key opens nothing.
// The rotation begins a new epoch, so later rows are sealed under file keys that no former header
// ever held. (A serving process may go on using its own epoch for up to an hour.) The root secret
// of the keyed hashes doesn't change. A new root secret would require computing the fingerprints of
// all names on file again, and the root secret alone reveals nothing.
//
// A rotation can be interrupted at any moment. Its steps are
//
//  1. the key file holds the new key and the old one;
//  2. the database records the new key as the installation's key: headers made from
//     now on, by any process, are encrypted for it, and all older headers
//     must be encrypted again;
//  3. the checksums over rows (store/signed.go) are signed with the new key, and older
//     headers are encrypted again, a batch at a time;
//  4. the old key goes to a file of its own, for the backups that need it;
//  5. the key file holds only the new key.
//
// Until the last step, the key file opens every header. Running the command again continues an
// interrupted rotation: if the file holds two keys, the command makes no new one. A process that
// runs meanwhile reads the key file again when a header doesn't open with the keys in its memory.

// batch is how many headers are encrypted again in one transaction.
const batch = 64

// ErrRecoveryKey means that the key file holds a recovery key where the installation's main key is
// needed.
var ErrRecoveryKey = errors.New("seal: the key file is a recovery key, not the installation's own; " +
	"restore a backup with it, which makes a new key, or name the right file with --key-file")

// ErrOwnKey means that the installation's main key was given as a recovery key.
var ErrOwnKey = errors.New("seal: that is the public half of the key file itself, which is no recovery key: " +
	"make one with: birthregistry secrets recovery make FILE")

// ErrHeaders means that some headers don't open with any key.
var ErrHeaders = errors.New("seal: headers do not open with any key at hand; what was sealed under them is lost, unless an older backup has it. " +
	"The former key stays in the key file")

// Rotate replaces the installation's key with a new one, or continues an interrupted rotation. It
// returns the path of the file that then holds the former key. It calls progress while it signs the
// checksums over rows again, and while it encrypts headers again. If ctx ends before Rotate is
// done, Rotate stops after the current batch and returns ctx.Err(). Only one process may rotate the
// keys at a time.
func (v *Vault) Rotate(ctx context.Context, progress func(done, total int)) (retired string, err error) {
	keys, err := readKeys(v.keyFile)
	if err != nil {
		return "", err
	}
	_, texts, err := v.store.Recipients()
	if err != nil {
		return "", err
	}
	if !slices.ContainsFunc(keys, func(key *age.HybridIdentity) bool { return publicOf(key) == texts[0] }) {
		return "", ErrRecoveryKey
	}
	if len(keys) == 1 {
		key, err := age.GenerateHybridIdentity()
		if err != nil {
			return "", fmt.Errorf("seal: make a key: %w", err)
		}
		keys = []*age.HybridIdentity{key, keys[0]}
		if err := replaceKeys(v.keyFile, keys...); err != nil {
			return "", err
		}
	}
	v.keys.Store(&keys)
	if err := v.store.SetBox(publicOf(keys[0])); err != nil {
		return "", err
	}
	if err := v.rekey(ctx, progress); err != nil {
		return "", err
	}
	if retired, err = retire(v.keyFile, keys[1]); err != nil {
		return "", err
	}
	return retired, replaceKeys(v.keyFile, keys[0])
}

// MoveTo makes the key in keyFile the installation's key. If the file is missing, MoveTo creates it
// with a new key, and returns true. No other process may have the database open. MoveTo is for
// restoring a database with a recovery key, or with a key from before a rotation.
func (v *Vault) MoveTo(ctx context.Context, keyFile string, progress func(done, total int)) (made bool, err error) {
	keys, made, err := makeIdentity(keyFile)
	if err != nil {
		return false, err
	}
	if v.formerRowKeys, err = v.RowKeys(); err != nil {
		return made, err
	}
	all := append(slices.Clone(keys), *v.keys.Load()...)
	v.keyFile = keyFile
	v.keys.Store(&all)
	return made, errors.Join(v.store.SetBox(publicOf(keys[0])), v.rekey(ctx, progress))
}

// rekey signs the checksums over rows with the installation's current key, encrypts the headers for
// the current recipients, and stores a new copy of the signing key. The signatures come first: a
// backup made halfway through may open only with the new key, so it must be signed with the new
// key, too.
func (v *Vault) rekey(ctx context.Context, progress func(done, total int)) error {
	if err := v.store.SignAnew(ctx, progress); err != nil {
		return err
	}
	if err := v.Rewrap(ctx, progress); err != nil {
		return err
	}
	return v.CopyRowKey()
}

// AddRecovery registers a recovery key and encrypts all headers again, so that the key opens
// everything. It needs only the public half of the recovery key.
func (v *Vault) AddRecovery(ctx context.Context, recipient string, progress func(done, total int)) error {
	if err := CheckRecipient(recipient); err != nil {
		return err
	}
	_, texts, err := v.store.Recipients()
	if err != nil {
		return err
	}
	if recipient == texts[0] {
		return ErrOwnKey
	}
	if err := v.store.AddRecovery(recipient); err != nil && !v.store.Outdated(err) {
		return err
	}
	return v.Rewrap(ctx, progress)
}

// RemoveRecovery removes a recovery key. Copies of the database made while the key was in use still
// open with it. Another call continues an interrupted removal. If the key isn't in use and no
// header needs to be encrypted again, RemoveRecovery returns an error that Store.Missing
// recognizes.
func (v *Vault) RemoveRecovery(ctx context.Context, recipient string, progress func(done, total int)) error {
	err := v.store.RemoveRecovery(recipient)
	if err != nil && v.store.Missing(err) {
		list, _, listErr := v.store.Recipients()
		behind, countErr := v.store.CountBehind(list)
		if listErr != nil || countErr != nil || behind == 0 {
			return errors.Join(err, listErr, countErr)
		}
	} else if err != nil {
		return err
	}
	return v.Rewrap(ctx, progress)
}

// Rewrap finds the headers that are encrypted for an earlier list of recipients, and encrypts them
// again for the current list. If there are any, it first begins a new epoch. It skips headers that
// no key opens, and then returns ErrHeaders at the end. When ctx ends, Rewrap stops after the current
// batch and returns ctx.Err(). Another call continues an interrupted Rewrap.
func (v *Vault) Rewrap(ctx context.Context, progress func(done, total int)) error {
	for {
		list, recipients, err := v.recipients()
		if err != nil {
			return err
		}
		err = v.rewrap(ctx, list, recipients, progress)
		if err == nil || !v.store.Outdated(err) {
			return err
		}
	}
}

func (v *Vault) rewrap(ctx context.Context, list int64, recipients []*age.HybridRecipient, progress func(done, total int)) error {
	total, err := v.store.CountBehind(list)
	if err != nil || total == 0 {
		return err
	}
	v.renew.Lock()
	err = v.begin()
	v.renew.Unlock()
	if err != nil {
		return err
	}
	done, closed, after := 0, 0, int64(0)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		ids, headers, err := v.store.EpochsBehind(list, after, batch)
		if err != nil {
			return err
		}
		if len(ids) == 0 {
			break
		}
		done, after = done+len(ids), ids[len(ids)-1]
		opened, anew := ids[:0:0], headers[:0:0]
		for i, header := range headers {
			fileKey, err := v.unwrap(header)
			if err != nil {
				closed++
				continue
			}
			if header, err = wrap(fileKey, recipients); err != nil {
				return err
			}
			opened, anew = append(opened, ids[i]), append(anew, header)
		}
		if err := v.store.RewrapEpochs(list, opened, anew); err != nil {
			return err
		}
		progress(done, max(done, total))
	}
	if closed > 0 {
		return fmt.Errorf("%w (%d of %d)", ErrHeaders, closed, done)
	}
	return nil
}

// Keys describes the keys with which a database can be opened.
type Keys struct {
	// Own is the public half of the installation's main key. Recovery is set if the vault was
	// opened with a recovery key instead.
	Own      string
	Recovery bool
	// Unfinished is set if a rotation was interrupted. Behind is how many headers are still
	// encrypted for an earlier list of recipients.
	Unfinished bool
	Behind     int
}

// Keys returns which keys are in use, and whether a rotation is unfinished.
func (v *Vault) Keys() (k Keys, err error) {
	list, texts, err := v.store.Recipients()
	if err != nil {
		return k, err
	}
	keys, err := readKeys(v.keyFile)
	if err != nil {
		return k, err
	}
	k.Own, k.Unfinished = texts[0], len(keys) > 1
	k.Recovery = !slices.ContainsFunc(keys, func(key *age.HybridIdentity) bool { return publicOf(key) == k.Own })
	k.Behind, err = v.store.CountBehind(list)
	return k, err
}

// Closed returns how many headers can't be opened with the available keys, and how many headers
// there are. When ctx ends, it returns ctx.Err().
func (v *Vault) Closed(ctx context.Context) (closed, total int, err error) {
	const any = 1<<63 - 1
	for after := int64(0); ; {
		ids, headers, err := v.store.EpochsBehind(any, after, batch)
		if err = cmp.Or(err, ctx.Err()); err != nil || len(ids) == 0 {
			return closed, total, err
		}
		for _, header := range headers {
			if _, err := v.unwrap(header); err != nil {
				closed++
			}
		}
		total, after = total+len(ids), ids[len(ids)-1]
	}
}

package ops

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"birthregistry/app/auth"
	"birthregistry/app/seal"
	"birthregistry/store"
)

// This file has the part of Restore that opens a backup with its key.

// rekey opens the prepared database with the key of the backup, and seals it to the installation's
// key.
func (r Restoring) rekey(ctx context.Context, config Config, done *Restored) (err error) {
	with := r.With
	if with == "" {
		with = config.KeyFile
	}
	if _, err := os.Stat(with); errors.Is(err, os.ErrNotExist) && r.With == "" {
		return ErrNeedsKey
	} else if err != nil {
		return fmt.Errorf("restore: the key: %w", err)
	}
	db, err := store.Open(ctx, config.DB)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if _, err := db.Secret(seal.RootSecret); err != nil {
		return store.ErrNotDatabase // the database is empty, and a key would be made for it
	}
	vault, err := r.unlock(ctx, db, with, config.KeyFile)
	if err != nil {
		return wording(err)
	}
	if r.With != "" {
		vault.TrustCopy()
	} else if keys, err := vault.Keys(); err != nil || keys.Recovery { // the rows are signed with the installation's own key
		return cmp.Or(err, seal.ErrRecoveryKey)
	}
	if err := sign(ctx, db, vault, auth.New(db, vault), false, func(int, int) {}); err != nil {
		return wording(err)
	}
	if r.With == "" {
		return endRotation(ctx, vault)
	}
	done.Rekeyed = true
	done.KeyMade, err = vault.MoveTo(ctx, config.KeyFile, func(int, int) {})
	switch {
	case errors.Is(err, seal.ErrNoIdentity), errors.Is(err, seal.ErrOtherKind):
		return fmt.Errorf("the key file %s holds no key; move it away and restore again, which makes a new key file", config.KeyFile)
	case errors.Is(err, store.ErrConflict):
		return fmt.Errorf("the key file %s is a recovery key itself; move it away and restore again, which makes a new key file", config.KeyFile)
	case err == nil && done.KeyMade:
		err = store.ChownLike(filepath.Dir(config.KeyFile), config.KeyFile)
	}
	return wording(err)
}

// unlock opens the backup with one key file, whose path is in the argument with. If that key isn't
// enough, unlock also uses own, the installation's key file, because a backup that was made during
// a rotation needs both the new key and the retired one.
func (r Restoring) unlock(ctx context.Context, db *store.DB, with, own string) (*seal.Vault, error) {
	vault, _, err := seal.Open(db, with)
	if !errors.Is(err, seal.ErrWrongKey) || r.With == "" {
		return vault, err
	}
	if vault, _, ownErr := seal.Open(db, own); ownErr == nil {
		if closed, _, failed := vault.Closed(ctx); failed != nil || closed == 0 {
			return nil, cmp.Or(failed, err) // the installation's key is enough; with is wrong
		}
	}
	vault, _, err = seal.Open(db, with, own)
	return vault, err
}

// endRotation completes a rotation of the keys that was unfinished when the backup was made.
func endRotation(ctx context.Context, vault *seal.Vault) error {
	keys, err := vault.Keys()
	if err != nil || keys.Behind == 0 {
		return err
	}
	return wording(vault.Rewrap(ctx, func(int, int) {}))
}

func wording(err error) error {
	switch {
	case errors.Is(err, seal.ErrNoKey):
		return ErrNeedsKey
	case errors.Is(err, seal.ErrWrongKey), errors.Is(err, seal.ErrHeaders):
		return ErrNotKey
	}
	return err
}

package app

import (
	"context"
	"errors"

	"birthregistry/app/access"
	"birthregistry/app/seal"
	"birthregistry/store"
)

// signed is what the trail says once the rows of a database are signed.
const (
	signedAction = "database.sign"
	signedObject = "form 1"
)

// sign has the rows of a database signed and verified from now on; those that an
// earlier version made are signed first, with progress.
func sign(ctx context.Context, db *store.DB, vault *seal.Vault, people *access.Access, progress func(done, total int)) error {
	return signing(ctx, db, vault, people, false, progress)
}

// SignAsItIs signs the rows of a database as they are, whatever was signed before:
// the way on where a file was mended by hand.
func SignAsItIs(ctx context.Context, config Config) (err error) {
	if config.KeyFile == "" {
		config.KeyFile = KeyFileFor(config.DB)
	}
	db, err := store.Open(ctx, config.DB)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	vault, _, err := seal.Open(db, config.KeyFile)
	if err != nil {
		return err
	}
	return signing(ctx, db, vault, access.New(db, vault), true, func(int, int) {})
}

func signing(ctx context.Context, db *store.DB, vault *seal.Vault, people *access.Access, anew bool, progress func(done, total int)) error {
	err := db.Sign(ctx, store.Signing{
		Anew:   anew,
		Root:   vault.Key(seal.RowRoot),
		Keys:   vault.RowKeys,
		Signed: func(v *store.View) (bool, error) { return v.Noted(signedAction, signedObject) },
		Note: func(tx *store.Tx) error {
			return people.Note(tx, access.Operator(store.Practice{}), signedAction, signedObject)
		},
		Progress: progress,
	})
	if err != nil {
		return err
	}
	if err := vault.CopyRowKey(); err != nil && !store.IsUnavailable(err) { // a full disk is waited out
		return err
	}
	return nil
}

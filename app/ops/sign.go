package ops

import (
	"context"
	"errors"

	"birthregistry/app/access"
	"birthregistry/app/seal"
	"birthregistry/store"
)

// The entry of the audit trail once the rows of a database are signed.
const (
	signedAction = "database.sign"
	signedObject = "form 1"
)

// sign has the rows of a database signed and verified from now on; it first signs
// those of an earlier version, with progress. signs means that the key has signed
// from its beginning, so that its database is none of an earlier version.
func sign(ctx context.Context, db *store.DB, vault *seal.Vault, people *access.Access, signs bool, progress func(done, total int)) error {
	signed := func(ctx context.Context) (bool, error) { return signedBefore(ctx, db, people, signs) }
	return signing(ctx, db, vault, people, signed, false, progress)
}

// signedBefore reports whether a database without signatures must have had some:
// somebody has removed them, to get their own rows signed. The key file shows that,
// which no writer of the database can change; where the key is older than
// signatures, the audit trail shows it, as long as it is intact itself.
func signedBefore(ctx context.Context, db *store.DB, people *access.Access, signs bool) (bool, error) {
	var founded, noted bool
	err := db.View(ctx, func(v *store.View) (err error) {
		if founded, err = v.Founded(); err == nil {
			noted, err = v.Noted(signedAction, signedObject)
		}
		return err
	})
	if err != nil || noted || !founded {
		return noted, err
	}
	if signs {
		return true, nil
	}
	rows, broken, err := people.VerifyTrail(ctx)
	return rows == 0 || broken != 0, err
}

// SignAsItIs signs the rows of a database as they are, whatever was signed before. It
// is for a file that was repaired by hand.
func SignAsItIs(ctx context.Context, config Config) (err error) {
	config = config.withKeyFile()
	db, err := store.Open(ctx, config.DB)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	vault, _, err := seal.Open(db, config.KeyFile)
	if err != nil {
		return err
	}
	return signing(ctx, db, vault, access.New(db, vault), nil, true, func(int, int) {})
}

func signing(ctx context.Context, db *store.DB, vault *seal.Vault, people *access.Access, signed func(context.Context) (bool, error), anew bool, progress func(done, total int)) error {
	err := db.Sign(ctx, store.Signing{
		Anew:   anew,
		Root:   vault.Key(seal.RowRoot),
		Keys:   vault.RowKeys,
		Signed: signed,
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

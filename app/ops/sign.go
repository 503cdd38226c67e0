package ops

import (
	"context"
	"errors"

	"birthregistry/app/auth"
	"birthregistry/app/seal"
	"birthregistry/store"
)

// These are the action and the object of the entry in the audit trail which records that the rows
// of a database were signed.
const (
	signedAction = "database.sign"
	signedObject = "form 1"
)

// sign makes the database sign and verify rows from now on. If an earlier version of the program
// wrote the rows, sign first signs them. It calls progress with the number of rows that are signed
// and the total number. signs is set if the key has signed rows since it was made, so that its
// database can't be from an earlier version.
func sign(ctx context.Context, db *store.DB, vault *seal.Vault, users *auth.Service, signs bool, progress func(done, total int)) error {
	signed := func(ctx context.Context) (bool, error) { return signedBefore(ctx, db, users, signs) }
	return signing(ctx, db, vault, users, signed, false, progress)
}

// errUnsigned means that the rows of a database from an earlier version aren't all signed yet.
var errUnsigned = errors.New("the rows of an earlier version are not all signed")

// verifyOnly makes the database verify rows from now on, as sign does, but it writes nothing. If
// sign would first have to sign rows, verifyOnly returns errUnsigned.
func (i *Installation) verifyOnly(ctx context.Context) error {
	return i.DB.Sign(ctx, store.Signing{
		Root: i.Vault.Key(seal.RowRoot),
		Keys: i.Vault.RowKeys,
		Signed: func(ctx context.Context) (bool, error) {
			before, err := signedBefore(ctx, i.DB, i.Auth, i.Vault.Signs())
			if err == nil && !before {
				err = errUnsigned
			}
			return before, err
		},
	})
}

// signedBefore reports whether a database without signatures was, or may have been, signed before.
// Somebody may have removed the signatures so that their own rows would be signed.
//
// An entry in the audit trail about signing proves that rows were signed. Without such an entry, a
// database that nobody has set up was never signed. signs is set if the key has signed rows since
// it was made. For any other database, that is proof enough, because somebody who can write to the
// database can't change the key file. With an older key file, signedBefore reports true if the
// trail is empty or broken.
func signedBefore(ctx context.Context, db *store.DB, users *auth.Service, signs bool) (bool, error) {
	var empty, noted bool
	err := db.View(ctx, func(v *store.View) (err error) {
		if empty, err = v.IsEmpty(); err == nil {
			noted, err = v.Noted(signedAction, signedObject)
		}
		return err
	})
	if err != nil || noted || empty {
		return noted, err
	}
	if signs {
		return true, nil
	}
	trail, err := users.Trail.Verify(ctx)
	return trail.Entries == 0 || trail.Broken != 0, err
}

// SignAsItIs signs the present rows of a database, even rows that something else has changed since
// the program signed them. It is for tests that change rows with SQL.
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
	return signing(ctx, db, vault, auth.New(db, vault), nil, true, func(int, int) {})
}

func signing(ctx context.Context, db *store.DB, vault *seal.Vault, users *auth.Service, signed func(context.Context) (bool, error), anew bool, progress func(done, total int)) error {
	err := db.Sign(ctx, store.Signing{
		Anew:   anew,
		Root:   vault.Key(seal.RowRoot),
		Keys:   vault.RowKeys,
		Signed: signed,
		Note: func(tx *store.Tx) error {
			return users.Note(tx, auth.Operator(store.Practice{}), signedAction, signedObject)
		},
		Progress: progress,
	})
	if err != nil {
		return err
	}
	if err := vault.CopyRowKey(); err != nil && !store.IsUnavailable(err) { // a full disk may get space again, so this isn't fatal
		return err
	}
	return nil
}

package store

import (
	"database/sql"
	"time"
)

// User is a user's account.
type User struct {
	ID    int64
	Email string // in lower case
	Name  string
	// Password is the hash of the password as an argon2id PHC string, or "" until the invitation is
	// accepted.
	Password string
	// TOTP is the sealed secret of the user's authenticator app, or nil.
	TOTP []byte
	// Passkeys is the number of the user's passkeys.
	Passkeys   int
	CreatedAt  time.Time
	SignedInAt *time.Time
	DisabledAt *time.Time // when the operator disabled the account in all practices, or nil
}

// SecondFactor reports whether the user has a second factor, so that a password alone isn't enough
// to sign in.
func (u User) SecondFactor() bool { return u.TOTP != nil || u.Passkeys > 0 }

// AddUser stores a user without a password, and returns the user's ID. It returns ErrConflict if
// the email address is taken.
func (tx *Tx) AddUser(email, name string) (int64, error) {
	return tx.insert(`insert into users (email, name, created_at) values (?, ?, ?)`, email, name, millis(tx.Now))
}

const userColumns = `
	select
		id,
		email,
		name,
		coalesce(password, ''),
		totp,
		(select count(*) from passkeys p where p.user = users.id),
		created_at,
		signed_in_at,
		disabled_at
	from users`

// UserByEmail returns the user with the given email address, which must be in lower case. It
// returns ErrNotFound if there is no such user.
func (v *View) UserByEmail(email string) (User, error) {
	return v.user(userColumns+` where email = ?`, email)
}

// User returns the user with the given ID. It returns ErrNotFound if there is no such user.
func (v *View) User(id int64) (User, error) { return v.user(userColumns+` where id = ?`, id) }

// Users returns all users of the installation, for the operator, in the order of their IDs.
func (v *View) Users() ([]User, error) { return all(v, userColumns+` order by id`, (*User).scan) }

// SetPassword stores the hash of a user's password, as an argon2id PHC string.
func (tx *Tx) SetPassword(user int64, phc string) error {
	return found(tx.exec(`update users set password = ? where id = ?`, phc, user))
}

// SetName stores the name of a user.
func (tx *Tx) SetName(user int64, name string) error {
	return found(tx.exec(`update users set name = ? where id = ?`, name, user))
}

// NoteSignIn records that a user has signed in now.
func (tx *Tx) NoteSignIn(user int64) error {
	return found(tx.exec(`update users set signed_in_at = ? where id = ?`, millis(tx.Now), user))
}

// DisableUser disables a user's account in all practices, until EnableUser is called.
func (tx *Tx) DisableUser(user int64) error {
	return found(tx.exec(`update users set disabled_at = coalesce(disabled_at, ?) where id = ?`, millis(tx.Now), user))
}

// EnableUser enables a disabled account again.
func (tx *Tx) EnableUser(user int64) error {
	return found(tx.exec(`update users set disabled_at = null where id = ?`, user))
}

// WriteNothing writes a row unchanged. This takes as long as a small write, so the response time
// doesn't reveal whether there was something to write.
func (tx *Tx) WriteNothing() error {
	return tx.do(`update users set name = name where id = (select min(id) from users)`)
}

// SetTOTP stores the sealed secret of a user's authenticator app, or nil to remove it. Codes of
// time steps up to step can no longer be used.
func (tx *Tx) SetTOTP(user int64, sealed []byte, step int64) error {
	return found(tx.exec(`update users set totp = ?, totp_step = ? where id = ?`, sealed, step, user))
}

// TakeTOTPStep records that the code of a time step was used. It returns ErrNotFound if this code
// or a later one was already used.
func (tx *Tx) TakeTOTPStep(user, step int64) error {
	return found(tx.exec(`update users set totp_step = ? where id = ? and totp_step < ?`, step, user, step))
}

// SetRecoveryCodes replaces a user's recovery codes. hashes holds the hashes of the new codes.
func (tx *Tx) SetRecoveryCodes(user int64, hashes [][]byte) error {
	err := tx.do(`delete from recovery_codes where user = ?`, user)
	for _, hash := range hashes {
		if err == nil {
			err = tx.do(`insert into recovery_codes (user, hash) values (?, ?)`, user, hash)
		}
	}
	return err
}

// TakeRecoveryCode deletes a recovery code, so that it can be used only once. It returns
// ErrNotFound if the user doesn't have this code or has already used it.
func (tx *Tx) TakeRecoveryCode(user int64, hash []byte) error {
	return found(tx.exec(`delete from recovery_codes where user = ? and hash = ?`, user, hash))
}

// RecoveryCodes returns how many recovery codes a user has left.
func (v *View) RecoveryCodes(user int64) (int, error) {
	return only[int](v, `select count(*) from recovery_codes where user = ?`, user)
}

func (v *View) user(query string, arg any) (User, error) {
	u, err := first(all(v, query, (*User).scan, arg))
	if err == nil {
		err = v.grants("users", u.ID)
	}
	return u, err
}

func (u *User) scan(rows *sql.Rows) error {
	return rows.Scan(&u.ID, &u.Email, &u.Name, &u.Password, &u.TOTP, &u.Passkeys, asTime(&u.CreatedAt), asMaybeTime(&u.SignedInAt), asMaybeTime(&u.DisabledAt))
}

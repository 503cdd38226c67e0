package store

import (
	"database/sql"
	"time"
)

// User is a user's account.
type User struct {
	ID    int64
	Email string // lower case
	Name  string
	// Password is an argon2id PHC string, or "" until the invitation is accepted.
	Password string
	// TOTP is the sealed secret of the second factor, or nil.
	TOTP []byte
	// Passkeys is how many passkeys the user has.
	Passkeys   int
	CreatedAt  time.Time
	SignedInAt *time.Time
	DisabledAt *time.Time // set if the operator has disabled the account in all practices
}

// SecondFactor reports whether the user has a second factor, so that a password isn't enough to
// sign in.
func (u User) SecondFactor() bool { return u.TOTP != nil || u.Passkeys > 0 }

// AddUser stores a user who has no password yet and returns the id. It returns ErrConflict
// if the address is taken.
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

// UserByEmail returns the user with an address, which must be in lower case. It returns
// ErrNotFound if there is none.
func (v *View) UserByEmail(email string) (User, error) {
	return v.user(userColumns+` where email = ?`, email)
}

// User returns a user. It returns ErrNotFound if there is none.
func (v *View) User(id int64) (User, error) { return v.user(userColumns+` where id = ?`, id) }

// Users returns all users, for the operator.
func (v *View) Users() ([]User, error) { return all(v, userColumns+` order by id`, (*User).scan) }

// SetPassword stores the hash of a user's password.
func (tx *Tx) SetPassword(user int64, phc string) error {
	return found(tx.exec(`update users set password = ? where id = ?`, phc, user))
}

// SetName stores the name of a user.
func (tx *Tx) SetName(user int64, name string) error {
	return found(tx.exec(`update users set name = ? where id = ?`, name, user))
}

// NoteSignIn stores when a user last signed in.
func (tx *Tx) NoteSignIn(user int64) error {
	return found(tx.exec(`update users set signed_in_at = ? where id = ?`, millis(tx.Now), user))
}

// DisableUser removes a user's access everywhere until EnableUser.
func (tx *Tx) DisableUser(user int64) error {
	return found(tx.exec(`update users set disabled_at = coalesce(disabled_at, ?) where id = ?`, millis(tx.Now), user))
}

// EnableUser gives a disabled user their access back.
func (tx *Tx) EnableUser(user int64) error {
	return found(tx.exec(`update users set disabled_at = null where id = ?`, user))
}

// WriteNothing writes a row unchanged. That takes as long as a small write, so the response time
// doesn't reveal whether there was something to write.
func (tx *Tx) WriteNothing() error {
	return tx.do(`update users set name = name where id = (select min(id) from users)`)
}

// SetTOTP stores the sealed secret of a user's second factor (nil for none). Codes of time steps up
// to step can no longer be used.
func (tx *Tx) SetTOTP(user int64, sealed []byte, step int64) error {
	return found(tx.exec(`update users set totp = ?, totp_step = ? where id = ?`, sealed, step, user))
}

// TakeTOTPStep marks the code of a time step as used. It returns ErrNotFound if that code or a
// later one was used already.
func (tx *Tx) TakeTOTPStep(user, step int64) error {
	return found(tx.exec(`update users set totp_step = ? where id = ? and totp_step < ?`, step, user, step))
}

// SetRecoveryCodes replaces a user's recovery codes, given by their hashes.
func (tx *Tx) SetRecoveryCodes(user int64, hashes [][]byte) error {
	err := tx.do(`delete from recovery_codes where user = ?`, user)
	for _, hash := range hashes {
		if err == nil {
			err = tx.do(`insert into recovery_codes (user, hash) values (?, ?)`, user, hash)
		}
	}
	return err
}

// TakeRecoveryCode deletes a recovery code. It returns ErrNotFound if the user has no such
// code, or has used it already.
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

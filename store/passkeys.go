package store

import (
	"database/sql"
	"time"
)

// Passkey is a WebAuthn credential of a user.
type Passkey struct {
	ID, User   int64
	Credential []byte // the credential's ID, chosen by the authenticator
	PublicKey  []byte // SubjectPublicKeyInfo in DER
	// SignCount is the counter in the authenticator's last response, or 0 if it has no counter.
	SignCount uint32
	Flags     byte   // the flags in the authenticator's last response
	Name      []byte // sealed, together with the email address to which the passkey is bound
	CreatedAt time.Time
	UsedAt    *time.Time
}

// AddPasskey adds a passkey. It returns ErrConflict if the credential is stored already.
func (tx *Tx) AddPasskey(p Passkey) error {
	return tx.do(`
		insert into passkeys (user, credential, public_key, sign_count, flags, name, created_at)
		values (?, ?, ?, ?, ?, ?, ?)`, p.User, p.Credential, p.PublicKey, p.SignCount, p.Flags, p.Name, millis(tx.Now))
}

// UsePasskey stores the counter and the flags of an authenticator's response. It returns
// ErrNotFound if the passkey was deleted, or if the counter isn't higher than the stored one. If
// both are 0, the authenticator has no counter, and UsePasskey accepts the response.
func (tx *Tx) UsePasskey(id int64, signCount uint32, flags byte) error {
	return found(tx.exec(`
		update passkeys set sign_count = ?2, flags = ?3, used_at = ?4
		where id = ?1 and (sign_count < ?2 or sign_count = 0 and ?2 = 0)`, id, signCount, flags, millis(tx.Now)))
}

// DropPasskey deletes a passkey of a user. It returns ErrNotFound if the user has no such passkey.
func (tx *Tx) DropPasskey(user, id int64) error {
	return found(tx.exec(`delete from passkeys where user = ? and id = ?`, user, id))
}

// DropPasskeys deletes all passkeys of a user.
func (tx *Tx) DropPasskeys(user int64) error {
	return tx.do(`delete from passkeys where user = ?`, user)
}

// PasskeysOf returns the passkeys of a user, oldest first. It doesn't verify the signatures of the
// rows. They are verified together with the user's own row, when the caller reads the user in the
// same View.
func (v *View) PasskeysOf(user int64) ([]Passkey, error) {
	return all(v, passkeyColumns+` where user = ? order by id`, scanPasskey, user)
}

// Passkeys returns the passkeys of all users. It doesn't verify the signatures of the rows.
func (v *View) Passkeys() ([]Passkey, error) {
	return all(v, passkeyColumns+` order by id`, scanPasskey)
}

const passkeyColumns = `
	select id, user, credential, public_key, sign_count, flags, name, created_at, used_at
	from passkeys`

func scanPasskey(p *Passkey, rows *sql.Rows) error {
	return rows.Scan(&p.ID, &p.User, &p.Credential, &p.PublicKey, &p.SignCount, &p.Flags, &p.Name,
		asTime(&p.CreatedAt), asMaybeTime(&p.UsedAt))
}

// UserOfPasskey returns the user to whom a credential belongs. It returns ErrNotFound if the
// credential is unknown.
func (v *View) UserOfPasskey(credential []byte) (User, error) {
	return v.user(userColumns+` where id = (select user from passkeys where credential = ?)`, credential)
}

package store

import (
	"database/sql"
	"time"
)

// Passkey is a WebAuthn credential of a user.
type Passkey struct {
	ID, User   int64
	Credential []byte // the ID that the authenticator chose
	PublicKey  []byte // SubjectPublicKeyInfo in DER
	// SignCount is the authenticator's counter after its last answer, 0 if it has none.
	SignCount uint32
	Flags     byte   // of the authenticator's last answer
	Name      []byte // sealed, together with the address to which the passkey is bound
	CreatedAt time.Time
	UsedAt    *time.Time
}

// AddPasskey adds a passkey. It returns ErrConflict if the credential is stored already.
func (tx *Tx) AddPasskey(p Passkey) error {
	return tx.do(`
		insert into passkeys (user, credential, public_key, sign_count, flags, name, created_at)
		values (?, ?, ?, ?, ?, ?, ?)`, p.User, p.Credential, p.PublicKey, p.SignCount, p.Flags, p.Name, millis(tx.Now))
}

// UsePasskey stores the counter and the flags of an authenticator's answer. It returns
// ErrNotFound if the passkey is gone, or if the counter isn't higher than the last one. Both
// counters may be 0, because some authenticators have none.
func (tx *Tx) UsePasskey(id int64, signCount uint32, flags byte) error {
	return found(tx.exec(`
		update passkeys set sign_count = ?2, flags = ?3, used_at = ?4
		where id = ?1 and (sign_count < ?2 or sign_count = 0 and ?2 = 0)`, id, signCount, flags, millis(tx.Now)))
}

// DropPasskey deletes a passkey of a user. It returns ErrNotFound if they have no such passkey.
func (tx *Tx) DropPasskey(user, id int64) error {
	return found(tx.exec(`delete from passkeys where user = ? and id = ?`, user, id))
}

// DropPasskeys deletes all passkeys of a user.
func (tx *Tx) DropPasskeys(user int64) error {
	return tx.do(`delete from passkeys where user = ?`, user)
}

// PasskeysOf returns the passkeys of a user, oldest first. It doesn't verify the rows: they are
// verified with the user's own row, when the caller reads the user in the same View.
func (v *View) PasskeysOf(user int64) ([]Passkey, error) {
	return all(v, passkeyColumns+` where user = ? order by id`, scanPasskey, user)
}

// Passkeys returns the passkeys of all users. The rows aren't verified.
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

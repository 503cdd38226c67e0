package store

import (
	"time"
)

// The purposes of a link.
const (
	Invite = "invite"
	Reset  = "reset"
)

// Link is an invitation or a reset: a code that works once, of which only the hash
// is stored.
type Link struct {
	ID        int64
	User      int64
	Practice  PracticeID // the practice it invites to, 0 for a reset
	Purpose   string
	MadeBy    string
	CreatedAt time.Time
	ExpiresAt time.Time
	Used      bool
	Replaced  bool // a newer link replaced it
}

// AddLink stores a link by the hash of its code. The link is an invitation to the practice, or
// resets the account if the practice is 0.
func (tx *Tx) AddLink(user int64, p PracticeID, hash []byte, madeBy string, expires time.Time) error {
	purpose := Invite
	if p == 0 {
		purpose = Reset
	}
	return tx.do(`
		insert into links (user, practice, purpose, hash, made_by, created_at, expires_at)
		values (?, ?, ?, ?, ?, ?, ?)`, user, nullable(p), purpose, hash, madeBy, millis(tx.Now), millis(expires))
}

// LinkByHash returns a link, even a used or expired one. It returns ErrNotFound if there is
// none.
func (v *View) LinkByHash(hash []byte) (l Link, err error) {
	err = v.one(`
		select
			l.id,
			l.user,
			coalesce(l.practice, 0),
			l.purpose,
			l.made_by,
			l.created_at,
			l.expires_at,
			l.used_at is not null,
			exists (select 1 from links n where n.user = l.user and n.id > l.id and n.practice is l.practice)
		from links l
		where l.hash = ?`, []any{hash},
		&l.ID, &l.User, &l.Practice, &l.Purpose, &l.MadeBy, asTime(&l.CreatedAt), asTime(&l.ExpiresAt), &l.Used, &l.Replaced)
	if err == nil {
		err = v.grants("links", l.ID)
	}
	return l, err
}

// OpenInvitation returns the ID of the user's newest invitation to the practice. It returns
// ErrNotFound if there is none, or if the newest is used or has expired.
func (v *View) OpenInvitation(user int64, p PracticeID, now time.Time) (id int64, err error) {
	usable := false
	err = v.one(`
		select l.id, l.used_at is null and l.expires_at > ?
		from links l where l.user = ? and l.practice = ? order by l.id desc limit 1`, []any{millis(now), user, p}, &id, &usable)
	if err == nil {
		err = v.grants("links", id)
	}
	if err == nil && !usable {
		err = ErrNotFound
	}
	return id, err
}

// UseLink marks a link as used. It returns ErrNotFound if the link was used already.
func (tx *Tx) UseLink(id int64) error {
	return found(tx.exec(`update links set used_at = ? where id = ? and used_at is null`, millis(tx.Now), id))
}

// VoidInvitations revokes a user's unused invitations to the practice.
func (tx *Tx) VoidInvitations(p PracticeID, user int64) error {
	return tx.do(`update links set used_at = ? where user = ? and practice = ? and used_at is null`, millis(tx.Now), user, p)
}

// VoidResets revokes a user's unused resets.
func (tx *Tx) VoidResets(user int64) error {
	return tx.do(`update links set used_at = ? where user = ? and practice is null and used_at is null`, millis(tx.Now), user)
}

// VoidLinks revokes all of a user's unused links.
func (tx *Tx) VoidLinks(user int64) error {
	return tx.do(`update links set used_at = ? where user = ? and used_at is null`, millis(tx.Now), user)
}

// SweepLinks deletes the links that expired before a time.
func (tx *Tx) SweepLinks(before time.Time) error {
	return tx.do(`delete from links where expires_at < ?`, millis(before))
}

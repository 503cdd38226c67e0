package store

import (
	"time"
)

// The purposes of a link.
const (
	Invite = "invite"
	Reset  = "reset"
)

// Link is an invitation or a password reset. Its code works once, and only the code's hash is
// stored.
type Link struct {
	ID        int64
	User      int64
	Practice  PracticeID // the practice to which the link invites, or 0 for a password reset
	Purpose   string
	MadeBy    string
	CreatedAt time.Time
	ExpiresAt time.Time
	Used      bool
	Replaced  bool // whether a newer link has replaced this one
}

// AddLink stores a link, identified by the hash of its code. The link is an invitation to practice
// p. If p is 0, the link resets the user's password.
func (tx *Tx) AddLink(user int64, p PracticeID, hash []byte, madeBy string, expires time.Time) error {
	purpose := Invite
	if p == 0 {
		purpose = Reset
	}
	return tx.do(`
		insert into links (user, practice, purpose, hash, made_by, created_at, expires_at)
		values (?, ?, ?, ?, ?, ?, ?)`, user, nullable(p), purpose, hash, madeBy, millis(tx.Now), millis(expires))
}

// LinkByHash returns the link whose code has this hash, even if it was used or has expired. It
// returns ErrNotFound if there is no such link.
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

// OpenInvitation returns the ID of the newest invitation of a user to a practice. It returns
// ErrNotFound if there is no invitation, or if the newest one was used or has expired.
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

// VoidInvitations makes a user's unused invitations to a practice invalid.
func (tx *Tx) VoidInvitations(p PracticeID, user int64) error {
	return tx.do(`update links set used_at = ? where user = ? and practice = ? and used_at is null`, millis(tx.Now), user, p)
}

// VoidResets makes a user's unused password resets invalid.
func (tx *Tx) VoidResets(user int64) error {
	return tx.do(`update links set used_at = ? where user = ? and practice is null and used_at is null`, millis(tx.Now), user)
}

// VoidLinks makes all unused links of a user invalid.
func (tx *Tx) VoidLinks(user int64) error {
	return tx.do(`update links set used_at = ? where user = ? and used_at is null`, millis(tx.Now), user)
}

// SweepLinks deletes the links that expired before a time.
func (tx *Tx) SweepLinks(before time.Time) error {
	return tx.do(`delete from links where expires_at < ?`, millis(before))
}

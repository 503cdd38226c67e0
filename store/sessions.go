package store

import (
	"database/sql"
	"errors"
	"time"
)

// Session is a browser's session on the service's web pages.
type Session struct {
	// Token is the hash of the session cookie's value.
	Token    string
	User     int64      // 0 before the user signs in
	Practice PracticeID // 0 before the user signs in
	Sealed   []byte
	// Agent is the shortened User-Agent of the browser.
	Agent     string
	CreatedAt time.Time // when the user signed in, or when the session began if nobody has signed in yet
	SeenAt    time.Time
	ExpiresAt time.Time
}

// PutSession stores a session that is in use now. It replaces a session with the same token.
func (tx *Tx) PutSession(s Session) error {
	return tx.do(`
		insert into sessions (token, user, practice, sealed, agent, created_at, seen_at, expires_at)
		values (?, ?, ?, ?, ?, ?, ?, ?)
		on conflict (token) do update set
			user = excluded.user,
			practice = excluded.practice,
			sealed = excluded.sealed,
			agent = excluded.agent,
			created_at = excluded.created_at,
			seen_at = excluded.seen_at,
			expires_at = excluded.expires_at`,
		s.Token, nullable(s.User), nullable(s.Practice), s.Sealed, s.Agent, millis(s.CreatedAt), millis(tx.Now), millis(s.ExpiresAt))
}

const sessionColumns = `
	select
		token,
		coalesce(user, 0),
		coalesce(practice, 0),
		sealed,
		agent,
		created_at,
		seen_at,
		expires_at
	from sessions`

// Session returns the session with the given token, even if the session has expired. It returns
// ErrNotFound if there is no such session.
func (v *View) Session(token string) (Session, error) {
	s, err := first(all(v, sessionColumns+` where token = ?`, (*Session).scan, token))
	if err == nil {
		err = v.grants("sessions", token)
	}
	return s, err
}

// Standing holds what a request has read about its session and user. SessionStands checks whether
// all of this is still true.
type Standing struct {
	User           int64
	Role, Token    string
	Provider       int64 // 0 if the session began without an identity provider
	Now, SeenAfter time.Time
}

// SessionStands reports whether a session is still valid. It must belong to the user, must not have
// expired, and must have been in use after the time SeenAfter. The user must still be allowed to
// work in the practice, in the same role and with the same identity provider.
func (v *View) SessionStands(p PracticeID, s Standing) (bool, error) {
	return only[bool](v, `
		select exists (
			select 1
			from sessions s join memberships m on m.user = s.user join users u on u.id = s.user
			where
				s.token = ?
				and s.user = ?
				and s.expires_at > ?
				and s.seen_at > ?
				and m.practice = ?
				and m.role = ?
				and m.accepted_at is not null
				and m.disabled_at is null
				and u.disabled_at is null
				and not exists (select 1 from sso_only o where o.practice = m.practice and o.provider <> ?)
		)`, s.Token, s.User, millis(s.Now), millis(s.SeenAfter), p, s.Role, s.Provider)
}

// SessionsOf returns a user's sessions in all practices, newest first.
func (v *View) SessionsOf(user int64) ([]Session, error) {
	return all(v, sessionColumns+` where user = ? order by created_at desc`, (*Session).scan, user)
}

// TouchSession records that a session is in use.
func (tx *Tx) TouchSession(token string) error {
	return tx.do(`update sessions set seen_at = ? where token = ?`, millis(tx.Now), token)
}

// DropSession ends the session with a token, if there is one.
func (tx *Tx) DropSession(token string) error {
	return tx.do(`delete from sessions where token = ?`, token)
}

// DropSessionOf ends one of a user's sessions. It returns ErrNotFound if the user has no session
// with this token.
func (tx *Tx) DropSessionOf(user int64, token string) error {
	return found(tx.exec(`delete from sessions where token = ? and user = ?`, token, user))
}

// EndSessions ends all sessions of a user except the one with the token spare, and returns how many
// it ended. If spare is "", it ends all of them.
func (tx *Tx) EndSessions(user int64, spare string) (int64, error) {
	return tx.exec(`delete from sessions where user = ? and token <> ?`, user, spare)
}

// EndAllSessions ends the sessions of all users.
func (tx *Tx) EndAllSessions() error {
	return tx.do(`delete from sessions where token <> ''`)
}

// EndSessionsIn ends the sessions in which a user works in the practice, and returns how many it
// ended.
func (tx *Tx) EndSessionsIn(p PracticeID, user int64) (int64, error) {
	return tx.exec(`delete from sessions where user = ? and practice = ?`, user, p)
}

// SweepSessions deletes the sessions that have expired, or that were last used before a time.
func (tx *Tx) SweepSessions(seenBefore time.Time) error {
	return errors.Join(
		tx.do(`delete from sessions where expires_at < ?`, millis(tx.Now)),
		tx.do(`delete from sessions where seen_at < ?`, millis(seenBefore)),
	)
}

// BoundAnonymousSessions limits the number of sessions in which nobody has signed in. keep is the
// maximum number of these sessions. If there are more, it deletes the oldest of them. It never
// deletes a session of a signed-in user.
func (tx *Tx) BoundAnonymousSessions(keep int) error {
	return tx.do(`
		delete from sessions where token in (
			select token from sessions where user is null order by created_at desc limit -1 offset ?
		)`, keep)
}

// BoundSessionsOf limits the number of a user's sessions. keep is the maximum number. If there are
// more, it deletes the oldest of them.
func (tx *Tx) BoundSessionsOf(user int64, keep int) error {
	return tx.do(`
		delete from sessions where token in (
			select token from sessions where user = ? order by created_at desc limit -1 offset ?
		)`, user, keep)
}

func (s *Session) scan(rows *sql.Rows) error {
	return rows.Scan(&s.Token, &s.User, &s.Practice, &s.Sealed, &s.Agent, asTime(&s.CreatedAt), asTime(&s.SeenAt), asTime(&s.ExpiresAt))
}

// SessionsOfMembers returns the sessions of all members of a practice, including sessions in which
// the members work in other practices.
func (v *View) SessionsOfMembers(p PracticeID) ([]Session, error) {
	return all(v, sessionColumns+` where user in (select user from memberships where practice = ?)`, (*Session).scan, p)
}

// ResealSession replaces the sealed content of a session.
func (tx *Tx) ResealSession(token string, sealed []byte) error {
	return found(tx.exec(`update sessions set sealed = ? where token = ?`, sealed, token))
}

package store

import (
	"database/sql"
	"errors"
	"time"
)

// Membership is a user's membership in a practice.
type Membership struct {
	User       int64
	Practice   Practice
	Role       string
	Called     string // the name that the sender of the invitation typed for the user
	CreatedAt  time.Time
	AcceptedAt *time.Time // when the user accepted; nil for a pending membership, which gives no access
	UsedAt     *time.Time // when the user last started to work in this practice
	DisabledAt *time.Time // when the membership was disabled, or nil
	// Requires is the ID of the identity provider with which the practice's users must sign in, or
	// 0 if no identity provider is prescribed.
	Requires int64
}

// Member is a user as the practice's admin sees them. If the user hasn't accepted the invitation,
// Name is what the sender of the invitation typed, and no field reveals anything about the user's
// account.
type Member struct {
	User     int64
	Email    string
	Name     string
	Role     string
	Invited  bool // whether the user still has to accept the invitation
	App      bool // whether the user has an authenticator app as a second factor
	Passkeys int
	SSO      string // the names of the identity providers that are linked to the account
	// Elsewhere is set if the user also works in other practices. This practice must then not
	// change the account as a whole.
	Elsewhere  bool
	Sessions   int // the number of the user's sessions in this practice
	SignedInAt *time.Time
	// InvitedUntil is when the pending invitation expires, or nil if there is none.
	InvitedUntil *time.Time
	// DisabledAt is set if the membership in this practice is disabled. Barred is set if the
	// operator has disabled the whole account.
	DisabledAt *time.Time
	Barred     bool
}

// OfferMembership adds a pending membership. called is the name that the practice uses for the
// user. OfferMembership returns ErrConflict if the user already has a membership in the practice.
func (tx *Tx) OfferMembership(p PracticeID, user int64, role, called string) error {
	return tx.do(`
		insert into memberships (user, practice, role, called, created_at)
		values (?, ?, ?, ?, ?)`, user, p, role, called, millis(tx.Now))
}

// AcceptMembership accepts a user's pending membership. It returns ErrNotFound if the user has no
// pending membership in the practice.
func (tx *Tx) AcceptMembership(p PracticeID, user int64) error {
	return found(tx.exec(`
		update memberships set accepted_at = ?, used_at = ?
		where user = ? and practice = ? and accepted_at is null`, millis(tx.Now), millis(tx.Now), user, p))
}

// AddMembership adds a membership that is already accepted. It returns ErrConflict if the user
// already has a membership in the practice.
func (tx *Tx) AddMembership(p PracticeID, user int64, role string) error {
	if err := tx.OfferMembership(p, user, role, ""); err != nil {
		return err
	}
	return tx.AcceptMembership(p, user)
}

// UseMembership records that a user has started to work in the practice.
func (tx *Tx) UseMembership(p PracticeID, user int64) error {
	return found(tx.exec(`update memberships set used_at = ? where user = ? and practice = ?`, millis(tx.Now), user, p))
}

// ReopenMemberships makes all memberships of a user pending again.
func (tx *Tx) ReopenMemberships(user int64) error {
	return tx.do(`update memberships set accepted_at = null, used_at = null where user = ?`, user)
}

// SetRole changes a user's role in the practice. It returns ErrNotFound if the user has no
// membership in the practice.
func (tx *Tx) SetRole(p PracticeID, user int64, role string) error {
	return found(tx.exec(`update memberships set role = ? where user = ? and practice = ?`, role, user, p))
}

// DisableMembership disables a user's membership. It returns ErrNotFound if the user has no
// membership in the practice.
func (tx *Tx) DisableMembership(p PracticeID, user int64) error {
	return found(tx.exec(`
		update memberships set disabled_at = coalesce(disabled_at, ?)
		where user = ? and practice = ?`, millis(tx.Now), user, p))
}

// EnableMembership enables a user's membership again. It returns ErrNotFound if the user has no
// membership in the practice.
func (tx *Tx) EnableMembership(p PracticeID, user int64) error {
	return found(tx.exec(`update memberships set disabled_at = null where user = ? and practice = ?`, user, p))
}

// OtherAdmins returns the number of the practice's admins who can sign in, without counting the
// given user.
func (v *View) OtherAdmins(p PracticeID, user int64) (int, error) {
	return only[int](v, `
		select count(*)
		from memberships m join users u on u.id = m.user
		where
			m.practice = ?
			and m.user <> ?
			and m.role = 'admin'
			and m.accepted_at is not null
			and m.disabled_at is null
			and u.disabled_at is null
			and u.password is not null`, p, user)
}

// Members returns the users of the practice, in the order of their email addresses. now is the time
// by which invitations and sessions may have expired.
func (v *View) Members(p PracticeID, now time.Time) ([]Member, error) {
	return v.members(`m.practice = ? order by u.email`, now, p)
}

// Member returns one user of the practice. It returns ErrNotFound if the user has no membership in
// the practice.
func (v *View) Member(p PracticeID, user int64, now time.Time) (Member, error) {
	return first(v.members(`m.practice = ? and m.user = ?`, now, p, user))
}

func (v *View) members(where string, now time.Time, args ...any) ([]Member, error) {
	return all(v, `
		select
			u.id,
			u.email,
			iif(m.accepted_at is null, m.called, u.name),
			m.role,
			m.accepted_at is null,
			u.totp is not null and m.accepted_at is not null,
			iif(m.accepted_at is null, 0, (select count(*) from passkeys k where k.user = u.id)),
			iif(m.accepted_at is null, '', coalesce((
				select group_concat(p.name, ', ' order by p.id)
				from sso_links l join sso_providers p on p.id = l.provider
				where l.user = u.id
			), '')),
			m.accepted_at is not null and exists (
				select 1 from memberships o
				where o.user = m.user and o.practice <> m.practice and o.accepted_at is not null
			),
			(
				select count(*) from sessions s
				where s.user = m.user and s.practice = m.practice and s.expires_at > ?
			),
			iif(m.accepted_at is null, null, u.signed_in_at),
			(
				select iif(l.used_at is null and l.expires_at > ?, l.expires_at, null)
				from links l where l.user = m.user and l.practice = m.practice order by l.id desc limit 1
			),
			m.disabled_at,
			u.disabled_at is not null and m.accepted_at is not null
		from memberships m join users u on u.id = m.user
		where `+where, func(m *Member, rows *sql.Rows) error {
		return rows.Scan(&m.User, &m.Email, &m.Name, &m.Role, &m.Invited, &m.App, &m.Passkeys, &m.SSO, &m.Elsewhere, &m.Sessions,
			asMaybeTime(&m.SignedInAt), asMaybeTime(&m.InvitedUntil), asMaybeTime(&m.DisabledAt), &m.Barred)
	}, append([]any{millis(now), millis(now)}, args...)...)
}

// MembershipsOf returns a user's memberships, including pending and disabled ones, in the order of
// the practices' IDs. It leaves out practices that are being forgotten, and rows that somebody has
// altered.
func (v *View) MembershipsOf(user int64) (granted []Membership, err error) {
	offered, err := all(v, `
		select
			m.user,
			m.role,
			m.called,
			m.created_at,
			m.accepted_at,
			m.used_at,
			m.disabled_at,
			p.id,
			p.name,
			p.is_sandbox,
			p.ehr_beta,
			p.time_zone,
			exists (select 1 from second_factor_required r where r.practice = p.id),
			p.created_at,
			coalesce((select o.provider from sso_only o where o.practice = p.id), 0)
		from memberships m join practices p on p.id = m.practice
		where m.user = ? and not exists (select 1 from forgotten f where f.practice = p.id)
		order by m.practice`, func(m *Membership, rows *sql.Rows) error {
		p := &m.Practice
		return rows.Scan(&m.User, &m.Role, &m.Called, asTime(&m.CreatedAt), asMaybeTime(&m.AcceptedAt), asMaybeTime(&m.UsedAt), asMaybeTime(&m.DisabledAt),
			&p.ID, &p.Name, &p.Sandbox, &p.EHRBeta, &p.TimeZone, &p.SecondFactor, asTime(&p.CreatedAt), &m.Requires)
	}, user)
	if err != nil {
		return nil, err
	}
	for _, m := range offered {
		err := errors.Join(v.grants("memberships", user, m.Practice.ID), v.grants("practices", m.Practice.ID))
		switch {
		case err == nil:
			granted = append(granted, m)
		case !errors.Is(err, ErrNotFound):
			return nil, err
		}
	}
	return granted, nil
}

package auth

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"birthregistry/store"
)

// These are the reasons why an action on a user is refused.
var (
	ErrBadName   = errors.New("auth: the name must have 1 to 100 printable characters")
	ErrBadRole   = errors.New("auth: choose a role: admin, provider, scribe or viewer")
	ErrMember    = errors.New("auth: this person belongs to the practice already; open their page under Users")
	ErrPending   = errors.New("auth: this person has not accepted the invitation yet")
	ErrLastAdmin = errors.New("auth: the practice needs an admin; make somebody else one first")
	// ErrElsewhere means that the account also belongs to another practice. An admin of one
	// practice may not change an account on which another practice relies.
	ErrElsewhere = errors.New("auth: this person belongs to other practices, too; ask the person who runs the registry")
	ErrOwn       = errors.New("auth: your own second factor is not removed here; turn it off on your account page")
	// ErrAdminSecondFactor means that an admin has tried to remove another admin's second factor.
	ErrAdminSecondFactor = errors.New("auth: only the person who runs the registry can remove an admin's second factor: birthregistry user reset EMAIL --second-factor")
)

const maxName = 100

// normalName returns a name with single spaces. If the name is empty, normalName returns the part
// of the email address before the @. It returns ErrBadName for a name that is too long or has
// unprintable characters.
func normalName(name, email string) (string, error) {
	name = strings.Join(strings.Fields(name), " ")
	if name == "" {
		name, _, _ = strings.Cut(email, "@")
	}
	if utf8.RuneCountInString(name) > maxName || strings.ContainsFunc(name, unprintable) {
		return "", ErrBadName
	}
	return name, nil
}

func knownRole(role Role) error {
	for _, r := range Roles {
		if r.Role == role {
			return nil
		}
	}
	return ErrBadRole
}

// Members lists the users of the practice.
func (s *Service) Members(ctx context.Context, who User) (all []store.Member, err error) {
	if err := who.Must(UserManage); err != nil {
		return nil, err
	}
	return store.Read(ctx, s.db, func(v *store.View) ([]store.Member, error) { return v.Members(who.Practice.ID, time.Now()) })
}

// Member returns one user of the practice. It returns store.ErrNotFound for a user who doesn't
// belong to the practice.
func (s *Service) Member(ctx context.Context, who User, user int64) (m store.Member, err error) {
	if err := who.Must(UserManage); err != nil {
		return m, err
	}
	return store.Read(ctx, s.db, func(v *store.View) (store.Member, error) { return v.Member(who.Practice.ID, user, time.Now()) })
}

// changeMember runs an admin's action on a user of the practice in a transaction, and adds it
// to the audit trail, with the user's email address and then detail. It returns store.ErrNotFound if
// the user does not belong to the practice.
func (s *Service) changeMember(who User, user int64, action, detail string, act func(*store.Tx, store.Member) error) error {
	return s.ActIf(who, UserManage, func(tx *store.Tx) error {
		m, err := tx.Member(who.Practice.ID, user, tx.Now)
		if err != nil {
			return err
		}
		if err := s.Note(tx, who, action, m.Email+detail); err != nil { // before act, which may end the admin's own session
			return err
		}
		return act(tx, m)
	})
}

// SetRole changes a user's role in the practice and ends their sessions there. It returns
// ErrBadRole for an unknown role, and ErrLastAdmin if the practice would be left without an admin.
func (s *Service) SetRole(who User, user int64, role Role) error {
	if err := knownRole(role); err != nil {
		return err
	}
	return s.changeMember(who, user, "user.role", ": "+string(role), func(tx *store.Tx, m store.Member) error {
		if role != Admin {
			if err := keepAnAdmin(tx, who, m); err != nil {
				return err
			}
		}
		_, err := tx.EndSessionsIn(who.Practice.ID, user)
		return errors.Join(err, tx.SetRole(who.Practice.ID, user, string(role)))
	})
}

// Disable disables a user's membership in the practice and ends their sessions there. Other
// memberships stay. It returns ErrLastAdmin if the practice would be left without an admin.
func (s *Service) Disable(who User, user int64) error {
	return s.changeMember(who, user, "user.disable", "", func(tx *store.Tx, m store.Member) error {
		if err := keepAnAdmin(tx, who, m); err != nil {
			return err
		}
		err := tx.VoidInvitations(who.Practice.ID, user)
		if !m.Invited && !m.Elsewhere {
			err = errors.Join(err, tx.VoidResets(user))
		}
		_, endErr := tx.EndSessionsIn(who.Practice.ID, user)
		return errors.Join(err, endErr, tx.DisableMembership(who.Practice.ID, user))
	})
}

// Enable enables a user's membership in the practice again.
func (s *Service) Enable(who User, user int64) error {
	return s.changeMember(who, user, "user.enable", "", func(tx *store.Tx, _ store.Member) error {
		return tx.EnableMembership(who.Practice.ID, user)
	})
}

// keepAnAdmin returns ErrLastAdmin if a user is the only active admin of the practice. It returns
// nil for the operator, who may leave a practice without an admin.
func keepAnAdmin(tx *store.Tx, who User, m store.Member) error {
	if who.Role == operator || Role(m.Role) != Admin || m.Invited || m.DisabledAt != nil || m.Barred {
		return nil
	}
	others, err := tx.OtherAdmins(who.Practice.ID, m.User)
	if err == nil && others == 0 {
		err = ErrLastAdmin
	}
	return err
}

// EndSessions ends a user's sessions in the practice.
func (s *Service) EndSessions(who User, user int64) error {
	return s.changeMember(who, user, "user.end-sessions", "", func(tx *store.Tx, _ store.Member) error {
		_, err := tx.EndSessionsIn(who.Practice.ID, user)
		return err
	})
}

// Link makes a link for a user of the practice. A user who hasn't accepted an invitation yet gets a
// new invitation, and any other user gets a reset link. Link returns ErrDisabled for a disabled
// user. It returns ErrElsewhere for an account that other practices also use, unless who is the
// operator.
func (s *Service) Link(who User, user int64) (link NewLink, err error) {
	err = s.changeMember(who, user, "user.link", "", func(tx *store.Tx, m store.Member) error {
		if m.Elsewhere && who.Role != operator {
			return ErrElsewhere
		}
		if m.DisabledAt != nil || m.Barred {
			return ErrDisabled
		}
		if m.Invited {
			link, err = makeInvitation(tx, who, user, who.Practice.ID)
		} else {
			link, err = makeReset(tx, who, user)
		}
		return err
	})
	return link, err
}

// ErrDisabled means that a user is disabled, in the practice or everywhere.
var ErrDisabled = errors.New("auth: this user's access is disabled; enable it first")

// ResetSecondFactor removes the second factor of a user of the practice, passkeys included, and
// ends their sessions. It returns ErrPending for a user who was only invited, ErrOwn for the
// admin's own second factor, ErrElsewhere for an account that other practices rely on, and
// ErrAdminSecondFactor for another admin. The operator gets none of these errors.
func (s *Service) ResetSecondFactor(who User, user int64) error {
	return s.changeMember(who, user, "user.totp-reset", "", func(tx *store.Tx, m store.Member) error {
		switch {
		case who.Role == operator:
		case m.Invited:
			return ErrPending
		case user == who.ID:
			return ErrOwn
		case m.Elsewhere:
			return ErrElsewhere
		case Role(m.Role) == Admin:
			return ErrAdminSecondFactor
		}
		_, err := tx.EndSessions(user, "")
		return errors.Join(err, dropSecondFactor(tx, user))
	})
}

package access

import (
	"context"
	"errors"
	"time"

	"birthregistry/store"
)

// What taking up a place can be refused for.
var (
	// ErrHasAccount keeps whoever holds an invitation from the account of the
	// address, and whoever made that account first from the place.
	ErrHasAccount = errors.New("access: this address has an account already: sign in with it, then open this link again; " +
		"if you do not know its password, ask whoever runs the registry (birthregistry user reset)")
	ErrOtherAccount = errors.New("access: this link is for another account; sign in with that one and open the link again")
)

// Offer is a place that a link takes up.
type Offer struct {
	Practice store.Practice
	Role     Role
}

// Offer returns what the invitation of a code offers who is signed in. It
// returns one of the ErrLink errors or ErrOtherAccount.
func (a *Access) Offer(ctx context.Context, who Person, code string) (o Offer, err error) {
	err = a.db.View(ctx, func(v *store.View) error {
		o, _, err = offered(v, who, code, time.Now())
		return err
	})
	return o, err
}

// Join takes up the place that the invitation of a code offers who is signed
// in, in the role they were shown. It returns one of the errors of Offer, or
// ErrChangedOffer.
func (a *Access) Join(ctx context.Context, who Person, code string, role Role) (o Offer, err error) {
	err = a.db.Update(func(tx *store.Tx) error {
		var link store.Link
		if o, link, err = offered(&tx.View, who, code, tx.Now); err != nil {
			return err
		}
		if o.Role != role {
			return ErrChangedOffer
		}
		there := who
		there.Practice, there.Role = o.Practice, o.Role
		return errors.Join(
			tx.UseLink(link.ID), tx.AcceptMembership(o.Practice.ID, who.User), a.Note(tx, there, "user.join", who.Email),
		)
	})
	return o, err
}

// ErrChangedOffer says that the role is not the one that was shown.
var ErrChangedOffer = errors.New("access: the offer has changed; open the link again")

func offered(v *store.View, who Person, code string, now time.Time) (o Offer, link store.Link, err error) {
	link, u, err := usable(v, linkHash(code), now)
	if err != nil {
		return o, link, err
	}
	if u.ID != who.User || link.Practice == 0 {
		return o, link, ErrOtherAccount
	}
	place, err := placeOf(v, link)
	return Offer{place.Practice, Role(place.Role)}, link, err
}

// placeOf returns the place that an invitation takes up.
func placeOf(v *store.View, link store.Link) (store.Membership, error) {
	places, err := v.MembershipsOf(link.User)
	for _, place := range places {
		if place.Practice.ID == link.Practice {
			return place, nil
		}
	}
	return store.Membership{}, errors.Join(err, ErrLinkExpired)
}

// Switch notes that a person begins to work in another of their practices: the
// next sign-in leads there. It returns ErrNoPlace when it is none of theirs.
func (a *Access) Switch(ctx context.Context, user int64, p store.PracticeID, address string) error {
	who, _, err := a.Person(ctx, user, p)
	if err != nil {
		return err
	}
	who.Address = address
	return a.db.Update(func(tx *store.Tx) error {
		return errors.Join(tx.UseMembership(p, user), a.Note(tx, who, "user.switch", who.Email))
	})
}

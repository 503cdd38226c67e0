package auth

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// strange are addresses with a letter that lower case turns into a letter of another address.
var strange = map[string]string{
	"\u212Aate@example.org":  "kate@example.org",  // the Kelvin sign
	"\u0130ris@example.org":  "iris@example.org",  // I with a dot
	"\u212Bsa@example.org":   "åsa@example.org",   // the Angstrom sign
	"\u2126mega@example.org": "ωmega@example.org", // the Ohm sign
	"wei\u1E9E@example.org":  "weiß@example.org",  // the capital sharp s
}

func TestNoAddressReachesTheAccountOfAnother(t *testing.T) {
	for written, owner := range strange {
		t.Run(owner, func(t *testing.T) {
			g := opened(t)
			admin := g.add(olive, Admin)
			g.add(owner, Viewer)
			other := Operator(admin.Practice)
			other.Practice.ID = g.practice(false)
			_, err := g.Invite(other, written, "Kate", Viewer)
			require.ErrorIs(t, err, ErrEmailLetter)
			_, err = g.AccountLink(written, ResetOptions{})
			require.ErrorIs(t, err, ErrEmailLetter)
			_, err = g.signIn(t.Context(), written, password, here)
			require.ErrorIs(t, err, ErrSignIn)
			_, err = g.signIn(t.Context(), owner, password, here)
			require.NoError(t, err)
		})
	}
}

func TestTheOwnerOfAnAddressMayWriteItInCapitals(t *testing.T) {
	g := opened(t)
	g.add("ölof.ånström@example.org", Viewer)
	for _, written := range []string{"ölof.ånström@example.org", "ÖLOF.ÅNSTRÖM@EXAMPLE.ORG", " Ölof.Ånström@Example.org "} {
		_, err := g.signIn(t.Context(), written, password, here)
		require.NoError(t, err, written)
	}
}

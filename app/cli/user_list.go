package cli

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"birthregistry/app"
	"birthregistry/store"
)

// account is a user in the list that --json prints.
type account struct {
	ID           int64        `json:"id"`
	Email        string       `json:"email"`
	Name         string       `json:"name"`
	Invited      bool         `json:"invited"`       // set if the user has no password yet
	SecondFactor bool         `json:"second_factor"` // an authenticator app or a passkey
	App          bool         `json:"authenticator_app"`
	Passkeys     int          `json:"passkeys"`
	SSO          []string     `json:"single_sign_on"` // identity providers to which the account is linked
	CreatedAt    time.Time    `json:"created_at"`
	SignedInAt   *time.Time   `json:"signed_in_at"`
	DisabledAt   *time.Time   `json:"disabled_at"`
	Practices    []membership `json:"practices"`
}

// membership is a user's role in a practice.
type membership struct {
	Practice   store.PracticeID `json:"practice"`
	Role       string           `json:"role"`
	AcceptedAt *time.Time       `json:"accepted_at"` // null until accepted
	DisabledAt *time.Time       `json:"disabled_at"`
}

func userList() *cobra.Command {
	return jsonFlag(&cobra.Command{
		Use:     "list",
		Short:   "List the users with their practices, roles, second factors and identity providers",
		Example: "  birthregistry user list --json",
		Args:    cobra.NoArgs,
		RunE: onApp(func(cmd *cobra.Command, a *app.App, _ []string) error {
			found, err := a.Auth.Accounts(cmd.Context())
			if err != nil {
				return err
			}
			all := make([]account, len(found))
			for i, u := range found {
				all[i] = account{
					u.ID, u.Email, u.Name, u.Password == "", u.User.SecondFactor(), u.TOTP != nil, u.Passkeys, append([]string{}, u.SSO...),
					u.CreatedAt, u.SignedInAt, u.DisabledAt,
					[]membership{},
				}
				for _, m := range u.Memberships {
					all[i].Practices = append(all[i].Practices, membership{m.Practice.ID, m.Role, m.AcceptedAt, m.DisabledAt})
				}
			}
			return printList(cmd, all, []string{"EMAIL", "NAME", "PRACTICES", "SECOND FACTOR", "SINGLE SIGN-ON", "LAST SIGN-IN", "STATE"}, account.row)
		}),
	})
}

// row returns the cells of a user's row in the list.
func (u account) row() []string {
	places := make([]string, len(u.Practices))
	for n, p := range u.Practices {
		places[n] = fmt.Sprintf("%d:%s", p.Practice, p.Role)
		switch {
		case p.DisabledAt != nil:
			places[n] += " (disabled)"
		case p.AcceptedAt == nil:
			places[n] += " (invited)"
		}
	}
	state := "active"
	switch {
	case u.DisabledAt != nil:
		state = "disabled"
	case u.Invited:
		state = "invited"
	}
	return []string{u.Email, u.Name, strings.Join(places, ", "), u.factors(), cmp.Or(strings.Join(u.SSO, ", "), "no"), day(u.SignedInAt, "never"), state}
}

// factors lists the second factors of a user in words.
func (u account) factors() string {
	var all []string
	if u.App {
		all = append(all, "app")
	}
	if u.Passkeys > 0 {
		all = append(all, english.Plural(u.Passkeys, "passkey", ""))
	}
	return cmp.Or(strings.Join(all, ", "), "no")
}

package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"birthregistry/app"
	"birthregistry/store"
)

// account is a person as programs read them.
type account struct {
	ID           int64      `json:"id"`
	Email        string     `json:"email"`
	Name         string     `json:"name"`
	Invited      bool       `json:"invited"` // has no password yet
	SecondFactor bool       `json:"second_factor"`
	CreatedAt    time.Time  `json:"created_at"`
	SignedInAt   *time.Time `json:"signed_in_at"`
	DisabledAt   *time.Time `json:"disabled_at"`
	Practices    []place    `json:"practices"`
}

type place struct {
	Practice   store.PracticeID `json:"practice"`
	Role       string           `json:"role"`
	AcceptedAt *time.Time       `json:"accepted_at"` // null until it is taken up
	DisabledAt *time.Time       `json:"disabled_at"`
}

func userList() *cobra.Command {
	return jsonFlag(&cobra.Command{
		Use:     "list",
		Short:   "List everybody with their practices and roles",
		Example: "  birthregistry user list --json",
		Args:    cobra.NoArgs,
		RunE: run(func(cmd *cobra.Command, _ []string) error {
			return with(cmd, func(a *app.App) error {
				found, err := a.Auth.Accounts(cmd.Context())
				if err != nil {
					return err
				}
				all := make([]account, len(found))
				for i, u := range found {
					all[i] = account{
						u.ID, u.Email, u.Name, u.Password == "", u.TOTP != nil, u.CreatedAt, u.SignedInAt, u.DisabledAt, []place{},
					}
					for _, m := range u.Memberships {
						all[i].Practices = append(all[i].Practices, place{m.Practice.ID, m.Role, m.AcceptedAt, m.DisabledAt})
					}
				}
				if asJSON(cmd) {
					return printJSON(cmd.OutOrStdout(), all)
				}
				return table(cmd.OutOrStdout(), []string{"EMAIL", "NAME", "PRACTICES", "SECOND FACTOR", "LAST SIGN-IN", "STATE"}, rowsOf(all))
			})
		}),
	})
}

func rowsOf(all []account) [][]string {
	rows := make([][]string, len(all))
	for i, u := range all {
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
		rows[i] = []string{u.Email, u.Name, strings.Join(places, ", "), yesNo(u.SecondFactor), day(u.SignedInAt, "never"), state}
	}
	return rows
}

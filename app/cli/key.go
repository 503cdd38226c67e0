package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"birthregistry/app"
	"birthregistry/app/auth"
	"birthregistry/store"
)

func keyCommand() *cobra.Command {
	return keyFileFlag(group("key", "Create, list and revoke API keys", "", keyMint(), keyList(), keyRevoke(), keySet(), keyDeliveries(), keySendAgain()))
}

func keyMint() *cobra.Command {
	var label string
	var scopes []string
	cmd := inPractice(&cobra.Command{
		Use:     "mint --practice ID --label TEXT --scope SCOPE …",
		Short:   "Create an API key and print it once",
		Long:    "Create an API key and print it. It cannot be shown again. Scopes: ingest:write to submit, ingest:read to read receipts.",
		Example: "  birthregistry key mint --practice 1 --label nightly-sync --scope ingest:write --scope ingest:read > api.key",
		Args:    cobra.NoArgs,
	}, func(cmd *cobra.Command, a *app.App, p store.Practice, _ []string) error {
		key, minted, err := a.Auth.Mint(p.ID, label, scopes, "operator")
		switch {
		case errors.Is(err, auth.ErrNoScope) || errors.Is(err, auth.ErrBadLabel):
			return usage{err}
		case err != nil:
			return err
		}
		if err := output(cmd, "%s\n", key); err != nil { // nobody has seen the key
			return errors.Join(fmt.Errorf("the key could not be printed, and is revoked: %w", err), a.Auth.RevokeKey(auth.Operator(p), minted.ID))
		}
		return nil
	})
	cmd.Flags().StringVar(&label, "label", "", "what the key is for")
	cmd.Flags().StringSliceVar(&scopes, "scope", nil, "what the key allows: ingest:write, ingest:read (repeatable)")
	_ = cmd.MarkFlagRequired("label") // the flags are there
	_ = cmd.MarkFlagRequired("scope")
	return cmd
}

func keyList() *cobra.Command {
	return inPractice(jsonFlag(&cobra.Command{
		Use:     "list --practice ID",
		Short:   "List the API keys of a practice",
		Example: "  birthregistry key list --practice 1",
		Args:    cobra.NoArgs,
	}), func(cmd *cobra.Command, a *app.App, p store.Practice, _ []string) error {
		all, err := store.Read(cmd.Context(), a.DB, func(v *store.View) ([]store.APIKey, error) { return v.APIKeys(p.ID) })
		if err != nil {
			return err
		}
		return printList(cmd, all, []string{"ID", "LABEL", "KEY", "SCOPES", "MADE", "LAST USED", "REVOKED"}, func(k store.APIKey) []string {
			return []string{
				fmt.Sprint(k.ID), k.Label, k.Prefix + "…", strings.Join(k.Scopes, " "),
				k.CreatedAt.Format(time.DateOnly), day(k.LastUsedAt, "never"), day(k.RevokedAt, "in force"),
			}
		})
	})
}

func day(t *time.Time, none string) string {
	if t == nil {
		return none
	}
	return t.Format("2006-01-02 15:04")
}

func keyRevoke() *cobra.Command {
	return &cobra.Command{
		Use:     "revoke ID",
		Short:   "Revoke an API key; requests with it are refused at once",
		Example: "  birthregistry key revoke 3",
		Args:    cobra.ExactArgs(1),
		RunE: onKey(func(_ *cobra.Command, a *app.App, who auth.User, id int64, _ []string) error {
			return noSuch("key in force; see: birthregistry key list --practice ID", a.Auth.RevokeKey(who, id))
		}),
	}
}

// onKey adapts the function of a command for cobra. The first argument of the command is the ID of
// an API key. who is the operator, in the key's practice. The functions in change can change the
// configuration first.
func onKey(
	fn func(cmd *cobra.Command, a *app.App, who auth.User, id int64, args []string) error, change ...func(*app.Config),
) func(*cobra.Command, []string) error {
	return run(func(cmd *cobra.Command, args []string) error {
		id, err := strconv.ParseInt(args[0], 10, 64)
		if err != nil {
			return usage{errors.New("a key id is a number; see: birthregistry key list --practice ID")}
		}
		return with(cmd, func(a *app.App) error {
			practice, err := store.Read(cmd.Context(), a.DB, func(v *store.View) (store.Practice, error) {
				p, err := v.PracticeOfKey(id)
				if err != nil {
					return store.Practice{}, err
				}
				return v.Practice(p)
			})
			if err != nil {
				return noSuch("key; see: birthregistry key list --practice ID", err)
			}
			return fn(cmd, a, auth.Operator(practice), id, args)
		}, change...)
	})
}

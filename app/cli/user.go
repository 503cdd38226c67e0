package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"birthregistry/app"
	"birthregistry/app/auth"
)

func userCommand() *cobra.Command {
	cmd := keyFileFlag(&cobra.Command{
		Use:   "user",
		Short: "Add and list the people who sign in, let them in again, keep them out",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	})
	cmd.PersistentFlags().String("base-url", "http://127.0.0.1:8080", "the address under which people reach the service, for links")
	cmd.AddCommand(userAdd(), userList(), userReset(), userDisable(), userEnable(), userEndSessions())
	return cmd
}

func userAdd() *cobra.Command {
	var role, name, passwordFile string
	cmd := &cobra.Command{
		Use:   "add EMAIL --practice ID --role ROLE",
		Short: "Give a person a place in a practice and print their invitation, a link that works once",
		Long: "Offer a person a place in a practice and print their invitation: a link that works once, within 7 days, and is not\n" +
			"shown again. Until it is taken up the place gives no access. Somebody who has an account signs in with it and opens\n" +
			"the link; nobody else chooses for them. With --password-file, for somebody without an account, there is no link:\n" +
			"they sign in with that password. Roles: admin, provider, scribe (records and reads nothing), viewer (reads).",
		Example: "  birthregistry user add olive@example.org --practice 1 --role admin --base-url https://births.example.org",
		Args:    cobra.ExactArgs(1),
	}
	practice := practiceFlag(cmd)
	cmd.Flags().StringVar(&role, "role", "", "what they are: admin, provider, scribe, viewer")
	cmd.Flags().StringVar(&name, "name", "", "what they are called (default: their address up to the @)")
	cmd.Flags().StringVar(&passwordFile, "password-file", "", "a file whose first line is their password, of at least 15 characters")
	_ = cmd.MarkFlagRequired("role") // the flag is there
	cmd.RunE = run(func(cmd *cobra.Command, args []string) error {
		p, err := practice()
		if err != nil {
			return err
		}
		base, err := linkBase(cmd)
		if err != nil {
			return err
		}
		password, err := readPassword(passwordFile)
		if err != nil {
			return err
		}
		return with(cmd, func(a *app.App) error {
			link, made, err := a.Auth.AddUser(p, args[0], name, auth.Role(role), password)
			if errors.Is(err, auth.ErrBadEmail) || errors.Is(err, auth.ErrBadRole) {
				return usage{err}
			}
			if err != nil {
				return noSuch("practice", err)
			}
			if made {
				return printLink(cmd, base, link)
			}
			return say(cmd, "They can sign in now.")
		})
	})
	return cmd
}

// readPassword reads the first line of a file; "" without one.
func readPassword(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	return readSecret(path, "password")
}

// readSecret reads a secret, the first line of a file.
func readSecret(path, what string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("the %s file cannot be read: %w", what, err)
	}
	defer f.Close() //nolint:errcheck // read only
	text, err := io.ReadAll(io.LimitReader(f, 4<<10))
	if err != nil {
		return "", fmt.Errorf("the %s file cannot be read: %w", what, err)
	}
	line, _, _ := strings.Cut(string(text), "\n")
	if line = strings.TrimSuffix(line, "\r"); line == "" {
		return "", fmt.Errorf("the %[1]s file has no %[1]s in its first line", what)
	}
	return line, nil
}

// linkBase returns the address that links begin with.
func linkBase(cmd *cobra.Command) (string, error) {
	raw, err := cmd.Flags().GetString("base-url")
	if err != nil {
		return "", err
	}
	base, err := baseURL(raw)
	if err != nil {
		return "", usage{err}
	}
	return base, nil
}

func printLink(cmd *cobra.Command, base string, link auth.NewLink) error {
	what := "An invitation"
	if link.Reset {
		what = "A reset"
	}
	if err := say(cmd, fmt.Sprintf("%s: works once, until %s. Give it to nobody else.", what, link.Expires.Local().Format("2006-01-02 15:04 MST"))); err != nil {
		return err
	}
	_, err := fmt.Fprintln(cmd.OutOrStdout(), base+link.Path())
	return err
}

// say talks to the person who typed the command.
func say(cmd *cobra.Command, text string) error {
	_, err := fmt.Fprintln(cmd.ErrOrStderr(), text)
	return err
}

func userReset() *cobra.Command {
	var fresh auth.ResetOptions
	cmd := &cobra.Command{
		Use:   "reset EMAIL",
		Short: "Print a link that lets a person choose a new password, once",
		Long: "Print a link that lets a person choose a new password: it works once, within 60 minutes. Somebody who has none yet\n" +
			"gets a new invitation, which takes the place of the last. The second factor stays, unless it is lost, too.\n\n" +
			"Somebody who holds an invitation but not the password of the account at their address may meet an account that a\n" +
			"stranger made. Make sure that it is them who ask, then: user reset EMAIL --places --second-factor. All places must be\n" +
			"taken up anew, each by its invitation; the ones that are out stay good.",
		Example: "  birthregistry user reset olive@example.org --base-url https://births.example.org",
		Args:    cobra.ExactArgs(1),
		RunE: run(func(cmd *cobra.Command, args []string) error {
			base, err := linkBase(cmd)
			if err != nil {
				return err
			}
			return with(cmd, func(a *app.App) error {
				link, err := a.Auth.AccountLink(args[0], fresh)
				if err != nil {
					return noUser(err)
				}
				return printLink(cmd, base, link)
			})
		}),
	}
	cmd.Flags().BoolVar(&fresh.Memberships, "places", false, "have every place taken up anew, by an invitation; make sure that it is them who ask")
	cmd.Flags().BoolVar(&fresh.SecondFactor, "second-factor", false, "take the second factor away, too; make sure that it is them who ask")
	return cmd
}

func userDisable() *cobra.Command {
	return &cobra.Command{
		Use:     "disable EMAIL",
		Short:   "Keep a person out of all practices, at once",
		Long:    "Keep a person out of all practices, at once: their sessions end and their links are void. API keys they made stay valid until they are revoked.",
		Example: "  birthregistry user disable olive@example.org",
		Args:    cobra.ExactArgs(1),
		RunE: run(func(cmd *cobra.Command, args []string) error {
			return with(cmd, func(a *app.App) error {
				orphaned, err := a.Auth.DisableUser(args[0])
				if err != nil {
					return noUser(err)
				}
				for _, p := range orphaned {
					if err := say(cmd, fmt.Sprintf("Practice %d has no admin now; make one: birthregistry user add EMAIL --practice %d --role admin", p.ID, p.ID)); err != nil {
						return err
					}
				}
				return nil
			})
		}),
	}
}

func userEnable() *cobra.Command {
	return &cobra.Command{
		Use:     "enable EMAIL",
		Short:   "Let a person in again who was disabled",
		Example: "  birthregistry user enable olive@example.org",
		Args:    cobra.ExactArgs(1),
		RunE: run(func(cmd *cobra.Command, args []string) error {
			return with(cmd, func(a *app.App) error { return noUser(a.Auth.EnableUser(args[0])) })
		}),
	}
}

func userEndSessions() *cobra.Command {
	return &cobra.Command{
		Use:     "end-sessions EMAIL",
		Short:   "Sign a person out everywhere",
		Example: "  birthregistry user end-sessions olive@example.org",
		Args:    cobra.ExactArgs(1),
		RunE: run(func(cmd *cobra.Command, args []string) error {
			return with(cmd, func(a *app.App) error {
				n, err := a.Auth.EndUserSessions(args[0])
				if err != nil {
					return noUser(err)
				}
				return say(cmd, fmt.Sprintf("%d sessions ended.", n))
			})
		}),
	}
}

// noUser words what is wrong with an address for people.
func noUser(err error) error {
	if errors.Is(err, auth.ErrBadEmail) {
		return usage{err}
	}
	return noSuch("user; see: birthregistry user list", err)
}

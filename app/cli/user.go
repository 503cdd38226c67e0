package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"birthregistry/app"
	"birthregistry/app/auth"
	"birthregistry/store"
)

func userCommand() *cobra.Command {
	cmd := keyFileFlag(group("user", "Add, list, disable and enable users, and reset their passwords", "",
		userAdd(), userList(), userReset(), userDisable(), userEnable(), userEndSessions()))
	cmd.PersistentFlags().String("base-url", "http://127.0.0.1:8080", "address under which people reach the service, for links")
	return cmd
}

func userAdd() *cobra.Command {
	var role, name, passwordFile string
	cmd := inPractice(&cobra.Command{
		Use:   "add EMAIL --practice ID --role ROLE",
		Short: "Invite a person to a practice and print the invitation, a link that works once",
		Long: "Invite a person to a practice and print the invitation: a link that works once, within 7 days, and cannot be shown\n" +
			"again. Invitations grant nothing until accepted. People with an account accept while signed in. A person without\n" +
			"an account can get a password instead, with --password-file: then there is no link, and they sign in with it.\n" +
			"Roles: admin, provider, scribe (records births but cannot view records), viewer (views only).",
		Example: "  birthregistry user add olive@example.org --practice 1 --role admin --base-url https://births.example.org",
		Args:    cobra.ExactArgs(1),
	}, func(cmd *cobra.Command, a *app.App, p store.Practice, args []string) error {
		base, err := linkBase(cmd)
		if err != nil {
			return err
		}
		password, err := readSecret(passwordFile, "password")
		if err != nil {
			return err
		}
		link, made, err := a.Auth.AddUser(p.ID, args[0], name, auth.Role(role), password)
		if errors.Is(err, auth.ErrBadEmail) || errors.Is(err, auth.ErrEmailLetter) || errors.Is(err, auth.ErrBadRole) {
			return usage{err}
		}
		if err != nil {
			return err
		}
		if made {
			return printLink(cmd, base, link)
		}
		say(cmd, "They can sign in now.")
		return nil
	})
	cmd.Flags().StringVar(&role, "role", "", "admin, provider, scribe or viewer")
	cmd.Flags().StringVar(&name, "name", "", "their name (default: their address up to the @)")
	cmd.Flags().StringVar(&passwordFile, "password-file", "", "file whose first line is their password, of at least 15 characters")
	_ = cmd.MarkFlagRequired("role") // the flag is there
	return cmd
}

// readSecret returns the secret in the first line of a file. It returns "" if path is "". what is
// the name of the secret in errors, such as "password".
func readSecret(path, what string) (string, error) {
	if path == "" {
		return "", nil
	}
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

// linkBase returns the base URL with which links begin, from the flag --base-url.
func linkBase(cmd *cobra.Command) (string, error) {
	base, err := baseURL(cmd.Flag("base-url").Value.String())
	if err != nil {
		return "", usage{err}
	}
	return base, nil
}

// sayLocal prints a message if an address is that of this machine, which other people can't reach.
func sayLocal(cmd *cobra.Command, base string) {
	if !strings.HasPrefix(base, "https:") {
		say(cmd, "The address is that of this machine. Use --base-url or REGISTRY_BASE_URL to give the address that people use.")
	}
}

func printLink(cmd *cobra.Command, base string, link auth.NewLink) error {
	what := "An invitation"
	if link.Reset {
		what = "A reset"
	}
	say(cmd, "%s: works once, until %s. Give it only to this person.", what, link.Expires.Local().Format("2006-01-02 15:04 MST"))
	sayLocal(cmd, base)
	return output(cmd, "%s\n", base+link.Path())
}

func userReset() *cobra.Command {
	var fresh auth.ResetOptions
	cmd := &cobra.Command{
		Use:   "reset EMAIL",
		Short: "Print a link with which a person chooses a new password",
		Long: "Print a link with which a person chooses a new password. It works once, within 60 minutes. A person who has no\n" +
			"password yet gets a new invitation, which replaces the last one. The second factor stays, and the passkeys still\n" +
			"sign in: the command prints how many there are. --second-factor removes the authenticator app, the passkeys and\n" +
			"the recovery codes; --places removes the passkeys.\n\n" +
			"A stranger may have made an account with a person's address; the person then doesn't know its password. Make sure\n" +
			"that the right person asks; then use: user reset EMAIL --places --second-factor. They then have to accept every practice\n" +
			"again by its invitation. Open invitations stay valid.\n\n" +
			"The link also unlinks the identity providers of the account, and --places does so at once.",
		Example: "  birthregistry user reset olive@example.org --base-url https://births.example.org",
		Args:    cobra.ExactArgs(1),
		RunE: onApp(func(cmd *cobra.Command, a *app.App, args []string) error {
			base, err := linkBase(cmd)
			if err != nil {
				return err
			}
			link, err := a.Auth.AccountLink(args[0], fresh)
			if err != nil {
				return noUser(err)
			}
			if link.Passkeys > 0 {
				sayKept(cmd, link.Passkeys)
			}
			return printLink(cmd, base, link)
		}),
	}
	cmd.Flags().BoolVar(&fresh.Memberships, "places", false, "require the user to accept every practice's invitation again; make sure that the right person asks")
	cmd.Flags().BoolVar(&fresh.SecondFactor, "second-factor", false, "also remove the second factor and all passkeys; make sure that the right person asks")
	return cmd
}

// sayKept prints how many passkeys an account still has after a reset.
func sayKept(cmd *cobra.Command, n int) {
	does, them := "sign", "them"
	if n == 1 {
		does, them = "signs", "it"
	}
	say(cmd, "The account keeps %s, which still %s in. To remove %s, use: user reset EMAIL --second-factor", english.Plural(n, "passkey", ""), does, them)
}

func userDisable() *cobra.Command {
	return &cobra.Command{
		Use:   "disable EMAIL",
		Short: "Lock a user out of all practices immediately",
		Long: "Lock a user out of all practices immediately. Their sessions end and their links stop working. API keys they made stay\n" +
			"valid until they are revoked.",
		Example: "  birthregistry user disable olive@example.org",
		Args:    cobra.ExactArgs(1),
		RunE: onApp(func(cmd *cobra.Command, a *app.App, args []string) error {
			orphaned, err := a.Auth.DisableUser(args[0])
			if err != nil {
				return noUser(err)
			}
			for _, p := range orphaned {
				say(cmd, "Practice %[1]d has no admin now; make one: birthregistry user add EMAIL --practice %[1]d --role admin", p.ID)
			}
			return nil
		}),
	}
}

func userEnable() *cobra.Command {
	return &cobra.Command{
		Use:     "enable EMAIL",
		Short:   "Let a disabled user sign in again",
		Example: "  birthregistry user enable olive@example.org",
		Args:    cobra.ExactArgs(1),
		RunE:    onApp(func(_ *cobra.Command, a *app.App, args []string) error { return noUser(a.Auth.EnableUser(args[0])) }),
	}
}

func userEndSessions() *cobra.Command {
	return &cobra.Command{
		Use:     "end-sessions EMAIL",
		Short:   "Sign a user out everywhere",
		Example: "  birthregistry user end-sessions olive@example.org",
		Args:    cobra.ExactArgs(1),
		RunE: onApp(func(cmd *cobra.Command, a *app.App, args []string) error {
			n, err := a.Auth.EndUserSessions(args[0])
			if err != nil {
				return noUser(err)
			}
			say(cmd, "%s ended.", english.Plural(int(n), "session", ""))
			return nil
		}),
	}
}

// noUser converts an error about an unknown or malformed email address to an error that states what
// the operator can do.
func noUser(err error) error {
	if errors.Is(err, auth.ErrBadEmail) || errors.Is(err, auth.ErrEmailLetter) {
		return usage{err}
	}
	return noSuch("user; see: birthregistry user list", err)
}

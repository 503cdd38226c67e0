package cli

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"birthregistry/app"
	"birthregistry/app/auth"
	"birthregistry/app/sso"
	"birthregistry/store"
)

func ssoCommand() *cobra.Command {
	return keyFileFlag(group("sso", "List the identity providers with which people sign in",
		"List the identity providers with which people sign in (OpenID Connect). A provider proves who somebody is; only admins\n"+
			"make somebody a member of a practice. See the guide: Single sign-on.",
		ssoAdd(), ssoList(), ssoCheck(), ssoRequire(), ssoUnlink(), ssoRemove()))
}

func ssoAdd() *cobra.Command {
	var e sso.Entry
	var secretFile string
	cmd := &cobra.Command{
		Use:   "add --name NAME --issuer URL --client-id ID",
		Short: "List an identity provider, or replace the one of the same name",
		Long: "List an identity provider, or replace the one of the same name, which keeps its linked accounts. It is offered on the\n" +
			"sign-in page at once. Prints the redirect URI with which to register the registry there; it depends only on the\n" +
			"provider's name and the service's address.",
		Example: "  birthregistry sso add --name \"Clinic Google\" --issuer https://accounts.google.com --client-id 1234.apps.googleusercontent.com \\\n" +
			"    --client-secret-file secret.txt --domain clinic.example.org --base-url https://births.example.org",
		Args: cobra.NoArgs,
	}
	f := cmd.Flags()
	f.StringVar(&e.Name, "name", "", "name that people know it by, as in: Sign in with NAME")
	f.StringVar(&e.Issuer, "issuer", "", "issuer, exactly as its configuration names it")
	f.StringVar(&e.ClientID, "client-id", "", "client id that it assigned to the registry")
	f.StringVar(&secretFile, "client-secret-file", "", "file whose first line is the client secret (default: a public client)")
	f.StringSliceVar(&e.Domains, "domain", nil, "a domain of the email addresses that it may vouch for (repeatable; default: any)")
	f.String("base-url", "http://127.0.0.1:8080", "the address under which people reach the service")
	for _, flag := range []string{"name", "issuer", "client-id"} {
		_ = cmd.MarkFlagRequired(flag) // the flag is there
		withoutTwin(cmd, flag)
	}
	for _, flag := range []string{"client-secret-file", "domain"} {
		withoutTwin(cmd, flag)
	}
	cmd.RunE = onApp(func(cmd *cobra.Command, a *app.App, _ []string) error {
		base, err := linkBase(cmd)
		if err != nil {
			return err
		}
		if e.ClientSecret, err = readSecret(secretFile, "client secret"); err != nil {
			return err
		}
		return addSSO(cmd, a, e, base)
	})
	return cmd
}

func addSSO(cmd *cobra.Command, a *app.App, e sso.Entry, base string) error {
	p, former, err := a.SSO.Add(e)
	if errors.Is(err, sso.ErrBadEntry) {
		return usage{err}
	}
	if err != nil {
		return err
	}
	if former != nil {
		sayReplaced(cmd, p, former)
	}
	if strings.HasPrefix(p.Issuer, "http:") {
		say(cmd, "This provider is on this machine and has no TLS, so it is for development: serve needs --sso-loopback to reach it.")
	}
	sayLocal(cmd, base)
	say(cmd, `Next: register this redirect URI there, then: birthregistry sso check "%s"`, p.Name)
	return output(cmd, "%s\n", sso.RedirectURI(base, p.Slug))
}

// sayReplaced prints what happens to the linked accounts of a provider whose entry has been
// replaced. Accounts are linked by subject, and some providers give a person a different subject
// for each client id (OpenID Connect Core 1.0, section 8: pairwise).
func sayReplaced(cmd *cobra.Command, p store.SSOProvider, former *sso.Listed) {
	if former.ClientID == p.ClientID || former.Accounts == 0 {
		say(cmd, "The provider's former entry is replaced; linked accounts stay linked.")
		return
	}
	say(cmd, "The provider's former entry is replaced. The client id is a new one, and accounts are linked: %d. Sign in with one of them now. If it is\n"+
		"refused, the provider names people differently to each client: unlink each account with birthregistry sso unlink EMAIL, and\n"+
		"people link it again with their password.", former.Accounts)
}

func ssoList() *cobra.Command {
	return jsonFlag(&cobra.Command{
		Use:     "list",
		Short:   "List the identity providers",
		Example: "  birthregistry sso list --json",
		Args:    cobra.NoArgs,
		RunE: onApp(func(cmd *cobra.Command, a *app.App, _ []string) error {
			all, err := a.SSO.List(cmd.Context())
			if err != nil {
				return err
			}
			return printList(cmd, all, []string{"NAME", "ISSUER", "CLIENT ID", "CLIENT", "DOMAINS", "ACCOUNTS", "LISTED"}, func(p sso.Listed) []string {
				client := "public"
				if p.Secret != nil {
					client = "secret"
				}
				return []string{
					p.Name, p.Issuer, p.ClientID, client, cmp.Or(strings.Join(p.Domains, " "), "any"), fmt.Sprint(p.Accounts), p.CreatedAt.Format(time.DateOnly),
				}
			})
		}),
	})
}

func ssoCheck() *cobra.Command {
	var settings sso.Settings
	cmd := jsonFlag(&cobra.Command{
		Use:     "check NAME",
		Short:   "Read the configuration of an identity provider, and show what it offers",
		Long:    "Read the configuration and the keys of a listed identity provider, and show what it offers. Exits with 1 when\nsomething prevents a sign-in.",
		Example: "  birthregistry sso check \"Clinic Google\"",
		Args:    cobra.ExactArgs(1),
	})
	reach := reachFlags(cmd, "sso", "identity providers", &settings.Loopback, &settings.Networks)
	cmd.RunE = run(func(cmd *cobra.Command, args []string) error {
		if err := reach(); err != nil {
			return usage{err}
		}
		return with(cmd, func(a *app.App) error { return checkSSO(cmd, a, args[0]) }, func(c *app.Config) { c.SSO = settings })
	})
	return cmd
}

func checkSSO(cmd *cobra.Command, a *app.App, name string) error {
	p, err := a.SSO.Find(cmd.Context(), name)
	if err != nil {
		return noProvider(err)
	}
	found := a.SSO.Check(cmd.Context(), p)
	report := func(ready bool) any {
		return map[string]any{"name": p.Name, "issuer": p.Issuer, "ready": ready, "checks": found}
	}
	return printChecks(cmd, report, found, func(f sso.Finding) checkRow {
		return checkRow{map[bool]string{true: "ok", false: isProblem}[f.OK], f.Check, f.Text, f.Fix}
	}, "nobody can sign in with this provider yet; see the problems above")
}

func ssoRequire() *cobra.Command {
	var off bool
	cmd := &cobra.Command{
		Use:   "require PRACTICE [NAME | --off]",
		Short: "Make the users of a practice sign in with one identity provider only",
		Long: "Make the users of a practice sign in with one identity provider only. Passwords no longer sign\n" +
			"them in, and other sessions end with their next request. That includes admins. A password still links the provider\n" +
			"the first time. --off allows passwords again.",
		Example: "  birthregistry sso require 1 \"Clinic Google\"\n  birthregistry sso require 1 --off",
		Args:    cobra.RangeArgs(1, 2),
	}
	cmd.Flags().BoolVar(&off, "off", false, "allow passwords again")
	withoutTwin(cmd, "off")
	cmd.RunE = onPractice(func(cmd *cobra.Command, a *app.App, practice store.Practice, args []string) (err error) {
		if off == (len(args) == 2) {
			return usage{errors.New("name an identity provider, or give --off")}
		}
		var p store.SSOProvider
		if !off {
			if p, err = a.SSO.Find(cmd.Context(), args[1]); err != nil {
				return noProvider(err)
			}
		}
		return a.Auth.SetSSOOnly(auth.Operator(practice), p.ID)
	})
	return cmd
}

func ssoUnlink() *cobra.Command {
	return &cobra.Command{
		Use:   "unlink EMAIL",
		Short: "Unlink an account from its identity providers, and end its sessions",
		Long: "Unlink an account from its identity providers, and end its sessions, for example because the person has another\n" +
			"account there now. The next sign-in with a provider links the account again, with its password; birthregistry user\n" +
			"reset makes a link that sets one.",
		Example: "  birthregistry sso unlink olive@example.org",
		Args:    cobra.ExactArgs(1),
		RunE: onApp(func(_ *cobra.Command, a *app.App, args []string) error {
			return noSuch("user; see: birthregistry user list", a.Auth.UnlinkIdentities(args[0]))
		}),
	}
}

func ssoRemove() *cobra.Command {
	return &cobra.Command{
		Use:   "remove NAME",
		Short: "Remove an identity provider; nobody can sign in with it anymore",
		Long: "Remove an identity provider, unlink its accounts, and end their sessions. Practices that required it allow passwords\n" +
			"again. People who never chose a password need a link that sets one: birthregistry user reset EMAIL",
		Example: "  birthregistry sso remove \"Clinic Google\"",
		Args:    cobra.ExactArgs(1),
		RunE: onApp(func(cmd *cobra.Command, a *app.App, args []string) error {
			accounts, err := a.SSO.Remove(cmd.Context(), args[0])
			if err != nil {
				return noProvider(err)
			}
			say(cmd, "Accounts that were linked to it: %d", accounts)
			return nil
		}),
	}
}

func noProvider(err error) error {
	return store.Translate(err, sso.ErrNoProvider, errors.New("there is no such identity provider; see: birthregistry sso list"))
}

package cli

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"birthregistry/app"
	"birthregistry/app/smart"
	"birthregistry/store"
)

func ehrCommand() *cobra.Command {
	return keyFileFlag(group("ehr", "List the EHRs that may launch the registry, and check what they offer",
		"List the EHRs that may launch the registry (SMART App Launch), and check what they offer. Only listed EHRs are\n"+
			"trusted. For a vendor that is new to you, begin with: birthregistry ehr checklist ISSUER",
		ehrAdd(), ehrList(), ehrCheck(), ehrRemove(), ehrKeys(), ehrChecklist()))
}

func ehrAdd() *cobra.Command {
	var l smart.Listing
	var practice, secretFile string
	var key bool
	cmd := &cobra.Command{
		Use:   "add ISSUER --client-id ID",
		Short: "Add an EHR that may launch the registry, or replace its entry",
		Long: "Add an EHR by its issuer, which is its FHIR base URL, or replace its entry. It can launch immediately. Without\n" +
			"--client-id, launches are answered with 503 until you add the id that the vendor assigns.\n\n" +
			"The registry is a public client, unless you add --client-secret-file (client_secret_basic) or --key\n" +
			"(private_key_jwt, the best of the three, since it shares no secret; see: birthregistry ehr keys).",
		Example: "  birthregistry ehr add https://ehr.example.org/fhir/r4 --client-id 6c12dff4 --label \"Riverside EHR\" --key\n" +
			"  birthregistry ehr add https://fhir.example.org/r4/tenant --client-id abc --client-secret-file secret.txt \\\n" +
			"    --auth-host login.example.org --practice 1",
		Args: cobra.ExactArgs(1),
	}
	f := cmd.Flags()
	f.StringVar(&l.ClientID, "client-id", "", "client id that the vendor assigned to the registry")
	f.StringVar(&l.Label, "label", "", "name that clinicians know it by (default: its host)")
	f.StringVar(&practice, "practice", "", "the only practice that may use it (default: every practice)")
	f.StringVar(&secretFile, "client-secret-file", "", "file whose first line is the client secret")
	f.BoolVar(&key, "key", false, "authenticate with the registry's own key")
	f.StringSliceVar(&l.Hosts, "auth-host", nil, "another host that serves endpoints or pages of the EHR, host or host:port (repeatable)")
	f.StringVar(&l.Scopes, "scopes", "", "scopes to request, separated by spaces (default: only what the registry reads)")
	f.StringVar(&l.Aud, "aud", "", "aud to send (default: the issuer, as the EHR writes it)")
	f.StringVar(&l.ExpiresOn, "expires", "", "day on which the vendor's registration ends, such as 2027-03-31; Home reminds admins 30 days before")
	f.StringSliceVar(&l.Frames, "frame-origin", nil, "origin of EHR pages that may embed the registry (repeatable)")
	cmd.MarkFlagsMutuallyExclusive("client-secret-file", "key")
	for _, flag := range []string{"practice", "key"} {
		withoutTwin(cmd, flag)
	}
	cmd.RunE = run(func(cmd *cobra.Command, args []string) (err error) {
		l.Issuer, l.Auth = args[0], store.AuthPublic
		if secretFile != "" && l.ClientID == "" {
			return usage{errors.New("--client-id is missing: a client secret needs the client id that the vendor assigned")}
		}
		switch {
		case key:
			l.Auth = store.AuthKey
		case secretFile != "":
			l.Auth = store.AuthSecret
			if l.ClientSecret, err = readSecret(secretFile, "client secret"); err != nil {
				return err
			}
		}
		if practice != "" {
			if l.Practice, err = parsePractice(practice); err != nil {
				return err
			}
		}
		return with(cmd, func(a *app.App) error { return addEHR(cmd, a, l) })
	})
	return cmd
}

func addEHR(cmd *cobra.Command, a *app.App, l smart.Listing) error {
	e, replaced, err := a.Smart.List(l)
	switch {
	case errors.Is(err, smart.ErrBadIssuer), errors.Is(err, smart.ErrBadEntry):
		return usage{err}
	case err != nil:
		return noSuch("practice; see: birthregistry practice list", err)
	}
	if replaced {
		say(cmd, "Its former entry is replaced.")
	}
	if strings.HasPrefix(e.Issuer, "http:") {
		say(cmd, "This EHR is on this machine and has no TLS, so it is for development: serve needs --ehr-loopback to reach it.")
	}
	next := "check"
	if e.ClientID == "" {
		next = "checklist"
	}
	say(cmd, "Next: birthregistry ehr %s %s", next, e.Issuer)
	return output(cmd, "%s\n", e.Issuer)
}

func ehrList() *cobra.Command {
	return jsonFlag(&cobra.Command{
		Use:     "list",
		Short:   "List the EHRs that may launch the registry",
		Example: "  birthregistry ehr list --json",
		Args:    cobra.NoArgs,
		RunE: onApp(func(cmd *cobra.Command, a *app.App, _ []string) error {
			all, err := a.Smart.Listed(cmd.Context())
			if err != nil {
				return err
			}
			return printList(cmd, all, []string{"LABEL", "ISSUER", "CLIENT ID", "CLIENT", "PRACTICE", "FURTHER HOSTS", "EXPIRES", "LISTED"}, func(e store.EHR) []string {
				practice := "any"
				if e.Practice != 0 {
					practice = fmt.Sprint(e.Practice)
				}
				return []string{
					e.Label, e.Issuer, cmp.Or(e.ClientID, "none yet"), e.Auth, practice, strings.Join(e.Hosts, " "), cmp.Or(e.ExpiresOn, "not stated"), e.CreatedAt.Format(time.DateOnly),
				}
			})
		}),
	})
}

func ehrRemove() *cobra.Command {
	return &cobra.Command{
		Use:     "remove ISSUER",
		Short:   "Remove an EHR from the list; its launches are refused at once",
		Example: "  birthregistry ehr remove https://ehr.example.org/fhir/r4",
		Args:    cobra.ExactArgs(1),
		RunE: onApp(func(cmd *cobra.Command, a *app.App, args []string) error {
			err := a.Smart.Unlist(args[0])
			if errors.Is(err, smart.ErrBadIssuer) {
				return usage{err}
			}
			return noSuch("EHR; see: birthregistry ehr list", err)
		}),
	}
}

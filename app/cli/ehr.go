package cli

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"

	"github.com/spf13/cobra"

	"birthregistry/app"
	"birthregistry/app/smart"
	"birthregistry/store"
)

func ehrCommand() *cobra.Command {
	cmd := keyFileFlag(&cobra.Command{
		Use:   "ehr",
		Short: "List EHRs that may launch the registry, and check what they offer",
		Long: "List EHRs that may launch the registry (SMART App Launch), and check what they offer. Only EHRs on the list\n" +
			"are trusted. With a vendor new to you, begin with: birthregistry ehr checklist ISSUER",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	})
	cmd.AddCommand(ehrAdd(), ehrList(), ehrCheck(), ehrRemove(), ehrKeys(), ehrChecklist())
	return cmd
}

func ehrAdd() *cobra.Command {
	var l smart.Listing
	var practice, secretFile string
	var key bool
	cmd := &cobra.Command{
		Use:   "add ISSUER --client-id ID",
		Short: "List an EHR, or replace its entry",
		Long: "List an EHR by its issuer, which is its FHIR base URL, or replace its entry. Launches from it are taken at once.\n" +
			"Without --client-id it is listed, but launches are answered with 503 until the vendor has given one.\n\n" +
			"The registry is a public client, unless there is --client-secret-file (client_secret_basic) or --key\n" +
			"(private_key_jwt, the best of the three: nothing secret is shared; see: birthregistry ehr keys).",
		Example: "  birthregistry ehr add https://ehr.example.org/fhir/r4 --client-id 6c12dff4 --label \"Riverside EHR\" --key\n" +
			"  birthregistry ehr add https://fhir.example.org/r4/tenant --client-id abc --client-secret-file secret.txt \\\n" +
			"    --auth-host login.example.org --practice 1",
		Args: cobra.ExactArgs(1),
	}
	f := cmd.Flags()
	f.StringVar(&l.ClientID, "client-id", "", "the id under which the vendor has registered the registry")
	f.StringVar(&l.Label, "label", "", "what clinicians call it (default: its host)")
	f.StringVar(&practice, "practice", "", "the one practice whose people may use it (default: every practice)")
	f.StringVar(&secretFile, "client-secret-file", "", "a file whose first line is the client secret")
	f.BoolVar(&key, "key", false, "prove who we are with the registry's own key")
	f.StringSliceVar(&l.Hosts, "auth-host", nil, "a further host of its endpoints and pages, host or host:port (repeatable)")
	f.StringVar(&l.Scopes, "scopes", "", "the scopes to ask for, with spaces between (default: what is read and no more)")
	f.StringVar(&l.Aud, "aud", "", "the aud to send (default: the issuer, as the EHR writes it)")
	f.StringSliceVar(&l.Frames, "frame-origin", nil, "an origin of the EHR's own pages that show the registry inside them (repeatable)")
	cmd.MarkFlagsMutuallyExclusive("client-secret-file", "key")
	for _, flag := range []string{"practice", "key"} {
		withoutTwin(cmd, flag)
	}
	cmd.RunE = run(func(cmd *cobra.Command, args []string) (err error) {
		l.Issuer, l.Auth = args[0], store.AuthPublic
		if secretFile != "" && l.ClientID == "" {
			return usage{errors.New("--client-id is missing: a client secret goes with the id that the vendor gave")}
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
		return noSuch("practice", err)
	}
	if replaced {
		if err := say(cmd, "Its entry is replaced."); err != nil {
			return err
		}
	}
	if strings.HasPrefix(e.Issuer, "http:") {
		if err := say(cmd, "It is on this machine and without TLS, for development: serve needs --ehr-loopback to reach it."); err != nil {
			return err
		}
	}
	next := "Next: birthregistry ehr check " + e.Issuer
	if e.ClientID == "" {
		next = "Next: birthregistry ehr checklist " + e.Issuer
	}
	if err := say(cmd, next); err != nil {
		return err
	}
	_, err = fmt.Fprintln(cmd.OutOrStdout(), e.Issuer)
	return err
}

func ehrList() *cobra.Command {
	return jsonFlag(&cobra.Command{
		Use:     "list",
		Short:   "List the EHRs that may launch the registry",
		Example: "  birthregistry ehr list --json",
		Args:    cobra.NoArgs,
		RunE: run(func(cmd *cobra.Command, _ []string) error {
			return with(cmd, func(a *app.App) error {
				found, err := a.Smart.Listed(cmd.Context())
				if err != nil {
					return err
				}
				if asJSON(cmd) {
					return printJSON(cmd.OutOrStdout(), append([]store.EHR{}, found...))
				}
				rows := make([][]string, len(found))
				for i, e := range found {
					practice, client := "any", e.ClientID
					if e.Practice != 0 {
						practice = fmt.Sprint(e.Practice)
					}
					if client == "" {
						client = "none yet"
					}
					rows[i] = []string{e.Label, e.Issuer, client, e.Auth, practice, strings.Join(e.Hosts, " "), e.CreatedAt.Format("2006-01-02")}
				}
				return table(cmd.OutOrStdout(), []string{"LABEL", "ISSUER", "CLIENT ID", "CLIENT", "PRACTICE", "FURTHER HOSTS", "LISTED"}, rows)
			})
		}),
	})
}

func ehrRemove() *cobra.Command {
	return &cobra.Command{
		Use:     "remove ISSUER",
		Short:   "Take an EHR off the list; launches from it are refused at once",
		Example: "  birthregistry ehr remove https://ehr.example.org/fhir/r4",
		Args:    cobra.ExactArgs(1),
		RunE: run(func(cmd *cobra.Command, args []string) error {
			return with(cmd, func(a *app.App) error {
				err := a.Smart.Unlist(args[0])
				if errors.Is(err, smart.ErrBadIssuer) {
					return usage{err}
				}
				return noSuch("EHR; see: birthregistry ehr list", err)
			})
		}),
	}
}

// reachFlags adds the flags that say where EHRs may be, and returns their reader.
func reachFlags(cmd *cobra.Command, into *smart.Settings) func() error {
	var networks []string
	f := cmd.Flags()
	f.BoolVar(&into.Loopback, "ehr-loopback", false, "allow EHRs on this machine, also without TLS: for development only")
	f.StringSliceVar(&networks, "ehr-networks", nil, "private networks (CIDR) in which EHRs may be; default none")
	return func() error {
		into.Networks = nil
		for _, cidr := range networks {
			_, network, err := net.ParseCIDR(cidr)
			if err != nil {
				return errors.New("--ehr-networks are networks such as 10.20.0.0/16")
			}
			if ones, _ := network.Mask.Size(); ones == 0 {
				return errors.New("--ehr-networks cannot be everything")
			}
			prefix, err := netip.ParsePrefix(network.String())
			if err != nil {
				return errors.New("--ehr-networks are networks such as 10.20.0.0/16")
			}
			into.Networks = append(into.Networks, prefix)
		}
		return nil
	}
}

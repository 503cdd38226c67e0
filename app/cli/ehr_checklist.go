package cli

import (
	"cmp"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"birthregistry/app"
	"birthregistry/app/guide"
	"birthregistry/app/smart"
	"birthregistry/store"
)

func ehrChecklist() *cobra.Command {
	var vendor string
	cmd := jsonFlag(&cobra.Command{
		Use:   "checklist [ISSUER] [--vendor NAME]",
		Short: "Print what to send to an EHR's vendor, and what to ask",
		Long: "Print what to send to an EHR's vendor to have the registry registered, and what to ask. The EHR need not be\n" +
			"listed yet.\n\n" +
			"With --vendor, print what the registration of that vendor asks for, in which order, and the complete command that\n" +
			"adds its EHR, each with its source: the same page as in the guide, with this installation's addresses. It is for\n" +
			"these vendors: " + strings.Join(guide.Vendors(), ", ") + ".",
		Example: "  birthregistry ehr checklist https://ehr.example.org/fhir/r4 --base-url https://births.example.org > to-the-vendor.txt\n" +
			"  birthregistry ehr checklist --vendor epic --base-url https://births.example.org --json",
		Args: cobra.MaximumNArgs(1),
	})
	cmd.Flags().String("base-url", "http://127.0.0.1:8080", "the address under which people reach the service")
	cmd.Flags().StringVar(&vendor, "vendor", "", "print the steps for this vendor: "+strings.Join(guide.Vendors(), ", "))
	withoutTwin(cmd, "vendor")
	cmd.RunE = run(func(cmd *cobra.Command, args []string) error {
		base, err := linkBase(cmd)
		if err != nil {
			return err
		}
		issuer := strings.Join(args, "")
		switch {
		case vendor != "":
			err = vendorChecklist(cmd, vendor, base, issuer)
		case issuer == "":
			return usage{errors.New("name the EHR by its issuer, or by its vendor with --vendor: " + strings.Join(guide.Vendors(), ", "))}
		case asJSON(cmd):
			return usage{errors.New("--json needs --vendor")}
		default:
			err = issuerChecklist(cmd, base, issuer)
		}
		if err == nil {
			sayLocal(cmd, base)
		}
		return err
	})
	return cmd
}

// vendorChecklist prints the guide's page about an EHR vendor, with the installation's addresses.
// With --json, it prints the page's checklist.
func vendorChecklist(cmd *cobra.Command, vendor, base, issuer string) error {
	if issuer != "" {
		normal, err := smart.NormalIssuer(issuer)
		if err != nil {
			return usage{err}
		}
		issuer = normal
	}
	c, err := guide.ChecklistOf(vendor, base, issuer)
	switch {
	case err != nil:
		return usage{err}
	case asJSON(cmd):
		return printJSON(cmd, c)
	}
	return output(cmd, "%s", c.Page)
}

// issuerChecklist prints what every EHR vendor needs to know about the installation.
func issuerChecklist(cmd *cobra.Command, base, issuer string) error {
	return with(cmd, func(a *app.App) error {
		e, err := a.Smart.Find(cmd.Context(), issuer)
		if errors.Is(err, smart.ErrBadIssuer) {
			return usage{err}
		}
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		a.Smart.ServeAt(base)
		at := a.Smart.Addresses()
		return output(cmd, registration, e.Issuer, at.Launch, at.Redirect, at.KeySet, cmp.Or(e.Scopes, smart.UsualScopes))
	})
}

const registration = `Registration of the birth registry with %[1]s

We ask you to register this application for EHR launch (SMART App Launch 2, FHIR R4). It reads the chart of the
patient a clinician has open, to fill in a form that the clinician then checks. It writes nothing into the EHR,
asks for no refresh token, and keeps no access token.

  Launch URL      %[2]s
  Redirect URI    %[3]s   (exactly this one)
  Key set (JWKS)  %[4]s   (if we are to use private_key_jwt; RS384 and ES384)
  Scopes          %[5]s
  Launched by     clinicians, from the chart of a mother or of a newborn
  PKCE            S256, with every launch
  Client          confidential with private_key_jwt if you offer it, else with a secret (client_secret_basic), else public

Please send us

  [ ] the client id, one for production and one for tests
  [ ] the client secret, if there is to be one: letters, digits, and - . _ ~ only; not by mail
  [ ] the FHIR base URL that you send as iss, exactly as you send it; the registry has %[1]s
  [ ] the hosts of your authorization and token endpoints, and of further pages of a search, if they differ from its host
  [ ] the aud you expect, if it is not the iss
  [ ] whether your scopes are of SMART 1 (patient/Observation.read) or SMART 2 (patient/Observation.rs)
  [ ] whether the patient, and the encounter, are in the context of every launch
  [ ] whether the registry opens in a window of its own, which is best, or inside your own page; then the origin of that page
  [ ] which searches of Observation you allow: by code, or by category only
  [ ] the address from which our server must call you, if you allow calls from known addresses only
  [ ] in your test system: how we launch there, and a test patient after a birth, with the newborn

With your answer we run

  birthregistry ehr add %[1]s --client-id ID
  birthregistry ehr check %[1]s
`

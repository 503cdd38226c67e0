package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"birthregistry/app"
	"birthregistry/app/smart"
	"birthregistry/store"
)

func ehrCheck() *cobra.Command {
	var hosts []string
	var settings smart.Settings
	cmd := jsonFlag(&cobra.Command{
		Use:   "check ISSUER",
		Short: "Show what an EHR offers and lacks for a launch, without a patient",
		Long: "Read the configuration of an EHR, listed or not, and show what it offers and lacks for a launch. Exits with 1 when\n" +
			"something prevents a launch.",
		Example: "  birthregistry ehr check https://ehr.example.org/fhir/r4",
		Args:    cobra.ExactArgs(1),
	})
	leaving(cmd, "nothing was changed")
	cmd.Flags().StringSliceVar(&hosts, "auth-host", nil, "a further host to try, besides those listed (repeatable)")
	reach := reachFlags(cmd, "ehr", "EHRs", &settings.Loopback, &settings.Networks)
	cmd.RunE = run(func(cmd *cobra.Command, args []string) error {
		if err := reach(); err != nil {
			return usage{err}
		}
		return with(cmd, func(a *app.App) error { return checkEHR(cmd, a, args[0], hosts) }, func(c *app.Config) { c.Smart = settings })
	})
	return cmd
}

func checkEHR(cmd *cobra.Command, a *app.App, issuer string, hosts []string) error {
	e, err := a.Smart.Find(cmd.Context(), issuer)
	if errors.Is(err, smart.ErrBadIssuer) {
		return usage{err}
	}
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	e.Hosts = append(e.Hosts, hosts...)
	found := a.Smart.Survey(cmd.Context(), e)
	report := func(ready bool) any { return map[string]any{"issuer": e.Issuer, "ready": ready, "checks": found} }
	states := map[string]string{smart.OK: "ok", smart.Note: "note", smart.Problem: isProblem}
	return printChecks(cmd, report, found, func(f smart.Finding) checkRow {
		return checkRow{states[f.State], f.Check, f.Text, f.Fix}
	}, "launches from this EHR cannot work yet; see the problems above")
}

func ehrKeys() *cobra.Command {
	var rotate bool
	cmd := jsonFlag(&cobra.Command{
		Use:   "keys",
		Short: "List or rotate the keys with which the registry authenticates to EHRs",
		Long: "List the keys with which the registry signs at the token endpoints of EHRs that were added with --key; they are\n" +
			"made at the first use, and published under /smart/jwks.json. With --rotate a new pair is made. It is published at\n" +
			"once and used to sign after an hour, so that every EHR knows it by then; the pair before it stays published until\n" +
			"the next --rotate. Do not rotate twice within an hour, because the second rotation drops the pair that signs. Launches\n" +
			"from an EHR then fail until it has read the new keys.",
		Example: "  birthregistry ehr keys --rotate",
		Args:    cobra.NoArgs,
	})
	cmd.Flags().BoolVar(&rotate, "rotate", false, "make a new pair of keys")
	withoutTwin(cmd, "rotate")
	cmd.RunE = onApp(func(cmd *cobra.Command, a *app.App, _ []string) error {
		change := a.Smart.EnsureKeys
		if rotate {
			change = a.Smart.RotateKeys
		}
		if err := change(); err != nil {
			return err
		}
		found, err := a.Smart.Keys(cmd.Context())
		if err != nil {
			return err
		}
		if rotate && !asJSON(cmd) {
			begins := found[0].CreatedAt.Add(smart.SignAfter)
			text := "The new key pair will sign from " + begins.Format("2006-01-02 15:04 MST") + " on; do not rotate again before then."
			if found[0].Signs {
				text = "The new key pair signs at once, because there is no earlier one."
			}
			say(cmd, "%s", text)
		}
		return printList(cmd, found, []string{"ALGORITHM", "KEY ID", "MADE", "SIGNS"}, func(k smart.Key) []string {
			return []string{k.Algorithm, k.ID, k.CreatedAt.Format("2006-01-02 15:04"), yesNo(k.Signs)}
		})
	})
	return cmd
}

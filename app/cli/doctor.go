package cli

import (
	"context"
	"crypto/x509"
	"errors"
	"net"
	"time"

	"github.com/spf13/cobra"

	"birthregistry/app"
	"birthregistry/app/certs"
	"birthregistry/app/ops"
)

func doctorCommand() *cobra.Command {
	usual := app.Defaults("")
	inputs := ops.Inputs{StaleAfter: usual.Web.StaleAfter, Reading: usual.Intake.Reading}
	var reserve string
	var proxies []string
	var tls certs.Settings
	cmd := keyFileFlag(jsonFlag(&cobra.Command{
		Use:   "doctor",
		Short: "Show what is wrong with this installation and how to fix it",
		Long: "Look at everything that commonly goes wrong, and say what to do about it: database, permissions, disk,\n" +
			"pages, schema, key, integrity, recovery key, clock, feed, EHRs, reading, backups, process, address.\n" +
			"It changes nothing and works beside a serving process, whose settings it takes from the same flags or\n" +
			"environment. Exits 1 when there is a problem.",
		Example: "  birthregistry doctor\n" +
			"  sudo sh -c 'set -a; . /etc/birthregistry/env; birthregistry doctor --key-file /etc/birthregistry/registry.key'",
		Args: cobra.NoArgs,
	}))
	f := cmd.Flags()
	f.StringVar(&inputs.BaseURL, "base-url", "", "address under which callers reach the service, which is asked for its health")
	f.StringSliceVar(&proxies, "trusted-proxies", nil, "networks (CIDR) of the proxies in front, as given to serve")
	f.StringSliceVar(&tls.Domains, "domain", nil, "name of this service, as given to serve")
	f.StringVar(&tls.Cert, "tls-cert", "", "certificate chain (PEM), as given to serve")
	f.StringVar(&reserve, "disk-reserve", "64MiB", "free space below which nothing is accepted; twice the write-ahead log, where that is more")
	f.DurationVar(&inputs.StaleAfter, "stale-after", inputs.StaleAfter, "how long the feed may stand still")
	f.StringVar(&inputs.Backups.Folder, "backup-dir", "", "folder of the scheduled backups")
	f.DurationVar(&inputs.Backups.Every, "backup-every", 24*time.Hour, "how often a backup is made")
	f.BoolVar(&inputs.Backups.Sealed, "backup-sealed", false, "whether these backups are sealed as a whole")
	readingFlag(f, &inputs.Reading)
	cmd.RunE = run(func(cmd *cobra.Command, _ []string) error {
		config, err := configOf(cmd)
		if err != nil {
			return err
		}
		config.Existing = false // its absence is what Doctor reports
		tellStrays(cmd, config.Log)
		if inputs.DiskReserve, err = parseReserve(reserve); err != nil {
			return usage{err}
		}
		if inputs.BaseURL, err = baseURL(inputs.BaseURL); err != nil {
			return usage{err}
		}
		if inputs.BaseURL == "" && len(tls.Domains) > 0 {
			inputs.BaseURL = "https://" + tls.Domains[0]
		}
		inputs.OwnTLS, inputs.Behind = tls.Wanted(), len(proxies) > 0
		inputs.Reach = func(ctx context.Context) ops.Diagnosis { return reach(ctx, inputs.BaseURL) }
		all, err := ops.Doctor(cmd.Context(), config.Config, inputs)
		if err != nil {
			return err
		}
		return printDiagnoses(cmd, all)
	})
	return cmd
}

// printDiagnoses prints what was found. It fails when there is a problem.
func printDiagnoses(cmd *cobra.Command, all []ops.Diagnosis) error {
	problems := 0
	rows := make([][]string, 0, 2*len(all))
	for _, d := range all {
		if d.State == ops.Problem {
			problems++
		}
		rows = append(rows, []string{d.State, d.Check, d.Found})
		if d.Fix != "" {
			rows = append(rows, []string{"", "", "→ " + d.Fix})
		}
	}
	var err error
	if asJSON(cmd) {
		err = printJSON(cmd.OutOrStdout(), map[string]any{"healthy": problems == 0, "checks": all})
	} else {
		err = table(cmd.OutOrStdout(), []string{"", "CHECK", "FOUND"}, rows)
	}
	if err == nil && problems > 0 {
		return failure{} // the table has said it
	}
	return err
}

// reach asks an address for its health, as a caller would.
func reach(ctx context.Context, base string) ops.Diagnosis {
	_, said, err := askHealth(ctx, base)
	switch unnamed := said.Checks["proxy:trust"]; {
	case err != nil:
		found, fix := unreached(err)
		return ops.Diagnosis{State: ops.Problem, Found: found, Fix: fix}
	case said.Status == "fail":
		return ops.Diagnosis{
			State: ops.Problem, Found: "the service says that it is not well", Fix: "see the other checks, and: birthregistry health --url " + base,
		}
	case unnamed != nil:
		return ops.Diagnosis{
			State: ops.Note, Found: "it is behind a proxy that the service does not trust: all who come through it share one limit",
			Fix: "give serve the address from which the proxy comes: --trusted-proxies, or REGISTRY_TRUSTED_PROXIES",
		}
	}
	return ops.Diagnosis{State: ops.OK}
}

// unreached words why an address does not answer.
func unreached(err error) (found, fix string) {
	var dns *net.DNSError
	var unknown x509.UnknownAuthorityError
	var expired x509.CertificateInvalidError
	var other x509.HostnameError
	switch {
	case errors.Is(err, errNotOurs):
		return errNotOurs.Error(), "have the proxy pass this address on to the service, path and all, and set its --base-url; with TLS of its own, ask by https"
	case errors.As(err, &dns):
		return "its name is not known", "have the name point to this machine (DNS)"
	case errors.As(err, &unknown), errors.As(err, &expired), errors.As(err, &other):
		return "its certificate is not valid for it", "renew it: --domain does so by itself, --tls-cert is read again when the file changes"
	}
	return "nothing answers there", "start the service; then see to firewall, proxy and --listen"
}

package cli

import (
	"context"
	"crypto/x509"
	"errors"
	"net"
	"time"

	"github.com/spf13/cobra"

	"birthregistry/app"
	"birthregistry/app/ops"
)

func doctorCommand() *cobra.Command {
	usual := app.Defaults("")
	inputs := ops.Inputs{StaleAfter: usual.Web.StaleAfter, Reading: usual.Ingest.Reading}
	var reserve string
	var proxies []string
	var here serviceAddress
	cmd := keyFileFlag(jsonFlag(&cobra.Command{
		Use:   "doctor",
		Short: "Show what is wrong with this installation and how to fix it",
		Long: "Check everything that commonly goes wrong, and say how to fix it: database, permissions, disk, pages, schema,\n" +
			"key, integrity, recovery key, clock, feed, EHRs, reading, backups, process, service, address. Changes nothing,\n" +
			"and works while the service runs. Exits with 1 when there is a problem.\n\n" +
			"Takes the same flags and environment variables as birthregistry serve. Like birthregistry health, it sends a\n" +
			"request to the address on which serve listens on this machine (the check \"service\"). It also sends one to the public\n" +
			"address, which is the base URL (the check \"address\").",
		Example: "  birthregistry doctor\n" +
			"  sudo sh -c 'set -a; . /etc/birthregistry/env; birthregistry doctor --key-file /etc/birthregistry/registry.key'",
		Args: cobra.NoArgs,
	}))
	leaving(cmd, "nothing was changed, and not everything was checked")
	f := cmd.Flags()
	serviceAddressFlags(f, &here)
	f.StringSliceVar(&proxies, "trusted-proxies", nil, "networks (CIDR) of the proxies in front, as given to serve")
	f.StringVar(&reserve, "disk-reserve", "64MiB", "the service accepts nothing while less space than this is free, or less than twice the size of the WAL")
	f.DurationVar(&inputs.StaleAfter, "stale-after", inputs.StaleAfter, "how long processing may stand still")
	f.StringVar(&inputs.Backups.Folder, "backup-dir", "", "folder of the scheduled backups")
	f.DurationVar(&inputs.Backups.Every, "backup-every", 24*time.Hour, "how often a backup is made")
	f.BoolVar(&inputs.Backups.Sealed, "backup-sealed", false, "these backups are sealed as a whole")
	readingFlag(f, &inputs.Reading)
	cmd.RunE = run(func(cmd *cobra.Command, _ []string) error {
		config, err := configOf(cmd)
		if err != nil {
			return err
		}
		config.Existing = false // Doctor reports a missing database itself
		warnOfStrays(cmd, config.Log)
		if inputs.DiskReserve, err = parseReserve(reserve); err != nil {
			return usage{err}
		}
		if here.baseURL, err = baseURL(here.baseURL); err != nil {
			return usage{err}
		}
		at, err := here.resolve()
		if err != nil {
			return usage{err}
		}
		inputs.BaseURL = publicURL(here.baseURL, here.tls)
		inputs.OwnTLS, inputs.Behind = here.tls.Wanted(), len(proxies) > 0
		inputs.AskService = func(ctx context.Context) ops.Diagnosis { return askService(ctx, at, here.listen != "") }
		inputs.AskPublic = func(ctx context.Context) ops.Diagnosis {
			d, _ := reach(ctx, target{base: inputs.BaseURL})
			return d
		}
		all, err := ops.Doctor(cmd.Context(), config.Config, inputs)
		if err != nil {
			return err
		}
		return printDiagnoses(cmd, all)
	})
	return cmd
}

// printDiagnoses prints what Doctor has found. It returns an error if Doctor has found a problem.
func printDiagnoses(cmd *cobra.Command, all []ops.Diagnosis) error {
	problems := 0
	rows := [][]string{{"", "CHECK", "FOUND"}}
	for _, d := range all {
		state := d.State
		if state == ops.Problem { // the JSON has its former name
			state = isProblem
			problems++
		}
		rows = append(rows, []string{state, d.Check, d.Found})
		if d.Fix != "" {
			rows = append(rows, fixRow(d.Fix))
		}
	}
	var err error
	if asJSON(cmd) {
		err = printJSON(cmd, map[string]any{"healthy": problems == 0, "checks": all})
	} else {
		err = table(cmd.OutOrStdout(), fitRows(rows, widthOf(cmd.OutOrStdout())))
	}
	if err == nil && problems > 0 {
		return failure{} // the table states the reason
	}
	return err
}

// askService asks the service at its address on this machine. given is set if the operator stated
// this address. If it is the default address and nothing answers, the result is only a note,
// because serve may listen elsewhere.
func askService(ctx context.Context, at target, given bool) ops.Diagnosis {
	d, answered := reach(ctx, at)
	switch {
	case d.State == ops.OK:
		d.Found = at.base + " answers"
		return d
	case !answered && !given:
		d.State, d.Fix = ops.Note, "name the address with --listen or REGISTRY_LISTEN, as given to serve; if that is right, "+d.Fix
	}
	d.Found = at.base + ": " + d.Found
	return d
}

// reach requests the service's health at an address. answered reports whether the service answered
// there.
func reach(ctx context.Context, at target) (d ops.Diagnosis, answered bool) {
	_, report, err := askHealth(ctx, at)
	switch unnamed := report.Checks["proxy:trust"]; {
	case err != nil:
		found, fix := unreached(err)
		return ops.Diagnosis{State: ops.Problem, Found: found, Fix: fix}, false
	case report.Status == "fail":
		return ops.Diagnosis{
			State: ops.Problem, Found: "the service reports a problem", Fix: "see the other checks, and: birthregistry health --url " + at.base,
		}, true
	case unnamed != nil:
		return ops.Diagnosis{
			State: ops.Note, Found: "requests come through a proxy that the service does not trust, so all its callers share one rate limit",
			Fix: "give serve the address from which the proxy comes: --trusted-proxies, or REGISTRY_TRUSTED_PROXIES",
		}, true
	}
	return ops.Diagnosis{State: ops.OK}, true
}

// unreached returns the reason why an address doesn't answer, and what the operator should do. err
// is the error of the request.
func unreached(err error) (found, fix string) {
	var dns *net.DNSError
	var unknown x509.UnknownAuthorityError
	var expired x509.CertificateInvalidError
	var other x509.HostnameError
	switch {
	case errors.Is(err, errOtherService):
		return errOtherService.Error(), "make the proxy pass this address on to the service with its path, and set --base-url; if the service has its own certificate, use https"
	case errors.As(err, &dns):
		return "its name is not known", "have the name point to this machine (DNS)"
	case errors.As(err, &unknown), errors.As(err, &expired), errors.As(err, &other):
		return "its certificate is not valid for this address", "renew it: with --domain, that is automatic; with --tls-cert, replace the file, which is then read again"
	}
	return "nothing answers there", "start the service; then check the firewall, the proxy and --listen"
}

package cli

import (
	"errors"
	"fmt"
	"math"
	"net"
	"net/url"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"birthregistry/app"
	"birthregistry/app/birth"
)

// serveOptions holds the flags of serve. Flags that need no parsing are read directly into config.
// The method read parses the other flags and completes config.
type serveOptions struct {
	listen  string
	metrics string
	plain   string
	maxBody string
	reserve string
	proxies []string
	reach   []func() error // read the flags for the networks of EHRs, identity providers and webhooks
	config  app.Config
}

func serveCommand() *cobra.Command {
	o := serveOptions{config: app.Defaults("")}
	cmd := keyFileFlag(&cobra.Command{
		Use:   "serve",
		Short: "Accept and process submissions until interrupted",
		Long: "Accept and process submissions until interrupted. The first start creates the database and its key. If the key exists\n" +
			"but the database does not, the start fails. A start without any practice prints a link to set up the registry in a\n" +
			"browser. Only one process can serve a database; most other commands work while it runs.",
		Example: "  birthregistry serve --db /var/lib/registry/registry.db --key-file /etc/registry.key \\\n" +
			"    --base-url https://registry.example.org --trusted-proxies 127.0.0.1/32",
		Args: cobra.NoArgs,
	})
	leaving(cmd, "if it was upgrading the database, it continues at the next start")
	in, web := &o.config.Ingest, &o.config.Web
	f := cmd.Flags()
	f.StringVar(&o.listen, "listen", usualListen, "address to listen on")
	f.StringVar(&web.BaseURL, "base-url", "", "address under which callers reach the service (default: the listening address)")
	tlsFlags(f, &o.config.TLS)
	f.StringSliceVar(&o.proxies, "trusted-proxies", nil, "networks (CIDR) whose X-Forwarded-For is trusted; default none")
	f.IntVar(&web.RateLimit, "rate-limit", web.RateLimit, "requests per minute for each API key")
	f.IntVar(&web.AnonymousRateLimit, "anonymous-rate-limit", web.AnonymousRateLimit, "requests per minute from each IP address, for requests without a valid API key")
	maxBodyFlag(f, &o.maxBody)
	f.DurationVar(&in.BufferTTL, "buffer-ttl", in.BufferTTL, "how long a submitted Bundle is kept for processing")
	f.DurationVar(&web.StaleAfter, "stale-after", web.StaleAfter, "how long processing may stand still before /health/json fails")
	f.IntVar(&in.Workers, "workers", in.Workers, "how many chunks to process at a time; 0 accepts submissions without processing them")
	attendantsFlag(f, &in.Attendants)
	readingFlag(f, &in.Reading)
	f.StringVar(&o.metrics, "metrics-listen", "", "address for /metrics, such as 127.0.0.1:9090; default none")
	backups := &o.config.Backups
	f.StringVar(&backups.Folder, "backup-dir", "", "existing folder for scheduled backups, on another disk; default none")
	f.DurationVar(&backups.Every, "backup-every", 24*time.Hour, "how often a backup is made")
	f.IntVar(&backups.Keep, "backup-keep", 14, "how many of these backups to keep")
	f.BoolVar(&backups.Sealed, "backup-sealed", false, "seal each backup as a whole, so that only the database's key or a recovery key opens it")
	f.StringVar(&o.reserve, "disk-reserve", "64MiB", "accept nothing while less space than this is free, or less than twice the size of the WAL")
	ehrs, providers, hooks := &o.config.Smart, &o.config.SSO, &o.config.Webhooks
	o.reach = []func() error{
		reachFlags(cmd, "ehr", "EHRs", &ehrs.Loopback, &ehrs.Networks),
		reachFlags(cmd, "sso", "identity providers", &providers.Loopback, &providers.Networks),
		reachFlags(cmd, "webhook", "receivers of webhooks", &hooks.Loopback, &hooks.Networks),
	}
	cmd.RunE = run(func(cmd *cobra.Command, _ []string) error {
		config, err := o.read(cmd)
		if err != nil {
			return usage{err}
		}
		return serve(cmd, config, &o)
	})
	return cmd
}

// readingFlag adds the flag --reading, which determines which resources of a Bundle the service
// reads.
func readingFlag(f *pflag.FlagSet, reading *birth.Reading) {
	f.Var(reading, "reading", "which resources of a Bundle to read: those of the spec, or with bfdr also Procedure, Condition,\n"+
		"Coverage, Location and the attendant as BFDR 2.0.0 has them")
}

// attendantsFlag adds the flag --attendant-codes, which lists the participation codes that mark the
// attendant.
func attendantsFlag(f *pflag.FlagSet, attendants *[]string) {
	f.StringSliceVar(attendants, "attendant-codes", *attendants,
		"participation codes that mark the attendant; with --reading bfdr, 87286-1 is always included")
}

func maxBodyFlag(f *pflag.FlagSet, size *string) {
	f.StringVar(size, "max-body", "32MiB", "largest accepted body")
}

func parseMaxBody(size string) (int64, error) {
	n, err := humanize.ParseBytes(size)
	if err != nil || n < 1<<10 || n > 1<<30 {
		return 0, errors.New("--max-body takes a size from 1KiB to 1GiB, such as 32MiB")
	}
	return int64(n), nil
}

// parseReserve parses the size of the disk space that must stay free. It returns the size in bytes.
func parseReserve(size string) (int64, error) {
	n, err := humanize.ParseBytes(size)
	if err != nil || n > math.MaxInt64 {
		return 0, errors.New("--disk-reserve takes a size below 8EiB, such as 64MiB")
	}
	return int64(n), nil
}

// read checks the flags and returns the complete configuration.
func (o *serveOptions) read(cmd *cobra.Command) (app.Config, error) {
	base, err := configOf(cmd)
	if err != nil {
		return base, err
	}
	for _, read := range o.reach {
		if err := read(); err != nil {
			return base, err
		}
	}
	config := o.config
	config.DB, config.KeyFile, config.Log = base.DB, base.KeyFile, base.Log
	maxBody, err := parseMaxBody(o.maxBody)
	if err != nil {
		return config, err
	}
	reserve, err := parseReserve(o.reserve)
	if err != nil {
		return config, err
	}
	config.Web.MaxBody, config.Ingest.DiskReserve = maxBody, reserve
	config.Ingest.MaxInFlight = max(config.Ingest.MaxInFlight, 4*maxBody)
	switch {
	case config.Ingest.Workers < 0 || config.Ingest.Workers > 64:
		return config, errors.New("--workers takes a number from 0 to 64")
	case config.Web.RateLimit < 1 || config.Web.AnonymousRateLimit < 1:
		return config, errors.New("rate limits must be at least 1")
	case config.Backups.Every < time.Minute || config.Backups.Keep < 1:
		return config, errors.New("--backup-every must be at least 1m, and --backup-keep at least 1")
	case config.Ingest.BufferTTL <= 0 || config.Web.StaleAfter <= 0:
		return config, errors.New("--buffer-ttl and --stale-after take durations above zero, such as 24h")
	}
	if config.Web.BaseURL, err = baseURL(config.Web.BaseURL); err != nil {
		return config, err
	}
	if err := checkTLS(&config); err != nil {
		return config, err
	}
	for _, cidr := range o.proxies {
		_, network, err := net.ParseCIDR(cidr)
		if err != nil {
			return config, errors.New("--trusted-proxies takes networks; write one machine as 127.0.0.1/32")
		}
		if ones, _ := network.Mask.Size(); ones == 0 {
			return config, errors.New("--trusted-proxies cannot include every address: any client could then choose its own")
		}
		config.Web.TrustedProxies = append(config.Web.TrustedProxies, network)
	}
	return config, checkClear(config, o.listen)
}

// baseURL checks and normalizes the base URL that callers use. It returns "" unchanged, which
// stands for the listener's address.
func baseURL(raw string) (string, error) {
	if raw == "" {
		return "", nil
	}
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return "", errors.New("--base-url takes an address such as https://registry.example.org")
	}
	if strings.Trim(u.Path, "/") != "" { // the links of the pages begin with /
		return "", errors.New("--base-url takes an address without a path, such as https://registry.example.org: the service needs a host name of its own")
	}
	u.Host = strings.ToLower(u.Host) // browsers send the host in lower case; the scheme is in lower case already
	return strings.TrimSuffix(u.String(), "/"), nil
}

// serve runs the service. It listens before it opens the database, so that nothing changes if the
// port is already in use. If there is a domain but no --listen, the service listens on port 443 and
// redirects from port 80.
func serve(cmd *cobra.Command, config app.Config, o *serveOptions) (err error) {
	// Programs that renew certificates send SIGHUP. By default, this signal ends the process, and
	// the service manager wouldn't restart it. New certificates are loaded without the signal.
	signal.Ignore(syscall.SIGHUP)
	if len(config.TLS.Domains) > 0 && !cmd.Flags().Changed("listen") {
		o.listen, o.plain = namedListen, ":80"
	}
	listener, err := listenOn("listen", o.listen)
	if err == nil {
		config.Metrics, err = listenOn("metrics-listen", o.metrics)
	}
	if err == nil {
		config.Plain, err = listenOn("listen", o.plain)
	}
	if err != nil {
		return err // the process ends, and its listeners with it
	}
	warnOfStrays(cmd, config.Log)
	config.Existing, config.OnlyServes = config.Begun(), true
	config.Abandon = func(err error) {
		config.Log.Error("the service ends", "cause", err)
		os.Exit(exitFailed)
	}
	config.SetUp = func(link string, expires time.Time) { printSetUpLink(cmd, link, expires) }
	a, err := app.Open(cmd.Context(), config)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	return errors.Join(a.Serve(cmd.Context(), listener), a.Close())
}

// listenOn listens on the address that a flag names. For "" it returns nil.
func listenOn(flag, address string) (net.Listener, error) {
	if address == "" {
		return nil, nil
	}
	if _, _, err := net.SplitHostPort(address); err != nil {
		return nil, usage{fmt.Errorf("--%s takes an address such as %s", flag, usualListen)}
	}
	listener, err := net.Listen("tcp", address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("another program uses %s; stop it, or choose another address with --%s", address, flag)
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return nil, fmt.Errorf("%s is not an address of this machine; name one of its own with --%s, or 0.0.0.0 for all", address, flag)
	case errors.Is(err, syscall.EACCES):
		return nil, fmt.Errorf("only root may listen on %s; use the systemd unit, which grants that (birthregistry unit), or choose a port from 1024 on with --%s", address, flag)
	case err != nil:
		return nil, fmt.Errorf("cannot listen: %w", err)
	}
	return listener, nil
}

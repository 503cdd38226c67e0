package cli

import (
	"errors"
	"net"
	"net/url"
	"regexp"
	"strings"

	"github.com/spf13/pflag"

	"birthregistry/app"
	"birthregistry/app/certs"
)

// tlsFlags adds those flags of serve that determine where the service gets its certificate.
func tlsFlags(f *pflag.FlagSet, t *certs.Settings) {
	f.StringSliceVar(&t.Domains, "domain", nil, "name of this service: get a certificate for it automatically, and listen on ports 443 and 80")
	f.StringVar(&t.Directory, "acme-directory", "", "ACME authority that issues certificates (default: Let's Encrypt)")
	f.StringVar(&t.Mail, "acme-mail", "", "e-mail address for messages from the authority")
	f.StringVar(&t.Cert, "tls-cert", "", "certificate chain (PEM), reloaded when it changes")
	f.StringVar(&t.Key, "tls-key", "", "private key of the certificate (PEM)")
}

// fullName matches a domain name for which authorities issue certificates automatically. It
// consists of letters, digits and hyphens with at least one dot, and isn't an IP address.
var fullName = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])$`)

// checkTLS checks the flags about TLS. If there is no base URL, it makes the first domain the base
// URL.
func checkTLS(config *app.Config) error {
	t := config.TLS
	switch {
	case (t.Cert == "") != (t.Key == ""):
		return errors.New("--tls-cert and --tls-key need each other; give both")
	case t.Cert != "" && len(t.Domains) > 0:
		return errors.New("use either --domain or --tls-cert, not both")
	}
	if u, err := url.Parse(t.Directory); t.Directory != "" && (err != nil || u.Scheme != "https" || u.Host == "") {
		return errors.New("--acme-directory takes an https address")
	}
	for n, name := range t.Domains {
		config.TLS.Domains[n] = strings.ToLower(name)
		if !fullName.MatchString(config.TLS.Domains[n]) {
			return errors.New("--domain takes a full name such as registry.example.org, not an IP address or a wildcard, " +
				"because authorities issue certificates only for such names; write letters other than a to z as xn--…")
		}
	}
	config.Web.BaseURL = publicURL(config.Web.BaseURL, config.TLS)
	return nil
}

// publicURL returns the base URL. If there is none, it returns the URL of the first domain, and if
// there is no domain either, "".
func publicURL(baseURL string, t certs.Settings) string {
	if baseURL == "" && len(t.Domains) > 0 {
		return "https://" + t.Domains[0]
	}
	return baseURL
}

// checkClear returns an error if the service would send plain HTTP beyond this machine. There is no
// error if the service is behind a proxy that terminates TLS.
func checkClear(config app.Config, listen string) error {
	behind := len(config.Web.TrustedProxies) > 0 && strings.HasPrefix(config.Web.BaseURL, "https://")
	if config.TLS.Wanted() || behind || onlyHere(listen) {
		return nil
	}
	return errors.New("plain HTTP would leave this machine: use --domain, or --tls-cert and --tls-key, " +
		"or name the proxy in front with --trusted-proxies and its https --base-url, or listen on 127.0.0.1 only")
}

// onlyHere reports whether an address can be reached only from this machine.
func onlyHere(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return true // it can't be listened on
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

package sso

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"birthregistry/app/dial"
	"birthregistry/store"
)

// Finding is a result of Check about one part of a provider's configuration. Text describes the
// result.
type Finding struct {
	Check string `json:"check"`
	OK    bool   `json:"ok"`
	Text  string `json:"text"`
	// Fix is what to do if OK is false, or "" if Text says that.
	Fix string `json:"fix,omitzero"`
}

// Check fetches a provider's configuration and keys, and reports whether people can sign in with
// them.
func (s *Service) Check(ctx context.Context, p store.SSOProvider) (all []Finding) {
	d, err := s.discover(ctx, p)
	if err != nil {
		return []Finding{{"configuration", false, reason(err), s.fixOf(p, err)}}
	}
	found := func(check string, ok bool, yes, no, fix string) {
		f := Finding{check, ok, no, fix}
		if ok {
			f.Text, f.Fix = yes, ""
		}
		all = append(all, f)
	}
	found("configuration", true, "it names the issuer, and its endpoints have TLS", "", "")
	found("signatures", len(d.Algorithms) == 0 || len(signing(d.Algorithms)) > 0,
		"ID tokens are signed with a key of the provider's", "it offers no algorithm that signs with a private key",
		"let the provider sign the ID tokens for this client with RS256 or ES256")
	unread := d.unreadKeys(ctx)
	found("keys", unread == nil, "its keys can be read", reason(unread), s.fixOf(p, unread))
	found("PKCE", len(d.Challenges) == 0 || slices.Contains(d.Challenges, "S256"),
		"it accepts PKCE, or doesn't say whether it does", "it offers PKCE, but not with S256", "allow PKCE with S256 for this client at the provider")
	all = append(
		all,
		Finding{"issuer in the answer", true, either(d.NamesIssuer, "each answer names the issuer (RFC 9207)", "its answers don't name the issuer; its separate redirect URI identifies it instead"), ""},
		Finding{"sign-out at the provider", true, either(d.EndSession != "", "people who sign out of the registry can sign out there, too", "it offers none; people who sign out of the registry stay signed in there"), ""},
	)
	return all
}

// unreadKeys returns why the keys can't be read, or nil if they can.
func (d description) unreadKeys(ctx context.Context) error {
	keys := keySet{RemoteKeySet: d.keys}
	_, _ = keys.VerifySignature(ctx, noToken) // only unread matters
	return keys.unread
}

// reason returns the text of a call's error without the names of packages.
func reason(err error) string {
	if err == nil {
		return ""
	}
	return strings.NewReplacer(ErrUpstream.Error()+": ", "", "sso: ", "", "dial: ", "").Replace(err.Error())
}

// fixOf returns what an operator can do about the error of a call, or "" if the error's text says it.
func (s *Service) fixOf(p store.SSOProvider, err error) string {
	if errors.Is(err, errAddress) && strings.HasPrefix(p.Issuer, "http:") && !s.settings.Loopback {
		return "serve and this command reach a provider on this machine with --sso-loopback only"
	}
	if errors.Is(err, ErrSlow) {
		return dial.Fix(dial.ErrSlow)
	}
	if errors.Is(err, errPrivate) || errors.Is(err, errIssuer) {
		return ""
	}
	return cmp.Or(dial.Fix(err), "compare the issuer with the one that the provider's configuration names, letter by letter; if they are the same, ask the provider")
}

// noToken is a token that nobody has signed. Verifying it makes go-oidc fetch the provider's keys.
const noToken = "eyJhbGciOiJSUzI1NiIsImtpZCI6Im5vbmUifQ.e30.AA"

func either(ok bool, yes, no string) string {
	if ok {
		return yes
	}
	return no
}

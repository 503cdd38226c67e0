package sso

import (
	"context"
	"slices"
	"strings"

	"birthregistry/store"
)

// Finding is what Check found about one part of a provider's configuration.
type Finding struct {
	Check string `json:"check"`
	OK    bool   `json:"ok"`
	Text  string `json:"text"`
}

// Check asks a provider for its configuration and its keys, and reports whether they are good for a
// sign-in.
func (s *Service) Check(ctx context.Context, p store.SSOProvider) (all []Finding) {
	d, err := s.discover(ctx, p)
	if err != nil {
		return []Finding{{"configuration", false, reason(err)}}
	}
	signs := len(d.Algorithms) == 0 || len(signing(d.Algorithms)) > 0
	all = []Finding{
		{"configuration", true, "it names the issuer, and its endpoints have TLS"},
		{"signatures", signs, either(signs, "ID tokens are signed with a key of the provider's", "it offers no algorithm that signs with a private key")},
		d.checkKeys(ctx),
	}
	pkce := len(d.Challenges) == 0 || slices.Contains(d.Challenges, "S256")
	return append(
		all,
		Finding{"PKCE", pkce, either(pkce, "it accepts PKCE, or doesn't say whether it does", "it offers PKCE, but not with S256")},
		Finding{"issuer in the answer", true, either(d.NamesIssuer, "each answer names the issuer (RFC 9207)", "its answers don't name the issuer; its separate redirect URI identifies it instead")},
		Finding{"sign-out at the provider", true, either(d.EndSession != "", "people who sign out of the registry can sign out there, too", "it offers none; people who sign out of the registry stay signed in there")},
	)
}

// checkKeys reports whether the keys can be read.
func (d description) checkKeys(ctx context.Context) Finding {
	keys := keySet{RemoteKeySet: d.keys}
	_, _ = keys.VerifySignature(ctx, noToken) // only unread matters
	if keys.unread != nil {
		return Finding{"keys", false, reason(keys.unread)}
	}
	return Finding{"keys", true, "its keys can be read"}
}

func reason(err error) string { return strings.TrimPrefix(err.Error(), "sso: ") }

// noToken is signed by nobody. Verifying it fetches the keys.
const noToken = "eyJhbGciOiJSUzI1NiIsImtpZCI6Im5vbmUifQ.e30.AA"

func either(ok bool, yes, no string) string {
	if ok {
		return yes
	}
	return no
}

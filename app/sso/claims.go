package sso

import (
	"context"
	"crypto/subtle"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"birthregistry/store"
)

// claims is what a provider states of a person. The values keep their JSON types: only the
// boolean true verifies an address, not the text "true".
type claims struct {
	subject         string
	email, verified any
}

// clockSkew is how much earlier than this machine's clock a provider's may be.
const clockSkew = time.Minute

// verified verifies an ID token and returns its claims.
func verified(ctx context.Context, provider store.SSOProvider, d description, p Pending, raw string) (c claims, err error) {
	token, err := d.Verifier(&oidc.Config{ClientID: provider.ClientID}).Verify(ctx, raw)
	if expired := (*oidc.TokenExpiredError)(nil); errors.As(err, &expired) {
		return c, errExpired
	}
	if err != nil {
		return c, failure(err, errIDToken)
	}
	var all map[string]any
	if err := token.Claims(&all); err != nil {
		return c, errIDToken
	}
	// An ID token for several clients names the one that asked for it (Core 1.0, 3.1.3.7).
	if azp, has := all["azp"]; has && azp != provider.ClientID || !has && len(token.Audience) > 1 {
		return c, errIDToken
	}
	if subtle.ConstantTimeCompare([]byte(token.Nonce), []byte(p.Nonce)) != 1 {
		return c, errNonce
	}
	if p.Fresh {
		at, ok := all["auth_time"].(float64)
		if !ok || time.Unix(int64(at), 0).Before(p.Began.Add(-clockSkew)) {
			return c, errNotFresh
		}
	}
	return claimsOf(all)
}

func claimsOf(all map[string]any) (claims, error) {
	subject, _ := all["sub"].(string)
	if subject == "" {
		return claims{}, errSubject
	}
	return claims{subject, all["email"], all["email_verified"]}, nil
}

// ask adds the address from the provider's user information, for providers that leave it out of
// the ID token. Both must be about the same subject (Core 1.0, 5.3.2).
func (c *claims) ask(ctx context.Context, d description, token *oauth2.Token) error {
	info, err := d.UserInfo(ctx, oauth2.StaticTokenSource(token))
	if err != nil {
		return failure(err, errSubject)
	}
	var all map[string]any
	if err := info.Claims(&all); err != nil {
		return errSubject
	}
	more, err := claimsOf(all)
	if err == nil && more.subject != c.subject {
		err = errSubject
	}
	if err == nil {
		c.email, c.verified = more.email, more.verified
	}
	return err
}

// address returns the email address in lower case if the provider has verified it and may vouch
// for it, otherwise "".
func (c *claims) address(domains []string) string {
	text, _ := c.email.(string)
	email := strings.ToLower(strings.TrimSpace(text))
	_, of, ok := strings.Cut(email, "@")
	if c.verified != true || !ok || strings.Contains(of, "@") || len(domains) > 0 && !slices.Contains(domains, of) {
		return ""
	}
	return email
}

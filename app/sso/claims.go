package sso

import (
	"context"
	"crypto/subtle"
	"slices"
	"strings"
	"time"
	"unicode"

	"golang.org/x/oauth2"

	"birthregistry/store"
)

// claims holds what a provider states about a person. The values have their JSON types, because
// only the boolean true means that an address is verified, not the text "true".
type claims struct {
	subject         string
	email, verified any
}

// clockSkew is how far a provider's clock may be behind this machine's.
const clockSkew = time.Minute

// verified verifies an ID token and returns its claims.
func verified(ctx context.Context, provider store.SSOProvider, d description, p Pending, raw string) (c claims, err error) {
	token, err := d.verify(ctx, provider.ClientID, raw)
	if err != nil {
		return c, err
	}
	var all map[string]any
	if err := token.Claims(&all); err != nil {
		return c, errIDToken
	}
	// If an ID token is for several clients, it must name the client that requested it (Core 1.0,
	// 3.1.3.7).
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

// ask adds the email address from the provider's UserInfo response, because some providers leave
// the address out of the ID token. The response must have the same subject as the ID token (Core
// 1.0, 5.3.2).
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

// address returns the email address in lower case if the provider has verified it and may vouch for
// it. Otherwise it returns "". Non-ASCII letters must already be in lower case, because converting
// them could make two addresses the same.
func (c *claims) address(domains []string) string {
	text, _ := c.email.(string)
	email := lowerASCII(text)
	if strings.ToLower(email) != email || strings.ContainsFunc(email, notInAddress) {
		return ""
	}
	_, of, ok := strings.Cut(email, "@")
	if c.verified != true || !ok || strings.Contains(of, "@") || len(domains) > 0 && !slices.Contains(domains, of) {
		return ""
	}
	return email
}

// lowerASCII converts the letters A to Z to lower case.
func lowerASCII(text string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, text)
}

// notInAddress reports whether a character is one that the registry accepts in no email address.
func notInAddress(r rune) bool {
	return unicode.IsSpace(r) || !unicode.IsPrint(r) || r == unicode.ReplacementChar
}

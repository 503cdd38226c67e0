package sso

import (
	"context"
	"net/url"
)

// SignOut returns the address at which a person signs out at the identity provider with which they
// signed in (OpenID Connect RP-Initiated Logout 1.0). It returns "" if the provider has no such
// address or doesn't answer.
func (s *Service) SignOut(ctx context.Context, provider int64, idToken string) string {
	p, err := s.ByID(ctx, provider)
	if err != nil {
		return ""
	}
	d, err := s.describe(ctx, p)
	if err != nil || !s.endpoint(d.EndSession) {
		return ""
	}
	to, err := url.Parse(d.EndSession)
	if err != nil {
		return ""
	}
	q := to.Query()
	q.Set("id_token_hint", idToken)
	q.Set("client_id", p.ClientID)
	q.Set("post_logout_redirect_uri", SignedOutURI(s.settings.BaseURL))
	to.RawQuery = q.Encode()
	return to.String()
}

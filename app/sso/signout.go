package sso

import (
	"context"
	"net/url"
)

// SignOut returns the address at which a person who signed in with a provider signs out there
// (OpenID Connect RP-Initiated Logout 1.0), or "" if the provider has none or doesn't answer.
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

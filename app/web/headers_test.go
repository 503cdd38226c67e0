package web_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app"
	"birthregistry/app/apptest"
	"birthregistry/app/auth"
	"birthregistry/app/web"
)

func TestEveryPageAndRedirectCarriesTheSecurityHeaders(t *testing.T) {
	i := apptest.Start(t, func(c *app.Config) { c.Web.BaseURL = "https://registry.example" })
	p := newFixture(t, i, "headers")
	redirects := 0
	for _, who := range []*apptest.Browser{i.SignIn(p.practice, auth.Admin), i.Stranger()} {
		for _, route := range web.RoutePaths() {
			switch {
			case strings.HasPrefix(route.Path, "/api/"), strings.HasSuffix(route.Path, "json"), strings.HasPrefix(route.Path, "/health/"),
				strings.HasPrefix(route.Path, "/assets/"), strings.HasPrefix(route.Path, "/docs/samples/"), route.Path == "/sign-out":
				continue // for programs, or the same for everybody
			}
			path := p.named.Replace(route.Path)
			answer := apptest.Page{}
			if route.Method == "POST" {
				answer = who.Post(path, url.Values{})
			} else {
				answer = who.Do(route.Method, path, nil, nil)
			}
			if answer.StatusCode == 303 {
				redirects++
			}
			text := route.Method + " " + route.Path
			require.Equal(t, "no-store", answer.Header.Get("Cache-Control"), text)
			require.Contains(t, answer.Header.Get("Content-Security-Policy"), "default-src 'none'", text)
			require.Contains(t, answer.Header.Get("Strict-Transport-Security"), "max-age=", text)
			require.Equal(t, "same-origin", answer.Header.Get("Referrer-Policy"), text)
		}
	}
	require.Greater(t, redirects, 20, "the walk met them")
}

package web_test

import (
	"encoding/base64"
	"net/http"
	"net/http/httptrace"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app"
	"birthregistry/app/apptest"
	"birthregistry/app/fhir"
	"birthregistry/store"
)

// Decision 1.8; spec, "Authentication".
func TestAKeyIsReadOnlyFromTheAuthorizationHeader(t *testing.T) {
	i := apptest.Start(t)
	key := i.Key
	basic := func(user, password string) string {
		return "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
	}
	for name, change := range map[string]func(*http.Request){
		"in the query":       func(r *http.Request) { r.URL.RawQuery = "access_token=" + key + "&api_key=" + key },
		"in a cookie":        func(r *http.Request) { r.AddCookie(&http.Cookie{Name: "token", Value: key}) },
		"in X-Api-Key":       func(r *http.Request) { r.Header.Set("X-Api-Key", key) },
		"as a Basic name":    func(r *http.Request) { r.Header.Set("Authorization", basic(key, "")) },
		"as a Basic secret":  func(r *http.Request) { r.Header.Set("Authorization", basic("api", key)) },
		"without a scheme":   func(r *http.Request) { r.Header.Set("Authorization", key) },
		"as a Token":         func(r *http.Request) { r.Header.Set("Authorization", "Token "+key) },
		"twice":              func(r *http.Request) { r.Header["Authorization"] = []string{"Bearer " + key, "Bearer " + key} },
		"beside another one": func(r *http.Request) { r.Header["Authorization"] = []string{"Bearer x", "Bearer " + key} },
		"twice in one":       func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+key+", Bearer "+key) },
		"with text behind":   func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+key+" x") },
		"in Proxy-Authorization": func(r *http.Request) {
			r.Header.Set("Proxy-Authorization", "Bearer "+key)
		},
	} {
		t.Run("refused: "+name, func(t *testing.T) {
			r := request(t, i, "GET", nowhere, nil)
			r.Header.Del("Authorization")
			change(r)
			answer := send(t, r)
			requireProblem(t, fhir.Unauthorized, answer)
			require.Equal(t, []string{"Bearer"}, answer.Header.Values("WWW-Authenticate"))
		})
	}
	for name, authorization := range map[string]string{
		"Bearer": "Bearer " + key, "lower case": "bearer " + key, "upper case": "BEARER " + key, "two spaces": "Bearer  " + key,
	} {
		t.Run("accepted: "+name, func(t *testing.T) {
			requireProblem(t, fhir.NoSuchIngestion, i.Do("GET", nowhere, "", "Authorization", authorization))
		})
	}
}

func TestAKeyMustBeExact(t *testing.T) {
	i := apptest.Start(t)
	swapped := []byte(i.Key)
	swapped[10], swapped[11] = swapped[11], swapped[10]
	if swapped[10] == swapped[11] {
		swapped[10]++
	}
	for name, key := range map[string]string{
		"nothing": "", "the prefix": "rgk_", "one character less": i.Key[:len(i.Key)-1], "one character more": i.Key + "0",
		"two swapped": string(swapped), "another prefix": "rgk-" + i.Key[4:], "quoted": `"` + i.Key + `"`,
	} {
		t.Run(name, func(t *testing.T) {
			requireProblem(t, fhir.Unauthorized, i.Do("GET", nowhere, "", "Authorization", "Bearer "+key))
		})
	}
}

func TestARevocationHoldsFromTheNextRequestOn(t *testing.T) {
	i := apptest.Start(t, idle)
	key, id := mint(t, i, write, read)
	bearer := []string{"Authorization", "Bearer " + key, "Idempotency-Key", "k"}
	accepted := i.Post(birth, bearer...)
	path := location(t, i, accepted)
	// over a connection of its own, as the command does
	near, err := store.Open(t.Context(), i.Config.DB)
	require.NoError(t, err)
	require.NoError(t, near.Update(func(tx *store.Tx) error { return tx.RevokeAPIKey(i.Practice, id) }))
	require.NoError(t, near.Close())
	requireProblem(t, fhir.Unauthorized, i.Post(birth, bearer...))
	requireProblem(t, fhir.Unauthorized, i.Do("GET", path, "", bearer...))
	require.Equal(t, "queued", i.Do("GET", path, "").JSON(t)["status"], "what was accepted stays")
}

func TestAKeyThatWasValidBeforeIsRefusedHoweverItIsUsedAfterItsRevocation(t *testing.T) {
	i := apptest.Start(t, idle, func(c *app.Config) { c.Web.AnonymousRateLimit = 1000 })
	near, err := store.Open(t.Context(), i.Config.DB)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, near.Close()) })
	accepted := location(t, i, i.Post(birth, "Idempotency-Key", "known"))
	uses := map[string]func(bearer ...string) apptest.Response{
		"a Bundle":          func(b ...string) apptest.Response { return i.Post(birth, b...) },
		"one sent again":    func(b ...string) apptest.Response { return i.Post(birth, append(b, "Idempotency-Key", "known")...) },
		"no JSON":           func(b ...string) apptest.Response { return i.Post("{", b...) },
		"no Bundle":         func(b ...string) apptest.Response { return i.Post("{}", b...) },
		"XML":               func(b ...string) apptest.Response { return i.Post(birth, append(b, "Content-Type", "text/xml")...) },
		"a bad header":      func(b ...string) apptest.Response { return i.Post(birth, append(b, "Idempotency-Key", "é")...) },
		"a poll":            func(b ...string) apptest.Response { return i.Do("GET", accepted, "", b...) },
		"a poll of nothing": func(b ...string) apptest.Response { return i.Do("GET", nowhere, "", b...) },
	}
	for name, use := range uses {
		for _, scopes := range [][]string{{write, read}, {write}, {read}} {
			key, id := mint(t, i, scopes...)
			bearer := []string{"Authorization", "Bearer " + key}
			before := use(bearer...)
			require.NotEqual(t, 401, before.StatusCode, name)
			require.NoError(t, near.Update(func(tx *store.Tx) error { return tx.RevokeAPIKey(i.Practice, id) }))
			for range 2 {
				after := use(bearer...)
				requireProblem(t, fhir.Unauthorized, after)
				require.Equal(t, `"default";q=1000;w=60`, after.Header.Get("RateLimit-Policy"), "%s: the bucket of its address", name)
				require.Empty(t, after.Header.Get("Retry-After"), name)
			}
		}
	}
}

func TestUnderARevokedKeyThatWasValidBeforeNoLargeBodyIsAskedForOrRead(t *testing.T) {
	i := apptest.Start(t, idle)
	for name, c := range map[string]struct {
		length int64
		expect string
	}{
		"a large body":           {1 << 20, ""},
		"one of unknown length":  {-1, ""},
		"one that is held back":  {500, "100-continue"},
		"a large one, held back": {1 << 20, "100-continue"},
	} {
		key, id := mint(t, i, write)
		bearer := "Bearer " + key
		location(t, i, i.Post(birth, "Authorization", bearer))
		revoke(t, i, id)
		r := request(t, i, "POST", bundlePath, stalled(t))
		r.ContentLength = c.length
		r.Header.Set("Authorization", bearer)
		if c.expect != "" {
			r.Header.Set("Expect", c.expect)
		}
		invited := false
		r = r.WithContext(httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{Got100Continue: func() { invited = true }}))
		answer := send(t, r)
		requireProblem(t, fhir.Unauthorized, answer)
		require.False(t, invited, name)
	}
}

func TestScopesDoNotIncludeEachOther(t *testing.T) {
	i := apptest.Start(t, idle)
	writer, reader := i.Mint(i.Practice, write), i.Mint(i.Practice, read)
	path := location(t, i, i.Post(birth, "Authorization", "Bearer "+writer))
	requireProblem(t, fhir.Forbidden, i.Do("GET", path, "", "Authorization", "Bearer "+writer))
	require.Equal(t, 200, i.Do("GET", path, "", "Authorization", "Bearer "+reader).StatusCode)
	requireProblem(t, fhir.Forbidden, i.Post(birth, "Authorization", "Bearer "+reader))
}

func TestAKeyOutlivesTheBetaItWasMintedUnder(t *testing.T) {
	i := apptest.Start(t, idle)
	require.NoError(t, i.App.DB.Update(func(tx *store.Tx) error { return tx.SetEHRBeta(i.Practice, false) }))
	require.Equal(t, 202, i.Post(birth).StatusCode)
}

func TestTheUseOfAKeyIsNotedCoarsely(t *testing.T) {
	i := apptest.Start(t)
	used := func() (at string) {
		require.NoError(t, i.App.DB.View(t.Context(), func(v *store.View) error {
			keys, err := v.APIKeys(i.Practice)
			if keys[0].LastUsedAt != nil {
				at = keys[0].LastUsedAt.String()
			}
			return err
		}))
		return at
	}
	require.Empty(t, used())
	i.Do("GET", nowhere, "")
	first := used()
	require.NotEmpty(t, first)
	i.Do("GET", nowhere, "")
	require.Equal(t, first, used())
}

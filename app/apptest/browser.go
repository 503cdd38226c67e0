package apptest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/auth"
	"birthregistry/store"
)

// Browser is a browser without JavaScript: it keeps cookies, and returns where a redirect leads
// instead of following it. User and Email are the ID and the email address of the user whom SignIn
// has signed in.
type Browser struct {
	t      testing.TB
	base   string
	site   *url.URL // base
	client *http.Client
	User   int64
	Email  string
}

// sessionCookie is the name of the session cookie over plain HTTP.
const sessionCookie = "registry-session"

// nobodysPassword is a stored hash that no password matches.
const nobodysPassword = "$argon2id$v=19$m=8,t=1,p=1$MDAwMDAwMDAwMDAwMDAwMA$MDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDA"

// SignIn adds a user with a role to a practice, and returns a browser in which this user is signed
// in. It doesn't go through the sign-in page.
func (i *Installation) SignIn(p store.PracticeID, role auth.Role) *Browser {
	i.T.Helper()
	return i.SignInAt(p, role, nobodysPassword, time.Now())
}

// SignInAt is like SignIn, but the user has the given password hash, and last confirmed their
// identity at the time proved.
func (i *Installation) SignInAt(p store.PracticeID, role auth.Role, password string, proved time.Time) *Browser {
	i.T.Helper()
	b := i.Stranger()
	require.NoError(i.T, i.App.DB.Update(func(tx *store.Tx) (err error) {
		b.Email = fmt.Sprintf("%s-%s@example.org", role, strings.ToLower(rand.Text()[:8]))
		if b.User, err = tx.AddUser(b.Email, "Robin "+role.Label()); err != nil {
			return err
		}
		return errors.Join(tx.SetPassword(b.User, password), tx.AddMembership(p, b.User, string(role)))
	}))
	i.hold(b, map[string]any{"user": b.User, "practice": int64(p), "proved": proved.UnixMilli()})
	return b
}

// Stranger returns a browser in which nobody is signed in.
func (i *Installation) Stranger() *Browser { return NewBrowser(i.T, i.URL) }

// NewBrowser returns a browser for the service at base.
func NewBrowser(t testing.TB, base string) *Browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	site, err := url.Parse(base)
	require.NoError(t, err)
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	b := &Browser{t: t, base: base, site: site, client: &http.Client{Jar: jar, CheckRedirect: stay, Timeout: patience}}
	t.Cleanup(b.client.CloseIdleConnections)
	return b
}

// From makes the browser send its requests from the given IP address, such as 127.0.0.2. The
// service's limits per address then don't affect other browsers.
func (b *Browser) From(address string) *Browser {
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	transport := &http.Transport{DialContext: dialer.DialContext}
	b.client.Transport = transport
	b.t.Cleanup(transport.CloseIdleConnections)
	return b
}

// Cookie returns the value of one of the service's cookies, or "".
func (b *Browser) Cookie(name string) string {
	for _, c := range b.client.Jar.Cookies(b.site) {
		if c.Name == name {
			return c.Value
		}
	}
	return ""
}

// SetCookie sets a cookie of the service.
func (b *Browser) SetCookie(name, value string) {
	b.client.Jar.SetCookies(b.site, []*http.Cookie{{Name: name, Value: value, Path: "/"}})
}

// Page is a response whose body has been read into Body.
type Page struct {
	*http.Response
	Body string
}

// Get opens a page.
func (b *Browser) Get(path string) Page {
	b.t.Helper()
	return b.Do(http.MethodGet, path, nil, nil)
}

// Post sends a form, as a page of the same site would.
func (b *Browser) Post(path string, form url.Values) Page {
	b.t.Helper()
	return b.Do(http.MethodPost, path, strings.NewReader(form.Encode()), formHeaders)
}

var formHeaders = map[string]string{"Content-Type": "application/x-www-form-urlencoded"}

// Download submits a form and reads the file with which the service answers. It returns nil if it
// received the whole file, and otherwise the error that interrupted it.
func (b *Browser) Download(path string, form url.Values) error {
	b.t.Helper()
	answer, err := b.client.Do(b.request(http.MethodPost, path, strings.NewReader(form.Encode()), formHeaders))
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, answer.Body)
	return errors.Join(err, answer.Body.Close())
}

// Do sends a request. Unless headers sets Sec-Fetch-Site or Origin, a request that may change
// something looks as if it came from a page of the service. Do fails the test if the answer is a
// page whose error messages about a form aren't sentences (requireSentences).
func (b *Browser) Do(method, path string, body io.Reader, headers map[string]string) Page {
	b.t.Helper()
	page := b.page(b.client.Do(b.request(method, path, body, headers)))
	page.requireSentences(b.t)
	return page
}

func (b *Browser) request(method, path string, body io.Reader, headers map[string]string) *http.Request {
	b.t.Helper()
	request, err := http.NewRequestWithContext(context.Background(), method, b.base+path, body)
	require.NoError(b.t, err)
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	if request.Header["Sec-Fetch-Site"] == nil && request.Header["Origin"] == nil && method != http.MethodGet && method != http.MethodHead {
		request.Header.Set("Sec-Fetch-Site", "same-origin")
		request.Header.Set("Origin", b.base)
	}
	return request
}

// These expressions match the summary of the mistakes in a form, a line of that summary, and a
// mistake that is shown at its field.
var (
	mistakeSummary = regexp.MustCompile(`(?s)<div id="error-summary".*?</div>`)
	mistakeLinks   = regexp.MustCompile(`<a href="#([^"]*)">([^<]*)</a>`)
	mistakeAtField = regexp.MustCompile(`<p class="error"[^>]*>(?:<span[^>]*>Error:</span> )?([^<]*)</p>`)
)

// requireSentences fails the test unless the page states every mistake in a form as a sentence. If
// the page has the form, each line of the summary of mistakes must link to a field or button of the
// page, and the lines must be in the order of the fields.
func (p Page) requireSentences(t testing.TB) {
	t.Helper()
	if !strings.HasPrefix(p.Header.Get("Content-Type"), "text/html") {
		return
	}
	last := 0
	for _, m := range mistakeLinks.FindAllStringSubmatch(mistakeSummary.FindString(p.Body), -1) {
		require.Regexp(t, `[.?]$`, strings.TrimSpace(m[2]), "a mistake on %s", p.Request.URL.Path)
		if _, main, _ := strings.Cut(p.Body, "<main"); m[1] == "passkey" || !strings.Contains(main, "<form") {
			continue // a page without the form has no field to which the line could lead
		}
		require.Contains(t, p.Body, `id="`+m[1]+`"`, "what the mistake %q on %s leads to", m[2], p.Request.URL.Path)
		if m[1] == "save" {
			continue // it concerns the whole form, so it comes first and leads to the button
		}
		at := strings.Index(p.Body, `id="`+m[1]+`"`)
		require.GreaterOrEqual(t, at, last, "the mistake %q on %s stands below a later one", m[2], p.Request.URL.Path)
		last = at
	}
	for _, m := range mistakeAtField.FindAllStringSubmatch(p.Body, -1) {
		require.Regexp(t, `[.?]$`, strings.TrimSpace(m[1]), "a mistake on %s", p.Request.URL.Path)
	}
}

// Visit opens an address, which may be on another site.
func (b *Browser) Visit(address string) Page {
	b.t.Helper()
	return b.page(b.client.Get(address))
}

// Send sends a form to an address, which may be on another site.
func (b *Browser) Send(address string, form url.Values) Page {
	b.t.Helper()
	return b.page(b.client.PostForm(address, form))
}

func (b *Browser) page(answer *http.Response, err error) Page {
	b.t.Helper()
	require.NoError(b.t, err)
	defer answer.Body.Close() //nolint:errcheck // read to its end
	content, err := io.ReadAll(answer.Body)
	require.NoError(b.t, err)
	return Page{answer, string(content)}
}

// Handshake opens a launch address of the service and follows the redirects: to the EHR and then
// back to the service. It returns the address of the service's callback without visiting it. If an
// answer isn't a redirect, Handshake stops there and returns "" as the callback. last is the last
// answer.
func (b *Browser) Handshake(launch string) (callback string, last Page) {
	b.t.Helper()
	return b.follow(b.Visit(launch))
}

// Answer submits a form of the EHR, and then follows the redirects like Handshake.
func (b *Browser) Answer(address string, form url.Values) (callback string, last Page) {
	b.t.Helper()
	return b.follow(b.Send(address, form))
}

func (b *Browser) follow(last Page) (string, Page) {
	b.t.Helper()
	for range 20 {
		to, err := last.Location()
		if err != nil {
			return "", last
		}
		if strings.HasPrefix(to.String(), b.base+"/smart/callback?") {
			return to.String(), last
		}
		last = b.Visit(to.String())
	}
	require.FailNow(b.t, "the handshake does not end")
	return "", last
}

// Session returns the browser's first cookie, which is the session cookie after SignIn. With this
// cookie, another browser can continue the session.
func (b *Browser) Session() *http.Cookie {
	b.t.Helper()
	cookies := b.client.Jar.Cookies(b.site)
	require.NotEmpty(b.t, cookies)
	return cookies[0]
}

package smart

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/auth"
	"birthregistry/app/seal"
	"birthregistry/store"
	"birthregistry/store/storetest"
)

// installation is a Service on a real database, with a person who may sign in.
type installation struct {
	*Service
	t   testing.TB
	db  *store.DB
	log *buffer
	p   store.PracticeID
	who auth.User
}

// buffer collects what is logged.
type buffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

func opened(t testing.TB) *installation {
	t.Helper()
	db, err := store.Open(t.Context(), storetest.Blank(t, filepath.Join(t.TempDir(), "registry.db"), store.Open))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	vault, _, err := seal.Open(db, db.Path()+".key")
	require.NoError(t, err)
	log := &buffer{}
	r := &installation{t: t, db: db, log: log}
	r.Service = New(db, vault, auth.New(db, vault), Settings{BaseURL: "https://registry.example.org", Loopback: true},
		slog.New(slog.NewTextHandler(log, nil)))
	r.p = r.practice("Riverside")
	r.who = r.person("olive@example.org", r.p)
	return r
}

func (r *installation) practice(name string) (p store.PracticeID) {
	r.t.Helper()
	require.NoError(r.t, r.db.Update(func(tx *store.Tx) (err error) {
		p, err = tx.AddPractice(name, false, false)
		return err
	}))
	return p
}

func (r *installation) person(email string, p store.PracticeID) auth.User {
	r.t.Helper()
	who := auth.User{Email: email, Practice: store.Practice{ID: p}, Role: auth.Provider}
	require.NoError(r.t, r.db.Update(func(tx *store.Tx) (err error) {
		who.ID, err = tx.AddUser(email, email)
		return err
	}))
	return who
}

// list lists an EHR, changed by change.
func (r *installation) list(issuer string, change ...func(*store.EHR)) store.EHR {
	r.t.Helper()
	e := store.EHR{Issuer: issuer, Label: "Riverside EHR", ClientID: "our-client", Auth: store.AuthPublic}
	for _, c := range change {
		c(&e)
	}
	require.NoError(r.t, r.db.Update(func(tx *store.Tx) (err error) {
		e.ID, _, err = tx.PutEHR(e)
		e.CreatedAt = tx.Now
		return err
	}))
	return e
}

// listed returns an entry of the list as it is stored.
func (r *installation) listed(id int64) (e store.EHR) {
	r.t.Helper()
	require.NoError(r.t, r.db.View(context.Background(), func(v *store.View) (err error) {
		e, err = v.EHR(id)
		return err
	}))
	return e
}

// ehr is a local HTTP server with an EHR's discovery and token endpoints. Answers are set by
// path, and it records every request.
type ehr struct {
	*httptest.Server
	answers map[string]http.HandlerFunc

	mu    sync.Mutex
	asked []asking
}

type asking struct {
	path   string
	header http.Header
	form   url.Values
}

const (
	wellKnown = "/fhir/.well-known/smart-configuration"
	metadata  = "/fhir/metadata"
)

func anEHR(t testing.TB) *ehr {
	t.Helper()
	e := &ehr{answers: map[string]http.HandlerFunc{}}
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		e.mu.Lock()
		e.asked = append(e.asked, asking{r.URL.Path, r.Header, r.PostForm})
		e.mu.Unlock()
		if answer := e.answers[r.URL.Path]; answer != nil {
			answer(w, r)
			return
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(e.Close)
	e.says(wellKnown, `{"authorization_endpoint": "authorize", "token_endpoint": "/token", "capabilities": ["launch-ehr"],
		"code_challenge_methods_supported": ["S256"]}`)
	e.says("/token", `{"access_token": "secret-token", "token_type": "Bearer", "patient": "p-1"}`)
	return e
}

func (e *ehr) base() string { return e.URL + "/fhir" }

func (e *ehr) says(path, doc string) { e.answer(path, http.StatusOK, "application/json", doc) }

func (e *ehr) answer(path string, status int, mediaType, doc string) {
	e.answers[path] = func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", mediaType)
		w.WriteHeader(status)
		_, _ = fmt.Fprint(w, doc)
	}
}

// all returns all requests.
func (e *ehr) all() []asking {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.asked)
}

// paths returns the paths that were requested.
func (e *ehr) paths() (all []string) {
	for _, a := range e.all() {
		all = append(all, a.path)
	}
	return all
}

const browser = "the browser's cookie"

// launch begins a launch and returns where it sends the browser.
func (r *installation) launch(iss string) (to *url.URL, err error) {
	raw, err := r.Launch(context.Background(), url.Values{"iss": {iss}, "launch": {"opaque"}}, browser)
	if err != nil {
		require.Empty(r.t, raw)
		return nil, err
	}
	to, parseErr := url.Parse(raw)
	require.NoError(r.t, parseErr)
	return to, nil
}

// mustLaunch begins a launch and returns its state.
func (r *installation) mustLaunch(iss string) string {
	r.t.Helper()
	to, err := r.launch(iss)
	require.NoError(r.t, err)
	return to.Query().Get("state")
}

// quiet requires that an error contains nothing that an EHR or a browser sent.
func quiet(t testing.TB, err error, sent ...string) {
	t.Helper()
	for _, text := range sent {
		require.NotContains(t, strings.ToLower(err.Error()), strings.ToLower(text))
	}
}

package cost_test

import (
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/labstack/echo/v4"
	"github.com/stretchr/testify/require"

	"birthregistry/app"
	"birthregistry/app/apptest"
	"birthregistry/app/auth"
	"birthregistry/app/auth/authtest"
	"birthregistry/app/fixture"
	"birthregistry/app/ingest"
	"birthregistry/app/web"
	"birthregistry/store"
	"birthregistry/store/storetest"
)

// installation has neither a network nor a worker: a request or a job is a plain call, so that
// nothing else is counted with it.
type installation struct {
	*testing.T
	*app.App
	practice store.PracticeID
	admin    auth.User
	key      string // has both scopes
	readKey  string // may not push
	handler  http.Handler
	cookie   *http.Cookie
	// named are the values of the routes' parameters. answered is the route of the last
	// request.
	named    map[string]string
	answered string
	member   int64 // a member with a password (addMidwife)
}

// base is the address of an installation.
const base = "http://registry.test"

func newInstallation(t *testing.T) *installation {
	t.Helper()
	authtest.CheapPasswords()
	config := app.Defaults(storetest.Blank(t, filepath.Join(t.TempDir(), "registry.db"), store.Open))
	config.Log = slog.New(slog.DiscardHandler)
	a, err := app.Open(t.Context(), config)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, a.Close()) })
	require.NoError(t, a.Vault.Ready())
	s := &installation{T: t, App: a, named: map[string]string{"measure": "cesarean", "provider": "1"}}
	s.practice = s.addPractice("Riverside Midwives")
	if s.key, _, err = a.Auth.Mint(s.practice, "test", []string{"ingest:write", "ingest:read"}, "test"); err != nil {
		t.Fatal(err)
	}
	if s.readKey, _, err = a.Auth.Mint(s.practice, "reader", []string{"ingest:read"}, "test"); err != nil {
		t.Fatal(err)
	}
	settings := web.Defaults()
	settings.RateLimit, settings.AnonymousRateLimit, settings.BaseURL = 1_000_000_000, 1_000_000_000, base
	settings.Measure = func(route, _ string, _ int, _ time.Duration) { s.answered = route }
	s.handler = web.New(a.UseCases(), a.Sessions, settings, config.Log).Handler()
	s.signIn()
	return s
}

func (s *installation) addPractice(name string) (p store.PracticeID) {
	s.Helper()
	require.NoError(s, s.DB.Update(func(tx *store.Tx) (err error) {
		p, err = tx.AddPractice(name, false, true)
		return err
	}))
	return p
}

// look runs one statement.
func (s *installation) look() {
	s.Helper()
	_, err := store.Lookup(s.Context(), s.DB, func(v *store.View) (store.Practice, error) { return v.Practice(s.practice) })
	require.NoError(s, err)
}

// reader opens the database file while the program has it open.
func (s *installation) reader() *sql.DB {
	s.Helper()
	db, err := sql.Open("sqlite", "file:"+s.DB.Path()+"?mode=ro")
	require.NoError(s, err)
	db.SetMaxOpenConns(1)
	s.Cleanup(func() { require.NoError(s, db.Close()) })
	return db
}

// signIn signs an admin in, with the same result as the sign-in page.
func (s *installation) signIn() {
	s.Helper()
	var user int64
	require.NoError(s, s.DB.Update(func(tx *store.Tx) (err error) {
		if user, err = tx.AddUser("olive@example.org", "Olive"); err != nil {
			return err
		}
		return errors.Join(tx.SetPassword(user, "$argon2id$"), tx.AddMembership(s.practice, user, string(auth.Admin)))
	}))
	who, _, err := s.Auth.UserIn(s.Context(), user, s.practice)
	require.NoError(s, err)
	s.admin = who
	s.cookie, s.named["user"] = &http.Cookie{Name: "registry-session", Value: s.session(user)}, fmt.Sprint(user)
}

// session creates a session and returns its token.
func (s *installation) session(user int64) string {
	s.Helper()
	deadline := time.Now().Add(time.Hour)
	values := map[string]any{"user": user, "practice": int64(s.practice), fmt.Sprintf("find-%d", s.practice): "oko"}
	if s.cookie != nil { // a user's oldest session ends if there are too many, and the first one must stay
		values["since"] = time.Now().Add(-time.Minute).UnixMilli()
	}
	doc, err := scs.GobCodec{}.Encode(deadline, values)
	require.NoError(s, err)
	token := rand.Text()
	hash := sha256.Sum256([]byte(token))
	require.NoError(s, s.Sessions.Commit(base64.RawURLEncoding.EncodeToString(hash[:]), doc, deadline))
	return token
}

// routes returns the router's routes.
func (s *installation) routes() []*echo.Route { return s.handler.(*echo.Echo).Routes() }

// do answers a request.
func (s *installation) do(r *http.Request) *httptest.ResponseRecorder {
	s.Helper()
	answer := httptest.NewRecorder()
	s.handler.ServeHTTP(answer, r)
	return answer
}

// push posts a Bundle, processes it and returns its outcome.
func (s *installation) push(bundle string) ingest.Outcome {
	s.Helper()
	id := s.accept(bundle)
	s.drain()
	receipt, err := s.Ingest.Receipt(s.Context(), s.practice, id)
	require.NoError(s, err)
	require.Equal(s, store.Completed, receipt.Status, "outcome: %s", receipt.Outcome)
	out, err := receipt.ParseOutcome()
	require.NoError(s, err)
	return out
}

// pushed pushes a Bundle and requires that all of it is accepted.
func (s *installation) pushed(bundle string) ingest.Outcome {
	s.Helper()
	out := s.push(bundle)
	require.Empty(s, out.Rejected)
	return out
}

func (s *installation) accept(bundle string) (id string) {
	s.Helper()
	r := httptest.NewRequestWithContext(s.Context(), http.MethodPost, apptest.BundlePath, strings.NewReader(bundle))
	r.Header.Set("Authorization", "Bearer "+s.key)
	r.Header.Set("Content-Type", "application/fhir+json")
	answer := s.do(r)
	require.Equal(s, http.StatusAccepted, answer.Code, "%s", answer.Body)
	at := answer.Header().Get("Content-Location")
	return at[strings.LastIndex(at, "/")+1:]
}

// drain processes everything that waits.
func (s *installation) drain() {
	s.Helper()
	for {
		queues, err := s.Ingest.ReceiveQueues(10, fixture.NoneActive)
		require.NoError(s, err)
		if len(queues) == 0 {
			return
		}
		for _, queue := range queues {
			for ended := false; !ended; {
				ended, err = s.Ingest.RunJob(s.Context(), queue)
				require.NoError(s, err)
			}
		}
	}
}

// list returns a JSON list of n documents; one makes each from its number.
func list(n int, one func(int) string) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(one(i))
	}
	return b.String()
}

// each makes n documents.
func each(n int, one func(int) string) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = one(i)
	}
	return all
}

package webhooks

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/require"

	"birthregistry/app/auth"
	"birthregistry/app/seal"
	"birthregistry/store"
	"birthregistry/store/storetest"
)

const address = "https://ehr.example.org/hooks"

// fixture is a Service on a real database, and the receivers of its messages.
type fixture struct {
	*Service
	t    *testing.T
	db   *store.DB
	logs *bytes.Buffer

	mu       sync.Mutex
	answer   func(*http.Request) (int, error)
	received []received
}

// received is a message that a receiver got, whatever it answered.
type received struct {
	host, id, body string
	header         http.Header
	at             time.Time
}

func opened(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{t: t, logs: &bytes.Buffer{}, answer: func(*http.Request) (int, error) { return 204, nil }}
	db, err := store.Open(context.Background(), storetest.Blank(t, filepath.Join(t.TempDir(), "registry.db"), store.Open))
	require.NoError(t, err)
	f.db = db
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	vault, _, err := seal.Open(db, db.Path()+".key")
	require.NoError(t, err)
	require.NoError(t, vault.Ready())
	f.Service = New(db, vault, auth.New(db, vault), Settings{}, slog.New(slog.NewTextHandler(f.logs, nil)))
	f.client.Transport = f
	return f
}

// RoundTrip receives a message in place of the network.
func (f *fixture) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	require.NoError(f.t, err)
	f.mu.Lock()
	f.received = append(f.received, received{req.URL.Host, req.Header.Get("webhook-id"), string(body), req.Header, time.Now()})
	answer := f.answer
	f.mu.Unlock()
	status, err := answer(req)
	if err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: status, Header: http.Header{"Location": {"https://elsewhere.example.org"}}, Body: unread{f.t}, Request: req}, nil
}

// unread fails the test when an answer is read.
type unread struct{ t *testing.T }

func (u unread) Read([]byte) (int, error) {
	u.t.Error("the answer of a receiver was read")
	return 0, io.EOF
}

func (unread) Close() error { return nil }

func (f *fixture) got() []received {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.received)
}

// ids returns the ids of messages, each once.
func ids(all []received) (once []string) {
	for _, r := range all {
		if !slices.Contains(once, r.id) {
			once = append(once, r.id)
		}
	}
	return once
}

// reported is an API key whose ingestions are reported to an address.
type reported struct {
	auth.User
	key    int64
	secret string
}

func (f *fixture) practice(address string) reported {
	f.t.Helper()
	var r reported
	require.NoError(f.t, f.db.Update(func(tx *store.Tx) error {
		p, err := tx.AddPractice("Riverside", false, true)
		if err != nil {
			return err
		}
		practice, err := tx.Practice(p)
		r.User = auth.Operator(practice)
		return err
	}))
	return f.key(r, address)
}

// key makes an API key of a practice.
func (f *fixture) key(r reported, address string) reported {
	f.t.Helper()
	_, minted, err := f.auth.Mint(r.Practice.ID, "nightly", []string{"ingest:write"}, "operator")
	require.NoError(f.t, err)
	r.key = minted.ID
	if address != "" {
		r.secret, err = f.Set(r.User, r.key, address)
		require.NoError(f.t, err)
	}
	return r
}

// end accepts an ingestion and ends it.
func (f *fixture) end(r reported, id string, status store.Status) {
	f.t.Helper()
	p := r.Practice.ID
	require.NoError(f.t, f.db.Update(func(tx *store.Tx) error {
		if _, _, err := tx.Accept(p, store.NewIngestion{PublicID: id, APIKey: r.key, Size: 1, Parts: [][]byte{{1}}}); err != nil {
			return err
		}
		i, err := tx.Ingestion(p, id)
		if err != nil {
			return err
		}
		return tx.Finish(p, store.Ending{Ingestion: i.ID, Status: status, Outcome: []byte("sealed")})
	}))
}

func (f *fixture) deliveries(r reported) []store.Delivery {
	f.t.Helper()
	all, err := f.Deliveries(f.t.Context(), r.Practice.ID, r.key, 1000)
	require.NoError(f.t, err)
	return all
}

// run sends deliveries for some time of the test's clock.
func (f *fixture) run(long time.Duration) {
	ctx, stop := context.WithTimeout(f.t.Context(), long)
	defer stop()
	f.Run(ctx)
}

func TestTheOfficialLibraryVerifiesEveryDelivery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := opened(t)
		r := f.practice(address)
		f.end(r, "one", store.Completed)
		f.end(r, "two", store.Failed)
		ended := f.deliveries(r)[1].EndedAt.UTC().Format("2006-01-02T15:04:05.000-07:00")
		f.run(2 * time.Second)
		require.Len(t, f.got(), 2)
		verifier, err := standardwebhooks.NewWebhook(r.secret)
		require.NoError(t, err)
		for _, m := range f.got() {
			require.NoError(t, verifier.Verify([]byte(m.body), m.header))
			require.Error(t, verifier.Verify([]byte(m.body+" "), m.header))
		}
		bodies := map[string]string{}
		for _, m := range f.got() {
			bodies[m.id] = m.body
		}
		require.Equal(t, map[string]string{
			"msg_one": `{"type":"ingestion.completed","timestamp":"` + ended + `","data":{"id":"one","status":"completed"}}`,
			"msg_two": `{"type":"ingestion.failed","timestamp":"` + ended + `","data":{"id":"two","status":"failed"}}`,
		}, bodies)
		for _, d := range f.deliveries(r) {
			require.Equal(t, store.Delivered, d.State)
			require.Equal(t, 204, d.Answer)
			require.Equal(t, 1, d.Attempts)
		}
	})
}

func TestSSRF_6_ARedirectIsAProblemAndNotFollowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := opened(t)
		r := f.practice(address)
		f.answer = func(*http.Request) (int, error) { return 307, nil }
		f.end(r, "one", store.Completed)
		f.run(2 * time.Second)
		require.Len(t, f.got(), 1)
		require.Equal(t, ProblemAnswer, f.deliveries(r)[0].Problem)
		require.Equal(t, 307, f.deliveries(r)[0].Answer)
	})
}

func TestNothingIsSentWithoutAWebhookOrAfterItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := opened(t)
		off, ended, revoked := f.practice(""), f.practice(address), f.practice(address)
		for n, r := range []reported{off, ended, revoked} {
			f.end(r, fmt.Sprint("before-", n), store.Completed)
		}
		require.NoError(t, f.End(ended.User, ended.key))
		require.ErrorIs(t, f.End(ended.User, ended.key), store.ErrNotFound)
		require.NoError(t, f.auth.RevokeKey(revoked.User, revoked.key))
		f.end(ended, "after", store.Completed)
		f.run(5 * time.Second)
		require.Empty(t, f.got())
		require.Empty(t, f.deliveries(off))
		for _, r := range []reported{ended, revoked} {
			require.Len(t, f.deliveries(r), 1)
			require.Equal(t, store.GivenUp, f.deliveries(r)[0].State)
			require.Equal(t, ProblemOff, f.deliveries(r)[0].Problem)
			w, err := f.Of(t.Context(), r.Practice.ID, r.key)
			require.NoError(t, err)
			require.Empty(t, w.Address)
		}
		require.ErrorIs(t, f.SendAgain(ended.User, ended.key, "before-1"), store.ErrNotFound)
	})
}

// Readers can see an ended ingestion that the disk doesn't have.
func TestNothingIsReportedWhileTheDiskMayNotHaveIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := opened(t)
		r := f.practice(address)
		f.end(r, "ended", store.Completed)
		storetest.Moved(t, f.db.Path(), func() {
			f.run(5 * time.Minute)
			require.Empty(t, f.got())
		})
		f.run(5 * time.Minute)
		require.Equal(t, []string{"msg_ended"}, ids(f.got()))
	})
}

func TestANewSecretAppliesToWhatStillWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := opened(t)
		r := f.practice(address)
		f.end(r, "one", store.Completed)
		fresh, err := f.Set(r.User, r.key, "https://new.example.org/hooks")
		require.NoError(t, err)
		require.NotEqual(t, r.secret, fresh)
		f.run(2 * time.Second)
		require.Len(t, f.got(), 1)
		require.Equal(t, "new.example.org", f.got()[0].host)
		for secret, good := range map[string]bool{r.secret: false, fresh: true} {
			verifier, err := standardwebhooks.NewWebhook(secret)
			require.NoError(t, err)
			require.Equal(t, good, verifier.Verify([]byte(f.got()[0].body), f.got()[0].header) == nil)
		}
	})
}

func TestOldDeliveriesAreDeletedWhateverTheirState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := opened(t)
		r := f.practice(address)
		f.end(r, "old", store.Completed)
		time.Sleep(store.DeliveriesKeptFor + time.Minute)
		f.end(r, "new", store.Completed)
		require.NoError(t, f.Sweep())
		left := f.deliveries(r)
		require.Len(t, left, 1)
		require.Equal(t, "new", left[0].Ingestion)
	})
}

func TestTheAddressAndTheSecretAreSealed(t *testing.T) {
	f := opened(t)
	r := f.practice(address)
	require.Regexp(t, `^whsec_[A-Za-z0-9+/]{43}=$`, r.secret)
	w, err := f.Of(t.Context(), r.Practice.ID, r.key)
	require.NoError(t, err)
	require.Equal(t, address, w.Address)
	var sealed []byte
	require.NoError(t, f.db.View(t.Context(), func(v *store.View) error {
		hook, err := v.Webhook(r.Practice.ID, r.key)
		sealed = hook.Sealed
		return err
	}))
	require.NotContains(t, string(sealed), "example")
	require.NotContains(t, string(sealed), "whsec")
	other := f.practice("")
	_, err = f.open(other.Practice.ID, r.key, sealed)
	require.Error(t, err, "it opens in its own practice only")
	_, err = f.open(r.Practice.ID, other.key, sealed)
	require.Error(t, err, "it opens for its own key only")
}

func TestOnlyAnAddressThatIsSafeToCallIsTaken(t *testing.T) {
	f := opened(t)
	r := f.practice("")
	bad := []string{
		"", "ehr.example.org", "http://ehr.example.org/x", "ftp://ehr.example.org", "https://", "https://olive:secret@ehr.example.org/",
		"https://ehr.example.org/#x", "https://ehr.example.org:/x", "https://ehr example.org", "https://ehr.example.org\\@x", "https:ehr.example.org",
		"https://ehr.example.org/" + strings.Repeat("x", 500),
	}
	for _, address := range append(bad, "http://127.0.0.1:8000/x") {
		_, err := f.Set(r.User, r.key, address)
		require.ErrorIs(t, err, ErrBadAddress, address)
	}
	f.settings.Loopback = true
	for _, address := range bad {
		_, err := f.Set(r.User, r.key, address)
		require.ErrorIs(t, err, ErrBadAddress, address)
	}
	for _, address := range []string{"http://127.0.0.1:8000/x", "http://localhost/", " https://ehr.example.org:8443/x?token=1 "} {
		_, err := f.Set(r.User, r.key, address)
		require.NoError(t, err, address)
	}
	_, err := f.Set(f.practice("").User, r.key, address)
	require.ErrorIs(t, err, store.ErrNotFound, "another practice's key")
	for _, role := range []auth.Role{auth.Scribe, auth.Viewer} {
		who := r.User
		who.Role = role
		_, err := f.Set(who, r.key, address)
		require.ErrorIs(t, err, auth.ErrForbidden)
		require.ErrorIs(t, f.End(who, r.key), auth.ErrForbidden)
		require.ErrorIs(t, f.SendAgain(who, r.key, "one"), auth.ErrForbidden)
	}
}

// SSRF-6: the guard is that of the connection itself, so it sees where a name leads.
func TestSSRF_6_AReceiverInAPrivateNetworkIsNotCalled(t *testing.T) {
	f := opened(t)
	r := f.practice("")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close() //nolint:errcheck // nothing is accepted
	_, port, err := net.SplitHostPort(listener.Addr().String())
	require.NoError(t, err)
	f.client.Transport = New(f.db, f.vault, f.auth, f.settings, f.log).client.Transport
	for _, host := range []string{"127.0.0.1", "localhost", "[::1]", "10.0.0.1", "169.254.169.254", "192.168.0.1", "0.0.0.0"} {
		_, err := f.Set(r.User, r.key, "https://"+host+":"+port+"/")
		require.NoError(t, err)
		hook, err := store.Read(t.Context(), f.db, func(v *store.View) (store.Webhook, error) { return v.Webhook(r.Practice.ID, r.key) })
		require.NoError(t, err)
		answer, problem, err := f.attempt(t.Context(), r.Practice.ID, store.Delivery{Ingestion: "one", Status: store.Completed, APIKey: r.key, Sealed: hook.Sealed})
		require.NoError(t, err)
		require.Zero(t, answer)
		require.Equal(t, ProblemForbidden, problem, host)
	}
}

func TestEveryProblemIsExplained(t *testing.T) {
	for _, problem := range problemOf {
		require.Contains(t, Problems, problem)
	}
	var total time.Duration
	for _, wait := range waits {
		total += wait
	}
	require.InDelta(t, 24, total.Hours(), 0.5)
}

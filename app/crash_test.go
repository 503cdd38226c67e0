package app_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/intake"
	"birthregistry/store"
)

// crashes is how often the process is killed: 50 times, or as often as the
// environment says (REGISTRY_KILLS=200, as in CI).
func crashes(t *testing.T) int {
	t.Helper()
	n, err := strconv.Atoi(cmp.Or(os.Getenv("REGISTRY_KILLS"), "50"))
	require.NoError(t, err, "REGISTRY_KILLS is a number")
	return n
}

// site is the built binary over one database, killed and started again.
type site struct {
	t       testing.TB
	binary  string
	db      string
	address string
	key     string
	server  *exec.Cmd
	log     apptest.Log
}

func newSite(t testing.TB) *site {
	t.Helper()
	return newSiteIn(t, t.TempDir())
}

func newSiteIn(t testing.TB, folder string) *site {
	t.Helper()
	s := &site{t: t, binary: apptest.Binary(t), db: filepath.Join(folder, "registry.db")}
	s.address = freeAddress(t)
	s.key = s.practice("Crash")
	return s
}

// practice adds a practice and returns its API key.
func (s *site) practice(name string) (key string) {
	s.t.Helper()
	id := s.command("practice", "add", name, "--ehr-beta")
	return s.command("key", "mint", "--practice", id, "--label", "load", "--scope", "ingest:write,ingest:read")
}

// freeAddress is one that nobody listens on.
func freeAddress(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, listener.Close())
	return listener.Addr().String()
}

func (s *site) command(args ...string) string {
	s.t.Helper()
	cmd := exec.Command(s.binary, append(args, "--db", s.db)...)
	var talk bytes.Buffer
	cmd.Stderr = &talk
	out, err := cmd.Output()
	require.NoError(s.t, err, "%s: %s%s", strings.Join(args, " "), out, talk.String())
	return strings.TrimSpace(string(out))
}

func (s *site) start(flags ...string) {
	s.t.Helper()
	s.launch(flags...)
	require.Eventually(s.t, func() bool {
		answer, err := http.Get("http://" + s.address + "/openapi.json")
		if err != nil {
			return false
		}
		return answer.Body.Close() == nil
	}, 20*time.Second, time.Millisecond, "the service does not start: %s", &s.log)
}

// launch starts the service without waiting for it.
func (s *site) launch(flags ...string) {
	s.t.Helper()
	s.server = exec.Command(s.binary, append([]string{"serve", "--db", s.db, "--listen", s.address, "--rate-limit", "1000000"}, flags...)...)
	s.server.Stderr = &s.log
	require.NoError(s.t, s.server.Start())
}

// stop ends the process in good order.
func (s *site) stop() {
	s.t.Helper()
	require.NoError(s.t, s.server.Process.Signal(os.Interrupt))
	ended := make(chan error, 1)
	go func() { ended <- s.server.Wait() }()
	select {
	case err := <-ended:
		require.NoError(s.t, err, "exit code 0: %s", &s.log)
	case <-time.After(time.Minute):
		require.Fail(s.t, "it does not stop")
	}
}

// kill ends the process without a word (SIGKILL).
func (s *site) kill() {
	require.NoError(s.t, s.server.Process.Kill())
	_ = s.server.Wait() // it was killed
}

// sent is one submission and what was promised for it.
type sent struct {
	key, body string
	charts    []string
	location  string
}

// load keeps posting until the service is gone, each body again and again
// under its key until it is acknowledged, as a careful integrator does.
type load struct {
	site *site
	next atomic.Int64
	// batch is how many courses a batch has, 700 when 0; singles asks for none.
	// pace is how long a caller rests after each promise, and limit, where it is
	// set, the number of submissions behind which all of them wait.
	batch   int
	singles bool
	pace    time.Duration
	limit   atomic.Int64

	mu       sync.Mutex
	promised []sent
	pending  []sent
}

func (l *load) submission() sent {
	n := l.next.Add(1)
	s := sent{key: fmt.Sprintf("key-%d", n)}
	switch kind := n % 10; {
	case kind == 0 && !l.singles: // a batch of more than one part: written in several chunks
		var courses []string
		for i := range cmp.Or(l.batch, 700) {
			chart := fmt.Sprintf("batch-%d-%d", n, i)
			s.charts = append(s.charts, chart)
			courses = append(courses, apptest.Course{Chart: chart, Mother: chart}.Bundle()+strings.Repeat(" ", 1000))
		}
		s.body = apptest.Batch(courses...)
	case kind >= 1 && kind <= 3: // the same few charts over and over
		s.charts = []string{fmt.Sprintf("often-%d", n%3)}
	default:
		s.charts = []string{fmt.Sprintf("once-%d", n)}
	}
	if s.body == "" {
		s.body = apptest.Course{Chart: s.charts[0], Mother: s.charts[0]}.Bundle()
	}
	return s
}

func (l *load) take() sent {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := len(l.pending); n > 0 {
		s := l.pending[n-1]
		l.pending = l.pending[:n-1]
		return s
	}
	return l.submission()
}

func (l *load) run(stop <-chan struct{}) {
	for {
		for limit := l.limit.Load(); limit > 0 && l.next.Load() >= limit; limit = l.limit.Load() {
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
			}
		}
		s := l.take()
		location, err := l.post(s)
		l.mu.Lock()
		if err == nil {
			s.location, s.body = location, ""
			l.promised = append(l.promised, s)
		} else {
			l.pending = append(l.pending, s)
		}
		l.mu.Unlock()
		select {
		case <-stop:
			return
		default:
			if err != nil {
				time.Sleep(time.Millisecond)
			} else {
				time.Sleep(l.pace)
			}
		}
	}
}

// settle sends once more what was never answered: it may have been accepted.
func (l *load) settle() {
	for _, s := range l.pending {
		location, err := l.post(s)
		require.NoError(l.site.t, err)
		s.location = location
		l.promised = append(l.promised, s)
	}
	l.pending = nil
}

// promise posts a submission once and notes what was promised for it.
func (l *load) promise(s sent) error {
	location, err := l.post(s)
	if err != nil {
		return err
	}
	s.location, s.body = location, ""
	l.promised = append(l.promised, s)
	return nil
}

func (l *load) post(s sent) (string, error) {
	request, err := http.NewRequest(http.MethodPost, "http://"+l.site.address+apptest.BundlePath, strings.NewReader(s.body))
	if err != nil {
		return "", err
	}
	request.Header.Set("Authorization", "Bearer "+l.site.key)
	request.Header.Set("Idempotency-Key", s.key)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	if answer.StatusCode != http.StatusAccepted {
		return "", errors.Join(fmt.Errorf("status %d", answer.StatusCode), answer.Body.Close())
	}
	return answer.Header.Get("Content-Location"), answer.Body.Close()
}

// REL-1.
func TestREL_1_EveryPromiseIsKeptHoweverOftenItIsKilled(t *testing.T) {
	s := newSite(t)
	l := &load{site: s}
	kills, seed := crashes(t), rand.Uint64()
	moments := rand.New(rand.NewPCG(seed, 0))
	t.Logf("the moments of seed %d", seed)
	for round := range kills {
		s.start()
		stop := make(chan struct{})
		var callers sync.WaitGroup
		for range 6 {
			callers.Go(func() { l.run(stop) })
		}
		time.Sleep(time.Duration(moments.IntN(150)) * time.Millisecond)
		s.kill()
		close(stop)
		callers.Wait()
		if round%10 == 9 {
			t.Logf("killed %d times; %d promises so far", round+1, len(l.promised))
		}
	}
	s.start()
	defer s.kill()
	l.settle()
	require.Greater(t, len(l.promised), kills)
	reconcile(t, s, l.promised)
	require.Contains(t, s.command("check"), "ok")
	s.command("audit", "verify")
	looked := 0
	for chart := range s.records() { // that what is on file is what was sent
		if looked++; looked <= 20 {
			shown := s.command("record", "show", chart, "--practice", "1", "--reveal")
			require.GreaterOrEqual(t, strings.Count(shown, chart), 2, "the mother's name, which is the chart number")
		}
	}
	t.Logf("injected: killed %d times; %d Bundles acknowledged, lost none", kills, len(l.promised))
}

// reconcile reads every receipt and holds it against what is on file.
func reconcile(t *testing.T, s *site, promised []sent) {
	t.Helper()
	k := newLedger()
	k.read(t, s, promised)
	t.Logf("%d receipts: %v", len(promised), k.counts)
	k.compare(t, s)
}

// ledger is what receipts have reported.
type ledger struct {
	versions  map[string]map[int]int // by chart: how often each version was reported
	counts    map[store.Status]int
	unwritten map[string]bool // charts of which nothing may be there, unless another receipt says so
}

func newLedger() *ledger {
	return &ledger{map[string]map[int]int{}, map[store.Status]int{}, map[string]bool{}}
}

// read reads the receipts of what was promised.
func (k *ledger) read(t *testing.T, s *site, promised []sent) {
	t.Helper()
	for _, p := range promised {
		r := s.receipt(p.location)
		k.counts[r.Status]++
		if r.Status == store.Failed { // "the push was not accepted": nothing of it is there
			for _, chart := range p.charts {
				k.unwritten[chart] = true
			}
			continue
		}
		out, err := r.ParseOutcome()
		require.NoError(t, err)
		for _, chart := range p.charts[notCutShort(t, p, out):] {
			k.unwritten[chart] = true
		}
		for n, a := range out.Accepted {
			if k.versions[p.charts[n]] == nil {
				k.versions[p.charts[n]] = map[int]int{}
			}
			k.versions[p.charts[n]][max(a.Version, 1)]++
		}
	}
}

// compare holds what was reported against what is on file.
func (k *ledger) compare(t *testing.T, s *site) {
	t.Helper()
	onFile := s.records()
	for chart, reported := range k.versions {
		for version, times := range reported {
			require.Equal(t, 1, times, "version %d of %s", version, chart)
		}
		require.Len(t, reported, onFile[chart], "the versions of %s", chart)
		delete(onFile, chart)
	}
	for chart := range onFile {
		require.False(t, k.unwritten[chart], "%s stands though its ingestion failed", chart)
		require.Failf(t, "a record without a receipt", "%s", chart)
	}
}

// notCutShort returns how many courses of a submission were accepted: all, or,
// of a batch that was killed three times at the same chunk, those before it and
// one rejection that says that the rest was not processed (decision 12).
func notCutShort(t *testing.T, p sent, out intake.Outcome) int {
	t.Helper()
	if len(out.Accepted) < len(p.charts) {
		require.Len(t, out.Rejected, 1, "%s: %d of %d accepted", p.key, len(out.Accepted), len(p.charts))
		require.Equal(t, "rest-not-processed", out.Rejected[0].Outcome.Issue[0].Details.Coding[0].Code)
		t.Logf("%s was cut short at %d", p.key, len(out.Accepted))
		return len(out.Accepted)
	}
	require.Len(t, out.Accepted, len(p.charts), p.key)
	require.Empty(t, out.Rejected, p.key)
	return len(p.charts)
}

// receipt waits until a submission has ended, and returns its receipt.
func (s *site) receipt(location string) intake.Receipt {
	s.t.Helper()
	for range 6000 {
		if r := s.poll(location); r.Status == store.Completed || r.Status == store.Failed {
			return r
		}
		time.Sleep(10 * time.Millisecond)
	}
	require.FailNow(s.t, "an ingestion does not end")
	return intake.Receipt{}
}

// poll asks once for the receipt of a submission.
func (s *site) poll(location string) (r intake.Receipt) {
	s.t.Helper()
	request, err := http.NewRequest(http.MethodGet, location, nil)
	require.NoError(s.t, err)
	request.Header.Set("Authorization", "Bearer "+s.key)
	answer, err := http.DefaultClient.Do(request)
	require.NoError(s.t, err)
	body, err := io.ReadAll(answer.Body)
	require.NoError(s.t, errors.Join(err, answer.Body.Close()))
	require.Equal(s.t, http.StatusOK, answer.StatusCode, "the promise of %s is lost", location)
	require.NoError(s.t, json.Unmarshal(body, &r))
	return r
}

// records returns the version of every record by chart number.
func (s *site) records() map[string]int {
	s.t.Helper()
	var all []struct {
		Chart   string `json:"chart_number"`
		Version int    `json:"version"`
	}
	require.NoError(s.t, json.Unmarshal([]byte(s.command("record", "list", "--practice", "1", "--json")), &all))
	versions := map[string]int{}
	for _, r := range all {
		_, twice := versions[r.Chart]
		require.False(s.t, twice, "two records for %s", r.Chart)
		versions[r.Chart] = r.Version
	}
	return versions
}

func TestAnOrderlyStopFinishesWhatItHasBegun(t *testing.T) {
	s := newSite(t)
	s.start()
	l := &load{site: s}
	stop := make(chan struct{})
	var callers sync.WaitGroup
	for range 4 {
		callers.Go(func() { l.run(stop) })
	}
	time.Sleep(300 * time.Millisecond)
	s.stop()
	close(stop)
	callers.Wait()
	s.start()
	defer s.kill()
	l.settle()
	reconcile(t, s, l.promised)
	t.Logf("injected: an orderly stop under load; %d Bundles acknowledged, lost none", len(l.promised))
}

func TestASecondServingProcessSaysSoAndExits(t *testing.T) {
	s := newSite(t)
	s.start()
	defer s.kill()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	second := exec.CommandContext(ctx, s.binary, "serve", "--db", s.db, "--listen", "127.0.0.1:0")
	out, err := second.CombinedOutput()
	exit := (*exec.ExitError)(nil)
	require.ErrorAs(t, err, &exit)
	require.Equal(t, 1, exit.ExitCode())
	require.Contains(t, string(out), "another process serves this database")
	require.Equal(t, "2", s.command("practice", "add", "Beside"), "the other commands work beside it")
}

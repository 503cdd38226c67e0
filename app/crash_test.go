package app_test

import (
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/ingest"
	"birthregistry/app/longtest"
	"birthregistry/store"
)

// crashes returns how often to kill the process: as often as REGISTRY_KILLS says, otherwise
// 200 times in a long run and 8 times in a plain one.
func crashes(t *testing.T) int {
	t.Helper()
	wish := os.Getenv("REGISTRY_KILLS")
	if wish == "" {
		return longtest.Times(t, 8, 200, "kills")
	}
	n, err := strconv.Atoi(wish)
	require.NoError(t, err, "REGISTRY_KILLS is a number")
	return n
}

// REL-1 for a process that is killed.
func TestREL_1_EveryAcknowledgedBundleIsKeptHoweverOftenItIsKilled(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	l := &load{installation: s}
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
		l.acknowledges(round + 2) // a slow machine acknowledges hardly any in that time
		s.kill()
		close(stop)
		callers.Wait()
		if round%10 == 9 {
			t.Logf("killed %d times; %d acknowledgements so far", round+1, len(l.acknowledged))
		}
	}
	s.start()
	defer s.kill()
	l.resend()
	require.Greater(t, len(l.acknowledged), kills)
	reconcile(t, s, l.acknowledged)
	require.Contains(t, s.command("check"), "ok")
	s.command("audit", "verify")
	looked := 0
	for chart := range s.records() { // the records on file are those that were sent
		if looked++; looked <= 20 {
			shown := s.command("record", "show", chart, "--practice", "1", "--reveal")
			require.GreaterOrEqual(t, strings.Count(shown, chart), 2, "the mother's name, which is the chart number")
		}
	}
	t.Logf("injected: killed %d times; %d Bundles acknowledged, lost none", kills, len(l.acknowledged))
}

// reconcile reads every receipt and compares it with what is on file.
func reconcile(t *testing.T, s *installation, acknowledged []sent) {
	t.Helper()
	k := newLedger()
	k.read(t, s, acknowledged)
	t.Logf("%d receipts: %v", len(acknowledged), k.counts)
	k.compare(t, s)
}

// ledger is everything that receipts have reported.
type ledger struct {
	versions  map[string]map[int]int // by chart number and version: how often it was reported
	counts    map[store.Status]int
	unwritten map[string]bool // chart numbers that must have no record, unless another receipt reports one
}

func newLedger() *ledger {
	return &ledger{map[string]map[int]int{}, map[store.Status]int{}, map[string]bool{}}
}

// read reads the receipts of the acknowledged submissions.
func (k *ledger) read(t *testing.T, s *installation, acknowledged []sent) {
	t.Helper()
	for _, p := range acknowledged {
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

// compare compares the reported versions with those on file.
func (k *ledger) compare(t *testing.T, s *installation) {
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

// notCutShort returns how many courses of a submission were accepted. That is all of them,
// except in a batch that was killed three times at the same chunk: there it is the courses
// before that chunk, followed by one rejection that says that the rest was not processed
// (decision 12).
func notCutShort(t *testing.T, p sent, out ingest.Outcome) int {
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

func TestAnOrderlyStopFinishesWhatIsInProgress(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	s.start()
	l := &load{installation: s}
	stop := make(chan struct{})
	var callers sync.WaitGroup
	for range 4 {
		callers.Go(func() { l.run(stop) })
	}
	l.acknowledges(10)
	s.stop()
	close(stop)
	callers.Wait()
	s.start()
	defer s.kill()
	l.resend()
	reconcile(t, s, l.acknowledged)
	t.Logf("injected: an orderly stop under load; %d Bundles acknowledged, lost none", len(l.acknowledged))
}

func TestASecondServingProcessSaysSoAndExits(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	s.start()
	defer s.kill()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	second := exec.CommandContext(ctx, s.binary, "serve", "--db", s.db, "--listen", "127.0.0.1:0")
	out, err := second.CombinedOutput()
	exit := (*exec.ExitError)(nil)
	require.ErrorAs(t, err, &exit)
	require.Equal(t, 1, exit.ExitCode())
	require.Contains(t, string(out), "another process serves this database")
	require.Equal(t, "2", s.command("practice", "add", "Second"), "the other commands work while it serves")
}

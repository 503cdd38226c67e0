package intake

import (
	"bytes"
	"context"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/auth"
	"birthregistry/app/seal"
	"birthregistry/store"
	"birthregistry/store/storetest"
)

// bed is a service on a real database file, worked by hand.
type bed struct {
	*testing.T
	*Service
	path   string
	caller auth.Caller
	log    *bytes.Buffer
}

func newBed(t *testing.T, change ...func(*Settings)) *bed {
	t.Helper()
	b := &bed{T: t, path: filepath.Join(t.TempDir(), "registry.db"), log: &bytes.Buffer{}}
	settings := Defaults()
	for _, c := range change {
		c(&settings)
	}
	storetest.Blank(t, b.path, store.Open)
	b.open(settings)
	require.NoError(t, b.db.Update(func(tx *store.Tx) (err error) {
		b.caller.Practice, err = tx.AddPractice("Riverside", false, true)
		return err
	}))
	return b
}

func (b *bed) open(settings Settings) {
	db, err := store.Open(context.Background(), b.path)
	require.NoError(b, err)
	b.Cleanup(func() { _ = db.Close() }) // a test may have closed it
	vault, _, err := seal.Open(db, b.path+".key")
	require.NoError(b, err)
	require.NoError(b, vault.Ready())
	b.Service = New(db, vault, auth.New(db, vault), settings, slog.New(slog.NewJSONHandler(b.log, nil)))
}

// restart is a process that ended without a word and another that began.
func (b *bed) restart() {
	require.NoError(b, b.db.Close())
	b.open(b.settings)
	require.NoError(b, b.db.Update((*store.Tx).ReleaseQueues))
}

func (b *bed) accept(body string) string {
	b.Helper()
	a, err := b.Accept(b.caller, Submission{Body: strings.NewReader(body), Limit: 1 << 26})
	require.NoError(b, err)
	return a.PublicID
}

// queue receives the practice's practice queue.
func (b *bed) queue() store.PracticeQueue {
	b.Helper()
	queues, err := b.ReceiveQueues(1)
	require.NoError(b, err)
	require.Len(b, queues, 1)
	return queues[0]
}

// drain works the practice's practice queue to its end.
func (b *bed) drain() {
	b.Helper()
	l := b.queue()
	for ended := false; !ended; {
		var err error
		ended, err = b.RunJob(context.Background(), l)
		require.NoError(b, err)
	}
}

func (b *bed) receipt(id string) Receipt {
	b.Helper()
	r, err := b.Receipt(context.Background(), b.caller.Practice, id)
	require.NoError(b, err)
	return r
}

func (b *bed) outcome(id string) Outcome {
	b.Helper()
	r := b.receipt(id)
	require.Equal(b, store.Completed, r.Status, "outcome: %s", r.Outcome)
	out, err := r.ParseOutcome()
	require.NoError(b, err)
	return out
}

func (b *bed) failure(id string) Failure {
	b.Helper()
	r := b.receipt(id)
	require.Equal(b, store.Failed, r.Status)
	require.Nil(b, r.Accepted)
	require.Nil(b, r.Rejected)
	require.NotEmpty(b, r.CompletedAt)
	f, err := r.ParseFailure()
	require.NoError(b, err)
	require.NotEmpty(b, f.CorrelationID)
	require.Contains(b, b.log.String(), f.CorrelationID)
	return f
}

func (b *bed) records() (all []store.Record) {
	b.Helper()
	require.NoError(b, b.db.View(context.Background(), func(v *store.View) (err error) {
		all, err = v.Records(b.caller.Practice, 0, 1_000_000)
		return err
	}))
	return all
}

// reports requires how many entries an outcome accepts and rejects.
func (b *bed) reports(out Outcome, accepted, rejected int) {
	b.Helper()
	require.Equal(b, accepted, len(out.Accepted), "accepted")
	require.Equal(b, rejected, len(out.Rejected), "rejected")
}

func (b *bed) clean() {
	b.Helper()
	require.NoError(b, b.db.Check(context.Background(), func(check, problem string) {
		require.Empty(b, problem, check)
	}))
}

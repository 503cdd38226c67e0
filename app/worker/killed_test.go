package worker_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app"
	"birthregistry/app/apptest"
	"birthregistry/app/ingest"
	"birthregistry/app/mapping"
	"birthregistry/store"
)

// workUntilKilled processes the queue of a database until nothing is left. A course with the
// chart number "poison" kills the process. Before that it waits for some commits, in which the
// attempts of all waiting practices could be counted, and nothing else is read meanwhile.
func workUntilKilled(db string) error {
	config := app.Defaults(db)
	config.Log = slog.New(slog.DiscardHandler)
	config.Ingest.Workers = 2
	a, err := app.Open(context.Background(), config)
	if err != nil {
		return err
	}
	var dying atomic.Bool
	a.Changes.OnItem = func(item mapping.Item) {
		if item.Draft != nil && item.Draft.Chart == "poison" {
			dying.Store(true)
			for range 20 {
				_ = a.DB.Update(func(*store.Tx) error { return nil })
			}
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
		if dying.Load() {
			select {} // until the process ends
		}
	}
	err = a.Work(context.Background(), func() (bool, error) {
		feed, err := store.Read(context.Background(), a.DB, (*store.View).Feed)
		return feed.Practices == 0, err
	})
	return errors.Join(err, a.Close())
}

// REL-1, and decision 12: the attempts of a Bundle that kills the process are its own.
func TestABundleThatKillsTheProcessFailsAloneAndThoseOfOtherPracticesComplete(t *testing.T) {
	t.Parallel()
	poison := apptest.Course{Chart: "poison"}.Bundle()
	for name, body := range map[string]string{"single": poison, "batch": apptest.Batch(poison, bigBatch("behind", 1000))} {
		t.Run(name, func(t *testing.T) {
			i := apptest.Start(t, func(c *app.Config) { c.Ingest.Workers = 0 })
			failing := i.Post(body)
			others := map[string]apptest.Response{}
			for n := range 20 {
				key := i.Mint(i.AddPractice(fmt.Sprint("Another ", n)), "ingest:write", "ingest:read")
				body := apptest.Course{Chart: "chart"}.Bundle()
				if n == 10 {
					body = bigBatch("many", 1000)
				}
				others[key] = i.Post(body, "Authorization", "Bearer "+key)
			}
			i.Stop()
			kills := 0
			for killed(t, i.Config.DB) {
				kills++
			}
			require.Equal(t, 3, kills)
			i.Run()
			defer i.Stop()
			failure, err := i.Receipt(failing).ParseFailure()
			require.NoError(t, err)
			require.Equal(t, ingest.AttemptsExhausted, failure.Exception)
			for key, accepted := range others {
				require.Equal(t, store.Completed, i.Receipt(accepted, "Authorization", "Bearer "+key).Status)
			}
			i.Clean()
		})
	}
}

// killed runs workUntilKilled in another process, and reports whether a Bundle killed it.
func killed(t *testing.T, db string) bool {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "WORKER_CHILD_DB="+db)
	out, err := cmd.CombinedOutput()
	exit := (*exec.ExitError)(nil)
	if errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL {
		return true
	}
	require.NoError(t, err, "%s", out)
	return false
}

package app_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app"
	"birthregistry/app/powercut"
	"birthregistry/store"
)

// cuts are power cuts of an installation, and what they left.
type cuts struct {
	*testing.T
	site      *site
	program   string // without the tracer
	traces    string // a folder with those that weren't read yet
	recording *powercut.Recording
	load      *load
	random    *rand.Rand
	seed      uint64
	// acknowledged are the ids of accepted Bundles, with the step at which the
	// program began to say so.
	acknowledged map[string]int

	syncs, between int // states tried
	mu             sync.Mutex
	lost           map[string]bool // ids
	losses         map[int]int     // states, by how many they lost
	problems       []string
	kept           []cut // some states, for serve
}

// String is what was tried and what was lost.
func (c *cuts) String() string {
	return fmt.Sprintf("seed %d: %d steps recorded; %d states at syncs and %d between them tried; %d of %d acknowledged Bundles lost; %d states did not open or pass check",
		c.seed, c.recording.Len(), c.syncs, c.between, len(c.lost), len(c.acknowledged), len(c.problems))
}

// large is a batch of more than one chunk.
func (c *cuts) large() sent {
	s := sent{key: "large"}
	for n := range 300 {
		s.charts = append(s.charts, fmt.Sprintf("large-%d", n))
	}
	s.body = bodyOf(s.charts)
	return s
}

// settle reads the traces of the processes that have ended.
func (c *cuts) settle() {
	c.Helper()
	names, err := filepath.Glob(filepath.Join(c.traces, "*"))
	require.NoError(c, err)
	modified := func(name string) int64 {
		info, err := os.Stat(name)
		require.NoError(c, err)
		return info.ModTime().UnixNano()
	}
	for len(names) > 0 { // the processes ran one after the other
		first := 0
		for n := range names {
			if modified(names[n]) < modified(names[first]) {
				first = n
			}
		}
		trace, err := os.Open(names[first])
		require.NoError(c, err)
		require.NoError(c, c.recording.Read(trace))
		require.NoError(c, errors.Join(trace.Close(), os.Remove(names[first])))
		names = append(names[:first], names[first+1:]...)
	}
	require.NoError(c, c.recording.Settle())
}

var promisedAt = regexp.MustCompile(`(?i)\r\nContent-Location: \S*/([^/\s]+)\r\n`)

// servedOf is into how many parts the states are divided of each of which one is
// served again; there's no time for more.
const servedOf = 5

// try cuts the power at every sync after a step, twice, and so many times in
// between.
func (c *cuts) try(after, between int) {
	c.Helper()
	moments := make([]int, c.recording.Len()+1)
	for range between {
		moments[after+c.random.IntN(len(moments)-after)]++
	}
	states := make(chan cut)
	var checkers sync.WaitGroup
	for range 2 {
		checkers.Go(func() {
			for s := range states {
				c.check(s)
			}
		})
	}
	disk := c.recording.Play()
	for step, here := range moments {
		disk.Advance(step)
		if step > 0 {
			if m := promisedAt.FindSubmatch(c.recording.Answer(step - 1)); m != nil {
				if _, again := c.acknowledged[string(m[1])]; !again {
					c.acknowledged[string(m[1])] = step
				}
			}
			if step > after && c.recording.IsSync(step-1) {
				c.syncs += 2
				states <- c.cut(step, disk.Strictest())
				states <- c.cut(step, disk.Luckiest())
			}
		}
		for range here {
			c.between++
			s := c.cut(step, disk.Cut(c.random))
			if states <- s; step > len(moments)/2 && c.between*servedOf >= between*(len(c.kept)+1) {
				c.kept = append(c.kept, s)
			}
		}
	}
	close(states)
	checkers.Wait()
}

// cut is what a power cut left, and what was acknowledged before it.
type cut struct {
	step  int
	files map[string][]byte
	ids   []string
}

func (c *cuts) cut(step int, files map[string][]byte) cut {
	s := cut{step: step, files: files}
	for id, at := range c.acknowledged {
		if at <= step {
			s.ids = append(s.ids, id)
		}
	}
	return s
}

// put writes the files of a state into a new folder, in memory where there is
// such a disk.
func (c *cuts) put(s cut) (folder string) {
	parent := "/dev/shm"
	if _, err := os.Stat(parent); err != nil {
		parent = ""
	}
	folder, err := os.MkdirTemp(parent, "powercut-")
	if err != nil {
		panic(err) // not in the test's goroutine
	}
	for name, content := range s.files {
		path := filepath.Join(folder, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, content, 0o600)); err != nil {
			panic(err)
		}
	}
	return folder
}

// check opens a state as serve does, checks it as the command check does, and
// looks for what was acknowledged. What fails is kept.
func (c *cuts) check(s cut) {
	folder := c.put(s)
	lost, err := examine(folder, s.ids)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.losses[len(lost)]++
	for _, id := range lost {
		c.lost[id] = true
	}
	if err != nil {
		c.problems = append(c.problems, fmt.Sprintf("step %d: %v", s.step, err))
	}
	if err == nil && len(lost) == 0 || len(c.lost)+len(c.problems) > 1 {
		if err := os.RemoveAll(folder); err != nil {
			panic(err)
		}
		return
	}
	kept := c.put(s)
	c.Logf("step %d: %v, %d lost; the state is in %s", s.step, err, len(lost), kept)
}

// serve has the built program go on with a state, sends everything again, as
// integrators do who don't know what arrived, and holds every receipt against
// what is on file.
func (c *cuts) serve(state cut) {
	c.Helper()
	folder := c.put(state)
	defer os.RemoveAll(folder) //nolint:errcheck // in memory
	s := &site{t: c, binary: c.program, db: filepath.Join(folder, "registry.db"), address: c.site.address, key: c.site.key}
	s.start()
	defer s.kill()
	again := &load{site: s}
	for _, p := range slices.Concat(c.load.promised, c.load.pending) {
		before := p.location
		p.body = bodyOf(p.charts)
		require.NoError(c, again.promise(p))
		if slices.Contains(state.ids, filepath.Base(before)) {
			require.Equal(c, before, again.promised[len(again.promised)-1].location, "step %d: another ingestion for the same key", state.step)
		}
	}
	reconcile(c.T, s, again.promised)
	require.Contains(c, s.command("check"), "ok")
}

// examine returns the ids that are not in a state.
func examine(folder string, ids []string) (lost []string, err error) {
	backup := filepath.Join(folder, "kept.db")
	if _, err := os.Stat(backup); err == nil {
		if _, err := store.Inspect(context.Background(), backup); err != nil {
			return ids, fmt.Errorf("the backup: %w", err)
		}
	}
	config := app.Defaults(filepath.Join(folder, "registry.db"))
	config.Log = slog.New(slog.DiscardHandler)
	config.Existing = config.Begun()
	a, err := app.Open(context.Background(), config)
	if err != nil {
		return ids, fmt.Errorf("it does not open: %w", err)
	}
	err = checked(a)
	if err != nil && strings.Contains(err.Error(), "run: birthregistry secrets rotate") { // as it says
		_, err = a.RotateKey(context.Background(), func(int, int) {})
		err = errors.Join(err, checked(a))
	}
	there, err2 := ingestions(a.DB)
	for _, id := range ids {
		if !there[id] {
			lost = append(lost, id)
		}
	}
	return lost, errors.Join(err, err2, a.Close())
}

// checked is what the command check finds.
func checked(a *app.App) error {
	findings, err := a.Check(context.Background())
	for _, f := range findings {
		if f.Problem != "" {
			err = errors.Join(err, fmt.Errorf("%s: %s", f.Check, f.Problem))
		}
	}
	return err
}

// ingestions returns the ids of those that wait, or are completed and have as
// many versions as they say.
func ingestions(db *store.DB) (map[string]bool, error) {
	pool, err := sql.Open("sqlite", "file:"+db.Path()+"?mode=ro")
	if err != nil {
		return nil, err
	}
	defer pool.Close() //nolint:errcheck // only read
	rows, err := pool.Query(`
		select public_id from ingestions i
		where status in ('queued', 'processing')
			or status = 'completed' and accepted = (select count(*) from versions v where v.ingestion = i.id)`)
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // read to its end
	there := map[string]bool{}
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		there[id] = true
	}
	return there, rows.Err()
}

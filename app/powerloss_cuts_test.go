package app_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/powercut"
)

// cuts are simulated power cuts of an installation, and their results.
type cuts struct {
	*testing.T
	installation *installation
	program      string // without the tracer
	traces       string // a folder with the traces that haven't been read yet
	recording    *powercut.Recording
	load         *load
	random       *rand.Rand
	seed         uint64
	// acknowledged are the IDs of accepted Bundles, each with the step at which the program
	// began to acknowledge it.
	acknowledged map[string]int
	records      int // at least this many in every state

	syncs, between int      // states tried
	examined       sync.Map // sum of a state -> function that returns the result of examine
	mu             sync.Mutex
	lost           map[string]bool // IDs
	losses         map[int]int     // states, by how many IDs they lost
	problems       []string
	kept           []cut // some states, for serve
}

// String summarizes what was tried and what was lost.
func (c *cuts) String() string {
	return fmt.Sprintf("seed %d: %d steps recorded; %d states at syncs and %d between them tried; %d of %d acknowledged Bundles lost; %d states did not open or pass check",
		c.seed, c.recording.Len(), c.syncs, c.between, len(c.lost), len(c.acknowledged), len(c.problems))
}

// large returns a batch of several chunks.
func (c *cuts) large() sent {
	s := sent{key: "large"}
	for n := range 300 {
		s.charts = append(s.charts, fmt.Sprintf("large-%d", n))
	}
	s.body = bodyOf(s.charts)
	return s
}

// readTraces reads the traces of the processes that have ended.
func (c *cuts) readTraces() {
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
	require.NoError(c, c.recording.Finish())
}

var acknowledgedAt = regexp.MustCompile(`(?i)\r\nContent-Location: \S*/([^/\s]+)\r\n`)

// servedOf is how many states there are for each one that is also served again; there is no time for
// more.
const servedOf = 5

// try cuts the power twice at every sync after a step, and this many times in between.
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
			if m := acknowledgedAt.FindSubmatch(c.recording.Answer(step - 1)); m != nil {
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

// cut is the state that a power cut left, and what was acknowledged before it.
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

// put writes the files of a state into a new folder, in memory if there is such a disk.
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

// serve runs the built program on a state, sends everything again, as integrators do who don't
// know what arrived, and compares every receipt with what is on file.
func (c *cuts) serve(state cut) {
	c.Helper()
	folder := c.put(state)
	defer os.RemoveAll(folder) //nolint:errcheck // in memory
	s := &installation{t: c, binary: c.program, db: filepath.Join(folder, "registry.db"), address: c.installation.address, key: c.installation.key}
	s.start()
	defer s.kill()
	again := &load{installation: s}
	for _, p := range slices.Concat(c.load.acknowledged, c.load.pending) {
		before := p.location
		p.body = bodyOf(p.charts)
		require.NoError(c, again.submit(p))
		if slices.Contains(state.ids, filepath.Base(before)) {
			require.Equal(c, before, again.acknowledged[len(again.acknowledged)-1].location, "step %d: another ingestion for the same key", state.step)
		}
	}
	reconcile(c.T, s, again.acknowledged)
	s.command("secrets", "rotate") // resumes an interrupted rotation, as check asks
	require.Contains(c, s.command("check"), "ok")
}

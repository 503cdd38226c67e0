package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/dustin/go-humanize"

	"birthregistry/app/task"
)

// ran is the result of a command.
type ran struct {
	took   time.Duration
	worked time.Duration // the processor time that it took
	peak   uint64        // bytes of resident memory at most
	output string
}

func (r ran) time() string {
	return fmt.Sprintf("%s (%s of processor time)", spent(r.took), spent(r.worked))
}

// command runs a command of the program on the installation's database.
func (s *installation) command(args ...string) (r ran, err error) {
	program, err := s.w.program("birthregistry", ".")
	if err != nil {
		return r, err
	}
	p := &process{cmd: exec.CommandContext(s.w.ctx, program, append(args, "--db", s.db)...)}
	var out, talk strings.Builder
	p.cmd.Stdout, p.cmd.Stderr = &out, &talk
	began := time.Now()
	if err := p.cmd.Start(); err != nil {
		return r, err
	}
	ended := task.Go(quiet("").Log, "command", p.cmd.Wait)
	for {
		select {
		case err := <-ended:
			r.took, r.output = time.Since(began), strings.TrimSpace(out.String())
			r.worked = p.cmd.ProcessState.UserTime() + p.cmd.ProcessState.SystemTime()
			if err != nil {
				err = fmt.Errorf("%s: %w\n%s", args[0], err, &talk)
			}
			return r, err
		case <-time.After(2 * time.Millisecond):
			// The peak is read while the process runs, because the kernel forgets it when the
			// process ends. Wait also reports a peak, but that peak includes the memory of bench,
			// which started the process.
			if _, peak, err := p.memory(); err == nil {
				r.peak = max(r.peak, uint64(peak))
			}
		}
	}
}

// move moves a practice from one serving installation to another. While the practice moves, each
// installation answers requests of its first practice.
func (m *measured) move(from, to *installation, index, births int) error {
	folder, err := m.w.tempFolder()
	if err != nil {
		return err
	}
	key, file := filepath.Join(folder, "move.key"), filepath.Join(folder, "practice.age")
	recipient, err := from.command("secrets", "recovery", "make", key)
	if err != nil {
		return err
	}
	name, id := fmt.Sprintf("a practice of %s births: ", humanize.Comma(int64(births))), fmt.Sprint(from.practices[index])
	if err := m.during(from, name+"export", "practice", "export", id, file, "--recipient", recipient.output); err != nil {
		return err
	}
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	m.add(name+"the file", "", humanize.IBytes(uint64(info.Size())), "")
	return m.during(to, name+"import", "practice", "import", file, "--identity", key)
}

// during measures a command that runs while the service answers requests of another practice. It
// adds two lines to the table. One has the command's time and memory, and the longest response
// times. The other has the service's memory.
func (m *measured) during(s *installation, name string, args ...string) (err error) {
	if err := s.serveSignedIn(); err != nil {
		return err
	}
	var r ran
	slow, err := s.meanwhile(s.keys[:1], func() (err error) {
		r, err = s.command(args...)
		return err
	})
	if err != nil {
		return err
	}
	_, peak, err := s.memory()
	if err != nil {
		return err
	}
	m.add(name, r.time(), humanize.IBytes(r.peak), slow.String())
	m.add(name+", the service meanwhile", "", humanize.IBytes(uint64(peak)), "")
	return s.stop()
}

// These are the intervals at which another practice pushes Bundles and requests pages while a
// command runs. If the previous request hasn't been answered yet, the next one waits, and the wait
// counts as part of its time.
const (
	pushEvery = 100 * time.Millisecond
	pageEvery = 250 * time.Millisecond
)

// meanwhile calls fn. While fn runs, meanwhile pushes Bundles with the given keys and requests
// pages of the first practice. It returns the longest response times.
func (s *installation) meanwhile(keys []string, fn func() error) (longestOf slowest, err error) {
	ctx, done := context.WithCancel(s.w.ctx)
	defer done()
	var pushes, pages []time.Duration
	var pushed, read error
	var group sync.WaitGroup
	body, pagesOf := course(lean), []string{"/registry", "/registry/records", "/registry/statistics"}
	group.Go(func() {
		pushes, pushed = every(ctx, pushEvery, func(n int) error {
			_, _, err := s.ask("POST", bundlePath, keyed(keys[n%len(keys)]), numbered(body, scattered(int(s.next)+n)), http.StatusAccepted)
			return err
		})
	})
	group.Go(func() {
		pages, read = every(ctx, pageEvery, func(n int) error {
			_, _, err := s.ask("GET", pagesOf[n%len(pagesOf)], s.browser(), "", http.StatusOK)
			return err
		})
	})
	err = fn()
	done()
	group.Wait()
	s.next += uint64(len(pushes)) + 1
	return slowest{longest(pushes), longest(pages)}, errors.Join(err, pushed, read)
}

// every calls fn at regular intervals until ctx ends. For each call, it returns how long it took
// from the time when the call was due until fn returned.
func every(ctx context.Context, interval time.Duration, fn func(n int) error) (took []time.Duration, err error) {
	for n, due := 0, time.Now(); ; n, due = n+1, due.Add(interval) {
		select {
		case <-ctx.Done():
			return took, nil
		case <-time.After(time.Until(due)):
		}
		if err := fn(n); err != nil {
			return took, err
		}
		took = append(took, time.Since(due))
	}
}

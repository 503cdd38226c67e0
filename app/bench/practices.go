package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/dustin/go-humanize"
)

// This file measures the time and the memory that an appliance with many practices needs, and how
// long it takes to move a practice to another appliance (assets/guides/host.md). There is no
// reference with which to compare the results, so they are figures of this machine rather than
// ratios.

// amounts states how large an appliance is. practices is how many practices it has, and births is
// how many births each of them has. large is the number of births in one additional practice, or 0
// for no such practice.
type amounts struct {
	practices, births, large int
}

// practicesRole measures an appliance with many practices, and prints a table.
func practicesRole() error {
	flags := flag.NewFlagSet("go run ./app/bench practices", flag.ExitOnError)
	var of amounts
	flags.IntVar(&of.practices, "practices", 500, "practices of an appliance")
	flags.IntVar(&of.births, "births", 200, "births of each practice")
	flags.IntVar(&of.large, "large", 100_000, "births of one more practice, which is moved at the end; 0 for none")
	quick := flags.Bool("quick", false, "with little on file, to see that it runs")
	folder := flags.String("dir", "", "folder for the databases, on a real disk (default: the system's temporary folder)")
	if err := flags.Parse(os.Args[2:]); err != nil {
		return err
	}
	s := scale{rounds: 1, round: 30 * time.Second, quick: *quick}
	if s.quick {
		s.round, of = time.Second, amounts{5, 20, 300}
	}
	if flags.NArg() > 0 {
		return errors.New("it takes flags only; see: go run ./app/bench practices -help")
	}
	if of.practices < 2 {
		return errors.New("-practices must be at least 2")
	}
	return inWorkshop(s, *folder, func(w *workshop) error {
		m := measured{w: w}
		if err := m.all(of); err != nil {
			return err
		}
		return m.print(os.Stdout, "what", "time", "memory at most", "longest answer to another practice")
	})
}

// measured collects the measured lines of a table.
type measured struct {
	w     *workshop
	lines [][]string
}

func (m *measured) add(cells ...string) {
	fmt.Fprintln(os.Stderr, strings.Join(cells, "  "))
	m.lines = append(m.lines, cells)
}

func (m *measured) print(to io.Writer, head ...string) error {
	fmt.Fprintf(to, "\n%s, commit %s, %s, %d CPUs\n\n", time.Now().UTC().Format(time.DateTime), commit(), runtime.Version(), runtime.NumCPU())
	t := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	for _, line := range slices.Concat([][]string{head}, m.lines) {
		fmt.Fprintln(t, strings.Join(line, "\t"))
	}
	return t.Flush()
}

// all measures an appliance whose practices are equally large, and moves one of the practices to
// another appliance. Unless of.large is 0, it then adds a large practice, measures again, and moves
// the large practice, too.
func (m *measured) all(of amounts) error {
	from, err := m.appliance(of)
	if err != nil {
		return err
	}
	to, err := m.appliance(of)
	if err != nil {
		return err
	}
	equal := fmt.Sprintf("%s × %s births", humanize.Comma(int64(of.practices)), humanize.Comma(int64(of.births)))
	if err := m.state(from, equal); err != nil {
		return err
	}
	if err := m.move(from, to, of.practices-1, of.births); err != nil {
		return err
	}
	if of.large == 0 {
		return nil
	}
	if err := from.provide(1); err != nil {
		return err
	}
	if err := from.fill(synthetic, 0, of.large, from.practices[of.practices]); err != nil {
		return err
	}
	if err := m.state(from, equal+" and 1 × "+humanize.Comma(int64(of.large))); err != nil {
		return err
	}
	return m.move(from, to, of.practices, of.large)
}

// appliance returns an installation whose practices all have the same number of births. It isn't
// running yet.
func (m *measured) appliance(of amounts) (*installation, error) {
	s, err := m.w.provided(of.practices)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	err = s.fill(synthetic, 0, of.births, s.practices...)
	fmt.Fprintf(os.Stderr, "filled in %s\n", spent(time.Since(began)))
	return s, err
}

// state measures an installation that isn't running. It measures the size on the disk, the start,
// the memory when idle and under light load, and the commands that check the installation, back it
// up and check the backup.
func (m *measured) state(s *installation, of string) error {
	m.add(of+": on disk", "", humanize.IBytes(uint64(onDisk(s.folder))), "")
	if err := m.starts(s, of); err != nil {
		return err
	}
	if err := m.work(s, of); err != nil {
		return err
	}
	copied := filepath.Join(s.folder, "copy.db")
	defer os.Remove(copied) //nolint:errcheck // it goes with the folder
	for _, c := range []struct {
		name string
		args []string
	}{
		{"check", []string{"check"}},
		{"backup, verified", []string{"backup", copied}},
		{"check of the backup before restoring it", []string{"restore", copied, "--check"}},
	} {
		r, err := s.command(c.args...)
		if err != nil {
			return err
		}
		m.add(of+": "+c.name, r.time(), humanize.IBytes(r.peak), "")
	}
	return nil
}

// starts measures how long it takes from the start of the program to the first answer, and its
// memory when idle.
func (m *measured) starts(s *installation, of string) error {
	program, err := m.w.program("birthregistry", ".")
	if err != nil {
		return err
	}
	f, err := m.w.waits(program, "/health/json", s.starting)()
	if err != nil {
		return err
	}
	m.add(of+": start to the first answer, median of 7", spent(duration(f.P50)), "", "")
	m.add(of+": idle", "", humanize.IBytes(uint64(f.Bytes)), "")
	return nil
}

// work measures the longest response times and the memory while the installation is used lightly:
// every practice sends a Bundle now and then, and one practice reads its pages.
func (m *measured) work(s *installation, of string) error {
	if err := s.serveSignedIn(); err != nil {
		return err
	}
	slowest, err := s.meanwhile(s.keys, func() error {
		time.Sleep(m.w.scale.round)
		return nil
	})
	if err != nil {
		return err
	}
	_, peak, err := s.memory()
	m.add(fmt.Sprintf("%s: %s of light load", of, m.w.scale.round), "", humanize.IBytes(uint64(peak)), slowest.String())
	return errors.Join(err, s.stop())
}

// spent formats a duration with two or three digits.
func spent(d time.Duration) string {
	switch {
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < 10*time.Second:
		return d.Round(10 * time.Millisecond).String()
	}
	return d.Round(100 * time.Millisecond).String()
}

// slowest holds the longest response times: of a push, and of a request for a page.
type slowest struct{ push, page time.Duration }

func (s slowest) String() string {
	return fmt.Sprintf("push %s, page %s", spent(s.push), spent(s.page))
}

func longest(took []time.Duration) time.Duration {
	if len(took) == 0 {
		return 0
	}
	return slices.Max(took)
}

package main

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"birthregistry/app/birth"
)

// This file measures the yearly report (assets/guides/report.md) with growing numbers of births.
// There is no reference with which to compare the results, so they are figures of this machine
// rather than ratios.

// reportRole measures the pages and the files of the yearly report, and prints a table.
func reportRole() error {
	flags := flag.NewFlagSet("go run ./app/bench report", flag.ExitOnError)
	quick := flags.Bool("quick", false, "with few births, to see that it runs")
	folder := flags.String("dir", "", "folder for the databases, on a real disk (default: the system's temporary folder)")
	if err := flags.Parse(os.Args[2:]); err != nil {
		return err
	}
	return inWorkshop(scale{rounds: 1, quick: *quick}, *folder, func(w *workshop) error {
		m := measured{w: w}
		for _, births := range []uint64{1_000, 10_000, 100_000} {
			if err := m.report(int(w.scale.pick(births, births/100))); err != nil {
				return err
			}
		}
		return m.print(os.Stdout, "what", "time", "memory at most", "size")
	})
}

// reportYear is the year of all births in the report.
const reportYear = 2024

// consenting returns the nth invented course of care (see invention). The birth is in reportYear,
// and the mother has given consent.
func consenting(chance *rand.Rand, n int) birth.Draft {
	d := drafted(chance, n, time.Date(reportYear, time.January, 1+n%365, 0, 0, 0, 0, time.UTC))
	d.Consent = birth.Consent{Recorded: true, Granted: true}
	return d
}

var statedDigest = regexp.MustCompile(`name="sha256" value="([0-9a-f]{64})"`)

// report measures the yearly report of a practice that has the given number of births in one year.
func (m *measured) report(births int) error {
	s, err := m.w.provided(1)
	if err != nil {
		return err
	}
	if err := s.fill(consenting, 0, births, s.practices...); err != nil {
		return err
	}
	if err := s.serveSignedIn(); err != nil {
		return err
	}
	name, query := humanize.Comma(int64(births))+" births: ", fmt.Sprintf("?year=%d", reportYear)
	if _, err := m.requested(s, name+"what is missing", "GET", "/registry/report"+query, nil); err != nil {
		return err
	}
	page, err := m.requested(s, name+"the page to print", "GET", "/registry/report/file"+query, nil)
	if err != nil {
		return err
	}
	stated := statedDigest.FindStringSubmatch(page)
	if stated == nil {
		return errors.New("the page states no SHA-256")
	}
	if _, err := m.requested(s, name+"the de-identified file", "POST", "/registry/report/file"+query, url.Values{"sha256": stated[1:]}); err != nil {
		return err
	}
	_, err = m.requested(s, name+"the limited data set", "POST", "/registry/report/limited"+query, url.Values{"reason": {"research"}, "password": {benchPassword}})
	return errors.Join(err, s.stop())
}

// requested sends a request as a browser does, and measures it. It returns the body of the answer.
func (m *measured) requested(s *installation, name, method, path string, form url.Values) (body string, err error) {
	if err := s.forget(); err != nil {
		return "", err
	}
	before, err := s.worked()
	if err != nil {
		return "", err
	}
	began := time.Now()
	_, body, err = s.ask(method, path, s.browser(), form.Encode(), http.StatusOK)
	if err != nil {
		return "", err
	}
	took := time.Since(began)
	after, err := s.worked()
	if err != nil {
		return "", err
	}
	_, peak, err := s.memory()
	m.add(name, ran{took: took, worked: after - before}.time(), humanize.IBytes(uint64(peak)), humanize.IBytes(uint64(len(body))))
	return body, err
}

// forget makes the kernel reset the process's peak memory to its current memory.
func (p *process) forget() error {
	return os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", p.cmd.Process.Pid), []byte("5"), 0)
}

// worked returns how much processor time the process has used, to a hundredth of a second.
func (p *process) worked() (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(stat), ") ") // after the program's name: the first field of rest is field 3, the state
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0, errors.New("the kernel states no processor time")
	}
	user, err := strconv.Atoi(fields[11])
	system, fail := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond, errors.Join(err, fail)
}

package main

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"birthregistry/app"
	"birthregistry/store"
)

// These are the rows of the curve.
const (
	rowStart      = "start"
	rowAccept     = "accept"
	rowProcess    = "process"
	rowList       = "list"
	rowSearch     = "search by name"
	rowDetail     = "detail"
	rowStatistics = "statistics"
	rowProviders  = "providers"
	rowDuplicates = "duplicates"
	rowCheck      = "check"
	rowBackup     = "backup"
)

// curveRows lists the rows of the curve in the order of the table.
var curveRows = []string{rowAccept, rowProcess, rowList, rowSearch, rowDetail, rowStatistics, rowProviders, rowDuplicates, rowStart, rowBackup, rowCheck}

// A round requests each page pageTimes times, or fewer times if pageTime has passed.
const (
	pageTimes = 20
	pageTime  = 2 * time.Second
)

// growthRound starts the program on the installation and measures the rows. It returns the seconds
// of each row. It leaves out rowCheck and rowBackup, which wholeFile measures.
func (s *installation) growthRound() (map[string]float64, error) {
	program, err := s.w.program("birthregistry", ".")
	if err != nil {
		return nil, err
	}
	started, err := s.w.startTimes(program, "/health/json", s.starting, func(*process) error { return nil })
	if err != nil {
		return nil, err
	}
	if err := s.serveSignedIn(); err != nil {
		return nil, err
	}
	if err := s.awaitIdle(); err != nil {
		return nil, err
	}
	if _, err := s.pageRows(); err != nil { // afterward the service stores the counts that the pages need
		return nil, err
	}
	if err := s.awaitIdle(); err != nil {
		return nil, err
	}
	took, err := s.pageRows()
	if err != nil {
		return nil, err
	}
	took[rowStart] = among(started).P50
	p := s.post(course(lean), 1, time.Minute)
	p.Warm, p.Most, p.Drain = 0, 100, true
	accepted, err := s.run(p)
	if err != nil {
		return nil, err
	}
	took[rowAccept] = accepted.P50
	const courses = 200
	body := batch(course(lean), int(s.next), courses)
	s.next += courses
	processed, err := s.through(body)
	if err != nil {
		return nil, err
	}
	took[rowProcess] = processed.Seconds() / courses
	return took, s.stop()
}

// awaitIdle waits until the program uses almost no processor time, because the program still has
// work to do after its first answer.
func (s *installation) awaitIdle() error {
	for began := time.Now(); time.Since(began) < 10*time.Minute; {
		before, err := s.worked()
		if err != nil {
			return err
		}
		time.Sleep(300 * time.Millisecond)
		after, err := s.worked()
		if err != nil || after-before <= 10*time.Millisecond {
			return err
		}
	}
	return errors.New("the program does not become idle")
}

// pageRows measures the time in which the service answers with each page. It returns the median in
// seconds, keyed by row.
func (s *installation) pageRows() (map[string]float64, error) {
	details, err := s.someRecords()
	if err != nil {
		return nil, err
	}
	wire, err := dial(s.address)
	if err != nil {
		return nil, err
	}
	defer wire.conn.Close() //nolint:errcheck // every request was answered
	headers := s.browser()
	get := func(path string) error { return wire.expect(200, request("GET", s.address, path, headers, "")) }
	search := func(form url.Values) error {
		return wire.expect(303, request("POST", s.address, "/registry/records/search", headers, form.Encode()))
	}
	fixed := func(path string) func(int) error { return func(int) error { return get(path) } }
	took := map[string]float64{}
	for name, ask := range map[string]func(n int) error{
		rowList:       fixed("/registry/records"),
		rowStatistics: fixed("/registry/statistics"),
		rowProviders:  fixed("/registry/providers"),
		rowDuplicates: fixed("/registry/duplicates"),
		rowDetail:     func(n int) error { return get("/registry/records/" + details[n%len(details)].UUID) },
		rowSearch: func(n int) error {
			family, given := motherOf(int(s.filled) * n / pageTimes)
			given, _, _ = strings.Cut(given, " ")
			return errors.Join(search(url.Values{"q": {family + " " + given}}), get("/registry/records"))
		},
	} {
		var all []time.Duration
		for n, began := 0, time.Now(); n < pageTimes && time.Since(began) < pageTime; n++ {
			asked := time.Now()
			if err := ask(n); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			all = append(all, time.Since(asked))
		}
		took[name] = among(all).P50
		if name == rowSearch { // the session remembers the name, which would filter the list
			if err := search(url.Values{"clear": {"yes"}}); err != nil {
				return nil, err
			}
		}
	}
	return took, nil
}

// expect sends a request, and returns an error unless the answer has the given status.
func (w *wire) expect(status int, request []byte) error {
	got, err := w.ask(request)
	if err == nil && got != status {
		err = fmt.Errorf("answered %d", got)
	}
	return err
}

// someRecords returns pageTimes records of the first practice. They are spread evenly over the
// records that the curve has added.
func (s *installation) someRecords() (found []store.Record, err error) {
	var ids []int64
	for n := range pageTimes {
		ids = append(ids, 1+int64(s.filled)*int64(n)/pageTimes)
	}
	err = s.open(s.w.ctx, func(a *app.App) error {
		found, err = store.Read(s.w.ctx, a.DB, func(v *store.View) ([]store.Record, error) { return v.RecordsByID(s.practices[0], ids) })
		return err
	})
	if err == nil && len(found) != pageTimes {
		err = errors.New("records that were filled in are missing")
	}
	return found, err
}

// wholeFile runs the commands "check" and "backup", which read the whole database. It returns how
// many seconds each command takes.
func (s *installation) wholeFile() (map[string]float64, error) {
	checked, err := s.command("check")
	if err != nil {
		return nil, err
	}
	folder, err := s.w.tempFolder()
	if err != nil {
		return nil, err
	}
	copied, err := s.command("backup", filepath.Join(folder, "copy.db"))
	err = errors.Join(err, os.RemoveAll(folder)) // it is as large as the database
	return map[string]float64{rowCheck: checked.took.Seconds(), rowBackup: copied.took.Seconds()}, err
}

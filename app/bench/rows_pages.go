package main

import (
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"time"

	"birthregistry/app/stats"
)

// These rows measure the page of statistics.

const (
	servicePage = "statistics page"
	scanByHand  = "one hand-written scan"
)

var pageGroups = []group{
	{name: "statistics", rows: []row{
		{"statistics page, 100,000 records", servicePage, scanByHand, rate, atLeast(0.25)},
	}, ways: statistics},
}

// statistics measures the page of statistics, with every measure and all years that have records.
// It requests the page as a signed-in user's browser does. The reference is scan.
func statistics(w *workshop) (map[string]way, error) {
	s, err := w.filled(int(w.scale.pick(100_000, 2_000)))
	if err != nil {
		return nil, err
	}
	if err := s.serveSignedIn(); err != nil {
		return nil, err
	}
	last := stats.LastYear(time.Now()).Last
	from := last - stats.MaxMonths + 1
	p := plan{
		Address: s.address, Method: "GET", Path: fmt.Sprintf("/registry/statistics?from=%s&to=%s", from, last),
		Headers: []string{"Cookie: " + s.cookie}, Status: http.StatusOK, Callers: 1,
		Warm: w.scale.round.Seconds() / 4, Time: w.scale.round.Seconds(),
	}
	db, err := sql.Open("sqlite", "file:"+s.db+"?mode=ro")
	if err != nil {
		return nil, err
	}
	w.undo = append(w.undo, db.Close)
	return map[string]way{
		servicePage: func() (Figure, error) { return s.run(p) },
		scanByHand: func() (Figure, error) {
			return timed(w.scale.round, func() error { return scan(db, from.String(), last.String()) }, 0)
		},
	}, nil
}

// scan is the reference for the page of statistics. In one pass over the records, it counts the
// births by attendant and by each fact in the column outcome, which has one byte for each fact.
func scan(db *sql.DB, from, to string) error {
	rows, err := db.Query(`
		select coalesce(attendant, ''), outcome from records
		where practice = 1 and state = 'active' and birth_month >= ? and birth_month <= ?`, from, to)
	if err != nil {
		return err
	}
	defer rows.Close() //nolint:errcheck // the error is that of rows.Err
	type tally [64][128]int
	tallies, seen := map[string]*tally{}, 0
	var attendant, outcome sql.RawBytes
	for rows.Next() {
		if err := rows.Scan(&attendant, &outcome); err != nil {
			return err
		}
		t := tallies[string(attendant)]
		if t == nil {
			t = &tally{}
			tallies[string(attendant)] = t
		}
		for i, class := range outcome[:min(len(outcome), len(t))] {
			t[i][class&127]++
		}
		seen++
	}
	if seen == 0 {
		return errors.New("there is nothing to scan")
	}
	return rows.Err()
}

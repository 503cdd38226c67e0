package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"
)

// curve holds the measured times of each row, in seconds. The keys are an amount of records and
// practices, and the name of a row.
type curve struct {
	records, practices []amount // both series begin with the same amount
	times              map[amount]map[string]float64
}

// amounts returns all amounts of the curve. Both series begin with the same amount, which amounts
// returns only once.
func (c *curve) amounts() []amount {
	return append(c.records[:len(c.records):len(c.records)], c.practices[1:]...)
}

// add adds the times of a round. For each row, it keeps only the shortest time of all rounds,
// because other work on the machine can only make a time longer.
func (c *curve) add(of amount, took map[string]float64) {
	if c.times[of] == nil {
		c.times[of] = map[string]float64{}
	}
	for row, seconds := range took {
		if before, measured := c.times[of][row]; !measured || seconds < before {
			c.times[of][row] = seconds
		}
	}
}

// growth returns how much a row's time grows. byRecords is the time at the largest number of
// records, divided by the time at the second smallest. byPractices is the time at the largest
// number of practices, divided by the time at one practice.
func (c *curve) growth(row string) (byRecords, byPractices float64) {
	at := func(a amount) float64 { return c.times[a][row] }
	return at(c.records[len(c.records)-1]) / at(c.records[1]), at(c.practices[len(c.practices)-1]) / at(c.practices[0])
}

func (c *curve) print(to io.Writer) error {
	fmt.Fprintf(to, "\n%s, commit %s, %s, %d CPUs\n\n", time.Now().UTC().Format(time.DateTime), commit(), runtime.Version(), runtime.NumCPU())
	t := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	head := []string{"row"}
	for _, of := range c.amounts() {
		head = append(head, of.String())
	}
	fmt.Fprintf(t, "%s\t%s ÷ %s\t%s ÷ 1\n", strings.Join(head, "\t"), c.records[len(c.records)-1], c.records[1], c.practices[len(c.practices)-1])
	for _, row := range curveRows {
		cells := []string{row}
		for _, of := range c.amounts() {
			cells = append(cells, short(c.times[of][row]))
		}
		byRecords, byPractices := c.growth(row)
		fmt.Fprintf(t, "%s\t%.3g\t%.3g\n", strings.Join(cells, "\t"), byRecords, byPractices)
	}
	return t.Flush()
}

// measureAndDraw measures the curve, prints its table and writes its chart to a file. chart is the
// name of the file.
func measureAndDraw(w *workshop, only, chart string) error {
	if only != "growth" {
		return errors.New("-scale is for the growth alone: go run ./app/bench -only growth -scale")
	}
	c, err := measureCurve(w)
	if err != nil {
		return err
	}
	if err := c.print(os.Stdout); err != nil {
		return err
	}
	return os.WriteFile(chart, []byte(c.svg()), 0o600)
}

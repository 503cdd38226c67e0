package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"birthregistry/assets"
)

// Result holds the measured rows of one run of the command.
type Result struct {
	When   time.Time `json:"when"`
	Commit string    `json:"commit"`
	Go     string    `json:"go"`
	CPUs   int       `json:"cpus"`
	Quick  bool      `json:"quick,omitzero"`
	Rows   []Row     `json:"rows"`
}

// Row is a measured row of the table.
type Row struct {
	Name      string  `json:"name"`
	Reference string  `json:"reference"`
	Ratio     float64 `json:"ratio"` // of the service to the reference
	Lowest    float64 `json:"lowest"`
	Highest   float64 `json:"highest"`
	Goal      string  `json:"goal"`
	Met       bool    `json:"met"`
	Service   Figure  `json:"service"`
	Against   Figure  `json:"against"`
}

func (r Result) print(to io.Writer) {
	fmt.Fprintf(to, "\n%s, commit %s, %s, %d CPUs\n", r.When.Format(time.DateTime), r.Commit, r.Go, r.CPUs)
	if r.Quick {
		fmt.Fprintln(to, "A quick run shows that every row runs. It shows nothing about speed.")
	}
	fmt.Fprintln(to)
	t := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "row\tratio\trounds\tgoal\t\tservice: a second\tp50\tp99\tbytes\treference\ta second\tp50\tp99\tbytes")
	for _, row := range r.Rows {
		met := "met"
		if !row.Met {
			met = "NOT MET"
		}
		fmt.Fprintf(t, "%s\t%.3g\t%.3g–%.3g\t%s\t%s\t%s\t%s\t%s\n", row.Name, row.Ratio, row.Lowest, row.Highest, row.Goal, met,
			row.Service, row.Reference, row.Against)
	}
	t.Flush() //nolint:errcheck // a terminal
	if !r.Quick && slices.ContainsFunc(r.Rows, func(row Row) bool { return !row.Met }) {
		fmt.Fprintf(to, "\n%s\n", notes())
	}
}

// notes returns the part of the guide's page about speed that explains why some rows miss their
// goals. It returns "" if the page has no such part.
func notes() string {
	page, err := assets.Guides.ReadFile("guides/speed.md")
	if err != nil {
		return ""
	}
	const begin, end = "\nWhy some rows miss their goals", "\n\nCompared with"
	_, rest, found := strings.Cut(string(page), begin)
	why, _, ends := strings.Cut(rest, end)
	if !found || !ends {
		return ""
	}
	return strings.TrimSpace(begin + why)
}

// String returns the figure as columns of the table.
func (f Figure) String() string {
	columns := []string{"", "", "", ""}
	if f.Rate > 0 {
		columns[0] = humanize.FormatFloat("#,###.", f.Rate)
	}
	if f.P50 > 0 {
		columns[1] = short(f.P50)
	}
	if f.P99 > 0 {
		columns[2] = short(f.P99)
	}
	if f.Bytes > 0 {
		columns[3] = humanize.IBytes(uint64(f.Bytes))
	}
	return strings.Join(columns, "\t")
}

// short formats a number of seconds with three digits and a unit.
func short(seconds float64) string {
	switch {
	case seconds < 1e-3:
		return fmt.Sprintf("%.3gµs", seconds*1e6)
	case seconds < 1:
		return fmt.Sprintf("%.3gms", seconds*1e3)
	}
	return fmt.Sprintf("%.3gs", seconds)
}

// since prints how the ratios have changed since an earlier run, whose results are in the file at
// path.
func (r Result) since(to io.Writer, path string) error {
	doc, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var then Result
	if err := json.Unmarshal(doc, &then); err != nil {
		return fmt.Errorf("%s was not written by -json: %w", path, err)
	}
	before := map[string]Row{}
	for _, row := range then.Rows {
		before[row.Name+row.Reference] = row
	}
	fmt.Fprintf(to, "\nSince commit %s, %s:\n\n", then.Commit, then.When.Format(time.DateTime))
	t := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "row\treference\tthen\tnow\tnow ÷ then")
	for _, row := range r.Rows {
		if old, known := before[row.Name+row.Reference]; known {
			fmt.Fprintf(t, "%s\t%s\t%.3g\t%.3g\t%.3g\n", row.Name, row.Reference, old.Ratio, row.Ratio, row.Ratio/old.Ratio)
		}
	}
	return t.Flush()
}

func (r Result) write(path string) error {
	doc, err := json.Marshal(r, jsontext.WithIndent("  "))
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(doc, '\n'), 0o600)
}

// commit returns the name of the measured commit, or "unknown".
func commit() string {
	out, err := exec.Command("git", "describe", "--always", "--dirty").Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}

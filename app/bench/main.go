// Command bench measures the speed of the program as it is shipped, and prints one table. Every row
// is a ratio between the service and a reference. Both are measured alternately, in the same run
// and on the same machine. The table also has the absolute figures, for which there are no goals.
//
// assets/guides/speed.md lists the commands, except these:
//
//	go run ./app/bench -quick      runs each row once and briefly; shows nothing about speed
//	go run ./app/bench practices   measures an appliance with 500 practices, and moves one of them
//	go run ./app/bench report      measures the yearly report of many births
//
// The program, the servers with which it is compared, and the load run in separate processes. The
// process that makes the load is this command, started again.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"time"
)

// roles are the subcommands of this program. The program starts itself with some of these
// subcommands.
var roles = map[string]func() error{
	"profile":   profileRole,
	"profiled":  profiledRole,
	"practices": practicesRole,
	"report":    reportRole,
	"load":      loadRole,
	"echo":      echoRole,
	"plain":     plainRole,
}

func main() {
	role := run
	if len(os.Args) > 1 && roles[os.Args[1]] != nil {
		role = roles[os.Args[1]]
	}
	if err := role(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// scale holds the number of rounds of each measurement and how long one round takes. quick is set
// for a run that only checks that every row runs, so its times mean nothing.
type scale struct {
	rounds int
	round  time.Duration
	quick  bool
}

// pick returns quick in a quick run, and otherwise full.
func (s scale) pick(full, quick uint64) uint64 {
	if s.quick {
		return quick
	}
	return full
}

// rest is how long the benchmark waits before it reads the idle memory of a program. By then, the
// service has returned the memory that it needed for its start.
func (s scale) rest() time.Duration { return time.Duration(s.pick(20, 1)) * time.Second }

// groups returns all groups of rows, in the order of the table.
func groups(soak time.Duration) []group {
	return slices.Concat(
		acceptGroups, completeGroups, batchGroups, readGroups(), growthGroups, queueGroups, pageGroups,
		applianceGroups, walGroups(soak),
	)
}

const help = `Measure the speed of the program as it is shipped, and print a table of ratios to references that
are measured in the same run. Without flags, it takes about fifteen minutes and three gigabytes.

  go run ./app/bench [flags]
  go run ./app/bench -quick              run each row once and briefly, to see that it runs
  go run ./app/bench -only 'accept|batch'
  go run ./app/bench practices [flags]   measure an appliance with 500 practices, and move one of them
  go run ./app/bench report [flags]      measure the yearly report of many births
  go run ./app/bench profile [flags]     write CPU and allocation profiles

Flags:
`

func run() error {
	quick := flag.Bool("quick", false, "run each row once and briefly, to see that it runs")
	rounds := flag.Int("rounds", 3, "how often each way is measured")
	round := flag.Duration("round", 3*time.Second, "how long a round of load takes")
	only := flag.String("only", "", "run the groups whose name matches this regular expression")
	to := flag.String("json", "", "also write the results to this file")
	compare := flag.String("compare", "", "print what has changed since this file of results")
	curves := flag.Bool("scale", false, "with -only growth: measure every piece of work from 1,000 to 1,000,000 records and from 1 to 5,000 practices instead")
	chart := flag.String("svg", "growth.svg", "with -scale: the file for the chart")
	soak := flag.Duration("soak", 10*time.Minute, "how long the WAL is watched under load; 1h for the hour that the goal names")
	folder := flag.String("dir", "", "folder for the databases, on a real disk (default: the system's temporary folder)")
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), help)
		flag.PrintDefaults()
		fmt.Fprintln(flag.CommandLine.Output(), "\nGroups for -only:")
		for _, g := range groups(*soak) {
			fmt.Fprintln(flag.CommandLine.Output(), "  "+g.name)
		}
	}
	flag.Parse()
	wanted, err := regexp.Compile(*only)
	switch {
	case flag.NArg() > 0:
		return fmt.Errorf("there is no command %q; see: go run ./app/bench -help", flag.Arg(0))
	case err != nil:
		return errors.New("-only takes a regular expression; see: go run ./app/bench -help")
	case *rounds < 1:
		return errors.New("-rounds must be at least 1")
	}
	s := scale{*rounds, *round, *quick}
	if s.quick {
		s.rounds, s.round, *soak = 1, 300*time.Millisecond, 2*time.Second
	}
	return inWorkshop(s, *folder, func(w *workshop) error {
		if *curves {
			return measureAndDraw(w, wanted.String(), *chart)
		}
		result := Result{When: time.Now().UTC().Truncate(time.Second), Commit: commit(), Go: runtime.Version(), CPUs: runtime.NumCPU(), Quick: *quick}
		for _, g := range groups(*soak) {
			if !wanted.MatchString(g.name) || w.ctx.Err() != nil {
				continue
			}
			rows, err := g.run(w)
			if err != nil {
				return fmt.Errorf("%s: %w", g.name, err)
			}
			result.Rows = append(result.Rows, rows...)
		}
		result.print(os.Stdout)
		if *compare != "" {
			err = result.since(os.Stdout, *compare)
		}
		if *to != "" {
			err = errors.Join(err, result.write(*to))
		}
		return err
	})
}

// Command bench measures the speed of the program as it is shipped, and prints
// one table. Every row is a ratio: between our way and a reference that does
// the same work in the same run on the same machine, in turns. Absolute figures
// stand beside it for the reader and bind nobody.
//
//	go run ./app/bench                    the table
//	go run ./app/bench -json now.json     and the same for a program to read
//	go run ./app/bench -compare then.json what has changed since
//	go run ./app/bench -only accept       the rows whose name matches
//	go run ./app/bench -quick             each row once and briefly; says nothing of speed
//	go run ./app/bench profile            what accept and process spend their time and memory on
//
// It runs everything in processes of their own: the program, its peers, and the
// load, which is this program once more.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"slices"
	"time"
)

// roles are what this program is when it is started by itself.
var roles = map[string]func() error{
	"profile":  profileRole,
	"profiled": profiledRole,
	"load":     loadRole,
	"echo":     echoRole,
	"plain":    plainRole,
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

// scale says how long and how often is measured.
type scale struct {
	rounds int
	round  time.Duration
	quick  bool
}

// pick is how much there is of something: less of it in a quick run.
func (s scale) pick(full, quick uint64) uint64 {
	if s.quick {
		return quick
	}
	return full
}

// rest is how long a program is left alone before its memory is read: ours gives
// back by itself what its start took.
func (s scale) rest() time.Duration { return time.Duration(s.pick(20, 1)) * time.Second }

// groups are all there is to measure, in the order of the table.
func groups(soak time.Duration) []group {
	return slices.Concat(
		acceptGroups(), completeGroups(), batchGroups(), readGroups(), growthGroups(), queueGroups(), pageGroups(),
		applianceGroups(), walGroups(soak),
	)
}

func run() error {
	quick := flag.Bool("quick", false, "run each row once and briefly, to see that it runs")
	rounds := flag.Int("rounds", 3, "how often each way has its turn")
	round := flag.Duration("round", 3*time.Second, "how long a turn of load takes")
	only := flag.String("only", "", "run the groups whose name matches this regular expression")
	to := flag.String("json", "", "write the results to this file, too")
	compare := flag.String("compare", "", "print what has changed since this file of results")
	soak := flag.Duration("soak", 10*time.Minute, "how long the log is watched under load; 1h for the hour that the goal names")
	folder := flag.String("dir", "", "folder for the databases, on a real disk (default: the system's temporary folder)")
	flag.Parse()
	wanted, err := regexp.Compile(*only)
	if err != nil || flag.NArg() > 0 || *rounds < 1 {
		return errors.New("see: go run ./app/bench -help")
	}
	s := scale{*rounds, *round, *quick}
	if s.quick {
		s.rounds, s.round, *soak = 1, 300*time.Millisecond, 2*time.Second
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	w, err := openWorkshop(ctx, s, *folder)
	if err != nil {
		return err
	}
	result := Result{When: time.Now().UTC().Truncate(time.Second), Commit: commit(), Go: runtime.Version(), CPUs: runtime.NumCPU(), Quick: *quick}
	for _, g := range groups(*soak) {
		if !wanted.MatchString(g.name) || ctx.Err() != nil {
			continue
		}
		rows, err := g.run(w)
		if err != nil {
			return errors.Join(fmt.Errorf("%s: %w", g.name, err), w.close())
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
	return errors.Join(err, w.close())
}

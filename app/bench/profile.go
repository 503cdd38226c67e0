package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"strconv"
	"time"

	"birthregistry/app"
)

type profiling struct {
	name string
	// before runs without profiling. After it, under runs with profiling.
	before, under func(s *installation) error
	workers       int
	practices     int
}

// profiled lists the profiles to make. The process that serves the database records each profile
// itself.
var profiled = []profiling{
	{"accept", nil, acceptLoad, 0, 8},
	{"process", backlogLoad, nil, 2, 8},
	{"practices", nil, acceptLoad, 2, 64},
	{"batch", nil, batchLoad, 2, 8},
}

func acceptLoad(s *installation) error {
	_, err := s.run(s.post(course(lean), 64, s.w.scale.round))
	return err
}

func backlogLoad(s *installation) error {
	p := s.post(course(lean), 64, time.Minute)
	p.Warm, p.Most = 0, s.w.scale.pick(40_000, 500)
	_, err := s.run(p)
	return err
}

func batchLoad(s *installation) error {
	_, err := s.through(batch(course(lean), int(s.next), int(s.w.scale.pick(20_000, 500))))
	return err
}

// profileRole makes the profiles in the list profiled. It writes them to the folder in the flag
// -into, by default ./profiles.
func profileRole() error {
	flags := flag.NewFlagSet("go run ./app/bench profile", flag.ExitOnError)
	folder := flags.String("into", "profiles", "folder for the profiles")
	quick := flags.Bool("quick", false, "briefly, to see that it runs")
	if err := flags.Parse(os.Args[2:]); err != nil {
		return err
	}
	into, err := filepath.Abs(*folder)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(into, 0o700); err != nil {
		return err
	}
	s := scale{rounds: 1, round: 10 * time.Second, quick: *quick}
	if s.quick {
		s.round = 300 * time.Millisecond
	}
	return inWorkshop(s, "", func(w *workshop) error {
		for _, p := range profiled {
			if err := w.profile(into, p); err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
		}
		return nil
	})
}

func (w *workshop) profile(into string, of profiling) error {
	defer w.tidy() //nolint:errcheck // what could not be ended ends with the run
	s, err := w.provided(of.practices)
	if err != nil {
		return err
	}
	if of.before != nil {
		if err := s.serve("--workers", "0"); err != nil {
			return err
		}
		if err := errors.Join(of.before(s), s.stop()); err != nil {
			return err
		}
	}
	if s.process, err = w.start("", os.Args[0], "profiled", s.db, filepath.Join(into, of.name), strconv.Itoa(of.workers)); err != nil {
		return err
	}
	if of.under != nil {
		if err := of.under(s); err != nil {
			return err
		}
	}
	if of.workers > 0 {
		if err := s.drained(w.ctx); err != nil {
			return err
		}
	}
	if err := s.stop(); err != nil {
		return err
	}
	for _, kind := range []string{"cpu", "allocs"} {
		file := filepath.Join(into, of.name+"."+kind+".pprof")
		top := exec.CommandContext(w.ctx, "go", "tool", "pprof", "-top", "-cum", "-nodecount", "25", "-show", "birthregistry|^runtime.gc|database/sql.*Exec|syscall.Syscall", file)
		top.Stdout, top.Stderr = os.Stdout, os.Stderr
		fmt.Printf("\n== go tool pprof -http :8081 %s\n", file)
		if err := top.Run(); err != nil {
			return err
		}
	}
	return nil
}

// profiledRole serves a database as the program does, and writes profiles when it ends. Its
// arguments are the database, the beginning of the profiles' file names, and how many chunks are
// processed at the same time.
func profiledRole() (err error) {
	workers, err := strconv.Atoi(os.Args[4])
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	config := benched(os.Args[2])
	config.Ingest.Workers = workers
	a, err := app.Open(ctx, config)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	cpu, err := os.Create(os.Args[3] + ".cpu.pprof")
	if err != nil {
		return err
	}
	runtime.MemProfileRate = 64 << 10
	if err := pprof.StartCPUProfile(cpu); err != nil {
		return err
	}
	fmt.Printf("http://%s\n", listener.Addr())
	err = a.Serve(ctx, listener)
	pprof.StopCPUProfile()
	allocs, fail := os.Create(os.Args[3] + ".allocs.pprof")
	if fail != nil {
		return errors.Join(err, fail)
	}
	runtime.GC() // allocations are reported as of the last collection
	return errors.Join(err, cpu.Close(), pprof.Lookup("allocs").WriteTo(allocs, 0), allocs.Close())
}

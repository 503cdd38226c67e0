package main

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// What a small machine feels: how large the program is, how soon it answers
// over a database that it knows, and what it holds when it waits.

const (
	oursProgram = "the program"
	theProgram  = "PocketBase"
	oursFile    = "the program's file"
	theirFile   = "PocketBase's file"
)

func applianceGroups() []group {
	return []group{
		{name: "appliance", rows: []row{
			{"binary", oursFile, theirFile, bytes, atMost(0.6)},
			{"start to the first answer, p50", oursProgram, theProgram, p50, atMost(0.6)},
			{"idle memory", oursProgram, theProgram, bytes, atMost(0.6)},
		}, ways: appliance},
	}
}

// starts is how often the start is measured in a turn.
const starts = 7

func appliance(w *workshop) (map[string]way, error) {
	ours, err := w.site(1)
	if err != nil {
		return nil, err
	}
	if err := ours.stop(); err != nil {
		return nil, err
	}
	folder, err := w.room()
	if err != nil {
		return nil, err
	}
	theirs, err := w.startPocketBase(folder)
	if err != nil {
		return nil, err
	}
	if err := theirs.stop(); err != nil {
		return nil, err
	}
	return map[string]way{
		oursFile:  func() (Figure, error) { return sizeOf(w.programs["birthregistry"]) },
		theirFile: func() (Figure, error) { return sizeOf(w.programs["pocketbase"]) },
		oursProgram: w.waits(w.programs["birthregistry"], "/health/json", func(address string) []string {
			return []string{"serve", "--db", ours.db, "--listen", address}
		}),
		theProgram: w.waits(w.programs["pocketbase"], "/api/health", func(address string) []string {
			return []string{"serve", "--http", address, "--dir", folder}
		}),
	}, nil
}

func sizeOf(file string) (Figure, error) {
	info, err := os.Stat(file)
	if err != nil {
		return Figure{}, err
	}
	return Figure{Bytes: float64(info.Size())}, nil
}

// waits starts a program again and again, and lets it wait at last.
func (w *workshop) waits(program, health string, arguments func(address string) []string) way {
	return func() (f Figure, err error) {
		var took []time.Duration
		for n := range starts {
			address, err := freeAddress()
			if err != nil {
				return f, err
			}
			began := time.Now()
			p, err := w.boot(address, health, program, arguments(address)...)
			took = append(took, time.Since(began))
			if err != nil {
				return f, err
			}
			if n == starts-1 {
				time.Sleep(w.scale.rest())
				f.Bytes, _, err = p.memory()
			}
			if err = errors.Join(err, p.stop()); err != nil {
				return f, err
			}
		}
		f.among(took)
		return f, nil
	}
}

// boot starts a program and asks until it is well.
func (w *workshop) boot(address, health, program string, arguments ...string) (*process, error) {
	p := &process{cmd: exec.CommandContext(w.ctx, program, arguments...), address: address}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	w.undo = append(w.undo, p.stop)
	for began := time.Now(); time.Since(began) < time.Minute; time.Sleep(500 * time.Microsecond) {
		answer, err := http.Get("http://" + address + health)
		if err == nil && answer.Body.Close() == nil && answer.StatusCode == http.StatusOK {
			return p, nil
		}
	}
	return nil, fmt.Errorf("%s is not well", filepath.Base(program))
}

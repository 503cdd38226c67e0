package main

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"birthregistry/app/apptest"
)

// These rows measure what matters on a small machine: the size of the program, how soon it answers
// when it starts with an existing database, and its memory when idle.

const (
	serviceProgram    = "the program"
	pocketBaseProgram = "PocketBase"
	serviceFile       = "the program's file"
	pocketBaseFile    = "PocketBase's file"
)

var applianceGroups = []group{
	{name: "appliance", rows: []row{
		{"binary", serviceFile, pocketBaseFile, bytes, atMost(0.9)},
		{"start to the first answer, p50", serviceProgram, pocketBaseProgram, p50, atMost(1)},
		{"idle memory", serviceProgram, pocketBaseProgram, bytes, atMost(0.7)},
	}, ways: appliance},
}

// starts is how many times a round starts each program.
const starts = 7

func appliance(w *workshop) (map[string]way, error) {
	service, err := w.installation(1)
	if err != nil {
		return nil, err
	}
	if err := service.stop(); err != nil {
		return nil, err
	}
	folder, err := w.tempFolder()
	if err != nil {
		return nil, err
	}
	pocketBase, err := w.startPocketBase(folder)
	if err != nil {
		return nil, err
	}
	if err := pocketBase.stop(); err != nil {
		return nil, err
	}
	return map[string]way{
		serviceFile:    func() (Figure, error) { return sizeOf(w.programs["birthregistry"]) },
		pocketBaseFile: func() (Figure, error) { return sizeOf(w.programs["pocketbase"]) },
		serviceProgram: w.waits(w.programs["birthregistry"], "/health/json", service.starting),
		pocketBaseProgram: w.waits(w.programs["pocketbase"], "/api/health", func(address string) []string {
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

// starting returns the arguments with which the program serves the installation at an address.
func (s *installation) starting(address string) []string {
	return []string{"serve", "--db", s.db, "--listen", address}
}

// waits returns a way that starts a program repeatedly. For each start, the way measures the time
// until the program answers. It also measures the idle memory of the last process.
func (w *workshop) waits(program, health string, arguments func(address string) []string) way {
	return func() (Figure, error) {
		var idle float64
		took, err := w.startTimes(program, health, arguments, func(p *process) (err error) {
			time.Sleep(w.scale.rest())
			idle, _, err = p.memory()
			return err
		})
		if err != nil {
			return Figure{}, err
		}
		f := among(took)
		f.Bytes = idle
		return f, nil
	}
}

// startTimes starts and stops a program repeatedly. For each start, it returns how long it took
// until the health check passed. Before it stops the last process, it calls idle with that process.
func (w *workshop) startTimes(
	program, health string, arguments func(address string) []string, idle func(*process) error,
) (took []time.Duration, err error) {
	for n := range starts {
		address, err := apptest.UnusedAddress()
		if err != nil {
			return nil, err
		}
		began := time.Now()
		p, err := w.boot(address, health, program, arguments(address)...)
		took = append(took, time.Since(began))
		if err == nil && n == starts-1 {
			err = idle(p)
		}
		if err == nil {
			err = p.stop()
		}
		if err != nil {
			return nil, err
		}
	}
	return took, nil
}

// boot starts a program and waits until its health check passes.
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
	return nil, fmt.Errorf("%s did not pass its health check within a minute", filepath.Base(program))
}

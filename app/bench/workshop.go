package main

import (
	stdbytes "bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// workshop holds what a run of the benchmark needs: a folder with the programs that it has built,
// and the processes of the group of rows that it is measuring.
type workshop struct {
	ctx    context.Context
	scale  scale
	folder string
	// undo has the functions that clean up after the current group of rows. The last one is called
	// first.
	undo []func() error
	// programs holds the paths of the programs built so far. The keys are package paths.
	programs map[string]string
}

// inWorkshop calls fn with a new workshop, whose folder is below parent. When fn has returned,
// inWorkshop ends the processes that fn has started and deletes the folder. An interrupt from the
// terminal cancels the workshop's context.
func inWorkshop(s scale, parent string, fn func(w *workshop) error) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	folder, err := os.MkdirTemp(parent, "birthregistry-bench-")
	if err != nil {
		return err
	}
	w := &workshop{ctx: ctx, scale: s, folder: folder, programs: map[string]string{}}
	return errors.Join(fn(w), w.tidy(), os.RemoveAll(folder))
}

// tidy ends the processes and deletes the folders of the current group of rows.
func (w *workshop) tidy() (err error) {
	for _, undo := range slices.Backward(w.undo) {
		err = errors.Join(err, undo())
	}
	w.undo = nil
	return err
}

// tempFolder creates a folder, which tidy deletes, and returns its path.
func (w *workshop) tempFolder() (string, error) {
	folder, err := os.MkdirTemp(w.folder, "")
	w.undo = append(w.undo, func() error { return os.RemoveAll(folder) })
	return folder, err
}

// program builds a program, stripped like a release, and returns its path. It builds each program
// only once in a run. folder is the folder of the program's module, relative to the project's root.
func (w *workshop) program(name, folder string) (string, error) {
	if path := w.programs[name]; path != "" {
		return path, nil
	}
	sources, err := sources(folder)
	if err != nil {
		return "", err
	}
	path := filepath.Join(w.folder, name)
	cmd := exec.CommandContext(w.ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", path, ".")
	cmd.Dir = sources
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", name, err, out)
	}
	w.programs[name] = path
	return path, nil
}

// sources returns the path of a folder in the project. folder is relative to the project's root.
func sources(folder string) (string, error) {
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return "", fmt.Errorf("run it inside the project: %w", err)
	}
	return filepath.Join(strings.TrimSpace(string(root)), folder), nil
}

// process is a running server.
type process struct {
	cmd     *exec.Cmd
	address string // host:port
	log     string // file
}

var anAddress = regexp.MustCompile(`http://([0-9.]+:[0-9]+)`)

// start starts a server with input as its standard input. It waits until the server has printed its
// address, on standard output or standard error, and answers requests there.
func (w *workshop) start(input string, command ...string) (*process, error) {
	p := &process{cmd: exec.CommandContext(w.ctx, command[0], command[1:]...)}
	file, err := os.CreateTemp(w.folder, "log-")
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // the process has its own
	p.log, p.cmd.Stdout, p.cmd.Stderr, p.cmd.Stdin = file.Name(), file, file, strings.NewReader(input)
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	w.undo = append(w.undo, p.stop)
	for began := time.Now(); time.Since(began) < time.Minute; time.Sleep(time.Millisecond) {
		printed, err := os.ReadFile(p.log)
		if err != nil {
			return nil, err
		}
		if at := anAddress.FindSubmatch(printed); at != nil {
			p.address = string(at[1])
			return p, p.answers()
		}
	}
	return nil, fmt.Errorf("%s did not start; its output: %s", filepath.Base(command[0]), p.output())
}

// answers waits until the server answers a request.
func (p *process) answers() error {
	for began := time.Now(); ; time.Sleep(time.Millisecond) {
		answer, err := http.Get("http://" + p.address + "/")
		if err == nil {
			return answer.Body.Close()
		}
		if time.Since(began) > time.Minute {
			return fmt.Errorf("it does not answer: %w", err)
		}
	}
}

// output returns the end of what the process has printed, at most 2,000 bytes.
func (p *process) output() string {
	text, _ := os.ReadFile(p.log) // the caller's error is useful without the output
	return string(stdbytes.TrimSpace(text[max(0, len(text)-2000):]))
}

// stop ends the process, unless it has already ended.
func (p *process) stop() error {
	if p.cmd.ProcessState != nil {
		return nil
	}
	err := p.cmd.Process.Signal(os.Interrupt)
	_ = p.cmd.Wait() // however it ends
	return err
}

// memory returns the process's resident memory and its peak, in bytes.
func (p *process) memory() (now, peak float64, err error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0, 0, fmt.Errorf("memory is measured on Linux: %w", err)
	}
	read := func(name string) float64 {
		kib := 0.0
		if at := regexp.MustCompile(name + `:\s+(\d+)`).FindSubmatch(status); at != nil {
			_, err = fmt.Sscan(string(at[1]), &kib)
		}
		return kib * 1024
	}
	return read("VmRSS"), read("VmHWM"), err
}

// onDisk returns the total size of the files in a folder, in bytes.
func onDisk(folder string) (size float64) {
	_ = filepath.WalkDir(folder, func(_ string, d fs.DirEntry, err error) error { // a file that is gone has no size
		if err != nil || d.IsDir() {
			return nil
		}
		if info, err := d.Info(); err == nil {
			size += float64(info.Size())
		}
		return nil
	})
	return size
}

// Package task starts all goroutines of the program. Each one has a name, a panic ends
// only that one, and its starter can wait for its end. The log gets the name and the
// stack, never the panic's value, which could quote patient data.
package task

import (
	"errors"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
)

// ErrPanic means that a task panicked. The log has the place. The panic's value is dropped,
// because it might quote patient data.
var ErrPanic = errors.New("task: failed in the program itself; see the log")

var running, panics atomic.Int64

// Go runs fn in a goroutine. The channel delivers its error, or ErrPanic.
func Go(log *slog.Logger, name string, fn func() error) <-chan error {
	end := make(chan error, 1)
	running.Add(1)
	go func() {
		defer running.Add(-1)
		end <- Do(log, name, fn)
	}()
	return end
}

// Do runs fn in the present goroutine and turns a panic into ErrPanic.
func Do(log *slog.Logger, name string, fn func() error) (err error) {
	defer func() {
		if recover() != nil {
			Caught(log, name, Stack())
			err = ErrPanic
		}
	}()
	return fn()
}

// Caught counts and logs a panic that its caller has recovered from, with its
// place (Stack) and never its value. more are further attributes of the line.
func Caught(log *slog.Logger, name, stack string, more ...any) {
	panics.Add(1)
	log.Error("task panicked", append([]any{"task", name, "stack", stack}, more...)...)
}

// Stack returns the place of a panic, for a caller that recovers from it.
func Stack() string { return string(debug.Stack()) }

// Counts returns how many tasks run now and how many panics were caught so far,
// in tasks and elsewhere.
func Counts() (now, panicked int64) { return running.Load(), panics.Load() }

// Package task starts all goroutines of the program. Each goroutine has a name. A panic ends only
// the goroutine in which it occurs, and the code that starts a goroutine can wait for its end. The
// log gets the name and the stack, never the panic's value, which could quote patient data.
package task

import (
	"errors"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
)

// ErrPanic means that a task panicked. The log has the stack, but not the panic's value, which
// might quote patient data.
var ErrPanic = errors.New("task: the program has a defect; see the log")

var running, panics atomic.Int64

// Go runs fn in a new goroutine. The channel receives the error that fn returns, or ErrPanic if fn
// panics.
func Go(log *slog.Logger, name string, fn func() error) <-chan error {
	end := make(chan error, 1)
	running.Add(1)
	go func() {
		defer running.Add(-1)
		end <- Do(log, name, fn)
	}()
	return end
}

// Do runs fn in the current goroutine. If fn panics, Do logs the stack and returns ErrPanic.
func Do(log *slog.Logger, name string, fn func() error) (err error) {
	defer func() {
		if recover() != nil {
			Caught(log, name, Stack())
			err = ErrPanic
		}
	}()
	return fn()
}

// Caught counts and logs a panic from which the caller has recovered. It logs the stack (see Stack)
// and the additional attributes in more, but never the panic's value.
func Caught(log *slog.Logger, name, stack string, more ...any) {
	panics.Add(1)
	log.Error("task panicked", append([]any{"task", name, "stack", stack}, more...)...)
}

// Stack returns the stack of the current goroutine, for a caller that has just recovered from a
// panic.
func Stack() string { return string(debug.Stack()) }

// Counts returns how many tasks are running now, and how many panics have been caught so far, in
// tasks and elsewhere.
func Counts() (now, panicked int64) { return running.Load(), panics.Load() }

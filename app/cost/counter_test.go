// Package cost_test counts the program's work for inputs of growing size, and fails where the
// work grows faster than n log n. It counts statements, the steps that SQLite's virtual
// machine takes for them, repeated preparations, and allocations, but never time: a count is
// the same on every machine and under every load.
package cost_test

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"unsafe"

	"modernc.org/libc"
	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"
)

// work is the cost of an action.
type work struct {
	statements int64 // statements run
	steps      int64 // of SQLite's virtual machine: each row that a statement visits takes some
	prepared   int64 // statements that the connection had prepared before
	allocated  int64 // objects
	commits    int64 // transactions that took the write lock
	// held is the number of steps in the longest transaction that wrote: all other writers
	// waited that long.
	held int64
}

func (w work) minus(before work) work {
	return work{
		w.statements - before.statements, w.steps - before.steps, w.prepared - before.prepared, w.allocated - before.allocated,
		w.commits - before.commits, 0,
	}
}

// part is one count. Growth below its trifle doesn't matter: a statement more or less, such as
// the note once a minute that a key was used, or the statements that the first transaction
// prepares for all later ones.
type part struct {
	name   string
	count  int64
	trifle float64
	by     *order // how fast it may grow; nil for as fast as the others
}

// parts are the counts in a fixed order.
func (w work) parts() []part {
	return []part{
		{name: "statements", count: w.statements, trifle: 8},
		{name: "steps", count: w.steps, trifle: 400},
		{name: "statements prepared again", count: w.prepared, trifle: 40},
		{name: "allocations", count: w.allocated, trifle: 1500},
	}
}

func (w work) String() string {
	return fmt.Sprintf("%d statements, %d steps, %d prepared again, %d allocations", w.statements, w.steps, w.prepared, w.allocated)
}

// counted holds what every connection of the process has done.
var counted struct {
	statements, steps, prepared, commits, held atomic.Int64
	under                                      sync.Map // connection -> *transaction
	cut                                        atomic.Pointer[cut]
}

// cut calls a function once this many statements have run.
type cut struct {
	at int64
	do func()
}

// transaction is one connection's transaction in progress.
type transaction struct {
	steps int64
	wrote bool
	known map[string]bool // the statements that the connection has run
}

// measure returns what fn costs. Its counts don't depend on the clock or on other work: an
// installation has no worker and opens all its connections at the start; it doesn't matter
// which of them the two goroutines of a batch take, since a connection's first preparation of
// a statement doesn't count; and the garbage collector, which empties pools, waits
// (undisturbed).
func measure(fn func()) (w work) {
	undisturbed(func() { w = count(fn) })
	return w
}

// undisturbed runs fn without garbage collections.
func undisturbed(fn func()) {
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(2 << 30))
	fn()
}

func count(fn func()) work {
	counted.held.Store(0)
	before := done()
	fn()
	w := done().minus(before)
	w.held = counted.held.Load()
	return w
}

func done() work {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return work{counted.statements.Load(), counted.steps.Load(), counted.prepared.Load(), int64(m.Mallocs), counted.commits.Load(), 0}
}

func init() { sqlite.RegisterConnectionHook(watch) }

// watch makes a connection count. The driver doesn't expose the SQLite functions for this, so
// watch takes SQLite's handle out of the driver's connection.
func watch(conn sqlite.ExecQuerierContext, _ string) error {
	inside := reflect.ValueOf(conn).Elem()
	handle, thread := inside.FieldByName("db"), inside.FieldByName("tls")
	if !handle.IsValid() || !thread.IsValid() {
		return errors.New("the driver keeps its handle elsewhere: mend watch")
	}
	tls := (*libc.TLS)(thread.UnsafePointer())
	if rc := lib.Xsqlite3_trace_v2(tls, uintptr(handle.Uint()), lib.SQLITE_TRACE_PROFILE, pointerTo(ended), 0); rc != lib.SQLITE_OK {
		return fmt.Errorf("the connection cannot be watched: SQLite code %d", rc)
	}
	counted.under.Store(uintptr(handle.Uint()), &transaction{known: map[string]bool{}}) // an earlier connection may have had the same handle
	return nil
}

// ended is called when a statement has run to its end.
func ended(tls *libc.TLS, _ uint32, _, statement, _ uintptr) int32 {
	steps := int64(lib.Xsqlite3_stmt_status(tls, statement, lib.SQLITE_STMTSTATUS_VM_STEP, 1))
	if n, c := counted.statements.Add(1), counted.cut.Load(); c != nil && c.at == n {
		c.do()
	}
	counted.steps.Add(steps)
	db := lib.Xsqlite3_db_handle(tls, statement)
	found, _ := counted.under.Load(db)
	tx := found.(*transaction)
	if lib.Xsqlite3_stmt_status(tls, statement, lib.SQLITE_STMTSTATUS_RUN, 0) == 1 {
		text := libc.GoString(lib.Xsqlite3_sql(tls, statement))
		if tx.known[text] {
			counted.prepared.Add(1)
		}
		tx.known[text] = true
	}
	tx.steps += steps
	tx.wrote = tx.wrote || lib.Xsqlite3_stmt_readonly(tls, statement) == 0
	if lib.Xsqlite3_get_autocommit(tls, db) != 0 { // the transaction has ended
		if tx.wrote {
			counted.commits.Add(1)
			counted.held.Store(max(counted.held.Load(), tx.steps))
		}
		*tx = transaction{known: tx.known}
	}
	return 0
}

// pointerTo hands a Go function to SQLite in the same way as the driver.
func pointerTo[T any](f T) uintptr { return *(*uintptr)(unsafe.Pointer(&struct{ f T }{f})) }

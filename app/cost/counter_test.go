// Package cost_test counts what the program does for what it is given, and fails
// where that grows faster than n log n. It counts statements, the steps that
// SQLite's machine takes for them, what is compiled, and allocations, never time:
// a count is the same on every machine and under every load.
package cost_test

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"modernc.org/libc"
	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"
)

// work is what something cost.
type work struct {
	statements int64 // that were run
	steps      int64 // of SQLite's machine: each row that a statement visits takes some
	compiled   int64 // what the compiler of statements was asked for
	allocated  int64 // objects
	// held is the most steps of one transaction that wrote: for so long all others
	// waited who had something to write.
	held int64
}

func (w work) minus(before work) work {
	return work{
		w.statements - before.statements, w.steps - before.steps, w.compiled - before.compiled, w.allocated - before.allocated, 0,
	}
}

// parts are the counts by name, in a fixed order.
func (w work) parts() []part {
	return []part{{"statements", w.statements}, {"steps", w.steps}, {"compiled", w.compiled}, {"allocations", w.allocated}}
}

type part struct {
	name  string
	count int64
}

func (w work) String() string {
	return fmt.Sprintf("%d statements, %d steps, %d compiled, %d allocations", w.statements, w.steps, w.compiled, w.allocated)
}

// counted has what every connection of the process has done.
var counted struct {
	statements, steps, compiled, held atomic.Int64
	under                             sync.Map // connection -> *transaction
}

// transaction is one under way, of one connection.
type transaction struct {
	steps int64
	wrote bool
}

// measure returns what fn costs.
func measure(fn func()) work {
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
	return work{counted.statements.Load(), counted.steps.Load(), counted.compiled.Load(), int64(m.Mallocs), 0}
}

func init() { sqlite.RegisterConnectionHook(watch) }

// watch has a connection count. What SQLite itself offers for this is not in the
// driver's own interface, so its handle is taken out of the driver's connection.
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
	return conn.(sqlite.AuthorizerRegisterer).RegisterAuthorizer(
		func(sqlite.AuthorizerActionCode, string, string, string, string) sqlite.AuthorizerReturnCode {
			counted.compiled.Add(1)
			return sqlite.AuthorizerOK
		})
}

// ended is called when a statement has been run to its end.
func ended(tls *libc.TLS, _ uint32, _, statement, _ uintptr) int32 {
	steps := int64(lib.Xsqlite3_stmt_status(tls, statement, lib.SQLITE_STMTSTATUS_VM_STEP, 1))
	counted.statements.Add(1)
	counted.steps.Add(steps)
	db := lib.Xsqlite3_db_handle(tls, statement)
	found, _ := counted.under.LoadOrStore(db, &transaction{})
	tx := found.(*transaction)
	tx.steps += steps
	tx.wrote = tx.wrote || lib.Xsqlite3_stmt_readonly(tls, statement) == 0
	if lib.Xsqlite3_get_autocommit(tls, db) != 0 { // it has ended
		if tx.wrote && tx.steps > counted.held.Load() {
			counted.held.Store(tx.steps)
		}
		*tx = transaction{}
	}
	return 0
}

// pointerTo is how the driver itself hands a Go function to SQLite.
func pointerTo[T any](f T) uintptr { return *(*uintptr)(unsafe.Pointer(&struct{ f T }{f})) }

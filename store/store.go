// Package store stores everything in one SQLite file. It is the only package of the service with
// SQL, with one source file for each family of tables.
//
//	db.View(ctx, …)   reads a consistent snapshot on one of several connections
//	db.Update(…)      writes on the one write connection, where waiting callers share a commit
//
// When Update returns nil, the change is on the disk and survives a power cut. When it returns an
// error, nothing of the change is stored, except that after ErrMoved or ErrReadOnly the commit may
// have survived. Methods on practice data take a PracticeID first, so nothing crosses from one
// practice to another. The exceptions are the service's own jobs, such as upgrades, sweeps and
// checks, and the figures across practices. Callers pass patient values sealed (encrypted), and
// record contents reduced to the fields that may be stored (birth.Mask, or birth.Readmit for an
// archive). Rows that state a fact or grant a right are signed.
//
// The time of a write is the time of its transaction (Tx.Now). Callers supply public IDs.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"maragu.dev/goqite"
	"modernc.org/sqlite"

	"birthregistry/app/stats"
)

// PracticeID identifies a practice. Methods on a practice's data take it, so that they reach no
// other practice's rows.
type PracticeID int64

// DB is an open database file.
type DB struct {
	path   string
	write  *sql.DB
	read   *sql.DB
	writer *writer
	stmts  statements // prepared on the connections that read
	closed atomic.Bool
	// signer is nil until the key is known (Sign).
	signer atomic.Pointer[signer]
	// views limits how many snapshots are open at a time.
	views chan struct{}
	// damaged is set when a page is found damaged. From then on nothing is written, so that
	// the damage doesn't spread.
	damaged atomic.Bool
	// readOnly is set when the disk refuses a write. Probe checks the disk again.
	readOnly atomic.Bool
	// doubted is set while the last commit may be lost (Durable).
	doubted atomic.Bool
	// anchors identify the open files. folder is the open folder that contains them. direct is
	// the lock file, opened so that reads bypass the page cache (volume.go). reported is set once
	// a missing file has been logged.
	anchors  atomic.Pointer[[]anchor]
	folder   *os.File
	direct   *os.File // nil without a lock, or if direct reads aren't possible
	reported atomic.Bool
	// toCount lists the counts that are to be stored (month_counts.go).
	toCount toCount
}

// pragmas are the settings of a connection that writes. synchronous=full puts acknowledged writes
// on the disk. secure_delete overwrites deleted data in the file, and TruncateWAL removes it from
// the WAL.
var pragmas = []string{
	"busy_timeout(10000)", // first, so that the next ones wait for a lock
	"journal_mode(wal)",
	"synchronous(full)",
	"foreign_keys(on)",
	"secure_delete(on)",
	"temp_store(memory)",
	"trusted_schema(off)",
	"cell_size_check(on)",
	"journal_size_limit(16777216)",
}

// readPragmas are the settings of a connection that reads. Settings such as journal_mode aren't
// among them: they would make SQLite parse the whole schema when a connection opens, rather than
// at the connection's first query of a table.
var readPragmas = []string{
	"busy_timeout(10000)",
	"query_only(on)",
	"temp_store(memory)",
	"trusted_schema(off)",
	"cell_size_check(on)",
}

// readers is how many connections read. One of them is reserved for callers that need a single
// row while they hold a snapshot (Lookup). For example, to decrypt a value of its snapshot, a web
// page may have to fetch the value's header.
const readers = 4

// Open opens the database file at path, creates it if it is missing (mode 0600), and brings its
// schema up to date. It returns ErrNewer if a later version of this program wrote the file,
// ErrNotDatabase if the file isn't a registry, and ErrStaleWAL if the WAL next to the file belongs
// to another database.
func Open(ctx context.Context, path string) (*DB, error) {
	path, err := Real(path)
	if err != nil {
		return nil, err
	}
	db, err := open(ctx, path)
	switch {
	case errors.Is(err, ErrReadOnly) && full(path): // SQLite has many error codes for a full disk
		err = ErrFull
	case errors.Is(err, ErrReadOnly), errors.Is(err, ErrBusy): // SQLite also reports the latter if it can't write the index of the WAL
		if refusal := refusedIn(filepath.Dir(path)); refusal != nil {
			err = fmt.Errorf("%w, nor can its folder: %w", ErrReadOnly, refusal)
		}
	}
	return db, err
}

func open(ctx context.Context, path string) (*DB, error) {
	if err := create(path); err != nil {
		return nil, err
	}
	if err := staleWAL(ctx, path); err != nil {
		return nil, err
	}
	if err := identify(ctx, path); err != nil {
		return nil, err
	}
	db := &DB{path: path, views: make(chan struct{}, readers-1)}
	connector, err := sqlite.NewConnector(dsn(path, "_txlock=immediate", pragmas))
	if err != nil {
		return nil, fmt.Errorf("store: open: %w", err)
	}
	db.write = sql.OpenDB(hooked{connector, &db.signer})
	db.write.SetMaxOpenConns(1)
	if err := connect(ctx, db.write); err != nil {
		return nil, errors.Join(err, db.write.Close())
	}
	if err := migrate(ctx, db.write, path); err != nil {
		return nil, errors.Join(err, db.write.Close())
	}
	if db.read, err = sql.Open("sqlite", dsn(path, "mode=ro", readPragmas)); err != nil {
		return nil, errors.Join(fmt.Errorf("store: open: %w", err), db.write.Close())
	}
	db.read.SetMaxOpenConns(readers)
	db.read.SetMaxIdleConns(readers)
	if err := connectAll(ctx, db.read); err != nil {
		return nil, errors.Join(err, db.read.Close(), db.write.Close())
	}
	if err := db.hold(); err != nil {
		return nil, errors.Join(err, db.read.Close(), db.write.Close())
	}
	db.stmts.pool = db.read
	db.writer = newWriter(db)
	db.toCount = toCount{tasks: map[countTask]int64{}, wake: make(chan struct{}, 1)}
	if err := db.deriveOutcomes(); err != nil {
		return nil, errors.Join(fmt.Errorf("store: derive outcomes: %w", err), db.Close())
	}
	if err := db.fillTallies(); err != nil {
		return nil, errors.Join(fmt.Errorf("store: fill tallies: %w", err), db.Close())
	}
	return db, nil
}

// connect makes the first connection. It switches the file's journal mode to a write-ahead log.
// While another process does the same, SQLite fails instead of waiting, so connect waits.
func connect(ctx context.Context, pool *sql.DB) error {
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		err := decode(pool.PingContext(ctx))
		if !errors.Is(err, ErrBusy) || time.Since(began) > patience {
			return err
		}
	}
}

// connectAll opens all connections of the readers at once. A connection opened later would fail
// if the file had been moved away, or would read another file in its place. Reading a field of
// the file's header opens the write-ahead log, too.
func connectAll(ctx context.Context, pool *sql.DB) error {
	for range readers {
		conn, err := pool.Conn(ctx)
		if err != nil {
			return decode(err)
		}
		defer conn.Close() //nolint:errcheck // back to the pool, once all are made
		var id int
		if err := conn.QueryRowContext(ctx, "pragma application_id").Scan(&id); err != nil {
			return decode(err)
		}
	}
	return nil
}

func dsn(path, option string, pragmas []string) string {
	u := url.URL{Scheme: "file", Path: path, RawQuery: option}
	for _, p := range pragmas {
		u.RawQuery += "&_pragma=" + url.QueryEscape(p)
	}
	return u.String()
}

// Path returns the absolute path of the file.
func (db *DB) Path() string { return db.path }

// Close waits for the writer and closes the file.
func (db *DB) Close() error {
	db.writer.close()
	if db.closed.Swap(true) {
		return nil
	}
	err := errors.Join(db.read.Close(), db.write.Close(), db.folder.Close())
	if db.direct != nil {
		err = errors.Join(err, db.direct.Close())
	}
	return err
}

// View runs fn on a consistent snapshot of the database. It returns ErrClosed if the database
// is closed, and the error of Durable while a commit may be lost. When ctx ends, the current query
// is interrupted and no other starts, so that an abandoned web request costs nothing. fn must not
// open another View, because several such callers could wait for each other forever.
func (db *DB) View(ctx context.Context, fn func(*View) error) error {
	select {
	case db.views <- struct{}{}:
		defer func() { <-db.views }()
	case <-ctx.Done():
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := db.trusted(); err != nil {
		return err
	}
	tx, err := db.read.BeginTx(background, nil)
	if err != nil && db.closed.Load() {
		return ErrClosed
	}
	if err != nil {
		return decode(err)
	}
	defer db.stmts.enter()
	defer tx.Rollback() //nolint:errcheck // a snapshot has nothing to lose
	return db.notice(decode(fn(&View{ctx, db.stmts.begin(tx), nil, db.signer.Load(), false})))
}

// Read runs read in a View and returns its result; see DB.View.
func Read[T any](ctx context.Context, db *DB, read func(*View) (T, error)) (result T, err error) {
	err = db.View(ctx, func(v *View) (err error) {
		result, err = read(v)
		return err
	})
	return result, err
}

// Lookup is Read for a single query. A single query is a snapshot on its own, so it needs no
// transaction. Lookup may be called inside a View. A running query isn't interrupted when ctx ends:
// it reads only a row or two, and the driver discards a connection that is interrupted outside a
// transaction.
func Lookup[T any](ctx context.Context, db *DB, read func(*View) (T, error)) (result T, err error) {
	if err := db.trusted(); err != nil {
		return result, err
	}
	result, err = read(&View{ctx, nil, &db.stmts, db.signer.Load(), false})
	if err != nil && db.closed.Load() {
		return result, ErrClosed
	}
	return result, db.notice(decode(err))
}

// notice records whether an error means that the file is damaged or that the disk refuses
// writes, and logs errors that need somebody's attention.
func (db *DB) notice(err error) error {
	if errors.Is(err, ErrReadOnly) {
		db.readOnly.Store(true)
	}
	if errors.Is(err, ErrMoved) && !db.reported.Swap(true) {
		slog.Error("writing to the database has stopped", "cause", err)
	}
	if errors.Is(err, ErrCorrupt) && !db.damaged.Swap(true) {
		slog.Error("the database file is damaged; writing to the database has stopped: stop the service, then run birthregistry restore with the latest backup")
	}
	return err
}

// View reads the database: a snapshot (DB.View), a single query (Lookup), or the present state
// inside a write transaction (Tx).
type View struct {
	ctx  context.Context
	tx   *begun      // nil in Lookup
	pool *statements // set in Lookup

	signer  *signer // nil until the key is known
	writing bool    // set in a write transaction, which sees changes that aren't signed before the commit
}

// Tx reads and writes inside one transaction of the writer.
type Tx struct {
	View
	// Now is the time of the transaction, in UTC and whole milliseconds.
	Now   time.Time
	queue *goqite.Queue
	// announced has the practices that callers of this transaction have announced to the worker.
	// The value is the queue's message if the transaction has opened the queue, and "" if the
	// queue was open already.
	announced map[PracticeID]goqite.ID
	// owned has the rows that are known to belong to a practice (scope.go).
	owned map[row]bool
	// tallies has the job's changes to the tallies (tallies.go).
	tallies map[PracticeID]monthly
	tallier stats.Tallier

	db    *DB
	disk  *disk // once it has been read
	taken int64 // bytes stored so far
}

// background is the context of writes. They are short, and run to their end even if the caller no
// longer waits.
var background = context.Background()

// exec runs a statement and returns the number of rows it changed.
func (tx *Tx) exec(query string, args ...any) (int64, error) {
	result, err := tx.run(query, args)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// do runs a statement that may change any number of rows.
func (tx *Tx) do(query string, args ...any) error {
	_, err := tx.run(query, args)
	return err
}

// found returns ErrNotFound if no row was changed.
func found(changed int64, err error) error {
	if err == nil && changed == 0 {
		return ErrNotFound
	}
	return err
}

// insert runs an insert and returns the new row's id.
func (tx *Tx) insert(query string, args ...any) (int64, error) {
	result, err := tx.run(query, args)
	if err != nil {
		return 0, err
	}
	return result.LastInsertId()
}

// run runs a statement. A statement that fails changes nothing.
func (tx *Tx) run(query string, args []any) (sql.Result, error) {
	stmt, err := tx.tx.stmt(query)
	if err != nil {
		return nil, err
	}
	mark := tx.signer.mark()
	result, err := stmt.ExecContext(background, args...)
	if err != nil {
		tx.signer.forgetFrom(mark)
		return nil, decode(err)
	}
	return result, nil
}

// nullable returns nil for the zero value, so that it is stored as null.
func nullable[T comparable](v T) any {
	var zero T
	if v == zero {
		return nil
	}
	return v
}

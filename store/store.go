// Package store stores everything in one SQLite file. It is the only package of the service that
// contains SQL. Each family of tables has its own source file.
//
//	db.View(ctx, …)   reads a consistent snapshot on one of several connections
//	db.Update(…)      writes on the only write connection, where waiting callers share a commit
//
// When Update returns nil, the change is on the disk and survives a power cut. When it returns an
// error, nothing of the change is stored, except that after ErrMoved or ErrReadOnly the commit may
// have survived. Methods on practice data take a PracticeID first, so nothing crosses from one
// practice to another. The exceptions are the service's own jobs, such as upgrades, sweeps and
// checks, and the statistics across practices. Callers must seal (encrypt) patient values before
// they pass them, and must reduce record contents to the fields that may be stored (birth.Mask, or
// birth.Readmit for an archive). Rows that state a fact or grant a right are signed.
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

// PracticeID identifies a practice. Methods on a practice's data take a PracticeID, and reach only
// the rows of that practice.
type PracticeID int64

// DB is an open database file.
type DB struct {
	path   string
	write  *sql.DB
	read   *sql.DB
	writer *writer
	stmts  statements // the statements that are prepared on the read connections
	closed atomic.Bool
	// signer is nil until the installation's key is known (Sign).
	signer atomic.Pointer[signer]
	// views limits how many snapshots may be open at the same time.
	views *snapshots
	// damaged is set when a damaged page is found. From then on, nothing is written, so that the
	// damage doesn't spread.
	damaged atomic.Bool
	// readOnly is set when the disk refuses a write. Probe tries another write, and updates
	// readOnly.
	readOnly atomic.Bool
	// doubted is set while it isn't certain that the last commit survives (Durable).
	doubted atomic.Bool
	// anchors identifies the open files. folder is the folder that contains them. direct is the
	// lock file, opened in such a way that reads bypass the page cache (volume.go). reported is set
	// once it was logged that a file is missing.
	anchors  atomic.Pointer[[]anchor]
	folder   *os.File
	direct   *os.File // nil without a lock, or if reads can't bypass the page cache
	reported atomic.Bool
	// toCount lists the counts that are still to be stored (month_counts.go).
	toCount toCount
}

// pragmas lists the settings of a write connection. With synchronous=full, acknowledged writes are
// on the disk. secure_delete overwrites deleted data in the file, and TruncateWAL removes deleted
// data from the WAL.
var pragmas = []string{
	"busy_timeout(10000)", // comes first, so that the following settings wait for a lock
	"journal_mode(wal)",
	"synchronous(full)",
	"foreign_keys(on)",
	"secure_delete(on)",
	"temp_store(memory)",
	"trusted_schema(off)",
	"cell_size_check(on)",
	"journal_size_limit(16777216)",
}

// readPragmas lists the settings of a read connection. It leaves out settings such as journal_mode,
// which would make SQLite parse the whole schema when a connection opens, rather than at its first
// query of a table.
var readPragmas = []string{
	"busy_timeout(10000)",
	"query_only(on)",
	"temp_store(memory)",
	"trusted_schema(off)",
	"cell_size_check(on)",
}

// readers is the number of read connections. One of them is reserved for callers that need a single
// row while they hold a snapshot (Lookup). For example, a web page that decrypts a value of its
// snapshot may have to fetch the value's age header. Another one is never used for the snapshots of
// a practice that holds all the others.
const readers = 5

// Open opens the database file at path, and updates its schema. If the file is missing, Open
// creates it (mode 0600). It returns ErrNewer if a later version of this program wrote the file,
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
	db := &DB{path: path, views: newSnapshots(readers-1, readers-2)}
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

// connect opens the first connection, which sets the file's journal mode to a write-ahead log. If
// another process is doing the same, SQLite fails instead of waiting, so connect tries again for
// some time (patience).
func connect(ctx context.Context, pool *sql.DB) error {
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		err := decode(pool.PingContext(ctx))
		if !errors.Is(err, ErrBusy) || time.Since(began) > patience {
			return err
		}
	}
}

// connectAll opens all read connections immediately. A connection that is opened later would fail
// if the file had been moved away, or would read another file in its place. Reading a field of the
// file's header also opens the write-ahead log.
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

// Path returns the absolute path of the database file.
func (db *DB) Path() string { return db.path }

// Close waits for the current writes to finish, and closes the file.
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

// View runs fn on a consistent snapshot of the database. It returns ErrClosed if the database is
// closed. While it isn't certain that the last commit survives, View returns the error of Durable.
// When ctx ends, the current query is interrupted and no other query starts, so an abandoned web
// request costs nothing. The practices take turns (ReadsOf). fn must not open another View, because
// several callers that do so could wait for each other forever.
func (db *DB) View(ctx context.Context, fn func(*View) error) error {
	p := practiceOf(ctx)
	if err := db.views.take(ctx, p); err != nil {
		return err
	}
	defer db.views.leave(p)
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

// Read runs read in a View (see DB.View), and returns its result.
func Read[T any](ctx context.Context, db *DB, read func(*View) (T, error)) (result T, err error) {
	err = db.View(ctx, func(v *View) (err error) {
		result, err = read(v)
		return err
	})
	return result, err
}

// Lookup is like Read, but for a single query. A single query is a snapshot by itself, so it needs
// no transaction. Lookup may be called inside a View. If ctx ends while the query runs, the query
// isn't interrupted: it reads only a row or two, and the driver discards a connection that is
// interrupted outside a transaction.
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

// notice remembers if an error means that the file is damaged or that the disk refuses writes. It
// logs errors that need somebody's attention, and returns the error.
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

// View reads the database. It reads a snapshot (DB.View), runs a single query (Lookup), or reads
// the present state inside a write transaction (Tx).
type View struct {
	ctx  context.Context
	tx   *begun      // nil in Lookup
	pool *statements // used only in Lookup

	signer  *signer // nil until the key is known
	writing bool    // set in a write transaction, which sees changes that are signed only when it commits
}

// Tx reads and writes the database in one write transaction.
type Tx struct {
	View
	// Now is the time of the transaction, in UTC and in whole milliseconds.
	Now   time.Time
	queue *goqite.Queue
	// announced holds the practices whose work callers of this transaction have announced to the
	// worker. The value is the ID of the queue's message if the transaction has opened the
	// practice's queue, or "" if the queue was already open.
	announced map[PracticeID]goqite.ID
	// owned holds the rows that are known to belong to a practice (scope.go).
	owned map[row]bool
	// tallies holds how the present job changes the tallies (tallies.go).
	tallies map[PracticeID]monthly
	tallier stats.Tallier

	db    *DB
	disk  *disk // nil until it has been read
	taken int64 // the number of bytes stored so far
}

// background is the context of writes. Writes are short, and are completed even if the caller no
// longer waits.
var background = context.Background()

// exec runs a statement, and returns the number of changed rows.
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

// found returns ErrNotFound if a statement has changed no row. If err isn't nil, it returns err.
func found(changed int64, err error) error {
	if err == nil && changed == 0 {
		return ErrNotFound
	}
	return err
}

// insert runs an insert statement, and returns the ID of the new row.
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

// nullable returns nil for the zero value of a type, so that null is stored. It returns any other
// value unchanged.
func nullable[T comparable](v T) any {
	var zero T
	if v == zero {
		return nil
	}
	return v
}

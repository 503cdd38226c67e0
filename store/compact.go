package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"
)

// ErrReaders means that another process is reading a snapshot of the database.
var ErrReaders = errors.New("store: another program reads the database, such as a backup or Litestream; when it has ended, compact again")

// Compact rewrites the database file without remains of anything that was deleted, and empties the
// WAL. SQLite overwrites deleted rows anyway. When it moves rows to another page, however, it
// leaves a copy of them in the unused part of the former page. Only a rewrite removes such copies.
//
// SQLite writes the new content into the WAL, commits it as one transaction, and then copies it
// into the file. An interruption at any moment therefore loses nothing, and changes no row. The
// caller must hold Lock, LockIncoming and LockKeys. Otherwise other processes would try to write,
// would have to wait, and would fail. Compact returns ErrReaders if another process reads for too
// long before or after the rewrite (shortReads). It returns ErrFull if the disk has no space for
// the two copies that exist during the rewrite, and ErrCorrupt if a page is damaged.
func (db *DB) Compact(ctx context.Context) error {
	if err := db.inPlace(); err != nil { // without this check, a different file might be rewritten
		return err
	}
	if err := db.emptyWAL(ctx); err != nil {
		return err
	}
	pool, err := sql.Open("sqlite", dsn(db.path, "mode=rw", compactPragmas(filepath.Dir(db.path))))
	if err != nil {
		return fmt.Errorf("store: compact: %w", err)
	}
	pool.SetMaxOpenConns(1)
	if err := errors.Join(vacuum(ctx, pool, filepath.Dir(db.path)), pool.Close()); err != nil {
		return db.notice(decode(err))
	}
	return db.emptyWAL(ctx) // emptyWAL calls Durable before it moves the new content
}

// compactPragmas returns the settings of the connection with which Compact rewrites the file.
// SQLite makes an intermediate copy, which wouldn't fit into memory. It is put into the folder of
// the database, whose free space is known. The copy is a file without a name, so a killed process
// leaves nothing behind.
func compactPragmas(folder string) []string {
	own := []string{"temp_store(file)", "temp_store_directory('" + strings.ReplaceAll(folder, "'", "''") + "')"}
	for _, p := range pragmas {
		if !strings.HasPrefix(p, "temp_store") {
			own = append(own, p)
		}
	}
	return own
}

// vacuum rewrites a database if all of its pages are sound. A damaged database is left unchanged,
// because its content may help to find the cause.
func vacuum(ctx context.Context, pool *sql.DB, folder string) error {
	size, err := liveSize(ctx, pool)
	if err != nil {
		return err
	}
	if err := CheckSpace(2*size, folder); err != nil {
		return err
	}
	if err := sound(ctx, pool); err != nil {
		return err
	}
	_, err = pool.ExecContext(ctx, "vacuum")
	return err
}

// shortReads is how long emptyWAL waits for readers of the database to finish.
const shortReads = time.Second

// emptyWAL empties the WAL. It waits up to shortReads until other processes have finished reading,
// and returns ErrReaders if one of them hasn't.
func (db *DB) emptyWAL(ctx context.Context) error {
	for began := time.Now(); ; {
		clean, err := db.TruncateWAL(ctx)
		if err != nil || clean {
			return err
		}
		if time.Since(began) > shortReads {
			return ErrReaders
		}
	}
}

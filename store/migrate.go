package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pressly/goose/v3"

	"birthregistry/migrations"
)

// patience is how long Open waits for another process that is creating or migrating the same file.
const patience = 30 * time.Second

// migrate runs the migrations that the database doesn't have yet. Before it changes a file with
// data, it makes a verified copy, which stays next to the file. It first locks the file, because
// the schema must not change while a process serves the database.
func migrate(ctx context.Context, pool *sql.DB, path string) error {
	provider, err := goose.NewProvider(goose.DialectSQLite3, pool, migrations.Files)
	if err != nil {
		return fmt.Errorf("store: migrations: %w", err)
	}
	sources := provider.ListSources()
	latest := sources[len(sources)-1].Version
	for began := time.Now(); ; {
		at, err := schemaVersion(ctx, pool)
		if err != nil {
			return err
		}
		if at == latest {
			return upgraded(ctx, pool)
		}
		if at > latest {
			return ErrNewer
		}
		lock, err := lockFile(path)
		if err == nil {
			return errors.Join(upgrade(ctx, pool, path, provider, latest), lock.Close())
		}
		if !errors.Is(err, ErrServed) {
			return err
		}
		if time.Since(began) > patience {
			return earlierServes{err}
		}
		select { // another process may be migrating the file
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// earlierServes is ErrServed for a database that has to be migrated first. Commands work while the
// service runs, so "stop it" alone would not tell why this one doesn't.
type earlierServes struct{ error }

func (earlierServes) Error() string {
	return "store: this version of the program has to upgrade the database, but a service of an earlier version has it open; " +
		"restart that service, such as with: systemctl restart birthregistry"
}

func (e earlierServes) Unwrap() error { return e.error }

// upgrade migrates the database, unless another process has already done so. It first makes a copy
// of a database that has data, and finally deletes old copies. The caller must hold the lock.
// upgrade doesn't run analyze: each query is written for one index, and with statistics from a
// nearly empty database the planner would avoid that index forever.
func upgrade(ctx context.Context, pool *sql.DB, path string, provider *goose.Provider, latest int64) error {
	at, err := schemaVersion(ctx, pool)
	if err != nil || at == latest {
		return err
	}
	if at == 0 {
		_, err := provider.Up(ctx)
		return migrating(err)
	}
	copied, err := copyBefore(ctx, pool, path, at)
	if err != nil {
		return err
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("%w\nThe database from before the upgrade is in %[2]s. To go back, install the previous version of the program and run: birthregistry restore %[2]s", migrating(err), copied)
	}
	return errors.Join(upgraded(ctx, pool), sweepCopies(path))
}

func migrating(err error) error {
	if err != nil {
		return fmt.Errorf("store: migrations: %w", decode(err))
	}
	return nil
}

// copyBefore makes a verified copy of the database before an upgrade, and returns the copy's name.
// The name contains the number of the next migration. If an earlier attempt left a copy before it
// changed anything, the copy is replaced, because it may be out of date. If an upgrade is continued,
// its first copy stays the only one, because the earlier program opens no other. But if a program
// whose schema the interrupted upgrade had reached has used the database since, a new copy is made.
func copyBefore(ctx context.Context, pool *sql.DB, path string, at int64) (name string, err error) {
	begun, err := upgradeFrom(ctx, pool)
	if err != nil {
		return "", err
	}
	if name = beforeName(path, begun); begun > 0 && begun <= at && Vacant(name) != nil {
		used, err := usedSince(ctx, pool, name)
		if err != nil || !used {
			return name, err
		}
	}
	name = beforeName(path, at+1)
	err = withCopy(ctx, pool, filepath.Dir(path), nil, func(made string) error { return Rename(made, name) })
	if err != nil {
		return "", fmt.Errorf("store: the copy before the migration: %w", err)
	}
	_, err = pool.ExecContext(ctx, fmt.Sprintf("pragma user_version = %d", at+1))
	return name, decode(err)
}

// usedSince reports whether rows were added to a database since a copy of it was made. Rows of
// tables that the copy doesn't have don't count. Every use adds rows, such as to the audit trail.
// usedSince also returns true if the copy can't be read.
func usedSince(ctx context.Context, pool *sql.DB, copied string) (used bool, err error) {
	now, err := latestRows(ctx, pool)
	if err != nil {
		return false, err
	}
	old, err := sql.Open("sqlite", dsn(copied, "mode=ro&immutable=1", nil))
	if err != nil {
		return false, fmt.Errorf("store: the copy before the migration: %w", err)
	}
	defer old.Close() //nolint:errcheck // read only
	before, err := latestRows(ctx, old)
	used = err != nil // such a copy is as good as none
	for table, id := range before {
		used = used || now[table] > id
	}
	return used, nil
}

// latestRows returns the highest ID that each table of a database has given to a row so far. It
// leaves out goose's table, to which each migration adds a row.
func latestRows(ctx context.Context, pool *sql.DB) (ids map[string]int64, err error) {
	rows, err := pool.QueryContext(ctx, `
		select t.name, coalesce(s.seq, 0)
		from sqlite_schema t left join sqlite_sequence s on s.name = t.name
		where t.type = 'table' and t.name <> 'goose_db_version'`)
	if err != nil {
		return nil, decode(err)
	}
	defer rows.Close() //nolint:errcheck // rows.Err has the error
	for ids = map[string]int64{}; rows.Next(); {
		var table string
		var id int64
		if err := rows.Scan(&table, &id); err != nil {
			return nil, decode(err)
		}
		ids[table] = id
	}
	return ids, decode(rows.Err())
}

func beforeName(path string, next int64) string { return fmt.Sprintf("%s.before-%05d", path, next) }

// upgradeFrom returns the number of the first migration of an upgrade that isn't complete, or 0. The
// file's user_version holds it.
func upgradeFrom(ctx context.Context, pool *sql.DB) (next int64, err error) {
	err = pool.QueryRowContext(ctx, "pragma user_version").Scan(&next)
	return next, decode(err)
}

// upgraded records that all migrations have run.
func upgraded(ctx context.Context, pool *sql.DB) error {
	next, err := upgradeFrom(ctx, pool)
	if err == nil && next != 0 {
		_, err = pool.ExecContext(ctx, "pragma user_version = 0")
	}
	return decode(err)
}

// copiesKept is how many copies from before migrations are kept. The copies contain data that was
// meant to be deleted, such as submitted Bundles, so they must not accumulate forever.
const copiesKept = 3

// sweepCopies deletes all but the newest copies from before migrations. It is called after a
// migration has succeeded.
func sweepCopies(path string) error {
	found, err := filepath.Glob(path + ".before-[0-9][0-9][0-9][0-9][0-9]")
	if err != nil {
		return nil // if the path has pattern characters, the copies stay
	}
	slices.Sort(found)
	for _, name := range found[:max(len(found)-copiesKept, 0)] {
		if err := os.Remove(name); err != nil {
			return fmt.Errorf("store: an old copy: %w", err)
		}
	}
	return nil
}

// schemaVersion returns the number of the last migration that was applied, or 0 if there was none.
// It doesn't use goose's function, which would create goose's table.
func schemaVersion(ctx context.Context, pool *sql.DB) (version int64, err error) {
	var known bool
	err = pool.QueryRowContext(ctx, "select exists (select 1 from sqlite_schema where name = 'goose_db_version')").Scan(&known)
	if err == nil && known {
		err = pool.QueryRowContext(ctx, "select coalesce(max(version_id), 0) from goose_db_version").Scan(&version)
	}
	return version, decode(err)
}

// LatestSchema returns the number of the last migration that this program has.
func LatestSchema() (latest int64) {
	names, _ := fs.Glob(migrations.Files, "*.sql") // the pattern is valid
	for _, name := range names {
		number, _, _ := strings.Cut(name, "_")
		if n, err := strconv.ParseInt(number, 10, 64); err == nil {
			latest = max(latest, n)
		}
	}
	return latest
}

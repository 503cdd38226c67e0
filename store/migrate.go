package store

import (
	"context"
	"database/sql"
	"fmt"
	"os"

	"github.com/pressly/goose/v3"

	"birthregistry/migrations"
)

// applicationID marks our files ("BRTH"), so that another program's database is
// never migrated by mistake.
const applicationID = 0x42525448

// migrate brings the schema up to date, forward only. A file that holds data
// is copied and the copy verified before anything is changed; the copy stays
// beside it.
func migrate(ctx context.Context, pool *sql.DB, path string) error {
	if err := claim(ctx, pool); err != nil {
		return err
	}
	provider, err := goose.NewProvider(goose.DialectSQLite3, pool, migrations.Files)
	if err != nil {
		return fmt.Errorf("store: migrations: %w", err)
	}
	at, latest, err := versions(ctx, provider)
	if err != nil || at == latest {
		return err
	}
	// Somebody serves this file, perhaps: a schema must not change under them.
	// A new file is only waited for: another command is making it.
	lock, err := lockFile(path, at == 0)
	if err != nil {
		return err
	}
	defer lock.Close() //nolint:errcheck // closing releases it, and nothing was written
	if at, latest, err = versions(ctx, provider); err != nil || at == latest {
		return err
	}
	if at > 0 {
		if err := copyBefore(ctx, pool, fmt.Sprintf("%s.before-%05d", path, latest)); err != nil {
			return err
		}
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("store: migrations: %w", decode(err))
	}
	_, err = pool.ExecContext(ctx, "analyze")
	return decode(err)
}

// claim marks an empty file as ours and refuses one that is not.
func claim(ctx context.Context, pool *sql.DB) error {
	var id, tables int
	if err := pool.QueryRowContext(ctx, "pragma application_id").Scan(&id); err != nil {
		return decode(err)
	}
	if id == applicationID {
		return nil
	}
	if err := pool.QueryRowContext(ctx, "select count(*) from sqlite_schema").Scan(&tables); err != nil {
		return decode(err)
	}
	if tables > 0 {
		return ErrNotDatabase
	}
	_, err := pool.ExecContext(ctx, fmt.Sprintf("pragma application_id = %d", applicationID))
	return decode(err)
}

func versions(ctx context.Context, provider *goose.Provider) (at, latest int64, err error) {
	at, latest, err = provider.GetVersions(ctx)
	if err != nil {
		return 0, 0, fmt.Errorf("store: migrations: %w", decode(err))
	}
	if at > latest {
		return 0, 0, ErrNewer
	}
	return at, latest, nil
}

// copyBefore makes the verified copy. One that a migration cut off has left
// is as good as new: the file has not changed since.
func copyBefore(ctx context.Context, pool *sql.DB, path string) error {
	if info, err := os.Stat(path); err == nil && info.Size() > 0 {
		return nil
	}
	if err := vacuumInto(ctx, pool, path); err != nil {
		return fmt.Errorf("store: the copy before the migration: %w", err)
	}
	return nil
}

// SchemaVersion returns the number of the last migration applied.
func (db *DB) SchemaVersion() (version int64, err error) {
	err = db.View(func(v *View) error {
		return v.one("select max(version_id) from goose_db_version where is_applied", nil, &version)
	})
	return version, err
}

package store

import (
	"database/sql"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/pressly/goose/v3"
	"github.com/stretchr/testify/require"

	"birthregistry/app/longtest"
	"birthregistry/migrations"
)

// migratedTo creates a database, or migrates one, as an earlier version of this program would
// have.
func migratedTo(t *testing.T, path string, version int64) *sql.DB {
	t.Helper()
	require.NoError(t, create(path))
	require.NoError(t, identify(t.Context(), path))
	pool, err := sql.Open("sqlite", dsn(path, "_txlock=immediate", pragmas))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, pool.Close()) })
	provider, err := goose.NewProvider(goose.DialectSQLite3, pool, migrations.Files)
	require.NoError(t, err)
	_, err = provider.UpTo(t.Context(), version)
	require.NoError(t, err)
	return pool
}

// numbers returns the migrations' numbers in order.
func numbers(t *testing.T) (all []int64) {
	t.Helper()
	names, err := fs.Glob(migrations.Files, "*.sql")
	require.NoError(t, err)
	for _, name := range names {
		number, _, _ := strings.Cut(name, "_")
		n, err := strconv.ParseInt(number, 10, 64)
		require.NoError(t, err)
		all = append(all, n)
	}
	return all
}

// latest returns the number of the last migration.
func latest(t *testing.T) int64 {
	t.Helper()
	all := numbers(t)
	return all[len(all)-1]
}

func TestANewDatabaseHasTheLatestSchemaAndIsNotCopied(t *testing.T) {
	db := opened(t)
	version, err := schemaVersion(background, db.read)
	require.NoError(t, err)
	require.Equal(t, latest(t), version)
	require.Empty(t, copies(t, db.Path()))
}

func copies(t *testing.T, path string) []string {
	t.Helper()
	found, err := filepath.Glob(path + ".before-*")
	require.NoError(t, err)
	return found
}

// named returns the names of the practices in a file.
func named(t *testing.T, path string) (names string) {
	t.Helper()
	pool, err := sql.Open("sqlite", dsn(path, "mode=ro", nil))
	require.NoError(t, err)
	defer pool.Close() //nolint:errcheck // read only
	require.NoError(t, pool.QueryRow(`select coalesce(group_concat(name), '') from practices`).Scan(&names))
	return names
}

func TestEveryEarlierSchemaIsMigratedAfterAVerifiedCopyOfTheFile(t *testing.T) {
	t.Parallel()
	for _, version := range longtest.Some(t, 15, numbers(t)[:len(numbers(t))-1], "earlier schemas") {
		path := filepath.Join(t.TempDir(), "registry.db")
		old := migratedTo(t, path, version)
		_, err := old.Exec(`insert into practices (name, created_at) values ('Riverside', 1)`)
		require.NoError(t, err)
		db := openedAt(t, path)
		at, err := schemaVersion(background, db.read)
		require.NoError(t, err)
		require.Equal(t, latest(t), at)
		require.Equal(t, "Riverside", named(t, path))
		require.Zero(t, asked(t, db, `select count(*) from sqlite_schema where name = 'sqlite_stat1'`))

		before := fmt.Sprintf("%s.before-%05d", path, version+1)
		require.Equal(t, []string{before}, copies(t, path))
		info, err := os.Stat(before)
		require.NoError(t, err)
		require.Equal(t, fs.FileMode(0o600), info.Mode())
		require.NoError(t, verify(t.Context(), before, nil))
		require.Equal(t, "Riverside", named(t, before))
		restored := migratedTo(t, before, version) // it already has the old schema, so this changes nothing
		kept, err := schemaVersion(t.Context(), restored)
		require.NoError(t, err)
		require.Equal(t, version, kept)
	}
}

func TestACopyThatAnEarlierAttemptLeftIsNotTakenForAFreshOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "registry.db")
	old := migratedTo(t, path, 3)
	require.NoError(t, os.WriteFile(path+".before-00004", []byte("of last week"), 0o600))
	_, err := old.Exec(`insert into practices (name, created_at) values ('Since then', 1)`)
	require.NoError(t, err)
	openedAt(t, path)
	require.Equal(t, "Since then", named(t, path+".before-00004"))
}

// The earlier program opens only the copy from before the upgrade, and only three copies are kept.
func TestAnUpgradeThatIsInterruptedAgainAndAgainKeepsOnlyTheCopyFromBeforeIt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "registry.db")
	old := migratedTo(t, path, 3)
	_, err := old.Exec(`insert into practices (name, created_at) values ('Riverside', 1)`)
	require.NoError(t, err)
	before := path + ".before-00004"
	at := int64(3)
	for _, to := range []int64{7, 12, 20, 30, latest(t)} { // it was killed after these
		copied, err := copyBefore(t.Context(), old, path, at)
		require.NoError(t, err)
		require.Equal(t, before, copied)
		migratedTo(t, path, to)
		at = to
	}
	db := openedAt(t, path)
	require.Equal(t, []string{before}, copies(t, path))
	require.Equal(t, "Riverside", named(t, before))
	require.Zero(t, asked(t, db, `select user_version from pragma_user_version`), "the next upgrade makes a copy again")
}

// An interrupted upgrade may have reached the schema of a version in between, which then serves.
func TestADatabaseThatWasUsedInTheMiddleOfAnUpgradeIsCopiedAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "registry.db")
	old := migratedTo(t, path, 3)
	_, err := old.Exec(`insert into practices (name, created_at) values ('Riverside', 1)`)
	require.NoError(t, err)
	_, err = copyBefore(t.Context(), old, path, 3)
	require.NoError(t, err)
	migratedTo(t, path, 12)
	_, err = old.Exec(`insert into practices (name, created_at) values ('Hillside', 1)`)
	require.NoError(t, err)
	openedAt(t, path)
	require.Equal(t, []string{path + ".before-00004", path + ".before-00013"}, copies(t, path))
	require.Equal(t, "Riverside,Hillside", named(t, path+".before-00013"))
}

func TestWithoutACopyNothingIsMigrated(t *testing.T) {
	path := filepath.Join(t.TempDir(), "registry.db")
	old := migratedTo(t, path, 3)
	require.NoError(t, os.MkdirAll(filepath.Join(path+".before-00004", "in the way"), 0o700))
	_, err := Open(t.Context(), path)
	require.ErrorContains(t, err, "store: the copy before the migration")
	at, err := schemaVersion(t.Context(), old)
	require.NoError(t, err)
	require.Equal(t, int64(3), at)
}

func TestAFileThatIsServedIsNotMigratedUnderItsServer(t *testing.T) {
	path := filepath.Join(t.TempDir(), "registry.db")
	old := migratedTo(t, path, 3)
	lock, err := lockFile(path)
	require.NoError(t, err)
	synctest.Test(t, func(t *testing.T) { // Open waits, in case the other process is only migrating
		_, err = Open(t.Context(), path)
		require.ErrorIs(t, err, ErrServed)
		require.ErrorContains(t, err, "a service of an earlier version has it open; restart that service")
	})
	at, err := schemaVersion(t.Context(), old)
	require.NoError(t, err)
	require.Equal(t, int64(3), at)
	require.NoError(t, lock.Close())
	openedAt(t, path)
}

func TestEveryTableIsStrictAndEveryReferenceIsEnforced(t *testing.T) {
	db := opened(t)
	rows, err := db.write.Query(`select name, strict from pragma_table_list where schema = 'main' and name not like 'sqlite_%'`)
	require.NoError(t, err)
	defer rows.Close() //nolint:errcheck // read only
	tables := 0
	for rows.Next() {
		var name string
		var strict bool
		require.NoError(t, rows.Scan(&name, &strict))
		tables++
		require.Equal(t, name != "goose_db_version", strict, "table %s", name)
	}
	require.NoError(t, rows.Err())
	require.Greater(t, tables, 12)
	_, err = db.write.Exec(`insert into lanes (practice, message, advanced_at) values (77, 'm_1', 1)`)
	require.Error(t, err, "a queue of a practice that is not there")
	_, err = db.write.Exec(`insert into practices (name, created_at) values ('x', 'noon')`)
	require.Error(t, err, "a time that is no number")
}

func TestEveryConnectionHasTheSettings(t *testing.T) {
	db := opened(t)
	settings := map[string]string{
		"busy_timeout": "10000", "journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "secure_delete": "1",
		"temp_store": "2", "trusted_schema": "0", "cell_size_check": "1", "journal_size_limit": "16777216",
	}
	reads := map[string]string{
		"busy_timeout": "10000", "journal_mode": "wal", "query_only": "1", "temp_store": "2", "trusted_schema": "0", "cell_size_check": "1",
	}
	for _, p := range readPragmas {
		require.Contains(t, reads, regexp.MustCompile(`^\w+`).FindString(p))
	}
	for _, p := range pragmas {
		require.Contains(t, settings, regexp.MustCompile(`^\w+`).FindString(p))
	}
	ask := func(pool *sql.DB, pragma string) (answer string) {
		require.NoError(t, pool.QueryRow("pragma "+pragma).Scan(&answer))
		return answer
	}
	for range 2 { // before and after the WAL is truncated, since truncation changes a setting for a moment
		for pragma, want := range settings {
			require.Equal(t, want, ask(db.write, pragma), pragma)
		}
		for pragma, want := range reads {
			require.Equal(t, want, ask(db.read, pragma), pragma)
		}
		clean, err := db.TruncateWAL(t.Context())
		require.NoError(t, err)
		require.True(t, clean)
	}
}

package store

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pressly/goose/v3"
	"github.com/stretchr/testify/require"

	"birthregistry/app/longtest"
	"birthregistry/migrations"
)

// grown makes a database that looks as if it had been in use since the first version: after
// each migration up to the given one, it writes rows as the program of that time did
// (testdata/rows).
func grown(t *testing.T, path string, version int64) *sql.DB {
	t.Helper()
	var pool *sql.DB
	for _, n := range numbers(t) {
		if n > version {
			break
		}
		pool = migratedTo(t, path, n)
		rows, err := os.ReadFile(fmt.Sprintf("testdata/rows/%05d.sql", n))
		require.NoError(t, err, "every migration has rows of its time; write some for this one")
		_, err = pool.Exec(string(rows))
		require.NoError(t, err, "rows of %05d", n)
	}
	return pool
}

// tables returns every table with its columns, except SQLite's own and goose's.
func tables(t *testing.T, pool *sql.DB) map[string][]string {
	t.Helper()
	rows, err := pool.Query(`
		select t.name, c.name
		from pragma_table_list t join pragma_table_xinfo(t.name) c
		where t.schema = 'main' and t.type = 'table' and t.name not like 'sqlite_%' and t.name <> 'goose_db_version'`)
	require.NoError(t, err)
	defer rows.Close() //nolint:errcheck // read only
	all := map[string][]string{}
	for rows.Next() {
		var table, column string
		require.NoError(t, rows.Scan(&table, &column))
		all[table] = append(all[table], column)
	}
	require.NoError(t, rows.Err())
	return all
}

// content returns the given columns of all rows of a table, as text.
func content(t *testing.T, pool *sql.DB, table string, columns []string) (lines []string) {
	t.Helper()
	quoted := make([]string, len(columns))
	for i, c := range columns {
		quoted[i] = fmt.Sprintf(`quote("%s")`, c)
	}
	line := strings.Join(quoted, " || ' ' || ")
	rows, err := pool.Query(fmt.Sprintf(`select %s from "%s" order by 1`, line, table))
	require.NoError(t, err)
	defer rows.Close() //nolint:errcheck // read only
	for rows.Next() {
		var output string
		require.NoError(t, rows.Scan(&output))
		lines = append(lines, output)
	}
	require.NoError(t, rows.Err())
	return lines
}

// derivedAnew lists the columns that are computed from other data when the file is opened,
// each with the migration since which this happens.
var derivedAnew = map[string]int64{"records.outcome": 51}

// countedAnew lists the tables whose rows are counted from the outcomes, in the same way.
var countedAnew = map[string]int64{"month_counts": 51, "tallies": 51, "tally_totals": 51, "tally_returns": 51}

// REL-18, for every earlier schema.
func TestADatabaseOfEveryEarlierSchemaIsUpgradedWithEveryRow(t *testing.T) {
	t.Parallel()
	for _, version := range longtest.Some(t, 15, numbers(t), "earlier schemas") {
		t.Run(fmt.Sprintf("%05d", version), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "registry.db")
			old := grown(t, path, version)
			before, kept := map[string][]string{}, map[string][]string{}
			columns, stays := tables(t, old), map[string][]string{}
			for table, names := range columns {
				stays[table] = slices.DeleteFunc(slices.Clone(names), func(column string) bool { return derivedAnew[table+"."+column] > version })
				before[table], kept[table] = content(t, old, table, names), content(t, old, table, stays[table])
				require.NotEmpty(t, before[table], "%s has no row that could be lost; write one for its migration", table)
			}
			db := openedAt(t, path)
			at, err := schemaVersion(background, db.read)
			require.NoError(t, err)
			require.Equal(t, latest(t), at)
			for table, names := range stays {
				if countedAnew[table] > version {
					continue
				}
				require.Equal(t, kept[table], content(t, db.write, table, names), table)
			}
			if version >= 8 { // from here on, the rows are those that the program writes together
				require.NoError(t, db.Check(t.Context(), func(check, problem string) { require.Empty(t, problem, check) }))
			}
			if copied := copies(t, path); version < latest(t) {
				require.Len(t, copied, 1)
				copy, err := sql.Open("sqlite", dsn(copied[0], "mode=ro", nil))
				require.NoError(t, err)
				for table, names := range columns {
					require.Equal(t, before[table], content(t, copy, table, names), "the copy: %s", table)
				}
				require.NoError(t, copy.Close())
			}
		})
	}
}

// Migrations compute these columns from existing rows.
func TestAnUpgradeFillsInTheColumnsThatListsUse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "registry.db")
	grown(t, path, 6)
	db := openedAt(t, path)
	require.Equal(t, []string{
		"'C-1' 'fhir_push' NULL 'midwife' 3",
		"'C-2' 'fhir_push' NULL NULL 5",
	}, content(t, db.write, "records", []string{"chart", "source", "birth_month", "attendant", "missing"})[:2])
	require.Equal(t, []string{"NULL", "NULL", "NULL"}, content(t, db.write, "records", []string{"saved"}), "nobody has written yet")
	require.Equal(t, []string{"'Riverside Midwives' 'UTC'", "'Sandbox' 'UTC'"}, content(t, db.write, "practices", []string{"name", "time_zone"}))
}

// The program derives figures again when their definition has changed.
func TestAnUpgradeClearsTheOutcomesWhoseDefinitionHasChanged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "registry.db")
	grown(t, path, 16)
	db := openedAt(t, path)
	for _, outcome := range content(t, db.write, "records", []string{"outcome"}) {
		require.NotEqual(t, "'kept'", outcome)
	}
}

// A later push must not overwrite what a person wrote before the upgrade, so the upgrade
// stamps it with the time of that change.
func TestAnUpgradeGivesWhatAPersonWroteItsStamp(t *testing.T) {
	path := filepath.Join(t.TempDir(), "registry.db")
	old := grown(t, path, 14)
	_, err := old.Exec(`
		insert into versions (record, version, content, change, source, created_at, user, review) values
			(2, 3, 3, 'revive', 'fhir_push', 1760000000200, null, null),
			(2, 4, 3, 'void', 'manual', 1760000000201, 1, null),
			(3, 2, 1, 'void', 'manual', 1760000000202, 1, 2);
		update records set version = 4, content = 3, stamp = 1770000000000000000 where id = 2`)
	require.NoError(t, err)
	db := openedAt(t, path)
	require.Equal(t, []string{
		"'u-1' 1760000000053000000", // amended by hand
		"'u-2' 1770000000000000001", // voided by hand; the stamp is later than the push before it
		"'u-3' NULL",                // merged into another record
	}, content(t, db.write, "records", []string{"uuid", "saved"}))
}

// The migration distinguishes chart numbers that the registry assigned from those that a
// sender stated.
func TestAnUpgradeRecognizesTheNumbersThatTheRegistryGave(t *testing.T) {
	path := filepath.Join(t.TempDir(), "registry.db")
	old := grown(t, path, 14)
	for id, of := range map[int][2]string{
		31: {"B-000031", "manual"}, 32: {"B-000032a", "csv"}, 33: {"B-000033", "fhir_push"}, 34: {"B-000031", "manual"},
		35: {"B-00035", "manual"}, 36: {"B-000036aa", "manual"}, 37: {"b-000037", "ehr_pull"}, 38: {"B-000038", "ehr_pull"},
	} {
		if id == 34 { // one of another practice, and one of another record
			of[0] = "B-000033"
		}
		_, err := old.Exec(`
			insert into records (id, uuid, practice, chart, state, version, content, created_at, updated_at)
			values (?1, 'u-' || ?1, case when ?1 = 34 then 2 else 1 end, ?2, 'active', 1, 1, 1, 1)`, id, of[0])
		require.NoError(t, err)
		_, err = old.Exec(`insert into versions (record, version, content, change, source, created_at) values (?, 1, 1, 'create', ?, 1)`, id, of[1])
		require.NoError(t, err)
	}
	require.NoError(t, old.Close())
	db := openedAt(t, path)
	require.Equal(t, []string{
		"'u-1' 0", "'u-2' 0", "'u-3' 0", "'u-31' 1", "'u-32' 1", "'u-33' 0", "'u-34' 0", "'u-35' 0", "'u-36' 0", "'u-37' 0", "'u-38' 1",
	}, content(t, db.write, "records", []string{"uuid", "given"}))
}

// Decision 31: if several providers were marked, the one that the record names as its
// attendant attends.
func TestAnUpgradeLeavesEveryBirthOneAttendant(t *testing.T) {
	path := filepath.Join(t.TempDir(), "registry.db")
	old := grown(t, path, 14)
	_, err := old.Exec(`
		insert into providers (id, practice, identity, sealed, name, credentials, role, created_at, updated_at) values
			(11, 1, x'31', x'31', 'Mora', '', 'nurse', 1, 1), (12, 1, x'32', x'32', 'Lee', 'CPM', 'midwife', 1, 1),
			(13, 1, x'33', x'33', 'Hale', '', 'midwife', 1, 1);
		insert into versions (record, version, content, change, source, clinical, created_at) values
			(2, 11, 11, 'amend', 'fhir_push', '{"care":{"attendant_name":{"value":"Hale"},"attendant_type":{"value":"midwife"}},"children":[]}', 1),
			(2, 12, 12, 'amend', 'fhir_push', '{"care":{"attendant_type":{"value":"midwife"}},"children":[]}', 1),
			(2, 13, 13, 'amend', 'fhir_push', '{"children":[]}', 1);
		insert into attributions (record, version, provider, attending, role) values
			(2, 11, 11, 1, 'nurse'), (2, 11, 12, 1, 'midwife'), (2, 11, 13, 1, 'midwife'),
			(2, 12, 11, 1, 'nurse'), (2, 12, 12, 1, 'midwife'), (2, 12, 13, 1, 'midwife'),
			(2, 13, 11, 1, 'nurse'), (2, 13, 12, 1, 'midwife'), (2, 13, 13, 0, 'midwife')`)
	require.NoError(t, err)
	require.NoError(t, old.Close())
	db := openedAt(t, path)
	require.Equal(t, []string{"1 2 1 1", "2 11 11 0", "2 11 12 0", "2 11 13 1", "2 12 11 0", "2 12 12 1", "2 12 13 0", "2 13 11 1", "2 13 12 0", "2 13 13 0"},
		content(t, db.write, "attributions", []string{"record", "version", "provider", "attending"}))
}

func TestAMigrationThatFailsNamesTheCopyAndLeavesTheSchema(t *testing.T) {
	path := filepath.Join(t.TempDir(), "registry.db")
	old := grown(t, path, 3)
	_, err := old.Exec("create table records (in_the_way text)") // it collides with the next migration
	require.NoError(t, err)
	_, err = Open(t.Context(), path)
	require.ErrorContains(t, err, path+".before-00004")
	require.ErrorContains(t, err, "birthregistry restore")
	at, err := schemaVersion(t.Context(), old)
	require.NoError(t, err)
	require.Equal(t, int64(3), at)
	require.NoError(t, verify(t.Context(), path+".before-00004", nil))
}

// If an upgrade is killed, the next start resumes it.
func TestAnUpgradeInterruptedBetweenMigrationsResumes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "registry.db")
	old := grown(t, path, 2)
	provider, err := goose.NewProvider(goose.DialectSQLite3, old, migrations.Files)
	require.NoError(t, err)
	_, err = provider.UpTo(context.Background(), 5)
	require.NoError(t, err)
	db := openedAt(t, path)
	at, err := schemaVersion(background, db.read)
	require.NoError(t, err)
	require.Equal(t, latest(t), at)
	require.Equal(t, "Riverside Midwives,Sandbox", named(t, path))
}

package store

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// leaveFragments writes a text into the unused part of every page of rows that has room for
// it, where SQLite leaves copies of rows that it has moved to another page. It returns how many
// pages have it.
func leaveFragments(t *testing.T, db *DB, text string) (pages int) {
	t.Helper()
	clean, err := db.TruncateWAL(t.Context())
	require.NoError(t, err)
	require.True(t, clean, "the file has the present pages")
	content, err := os.ReadFile(db.Path())
	require.NoError(t, err)
	const size = 4096
	for at := size; at < len(content); at += size {
		page := content[at : at+size]
		if page[0] != 13 && page[0] != 10 { // a leaf of a table or of an index
			continue
		}
		from, to := 8+2*int(binary.BigEndian.Uint16(page[3:])), int(binary.BigEndian.Uint16(page[5:]))
		if to-from > 2*len(text) {
			copy(page[to-len(text):], text)
			pages++
		}
	}
	require.NoError(t, os.WriteFile(db.Path(), content, 0o600))
	return pages
}

func TestCompactingLeavesNothingInUnusedPartsOfPages(t *testing.T) {
	db := opened(t)
	newFixture(t, db)
	const secret = "CNRY-a-row-that-was-moved"
	require.Greater(t, leaveFragments(t, db, secret), 20)
	require.NoError(t, sound(t.Context(), db.write))
	clean, err := db.TruncateWAL(t.Context())
	require.NoError(t, err)
	require.True(t, clean)
	require.Equal(t, []string{"db"}, holds(t, db, []byte(secret)), "emptying the WAL is not enough")
	require.NoError(t, db.Compact(t.Context()))
	require.Empty(t, holds(t, db, []byte(secret)))
	require.NoError(t, sound(t.Context(), db.write))
}

func TestCompactingChangesNoRowAndNoSetting(t *testing.T) {
	db := opened(t)
	own := newFixture(t, db)
	gone := newForgettable(t, db)
	signs(t, db)
	update(t, db, func(tx *Tx) error { return tx.Forget(gone.p, nil) })
	forgetAll(t, db, gone.p)
	before, settings := everyRow(t, db), settingsOf(t, db)
	asWritten(t, db, "forgetting a practice")
	require.NoError(t, db.Compact(t.Context()))
	require.Equal(t, before, everyRow(t, db))
	require.Equal(t, settings, settingsOf(t, db))
	require.Zero(t, asked(t, db, `pragma freelist_count`))
	asWritten(t, db, "compacting")
	db = openedAt(t, db.Path())
	signs(t, db)
	asWritten(t, db, "opening it again")
	addRecord(t, db, own.p, "chart 17")
	asWritten(t, db, "writing after it was compacted")
}

// settingsOf returns the settings and the schema of a file, and the numbers that were given.
func settingsOf(t *testing.T, db *DB) (all []string) {
	t.Helper()
	for _, query := range []string{
		"pragma application_id", "pragma user_version", "pragma page_size", "pragma journal_mode", "pragma auto_vacuum", "pragma encoding", "pragma secure_delete",
	} {
		var value string
		require.NoError(t, db.write.QueryRow(query).Scan(&value))
		all = append(all, query+" "+value)
	}
	rows, err := db.write.Query(`
		select type || ' ' || name || ' ' || coalesce(sql, '') from sqlite_schema
		union all select name || ' ' || seq from sqlite_sequence
		order by 1`)
	require.NoError(t, err)
	defer rows.Close() //nolint:errcheck // read to its end
	for rows.Next() {
		var one string
		require.NoError(t, rows.Scan(&one))
		all = append(all, one)
	}
	require.NoError(t, rows.Err())
	return all
}

// SQLite renumbers the rows of a table that has no number column of its own. So nothing may use
// that number.
func TestNothingUsesANumberThatCompactingMayChange(t *testing.T) {
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	require.Greater(t, len(files), 100)
	for _, name := range files {
		content, err := os.ReadFile(name)
		require.NoError(t, err)
		if !strings.HasSuffix(name, "_test.go") {
			require.NotRegexp(t, `(?i)\b(rowid|oid)\b`, string(content), name)
		}
	}
}

func TestCompactingIsRefusedWhileAnotherProgramReads(t *testing.T) {
	t.Parallel()
	db := opened(t)
	addPractice(t, db)
	end := reader(t, db)
	addPractice(t, db)
	require.ErrorIs(t, db.Compact(t.Context()), ErrReaders)
	addPractice(t, db)
	end()
	require.NoError(t, db.Compact(t.Context()))
	require.Equal(t, 3, asked(t, db, `select count(*) from practices`))
}

func TestADamagedDatabaseIsNotCompacted(t *testing.T) {
	db := opened(t)
	newFixture(t, db)
	raw(t, db, `pragma wal_checkpoint(truncate)`)
	root := asked(t, db, `select rootpage from sqlite_schema where name = 'practices'`)
	f, err := os.OpenFile(db.Path(), os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteAt(make([]byte, 4096), int64(root-1)*4096)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	before, err := os.ReadFile(db.Path())
	require.NoError(t, err)
	require.ErrorIs(t, db.Compact(t.Context()), ErrCorrupt)
	after, err := os.ReadFile(db.Path())
	require.NoError(t, err)
	require.True(t, bytes.Equal(before, after))
}

func TestAFileInThePlaceOfTheDatabaseIsNotCompacted(t *testing.T) {
	db := opened(t)
	addPractice(t, db)
	require.NoError(t, os.Rename(db.Path(), db.Path()+".aside"))
	require.ErrorIs(t, db.Compact(t.Context()), ErrMoved)
	require.NoError(t, os.Rename(db.Path()+".aside", db.Path()))
	require.NoError(t, db.Compact(t.Context()))
}

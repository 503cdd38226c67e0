package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
	"birthregistry/store/storetest"
)

// TestMain lets the test binary run as a second process on a test's database.
func TestMain(m *testing.M) {
	child, path := os.Getenv("STORE_CHILD"), os.Getenv("STORE_CHILD_DB")
	if child == "" {
		storetest.ManyAtOnce()
		os.Exit(m.Run())
	}
	if err := children[child](path); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// children are the tasks that the second process can run, by name.
var children = map[string]func(path string) error{
	"open": func(path string) error {
		db, err := Open(context.Background(), path)
		if err != nil {
			return err
		}
		return db.Close()
	},
	"write": func(path string) error {
		db, err := Open(context.Background(), path)
		if err != nil {
			return err
		}
		defer db.Close() //nolint:errcheck // the test checks what was written
		for range 50 {
			if err := db.Update(countUp); err != nil {
				return err
			}
		}
		return nil
	},
	"serve": func(path string) error { // keeps the lock until it is killed
		db, err := Open(context.Background(), path)
		if err != nil {
			return err
		}
		if _, err = db.Lock(); err == nil {
			fmt.Println("serving")
			time.Sleep(time.Minute)
		}
		return err
	},
	"nobody": func(path string) error { // opens without root's privileges
		if os.Getuid() == 0 {
			if err := syscall.Setuid(nobody); err != nil {
				return err
			}
		}
		db, err := Open(context.Background(), path)
		if err != nil {
			return err
		}
		return errors.Join(db.Update(countUp), db.Close())
	},
	"umask": everyFileOfATour,
	"fill":  fillUp,
}

const nobody = 65534

// process returns a command that runs a child task; the test starts it and waits for it.
func process(child, path string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "STORE_CHILD="+child, "STORE_CHILD_DB="+path)
	return cmd
}

// opened opens a new database file.
func opened(t testing.TB) *DB {
	t.Helper()
	return openedAt(t, storetest.Blank(t, filepath.Join(t.TempDir(), "registry.db"), Open))
}

func openedAt(t testing.TB, path string) *DB {
	t.Helper()
	db, err := Open(context.Background(), path)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

func update(t testing.TB, db *DB, fn func(*Tx) error) {
	t.Helper()
	require.NoError(t, db.Update(fn))
}

func view(t testing.TB, db *DB, fn func(*View) error) {
	t.Helper()
	require.NoError(t, db.View(t.Context(), fn))
}

// raw runs a statement that the store itself never runs.
func raw(t testing.TB, db *DB, query string, args ...any) {
	t.Helper()
	_, err := db.write.Exec(query, args...)
	require.NoError(t, err)
}

// asked returns the one number that a query yields.
func asked(t testing.TB, db *DB, query string, args ...any) (n int) {
	t.Helper()
	require.NoError(t, db.write.QueryRow(query, args...).Scan(&n))
	return n
}

func addPractice(t testing.TB, db *DB) (p PracticeID) {
	t.Helper()
	update(t, db, func(tx *Tx) (err error) {
		p, err = tx.AddPractice("Riverside Midwives", false, true)
		return err
	})
	return p
}

func keyed(t testing.TB, db *DB, p PracticeID) (key int64) {
	t.Helper()
	update(t, db, func(tx *Tx) (err error) {
		key, err = tx.AddAPIKey(p, APIKey{Label: "nightly"}, []byte(rand.Text()))
		return err
	})
	return key
}

// accept stores a submission of two parts and returns it.
func accept(t testing.TB, db *DB, p PracticeID) (i Ingestion) {
	t.Helper()
	update(t, db, func(tx *Tx) error {
		n := NewIngestion{PublicID: uuid.NewString(), Size: 7, Parts: [][]byte{[]byte("sealed"), []byte("body")}}
		id, replayed, err := tx.Accept(p, n)
		if err != nil || replayed {
			return fmt.Errorf("replayed %v: %w", replayed, err)
		}
		i, err = tx.Ingestion(p, id)
		return err
	})
	return i
}

// course is the smallest course of care.
var course = birth.Mask(birth.Draft{Children: []birth.Values{{}}})

// addRecord stores an active record of one version.
func addRecord(t testing.TB, db *DB, p PracticeID, chart string) (r Record) {
	t.Helper()
	update(t, db, func(tx *Tx) (err error) {
		r = Record{UUID: uuid.NewString(), Chart: chart, State: birth.Active, Version: 1, Content: 1}
		if r.ID, err = tx.NextRecordID(); err != nil {
			return err
		}
		if err = tx.AddRecords(p, []Record{r}); err != nil {
			return err
		}
		return tx.AddVersions(p, []Version{versionOf(r, "create")})
	})
	return r
}

func versionOf(r Record, change string) Version {
	return Version{
		Record: r.ID, Version: r.Version, Content: r.Version, Change: change, Source: birth.FHIRPush,
		Course: &course, Patient: []byte("sealed patient"),
	}
}

// countUp reads and then writes, as every decision about a record does.
func countUp(tx *Tx) error {
	n := 0
	if err := tx.one(`select count(*) from practices`, nil, &n); err != nil {
		return err
	}
	_, err := tx.AddPractice(fmt.Sprint(n+1), true, false)
	return err
}

// countedTo requires that every countUp took effect and saw those before it.
func countedTo(t testing.TB, db *DB, want int) {
	t.Helper()
	view(t, db, func(v *View) error {
		n := 0
		return v.each(`select name from practices order by id`, func(rows *sql.Rows) error {
			n++
			var name string
			if err := rows.Scan(&name); err != nil {
				return err
			}
			require.Equal(t, fmt.Sprint(n), name)
			return nil
		})
	})
	require.Equal(t, want, asked(t, db, `select count(*) from practices`))
}

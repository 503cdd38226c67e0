package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
)

func TestAFullDiskIsErrFullAndTheDatabaseWorksOnceThereIsRoom(t *testing.T) {
	db := opened(t)
	p := addPractice(t, db)
	kept := accept(t, db, p)
	fill := func(tx *Tx) error {
		_, _, err := tx.Accept(p, NewIngestion{PublicID: "large", Idempotency: []byte("k"), Parts: [][]byte{make([]byte, 1<<20)}})
		return err
	}
	var pages int
	require.NoError(t, db.write.QueryRow(`pragma page_count`).Scan(&pages))
	raw(t, db, fmt.Sprintf(`pragma max_page_count = %d`, pages+2))
	for range 3 {
		err := db.Update(fill)
		require.ErrorIs(t, err, ErrFull)
		require.True(t, IsUnavailable(err))
	}
	// Writes that share the failed commit are lost with it, and each returns an error.
	for _, err := range together(t, db, countUp, fill, countUp) {
		require.ErrorIs(t, err, ErrFull)
	}
	require.Equal(t, 1, asked(t, db, `select count(*) from practices`))
	require.Equal(t, kept, again(t, db, p, kept.PublicID), "reading goes on")
	update(t, db, func(tx *Tx) error { return tx.Start(p, kept.ID) }) // a small write may still fit

	raw(t, db, `pragma max_page_count = 1000000`)
	update(t, db, fill)
	require.NoError(t, errors.Join(together(t, db, countUp, countUp)...))
	require.NoError(t, db.Check(t.Context(), func(check, problem string) { require.Empty(t, problem, check) }))
}

// fillUp writes until the WAL may not grow anymore, and once more after there is room again.
func fillUp(path string) error {
	signal.Ignore(syscall.SIGXFSZ)
	db, err := Open(context.Background(), path)
	if err != nil {
		return err
	}
	defer db.Close() //nolint:errcheck // the test checks what was written
	if err := db.Update(countUp); err != nil {
		return err
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	low := limit
	low.Cur = 300 << 10
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &low); err != nil {
		return err
	}
	acknowledged, refused := 1, 0
	for refused < 5 {
		if acknowledged > 10_000 {
			return errors.New("it never was full")
		}
		switch err := db.Update(countUp); {
		case err == nil:
			acknowledged++
		case IsUnavailable(err):
			refused++
		default:
			return err
		}
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	for range 5 {
		if err := db.Update(countUp); err != nil {
			return err
		}
		acknowledged++
	}
	fmt.Println(acknowledged)
	return nil
}

func TestACommitThatCannotBeWrittenIsUndoneAndLaterOnesSucceedOnceThereIsRoom(t *testing.T) {
	db := opened(t)
	require.NoError(t, db.Close())
	out, err := process("fill", db.Path()).CombinedOutput()
	require.NoError(t, err, "%s", out)
	acknowledged, err := strconv.Atoi(strings.TrimSpace(string(out)))
	require.NoError(t, err)
	require.Greater(t, acknowledged, 6)
	db = openedAt(t, db.Path())
	countedTo(t, db, acknowledged)
	require.Empty(t, problems(t, db))
}

func TestErrorsCarryNeitherSQLitesTextNorAValue(t *testing.T) {
	db := opened(t)
	w := newFixture(t, db)
	const canary = "CNRY-value"
	for name, fn := range map[string]func(*Tx) error{
		"unique": func(tx *Tx) error {
			return tx.AddRecords(w.p, []Record{{ID: 9, UUID: canary, Chart: w.record.Chart, State: birth.Active}})
		},
		"primary key": func(tx *Tx) error {
			return tx.AddRecords(w.p, []Record{{ID: w.record.ID, UUID: canary, State: birth.Active}})
		},
		"check":       func(tx *Tx) error { return tx.AddRecords(w.p, []Record{{ID: 9, UUID: canary, State: canary}}) },
		"foreign key": func(tx *Tx) error { return kept2(tx.AddAPIKey(77, APIKey{Label: canary}, []byte(canary))) },
		"not null":    func(tx *Tx) error { return kept2(tx.AddAPIKey(w.p, APIKey{Label: canary}, nil)) },
		"type": func(tx *Tx) error {
			return kept2(tx.insert(`insert into practices (name, created_at) values (?, ?)`, canary, canary))
		},
		"syntax": func(tx *Tx) error { return kept2(tx.insert(`insert into "` + canary + `" values (1)`)) },
	} {
		for _, err := range append(together(t, db, fn, countUp)[:1], db.Update(fn)) {
			require.Error(t, err, name)
			require.NotContains(t, err.Error(), "CNRY", name)
			require.NotRegexp(t, `(?i)constraint failed|records\.|api_keys|no such table`, err.Error(), name)
			if name == "unique" || name == "primary key" {
				require.ErrorIs(t, err, ErrConflict)
			}
		}
	}
}

func kept2(_ int64, err error) error { return err }

func TestErrorsAreDistinguished(t *testing.T) {
	require.NoError(t, decode(nil))
	require.ErrorIs(t, decode(sql.ErrNoRows), ErrNotFound)
	require.ErrorIs(t, decode(fmt.Errorf("of a closure: %w", errRefused)), errRefused)
	for _, err := range []error{ErrFull, ErrReadOnly, ErrBusy, ErrClosed, ErrCorrupt} {
		require.True(t, IsUnavailable(fmt.Errorf("accept: %w", err)))
	}
	for _, err := range []error{nil, ErrNotFound, ErrConflict, ErrNotDatabase, ErrNewer, errPanic} {
		require.False(t, IsUnavailable(err))
	}
}

func TestADatabaseThatAnotherProcessHoldsIsErrBusy(t *testing.T) {
	db := opened(t)
	other, err := sql.Open("sqlite", dsn(db.Path(), "_txlock=immediate", nil))
	require.NoError(t, err)
	defer other.Close() //nolint:errcheck // nothing was written
	tx, err := other.Begin()
	require.NoError(t, err)
	raw(t, db, `pragma busy_timeout = 20`)
	for _, err := range []error{db.Update(countUp), db.UpdateChunk(1, countUp)} {
		require.ErrorIs(t, err, ErrBusy)
		require.True(t, IsUnavailable(err))
	}
	require.NoError(t, tx.Rollback())
	update(t, db, countUp)
	countedTo(t, db, 1)
}

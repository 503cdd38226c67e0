package ops

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"birthregistry/app/auth"
	"birthregistry/app/seal"
	"birthregistry/store"
)

// Restoring names a backup and the key that opens the backup.
type Restoring struct {
	Source string
	// With is the path of another key file that opens the backup: a recovery key, or a key from
	// before a rotation. It is "" if the installation's own key opens the backup.
	With string
	// Stage is called at the beginning of each step of the work, with a description of the step.
	Stage func(string)
}

// Restored is the result of Restore or Rehearse.
type Restored struct {
	// Aside is the path to which the previous database was moved, or "" if there was none.
	Aside string
	// InPlace is set if the source was the database itself.
	InPlace bool
	// KeyMade is set if a key file was made. Rekeyed is set if With named the key of the backup.
	KeyMade, Rekeyed bool
	// Schema is the number of the last migration in the backup.
	Schema int64
	// Checks are the results of Check.
	Checks []CheckResult
}

// These are errors of Restore and Rehearse. The operator can resolve them by naming another key.
var (
	ErrNeedsKey = errors.New("the key file is missing; put it back, or name the recovery key with --with")
	ErrNotKey   = errors.New("this key does not open the backup; name the key that does with --with: " +
		"a recovery key that was added before the backup was made, or a key that was retired by a rotation after it")
)

// Restore replaces the database with a backup. Until it returns, no process may serve the database.
//
// Restore copies the backup into a folder next to the database and prepares the copy. It unseals
// the copy, checks every page, migrates it, opens it with its key, and seals it to the
// installation's key. It then ends the copy's sessions and checks the copy as a whole. Only then
// does it set the current database aside and put the copy in its place, in one step. If anything
// fails before this step, the current database stays as it was.
func Restore(ctx context.Context, config Config, r Restoring) (done Restored, err error) {
	path, err := r.locate(&config)
	if err != nil {
		return done, err
	}
	lock, err := store.Lock(path)
	if err != nil {
		return done, err
	}
	defer lock.Close() //nolint:errcheck // closing releases it, and nothing was written
	folder, err := store.PrepareFolder(path)
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, store.Discard(folder)) }()
	prepared, err := r.prepare(ctx, config, path, folder.Name(), &done)
	if err != nil && done.KeyMade { // nothing that stays was sealed to this key
		err = errors.Join(err, os.Remove(config.KeyFile))
	}
	if err != nil {
		return done, err
	}
	done.InPlace = r.Source == path
	r.Stage("putting it in place")
	done.Aside, err = store.Replace(ctx, prepared, path)
	return done, err
}

// locate returns the real path of the database, even if the database doesn't exist. It also sets
// config.KeyFile to its default if it is empty, and r.Source to the real path of the backup. It
// returns an error if the key that With names is missing.
func (r *Restoring) locate(config *Config) (path string, err error) {
	if r.With != "" {
		if _, err := os.Stat(r.With); err != nil {
			return "", fmt.Errorf("restore: the key: %w", err)
		}
	}
	*config = config.withKeyFile()
	if path, err = store.Real(config.DB); err != nil {
		return "", err
	}
	r.Source, err = store.Real(r.Source)
	return path, err
}

// prepare makes a database from the backup in the given folder, and checks it. The prepared
// database can then replace the database at path.
func (r Restoring) prepare(ctx context.Context, config Config, path, folder string, done *Restored) (prepared string, err error) {
	prepared = filepath.Join(folder, "registry.db")
	r.Stage("copying the backup")
	if err := r.fetch(ctx, path, prepared, config.KeyFile); err != nil {
		return "", err
	}
	r.Stage("checking every page")
	if done.Schema, err = inspect(ctx, prepared); err != nil {
		return "", err
	}
	r.Stage("opening it with its key")
	config.DB = prepared
	if err := r.rekey(ctx, config, done); err != nil {
		return "", err
	}
	r.Stage("checking every record")
	done.Checks, err = finish(ctx, config)
	return prepared, err
}

// damaged is the error for a damaged backup. It wraps store.ErrCorrupt, but advises the operator to
// use the previous backup.
type damaged struct{ error }

func (damaged) Error() string {
	return "the backup is damaged, or its copy is incomplete; use the previous backup"
}

func (d damaged) Unwrap() error { return d.error }

// inspect checks the pages of the prepared file and returns the number of its schema. If the WAL
// that was copied with the file belongs to another database, inspect deletes the copied WAL and
// checks the file again.
func inspect(ctx context.Context, prepared string) (int64, error) {
	schema, err := store.Inspect(ctx, prepared)
	if errors.Is(err, store.ErrCorrupt) {
		return schema, damaged{err}
	}
	if !errors.Is(err, store.ErrStaleWAL) {
		return schema, err
	}
	if err := os.Remove(prepared + "-wal"); err != nil {
		return 0, fmt.Errorf("restore: %w", err)
	}
	return store.Inspect(ctx, prepared)
}

// fetch copies the backup to the file prepared. If the backup is sealed, fetch unseals the copy. If
// it isn't sealed, the backup is a database file, such as one that Restore has set aside, and fetch
// also copies its WAL, if there is one.
func (r Restoring) fetch(ctx context.Context, path, prepared, keyFile string) error {
	in, err := os.Open(r.Source)
	if err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	defer in.Close() //nolint:errcheck // only read
	info, err := in.Stat()
	if err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	if !info.Mode().IsRegular() {
		return store.ErrNotDatabase
	}
	if err := store.CheckSpace(2*info.Size(), filepath.Dir(path)); err != nil { // includes the space for the copy that the migrations make
		return err
	}
	buffered := bufio.NewReader(in)
	beginning, _ := buffered.Peek(64) // a shorter file is neither sealed nor a database
	if seal.IsSealed(beginning) {
		keys := []string{keyFile}
		if r.With != "" {
			keys = []string{r.With, keyFile}
		}
		opened, err := seal.OpenFile(buffered, keys...)
		if err == nil {
			err = write(ctx, prepared, opened)
		}
		if errors.Is(err, seal.ErrSealed) {
			return damaged{store.ErrCorrupt}
		}
		return wording(err)
	}
	if err := write(ctx, prepared, buffered); err != nil {
		return err
	}
	return r.fetchWAL(ctx, path, prepared)
}

// fetchWAL copies the WAL if the backup is a whole database with its WAL. While it copies, no
// process may serve that database.
func (r Restoring) fetchWAL(ctx context.Context, path, prepared string) error {
	wal, err := os.Open(r.Source + "-wal")
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	defer wal.Close() //nolint:errcheck // only read
	if _, err := os.Stat(r.Source + ".lock"); err == nil && r.Source != path {
		lock, err := store.Lock(r.Source)
		if err != nil {
			return errors.Join(errors.New("the backup is a database in use; copy it with: birthregistry backup"), err)
		}
		defer lock.Close() //nolint:errcheck // closing releases it, and nothing was written
	}
	return write(ctx, prepared+"-wal", wal)
}

// write writes a new file. When ctx ends, it stops and returns ctx.Err().
func write(ctx context.Context, path string, from io.Reader) error {
	out, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	_, err = io.Copy(out, interruptible{ctx, from})
	if err := errors.Join(err, out.Sync(), out.Close()); err != nil {
		return fmt.Errorf("restore: the backup cannot be copied: %w", err)
	}
	return nil
}

// finish ends all sessions of the prepared database. Otherwise, sessions that users have ended
// since the backup would be open again. finish also records the restore in the audit trail, and
// checks everything.
func finish(ctx context.Context, config Config) (results []CheckResult, err error) {
	i, err := Open(ctx, config)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, i.Close()) }()
	err = i.DB.Update(func(tx *store.Tx) error {
		return errors.Join(tx.EndAllSessions(), i.Auth.Note(tx, auth.Operator(store.Practice{}), "database.restore", ""))
	})
	if err != nil {
		return nil, err
	}
	return i.Check(ctx)
}

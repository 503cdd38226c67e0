// Package ops has the operations that an operator performs on an installation, which is one
// database file and its key file. An operator opens it, checks it, backs it up, restores a backup
// or rehearses that, changes its keys, and finds out what is wrong with it (Doctor).
//
// The package also supports a serving process: it answers the service manager's watchdog, watches
// the volume, and returns unused memory to the system.
//
//	i, err := ops.Open(ctx, ops.Config{DB: "registry.db", Existing: true, Log: log})
//	…
//	defer i.Close()
//	results, err := i.Check(ctx)
//
// Everything in this package works while another process serves the database, except Restore and
// Compact. Package app builds the service on an open installation.
package ops

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"birthregistry/app/auth"
	"birthregistry/app/changes"
	"birthregistry/app/seal"
	"birthregistry/app/systemd"
	"birthregistry/store"
)

// Config names the files of an installation, and configures how they are opened.
type Config struct {
	// DB is the path of the database file. KeyFile is the path of its key file, by default
	// KeyFileFor(DB).
	DB      string
	KeyFile string
	// Existing is set if the database must already exist. Otherwise a command that was run in the
	// wrong folder would create an empty database and report it as sound.
	Existing bool
	Log      *slog.Logger
}

// Installation is an open database with its key and its users.
type Installation struct {
	DB    *store.DB
	Vault *seal.Vault
	Auth  *auth.Service

	config Config
}

// KeyFileFor returns the default key file of a database. If the service manager passes the
// credential registry.key, that is the key file. Otherwise it is the file next to the database
// whose name ends with .key instead of .db.
func KeyFileFor(db string) string {
	if handed := systemd.Credential("registry.key"); handed != "" {
		return handed
	}
	return strings.TrimSuffix(db, filepath.Ext(db)) + ".key"
}

// Open opens an installation. If the database is missing, Open creates it, unless config.Existing
// is set. It makes a key only for a database that has never had one. It migrates the database. If
// an earlier version of the program wrote the database, Open also signs the rows, computes the
// fingerprints again, and indexes the mothers' names.
func Open(ctx context.Context, config Config) (*Installation, error) {
	return open(ctx, config, (*Installation).upgrade)
}

// open opens an installation, and calls ready, which makes it verify rows.
func open(ctx context.Context, config Config, ready func(*Installation, context.Context) error) (*Installation, error) {
	config = config.withKeyFile()
	if err := config.absent(); err != nil {
		return nil, err
	}
	db, err := store.Open(ctx, config.DB)
	if errors.Is(err, store.ErrNotDatabase) {
		err = fmt.Errorf("%w; name the right one with --db or REGISTRY_DB", err)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", absolute(config.DB), err)
	}
	vault, err := config.unlock(db)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	i := &Installation{DB: db, Vault: vault, Auth: auth.New(db, vault), config: config}
	if err := ready(i, ctx); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return i, nil
}

// Close closes the installation.
func (i *Installation) Close() error { return i.DB.Close() }

// unlock opens the vault of a database with the installation's key file. If the database is new,
// unlock creates the key. It returns seal.ErrRecoveryKey if the key file holds a recovery key.
func (c Config) unlock(db *store.DB) (*seal.Vault, error) {
	vault, made, err := seal.Open(db, c.KeyFile)
	if err != nil {
		return nil, c.ofKey(err)
	}
	if made {
		if err := store.ChownLike(filepath.Dir(c.KeyFile), c.KeyFile); err != nil {
			return nil, err
		}
		c.Log.Warn("made the key of this database; move it away from the database and keep a copy: without it nothing can be read",
			"database", db.Path(), "key_file", absolute(c.KeyFile))
	}
	if keys, err := vault.Keys(); err != nil || keys.Recovery { // if a recovery key signed rows, the installation's own key couldn't verify them
		return nil, cmp.Or(err, c.ofKey(seal.ErrRecoveryKey))
	}
	return vault, nil
}

// ofKey adds the path of the key file to an error about it.
func (c Config) ofKey(err error) error {
	for _, about := range []error{
		seal.ErrNoKey, seal.ErrWrongKey, seal.ErrKeyOpen, seal.ErrKeyFolder, seal.ErrNoIdentity, seal.ErrOtherKind, seal.ErrRecoveryKey,
	} {
		if errors.Is(err, about) {
			return fmt.Errorf("%s: %w", absolute(c.KeyFile), err)
		}
	}
	return err
}

// upgrade updates a database that an earlier version of the program wrote: it signs the rows,
// computes the fingerprints again and indexes the mothers' names. It skips what is already done.
func (i *Installation) upgrade(ctx context.Context) error {
	signing := i.progress("signing the rows of an earlier version; what was done is kept")
	if err := sign(ctx, i.DB, i.Vault, i.Auth, i.Vault.Signs(), signing); err != nil {
		return fmt.Errorf("sign: %w", err)
	}
	renewing := i.progress("computing the fingerprints of an earlier version anew; what was done is kept")
	writer := changes.New(i.DB, i.Vault, i.Auth, i.config.Log)
	if err := writer.RenewFingerprints(ctx, renewing); err != nil {
		return fmt.Errorf("fingerprints: %w", err)
	}
	indexing := i.progress("indexing the mothers' names of an earlier version; what was done is kept")
	if err := writer.IndexNames(ctx, indexing); err != nil {
		return fmt.Errorf("names: %w", err)
	}
	return nil
}

// reportEvery is how often an upgrade that takes long reports its progress.
const reportEvery = 2 * time.Second

// progress returns a function that reports the progress of one step of an upgrade. It reports to
// the log and to the service manager, once every reportEvery.
func (i *Installation) progress(step string) func(done, total int) {
	reported := time.Time{}
	return func(done, total int) {
		if done < total && time.Since(reported) < reportEvery {
			return
		}
		reported = time.Now()
		i.config.Log.Info(step, "count", done, "items", total)
		_ = systemd.Notify(systemd.Longer) // the service manager may not have asked for notices
	}
}

func (c Config) withKeyFile() Config {
	if c.KeyFile == "" {
		c.KeyFile = KeyFileFor(c.DB)
	}
	return c
}

// Begun reports whether the installation's key exists. If the key exists but the database doesn't,
// the disk with the database may not be mounted. In that case, the program must not create an empty
// database, which would look as if all were well.
func (c Config) Begun() bool {
	_, err := os.Stat(c.withKeyFile().KeyFile)
	return err == nil
}

// absent returns an error if the database must exist but doesn't. An empty file doesn't count as a
// database. SQLite would treat it as a new one, so a registry whose file was lost would look sound.
func (c Config) absent() error {
	begun := c.Begun() // checked first, because a process that creates both creates the key last
	file, err := os.Stat(c.DB)
	empty := err == nil && file.Mode().IsRegular() && file.Size() == 0
	found := "there is no database at " + absolute(c.DB)
	if empty {
		found = absolute(c.DB) + " is empty and holds no database"
	}
	switch {
	case !c.Existing || !empty && !errors.Is(err, os.ErrNotExist):
		return nil
	case begun:
		return fmt.Errorf("%s, but its key is at %s: mount the database's disk, give its path with --db, or run: "+
			"birthregistry restore BACKUP. To make a new database instead, run: birthregistry practice add", found, absolute(c.KeyFile))
	}
	return fmt.Errorf("%s; name it with --db or REGISTRY_DB, or make one with birthregistry practice add", found)
}

// absolute returns the full path of a file, which is valid in every working directory.
func absolute(path string) string {
	if full, err := filepath.Abs(path); err == nil {
		return full
	}
	return path
}

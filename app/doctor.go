package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"birthregistry/store"
)

// Diagnosis is what one check of Doctor found.
type Diagnosis struct {
	// Check is the check's name, which does not change: programs look for it.
	Check string `json:"check"`
	// State is OK, Note (fine, but worth knowing), Problem, or Skipped when an
	// earlier problem leaves nothing to look at.
	State string `json:"state"`
	// Found is what was found, Fix what to do about it. Programs read the members
	// "found" and "cure" and the state "TROUBLE", so those names stay.
	Found string `json:"found,omitzero"`
	Fix   string `json:"cure,omitzero"`
}

// The states of a diagnosis.
const (
	OK      = "ok"
	Note    = "note"
	Problem = "TROUBLE"
	Skipped = "skipped"
)

// Inputs are what Doctor needs besides the configuration: the settings of
// the serving process that it looks at from outside.
type Inputs struct {
	StaleAfter time.Duration
	// Reach asks the address that callers use for its health check, and says
	// what it found: OK, Note or Problem.
	Reach func(ctx context.Context) Diagnosis
	// Behind says that the operator named proxies.
	Behind bool
}

// installation is what Doctor examines, with what it has found so far.
type installation struct {
	config Config
	inputs Inputs
	app    *App // nil until it could be opened
	all    []Diagnosis
}

func (i *installation) report(check, state, found, fix string) {
	i.all = append(i.all, Diagnosis{check, state, found, fix})
}

// Doctor looks at everything that commonly goes wrong with an installation,
// names each problem with its fix. It works while a process serves, changes
// nothing, and neither makes nor migrates a database.
func Doctor(ctx context.Context, config Config, inputs Inputs) ([]Diagnosis, error) {
	if config.KeyFile == "" {
		config.KeyFile = KeyFileFor(config.DB)
	}
	path, err := store.Real(config.DB)
	if err != nil {
		return nil, err
	}
	config.DB = path
	if config.KeyFile, err = filepath.Abs(config.KeyFile); err != nil {
		return nil, fmt.Errorf("doctor: %w", err)
	}
	i := &installation{config: config, inputs: inputs}
	there := i.file()
	if there {
		i.permissions()
		i.disk()
	}
	if there && i.schema(ctx) {
		i.key(ctx)
	}
	if i.app != nil {
		err = errors.Join(i.inside(ctx), i.app.Close())
	} else {
		for _, check := range []string{"integrity", "recovery key", "clock", "feed", "EHRs"} {
			i.report(check, Skipped, "the database could not be opened", "")
		}
	}
	i.reading()
	i.backups()
	i.process()
	i.address(ctx)
	return i.all, err
}

// file looks whether there is a database at all.
func (i *installation) file() bool {
	info, err := os.Stat(i.config.DB)
	switch {
	case errors.Is(err, os.ErrNotExist):
		i.report("database", Problem, "there is none at "+i.config.DB,
			"mount its disk, or name it with --db or REGISTRY_DB; if it is lost: birthregistry restore BACKUP")
	case err != nil:
		i.report("database", Problem, "it cannot be looked at: "+cause(err), "run this as the service's user or as root")
	case !info.Mode().IsRegular():
		i.report("database", Problem, i.config.DB+" is no file", "name the database file with --db")
	default:
		i.report("database", OK, fmt.Sprintf("%s, %s", i.config.DB, bytesText(info.Size())), "")
		return true
	}
	return false
}

// schema looks at the file without changing it, and reports whether it can be
// opened by this program.
func (i *installation) schema(ctx context.Context) bool {
	at, err := store.Inspect(ctx, i.config.DB)
	latest := store.LatestSchema()
	switch {
	case errors.Is(err, store.ErrCorrupt):
		i.report("pages", Problem, "the file is damaged", "stop the service, then: birthregistry restore BACKUP, with the latest backup; "+
			"the damaged file is kept beside it")
	case errors.Is(err, store.ErrNotDatabase):
		i.report("pages", Problem, "the file is no database of this program", "name the right one with --db, or: birthregistry restore BACKUP")
	case errors.Is(err, store.ErrStaleWAL):
		i.report("pages", Problem, "beside the database lies the WAL of another one",
			"move "+i.config.DB+"-wal away; the next time, put a copy in place with: birthregistry restore COPY")
	case errors.Is(err, store.ErrNewer):
		i.report("pages", OK, "every page is sound", "")
		i.report("schema", Problem, fmt.Sprintf("it is number %d, this program knows up to %d", at, latest),
			"use the newer program that wrote it, or restore the copy "+i.config.DB+".before-… that it made")
	case err != nil && readOnly(filepath.Dir(i.config.DB)):
		i.report("pages", Skipped, "the file cannot be read on a disk that is mounted read-only", "see disk above")
	case errors.Is(err, store.ErrFull):
		i.report("pages", Skipped, "there is no room even to read the file", "see disk above")
	case err != nil && !i.writes():
		i.report("pages", Skipped, "this user cannot read the file, or not write beside it", "see permissions above")
	case err != nil:
		i.report("pages", Problem, "the file cannot be read: "+cause(err), "see permissions and disk above")
	case at < latest:
		i.report("pages", OK, "every page is sound", "")
		i.report("schema", Note, fmt.Sprintf("it is number %d, the next start brings it to %d", at, latest), "nothing; a verified copy is made first")
	default:
		i.report("pages", OK, "every page is sound", "")
		i.report("schema", OK, fmt.Sprintf("number %d, the latest", at), "")
		return true
	}
	return false
}

// inside looks at what only the opened database tells.
func (i *installation) inside(ctx context.Context) error {
	findings, err := i.app.Check(ctx)
	if err != nil {
		return err
	}
	broken := ""
	for _, f := range findings {
		if f.Problem != "" && broken == "" {
			broken = f.Check + ": " + f.Problem
		}
	}
	if broken == "" {
		i.report("integrity", OK, fmt.Sprintf("%d rules hold for every row", len(findings)), "")
	} else {
		i.report("integrity", Problem, "it is not so that "+broken, "birthregistry check shows all; then: birthregistry restore BACKUP, with a backup that is clean")
	}
	return errors.Join(i.recoveryKey(), i.clock(), i.feed(), i.ehrs())
}

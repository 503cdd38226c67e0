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
	// State is OK, Note (fine, but worth knowing), Trouble, or Skipped when an
	// earlier trouble leaves nothing to look at.
	State string `json:"state"`
	// Found is what was found, Cure what to do about it.
	Found string `json:"found,omitzero"`
	Cure  string `json:"cure,omitzero"`
}

// The states of a diagnosis.
const (
	OK      = "ok"
	Note    = "note"
	Trouble = "TROUBLE"
	Skipped = "skipped"
)

// Symptoms are what Doctor is told besides the configuration: the settings of
// the serving process that it looks at from outside.
type Symptoms struct {
	StaleAfter time.Duration
	// Reach asks the address that callers use for its health check, and says
	// what it found: OK, Note or Trouble.
	Reach func(ctx context.Context) Diagnosis
	// Behind says that the operator named proxies.
	Behind bool
}

// patient is an installation being looked at.
type patient struct {
	config Config
	also   Symptoms
	app    *App // nil until it could be opened
	all    []Diagnosis
}

func (p *patient) tell(check, state, found, cure string) {
	p.all = append(p.all, Diagnosis{check, state, found, cure})
}

// Doctor looks at everything that commonly goes wrong with an installation,
// each trouble with its cure. It works beside a process that serves, changes
// nothing, and neither makes nor migrates a database.
func Doctor(ctx context.Context, config Config, also Symptoms) ([]Diagnosis, error) {
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
	p := &patient{config: config, also: also}
	there := p.file()
	if there {
		p.permissions()
		p.disk()
	}
	if there && p.schema(ctx) {
		p.key(ctx)
	}
	if p.app != nil {
		err = errors.Join(p.inside(ctx), p.app.Close())
	} else {
		for _, check := range []string{"integrity", "recovery key", "clock", "feed", "EHRs"} {
			p.tell(check, Skipped, "the database could not be opened", "")
		}
	}
	p.reading()
	p.backups()
	p.process()
	p.address(ctx)
	return p.all, err
}

// file looks whether there is a database at all.
func (p *patient) file() bool {
	info, err := os.Stat(p.config.DB)
	switch {
	case errors.Is(err, os.ErrNotExist):
		p.tell("database", Trouble, "there is none at "+p.config.DB,
			"mount its disk, or name it with --db or REGISTRY_DB; if it is lost: birthregistry restore BACKUP")
	case err != nil:
		p.tell("database", Trouble, "it cannot be looked at: "+cause(err), "run this as the service's user or as root")
	case !info.Mode().IsRegular():
		p.tell("database", Trouble, p.config.DB+" is no file", "name the database file with --db")
	default:
		p.tell("database", OK, fmt.Sprintf("%s, %s", p.config.DB, bytesText(info.Size())), "")
		return true
	}
	return false
}

// schema looks at the file without changing it, and reports whether it can be
// opened by this program.
func (p *patient) schema(ctx context.Context) bool {
	at, err := store.Inspect(ctx, p.config.DB)
	latest := store.LatestSchema()
	switch {
	case errors.Is(err, store.ErrCorrupt):
		p.tell("pages", Trouble, "the file is damaged", "stop the service, then: birthregistry restore BACKUP, with the latest backup; "+
			"the damaged file is kept beside it")
	case errors.Is(err, store.ErrNotDatabase):
		p.tell("pages", Trouble, "the file is no database of this program", "name the right one with --db, or: birthregistry restore BACKUP")
	case errors.Is(err, store.ErrStaleLog):
		p.tell("pages", Trouble, "beside the database lies the log of another one",
			"move "+p.config.DB+"-wal away; the next time, put a copy in place with: birthregistry restore COPY")
	case errors.Is(err, store.ErrNewer):
		p.tell("pages", OK, "every page is sound", "")
		p.tell("schema", Trouble, fmt.Sprintf("it is number %d, this program knows up to %d", at, latest),
			"use the newer program that wrote it, or restore the copy "+p.config.DB+".before-… that it made")
	case err != nil && readOnly(filepath.Dir(p.config.DB)):
		p.tell("pages", Skipped, "the file cannot be read on a disk that is mounted read-only", "see disk above")
	case errors.Is(err, store.ErrFull):
		p.tell("pages", Skipped, "there is no room even to read the file", "see disk above")
	case err != nil && !p.writes():
		p.tell("pages", Skipped, "this user cannot read the file, or not write beside it", "see permissions above")
	case err != nil:
		p.tell("pages", Trouble, "the file cannot be read: "+cause(err), "see permissions and disk above")
	case at < latest:
		p.tell("pages", OK, "every page is sound", "")
		p.tell("schema", Note, fmt.Sprintf("it is number %d, the next start brings it to %d", at, latest), "nothing; a verified copy is made first")
	default:
		p.tell("pages", OK, "every page is sound", "")
		p.tell("schema", OK, fmt.Sprintf("number %d, the latest", at), "")
		return true
	}
	return false
}

// inside looks at what only the opened database tells.
func (p *patient) inside(ctx context.Context) error {
	findings, err := p.app.Check(ctx)
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
		p.tell("integrity", OK, fmt.Sprintf("%d rules hold for every row", len(findings)), "")
	} else {
		p.tell("integrity", Trouble, "it is not so that "+broken, "birthregistry check shows all; then: birthregistry restore BACKUP, with a backup that is clean")
	}
	return errors.Join(p.recoveryKey(), p.clock(), p.feed(), p.ehrs())
}

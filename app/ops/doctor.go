package ops

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"birthregistry/app/birth"
	"birthregistry/store"
)

// Diagnosis is the result of one check that Doctor makes.
type Diagnosis struct {
	// Check is the name of the check. The name never changes, because other programs look for it.
	Check string `json:"check"`
	// State is OK, Note, Problem or Skipped. Note means that all is well, but that there is
	// something worth knowing. Skipped means that the check wasn't possible, mostly because of an
	// earlier problem.
	State string `json:"state"`
	// Found describes what the check found, and Fix describes how to fix it. Other programs read
	// the JSON members "found" and "cure" and the state "TROUBLE", so these names must not change.
	Found string `json:"found,omitzero"`
	Fix   string `json:"cure,omitzero"`
}

// These are the states of a diagnosis.
const (
	OK      = "ok"
	Note    = "note"
	Problem = "TROUBLE"
	Skipped = "skipped"
)

// Inputs holds the settings of the serving process. Doctor examines that process from outside.
type Inputs struct {
	BaseURL     string
	OwnTLS      bool // set if the service has its own certificate
	Behind      bool // set if trusted proxies are named
	DiskReserve int64
	StaleAfter  time.Duration
	Reading     birth.Reading
	Backups     Schedule
	// AskService checks the service's health at the address at which the service listens on this
	// machine. AskPublic does the same at the base URL. The state of each result is OK, Note or
	// Problem.
	AskService, AskPublic func(ctx context.Context) Diagnosis
}

// examination is one run of Doctor, with the diagnoses so far.
type examination struct {
	config Config
	inputs Inputs
	opened *Installation // nil if it could not be opened
	all    []Diagnosis
}

func (e *examination) report(check, state, found, fix string) {
	e.all = append(e.all, Diagnosis{check, state, found, fix})
}

// Doctor checks everything that commonly goes wrong with an installation, and states a fix for each
// problem. It works while a process serves the database. It changes nothing, and neither creates
// nor migrates a database. If ctx ends before all checks are done, it returns ctx.Err().
func Doctor(ctx context.Context, config Config, inputs Inputs) ([]Diagnosis, error) {
	config = config.withKeyFile()
	path, err := store.Real(config.DB)
	if err != nil {
		return nil, err
	}
	config.DB = path
	if config.KeyFile, err = filepath.Abs(config.KeyFile); err != nil {
		return nil, fmt.Errorf("doctor: %w", err)
	}
	e := &examination{config: config, inputs: inputs}
	there := e.file()
	if there {
		e.permissions()
		e.disk()
	}
	if there && e.schema(ctx) {
		e.key(ctx)
	}
	if e.opened != nil {
		err = errors.Join(e.inside(ctx), e.opened.Close())
	} else {
		for _, check := range []string{"integrity", "recovery key", "clock", "feed", "EHRs", "passkeys"} {
			e.report(check, Skipped, "the database was not opened", "")
		}
	}
	e.reading()
	e.backups()
	if e.process() {
		d := e.inputs.AskService(ctx)
		e.report("service", d.State, d.Found, d.Fix)
	} else {
		e.report("service", Skipped, "no process serves this database", "")
	}
	e.address(ctx)
	return e.all, errors.Join(err, ctx.Err()) // checks that were interrupted found no problem
}

// file reports whether the database file exists.
func (e *examination) file() bool {
	info, err := os.Stat(e.config.DB)
	switch {
	case errors.Is(err, os.ErrNotExist):
		e.report("database", Problem, "there is none at "+e.config.DB,
			"mount its disk, or name it with --db or REGISTRY_DB; if it is lost: birthregistry restore BACKUP")
	case err != nil:
		e.report("database", Problem, "it cannot be examined: "+cause(err), "run this as the service's user or as root")
	case !info.Mode().IsRegular():
		e.report("database", Problem, e.config.DB+" is not a file", "name the database file with --db")
	default:
		e.report("database", OK, fmt.Sprintf("%s, %s", e.config.DB, bytesText(info.Size())), "")
		return true
	}
	return false
}

// schema checks the pages and the schema of the database file without changing it. It returns true
// if the file is sound and no upgrade is left to do, because such a file can be opened without being
// upgraded.
func (e *examination) schema(ctx context.Context) bool {
	at, err := store.Inspect(ctx, e.config.DB)
	latest, pending := store.LatestSchema(), false
	if err == nil && at == latest {
		pending, err = store.UpgradePending(ctx, e.config.DB)
	}
	switch {
	case errors.Is(err, store.ErrCorrupt):
		e.report("pages", Problem, "the file is damaged", "stop the service, then: birthregistry restore BACKUP, with the latest backup; "+
			"the damaged file is kept next to it")
	case errors.Is(err, store.ErrNotDatabase):
		e.report("pages", Problem, "the file is not a database of this program", "name the right one with --db, or: birthregistry restore BACKUP")
	case errors.Is(err, store.ErrStaleWAL):
		e.report("pages", Problem, "the WAL next to this database belongs to another database",
			"move "+e.config.DB+"-wal away; the next time, put a copy in place with: birthregistry restore COPY")
	case errors.Is(err, store.ErrNewer):
		e.report("pages", OK, "every page is sound", "")
		e.report("schema", Problem, fmt.Sprintf("it is number %d; this program knows up to %d", at, latest),
			"use the newer program that wrote it, or restore the copy "+e.config.DB+".before-… that it made")
	case err != nil && readOnly(filepath.Dir(e.config.DB)):
		e.report("pages", Skipped, "the file cannot be read on a disk that is mounted read-only", "see disk above")
	case errors.Is(err, store.ErrFull):
		e.report("pages", Skipped, "there is not even space to read the file", "see disk above")
	case err != nil && !e.writes():
		e.report("pages", Skipped, "this user cannot read the file, or cannot write next to it", "see permissions above")
	case err != nil:
		e.report("pages", Problem, "the file cannot be read: "+cause(err), "see permissions and disk above")
	case at < latest:
		e.report("pages", OK, "every page is sound", "")
		e.report("schema", Note, fmt.Sprintf("it is number %d; the next start upgrades it to %d", at, latest), "nothing; a verified copy is made first")
	case pending:
		e.report("pages", OK, "every page is sound", "")
		e.report("schema", Note, fmt.Sprintf("it is number %d, the latest, but the upgrade to it is not finished", at), unfinished)
	default:
		e.report("pages", OK, "every page is sound", "")
		e.report("schema", OK, fmt.Sprintf("number %d, the latest", at), "")
		return true
	}
	return false
}

// unfinished is the fix for an upgrade that was interrupted, or that the service does right now.
const unfinished = "nothing; the service, or its next start, finishes it, and its log shows the progress"

// inside runs the checks that need an open database.
func (e *examination) inside(ctx context.Context) error {
	findings, err := e.opened.Check(ctx)
	if err != nil {
		return err
	}
	switch broken, ok := worst(findings); {
	case ok:
		e.report("integrity", OK, fmt.Sprintf("%d rules hold for every row", len(findings)), "")
	case broken.Fix != "":
		e.report("integrity", Problem, broken.Problem, broken.Fix)
	default:
		e.report("integrity", Problem, "this does not hold: "+broken.Check+": "+broken.Problem, "birthregistry check shows all; then: birthregistry restore BACKUP, with a backup that passes it")
	}
	return errors.Join(e.recoveryKey(), e.clock(), e.feed(), e.ehrs(), e.passkeys(ctx))
}

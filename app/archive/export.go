package archive

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"birthregistry/app/auth"
	"birthregistry/app/changes"
	"birthregistry/app/records"
	"birthregistry/app/seal"
	"birthregistry/store"
)

// Service exports and imports the practices of one installation.
type Service struct {
	db      *store.DB
	vault   *seal.Vault
	auth    *auth.Service
	records *records.Records
	changes *changes.Writer
	program string
	sends   *sends

	// written is called before each transaction of an import. Tests use it to interrupt the import.
	written func(table string)
}

// New returns a Service. The argument program is the version of the program for the manifest.
func New(db *store.DB, vault *seal.Vault, users *auth.Service, reads *records.Records, writes *changes.Writer, program string) *Service {
	return &Service{db: db, vault: vault, auth: users, records: reads, changes: writes, program: program, sends: newSends()}
}

// Sealing says who can open an archive. If there are recipients, anybody who has the secret key of
// one of them can open it. Otherwise, anybody who knows the passphrase can.
type Sealing struct {
	Recipients []string
	Passphrase string
}

func (s Sealing) writer(to io.Writer) (io.WriteCloser, error) {
	if len(s.Recipients) > 0 {
		return seal.SealFile(to, s.Recipients)
	}
	return seal.SealFileWith(to, s.Passphrase)
}

// Made describes an archive that was written.
type Made struct {
	Manifest
	SHA256 [sha256.Size]byte // the SHA-256 of the file
	Size   int64

	state []byte // the practice's store.ExportState, to detect later changes
}

// patience is how long Export waits until the practice's queue is empty.
const patience = time.Minute

// Export writes a practice into a new file and records the export in the audit trail. It calls
// progress with the number of versions done and their total. Export returns store.ErrNotFound if
// there is no such practice, and ErrBusy if the practice's queue isn't empty within a minute.
func (s *Service) Export(ctx context.Context, who auth.User, sealing Sealing, file string, progress func(done, total int)) (Made, error) {
	if err := store.Vacant(file); err != nil {
		return Made{}, err
	}
	var made Made
	err := s.unfinished(ctx, who, sealing, filepath.Dir(file), patience, progress, func(m Made, written *os.File) error {
		made = m
		return store.Rename(written.Name(), file)
	})
	return made, err
}

// unfinished writes an archive into a temporary file in folder, records the export in the audit
// trail, and calls use with the file. Afterwards, it deletes the file unless use has renamed it.
func (s *Service) unfinished(ctx context.Context, who auth.User, sealing Sealing, folder string, patience time.Duration, progress func(done, total int),
	use func(Made, *os.File) error,
) (err error) {
	trail, err := s.auth.Trail.Verify(ctx)
	if err != nil {
		return err
	}
	if err := store.CheckSpace(0, folder); err != nil {
		return err
	}
	out, err := store.Unfinished(folder)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Discard(out)) }()
	e := &export{Service: s, ctx: ctx, practice: who.Practice.ID, patience: patience, progress: progress, intact: trail.Broken == 0}
	made, err := e.write(sealing, out)
	if err != nil {
		return err
	}
	if err := out.Sync(); err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	if made.Size, err = reread(out, made.SHA256); err != nil {
		return err
	}
	if err := s.note(who, made); err != nil {
		return err
	}
	return use(made, out)
}

// note records the export in the audit trail. It must be called before anybody gets the archive.
func (s *Service) note(who auth.User, made Made) error {
	of := store.Export{Digest: made.SHA256[:], Records: made.Records, At: made.Made, State: made.state}
	return s.auth.Act(who, func(tx *store.Tx) error {
		return errors.Join(
			tx.AddExport(who.Practice.ID, of),
			s.auth.Note(tx, who, "practice.export", of.Object()))
	})
}

// export holds the settings and the state of one export.
type export struct {
	*Service
	ctx      context.Context
	practice store.PracticeID
	patience time.Duration
	progress func(done, total int)
	intact   bool
	manifest Manifest
	chain    chain
	state    []byte
	line     []byte
}

// write writes the archive and returns its manifest and its SHA-256.
func (e *export) write(sealing Sealing, out io.Writer) (made Made, err error) {
	digest := sha256.New()
	sealed, err := sealing.writer(io.MultiWriter(out, digest))
	if err != nil {
		return made, err
	}
	z := zipWriter(sealed)
	if err := e.snapshot(z); err != nil {
		return made, err
	}
	if err := errors.Join(z.Close(), sealed.Close()); err != nil {
		return made, fmt.Errorf("archive: %w", err)
	}
	made = Made{Manifest: e.manifest, state: e.state}
	digest.Sum(made.SHA256[:0])
	return made, nil
}

// snapshot writes all members of the archive from one snapshot of the database. In the snapshot,
// the practice's queue must be empty. snapshot waits for that for at most e.patience, and then
// returns ErrBusy.
func (e *export) snapshot(z *zip.Writer) error {
	for began := time.Now(); ; {
		err := e.db.View(e.ctx, func(v *store.View) error {
			busy, err := v.Busy(e.practice)
			if err == nil && busy > 0 {
				err = ErrBusy
			}
			if err != nil {
				return err
			}
			return e.members(v, z)
		})
		if !errors.Is(err, ErrBusy) || time.Since(began) >= e.patience {
			return err
		}
		select {
		case <-e.ctx.Done():
			return e.ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

func (e *export) members(v *store.View, z *zip.Writer) error {
	p, err := v.Practice(e.practice)
	if err != nil {
		return err
	}
	e.manifest = Manifest{
		Format: Format, Program: e.program, Made: time.Now().UTC().Truncate(time.Second), Practice: p.Name, Sandbox: p.Sandbox,
	}
	if e.manifest.Records, e.manifest.Versions, err = v.CountVersions(e.practice); err != nil {
		return err
	}
	if e.manifest.MadeAgain, err = madeAgain(v, e.practice); err != nil {
		return err
	}
	if e.state, err = v.ExportState(e.practice); err != nil {
		return err
	}
	e.progress(0, e.manifest.Versions)
	for i := range store.ArchiveTables {
		if err := e.table(v, z, &store.ArchiveTables[i]); err != nil {
			return err
		}
	}
	if err := e.births(v, z, p); err != nil {
		return err
	}
	e.manifest.Trail = Chain{e.chain.last, e.intact}
	to, err := z.CreateHeader(&zip.FileHeader{Name: manifestName, Method: zip.Deflate})
	if err != nil {
		return err
	}
	return json.MarshalWrite(to, e.manifest, jsontext.WithIndent("  "))
}

// table writes the rows of a database table as a member of the archive. It writes sealed values in
// plain form.
func (e *export) table(v *store.View, z *zip.Writer, t *store.ArchiveTable) error {
	m, err := addMember(z, t.Name+lines)
	if err != nil {
		return err
	}
	for _, c := range t.Columns {
		m.Fields = append(m.Fields, c.Name)
	}
	err = v.ArchiveRows(e.practice, t, func(values []any) error {
		if err := e.ctx.Err(); err != nil {
			return err
		}
		r := row{t, values}
		if err := r.open(e.vault, e.practice); err != nil {
			return err
		}
		if e.line, err = appendLine(e.line[:0], t, values); err != nil {
			return err
		}
		if t.Name == "audit" {
			e.line = e.chain.append(e.line)
		}
		if len(e.line) > MaxLine {
			return fmt.Errorf("archive: a row of %s is longer than %d MiB", t.Name, MaxLine>>20)
		}
		if id := r.number("id"); id != 0 {
			m.number(id)
		}
		if m.Rows++; t.Name == "versions" {
			e.progress(m.Rows, e.manifest.Versions)
		}
		_, err := m.Write(append(e.line, '\n'))
		return err
	})
	if err == nil {
		e.manifest.Members = append(e.manifest.Members, m.done())
	}
	return err
}

// births writes births.csv, a spreadsheet of the active records, as a member of the archive.
func (e *export) births(v *store.View, z *zip.Writer, p store.Practice) error {
	m, err := addMember(z, birthsName)
	if err != nil {
		return err
	}
	if m.Rows, err = e.records.ExportFrom(v, p, store.Filter{}, m); err != nil {
		return err
	}
	e.manifest.Members = append(e.manifest.Members, m.done())
	return nil
}

// madeAgain returns the practice's valid API keys, and the EHRs that only this practice may use.
// They must be created again in the other installation.
func madeAgain(v *store.View, p store.PracticeID) (Anew, error) {
	all := Anew{Keys: []Key{}, EHRs: []EHR{}}
	keys, err := v.APIKeys(p)
	if err != nil {
		return all, err
	}
	for _, k := range keys {
		if k.RevokedAt == nil {
			all.Keys = append(all.Keys, Key{k.Label, k.Scopes})
		}
	}
	ehrs, err := v.EHRsOf(p)
	for _, h := range ehrs {
		all.EHRs = append(all.EHRs, EHR{h.Issuer, h.Label, h.ClientID, h.Auth})
	}
	return all, err
}

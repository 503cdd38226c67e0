package imports

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"

	"github.com/go-json-experiment/json"

	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/ingest"
	"birthregistry/app/mapping"
	"birthregistry/app/mapping/sheet"
	"birthregistry/app/seal"
	"birthregistry/store"
)

// upload is a file that is being uploaded.
type upload struct {
	*Service
	practice store.PracticeID
	publicID string
	who      auth.User
	id       int64
	size     int64
	about    About
}

// begin creates the import to which the file's parts will belong. If the upload is interrupted,
// Sweep deletes this import.
func (u *upload) begin(name string) error {
	u.about.Name = fileName(name)
	sealed, err := u.sealAbout(u.practice, u.publicID, u.about)
	if err != nil {
		return err
	}
	return u.auth.Act(u.who, func(tx *store.Tx) (err error) {
		if err := u.makeSpace(tx); err != nil {
			return err
		}
		u.id, err = tx.AddImport(u.practice, store.Import{PublicID: u.publicID, User: u.who.ID, About: sealed})
		return err
	})
}

// drop deletes a file that couldn't be received or read. It works even if the user's session has
// ended.
func (u *upload) drop() error {
	u.queue.SetTruncationPending()
	return u.db.Update(func(tx *store.Tx) error { return tx.DropImport(u.practice, u.id, nil) })
}

// How many files may wait for confirmation: of one user, and of one practice. If a user has reached
// their limit, their next file replaces their oldest file. Otherwise, if the practice has reached
// its limit, the upload is refused.
const (
	waitingOfPerson   = 3
	waitingOfPractice = 10
)

// makeSpace makes sure that one more file may wait for confirmation. If the user has reached their
// limit, it deletes their oldest file. Otherwise, if the practice has reached its limit, it returns
// ErrManyFiles. The operator's files are not limited.
func (u *upload) makeSpace(tx *store.Tx) error {
	waiting, err := tx.UnconfirmedImports(u.practice)
	if err != nil {
		return err
	}
	var own []int64
	for _, i := range waiting {
		if i.User == u.who.ID {
			own = append(own, i.ID)
		}
	}
	switch {
	case u.who.ID == 0: // the operator's command deletes its own file
		return nil
	case len(own) >= waitingOfPerson:
		u.queue.SetTruncationPending()
		return tx.DropImport(u.practice, own[0], nil)
	case len(waiting) >= waitingOfPractice:
		return ErrManyFiles
	}
	return nil
}

// fileName returns the last part of a path that a browser sends as a file's name. It shortens the
// name with the function short.
func fileName(name string) string { return short(name[strings.LastIndexAny(name, `/\`)+1:]) }

// short returns a name without control characters. It drops everything after the first 100
// characters.
func short(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, name)
	if runes := []rune(name); len(runes) > 100 {
		name = string(runes[:100])
	}
	return name
}

func (s *Service) sealAbout(p store.PracticeID, publicID string, about About) ([]byte, error) {
	doc, err := json.Marshal(about)
	if err != nil {
		return nil, errors.New("imports: the data about a file cannot be written as JSON")
	}
	return s.vault.Seal(AboutPlace(p, publicID), doc)
}

// receive reads the file, stores it part by part, and detects its encoding. Only one part is in
// memory at a time.
func (u *upload) receive(body io.Reader) error {
	release, ok := u.queue.TryReserve(u.practice, ingest.PartSize)
	if !ok {
		return fhir.Busy
	}
	defer release()
	var sniffer sheet.Sniffer
	plain := make([]byte, ingest.PartSize)
	defer clear(plain)
	for part := 0; ; part++ {
		n, last, err := fill(body, plain)
		if err != nil {
			return err
		}
		if u.size += int64(n); u.size > MaxSize {
			return ErrFileSize
		}
		if _, err := sniffer.Write(plain[:n]); err != nil {
			return err
		}
		if n > 0 {
			if err := u.keep(part, plain[:n]); err != nil {
				return err
			}
		}
		if last {
			break
		}
	}
	var err error
	u.about.Encoding, err = sniffer.Encoding()
	return err
}

// fill reads until the buffer is full or the body ends. It returns ErrCutOff if the connection
// breaks before the end of the body. io.ReadFull isn't used because it returns the same error for a
// broken connection and for a complete body that is shorter than the buffer.
func fill(body io.Reader, buffer []byte) (n int, last bool, err error) {
	for n < len(buffer) {
		m, err := body.Read(buffer[n:])
		n += m
		if err == io.EOF { //nolint:errorlint // the io.Reader contract: EOF comes unwrapped
			return n, true, nil
		}
		if err != nil {
			return n, false, fmt.Errorf("%w: %w", ErrCutOff, err)
		}
	}
	return n, false, nil
}

// keep seals and stores one part of the file. It returns fhir.Busy if there isn't enough space on
// the disk.
func (u *upload) keep(part int, plain []byte) error {
	sealed, err := u.vault.Seal(importPartPlace(u.practice, u.publicID, part), plain)
	if err != nil {
		return err
	}
	err = u.auth.Act(u.who, func(tx *store.Tx) error {
		if err := u.queue.SpaceFor(tx, ingest.PartSize); err != nil {
			return err
		}
		return tx.AddImportPart(u.practice, u.id, part, sealed)
	})
	return ingest.Unavailable(err)
}

// look reads the stored file. If there is no open question about it, look stores what importing the
// file would do.
func (u *upload) look(ctx context.Context) error {
	u.about.Amend, u.about.Revive = u.who.May(auth.RecordAmend), u.who.May(auth.RecordVoid)
	row := store.Import{ID: u.id, PublicID: u.publicID, Size: u.size}
	if err := u.survey(ctx, u.who, row, &u.about); err != nil {
		return err
	}
	if u.about.Step != Matched && u.who.ID == 0 { // the command line has nobody to ask
		return unmatched(u.about.Survey)
	}
	return u.proceed(ctx, u.who, row, &u.about)
}

// preview reads a stored file, and stores what importing it would do.
func (s *Service) preview(ctx context.Context, who auth.User, row store.Import, about *About) error {
	f, began := s.newPreviewer(who.Practice.ID, *about, who), time.Now()
	if err := f.read(ctx, row, *about, f.count); err != nil {
		return err
	}
	about.Preview, about.Previewed = f.found, began
	about.Delimiter, about.Known = string(f.header.Delimiter), len(f.header.Known)
	about.Ignored = ignored(f.header)
	row.Rows = f.found.Rows
	return s.store(who, row, about, "import.preview")
}

// store stores the data about a file. If note isn't "", it is added to the audit trail.
func (s *Service) store(who auth.User, row store.Import, about *About, note string) error {
	about.Revision++
	sealed, err := s.sealAbout(who.Practice.ID, row.PublicID, *about)
	if err != nil {
		return err
	}
	return s.auth.Act(who, func(tx *store.Tx) error {
		now, err := tx.Import(who.Practice.ID, row.PublicID)
		if err != nil {
			return err
		}
		if row.About != nil && !bytes.Equal(now.About, row.About) {
			return ErrPreviewChanged
		}
		err = tx.SetImport(who.Practice.ID, store.Import{ID: row.ID, Rows: row.Rows, Size: row.Size, About: sealed})
		if err != nil || note == "" {
			return err
		}
		return s.auth.Note(tx, who, note, row.PublicID)
	})
}

// format returns the Format for a practice's file. Its columns include the practice's custom
// fields.
func (s *Service) format(ctx context.Context, p store.PracticeID, file About) (sheet.Format, error) {
	custom, err := store.Read(ctx, s.db, func(v *store.View) ([]birth.CustomField, error) { return v.CustomFields(p) })
	return sheet.Format{Encoding: file.Encoding, Layout: file.Layout, Fixes: file.Fixes, Custom: custom}, err
}

// Format returns the Format for a practice's new files. It reads, writes and describes them.
func (s *Service) Format(ctx context.Context, p store.PracticeID) (sheet.Format, error) {
	return s.format(ctx, p, About{Encoding: sheet.UTF8})
}

// partsOf returns a reader of the content of an uploaded file.
func (s *Service) partsOf(ctx context.Context, p store.PracticeID, i store.Import) *ingest.PartReader {
	return ingest.ReadParts(ctx, s.db, s.vault,
		func(v *store.View, part int) ([]byte, error) { return v.ImportPart(p, i.ID, part) },
		func(part int) seal.Place { return importPartPlace(p, i.PublicID, part) })
}

// read returns a reader of the content of an ingestion's file, and a function that reads its items.
func (s *Service) read(ctx context.Context, p store.PracticeID, of store.Ingestion) (*ingest.PartReader, func(func(mapping.Item) error) error, error) {
	row, err := s.row(ctx, p, of.PublicID)
	if err != nil {
		return nil, nil, err
	}
	i, err := s.opened(p, row)
	if err != nil {
		return nil, nil, err
	}
	format, err := s.format(ctx, p, i.About)
	body := s.partsOf(ctx, p, row)
	return body, func(yield func(mapping.Item) error) error {
		return format.Read(body, func(sheet.Header) error { return nil },
			func(c *sheet.Course) error { return yield(c.Item) })
	}, err
}

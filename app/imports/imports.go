// Package imports brings spreadsheets into the registry, in steps:
//
//	Upload   stores the file part by part, sealed, and reads it. If there is nothing to ask
//	         about its columns and texts (matching.go), Upload returns what importing the
//	         file would do. No record changes
//	Match…   store a user's answers to these questions. When no question is left, they return
//	         what importing the file would do
//	Confirm  makes the file an ingestion in one transaction. The queue processes it like
//	         a Bundle: in the order of the practice's other work, chunk by chunk, and
//	         exactly once even if the process crashes (app/ingest)
//	Undo     reverts what the import did (undo.go)
//
// Import returns the preview and, once the import is completed, the result. ErrorFile writes the
// rows that were not imported, and says for each row what to correct. An import may do only what
// two users are both allowed to do: the user who uploaded the file, as of the upload, and the user
// who confirmed it, at present. Users who may not read records don't see what is on file (redacted.go).
package imports

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"birthregistry/app/auth"
	"birthregistry/app/changes"
	"birthregistry/app/drafts"
	"birthregistry/app/ingest"
	"birthregistry/app/mapping/sheet"
	"birthregistry/app/seal"
	"birthregistry/store"
)

// Service imports spreadsheets and undoes imports.
type Service struct {
	db      *store.DB
	vault   *seal.Vault
	auth    *auth.Service
	changes *changes.Writer
	queue   *ingest.Service
	drafts  *drafts.Service
	// undoWake wakes the worker when a user has requested an undo.
	undoWake chan struct{}
}

// New makes a Service and registers it with the queue as the reader of
// spreadsheets.
func New(db *store.DB, vault *seal.Vault, users *auth.Service, writer *changes.Writer, queue *ingest.Service, begun *drafts.Service) *Service {
	s := &Service{db, vault, users, writer, queue, begun, make(chan struct{}, 1)}
	queue.Files = ingest.Files{Read: s.read, Permissions: s.permissionsAtWrite}
	return s
}

// MaxSize is the maximum size of a file in bytes.
const MaxSize = 64 << 20

// FileKept is how long an uploaded file is kept for the preview and the error file. The time counts
// from the upload, and again from the end of the import.
const FileKept = 24 * time.Hour

// Import is an uploaded file, in the form in which users see it.
type Import struct {
	ID        string    `json:"id"`
	By        string    `json:"by,omitzero"` // empty for the operator
	At        time.Time `json:"uploaded_at"`
	Rows      int       `json:"rows"` // rows without the header
	About     About     `json:"file"`
	Kept      bool      `json:"file_kept"`
	Confirmed bool      `json:"confirmed"`

	// These fields are set once the import is confirmed. Items and Total count courses of care.
	Status             store.Status `json:"status,omitzero"`
	Items, Total       int          `json:"-"`
	Accepted, Rejected int          `json:"-"`
	CompletedAt        time.Time    `json:"completed_at,omitzero"`
	// Result is set by Service.Import once the import is completed. It has no wrong cells.
	Result *Preview `json:"result,omitzero"`

	row store.Import
	// changed is the preview without redaction. It has the numbers of changes to existing records,
	// which some users may not see.
	changed Preview
}

// About is the data that is stored, sealed, about a file. It has the file's name and the results of
// reading it.
type About struct {
	Name      string         `json:"name"`
	Encoding  sheet.Encoding `json:"encoding"`
	Delimiter string         `json:"delimiter"`
	// Survey says what the columns of the file seem to contain. Layout says how to read the file.
	// Step is the next question for the user (matching.go).
	Survey *sheet.Survey `json:"survey,omitzero"`
	Layout *sheet.Layout `json:"layout,omitzero"`
	Step   Step          `json:"step,omitzero"`
	Groups []sheet.Group `json:"groups,omitzero"` // the texts to be matched
	// Crowded is the header of a column that has more different texts than a user can match.
	Crowded string `json:"crowded,omitzero"`
	// Answered is set once a user has answered questions about the file. ValuesMatched is set once
	// they have answered the questions about its texts. Remembered is set if earlier answers of the
	// practice were used.
	Answered      bool `json:"answered,omitzero"`
	ValuesMatched bool `json:"values_matched,omitzero"`
	Remembered    bool `json:"remembered,omitzero"`

	// Fixes lists what users have typed in place of wrong cells (fix.go). Revision counts how often
	// a preview or a question was stored.
	Fixes    []sheet.Fix `json:"fixes,omitzero"`
	Revision int         `json:"revision,omitzero"`

	Known   int      `json:"columns_read"`
	Ignored []string `json:"columns_ignored"` // the letters and names of the columns
	Preview Preview  `json:"preview"`
	// Previewed is when the preview was begun. It is zero if an earlier version of the program
	// stored the file.
	Previewed time.Time `json:"previewed,omitzero"`
	// Drafts lists the births that were kept as drafts. Each is given by the number of its first
	// row.
	Drafts []int `json:"drafts,omitzero"`
	// Amend and Revive say whether the uploader was allowed to amend existing records and to
	// restore voided ones. The import never does more than that.
	Amend  bool `json:"may_amend"`
	Revive bool `json:"may_revive"`
}

// The reasons why an upload or an import is refused.
var (
	// ErrLeaveOut means that the file has rows with errors, and the user didn't choose to leave
	// them out.
	ErrLeaveOut = errors.New("imports: the file has rows with errors; leave them out, or correct the file and upload it again")
	// ErrNothing means that no row of the file changes anything.
	ErrNothing = errors.New("imports: the file has no row that can be imported")
	// ErrFileGone means that the file was deleted, as every file is after a day. It is also
	// returned if the import was already confirmed.
	ErrFileGone = errors.New("imports: the file is no longer here; upload it again")
	// ErrFileSize means that the file is larger than MaxSize.
	ErrFileSize = errors.New("imports: the file is larger than 64 MiB; split it into several files")
	// ErrCutOff means that the connection ended before the whole file was received.
	ErrCutOff = errors.New("imports: the upload broke off; upload the file again")
	// ErrManyFiles means that too many files of the practice are waiting to be confirmed.
	ErrManyFiles = errors.New("imports: too many files wait to be imported; import or delete one of them first")
)

// AboutPlace returns the database row to which the sealed data about a file is bound.
func AboutPlace(p store.PracticeID, publicID string) seal.Place {
	return seal.Place{Practice: int64(p), Table: "imports", Row: publicID}
}

func importPartPlace(p store.PracticeID, publicID string, part int) seal.Place {
	return seal.Place{Practice: int64(p), Table: "import_parts", Row: fmt.Sprintf("%s/%d", publicID, part)}
}

// Upload stores a file. It returns what importing the file would do, or the next question about the
// file (About.Step). If the file can't be read, Upload deletes it and returns a *sheet.Problem. Its
// other errors are auth.ErrForbidden, ErrFileSize, ErrCutOff, ErrManyFiles, fhir.Busy and, for the
// operator, ErrMatching.
func (s *Service) Upload(ctx context.Context, who auth.User, name string, body io.Reader) (Import, error) {
	if err := who.Must(auth.ImportRun); err != nil {
		return Import{}, err
	}
	if err := s.vault.Ready(); err != nil {
		return Import{}, err
	}
	id, err := uuid.NewV7()
	if err != nil {
		return Import{}, err
	}
	up := &upload{Service: s, practice: who.Practice.ID, publicID: id.String(), who: who}
	if err := up.begin(name); err != nil {
		return Import{}, err
	}
	err = up.receive(body)
	if err == nil {
		err = up.look(ctx)
	}
	if err != nil {
		return Import{}, errors.Join(err, up.drop())
	}
	return s.Import(ctx, who, up.publicID)
}

// List returns the imports of a practice, newest first. Users who may not read records get only
// their own imports. A damaged import is listed by the name "A damaged import".
func (s *Service) List(ctx context.Context, who auth.User, limit int) ([]Import, error) {
	if err := who.Must(auth.ImportView); err != nil {
		return nil, err
	}
	rows, err := store.Read(ctx, s.db, func(v *store.View) ([]store.Import, error) { return v.Imports(who.Practice.ID, limit) })
	var all []Import
	for _, row := range rows {
		if err != nil {
			return nil, err
		}
		if !mine(who, row) || row.Rows == 0 { // or if the file is still being uploaded
			continue
		}
		var i Import
		if i, err = s.seen(who, row); errors.Is(err, seal.ErrSealed) {
			i.About.Name, err = "A damaged import", nil
		}
		all = append(all, i)
	}
	return all, err
}

// Waiting returns the files that a user has uploaded and that nobody has confirmed yet, oldest
// first. It leaves out damaged files, which the page Import lists.
func (s *Service) Waiting(ctx context.Context, who auth.User) (all []Import, err error) {
	if err := who.Must(auth.ImportRun); err != nil {
		return nil, err
	}
	rows, err := store.Read(ctx, s.db, func(v *store.View) ([]store.Import, error) {
		return v.UnconfirmedImports(who.Practice.ID)
	})
	for _, row := range rows {
		if row.User != who.ID || !row.Kept || row.Rows == 0 {
			continue
		}
		i, failed := s.seen(who, row)
		switch {
		case failed == nil:
			all = append(all, i)
		case !errors.Is(failed, seal.ErrSealed):
			return nil, failed
		}
	}
	return all, err
}

// mine reports whether a user may see an import. Users who may not read records may see only their
// own.
func mine(who auth.User, row store.Import) bool {
	return who.May(auth.RecordRead) || row.User == who.ID
}

// Import returns one import. It returns store.ErrNotFound if the practice has no import with this
// ID, or if the user may not see it.
func (s *Service) Import(ctx context.Context, who auth.User, publicID string) (Import, error) {
	row, err := s.importRow(ctx, who, auth.ImportView, publicID)
	if err != nil {
		return Import{}, err
	}
	i, err := s.seen(who, row)
	if err != nil || i.Status != store.Completed {
		return i, err
	}
	i.Result, err = s.result(ctx, who.Practice.ID, row, i.About)
	if err == nil && !who.May(auth.RecordRead) {
		*i.Result = i.Result.redacted()
	}
	return i, err
}

// Progress is like Import, but never sets Result. It is faster, for pages that call it often.
func (s *Service) Progress(ctx context.Context, who auth.User, publicID string) (Import, error) {
	row, err := s.importRow(ctx, who, auth.ImportView, publicID)
	if err != nil {
		return Import{}, err
	}
	return s.seen(who, row)
}

// importRow returns an import as it is stored. It returns auth.ErrForbidden if the user lacks the
// permission. It returns store.ErrNotFound if the practice has no such import, or if the user may
// not see it.
func (s *Service) importRow(ctx context.Context, who auth.User, needs auth.Permission, publicID string) (row store.Import, err error) {
	if err := who.Must(needs); err != nil {
		return row, err
	}
	row, err = s.row(ctx, who.Practice.ID, publicID)
	if err == nil && !mine(who, row) {
		err = store.ErrNotFound
	}
	return row, err
}

func (s *Service) row(ctx context.Context, p store.PracticeID, publicID string) (store.Import, error) {
	return store.Read(ctx, s.db, func(v *store.View) (store.Import, error) { return v.Import(p, publicID) })
}

func (s *Service) opened(p store.PracticeID, row store.Import) (Import, error) {
	i := Import{
		ID: row.PublicID, By: row.By, At: row.CreatedAt, Rows: row.Rows, Kept: row.Kept, Confirmed: row.Status != "",
		Status: row.Status, Items: row.Items, Total: row.Total, Accepted: row.Accepted, Rejected: row.Rejected,
		CompletedAt: row.CompletedAt, row: row,
	}
	doc, err := s.vault.Open(AboutPlace(p, row.PublicID), row.About)
	if err != nil {
		return i, err
	}
	if err := json.Unmarshal(doc, &i.About); err != nil {
		return i, errors.New("imports: the stored data about a file is not readable")
	}
	i.changed = i.About.Preview
	return i, nil
}

// Package drafts stores work that isn't saved as a record yet: births that somebody has started to
// record, and records that somebody has started to amend.
//
//	Save     stores what a page holds, if the page has seen the last change
//	AddAll   stores the rows of a spreadsheet that could not be imported (app/imports)
//	Open     returns a draft to a user who may read it (mayRead)
//	List     returns the drafts that a user may continue, the most recently saved first
//	Discard  deletes a draft
//	Sweep    deletes the drafts that nobody has changed for KeptFor
//
// A draft holds text as it was typed, under the names of the form's fields. If the form was filled
// in from an EHR's chart, the draft holds the chart, too. All of it is sealed, and bound to the
// draft's practice, token and author. A draft doesn't count in statistics and isn't compared with
// records. Only an export of the whole practice includes drafts. The transaction that turns a draft
// into a record, or into the next version of a record, deletes the draft (changes.Form.Token).
package drafts

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"birthregistry/app/auth"
	"birthregistry/app/seal"
	"birthregistry/store"
)

const (
	// KeptFor is how long a draft is kept after its last change. Pages announce the deletion from
	// NoticeFor before it.
	KeptFor   = 30 * 24 * time.Hour
	NoticeFor = 7 * 24 * time.Hour
	// MaxTyped is the maximum size of a draft's text, in bytes.
	MaxTyped = 128 << 10
	// mostOfAuthor is how many drafts an author may have, and mostOfPractice is how many a practice
	// may have.
	mostOfAuthor   = 200
	mostOfPractice = 2000
	// Listed is how many drafts the page with the list of drafts shows.
	Listed = 100
)

// The reasons why a draft isn't stored. No text is lost, because the page still holds it.
var (
	// ErrStale means that another page has changed the draft since this page last read it.
	ErrStale = errors.New("drafts: another page has changed the draft; compare the two")
	// ErrGone means that the draft was discarded, has expired, or has become a record.
	ErrGone = errors.New("drafts: the draft was discarded or saved as a record")
	// ErrTooLarge means that the draft's text is longer than MaxTyped.
	ErrTooLarge = errors.New("drafts: the form holds too much text; shorten it")
	// ErrTooMany means that the author or the practice already has as many drafts as allowed.
	ErrTooMany = errors.New("drafts: there are too many drafts; save or discard some of them first")
)

// Content is the content of a draft.
type Content struct {
	Typed url.Values `json:"typed"`
	// Chart is the EHR's chart from which the form was filled in (smart.Prefill.Document), or nil.
	// The field As holds the clinician's answer to the question of whose chart it is.
	Chart jsontext.Value `json:"chart,omitzero"`
	As    string         `json:"as,omitzero"`
	// Row holds the values of a spreadsheet's row, in the form in which the web form shows them. It
	// is nil if the draft doesn't come from a spreadsheet. A value that the author doesn't change
	// keeps the source csv.
	Row url.Values `json:"row,omitzero"`
	// Other holds texts that contradict the draft's texts. They come from another page, or from a
	// later version of the record that the draft amends. It is nil if there are none. It is kept
	// until the author has chosen between the texts.
	Other *Other `json:"other,omitzero"`
	// Record is the UUID of the record that the draft amends, or "" for a new birth. BaseVersion is
	// the version of this record from which the form was filled in.
	Record      string `json:"record,omitzero"`
	BaseVersion int    `json:"base_version,omitzero"`
	// Note is shown above the form. It says where the draft comes from.
	Note string `json:"note,omitzero"`
	// Handle is the name under which the session holds the EHR's chart. The chart is deleted from
	// the session when the draft is discarded or becomes a record.
	Handle string `json:"handle,omitzero"`
	// Page identifies the browser page that stored the content. Step numbers the requests of that
	// page, because they may arrive out of order.
	Page string `json:"page,omitzero"`
	Step int    `json:"step,omitzero"`
}

// Other holds texts that contradict the draft's texts, keyed by the names of the form's fields.
// They come from another page, or from a later version (Version) of the record that the draft
// amends.
type Other struct {
	By      string     `json:"by"`
	At      time.Time  `json:"at"`
	Version int        `json:"version,omitzero"` // 0 if the texts come from another page
	Typed   url.Values `json:"typed"`
}

// Draft is a birth that somebody has started to record, or a record that somebody has started to
// amend.
type Draft struct {
	Token     string
	Author    int64
	By        string
	Revision  int // counts the changes, from 1; 0 if the draft isn't stored
	CreatedAt time.Time
	SavedAt   time.Time
	// Damaged is set in a list if the draft can't be decrypted. Content is then empty.
	Damaged bool
	Content
}

// EndsAt returns the time at which the draft will be deleted, unless somebody changes it first.
func (d Draft) EndsAt() time.Time { return d.SavedAt.Add(KeptFor) }

// EndsSoon reports whether the draft will be deleted within NoticeFor. Pages then show a notice.
func (d Draft) EndsSoon(now time.Time) bool { return now.After(d.EndsAt().Add(-NoticeFor)) }

// RecordID returns the ID of the record that a form creates. It is derived from the form's one-time
// token, so a form that is sent twice creates one record. It is also derived from the author, so a
// token can't refer to another user's record.
func RecordID(p store.PracticeID, author int64, token string) string {
	name := fmt.Sprintf("%d/%d/%s", p, author, token)
	return uuid.NewHash(sha256.New(), uuid.NameSpaceURL, []byte(name), 8).String()
}

// AmendmentToken returns the token of the draft in which an author amends a record. It is derived
// from the author and the record, so an author has only one such draft for each record.
func AmendmentToken(p store.PracticeID, author int64, record string) string {
	name := fmt.Sprintf("amend/%d/%d/%s", p, author, record)
	return uuid.NewHash(sha256.New(), uuid.NameSpaceURL, []byte(name), 8).String()
}

// Service manages the drafts of all practices.
type Service struct {
	db    *store.DB
	vault *seal.Vault
	auth  *auth.Service
}

// New makes a Service.
func New(db *store.DB, vault *seal.Vault, users *auth.Service) *Service {
	return &Service{db, vault, users}
}

// Place returns the place to which the content of a draft is bound when it is sealed.
func Place(p store.PracticeID, token string, author int64) seal.Place {
	return seal.Place{Practice: int64(p), Table: "drafts", Row: fmt.Sprintf("%s/%d", token, author)}
}

// mayOpen reports whether a user may see a draft. Users who may create records see their own
// drafts. If they may also read records, they see all drafts of the practice.
func mayOpen(who auth.User, author int64) bool {
	return who.May(auth.RecordCreate) && (author == who.ID || who.May(auth.RecordRead))
}

// mayRead reports whether a user may see the content of a draft. A draft that amends a record holds
// values of this record, so the user must also be allowed to amend records.
func mayRead(who auth.User, d Draft) bool {
	return mayOpen(who, d.Author) && (d.Record == "" || who.May(auth.RecordAmend))
}

// Open returns a draft. It returns store.ErrNotFound if the draft doesn't exist or the user may not
// see it. If its content can't be decrypted, Open returns the draft without its content, and
// store.ErrDamaged. If the draft belongs to another user, the audit trail records that it was
// opened.
func (s *Service) Open(ctx context.Context, who auth.User, token string) (Draft, error) {
	d, err := s.Stored(ctx, who, token)
	if err == nil && d.Author != who.ID {
		err = s.auth.NoteAlone(who, "draft.open", d.Token)
	}
	return d, err
}

// Stored is like Open, but adds no entry to the audit trail. It is for a draft that the user has
// already opened in a page.
func (s *Service) Stored(ctx context.Context, who auth.User, token string) (Draft, error) {
	row, err := store.Read(ctx, s.db, func(v *store.View) (store.Draft, error) { return v.Draft(who.Practice.ID, token) })
	if err == nil && !mayOpen(who, row.Author) {
		err = store.ErrNotFound
	}
	if err != nil {
		return Draft{}, err
	}
	d, err := s.open(who.Practice.ID, row)
	if err == nil && !mayRead(who, d) {
		return Draft{}, store.ErrNotFound
	}
	return d, err
}

func (s *Service) open(p store.PracticeID, row store.Draft) (d Draft, err error) {
	d = Draft{
		Token: row.Token, Author: row.Author, By: row.By, Revision: row.Revision, CreatedAt: row.CreatedAt, SavedAt: row.SavedAt,
	}
	doc, err := s.vault.Open(Place(p, row.Token, row.Author), row.Sealed)
	if errors.Is(err, seal.ErrSealed) {
		err = errors.Join(store.ErrDamaged, err)
	}
	if err != nil {
		return d, err
	}
	if err := json.Unmarshal(doc, &d.Content); err != nil {
		return d, errors.New("drafts: a draft cannot be read")
	}
	if d.Typed == nil {
		d.Typed = url.Values{}
	}
	return d, nil
}

// List returns up to limit drafts that the user may continue, the most recently saved first. If all
// is false, it returns only the user's own drafts. A damaged draft is listed with Damaged set.
func (s *Service) List(ctx context.Context, who auth.User, all bool, limit int) ([]Draft, error) {
	if !who.May(auth.RecordCreate) {
		return nil, nil
	}
	author := who.ID
	if all && who.May(auth.RecordRead) {
		author = 0
	}
	rows, err := store.Read(ctx, s.db, func(v *store.View) ([]store.Draft, error) { return v.Drafts(who.Practice.ID, author, limit) })
	if err != nil {
		return nil, err
	}
	drafts := make([]Draft, 0, len(rows))
	for _, row := range rows {
		d, err := s.open(who.Practice.ID, row)
		if d.Damaged = errors.Is(err, store.ErrDamaged); err != nil && !d.Damaged {
			return nil, err
		}
		if mayRead(who, d) {
			drafts = append(drafts, d)
		}
	}
	return drafts, nil
}

// Discard deletes a draft, even a damaged one, and adds an entry to the audit trail. It returns
// store.ErrNotFound if the draft doesn't exist or the user may not see it.
func (s *Service) Discard(who auth.User, token string) error {
	return s.auth.Act(who, func(tx *store.Tx) error {
		row, err := tx.Draft(who.Practice.ID, token)
		if err != nil {
			return err
		}
		if !mayOpen(who, row.Author) {
			return store.ErrNotFound
		}
		if err := tx.DropDraft(who.Practice.ID, token); err != nil {
			return err
		}
		return s.auth.Note(tx, who, "draft.discard", token)
	})
}

// DropAmendments deletes the drafts that amend one of the records. It is called when these records
// are erased.
func DropAmendments(tx *store.Tx, p store.PracticeID, records []string) error {
	authors, err := tx.DraftTokens(p)
	if err != nil {
		return err
	}
	for token, author := range authors {
		amends := func(record string) bool { return AmendmentToken(p, author, record) == token }
		if !slices.ContainsFunc(records, amends) {
			continue
		}
		if err := tx.DropDraft(p, token); err != nil {
			return err
		}
	}
	return nil
}

// Sweep deletes a limited number of expired drafts, and returns how many it deleted.
func (s *Service) Sweep() (n int64, err error) {
	err = s.db.Update(func(tx *store.Tx) (err error) {
		n, err = tx.SweepDrafts(tx.Now.Add(-KeptFor))
		return err
	})
	return n, err
}

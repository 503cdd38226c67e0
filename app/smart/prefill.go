package smart

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"birthregistry/app/auth"
	"birthregistry/app/mapping/uscore"
	"birthregistry/app/seal"
	"birthregistry/store"
)

// PrefillLife is how long a prefill waits to be opened (decision 46). An opened prefill belongs to
// the form that it filled in, and records which values came from the EHR.
//
// An opened prefill is kept until its form is saved, but at most for OpenLife after the form was
// last opened or sent. It is also deleted when its user has since used MostOpen other forms. A
// later launch doesn't delete it.
const (
	PrefillLife = 30 * time.Minute
	OpenLife    = 24 * time.Hour
	// MostOpen is how many forms filled in from charts a user may keep open at the same time.
	MostOpen = 20
	// noted is the minimum time between two recorded uses of a prefill.
	noted = 10 * time.Minute
)

// Prefill holds the values from a chart that are filled in on the form "Record a birth".
type Prefill struct {
	EHR      string           // the operator's name for the EHR
	EHRID    int64            // the EHR's ID on the operator's list, for the audit trail
	Practice store.PracticeID // the only practice that may use the prefill, or 0 for any practice
	ReadAt   time.Time
	Expires  time.Time
	Reading  uscore.Reading
	// Unread says in plain words what could not be read. Conduct says how the EHR's responses
	// differed from the requests.
	Unread, Conduct []string
}

// ErrNoPrefill means that there is no prefill that the caller may use. It has expired, was deleted,
// or belongs to another user. ErrOtherPractice wraps ErrNoPrefill and means that the prefill is for
// another practice. A user who also belongs to that practice can switch to it.
var (
	ErrNoPrefill     = errors.New("smart: there is no such prefill; launch again from the EHR")
	ErrOtherPractice = fmt.Errorf("%w: it is for another practice; switch to that practice first", ErrNoPrefill)
)

// Keep masks and seals a prefill and stores it for PrefillLife. It doesn't store values that aren't
// on the spine (spec, "Masking runs before persistence"). Keep returns the handle with which the
// prefill is opened. Only a hash of the handle is stored.
func (s *Service) Keep(p Prefill) (handle string, err error) {
	if p.ReadAt.IsZero() {
		p.ReadAt = time.Now()
	}
	doc, err := p.Document()
	if err != nil {
		return "", err
	}
	handle = token()
	key := hash(handle)
	sealed, err := s.seal("prefills", key, doc)
	if err != nil {
		return "", err
	}
	return handle, s.db.Update(func(tx *store.Tx) error { return tx.AddPrefill(key, sealed) })
}

// Document returns a masked prefill as JSON. Both the stored prefill and the form's draft contain
// this JSON, sealed (decision 52).
func (p Prefill) Document() ([]byte, error) {
	doc, err := json.Marshal(maskPrefill(p), json.FormatNilSliceAsNull(true))
	if err != nil {
		return nil, errors.New("smart: a prefill cannot be written")
	}
	return doc, nil
}

// ReadDocument returns the prefill that Document has written as JSON.
func ReadDocument(doc []byte) (Prefill, error) {
	var kept keptPrefill
	if err := json.Unmarshal(doc, &kept); err != nil {
		return Prefill{}, errors.New("smart: a prefill cannot be read")
	}
	return kept.open()
}

// Prefill opens a prefill for the signed-in user. The first user to open it becomes its owner,
// which the audit trail records. For any other user, and after the prefill has expired, Prefill
// returns ErrNoPrefill. It returns ErrOtherPractice if the user is acting in a practice other than
// the prefill's.
func (s *Service) Prefill(ctx context.Context, handle string, who auth.User) (p Prefill, err error) {
	key := hash(handle)
	row, err := store.Read(ctx, s.db, func(v *store.View) (store.Prefill, error) { return v.Prefill(key) })
	switch {
	case errors.Is(err, store.ErrNotFound):
		return p, ErrNoPrefill
	case err != nil:
		return p, err
	case who.ID == 0, row.Owner != 0 && row.Owner != who.ID, !time.Now().Before(expiry(row)):
		return p, ErrNoPrefill
	}
	doc, err := s.vault.Open(place("prefills", key), row.Sealed)
	if err != nil {
		return p, err
	}
	if p, err = ReadDocument(doc); err != nil {
		return Prefill{}, err
	}
	if p.Practice != 0 && p.Practice != who.Practice.ID {
		return Prefill{}, ErrOtherPractice
	}
	p.Expires = time.Now().Add(OpenLife)
	switch {
	case row.Owner == 0:
		err = s.own(ctx, key, who, p.EHRID)
	case time.Since(row.UsedAt) > noted:
		err = s.auth.Act(who, func(tx *store.Tx) error { return tx.UsePrefill(key) })
		if store.IsUnavailable(err) { // failing to record a use doesn't prevent reading the chart
			p.Expires, err = expiry(row), nil
		}
	default:
		p.Expires = expiry(row)
	}
	return p, err
}

// expiry returns when a prefill expires. An unopened prefill expires PrefillLife after it was
// stored. An opened one expires OpenLife after it was last used.
func expiry(row store.Prefill) time.Time {
	if row.Owner == 0 {
		return row.CreatedAt.Add(PrefillLife)
	}
	return row.UsedAt.Add(OpenLife)
}

// Opened reports whether a user has opened a prefill, which then belongs to a form.
func (s *Service) Opened(ctx context.Context, handle string) (bool, error) {
	row, err := store.Read(ctx, s.db, func(v *store.View) (store.Prefill, error) { return v.Prefill(hash(handle)) })
	return row.Owner != 0, store.Translate(err, store.ErrNotFound, nil)
}

// Waits reports whether a prefill can still be opened for the first time.
func (s *Service) Waits(ctx context.Context, handle string) (bool, error) {
	row, err := store.Read(ctx, s.db, func(v *store.View) (store.Prefill, error) { return v.Prefill(hash(handle)) })
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return err == nil && row.Owner == 0 && time.Now().Before(expiry(row)), err
}

// Number returns a number for a prefill, which distinguishes the prefills of a session in
// addresses. It is part of the handle's hash, so that nobody can open the prefill with it.
func Number(handle string) string { return hex.EncodeToString(hash(handle)[:6]) }

// own makes a user the owner of a prefill. If two users open the prefill at the same time, only the
// first becomes its owner. For the second, own returns ErrNoPrefill.
func (s *Service) own(ctx context.Context, key []byte, who auth.User, ehr int64) error {
	err := s.auth.Act(who, func(tx *store.Tx) error {
		dropped, err := tx.OwnPrefill(key, who.ID, MostOpen)
		if err != nil {
			return err
		}
		if dropped > 0 {
			s.truncationPending.Store(true)
		}
		return s.auth.Note(tx, who, "prefill.open", fmt.Sprintf("EHR %d", ehr))
	})
	if !errors.Is(err, store.ErrNotFound) {
		return err
	}
	row, err := store.Read(ctx, s.db, func(v *store.View) (store.Prefill, error) { return v.Prefill(key) })
	if errors.Is(err, store.ErrNotFound) || err == nil && row.Owner != who.ID {
		return ErrNoPrefill
	}
	return err
}

// Drop deletes a prefill. It returns nil if the prefill no longer exists.
func (s *Service) Drop(handle string) error {
	err := s.db.Update(func(tx *store.Tx) error { return tx.DropPrefill(hash(handle)) })
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	s.truncationPending.Store(true)
	return err
}

// Sweep deletes expired launches and prefills.
func (s *Service) Sweep() error {
	return s.db.Update(func(tx *store.Tx) error {
		n, err := tx.SweepPrefills(tx.Now.Add(-PrefillLife), tx.Now.Add(-OpenLife))
		if n > 0 {
			s.truncationPending.Store(true)
		}
		return errors.Join(err, tx.SweepLaunches(tx.Now.Add(-LaunchLife)))
	})
}

// TakeTruncationPending reports whether patient data was deleted since TakeTruncationPending was
// last called. The deleted data may still be in the WAL.
func (s *Service) TakeTruncationPending() bool { return s.truncationPending.Swap(false) }

// token returns 256 random bits as text for an address or a cookie.
func token() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // never fails
	return base64.RawURLEncoding.EncodeToString(b)
}

// hash returns the hash of a token. Only the hash is stored. It needs no key, because tokens can't
// be guessed.
func hash(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

func place(table string, key []byte) seal.Place {
	return seal.Place{Table: table, Row: hex.EncodeToString(key)}
}

// seal encrypts a document and binds it to the row with this key in a table.
func (s *Service) seal(table string, key, doc []byte) ([]byte, error) {
	return s.vault.SealOne(place(table, key), doc)
}

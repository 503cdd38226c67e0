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

// PrefillLife is how long a prefill waits to be opened (decision 46). Once opened, the prefill
// belongs to the form that it filled in, and records which values the EHR sent. It is kept until
// the form is saved, but at most OpenLife after the form was last opened or sent, and only while
// the form is among the MostOpen forms that its user used last. A later launch doesn't end it.
const (
	PrefillLife = 30 * time.Minute
	OpenLife    = 24 * time.Hour
	// MostOpen is how many forms a user may keep open that were filled in from charts.
	MostOpen = 20
	// noted is the least time between two recorded uses of a prefill.
	noted = 10 * time.Minute
)

// Prefill holds the values from a chart that fill in the form "Record a birth".
type Prefill struct {
	EHR      string           // the name of the EHR, as the operator gave it
	EHRID    int64            // its id on the operator's list, for the audit trail
	Practice store.PracticeID // the one practice that may use it; 0 for any
	ReadAt   time.Time
	Expires  time.Time
	Reading  uscore.Reading
	// Unread states in plain words what could not be read. Conduct states how the EHR's answers
	// differed from the requests.
	Unread, Conduct []string
}

// ErrNoPrefill means that a prefill doesn't exist for the caller: it has expired, was deleted, or
// belongs to another user. ErrOtherPractice wraps ErrNoPrefill and means that the prefill is for
// another practice. A user who belongs to that practice, too, can switch to it.
var (
	ErrNoPrefill     = errors.New("smart: there is no such prefill; launch again from the EHR")
	ErrOtherPractice = fmt.Errorf("%w: it is for another practice; switch to that practice first", ErrNoPrefill)
)

// Keep masks and seals a prefill and stores it for PrefillLife. Values that aren't on the spine
// aren't stored (spec, "Masking runs before persistence"). It returns the prefill's handle, of
// which it stores only the hash.
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

// Document returns a masked prefill as JSON. This package and the form's draft both seal that JSON
// (decision 52).
func (p Prefill) Document() ([]byte, error) {
	doc, err := json.Marshal(maskPrefill(p), json.FormatNilSliceAsNull(true))
	if err != nil {
		return nil, errors.New("smart: a prefill cannot be written")
	}
	return doc, nil
}

// ReadDocument reverses Document.
func ReadDocument(doc []byte) (Prefill, error) {
	var kept keptPrefill
	if err := json.Unmarshal(doc, &kept); err != nil {
		return Prefill{}, errors.New("smart: a prefill cannot be read")
	}
	return kept.open()
}

// Prefill opens a prefill for the signed-in user. The first user to open it becomes its owner,
// and the audit trail records that. Prefill returns ErrNoPrefill to anyone else and after the
// prefill has expired, and ErrOtherPractice to a user who is acting in a practice other than the
// prefill's.
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

// expiry returns when a prefill expires: PrefillLife after it was stored or, once opened, OpenLife
// after its last use.
func expiry(row store.Prefill) time.Time {
	if row.Owner == 0 {
		return row.CreatedAt.Add(PrefillLife)
	}
	return row.UsedAt.Add(OpenLife)
}

// Opened reports whether a user has opened a prefill. From then on, the prefill belongs to a form.
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

// Number returns the number by which addresses distinguish the prefills of a session. Knowing the
// number gives no access.
func Number(handle string) string { return hex.EncodeToString(hash(handle)[:6]) }

// own makes a user the owner of a prefill. If two users open the prefill at once, the first becomes
// its owner, and own returns ErrNoPrefill to the other.
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

// Drop deletes a prefill, if it still exists.
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

// TakeTruncationPending reports whether patient data was deleted since the last call. Such data may
// still be in the WAL.
func (s *Service) TakeTruncationPending() bool { return s.truncationPending.Swap(false) }

// token returns 256 random bits in the form used in addresses and cookies.
func token() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // never fails
	return base64.RawURLEncoding.EncodeToString(b)
}

// hash returns the hash under which a token is stored. The hash needs no key, because tokens
// can't be guessed.
func hash(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

func place(table string, key []byte) seal.Place {
	return seal.Place{Table: table, Row: hex.EncodeToString(key)}
}

// seal seals a document for the row with this key in a table.
func (s *Service) seal(table string, key, doc []byte) ([]byte, error) {
	return s.vault.SealOne(place(table, key), doc)
}

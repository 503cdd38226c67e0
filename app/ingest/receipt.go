package ingest

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/changes"
	"birthregistry/app/fhir"
	"birthregistry/app/seal"
	"birthregistry/store"
)

// Receipt is what a caller can read about an ingestion (spec, "Ingestion
// receipt").
type Receipt struct {
	ID          string         `json:"id"`
	Status      store.Status   `json:"status"`
	Accepted    *int           `json:"accepted,omitzero"`
	Rejected    *int           `json:"rejected,omitzero"`
	Outcome     jsontext.Value `json:"outcome,omitzero"`
	CompletedAt string         `json:"completedAt,omitzero"`
}

// Outcome is the outcome of a completed ingestion. Both lists are always
// present.
type Outcome struct {
	Accepted []Accepted `json:"accepted"`
	Rejected []Rejected `json:"rejected"`
}

// Accepted is an accepted entry.
type Accepted struct {
	Reference  string `json:"reference"`
	Submission string `json:"submission_uuid"`
	Suspected  bool   `json:"suspected_duplicate,omitzero"`
	Amended    bool   `json:"amended,omitzero"`
	Retracted  bool   `json:"retracted,omitzero"`
	// Version is set if Amended or Retracted is set.
	Version int `json:"version,omitzero"`
	// Unchanged is set if a row of a file contains only what is already on file. It is never set
	// for Bundles, because a Bundle adds a version even then.
	Unchanged bool `json:"unchanged,omitzero"`
	// Revived is set, together with Amended, if a row of a file restored a voided record. It is
	// never set for Bundles, because the spec's receipt doesn't have it.
	Revived bool `json:"revived,omitzero"`
}

// Rejected is a rejected entry.
type Rejected struct {
	Reference string                `json:"reference"`
	Outcome   fhir.OperationOutcome `json:"outcome"`
}

// Failure is the outcome of a failed ingestion.
type Failure struct {
	Error         string `json:"error"`
	Exception     string `json:"exception,omitzero"`
	CorrelationID string `json:"correlation_id"`
}

// timeFormat is the format of times in receipts: ISO 8601 with milliseconds and a numeric offset.
const timeFormat = "2006-01-02T15:04:05.000-07:00"

// OutcomePlace returns the database row to which the sealed receipt of an ingestion is bound.
func OutcomePlace(p store.PracticeID, publicID string) seal.Place {
	return seal.Place{Practice: int64(p), Table: "ingestions", Row: publicID}
}

func ledgerPlace(p store.PracticeID, publicID string, first int) seal.Place {
	return seal.Place{Practice: int64(p), Table: "ledger", Row: fmt.Sprintf("%s/%d", publicID, first)}
}

// FileReceipt is like Receipt, but returns the receipt of a spreadsheet.
func (s *Service) FileReceipt(ctx context.Context, p store.PracticeID, publicID string) (Receipt, error) {
	return s.receipt(ctx, p, store.CSVKind, func(v *store.View) (store.Ingestion, error) { return v.Ingestion(p, publicID) })
}

// Receipt returns the receipt of a Bundle. It returns store.ErrNotFound if the practice has
// received no Bundle with this ID. The API therefore gives no access to the receipts of
// spreadsheets.
func (s *Service) Receipt(ctx context.Context, p store.PracticeID, publicID string) (Receipt, error) {
	return s.receipt(ctx, p, store.BundleKind, func(v *store.View) (store.Ingestion, error) { return v.Ingestion(p, publicID) })
}

// ReceiptFor calls answer with the receipt of a Bundle, for a caller of the API. It returns
// store.ErrNotFound if the practice has received no Bundle with this ID, or if the caller's API key
// has been revoked.
//
// A receipt may have tens of thousands of entries, and a caller may read it slowly. Until answer
// returns, the receipt counts against the memory for answers. If not enough is left, ReceiptFor
// returns fhir.ReceiptsBusy.
func (s *Service) ReceiptFor(ctx context.Context, c auth.Caller, publicID string, answer func(Receipt) error) error {
	i, err := s.received(ctx, store.BundleKind, func(v *store.View) (store.Ingestion, error) {
		return v.IngestionForKey(c.Practice, c.Key, publicID)
	})
	if err != nil {
		return err
	}
	bytes := min(int64(1+i.Accepted+i.Rejected)*answerEntry, s.answers.share)
	if !s.answers.take(c.Practice, bytes) {
		return fhir.ReceiptsBusy
	}
	defer s.answers.release(c.Practice, bytes)
	r, err := s.receiptOf(c.Practice, i)
	if err != nil {
		return err
	}
	return answer(r)
}

// answersMax is the memory, in bytes, for the receipts that callers of the API are reading at the
// same time. One practice can use half of it, so that the longest receipt of another one fits in the
// rest. answerEntry is about how much of it each entry of a receipt takes.
const (
	answersMax  = 128 << 20
	answerEntry = 1 << 10
)

// receipt returns the receipt of the ingestion that find finds. It returns store.ErrNotFound if the
// ingestion isn't of this kind.
func (s *Service) receipt(ctx context.Context, p store.PracticeID, kind store.Kind, find func(*store.View) (store.Ingestion, error)) (Receipt, error) {
	i, err := s.received(ctx, kind, find)
	if err != nil {
		return Receipt{}, err
	}
	return s.receiptOf(p, i)
}

// received returns the ingestion that find finds. It returns store.ErrNotFound if the ingestion
// isn't of this kind.
func (s *Service) received(ctx context.Context, kind store.Kind, find func(*store.View) (store.Ingestion, error)) (store.Ingestion, error) {
	i, err := store.Lookup(ctx, s.db, find)
	if err == nil && i.Kind != kind {
		err = store.ErrNotFound
	}
	return i, err
}

// receiptOf returns the receipt of an ingestion. Once the ingestion has ended, the receipt includes
// the outcome. The status then never changes (decision 12), so receiptOf returns an error while it
// isn't certain that the status is on disk.
func (s *Service) receiptOf(p store.PracticeID, i store.Ingestion) (r Receipt, err error) {
	r = Receipt{ID: i.PublicID, Status: i.Status}
	if i.Status != store.Completed && i.Status != store.Failed {
		return r, nil
	}
	if err := s.db.Durable(); err != nil {
		return Receipt{}, err
	}
	if len(i.Outcome) == 0 { // the receipt was emptied because of its age (SweepOld)
		return Receipt{}, store.ErrNotFound
	}
	r.CompletedAt = i.CompletedAt.UTC().Format(timeFormat)
	if i.Status == store.Completed {
		r.Accepted, r.Rejected = &i.Accepted, &i.Rejected
	}
	r.Outcome, err = s.vault.Open(OutcomePlace(p, i.PublicID), i.Outcome)
	return r, err
}

// sealOutcome encrypts the outcome of an ingestion and binds it to the ingestion's row.
func (s *Service) sealOutcome(p store.PracticeID, publicID string, outcome any) ([]byte, error) {
	doc, err := json.Marshal(outcome)
	if err != nil {
		return nil, errors.New("ingest: an outcome cannot be written as JSON")
	}
	return s.vault.Seal(OutcomePlace(p, publicID), doc)
}

// outcomeOf returns the outcome that lists the results of changes.
func outcomeOf(results []changes.Result) Outcome {
	out := newOutcome()
	for _, r := range results {
		if r.Problem != nil {
			out.Rejected = append(out.Rejected, Rejected{Reference: r.Change.Rejected, Outcome: r.Rejection()})
		} else {
			out.Accepted = append(out.Accepted, acceptedOf(r))
		}
	}
	return out
}

func acceptedOf(r changes.Result) Accepted {
	a := Accepted{Reference: r.Change.Accepted, Submission: r.UUID, Suspected: r.Suspected, Version: r.Version, Unchanged: r.Unchanged}
	switch r.Action {
	case birth.Create:
		a.Version = 0
	case birth.Void, birth.NoOp:
		a.Retracted = true
	case birth.Amend, birth.Revive:
		a.Amended = true
		a.Revived = r.Action == birth.Revive && r.Partial()
	}
	return a
}

// newOutcome returns an outcome whose two lists are empty but not nil.
func newOutcome() Outcome { return Outcome{Accepted: []Accepted{}, Rejected: []Rejected{}} }

func (o *Outcome) add(other Outcome) {
	o.Accepted = append(o.Accepted, other.Accepted...)
	o.Rejected = append(o.Rejected, other.Rejected...)
}

// completed returns what to store as the end of an ingestion when all its items are decided.
func (s *Service) completed(p store.PracticeID, i store.Ingestion, o Outcome) (store.Ending, error) {
	sealed, err := s.sealOutcome(p, i.PublicID, o)
	return store.Ending{
		Ingestion: i.ID, Status: store.Completed, Accepted: len(o.Accepted), Rejected: len(o.Rejected), Outcome: sealed,
	}, err
}

// ParseOutcome decodes the outcome in the receipt of a completed ingestion.
func (r Receipt) ParseOutcome() (o Outcome, err error) {
	return o, json.Unmarshal(r.Outcome, &o)
}

// ParseFailure decodes the outcome in the receipt of a failed ingestion.
func (r Receipt) ParseFailure() (f Failure, err error) {
	return f, json.Unmarshal(r.Outcome, &f)
}

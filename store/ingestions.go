package store

import (
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// Status is the status of an ingestion, which is the processing of a submission (spec, "Ingestion
// status").
type Status string

// The possible statuses. An ingestion that is Completed or Failed has ended and never changes
// again.
const (
	Queued     Status = "queued"
	Processing Status = "processing"
	Completed  Status = "completed"
	Failed     Status = "failed"
)

// Kind is the kind of submission that is processed.
type Kind string

// The kinds of submissions. Callers of the API see only Bundles.
const (
	BundleKind Kind = "bundle"
	CSVKind    Kind = "csv"
)

// Ingestion is a submission that was accepted, and its processing.
type Ingestion struct {
	ID       int64 // increases in the order in which submissions were acknowledged
	PublicID string
	// Kind distinguishes a Bundle from a CSV file. User is the user who uploaded the file.
	Kind   Kind
	User   int64
	Status Status
	Size   int64
	// Attempts is how often processing was started since the ingestion last made progress.
	Attempts int
	// Items is how many items were processed. After an interruption, a batch continues with the
	// next item. Total is the number of items in a CSV file, or in a batch whose items were all
	// processed. Otherwise it is 0.
	Items, Total int
	// Accepted and Rejected are numbers of records. They are set when the ingestion is completed.
	Accepted, Rejected int
	// Outcome is the sealed receipt of an ingestion that has ended.
	Outcome     []byte
	CreatedAt   time.Time
	CompletedAt time.Time
}

// NewIngestion is a submission that Accept stores before its sender gets an acknowledgment.
type NewIngestion struct {
	PublicID string
	// APIKey is the ID of the API key that the sender used, or 0 if a user submits the body.
	APIKey int64
	// Idempotency is the keyed hash of the Idempotency-Key header, or nil if there is no such
	// header.
	Idempotency []byte
	// Size is the length of the body in bytes.
	Size int64
	// Parts holds the sealed parts of the body.
	Parts [][]byte
}

// SealedSize returns the total size of the sealed parts in bytes, which is about the space that
// they need on the disk.
func (n NewIngestion) SealedSize() (bytes int64) {
	for _, part := range n.Parts {
		bytes += int64(len(part))
	}
	return bytes
}

// partsMax is the maximum number of parts of a stored body or file. The IDs of the parts are
// computed from it.
const partsMax = 4096

var errParts = fmt.Errorf("store: a submission has more than %d parts", partsMax)

// Accept stores a submission with its body, and queues it for processing. If the practice has used
// the same Idempotency-Key before, Accept stores nothing, and returns the public ID of the first
// submission, and true. It returns ErrRevoked if the API key is revoked or unknown. It checks this
// in the same transaction as the write.
func (tx *Tx) Accept(p PracticeID, n NewIngestion) (publicID string, replayed bool, err error) {
	if err := tx.inForce(p, n.APIKey); err != nil {
		return "", false, err
	}
	if n.Idempotency != nil {
		err := tx.one(byIdempotency, []any{n.Idempotency, p}, &publicID)
		if !errors.Is(err, ErrNotFound) {
			return publicID, true, err
		}
	}
	if len(n.Parts) > partsMax {
		return "", false, errParts
	}
	id, err := tx.insert(`
		insert into ingestions (public_id, practice, api_key, idempotency, size, created_at)
		values (?, ?, ?, ?, ?, ?)`,
		n.PublicID, p, nullable(n.APIKey), n.Idempotency, n.Size, millis(tx.Now))
	if err != nil {
		return "", false, err
	}
	tx.taken += n.SealedSize()
	for part, sealed := range n.Parts {
		if err := tx.do(`insert into buffers (id, sealed) values (?, ?)`, id*partsMax+int64(part), sealed); err != nil {
			return "", false, err
		}
	}
	return n.PublicID, false, tx.announce(p)
}

// Replay returns the public ID of the submission that was sent with an Idempotency-Key. It returns
// ErrNotFound if there is none, or if the API key is revoked.
func (v *View) Replay(p PracticeID, apiKey int64, idempotency []byte) (string, error) {
	return only[string](v, byIdempotency+inForce, idempotency, p, apiKey)
}

const byIdempotency = `select public_id from ingestions where idempotency = ?1 and practice = ?2`

const ingestionColumns = `
	select
		id,
		public_id,
		kind,
		coalesce(user, 0),
		total,
		status,
		size,
		attempts,
		items,
		coalesce(accepted, 0),
		coalesce(rejected, 0),
		outcome,
		created_at,
		completed_at
	from ingestions`

// Ingestion returns the ingestion with the given public ID, or ErrNotFound if the practice has no
// such ingestion.
func (v *View) Ingestion(p PracticeID, publicID string) (Ingestion, error) {
	return v.ingestion(` where public_id = ? and practice = ?`, publicID, p)
}

// IngestionForKey is like Ingestion, but for a caller with an API key. It also returns ErrNotFound
// if the API key is revoked.
func (v *View) IngestionForKey(p PracticeID, apiKey int64, publicID string) (Ingestion, error) {
	return v.ingestion(` where public_id = ?1 and practice = ?2`+inForce, publicID, p, apiKey)
}

func (v *View) ingestion(where string, args ...any) (Ingestion, error) {
	i, err := first(all(v, ingestionColumns+where, (*Ingestion).scan, args...))
	if err == nil {
		err = v.intact("ingestions", i.ID)
	}
	return i, err
}

func (i *Ingestion) scan(rows *sql.Rows) error {
	return rows.Scan(&i.ID, &i.PublicID, &i.Kind, &i.User, &i.Total, &i.Status, &i.Size, &i.Attempts, &i.Items, &i.Accepted, &i.Rejected,
		&i.Outcome, asTime(&i.CreatedAt), asTime(&i.CompletedAt))
}

// Unfinished returns up to limit unfinished ingestions of a practice, in the order in which the
// submissions were acknowledged. It returns none if the practice is being forgotten.
func (v *View) Unfinished(p PracticeID, limit int) ([]Ingestion, error) {
	return all(v, ingestionColumns+`
		where practice = ? and status in ('queued', 'processing') and practice not in (select practice from forgotten)
		order by id
		limit ?`, (*Ingestion).scan, p, limit)
}

// Start marks ingestions as processing, and adds 1 to each number of attempts. The caller commits
// this before the work starts, so that a Bundle that kills the process isn't tried forever. Start
// returns ErrNotFound if one of the ingestions has already ended, and ErrForgotten if the practice
// is being forgotten.
func (tx *Tx) Start(p PracticeID, ids ...int64) error {
	started, err := tx.exec(`
		update ingestions set status = 'processing', attempts = attempts + 1
		where id in (select value from json_each(?)) and practice = ? and status in ('queued', 'processing')`, list(ids), p)
	if err == nil && int(started) < len(ids) {
		err = tx.foundOf(p, 0, nil)
	}
	return err
}

// GiveBack subtracts 1 from an ingestion's number of attempts, because an attempt was interrupted
// through no fault of the Bundle. The status stays "processing": a caller must never see it return
// to "queued".
func (tx *Tx) GiveBack(p PracticeID, id int64) error {
	return tx.do(`
		update ingestions set attempts = max(attempts - 1, 0)
		where id = ? and practice = ? and status in ('queued', 'processing')`, id, p)
}

// Finish ends ingestions. It stores their sealed receipts, deletes their stored bodies and ledgers,
// and adds a delivery if the sender's API key has a webhook that is on. It stores the numbers of
// accepted and rejected records, unless the ingestion has failed. Finish returns ErrNotFound if one
// of the ingestions has already ended, because an ingestion never changes after its end. It returns
// ErrForgotten if the practice is being forgotten.
func (tx *Tx) Finish(p PracticeID, ends ...Ending) error {
	ids := make([]int64, len(ends))
	for n, end := range ends {
		ids[n] = end.Ingestion
		if err := tx.end(p, end); err != nil {
			return err
		}
	}
	err := tx.do(`
		delete from buffers
		where id in (
			select b.id
			from json_each(?) ended
			cross join buffers b on b.id >= ended.value * ? and b.id < (ended.value + 1) * ?
		)`, list(ids), partsMax, partsMax)
	if err != nil {
		return err
	}
	return tx.do(`delete from ledger where ingestion in (select value from json_each(?))`, list(ids))
}

func (tx *Tx) end(p PracticeID, end Ending) error {
	var accepted, rejected any
	if end.Status == Completed {
		accepted, rejected = end.Accepted, end.Rejected
	}
	var webhook sql.NullInt64 // the update returns it, so an API key without a webhook costs no extra statement
	err := tx.one(`
		update ingestions
		set
			status = ?,
			accepted = ?,
			rejected = ?,
			outcome = ?,
			exception = ?,
			correlation_id = ?,
			items = ?,
			completed_at = ?
		where id = ? and practice = ? and status in ('queued', 'processing')
		returning (select w.api_key from webhooks w where w.api_key = ingestions.api_key and w.sealed is not null)`,
		[]any{
			end.Status, accepted, rejected, end.Outcome, nullable(end.Exception), nullable(end.CorrelationID),
			end.Accepted + end.Rejected, millis(tx.Now), end.Ingestion, p,
		}, &webhook)
	if errors.Is(err, ErrNotFound) {
		return tx.foundOf(p, 0, nil)
	}
	if err != nil || !webhook.Valid {
		return err
	}
	return tx.notify(p, end.Ingestion, webhook.Int64)
}

// Ending describes how an ingestion ended.
type Ending struct {
	Ingestion          int64
	Status             Status // Completed or Failed
	Accepted, Rejected int
	Outcome            []byte // sealed
	Exception          string // the class name of the failure
	CorrelationID      string
}

// Aged is a queued ingestion that has waited longer than its time limit.
type Aged struct {
	Practice PracticeID
	Ingestion
}

// AgedOut returns up to limit ingestions, of all practices, that were acknowledged before cutoff
// and whose processing hasn't started. It leaves out practices that are being forgotten, because
// their queues are deleted anyway.
func (v *View) AgedOut(cutoff time.Time, limit int) ([]Aged, error) {
	return all(v, `
		select id, practice, public_id from ingestions
		where
			status in ('queued', 'processing') and status = 'queued' and created_at < ?
			and practice not in (select practice from forgotten)
		limit ?`, func(a *Aged, rows *sql.Rows) error {
		return rows.Scan(&a.ID, &a.Practice, &a.PublicID)
	}, millis(cutoff), limit)
}

// StillQueued reports whether an ingestion still waits for its first attempt.
func (tx *Tx) StillQueued(p PracticeID, id int64) (bool, error) {
	var status Status
	err := tx.one(`select status from ingestions where id = ? and practice = ?`, []any{id, p}, &status)
	return status == Queued, err
}

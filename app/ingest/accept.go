package ingest

import (
	"context"
	"errors"
	"io"

	"github.com/google/uuid"

	"birthregistry/app/auth"
	"birthregistry/app/fhir"
	"birthregistry/app/seal"
	"birthregistry/store"
)

// Request is a pushed body with its size limit and its Idempotency-Key.
type Request struct {
	Body io.Reader
	// Limit is the maximum length of the body in bytes.
	Limit int64
	// IdempotencyKey is the request's Idempotency-Key, or "".
	IdempotencyKey string
}

// Acknowledgement is what a response 202 reports: the body has been stored durably.
type Acknowledgement struct {
	PublicID string
	// Replayed is set if an earlier request with the same key created this ingestion.
	Replayed bool
}

// Replay returns the acknowledgement of an earlier request with the same Idempotency-Key. It
// returns false if the practice hasn't used the key, or if the caller's API key has been revoked.
// Replay returns fhir.Busy if the database is unavailable, or if it isn't certain yet that the
// earlier submission is on disk.
func (s *Service) Replay(ctx context.Context, c auth.Caller, key string) (a Acknowledgement, found bool, err error) {
	id, err := store.Lookup(ctx, s.db, func(v *store.View) (string, error) {
		return v.Replay(c.Practice, c.Key, s.idempotency(c.Practice, key))
	})
	if errors.Is(err, store.ErrNotFound) {
		return a, false, nil
	}
	if err == nil {
		err = s.db.Durable()
	}
	if err != nil {
		return a, false, Unavailable(err)
	}
	return Acknowledgement{PublicID: id, Replayed: true}, true, nil
}

func (s *Service) idempotency(p store.PracticeID, key string) []byte {
	if key == "" {
		return nil
	}
	return seal.Hash(s.idempotencyKey, int64(p), key)
}

// Accept checks a body and stores it durably. The receipt, the sealed body and the message in the
// queue are written in one transaction. Accept returns a *fhir.Problem if it refuses the body, or
// if the database is unavailable. After such a problem, the sender can use the same Idempotency-Key
// again. Accept returns auth.ErrUnknownKey if the API key has been revoked in the meantime.
func (s *Service) Accept(c auth.Caller, in Request) (Acknowledgement, error) {
	n, err := s.receive(c, in)
	if err != nil {
		return Acknowledgement{}, err
	}
	machine := auth.User{Practice: store.Practice{ID: c.Practice}} // it has no session
	return s.commit(machine, n, func(*store.Tx) error { return nil })
}

// receive reads and checks a body, and returns it sealed.
func (s *Service) receive(c auth.Caller, in Request) (store.NewIngestion, error) {
	from := &limitReader{from: in.Body, left: in.Limit, practice: c.Practice, budget: s.inFlight}
	defer from.release()
	if err := s.vault.Ready(); err != nil {
		return store.NewIngestion{}, Unavailable(err)
	}
	id, err := uuid.NewV7()
	if err != nil {
		return store.NewIngestion{}, err
	}
	body := &bufferWriter{
		vault: s.vault, practice: c.Practice, publicID: id.String(),
		from: from,
	}
	if err := body.scan(); body.failed != nil {
		return store.NewIngestion{}, body.failed
	} else if err != nil {
		return store.NewIngestion{}, bodyProblem(err)
	}
	return store.NewIngestion{
		PublicID:    body.publicID,
		APIKey:      c.Key,
		Idempotency: s.idempotency(c.Practice, in.IdempotencyKey),
		Size:        body.size,
		Parts:       body.parts,
	}, nil
}

// commit stores a body durably, and calls note in the same transaction. If the practice had no
// other work, this opens the practice's queue. commit then passes the queue to the worker. If the
// worker has too many jobs, commit only wakes the worker (opened.go). If the queue was already
// open, the worker finds the body by itself.
func (s *Service) commit(who auth.User, n store.NewIngestion, note func(*store.Tx) error) (a Acknowledgement, err error) {
	p, opened := who.Practice.ID, false
	var received *Queue
	err = s.auth.Act(who, func(tx *store.Tx) error {
		before := tx.Opened(p) // whether another caller has opened the queue in this transaction
		err := s.SpaceFor(tx, n.SealedSize())
		if err == nil {
			a.PublicID, a.Replayed, err = tx.Accept(p, n)
		}
		opened = tx.Opened(p)
		if err == nil && opened && !before {
			received, err = s.receiveOpened(tx, p)
		}
		if err != nil {
			return err
		}
		return note(tx)
	})
	if err != nil && received != nil {
		received.leave()
	}
	if errors.Is(err, store.ErrRevoked) {
		return Acknowledgement{}, auth.ErrUnknownKey
	}
	if err != nil {
		return Acknowledgement{}, Unavailable(err)
	}
	switch {
	case received != nil:
		s.opened.to <- received
	case opened:
		s.Signal()
	}
	return a, nil
}

// bodyProblem turns an error from reading the body into a problem for the response. Any error that
// isn't a *fhir.Problem, such as a broken connection, becomes fhir.BodyUnread.
func bodyProblem(err error) error {
	if problem := (*fhir.Problem)(nil); errors.As(err, &problem) {
		return problem
	}
	return fhir.BodyUnread
}

// Unavailable returns fhir.Busy if err says that the database is temporarily unavailable. It
// returns any other error unchanged.
func Unavailable(err error) error {
	if store.IsUnavailable(err) {
		return fhir.Busy
	}
	return err
}

// SpaceFor returns fhir.Busy if storing this many bytes would leave less free disk space than the
// reserve.
func (s *Service) SpaceFor(tx *store.Tx, bytes int64) error {
	free, log, err := tx.DiskSpace()
	if err == nil && free < s.reserve(log)+bytes {
		err = fhir.Busy
	}
	return err
}

// limitReader reads a body up to its size limit. It reserves memory from the budget that all
// incoming bodies share. It does this in steps of budgetStep while it reads, and not when the
// client announces a length. A slow or lying client therefore uses little more of the budget than
// it has sent.
type limitReader struct {
	from     io.Reader
	left     int64
	practice store.PracticeID
	budget   *budget

	read, held int64
}

// budgetStep is how many bytes of the budget are reserved at a time.
const budgetStep = 64 << 10

func (l *limitReader) Read(p []byte) (int, error) {
	if int64(len(p)) > l.left+1 {
		p = p[:l.left+1]
	}
	for l.held < l.read+min(int64(len(p)), l.left) {
		step := min(budgetStep, l.read+l.left)
		if !l.budget.take(l.practice, step) {
			return 0, fhir.Busy
		}
		l.held += step
	}
	n, err := l.from.Read(p)
	l.read += int64(n)
	l.left -= int64(n)
	if l.left < 0 {
		return 0, fhir.TooLarge
	}
	return n, err
}

func (l *limitReader) release() { l.budget.release(l.practice, l.held) }

// TryReserve reserves memory for a practice from the budget that all incoming bodies share. The
// result ok is false if not enough is left. The caller must call release afterwards.
func (s *Service) TryReserve(p store.PracticeID, bytes int64) (release func(), ok bool) {
	return func() { s.inFlight.release(p, bytes) }, s.inFlight.take(p, bytes)
}

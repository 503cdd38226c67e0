package ingest

import (
	"context"
	"errors"
	"io"

	"github.com/google/uuid"
	"golang.org/x/sync/semaphore"

	"birthregistry/app/auth"
	"birthregistry/app/fhir"
	"birthregistry/app/seal"
	"birthregistry/store"
)

// Request is the body of a push with its limit and Idempotency-Key.
type Request struct {
	Body io.Reader
	// Limit is the largest length accepted.
	Limit int64
	// IdempotencyKey is the request's Idempotency-Key, or "".
	IdempotencyKey string
}

// Acknowledgement is the content of a 202: the body is stored durably.
type Acknowledgement struct {
	PublicID string
	// Replayed is set when an earlier request with the same key created this
	// ingestion.
	Replayed bool
}

// Replay finds the acknowledgement of an Idempotency-Key. found is false if the practice hasn't
// used the key, or if the caller's API key is revoked. Replay returns fhir.Busy if the database is
// unavailable at the moment, or while it isn't certain that the submission is on disk.
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

// Accept checks a body and stores it durably: receipt, sealed buffer and queue message in one
// transaction. It returns a *fhir.Problem if it refuses the body, or if the database is unavailable
// at the moment. After such a problem, the sender can use the Idempotency-Key again. Accept returns
// auth.ErrUnknownKey if the API key was revoked meanwhile.
func (s *Service) Accept(c auth.Caller, in Request) (Acknowledgement, error) {
	n, err := s.receive(c, in)
	if err != nil {
		return Acknowledgement{}, err
	}
	machine := auth.User{Practice: store.Practice{ID: c.Practice}} // it has no session
	return s.commit(machine, n, func(*store.Tx) error { return nil })
}

// receive reads, checks and seals a body.
func (s *Service) receive(c auth.Caller, in Request) (store.NewIngestion, error) {
	from := &limitReader{from: in.Body, left: in.Limit, budget: s.inFlight}
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
// other work, storing the body opens the practice's queue. commit then passes the queue to the
// worker or, if the worker has too many jobs, only wakes the worker (opened.go). If the queue was
// open before, the worker finds the body by itself.
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

// bodyProblem returns the problem for an error from reading the body. A connection error means
// that the body wasn't received completely.
func bodyProblem(err error) error {
	if problem := (*fhir.Problem)(nil); errors.As(err, &problem) {
		return problem
	}
	return fhir.BodyUnread
}

// Unavailable returns fhir.Busy for an error that is temporary, and every other
// error unchanged.
func Unavailable(err error) error {
	if store.IsUnavailable(err) {
		return fhir.Busy
	}
	return err
}

// SpaceFor returns fhir.Busy if storing this many bytes would leave less free space than the
// reserve.
func (s *Service) SpaceFor(tx *store.Tx, bytes int64) error {
	free, log, err := tx.DiskSpace()
	if err == nil && free < s.reserve(log)+bytes {
		err = fhir.Busy
	}
	return err
}

// limitReader stops at the size limit. It takes memory from the budget of all bodies in flight when
// it reads bytes, in steps of budgetStep, and not when the client announces them. So a slow or
// lying client takes hardly more of the budget than it has sent.
type limitReader struct {
	from   io.Reader
	left   int64
	budget *semaphore.Weighted

	read, held int64
}

// budgetStep is how many bytes of the budget are taken at a time.
const budgetStep = 64 << 10

func (l *limitReader) Read(p []byte) (int, error) {
	if int64(len(p)) > l.left+1 {
		p = p[:l.left+1]
	}
	for l.held < l.read+min(int64(len(p)), l.left) {
		step := min(budgetStep, l.read+l.left)
		if !l.budget.TryAcquire(step) {
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

func (l *limitReader) release() { l.budget.Release(l.held) }

// TryReserve takes bytes from the budget of bodies in flight, if enough are
// left.
func (s *Service) TryReserve(bytes int64) (release func(), ok bool) {
	return func() { s.inFlight.Release(bytes) }, s.inFlight.TryAcquire(bytes)
}

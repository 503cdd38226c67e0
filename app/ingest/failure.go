package ingest

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"birthregistry/app/fhir"
	"birthregistry/store"
)

// The exception classes of a failed ingestion (spec, "Failed-ingestion outcome"). The text of the
// error itself is never returned, because it might quote the submission.
const (
	// AttemptsExhausted means that processing was started three times (maxAttempts) without
	// progress. Each time, the process crashed or was killed, or processing returned an error.
	AttemptsExhausted = "AttemptsExhausted"
	// BufferUnreadable means that the stored Bundle was damaged and couldn't be read.
	BufferUnreadable = "BufferUnreadable"
	// MappingPanic means that the Bundle caused a panic, which is a defect of this program.
	MappingPanic = "MappingPanic"
)

// Exceptions lists the exception classes for the documentation.
var Exceptions = []string{AttemptsExhausted, BufferUnreadable, MappingPanic}

// The fixed texts in the receipt of a failed ingestion.
const (
	notProcessed  = "The Bundle could not be processed and the push was not accepted."
	bufferExpired = "The buffered Bundle for this ingestion is no longer available."
)

// exceptionOf returns the exception class of an error that ends the ingestion. It returns "" if err
// is nil, or if the error may be temporary.
func exceptionOf(err error) string {
	switch {
	case store.IsUnavailable(err): // the database failed, not the Bundle
		return ""
	case errors.Is(err, errPanicked):
		return MappingPanic
	case errors.Is(err, errBuffer), errors.Is(err, fhir.ErrUnreadable):
		return BufferUnreadable
	}
	return ""
}

// failed logs that an ingestion has failed, and returns what to store as its end. If class is "",
// the stored Bundle has expired.
func (s *Service) failed(p store.PracticeID, i store.Ingestion, class string, cause error) (store.Ending, error) {
	f := Failure{Error: notProcessed, Exception: class, CorrelationID: uuid.NewString()}
	if class == "" {
		f.Error = bufferExpired
	}
	s.log.Error("ingestion failed", "ingestion", i.PublicID, "exception", class, "correlation_id", f.CorrelationID,
		"attempts", i.Attempts, "cause", cause)
	sealed, err := s.sealOutcome(p, i.PublicID, f)
	return store.Ending{
		Ingestion: i.ID, Status: store.Failed, Outcome: sealed, Exception: class, CorrelationID: f.CorrelationID,
	}, err
}

// endEarly ends an ingestion that cannot be processed completely. The status "failed" means that no
// part of the push was accepted. If some chunks of a batch were already written, the batch is
// completed instead. Its receipt lists the entries of these chunks as accepted. One rejection in it
// says that the rest wasn't processed.
func (s *Service) endEarly(l store.PracticeQueue, i store.Ingestion, class string, cause error) error {
	now, err := store.Read(context.Background(), s.db, func(v *store.View) (store.Ingestion, error) { return v.Ingestion(l.Practice, i.PublicID) })
	if err != nil {
		return err
	}
	if now.Items == 0 {
		end, err := s.failed(l.Practice, i, class, cause)
		if err != nil {
			return err
		}
		return s.db.Update(func(tx *store.Tx) error {
			if err := tx.Finish(l.Practice, end); err != nil {
				return err
			}
			return tx.Advance(l)
		})
	}
	if now.Items == now.Total { // everything was done except the receipt
		return s.completeLarge(l, i, Outcome{})
	}
	s.log.Error("ingestion cut short", "ingestion", i.PublicID, "exception", class, "items", now.Items, "cause", cause)
	rest := Rejected{Reference: wholeOf(i), Outcome: fhir.RestNotProcessed.Outcome()}
	return s.completeLarge(l, i, Outcome{Rejected: []Rejected{rest}})
}

// wholeOf returns the word for an ingestion as a whole in its receipt: "File" for a spreadsheet,
// otherwise "Bundle".
func wholeOf(i store.Ingestion) string {
	if i.Kind == store.CSVKind {
		return "File"
	}
	return "Bundle"
}

// Expire ends queued ingestions that have waited longer than the time limit, and returns how many
// it ended. An ingestion's waiting time counts from its acknowledgement or, if the process was
// restarted after that, from the restart. After a restart, the service can therefore process the
// queue before anything expires. Expire does nothing while the clock has jumped.
func (s *Service) Expire(since time.Time) (int, error) {
	if err := s.vault.Ready(); err != nil {
		return 0, err
	}
	cutoff := time.Now().Add(-s.settings.BufferTTL)
	if since.After(cutoff) || s.ClockJump() != 0 {
		return 0, nil
	}
	aged, err := store.Read(context.Background(), s.db, func(v *store.View) ([]store.Aged, error) { return v.AgedOut(cutoff, 1000) })
	expired := 0
	for _, a := range aged {
		switch failed := s.expire(a); {
		case failed == nil:
			expired++
		case !errors.Is(failed, store.ErrNotFound): // otherwise it has ended, or its practice is gone
			err = errors.Join(err, failed)
		}
	}
	return expired, err
}

func (s *Service) expire(a store.Aged) error {
	end, err := s.failed(a.Practice, a.Ingestion, "", nil)
	if err != nil {
		return err
	}
	defer s.SetTruncationPending()
	return s.db.Update(func(tx *store.Tx) error {
		queued, err := tx.StillQueued(a.Practice, a.ID)
		if err != nil || !queued {
			return err
		}
		if err := tx.Finish(a.Practice, end); err != nil {
			return err
		}
		_, err = tx.EndQueue(a.Practice)
		return err
	})
}

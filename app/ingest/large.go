package ingest

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"

	"birthregistry/app/changes"
	"birthregistry/app/task"
	"birthregistry/store"
)

// processLarge processes a large ingestion chunk by chunk. The transaction that writes a chunk also
// stores the outcome of the chunk, in a row of the ledger, and the number of items done so far.
// After a crash, no item is therefore applied twice. When all chunks are written, processLarge
// assembles the receipt from the ledger and stores it in one more transaction.
func (s *Service) processLarge(ctx context.Context, l store.PracticeQueue, i store.Ingestion, mode *runMode) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	chunks := make(chan chunk)
	read := task.Go(s.log, "read a batch", func() error { return s.readChunks(ctx, l.Practice, i, chunks, mode) })
	var err error
	for c := range chunks {
		if err == nil {
			if err = mode.write(func() error { return s.applyChunk(l, i, c) }); err != nil {
				stop()
			}
		}
	}
	if readErr := <-read; err == nil {
		err = readErr
	}
	class := exceptionOf(err)
	switch {
	case err == nil:
		return s.completeLarge(l, i, Outcome{})
	case class != "":
		return s.endEarly(l, i, class, err)
	default:
		return err
	}
}

// applyChunk writes one chunk of a large ingestion in a transaction.
func (s *Service) applyChunk(l store.PracticeQueue, i store.Ingestion, c chunk) error {
	first := c.changes[0].Index
	within, err := s.permissions(l.Practice, i)
	if err != nil {
		return err
	}
	if err := s.changes.RebaseNow(l.Practice, c.changes, within); err != nil {
		return err
	}
	return s.db.UpdateChunk(changes.Rows(c.changes), func(tx *store.Tx) error {
		if err := s.changes.Rebase(&tx.View, l.Practice, c.changes, within); err != nil { // a person may have changed a record in the meantime
			return err
		}
		results, err := s.changes.Apply(tx, l.Practice, changes.Batch{Ingestion: i.ID, Changes: c.changes})
		if err != nil {
			return err
		}
		out := outcomeOf(results[0])
		sealed, err := s.sealLedger(l.Practice, i.PublicID, first, out)
		if err != nil {
			return err
		}
		err = tx.Progress(l.Practice, i.ID, store.LedgerEntry{
			First: first, Next: first + len(c.changes),
			Accepted: len(out.Accepted), Rejected: len(out.Rejected), Sealed: sealed, Last: c.last,
		})
		if err != nil {
			return err
		}
		return tx.Advance(l)
	})
}

func (s *Service) sealLedger(p store.PracticeID, publicID string, first int, out Outcome) ([]byte, error) {
	doc, err := json.Marshal(out)
	if err != nil {
		return nil, errors.New("ingest: a receipt cannot be written as JSON")
	}
	return s.vault.Seal(ledgerPlace(p, publicID, first), doc)
}

// completeLarge assembles the receipt from the ledger and ends the ingestion. It adds the outcome
// in the argument last at the end of the receipt.
func (s *Service) completeLarge(l store.PracticeQueue, i store.Ingestion, last Outcome) error {
	out := newOutcome()
	ledger, err := store.Read(context.Background(), s.db, func(v *store.View) ([]store.LedgerEntry, error) { return v.Ledger(l.Practice, i.ID) })
	if err != nil {
		return err
	}
	for _, e := range ledger {
		doc, err := s.vault.Open(ledgerPlace(l.Practice, i.PublicID, e.First), e.Sealed)
		if err != nil {
			return err
		}
		var part Outcome
		if err := json.Unmarshal(doc, &part); err != nil {
			return fmt.Errorf("ingest: a ledger row is not readable")
		}
		out.add(part)
	}
	out.add(last)
	end, err := s.completed(l.Practice, i, out)
	if err != nil {
		return err
	}
	return s.db.UpdateChunk(store.FullChunk, func(tx *store.Tx) error {
		if err := tx.Finish(l.Practice, end); err != nil {
			return err
		}
		return tx.Advance(l)
	})
}

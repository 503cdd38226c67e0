package ingest

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"birthregistry/app/auth"
	"birthregistry/store"
)

// erasedReference replaces the reference of an erased birth in a receipt.
const erasedReference = "erased"

// The limits of Redact: how many receipts it opens at a time, and how many receipts and bytes one
// transaction rewrites, so that other practices don't wait.
const (
	receiptsAtOnce   = 200
	redactedAtOnce   = 50
	redactedBytesMax = 1 << 20
)

// Redacted describes the receipts that Redact has read and changed.
type Redacted struct {
	Named   []string       // the public IDs of the receipts that name the records
	checked map[int64]bool // the IDs of those receipts that Redact has read and that were completed after since
	since   time.Time
}

// Redact removes the references of records that are about to be erased from all receipts of a
// practice, in transactions of bounded size. The entries stay, with the record's ID, so that the
// counts of the receipt stay right. If Redact was interrupted, another call does the rest.
//
// Redact opens every receipt, because a receipt may name a record of which its ingestion made no
// version: if a retraction changed nothing, or if a row was already on file. before, unless it is
// nil, is called before each transaction with the numbers of receipts and bytes that the
// transaction writes.
func (s *Service) Redact(ctx context.Context, who auth.User, uuids []string, before func(rows, bytes int) error) (r Redacted, err error) {
	r = Redacted{checked: map[int64]bool{}, since: time.Now().Add(-time.Minute)} // allows for a clock that is set back in the meantime
	p := who.Practice.ID
	c := rewriting{Service: s, who: who, practice: p, uuids: uuids, before: before}
	for _, kind := range []store.Kind{store.BundleKind, store.CSVKind} {
		for after := int64(0); ; {
			page, err := store.Read(ctx, s.db, func(v *store.View) ([]store.Ingestion, error) { return v.Receipts(p, kind, after, receiptsAtOnce) })
			if err != nil {
				return r, err
			}
			for _, i := range page {
				named, err := c.add(i)
				if err != nil {
					return r, err
				}
				if named {
					r.Named = append(r.Named, i.PublicID)
				}
				if !i.CompletedAt.Before(r.since) {
					r.checked[i.ID] = true
				}
			}
			if len(page) < receiptsAtOnce {
				break
			}
			after = page[len(page)-1].ID
		}
	}
	return r, c.write()
}

// RedactLate removes the references from the receipts that were completed after Redact had read
// them, in the transaction that erases the records. It returns the public IDs of those
// receipts.
func (s *Service) RedactLate(tx *store.Tx, p store.PracticeID, uuids []string, r Redacted) (named []string, err error) {
	late, err := tx.ReceiptsSince(p, r.since)
	if err != nil {
		return nil, err
	}
	for _, i := range late {
		if r.checked[i.ID] {
			continue
		}
		names, sealed, err := s.redacted(p, i, uuids)
		if err != nil {
			return nil, err
		}
		if names {
			named = append(named, i.PublicID)
		}
		if sealed != nil {
			if err := tx.SetReceipt(p, i.PublicID, i.Outcome, sealed); err != nil {
				return nil, err
			}
		}
	}
	return named, nil
}

// redacted reports whether a receipt names one of the records. sealed is the receipt without the
// references of the records, or nil if the receipt has no such references.
func (s *Service) redacted(p store.PracticeID, i store.Ingestion, uuids []string) (named bool, sealed []byte, err error) {
	text, err := s.vault.Open(OutcomePlace(p, i.PublicID), i.Outcome)
	if err != nil {
		return false, nil, err
	}
	if !slices.ContainsFunc(uuids, func(uuid string) bool { return bytes.Contains(text, []byte(uuid)) }) {
		return false, nil, nil
	}
	var out Outcome
	if err := json.Unmarshal(text, &out); err != nil {
		return false, nil, err
	}
	changed := false
	for n := range out.Accepted {
		if slices.Contains(uuids, out.Accepted[n].Submission) && out.Accepted[n].Reference != erasedReference {
			out.Accepted[n].Reference, changed = erasedReference, true
		}
	}
	if changed {
		sealed, err = s.sealOutcome(p, i.PublicID, out)
	}
	return true, sealed, err
}

// rewriting collects the receipts that one transaction rewrites.
type rewriting struct {
	*Service
	who      auth.User
	practice store.PracticeID
	uuids    []string
	before   func(rows, bytes int) error
	receipts []rewritten
	bytes    int
}

// rewritten is an ingestion as it was read, with its sealed receipt without the references to
// erased records.
type rewritten struct {
	store.Ingestion
	sealed []byte
}

// add collects the receipt of an ingestion if the receipt has to be rewritten. named reports
// whether the receipt names one of the records.
func (c *rewriting) add(i store.Ingestion) (named bool, err error) {
	named, sealed, err := c.redacted(c.practice, i, c.uuids)
	if err != nil || sealed == nil {
		return named, err
	}
	if len(c.receipts) == redactedAtOnce || c.bytes > 0 && c.bytes+len(sealed) > redactedBytesMax {
		if err := c.write(); err != nil {
			return named, err
		}
	}
	c.receipts, c.bytes = append(c.receipts, rewritten{i, sealed}), c.bytes+len(sealed)
	return named, nil
}

// write rewrites the collected receipts. A receipt that has changed since it was read, because
// another birth is being erased, is read again.
func (c *rewriting) write() error {
	if len(c.receipts) == 0 {
		return nil
	}
	if c.before != nil {
		if err := c.before(len(c.receipts), c.bytes); err != nil {
			return err
		}
	}
	err := c.auth.Act(c.who, func(tx *store.Tx) error {
		for _, r := range c.receipts {
			err := tx.SetReceipt(c.practice, r.PublicID, r.Outcome, r.sealed)
			if errors.Is(err, store.ErrNotFound) {
				err = c.again(tx, r.PublicID)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	c.receipts, c.bytes = nil, 0
	return err
}

// again reads a receipt that has changed meanwhile, and rewrites it in the same transaction.
func (c *rewriting) again(tx *store.Tx, publicID string) error {
	i, err := tx.Ingestion(c.practice, publicID)
	if err != nil || i.Status != store.Completed || len(i.Outcome) == 0 { // the receipt has expired
		return err
	}
	_, sealed, err := c.redacted(c.practice, i, c.uuids)
	if err != nil || sealed == nil {
		return err
	}
	return tx.SetReceipt(c.practice, publicID, i.Outcome, sealed)
}

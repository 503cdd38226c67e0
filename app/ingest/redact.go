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

// erasedReference is written to a receipt in place of the reference to an erased birth.
const erasedReference = "erased"

// The limits of Redact. It reads receiptsAtOnce receipts at a time. One transaction rewrites at
// most redactedAtOnce receipts and about redactedBytesMax bytes, so that other practices don't
// wait.
const (
	receiptsAtOnce   = 200
	redactedAtOnce   = 50
	redactedBytesMax = 1 << 20
)

// Redacted says which receipts Redact has read and which of them contained the records.
type Redacted struct {
	Named   []string       // the public IDs of receipts that name the records
	checked map[int64]bool // the IDs of receipts that Redact has read; only receipts that were completed after since
	since   time.Time
}

// Redact removes the references to records that are about to be erased from all receipts of a
// practice. The entries stay in the receipt, with the record's ID, so that the counts remain right.
// Redact works in several transactions of limited size. If it is interrupted, another call does the
// rest.
//
// Redact opens every receipt, because a receipt may name a record that its ingestion didn't change.
// Examples are a retraction that had no effect, and a row that was already on file. Unless it is
// nil, before is called before each transaction, with the numbers of receipts and bytes that the
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

// RedactLate removes the references from receipts that were completed after Redact had read the
// receipts. It does so in the transaction that erases the records, and returns the public IDs of
// these receipts.
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

// redacted reports whether a receipt names one of the records. The result sealed is the receipt
// without the references to these records. It is nil if the receipt doesn't have to be rewritten.
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

// rewriting collects the receipts that one transaction is going to rewrite.
type rewriting struct {
	*Service
	who      auth.User
	practice store.PracticeID
	uuids    []string
	before   func(rows, bytes int) error
	receipts []rewritten
	bytes    int
}

// rewritten is an ingestion with its new receipt, which is sealed and has no references to erased
// records. The embedded Ingestion still has the old receipt.
type rewritten struct {
	store.Ingestion
	sealed []byte
}

// add collects the receipt of an ingestion if it has to be rewritten. The result named reports
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

// write rewrites the collected receipts. If a receipt has changed since it was read, because
// another birth is being erased, write reads it again.
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

// again rewrites a receipt that has changed in the meantime. It reads the receipt again in the same
// transaction.
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

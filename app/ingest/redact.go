package ingest

import (
	"bytes"
	"context"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"birthregistry/store"
)

// erasedReference replaces the reference of an erased birth in a receipt.
const erasedReference = "erased"

// receiptsAtOnce is how many receipts are opened at a time.
const receiptsAtOnce = 200

// ReceiptsNaming returns the public IDs of a practice's receipts that name one of these
// records. It opens every receipt, so it runs outside of any transaction. It has to, because a
// receipt of a retraction that changed nothing, or of a row that was already on file, names a
// record without having made a version of it.
func (s *Service) ReceiptsNaming(ctx context.Context, p store.PracticeID, uuids []string) (ids []string, err error) {
	for _, kind := range []store.Kind{store.BundleKind, store.CSVKind} {
		for after := int64(0); ; {
			page, err := store.Read(ctx, s.db, func(v *store.View) ([]store.Ingestion, error) { return v.Receipts(p, kind, after, receiptsAtOnce) })
			if err != nil {
				return nil, err
			}
			named, err := s.naming(p, page, uuids)
			if err != nil {
				return nil, err
			}
			ids = append(ids, named...)
			if len(page) < receiptsAtOnce {
				break
			}
			after = page[len(page)-1].ID
		}
	}
	return ids, nil
}

// ReceiptsNamingSince returns those completed since a time, for the transaction that follows
// ReceiptsNaming.
func (s *Service) ReceiptsNamingSince(v *store.View, p store.PracticeID, uuids []string, since time.Time) ([]string, error) {
	late, err := v.ReceiptsSince(p, since)
	if err != nil {
		return nil, err
	}
	return s.naming(p, late, uuids)
}

// naming returns the public IDs of the receipts that name one of the records.
func (s *Service) naming(p store.PracticeID, receipts []store.Ingestion, uuids []string) (ids []string, err error) {
	for _, i := range receipts {
		text, err := s.vault.Open(OutcomePlace(p, i.PublicID), i.Outcome)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(uuids, func(uuid string) bool { return bytes.Contains(text, []byte(uuid)) }) {
			ids = append(ids, i.PublicID)
		}
	}
	return ids, nil
}

// Redact removes the references of erased records from receipts, in the transaction that
// erases them. The entry stays, with the record's ID, so that the counts of the receipt remain
// true.
func (s *Service) Redact(tx *store.Tx, p store.PracticeID, publicIDs, uuids []string) error {
	for _, id := range publicIDs {
		i, err := tx.Ingestion(p, id)
		if err != nil {
			return err
		}
		if i.Status != store.Completed || len(i.Outcome) == 0 {
			continue // it is not processed yet, and will then reject the birth; or it was emptied
		}
		text, err := s.vault.Open(OutcomePlace(p, id), i.Outcome)
		if err != nil {
			return err
		}
		var out Outcome
		if err := json.Unmarshal(text, &out); err != nil {
			return err
		}
		for n := range out.Accepted {
			if slices.Contains(uuids, out.Accepted[n].Submission) {
				out.Accepted[n].Reference = erasedReference
			}
		}
		sealed, err := s.sealOutcome(p, id, out)
		if err != nil {
			return err
		}
		if err := tx.SetReceipt(p, id, sealed); err != nil {
			return err
		}
	}
	return nil
}

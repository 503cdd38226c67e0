package changes

import (
	"context"
	"errors"
	"slices"

	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/seal"
	"birthregistry/store"
)

// ErrMergedAway means that the record was merged into another one. Both records describe the same
// birth, so the user must erase the other record instead. If the merge was wrong, the user must
// undo it first.
var ErrMergedAway = errors.New("changes: the record is merged into another one; erase the other record, or undo the merge first")

// erasures maps each allowed reason for an erasure to the action that the audit trail then records.
var erasures = map[string]string{
	store.ErasedOnRequest: "record.erase-on-request",
	store.ErasedByMistake: "record.erase-mistake",
}

// Erased lists the records that Erase deletes, as they are before the deletion.
type Erased struct {
	Records []store.Record
	IDs     []int64
	UUIDs   []string
}

// ToErase returns the records that Erase would delete: the record and all records that were merged
// into it, because they describe the same birth. It returns ErrMergedAway if the record was itself
// merged into another one, and store.ErrNotFound if there is no such record.
func ToErase(v *store.View, p store.PracticeID, uuid string) (e Erased, err error) {
	r, err := v.RecordByUUID(p, uuid)
	if err != nil {
		return e, err
	}
	if r.MergedInto != 0 {
		return e, ErrMergedAway
	}
	if e.Records, err = v.MergedBirth(p, r.ID); err != nil {
		return e, err
	}
	for _, r := range e.Records {
		e.IDs, e.UUIDs = append(e.IDs, r.ID), append(e.UUIDs, r.UUID)
	}
	return e, nil
}

// Check returns an error if the reason isn't a known one. It returns ErrChanged if the record's
// version is no longer baseVersion, which is the version that the user saw.
func (e Erased) Check(uuid, reason string, baseVersion int) error {
	if _, known := erasures[reason]; !known {
		return errors.New("changes: an erasure has one of the known reasons")
	}
	if i := slices.Index(e.UUIDs, uuid); e.Records[i].Version != baseVersion {
		return ErrChanged
	}
	return nil
}

// Erase deletes a birth in one transaction: the record and all records that were merged into it,
// with their versions, sealed values and fingerprints, the codes of the mother's name, and the
// decisions about these records. For each chart number, Erase leaves a tombstone, so that the birth
// can't be recorded again without an admin's consent. Package erase, which calls Erase, deletes
// what other tables hold about the birth.
//
// Records that looked like the erased birth are compared again. A record that was voided as a
// duplicate of the erased birth stays. baseVersion is the version that the user saw.
func (w *Writer) Erase(tx *store.Tx, who auth.User, uuid, reason string, baseVersion int) (e Erased, err error) {
	p, action := who.Practice.ID, erasures[reason]
	if e, err = ToErase(&tx.View, p, uuid); err != nil {
		return e, err
	}
	if err := e.Check(uuid, reason, baseVersion); err != nil {
		return e, err
	}
	if err := w.leaveForGood(tx, who, e); err != nil {
		return e, err
	}
	var charts [][]byte
	for _, r := range e.Records {
		if r.Chart != "" {
			charts = append(charts, rejectedChart(w.rejectedKey, p, r.Chart))
			err := tx.AddTombstone(p, store.Tombstone{Chart: erasedChart(w.erasedKey, p, r.Chart, r.Given), UUID: r.UUID, Reason: reason, User: who.ID})
			if err != nil {
				return e, err
			}
		}
		if err := w.auth.Note(tx, who, action, r.UUID); err != nil {
			return e, err
		}
	}
	if err := tx.DropRejects(p, charts); err != nil {
		return e, err
	}
	return e, tx.EraseRecords(p, e.IDs)
}

// leaveForGood voids the active records among those that Erase is about to delete. This makes the
// set compare similar records again, so that they lose the flag of a possible duplicate if they no
// longer look like any other record.
func (w *Writer) leaveForGood(tx *store.Tx, who auth.User, e Erased) error {
	var active []string
	for _, r := range e.Records {
		if r.State == birth.Active {
			active = append(active, r.UUID)
		}
	}
	if len(active) == 0 {
		return nil
	}
	set, err := w.Open(tx, who.Practice.ID, active...)
	if err != nil {
		return err
	}
	for _, uuid := range active {
		if err := set.Leave(set.Target(uuid), birth.Voided, By{User: who.ID}); err != nil {
			return err
		}
	}
	return set.Write()
}

// erasedChart returns the hash under which a tombstone stores a chart number. given is set if the
// registry assigned the number. The hash then differs from that of the same number from a sender,
// because a pushed Bundle never means a number that the registry assigned (decision 21).
func erasedChart(key []byte, p store.PracticeID, chart string, given bool) []byte {
	space := "sent "
	if given {
		space = "given "
	}
	return seal.Hash(key, int64(p), space+chart)
}

// readTombstones reads the tombstones that may keep the changes from creating records. It looks for
// the chart numbers of changes whose record isn't on file.
func (s *Set) readTombstones(batches []Batch) (err error) {
	var hashes [][]byte
	for c := range each(batches) {
		if s.mayRecordAnew(c) && s.byChart[c.chart] == nil {
			hashes = append(hashes, s.chartHashes(c)...)
		}
	}
	if len(hashes) > 0 {
		s.erased, err = s.view.TombstonesOf(s.practice, hashes)
	}
	return err
}

// IsErased reports whether the practice has erased a birth with this chart number. Save returns
// ErrErased for a new record with such a number.
func (w *Writer) IsErased(ctx context.Context, p store.PracticeID, chart string) (bool, error) {
	found, err := store.Read(ctx, w.db, func(v *store.View) (map[string]int64, error) {
		return v.TombstonesOf(p, [][]byte{erasedChart(w.erasedKey, p, chart, false)})
	})
	return len(found) > 0, err
}

// mayRecordAnew reports whether a change could record an erased birth again. Such a change isn't a
// retraction, and identifies its record only by the chart number.
func (s *Set) mayRecordAnew(c *Change) bool { return c.chart != "" && !c.retraction && c.record == "" }

// chartHashes returns the hashes under which a tombstone may store the chart number of a change.
// There are two for a row of a spreadsheet, because only a spreadsheet can mean a number that the
// registry assigned.
func (s *Set) chartHashes(c *Change) [][]byte {
	hashes := [][]byte{erasedChart(s.erasedKey, s.practice, c.chart, false)}
	if c.partial != nil {
		hashes = append(hashes, erasedChart(s.erasedKey, s.practice, c.chart, true))
	}
	return hashes
}

// tombstone returns the ID of the tombstone that keeps a change from creating a record, or 0 if no
// tombstone does.
func (s *Set) tombstone(t *Target, c *Change) int64 {
	if len(s.erased) == 0 || !t.fresh || !s.mayRecordAnew(c) {
		return 0
	}
	for _, hash := range s.chartHashes(c) {
		if id := s.erased[string(hash)]; id != 0 {
			return id
		}
	}
	return 0
}

// refuse counts that a tombstone has rejected a change. The practice sees these counts.
func (s *Set) refuse(tombstone int64) {
	if s.refused == nil {
		s.refused = map[int64]int{}
	}
	s.refused[tombstone]++
}

package changes

import (
	"errors"
	"maps"

	"birthregistry/app/birth"
	"birthregistry/app/seal"
	"birthregistry/store"
)

// An import is undone record by record (app/imports/undo.go). A record that the import created is
// voided. A record that it amended or restored gets a new version with its earlier content and
// state. A record that was changed after the import stays as it is (store.ImportedRecord.Keep). The
// earlier content is decrypted outside the transaction, where that delays nobody. It is decrypted
// again inside the transaction for the few records that have changed in the meantime.
//
// A record may wait for a review because a push has replaced values (replaced.go). An import ends
// this wait, and undoing the import doesn't begin it again, because versions don't store whether
// their record waited. The history still has the version that a person entered.

// Before holds the content and state that a record had before an import.
type Before struct {
	version    int // the record's version when the earlier content was read
	earlier    earlier
	state      birth.State
	custom     map[string]string // nil if the custom fields don't change
	unreadable bool
}

// OpenBefore reads the content and state that records had before an import, and stores them in
// known by record ID. It skips records that won't change, and records whose entry in known was made
// from their present version.
func (w *Writer) OpenBefore(v *store.View, p store.PracticeID, records []store.ImportedRecord, known map[int64]Before) error {
	for _, r := range records {
		if before, is := known[r.ID]; r.Keep != "" || is && before.version == r.Version {
			continue
		}
		before, err := w.before(v, p, r)
		if errors.Is(err, seal.ErrSealed) || errors.Is(err, store.ErrDamaged) {
			before, err = Before{unreadable: true}, nil
		}
		if err != nil {
			return err
		}
		before.version = r.Version
		known[r.ID] = before
	}
	return nil
}

func (w *Writer) before(v *store.View, p store.PracticeID, r store.ImportedRecord) (b Before, err error) {
	if _, err := v.Shown(p, r.UUID); err != nil || r.First == 1 {
		return b, err
	}
	at, err := v.VersionOf(p, r.ID, r.First-1)
	if err != nil {
		return b, err
	}
	b.state = at.State
	if b.earlier, err = w.earlierOf(v, p, r.ID, r.UUID, at.Content); err != nil {
		return b, err
	}
	custom, err := w.Custom(v, p, r.UUID, r.ID, r.First-1)
	if err != nil {
		return b, err
	}
	now, err := w.Custom(v, p, r.UUID, r.ID, r.Version)
	if !maps.Equal(custom, now) {
		b.custom = custom
	}
	return b, err
}

// Rows estimates how many rows are written to give a record its earlier content and state.
func (b Before) Rows() int { return 2 + len(b.earlier.Fingerprints) + len(b.earlier.Names) }

// TakeBack gives records the content and state that they had before an import. n counts the records
// that were voided, restored, and left unchanged. kept lists the unchanged ones. The map before
// must have an entry for every record that changes (OpenBefore).
func (w *Writer) TakeBack(
	tx *store.Tx, p store.PracticeID, records []store.ImportedRecord, before map[int64]Before, by By,
) (n store.UndoCounts, kept []store.KeptRecord, err error) {
	var uuids []string
	for i, r := range records {
		if r.Keep == "" && before[r.ID].unreadable {
			records[i].Keep = store.KeptUnreadable
		}
		if r = records[i]; r.Keep != "" {
			kept = append(kept, store.KeptRecord{Item: r.Item, Record: r.ID, Reason: r.Keep})
			continue
		}
		uuids = append(uuids, r.UUID)
	}
	set, err := w.Open(tx, p, uuids...)
	if err != nil {
		return n, nil, err
	}
	for _, r := range records {
		switch b := before[r.ID]; {
		case r.Keep != "":
			continue
		case r.First == 1:
			n.Voided++
			err = set.Leave(set.Target(r.UUID), birth.Voided, by)
		case b.state == birth.Voided:
			n.Voided++
			err = set.putBack(set.Target(r.UUID), b, store.Version{Change: "void"}, by)
		default:
			n.Restored++
			err = set.putBack(set.Target(r.UUID), b, store.Version{Change: birth.Amend.String()}, by)
		}
		if err != nil {
			return n, nil, err
		}
	}
	n.Kept = len(kept)
	return n, kept, set.Write()
}

// putBack gives a record its earlier content, state and custom fields.
func (s *Set) putBack(t *Target, b Before, version store.Version, by By) error {
	t.Version, t.State = t.Version+1, b.state
	if err := s.giveBack(t, b.earlier); err != nil {
		return err
	}
	return s.step(t, version, by, b.custom)
}

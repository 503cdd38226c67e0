package store

import (
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"
)

// comparedTables lists the signed tables of which an archive holds every row, and whose rows
// change only if their facts change. Entries of the trail aren't compared, because viewing or
// exporting a practice adds entries but doesn't change the practice.
var comparedTables = []string{
	"custom_fields", "ingestions", "records", "versions", "attributions", "custom_values", "providers", "provider_log", "provider_groups", "reviews", "kept", "undos",
}

// comparedRows selects the other rows that an archive holds, with only those columns that
// change if the facts change.
var comparedRows = []string{
	`select name || char(0) || is_sandbox || char(0) || ehr_beta || char(0) || time_zone from practices where id = ?`,
	`select user || char(0) || role || char(0) || called || char(0) || coalesce(disabled_at, '') from memberships where practice = ? order by user`,
	`select public_id || char(0) || rows || char(0) || coalesce(ingestion, '') from imports where practice = ? and ingestion is not null order by id`,
	`select id || char(0) || revision from drafts where practice = ? order by id`,
	`select revision from matches where practice = ?`,
}

// ExportState returns a digest of everything that an archive holds of the practice. Any change
// of that data changes the digest. It is nil if the rows aren't signed, or are damaged.
func (v *View) ExportState(p PracticeID) ([]byte, error) {
	if v.signer == nil {
		return nil, nil
	}
	sealed, err := v.sealedTotals(int64(p))
	if err != nil && !errors.Is(err, ErrNotFound) {
		return nil, err
	}
	all, ok := v.signer.openTotals(int64(p), sealed)
	changing, err := v.changing(p)
	if err != nil || changing || !ok {
		return nil, err
	}
	state := sha256.New()
	for _, name := range comparedTables {
		of := all[v.signer.tables[name].number]
		_, _ = state.Write(of.sum.append(binary.BigEndian.AppendUint64(nil, uint64(of.rows)))) // never fails
	}
	for _, query := range comparedRows {
		err := v.each(query, func(rows *sql.Rows) error {
			var text string
			err := rows.Scan(&text)
			_, _ = state.Write(append(binary.BigEndian.AppendUint64(nil, uint64(len(text))), text...))
			return err
		}, p)
		if err != nil {
			return nil, err
		}
		_, _ = state.Write([]byte{0})
	}
	return state.Sum(nil), nil
}

// changing reports whether the transaction has changed any of the practice's compared rows. The
// stored sums don't include such changes before the commit.
func (v *View) changing(p PracticeID) (bool, error) {
	if !v.writing {
		return false, nil
	}
	for _, c := range v.signer.noted {
		practice := c.practice
		if practice == unknown {
			var mac []byte
			err := v.one(c.group.table.sql.owner, c.group.args(), &practice, &mac)
			if err != nil && !errors.Is(err, ErrNotFound) {
				return false, err
			}
		}
		if (practice == int64(p) || practice == unknown) && slices.Contains(comparedTables, c.table.name) {
			return true, nil
		}
	}
	return false, nil
}

// Export is an archive of a practice that was made here.
type Export struct {
	Digest  []byte // the SHA-256 of the file
	Records int
	At      time.Time
	State   []byte // the ExportState of the snapshot from which it was made
}

// Object returns the name of the archive in the audit trail's entry "practice.export".
func (e Export) Object() string { return fmt.Sprintf("%d births, SHA-256 %x", e.Records, e.Digest) }

// AddExport records that an archive was made.
func (tx *Tx) AddExport(p PracticeID, e Export) error {
	id, err := tx.insert(`insert into exports (practice, digest, records, at) values (?, ?, ?, ?)`, p, e.Digest, e.Records, millis(e.At))
	if err == nil && e.State != nil {
		_, err = tx.exec(`insert into export_states (export, practice, state) values (?, ?, ?)`, id, p, e.State)
	}
	return err
}

package store

import (
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// comparedTables lists the signed tables that an archive holds completely and that change only if
// the practice's data changes. The audit trail isn't compared, because viewing or exporting a
// practice adds entries but doesn't change the practice's data.
var comparedTables = []string{
	"custom_fields", "records", "versions", "attributions", "custom_values", "providers", "provider_log", "provider_groups", "reviews", "kept", "undos",
}

// comparedRows lists queries for other data that an archive holds. They leave out columns that may
// change although the practice's data hasn't. For ingestions (submissions), they select only the
// highest IDs: when an archive is made, no submission is in progress, and later only the receipts
// change, because they expire or are redacted together with a record.
var comparedRows = []string{
	`select max(id) from ingestions where practice = ?1 and kind = 'bundle' union all select max(id) from ingestions where practice = ?1 and kind = 'csv'`,
	`select name || char(0) || is_sandbox || char(0) || ehr_beta || char(0) || time_zone from practices where id = ?`,
	`select user || char(0) || role || char(0) || called || char(0) || coalesce(disabled_at, '') from memberships where practice = ? order by user`,
	`select public_id || char(0) || rows || char(0) || coalesce(ingestion, '') from imports where practice = ? and ingestion is not null order by id`,
}

// agingRows selects rows that are deleted once they are old enough. An archive may hold rows that
// the practice no longer has, but must hold every row that the practice has now.
const agingRows = `
	select 'draft ' || id || ' ' || revision from drafts where practice = ?1
	union all
	select 'matches ' || revision || ' ' || used_at from matches where practice = ?1`

// ExportState describes the data that an archive holds, so that unchangedSince can detect later
// changes. The first line is a hash of the rows that are kept. Each other line stands for one row
// that is deleted once it is old enough. ExportState returns nil if the rows aren't signed, if
// their totals are damaged, or if the current transaction may have changed a signed row.
func (v *View) ExportState(p PracticeID) ([]byte, error) {
	if v.signer == nil {
		return nil, nil
	}
	sealed, err := v.sealedTotals(int64(p))
	if err != nil && !errors.Is(err, ErrNotFound) {
		return nil, err
	}
	totals, ok := v.signer.openTotals(int64(p), sealed)
	changing, err := v.changing(p)
	if err != nil || changing || !ok {
		return nil, err
	}
	state := sha256.New()
	for _, name := range comparedTables {
		of := totals[v.signer.tables[name].number]
		_, _ = state.Write(of.sum.append(binary.BigEndian.AppendUint64(nil, uint64(of.rows)))) // never fails
	}
	for _, query := range comparedRows {
		err := v.each(query, func(rows *sql.Rows) error {
			var text sql.NullString
			err := rows.Scan(&text)
			_, _ = state.Write(append(binary.BigEndian.AppendUint64(nil, uint64(len(text.String))), text.String...))
			return err
		}, p)
		if err != nil {
			return nil, err
		}
		_, _ = state.Write([]byte{0})
	}
	aging, err := all(v, agingRows, value[string], p)
	return []byte(strings.Join(append([]string{hex.EncodeToString(state.Sum(nil))}, aging...), "\n")), err
}

// unchangedSince reports whether an archive holds everything that the practice has now. archived is
// the result of ExportState from when the archive was made, and present is the result from now.
func unchangedSince(archived, present []byte) bool {
	then, now := strings.Split(string(archived), "\n"), strings.Split(string(present), "\n")
	if len(present) == 0 || then[0] != now[0] {
		return false
	}
	held := map[string]bool{}
	for _, row := range then {
		held[row] = true
	}
	return !slices.ContainsFunc(now, func(row string) bool { return !held[row] })
}

// changing reports whether the current transaction may have changed rows of a practice in
// comparedTables. The stored totals don't include such changes until the transaction commits.
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

// Export describes an archive that this installation has made of a practice.
type Export struct {
	Digest  []byte // the SHA-256 hash of the file
	Records int
	At      time.Time
	State   []byte // the result of ExportState for the snapshot from which the archive was made
}

// Object returns the text that identifies the archive in the object of an audit entry
// "practice.export".
func (e Export) Object() string { return fmt.Sprintf("%d births, SHA-256 %x", e.Records, e.Digest) }

// AddExport records that an archive was made.
func (tx *Tx) AddExport(p PracticeID, e Export) error {
	id, err := tx.insert(`insert into exports (practice, digest, records, at) values (?, ?, ?, ?)`, p, e.Digest, e.Records, millis(e.At))
	if err == nil && e.State != nil {
		err = tx.do(`insert into export_states (export, practice, state) values (?, ?, ?)`, id, p, e.State)
	}
	return err
}

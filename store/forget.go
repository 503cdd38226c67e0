package store

import (
	"cmp"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"birthregistry/app/stats"
)

// Forgetting a practice means deleting everything about it (app/forget), in three steps. First, one
// transaction hides the practice from everybody (Forget). Then many transactions delete its rows
// (forget_rows.go). In the end, only two things are left: the practice's row in the table
// forgotten, for the certificate, and its emptied entries in the audit trail.

// ErrForgotten means that data was to be written for a practice that is being forgotten.
var ErrForgotten = fmt.Errorf("%w: the practice is being forgotten; nothing of it can be read or changed anymore", ErrNotFound)

// ErrExportUnknown and ErrExportOld mean that a practice can't be forgotten. Either the given
// archive wasn't made by this installation, or the practice has changed since then.
var (
	ErrExportUnknown = errors.New("store: no archive of this practice with that checksum was made here")
	ErrExportOld     = errors.New("store: the practice has changed since that archive was made")
)

// Forgotten describes a practice that is being forgotten or is already gone.
type Forgotten struct {
	Practice PracticeID
	Name     string
	// Exported is the SHA-256 hash of the archive that was made at ExportedAt. It is nil if the
	// practice was forgotten without an archive.
	Exported   []byte
	ExportedAt time.Time
	// Deleted is the number of rows that were deleted so far, by table.
	Deleted map[string]int64
	BegunAt time.Time
	// DeletedAt is when the last of the practice's rows was deleted. EndedAt is when the WAL no
	// longer held any of these rows. Each is zero until then.
	DeletedAt, EndedAt time.Time
}

// Forget begins to forget a practice. From then on, nobody can see the practice, its API keys don't
// work, its sessions have ended, its submissions aren't processed, and statistics across practices
// don't include it. exported is the SHA-256 hash of an archive that must hold all of the practice's
// data, or nil. Forget returns ErrNotFound if there is no such practice, ErrExportUnknown if no
// such archive was made here, and ErrExportOld if the practice has changed since the archive was
// made.
func (tx *Tx) Forget(p PracticeID, exported []byte) error {
	practice, err := tx.Practice(p)
	if err != nil {
		return err
	}
	f := Forgotten{Practice: p, Name: practice.Name, Exported: exported}
	if exported != nil {
		if f.ExportedAt, err = tx.exportedAll(p, exported); err != nil {
			return err
		}
	}
	var message string
	err = tx.one(`delete from lanes where practice = ? returning message`, []any{p}, &message)
	if err == nil {
		err = tx.do(`delete from goqite where queue = ? and id = ?`, queueName, message)
	}
	if err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	tx.forget() // discards what callers of the same commit have cached about the practice's keys and queue
	keys := tx.do(`update api_keys set revoked_at = ? where practice = ? and revoked_at is null`, millis(tx.Now), p)
	ended, sessions := tx.exec(`delete from sessions where practice = ?`, p)
	forgotten := tx.do(`
		insert into forgotten (practice, name, exported, exported_at, begun_at, deleted)
		values (?, ?, ?, ?, ?, json_object('sessions', ?))`,
		p, f.Name, f.Exported, nullable(max(millis(f.ExportedAt), 0)), millis(tx.Now), ended)
	months := tx.do(`delete from month_counts where practice = ?`, p)
	providers := tx.do(`delete from provider_counts where practice = ?`, p)
	return errors.Join(keys, sessions, forgotten, months, providers, tx.dropTallies(p))
}

// dropTallies removes the practice's births from the statistics across practices.
func (tx *Tx) dropTallies(p PracticeID) error {
	all := monthly{}
	err := tx.eachTally(p, func(month stats.Month, counts stats.Counts) {
		gone := make(stats.Counts, len(counts))
		gone.Add(counts, -1)
		all[month] = gone
	})
	if err != nil {
		return err
	}
	return tx.writeTalliesOf(p, all)
}

// exportedAll returns when the archive with the given SHA-256 hash was made. It returns
// ErrExportUnknown if no such archive was made here, and ErrExportOld if the practice now has data
// that the archive lacks.
func (tx *Tx) exportedAll(p PracticeID, digest []byte) (at time.Time, err error) {
	var state []byte
	err = tx.one(`
		select e.at, coalesce(s.state, x'')
		from exports e
		left join export_states s on s.export = e.id
		where e.practice = ? and e.digest = ?
		order by e.id desc
		limit 1`, []any{p, digest}, asTime(&at), &state)
	if err != nil {
		return at, Translate(err, ErrNotFound, ErrExportUnknown)
	}
	busy, err := tx.Busy(p)
	if err != nil {
		return at, err
	}
	present, err := tx.ExportState(p)
	if err == nil && (busy > 0 || !unchangedSince(state, present)) {
		err = ErrExportOld
	}
	return at, err
}

// beingForgotten returns ErrForgotten if the practice is being forgotten, and nil otherwise.
func (v *View) beingForgotten(p PracticeID) error {
	yes, err := only[bool](v, `select exists (select 1 from forgotten where practice = ?)`, p)
	if err == nil && yes {
		err = ErrForgotten
	}
	return err
}

// foundOf returns an error if a statement for a practice has changed no row. The error is
// ErrForgotten if the practice is being forgotten, and ErrNotFound otherwise. If err isn't nil,
// foundOf returns err.
func (tx *Tx) foundOf(p PracticeID, changed int64, err error) error {
	if err = found(changed, err); errors.Is(err, ErrNotFound) {
		return cmp.Or(tx.beingForgotten(p), err)
	}
	return err
}

const forgottenColumns = `
	select
		practice,
		name,
		exported,
		exported_at,
		deleted,
		begun_at,
		deleted_at,
		ended_at
	from forgotten`

// Forgotten returns the state of a practice that is being forgotten or was forgotten, or
// ErrNotFound.
func (v *View) Forgotten(p PracticeID) (Forgotten, error) {
	f, err := first(all(v, forgottenColumns+` where practice = ?`, (*Forgotten).scan, p))
	if err == nil {
		err = v.intact("forgotten", p)
	}
	return f, err
}

// Forgetting returns the practices that are being forgotten, in the order of their IDs.
func (v *View) Forgetting() ([]Forgotten, error) {
	return all(v, forgottenColumns+` where ended_at is null order by practice`, (*Forgotten).scan)
}

func (f *Forgotten) scan(rows *sql.Rows) error {
	var deleted []byte
	err := rows.Scan(&f.Practice, &f.Name, &f.Exported, asTime(&f.ExportedAt), &deleted, asTime(&f.BegunAt), asTime(&f.DeletedAt), asTime(&f.EndedAt))
	if err == nil && json.Unmarshal(deleted, &f.Deleted) != nil {
		err = errors.New("store: the counts of a certificate are not readable")
	}
	return err
}

// EndForgetting records that the WAL no longer holds any rows of the practice, so that the practice
// is completely forgotten.
func (tx *Tx) EndForgetting(p PracticeID) error {
	return found(tx.exec(`update forgotten set ended_at = ? where practice = ? and deleted_at is not null and ended_at is null`, millis(tx.Now), p))
}

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

// A practice is forgotten (app/forget) in three steps. First, one transaction hides it from
// everybody (Forget). Then many transactions delete its rows (forget_rows.go). At the end, only two
// things are left: its row in the forgotten table, for the certificate, and its emptied entries in
// the audit trail.

// ErrForgotten means that a write was for a practice that is being forgotten.
var ErrForgotten = fmt.Errorf("%w: the practice is being forgotten; nothing of it can be read or changed anymore", ErrNotFound)

// ErrExportUnknown and ErrExportOld mean that a practice can't be forgotten: the given archive
// wasn't made by this installation, or it lacks later changes.
var (
	ErrExportUnknown = errors.New("store: no archive of this practice with that checksum was made here")
	ErrExportOld     = errors.New("store: the practice has changed since that archive was made")
)

// Forgotten describes a practice that is being forgotten or is already gone.
type Forgotten struct {
	Practice PracticeID
	Name     string
	// Exported is the SHA-256 of the archive that was made at ExportedAt; nil if the practice
	// was forgotten without one.
	Exported   []byte
	ExportedAt time.Time
	// Deleted is the number of rows deleted so far, by table.
	Deleted map[string]int64
	BegunAt time.Time
	// DeletedAt is when the last of its rows was deleted, and EndedAt is when the WAL no longer
	// held any of them. Each is zero until then.
	DeletedAt, EndedAt time.Time
}

// Forget begins to forget a practice. From then on nobody sees it, its API keys aren't in
// force, its sessions have ended, its submissions aren't processed, and no figure across
// practices includes it. exported is the SHA-256 of an archive that must hold all of its data,
// or nil. Forget returns ErrNotFound if there is no such practice, ErrExportUnknown if no such
// archive was made here, and ErrExportOld if the practice has changed since the archive was made.
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
	tx.forget() // discards what callers of the same commit know about its keys and its queue
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

// dropTallies removes the practice from the figures across practices.
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

// exportedAll returns when the archive with this SHA-256 was made. It returns ErrExportUnknown if
// no such archive was made here, and ErrExportOld if the archive lacks something that the practice
// has now.
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

// beingForgotten returns ErrForgotten for a practice that is being forgotten.
func (v *View) beingForgotten(p PracticeID) error {
	yes, err := only[bool](v, `select exists (select 1 from forgotten where practice = ?)`, p)
	if err == nil && yes {
		err = ErrForgotten
	}
	return err
}

// foundOf returns ErrNotFound if a statement for a practice changed no row or, if the practice is
// being forgotten, ErrForgotten. It returns err if that is set.
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

// Forgotten returns what is left of a practice that is being or was forgotten, or ErrNotFound.
func (v *View) Forgotten(p PracticeID) (Forgotten, error) {
	f, err := first(all(v, forgottenColumns+` where practice = ?`, (*Forgotten).scan, p))
	if err == nil {
		err = v.intact("forgotten", p)
	}
	return f, err
}

// Forgetting returns the practices that are being forgotten.
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

// EndForgetting records that nothing of the practice is left in the WAL either.
func (tx *Tx) EndForgetting(p PracticeID) error {
	return found(tx.exec(`update forgotten set ended_at = ? where practice = ? and deleted_at is not null and ended_at is null`, millis(tx.Now), p))
}

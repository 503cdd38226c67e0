package store

import (
	"database/sql"
	"time"
)

// These are the numbers that an admin sees before exporting a practice's data (app/archive).

// Holdings says how much data the registry holds for a practice.
type Holdings struct {
	// Active, Voided and Merged are the numbers of records in each state. Versions is the number of
	// versions of all of these records.
	Active, Voided, Merged, Versions int
	// Drafts is the number of unfinished forms, and Imports is the number of confirmed
	// spreadsheets.
	Drafts, Imports int
	// Users is the number of the practice's users, including invited and disabled ones.
	Users int
	Since time.Time
}

// Holdings returns how much data the registry holds for a practice. It returns ErrNotFound if there
// is no such practice.
func (v *View) Holdings(p PracticeID) (h Holdings, err error) {
	err = v.one(`
		select
			(select count(*) from records r where r.practice = p.id and r.state = 'voided'),
			(select count(*) from records r where r.practice = p.id and r.state = 'merged'),
			(select count(*) from drafts d where d.practice = p.id),
			(select count(*) from imports i where i.practice = p.id and i.ingestion is not null),
			(select count(*) from memberships m where m.practice = p.id),
			p.created_at
		from practices p
		where p.id = ?`, []any{p}, &h.Voided, &h.Merged, &h.Drafts, &h.Imports, &h.Users, asTime(&h.Since))
	if err != nil {
		return h, err
	}
	records, versions, err := v.CountVersions(p)
	h.Active, h.Versions = records-h.Voided-h.Merged, versions
	return h, err
}

// NotedExport is an archive, with the name of the user who made it.
type NotedExport struct {
	Export
	By string // the name of the user, as recorded in the audit trail
}

// NotedExports returns up to limit archives of a practice that were made by this installation,
// newest first.
func (v *View) NotedExports(p PracticeID, limit int) ([]NotedExport, error) {
	return all(v, `
		select
			e.digest,
			e.records,
			e.at,
			coalesce((
				select a.actor from audit a
				where
					a.practice = e.practice
					and a.object = e.records || ' births, SHA-256 ' || lower(hex(e.digest))
					and a.action = 'practice.export'
				order by a.id desc
				limit 1
			), '')
		from exports e
		where e.practice = ?
		order by e.id desc
		limit ?`, func(e *NotedExport, rows *sql.Rows) error {
		return rows.Scan(&e.Digest, &e.Records, asTime(&e.At), &e.By)
	}, p, limit)
}

// inFlight is a safety margin. An archive may lack a change whose time is up to this much earlier
// than the archive's time, because the archive's time is in whole seconds, and a change has the
// time at which its transaction began.
const inFlight = 2 * time.Second

// ChangedSince returns how many records were written since an archive was made. It misses none, but
// may also count records that were written up to inFlight before that time.
func (v *View) ChangedSince(p PracticeID, made time.Time) (int, error) {
	return only[int](v, `select count(*) from records where practice = ? and updated_at >= ?`, p, millis(made.Add(-inFlight)))
}

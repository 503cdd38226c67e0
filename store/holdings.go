package store

import (
	"database/sql"
	"time"
)

// These are the figures that an admin sees before exporting a practice's data (app/archive).

// Holdings counts what the registry holds for a practice.
type Holdings struct {
	// Active, Voided and Merged count the records by state, and Versions counts the versions of
	// all of them.
	Active, Voided, Merged, Versions int
	// Drafts counts the unfinished forms, and Imports the confirmed spreadsheets.
	Drafts, Imports int
	// Users counts the practice's users, including the invited and the disabled.
	Users int
	Since time.Time
}

// Holdings counts what the registry holds for a practice. It returns ErrNotFound if there is
// no such practice.
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

// NotedExport is an Export with the name of the user who made it.
type NotedExport struct {
	Export
	By string // the user who made it, as named in the audit trail
}

// NotedExports returns up to limit archives that this installation has made of a practice, newest
// first.
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

// inFlight is a safety margin: an archive may lack a change that is dated up to this much earlier
// than the archive. The archive's time is in whole seconds, and a change is dated when its
// transaction begins.
const inFlight = 2 * time.Second

// ChangedSince counts the records that were written since an archive was made. It misses none, but
// may also count records that were written up to inFlight before that time.
func (v *View) ChangedSince(p PracticeID, made time.Time) (int, error) {
	return only[int](v, `select count(*) from records where practice = ? and updated_at >= ?`, p, millis(made.Add(-inFlight)))
}

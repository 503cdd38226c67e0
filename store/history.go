package store

import (
	"database/sql"
	"time"

	"birthregistry/app/birth"
)

// Event is one version in the history of a record: what happened, and who or what caused it.
type Event struct {
	Version int
	Content int // the version that holds the content
	Change  string
	Source  birth.Source
	Stamp   time.Time
	At      time.Time
	Note    []byte // the sealed reason for voiding or restoring the record
	User    string // the name of the user who made the version with a form or a file, or ""
	Key     string // the label of the API key with which the version was pushed
	// Ingestion is the public ID of the submission that created the version, and Kind is "bundle"
	// or "csv". Both are "" if the version was entered in the form.
	Ingestion, Kind string
	// Decision is the decision of the duplicate review that created the version, or "". Undoes is
	// set if the version undoes that decision. Other and OtherChart identify the other record in
	// the review.
	Decision          string
	Undoes            bool
	Other, OtherChart string
}

// History returns up to limit versions of a record, newest first. If before isn't 0, it returns
// only versions with lower numbers.
func (v *View) History(p PracticeID, record int64, before, limit int) ([]Event, error) {
	return all(v, `
		select
			v.version,
			v.content,
			v.change,
			v.source,
			v.stamp,
			v.created_at,
			v.note,
			coalesce(u.name, ''),
			coalesce(k.label, ''),
			coalesce(i.public_id, ''),
			coalesce(i.kind, ''),
			coalesce(w.decision, ''),
			coalesce(v.version <> case when w.stays = r.id then w.stays_version else w.goes_version end, 0),
			coalesce(o.uuid, ''),
			coalesce(o.chart, '')
		from records r
		cross join versions v on v.record = r.id and v.version < ?
		left join users u on u.id = v.user
		left join ingestions i on i.id = v.ingestion
		left join api_keys k on k.id = i.api_key
		left join reviews w on w.id = v.review
		left join records o on o.id = case when w.stays = r.id then w.goes else w.stays end
		where r.id = ? and r.practice = ?
		order by v.version desc
		limit ?`, func(e *Event, rows *sql.Rows) error {
		return rows.Scan(&e.Version, &e.Content, &e.Change, &e.Source, asStamp(&e.Stamp), asTime(&e.At), &e.Note, &e.User, &e.Key,
			&e.Ingestion, &e.Kind, &e.Decision, &e.Undoes, &e.Other, &e.OtherChart)
	}, beforeID(int64(before)), record, p, limit)
}

// ContentsBefore returns up to limit contents that a record had before a version, newest first.
func (v *View) ContentsBefore(p PracticeID, record int64, before, limit int) ([]Content, error) {
	return all(v, `
		select
			c.version,
			c.clinical,
			c.patient
		from records r
		cross join versions c on c.record = r.id and c.version < ?
		where r.id = ? and r.practice = ? and c.clinical is not null
		order by c.version desc
		limit ?`, func(c *Content, rows *sql.Rows) error {
		return rows.Scan(&c.Version, &c.Clinical, &c.Patient)
	}, before, record, p, limit)
}

package store

import (
	"database/sql"
	"encoding/hex"
	"strings"
	"time"

	"birthregistry/app/birth"
)

// Version is one version of a record. It never changes.
type Version struct {
	Record  int64
	Version int
	// Content is the number of the version that holds the content as of this version: Version, or
	// an earlier one if this version has no content of its own.
	Content int
	Change  string // create, amend, revive, void
	Source  birth.Source
	// Ingestion and Item identify the ingestion, and the item in it, that made the version, or
	// are 0.
	Ingestion int64
	Item      int
	Stamp     time.Time
	IGVersion string
	// Reading is the reading with which the Bundle was interpreted, or "".
	Reading birth.Reading
	// Course is the content, or nil if the version has none of its own, such as a retraction.
	// Patient is the sealed part of the content.
	Course  *birth.Course
	Patient []byte
	// User is the user who made the version with a form or a file, or 0. Note is the sealed
	// reason for a void or a restore.
	User int64
	Note []byte
	// Review is the duplicate review that made the version, or 0.
	Review int64
}

// AddVersions stores versions. It returns ErrNotFound if one of them doesn't belong to a
// record of the practice.
func (tx *Tx) AddVersions(p PracticeID, all []Version) error {
	values := make([]any, 0, 16*len(all))
	for _, v := range all {
		if err := tx.owns(recordRow, p, v.Record); err != nil {
			return err
		}
		var item, clinical, patient any
		if v.Ingestion != 0 {
			item = v.Item
		}
		if v.Course != nil {
			clinical, patient = string(v.Course.Clinical()), v.Patient
		}
		values = append(values,
			v.Record, v.Version, v.Content, v.Change, v.Source, nullable(v.Ingestion), item, stampNanos(v.Stamp),
			nullable(v.IGVersion), nullable(v.Reading), clinical, patient, nullable(v.User), v.Note, nullable(v.Review), millis(tx.Now))
	}
	return tx.bulk(`versions (record, version, content, change, source, ingestion, item, stamp,
		ig_version, reading, clinical, patient, user, note, review, created_at)`, values)
}

// StoredVersion is a version as read from the database.
type StoredVersion struct {
	Version   int
	Content   int
	Change    string
	State     birth.State // as of this version
	Source    birth.Source
	Stamp     time.Time
	IGVersion string
	// Reading says which resources of the Bundle were read, or is "" without a Bundle. A version
	// from before readings were stored has birth.SpecReading.
	Reading  birth.Reading
	Clinical []byte
	Patient  []byte // sealed
	At       time.Time
}

// Held returns the content as of the version.
func (s StoredVersion) Held() Content { return Content{s.Content, s.Clinical, s.Patient} }

// VersionOf returns one version of a record with its content. It returns ErrNotFound
// if the practice has no such record or version.
func (v *View) VersionOf(p PracticeID, record int64, version int) (s StoredVersion, err error) {
	err = v.one(`
		select
			v.version,
			v.content,
			v.change,
			(
				select case
					when l.change <> 'void' then 'active'
					when w.decision = 'merge' then 'merged'
					else 'voided'
				end
				from versions l
				left join reviews w on w.id = l.review
				where l.record = v.record and l.version <= v.version and l.change <> 'amend'
				order by l.version desc
				limit 1
			),
			v.source,
			c.stamp,
			coalesce(c.ig_version, ''),
			coalesce(c.reading, iif(c.source = 'fhir_push', 'spec', '')),
			c.clinical,
			c.patient,
			v.created_at
		from versions v
		join versions c on c.record = v.record and c.version = v.content
		join records r on r.id = v.record
		where v.record = ? and v.version = ? and r.practice = ?`, []any{record, version, p},
		&s.Version, &s.Content, &s.Change, &s.State, &s.Source, asStamp(&s.Stamp), &s.IGVersion, &s.Reading, &s.Clinical, &s.Patient, asTime(&s.At))
	return s, err
}

// PushedBefore returns the number of the last version before the given one in which another system
// sent content for the record, or ErrNotFound.
func (v *View) PushedBefore(p PracticeID, record int64, before int) (int, error) {
	return only[int](v, `
		select c.version
		from records r
		cross join versions c on c.record = r.id and c.version < ?
		where r.id = ? and r.practice = ? and c.clinical is not null and c.source = 'fhir_push'
		order by c.version desc
		limit 1`, before, record, p)
}

// SealedVersion is a version of a record with the sealed part of its content. It is for checking
// that the key opens every version.
type SealedVersion struct {
	Practice PracticeID
	UUID     string
	Content
	// Present is set if the version holds the record's present content. Only then are Clinical
	// and Names (the words by which the record is found) set.
	Present bool
	Names   []birth.NameWord
}

// SealedVersions visits the versions that have content of their own, in all practices. The caller
// checks that the key opens them and that the index of names agrees with them.
func (v *View) SealedVersions(visit func(SealedVersion) error) error {
	return v.each(`
		select
			r.practice,
			r.uuid,
			v.version,
			v.version = r.content,
			iif(v.version = r.content, v.clinical, ''),
			v.patient,
			iif(v.version = r.content, (
				select coalesce(group_concat(hex(n.word), ' ' order by n.word), '')
				from names n
				where n.record = r.id and n.practice = r.practice
			), '')
		from versions v
		join records r on r.id = v.record
		where v.patient is not null`, func(rows *sql.Rows) error {
		var s SealedVersion
		var names string
		if err := rows.Scan(&s.Practice, &s.UUID, &s.Version, &s.Present, &s.Clinical, &s.Patient, &names); err != nil {
			return err
		}
		for coded := range strings.FieldsSeq(names) {
			var word birth.NameWord
			if _, err := hex.Decode(word[:], []byte(coded)); err != nil { // the program never writes such a code
				word = birth.NameWord{}
			}
			s.Names = append(s.Names, word)
		}
		return visit(s)
	})
}

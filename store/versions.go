package store

import (
	"database/sql"
	"encoding/hex"
	"strings"
	"time"

	"birthregistry/app/birth"
)

// Version is one version of a record. A version never changes once it is stored.
type Version struct {
	Record  int64
	Version int
	// Content is the number of the version that holds the content. It is Version, or an earlier one
	// if this version has no content of its own.
	Content int
	Change  string // create, amend, revive or void
	Source  birth.Source
	// Ingestion is the ID of the submission that created the version, and Item is the item's
	// position in it. Both are 0 if the version was entered in the form.
	Ingestion int64
	Item      int
	Stamp     time.Time
	IGVersion string
	// Reading says how the Bundle was interpreted, or is "" if there is no Bundle.
	Reading birth.Reading
	// Course is the content, or nil if the version has no content of its own, such as a retraction.
	// Patient is the sealed patient data of the content.
	Course  *birth.Course
	Patient []byte
	// User is the user who created the version with a form or a file, or 0. Note is the sealed
	// reason for voiding or restoring the record.
	User int64
	Note []byte
	// Review is the ID of the duplicate review that created the version, or 0.
	Review int64
}

// AddVersions stores versions of records. It returns ErrNotFound if a record doesn't belong to the
// practice.
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
	State     birth.State // the record's state after this version
	Source    birth.Source
	Stamp     time.Time
	IGVersion string
	// Reading says which resources of the Bundle were read, or is "" if there is no Bundle. For
	// versions that were stored before the program recorded readings, it is birth.SpecReading.
	Reading  birth.Reading
	Clinical []byte
	Patient  []byte // sealed
	At       time.Time
}

// Held returns the content that the record had after this version.
func (s StoredVersion) Held() Content { return Content{s.Content, s.Clinical, s.Patient} }

// VersionOf returns one version of a record, with its content. It returns ErrNotFound if the
// practice has no such record or version.
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

// PushedBefore returns the number of the last version, before a given one, whose content another
// system sent. It returns ErrNotFound if there is none.
func (v *View) PushedBefore(p PracticeID, record int64, before int) (int, error) {
	return only[int](v, `
		select c.version
		from records r
		cross join versions c on c.record = r.id and c.version < ?
		where r.id = ? and r.practice = ? and c.clinical is not null and c.source = 'fhir_push'
		order by c.version desc
		limit 1`, before, record, p)
}

// SealedVersion is a version of a record with its sealed patient data. It is used to check that the
// installation's keys can decrypt every version.
type SealedVersion struct {
	Practice PracticeID
	UUID     string
	Content
	// Present is set if the version holds the record's present content. Only then are Clinical and
	// Names set. Names holds the words of the mother's name by which the record is found.
	Present bool
	Names   []birth.NameWord
}

// SealedVersions calls visit for every version, of all practices, that has content of its own. The
// caller checks that the content can be decrypted, and that the index of names agrees with it.
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
			if _, err := hex.Decode(word[:], []byte(coded)); err != nil { // the program never writes an invalid code
				word = birth.NameWord{}
			}
			s.Names = append(s.Names, word)
		}
		return visit(s)
	})
}

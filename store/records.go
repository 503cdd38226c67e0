package store

import (
	"database/sql"
	"encoding/hex"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"birthregistry/app/birth"
)

// Record is a record in its present state, without its content, which is stored in the record's
// versions.
type Record struct {
	ID    int64
	UUID  string
	Chart string // "" if the record has no chart number
	// Given is set if the registry assigned the chart number. Two records may have the same chart
	// number: one that was assigned, and one that was sent or typed.
	Given   bool
	State   birth.State
	Version int
	// Content is the number of the version that holds the present content. It may be lower than
	// Version, because some versions, such as retractions, have no content.
	Content int
	// Stamp is when the source system last changed the present content, or zero.
	Stamp time.Time
	// Saved is when a person last changed the record (birth.Saving), or zero.
	Saved     time.Time
	IGVersion string
	// Suspected is set if the record is a suspected duplicate.
	Suspected bool
	// MergedInto is the ID of the record into which this one was merged, or 0. It stays set if a
	// merged record is retracted, and such a record is never restored automatically.
	MergedInto int64
	// Replaced is 0 unless a push has replaced what a person had entered, and nobody has reviewed
	// that yet. It is then the version with the person's entries.
	Replaced int
	// Source and Facts describe the present content, for lists.
	Source    birth.Source
	Facts     birth.Facts
	CreatedAt time.Time
	UpdatedAt time.Time
}

const recordColumns = `
		r.id,
		r.uuid,
		coalesce(r.chart, ''),
		r.given,
		r.state,
		r.version,
		r.content,
		r.stamp,
		r.saved,
		coalesce(r.ig_version, ''),
		r.suspected_duplicate,
		coalesce(r.merged_into, 0),
		coalesce(r.replaced, 0),
		r.source,
		coalesce(r.birth_month, ''),
		coalesce(r.attendant, ''),
		coalesce(r.method, ''),
		r.missing,
		coalesce(r.outcome, ''),
		r.created_at,
		r.updated_at`

func (r *Record) scan(rows *sql.Rows) error {
	return rows.Scan(&r.ID, &r.UUID, &r.Chart, &r.Given, &r.State, &r.Version, &r.Content, asStamp(&r.Stamp), asStamp(&r.Saved), &r.IGVersion, &r.Suspected,
		&r.MergedInto, &r.Replaced, &r.Source, &r.Facts.BirthMonth, &r.Facts.Attendant, &r.Facts.Method, &r.Facts.Missing, &r.Facts.Outcome,
		asTime(&r.CreatedAt), asTime(&r.UpdatedAt))
}

// stampNanos returns a source stamp in the form in which it is stored: in nanoseconds, because two
// stamps may differ only by a fraction of a second. It returns nil for a stamp before 1678 or after
// 2261, because its nanoseconds may not fit into 64 bits.
func stampNanos(t time.Time) any {
	if t.IsZero() || t.Year() < 1678 || t.Year() > 2261 {
		return nil
	}
	return t.UnixNano()
}

// RecordsByChart returns the records with the given chart numbers, regardless of whether a number
// was sent, typed or assigned by the registry.
func (v *View) RecordsByChart(p PracticeID, charts []string) ([]Record, error) {
	return v.records(`
		select`+recordColumns+`
		from json_each(?) wanted
		cross join records r on r.practice = ? and r.chart = wanted.value`, list(charts), p)
}

// RecordByUUID returns the record with the given UUID (submission_uuid in receipts), or
// ErrNotFound.
func (v *View) RecordByUUID(p PracticeID, uuid string) (Record, error) {
	return first(v.records(`select`+recordColumns+` from records r where r.uuid = ? and r.practice = ?`, uuid, p))
}

// Records returns up to limit records of a practice, newest first. If after isn't 0, it returns
// only records with a lower ID.
func (v *View) Records(p PracticeID, after int64, limit int) ([]Record, error) {
	return v.records(`
		select`+recordColumns+`
		from records r
		where r.practice = ? and r.id < ?
		order by r.id desc
		limit ?`, p, beforeID(after), limit)
}

func (v *View) records(query string, args ...any) ([]Record, error) {
	return all(v, query, (*Record).scan, args...)
}

// NextRecordID returns the ID for the next new record. The ID is valid only within this write
// transaction, because only one write transaction runs at a time. NextRecordID never returns the ID
// of an erased record, because the chart number that the registry assigned to that record must stay
// unique. It also skips IDs that are reserved for an incoming practice.
func (tx *Tx) NextRecordID() (int64, error) {
	return only[int64](&tx.View, `
		select max(
			coalesce((select max(id) from records), 0),
			coalesce((select seq from sqlite_sequence where name = 'records'), 0)
		) + 1`)
}

// AddRecords stores new records. Their IDs must come from NextRecordID.
func (tx *Tx) AddRecords(p PracticeID, all []Record) error {
	values := make([]any, 0, 21*len(all))
	for _, r := range all {
		tx.own(recordRow, p, r.ID)
		tx.tally(p, counted{}, r.counted())
		values = append(values,
			r.ID, r.UUID, p, nullable(r.Chart), r.Given, r.State, r.Version, r.Content, stampNanos(r.Stamp), stampNanos(r.Saved), nullable(r.IGVersion),
			r.Suspected, r.Source, nullable(r.Facts.BirthMonth), nullable(r.Facts.Attendant), nullable(r.Facts.Method),
			r.Facts.Missing, r.Facts.Outcome, true, millis(tx.Now), millis(tx.Now))
	}
	return tx.bulk(`records (id, uuid, practice, chart, given, state, version, content, stamp, saved, ig_version,
		suspected_duplicate, source, birth_month, attendant, method, missing, outcome, fingerprinted, created_at, updated_at)`, values)
}

// UpdateRecord stores a record's new state. It returns ErrNotFound if the practice has no
// such record.
func (tx *Tx) UpdateRecord(p PracticeID, r Record) error {
	before, err := tx.countedNow(p, r.ID)
	if err != nil {
		return err
	}
	err = found(tx.exec(`
		update records
		set
			state = ?,
			version = ?,
			content = ?,
			stamp = ?,
			saved = ?,
			ig_version = ?,
			suspected_duplicate = ?,
			merged_into = ?,
			replaced = ?,
			source = ?,
			birth_month = ?,
			attendant = ?,
			method = ?,
			missing = ?,
			outcome = ?,
			updated_at = ?
		where id = ? and practice = ?`,
		r.State, r.Version, r.Content, stampNanos(r.Stamp), stampNanos(r.Saved), nullable(r.IGVersion), r.Suspected,
		nullable(r.MergedInto), nullable(r.Replaced), r.Source, nullable(r.Facts.BirthMonth), nullable(r.Facts.Attendant), nullable(r.Facts.Method),
		r.Facts.Missing, r.Facts.Outcome,
		millis(tx.Now), r.ID, p))
	if err == nil {
		tx.own(recordRow, p, r.ID)
		tx.tally(p, before, r.counted())
	}
	return err
}

// ActiveByFingerprint returns the IDs of the active records that have one of the fingerprints,
// keyed by fingerprint. most is the maximum number of records for each fingerprint, or 0 for no
// limit. If there are more, ActiveByFingerprint returns those with the lowest IDs.
func (v *View) ActiveByFingerprint(p PracticeID, fingerprints []birth.Fingerprint, most int) (map[birth.Fingerprint][]int64, error) {
	if most == 0 {
		most = -1
	}
	live := map[birth.Fingerprint][]int64{}
	err := pairs(v, `
		select f.print, f.record
		from json_each(?1) wanted
		cross join fingerprints f on f.practice = ?2 and f.live = 1 and f.print = unhex(wanted.value)
			and f.record in (
				select s.record
				from fingerprints s
				where s.practice = ?2 and s.live = 1 and s.print = unhex(wanted.value)
				order by s.record
				limit ?3
			)`, func(raw []byte, record int64) {
		print := fingerprintOf(raw)
		live[print] = append(live[print], record)
	}, hexes(fingerprints), p, most)
	return live, err
}

// hexes returns fingerprints as a JSON list of hexadecimal texts, which SQLite's json_each can
// read.
func hexes(fingerprints []birth.Fingerprint) string {
	all := make([][]byte, len(fingerprints))
	for i := range fingerprints {
		all[i] = fingerprints[i][:]
	}
	return inHex(all)
}

// inHex returns hashes as a JSON list of hexadecimal texts, which SQLite's json_each and unhex can
// read.
func inHex(hashes [][]byte) string {
	coded := make([]string, len(hashes))
	for i, hash := range hashes {
		coded[i] = hex.EncodeToString(hash)
	}
	return list(coded)
}

// FingerprintsOf returns the fingerprints of records, by record ID.
func (v *View) FingerprintsOf(p PracticeID, records []int64) (map[int64][]birth.Fingerprint, error) {
	fingerprints := map[int64][]birth.Fingerprint{}
	err := pairs(v, `
		select f.print, f.record
		from json_each(?) wanted
		cross join fingerprints f on f.record = wanted.value and f.practice = ?`, func(raw []byte, record int64) {
		fingerprints[record] = append(fingerprints[record], fingerprintOf(raw))
	}, list(records), p)
	return fingerprints, err
}

func fingerprintOf(raw []byte) (print birth.Fingerprint) {
	copy(print[:], raw)
	return print
}

// RecordFingerprints holds the fingerprints of a record. The fingerprints of inactive records are
// stored separately, so that a search for active records doesn't read them.
type RecordFingerprints struct {
	Record int64
	All    []birth.Fingerprint
	Live   bool // whether the record is active
	Fresh  bool // set if no fingerprints are stored for the record yet
}

// SetFingerprints replaces the fingerprints of records. It returns ErrNotFound if a record doesn't
// belong to the practice.
func (tx *Tx) SetFingerprints(p PracticeID, of ...RecordFingerprints) error {
	var values []any
	for _, r := range of {
		if err := tx.owns(recordRow, p, r.Record); err != nil {
			return err
		}
		if !r.Fresh {
			if err := tx.do(`delete from fingerprints where record = ? and practice = ?`, r.Record, p); err != nil {
				return err
			}
		}
		for i := range r.All {
			values = append(values, p, r.Live, r.All[i][:], r.Record)
		}
	}
	return tx.bulk(`fingerprints (practice, live, print, record)`, values)
}

// list returns numbers or texts as a JSON list, which SQLite's json_each can read. A text that
// isn't valid UTF-8 matches nothing in the database.
func list[T int64 | string](items []T) string {
	b, _ := json.Marshal(items, jsontext.AllowInvalidUTF8(true)) // fails only for other types
	return string(b)
}

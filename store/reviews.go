package store

import (
	"database/sql"
	"fmt"
	"time"
)

// The decisions of a review.
const (
	KeepBoth = "keep"
	VoidOne  = "void"
	MergeOne = "merge"
)

// Review is a person's decision about two records that look like one birth.
type Review struct {
	ID       int64
	Decision string // KeepBoth, VoidOne or MergeOne
	// Stays and Goes are the IDs of the two records. If both records are kept, Goes is the newer
	// one.
	Stays, Goes int64
	// StaysVersion and GoesVersion are the versions that the decision created. If both records are
	// kept, they are the versions that the user saw.
	StaysVersion, GoesVersion int
	User                      int64
	By                        string // the name of User
	At                        time.Time
	// ReopenedAt is set for a merge if the record that stays is no longer active. It stays set
	// until that record is active again, or until a user confirms the merge.
	ReopenedAt *time.Time
	UndoneAt   *time.Time
	UndoneBy   string
}

const reviewColumns = `
		w.id,
		w.decision,
		w.stays,
		w.goes,
		w.stays_version,
		w.goes_version,
		coalesce(w.user, 0),
		coalesce(u.name, ''),
		w.created_at,
		w.reopened_at,
		w.undone_at,
		coalesce(b.name, '')`

// reviewUsers is the SQL that joins the user who made a decision (u) and the user who undid it (b).
const reviewUsers = `
		left join users u on u.id = w.user
		left join users b on b.id = w.undone_by`

func (v *View) reviews(query string, args ...any) ([]Review, error) {
	return all(v, query, func(w *Review, rows *sql.Rows) error {
		return rows.Scan(&w.ID, &w.Decision, &w.Stays, &w.Goes, &w.StaysVersion, &w.GoesVersion, &w.User, &w.By,
			asTime(&w.At), asMaybeTime(&w.ReopenedAt), asMaybeTime(&w.UndoneAt), &w.UndoneBy)
	}, args...)
}

// AddReview stores a decision and returns its ID. It returns ErrNotFound if one of the two records
// doesn't belong to the practice.
func (tx *Tx) AddReview(p PracticeID, w Review) (int64, error) {
	if err := tx.owns(recordRow, p, w.Stays, w.Goes); err != nil {
		return 0, err
	}
	return tx.insert(`
		insert into reviews (practice, decision, stays, goes, stays_version, goes_version, user, created_at)
		values (?, ?, ?, ?, ?, ?, ?, ?)`,
		p, w.Decision, w.Stays, w.Goes, w.StaysVersion, w.GoesVersion, nullable(w.User), millis(tx.Now))
}

// UndoReview records that a decision was undone. It returns ErrNotFound if the practice has no such
// decision, or if it was already undone.
func (tx *Tx) UndoReview(p PracticeID, id, user int64) error {
	return found(tx.exec(`
		update reviews set undone_at = ?, undone_by = ?, reopened_at = null
		where id = ? and practice = ? and undone_at is null`, millis(tx.Now), nullable(user), id, p))
}

// ReopenMerges records that merges wait for a review again, because the records into which others
// were merged are no longer active. left holds the IDs of these records. back holds the IDs of
// records that are active again; merges into them stop waiting.
func (tx *Tx) ReopenMerges(p PracticeID, left, back []int64) error {
	err := tx.do(`
		update reviews indexed by reviews_stays set reopened_at = ?
		where stays in (select value from json_each(?)) and practice = ? and decision = 'merge' and undone_at is null`,
		millis(tx.Now), list(left), p)
	if err != nil {
		return err
	}
	return tx.do(`
		update reviews indexed by reviews_stays set reopened_at = null
		where stays in (select value from json_each(?)) and practice = ? and reopened_at is not null`, list(back), p)
}

// CloseMerge confirms a merge, although the record that stays is no longer active. It returns
// ErrNotFound if the practice has no such merge, or if the merge doesn't wait for a review.
func (tx *Tx) CloseMerge(p PracticeID, id int64) error {
	return found(tx.exec(`
		update reviews set reopened_at = null
		where id = ? and practice = ? and reopened_at is not null`, id, p))
}

// waitsAgain selects the merges that wait for a review again. The record that goes must still be
// merged into the record that stays. It must not have been retracted meanwhile, because it couldn't
// be restored then.
const waitsAgain = `
		from reviews w indexed by reviews_reopened
		join records r on r.id = w.goes and r.state = 'merged' and r.merged_into = w.stays
		%s
		where w.practice = ? and w.reopened_at is not null`

// Reopened returns up to limit merges that wait for a review again, oldest first.
func (v *View) Reopened(p PracticeID, limit int) ([]Review, error) {
	return v.reviews(`
		select`+reviewColumns+fmt.Sprintf(waitsAgain, reviewUsers)+`
		order by w.id
		limit ?`, p, limit)
}

// CountReopened returns the number of merges that wait for a review again.
func (v *View) CountReopened(p PracticeID) (int, error) {
	return only[int](v, `select count(*)`+fmt.Sprintf(waitsAgain, ""), p)
}

// Review returns the decision with the given ID, or ErrNotFound.
func (v *View) Review(p PracticeID, id int64) (Review, error) {
	return first(v.reviews(`
		select`+reviewColumns+`
		from reviews w`+reviewUsers+`
		where w.id = ? and w.practice = ?`, id, p))
}

// Reviews returns up to limit decisions of a practice, newest first. If before isn't 0, it returns
// only decisions with a lower ID.
func (v *View) Reviews(p PracticeID, before int64, limit int) ([]Review, error) {
	return v.reviews(`
		select`+reviewColumns+`
		from reviews w`+reviewUsers+`
		where w.practice = ? and w.id < ?
		order by w.id desc
		limit ?`, p, beforeID(before), limit)
}

// SentAgain returns up to limit merges, newest first, in which the record that goes has changed
// since the merge. If before isn't 0, it returns only merges with a lower ID.
func (v *View) SentAgain(p PracticeID, before int64, limit int) ([]Review, error) {
	return v.reviews(`
		select`+reviewColumns+`
		from reviews w indexed by reviews_merged
		join records r on r.id = w.goes and r.version > w.goes_version`+reviewUsers+`
		where w.practice = ? and w.decision = 'merge' and w.undone_at is null and w.id < ?
		order by w.id desc
		limit ?`, p, beforeID(before), limit)
}

// ReviewsOf returns up to limit decisions of one kind (KeepBoth, VoidOne or MergeOne) about a
// record, newest first. It leaves out undone decisions.
func (v *View) ReviewsOf(p PracticeID, record int64, decision string, limit int) ([]Review, error) {
	return v.reviews(`
		select`+reviewColumns+`
		from reviews w`+reviewUsers+`
		where w.practice = ?1 and (w.stays = ?2 or w.goes = ?2) and w.decision = ?3 and w.undone_at is null
		order by w.id desc
		limit ?4`, p, record, decision, limit)
}

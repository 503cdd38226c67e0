package store

import "time"

// Matches holds a practice's answers to the question what each column of its spreadsheets contains.
type Matches struct {
	Sealed   []byte
	Revision int // counts the changes, from 1; 0 if there are no answers
}

// Matches returns a practice's answers about its spreadsheets; they are empty at first.
func (v *View) Matches(p PracticeID) (m Matches, err error) {
	err = v.one(`select sealed, revision from matches where practice = ?`, []any{p}, &m.Sealed, &m.Revision)
	return m, ignore(err, ErrNotFound)
}

// SetMatches replaces a practice's answers if they still have the revision that the caller has
// seen; otherwise it returns ErrNotFound.
func (tx *Tx) SetMatches(p PracticeID, seen int, sealed []byte) error {
	if seen == 0 {
		return found(tx.exec(`
			insert into matches (practice, sealed, revision, used_at) values (?, ?, 1, ?)
			on conflict do nothing`, p, sealed, millis(tx.Now)))
	}
	return found(tx.exec(`
		update matches set sealed = ?, revision = revision + 1, used_at = ?
		where practice = ? and revision = ?`, sealed, millis(tx.Now), p, seen))
}

// ForgetMatches replaces a practice's answers by the ones in left, or deletes them if left is nil.
// It returns ErrNotFound if the answers no longer have the revision that the caller has seen. It
// doesn't change when the answers were last used.
func (tx *Tx) ForgetMatches(p PracticeID, seen int, left []byte) error {
	if left == nil {
		return found(tx.exec(`delete from matches where practice = ? and revision = ?`, p, seen))
	}
	return found(tx.exec(`
		update matches set sealed = ?, revision = revision + 1
		where practice = ? and revision = ?`, left, p, seen))
}

// SweepMatches deletes the answers of practices that have not used them since a time. It
// returns the number of those practices.
func (tx *Tx) SweepMatches(before time.Time) (int64, error) {
	return tx.exec(`
		delete from matches where practice in (select practice from matches where used_at < ? limit ?)`, millis(before), sweptAtOnce)
}

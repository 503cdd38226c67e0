package store

import "time"

// Matches holds what a practice's users have said each column of their spreadsheets contains.
type Matches struct {
	Sealed   []byte
	Revision int // counts the changes, from 1; 0 if nothing is stored
}

// Matches returns what a practice's users have said about the columns of their spreadsheets. It
// returns the zero value if nothing is stored.
func (v *View) Matches(p PracticeID) (m Matches, err error) {
	err = v.one(`select sealed, revision from matches where practice = ?`, []any{p}, &m.Sealed, &m.Revision)
	return m, ignore(err, ErrNotFound)
}

// SetMatches replaces a practice's Matches. seen is the revision that the caller has read. If the
// Matches have changed since then, SetMatches returns ErrNotFound.
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

// ForgetMatches replaces a practice's Matches with those in the argument left, or deletes them if
// left is nil. Unlike SetMatches, it doesn't count as a use. seen is the revision that the caller
// has read. If the Matches have changed since then, ForgetMatches returns ErrNotFound.
func (tx *Tx) ForgetMatches(p PracticeID, seen int, left []byte) error {
	if left == nil {
		return found(tx.exec(`delete from matches where practice = ? and revision = ?`, p, seen))
	}
	return found(tx.exec(`
		update matches set sealed = ?, revision = revision + 1
		where practice = ? and revision = ?`, left, p, seen))
}

// SweepMatches deletes Matches that were last used before a time. One call deletes those of a
// limited number of practices, and returns how many practices.
func (tx *Tx) SweepMatches(before time.Time) (int64, error) {
	return tx.exec(`
		delete from matches where practice in (select practice from matches where used_at < ? limit ?)`, millis(before), sweptAtOnce)
}

package store

import "time"

// Matches is what a practice has said about the columns of its spreadsheets.
type Matches struct {
	Sealed   []byte
	Revision int // counts the changes, from 1; 0 without any
}

// Matches returns what a practice has said about its spreadsheets, nothing at first.
func (v *View) Matches(p PracticeID) (m Matches, err error) {
	err = v.one(`select sealed, revision from matches where practice = ?`, []any{p}, &m.Sealed, &m.Revision)
	if err == ErrNotFound { //nolint:errorlint // one returns it as it is
		return Matches{}, nil
	}
	return m, err
}

// SetMatches replaces what a practice has said, if it still has the revision that the
// caller has seen; ErrNotFound otherwise.
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

// SweepMatches deletes what practices have said and nobody has used since a time, and
// returns of how many.
func (tx *Tx) SweepMatches(before time.Time) (int64, error) {
	return tx.exec(`
		delete from matches where practice in (select practice from matches where used_at < ? limit ?)`, millis(before), sweptAtOnce)
}

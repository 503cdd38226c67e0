package store

import (
	"database/sql"
	"time"
)

// Draft is a form that somebody has begun to fill in and hasn't saved yet: a new birth, or changes
// to a record. Statistics don't count drafts.
type Draft struct {
	Token     string
	Author    int64
	By        string // the author's name
	Sealed    []byte
	Revision  int // counts the changes, from 1
	CreatedAt time.Time
	SavedAt   time.Time
}

// AddDraft stores a new draft.
func (tx *Tx) AddDraft(p PracticeID, d Draft) error {
	return tx.do(`
		insert into drafts (token, practice, author, sealed, revision, created_at, saved_at)
		values (?, ?, ?, ?, 1, ?, ?)`, d.Token, p, d.Author, d.Sealed, millis(tx.Now), millis(tx.Now))
}

// SetDraft replaces the content of a draft. seen is the revision that the caller has read. If the
// draft has changed since then, or doesn't exist, SetDraft returns ErrNotFound.
func (tx *Tx) SetDraft(p PracticeID, token string, seen int, sealed []byte) error {
	return found(tx.exec(`
		update drafts set sealed = ?, revision = revision + 1, saved_at = ?
		where token = ? and practice = ? and revision = ?`, sealed, millis(tx.Now), token, p, seen))
}

// DropDraft deletes a draft. It returns ErrNotFound if the practice has no draft with this token.
func (tx *Tx) DropDraft(p PracticeID, token string) error {
	return found(tx.exec(`delete from drafts where token = ? and practice = ?`, token, p))
}

// SweepDrafts deletes the drafts of all practices that nobody has changed since a time. One call
// deletes a limited number, and returns how many it deleted.
func (tx *Tx) SweepDrafts(before time.Time) (int64, error) {
	return tx.exec(`
		delete from drafts where id in (select id from drafts where saved_at < ? limit ?)`, millis(before), sweptAtOnce)
}

const draftColumns = `
	select d.token, d.author, u.name, d.sealed, d.revision, d.created_at, d.saved_at
	from drafts d
	join users u on u.id = d.author`

// Draft returns the draft with the given token, or ErrNotFound if the practice has no such draft.
func (v *View) Draft(p PracticeID, token string) (Draft, error) {
	return first(all(v, draftColumns+` where d.token = ? and d.practice = ?`, (*Draft).scan, token, p))
}

// Drafts returns up to limit drafts of a practice, the most recently saved first. If author isn't
// 0, it returns only the drafts of that author.
func (v *View) Drafts(p PracticeID, author int64, limit int) ([]Draft, error) {
	if author != 0 {
		return all(v, draftColumns+` where d.practice = ? and d.author = ? order by d.saved_at desc, d.id desc limit ?`, (*Draft).scan, p, author, limit)
	}
	return all(v, draftColumns+` where d.practice = ? order by d.saved_at desc, d.id desc limit ?`, (*Draft).scan, p, limit)
}

// DraftTokens returns a map from the tokens of a practice's drafts to the IDs of their authors.
func (v *View) DraftTokens(p PracticeID) (map[string]int64, error) {
	authors := map[string]int64{}
	err := pairs(v, `select token, author from drafts where practice = ?`, func(token string, author int64) { authors[token] = author }, p)
	return authors, err
}

// CountDrafts returns the number of a practice's drafts, and how many of them one author has.
func (v *View) CountDrafts(p PracticeID, author int64) (all, own int, err error) {
	err = v.one(`select count(*), count(*) filter (where author = ?) from drafts where practice = ?`, []any{author, p}, &all, &own)
	return all, own, err
}

func (d *Draft) scan(rows *sql.Rows) error {
	return rows.Scan(&d.Token, &d.Author, &d.By, &d.Sealed, &d.Revision, asTime(&d.CreatedAt), asTime(&d.SavedAt))
}

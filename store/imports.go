package store

import (
	"database/sql"
	"time"
)

// Import is a CSV file that was uploaded. It is first previewed, and then confirmed or dropped.
type Import struct {
	ID       int64
	PublicID string // also the public ID of its ingestion (the submission)
	User     int64  // the user who uploaded the file, or 0 for the operator
	By       string // the name of this user
	Rows     int    // the number of rows, without the header
	Size     int64  // the size of the file in bytes
	About    []byte // the file's name and the preview, sealed
	// Kept is set as long as the file itself is stored.
	Kept      bool
	CreatedAt time.Time

	// These fields describe the processing of a confirmed import. Before the import is confirmed,
	// Status is "".
	Status             Status
	Items, Total       int
	Accepted, Rejected int
	CompletedAt        time.Time

	// Undo is set once a user has asked to undo the import.
	Undo Undo
}

// AddImport stores a new import, still without its file, and returns its ID.
func (tx *Tx) AddImport(p PracticeID, i Import) (int64, error) {
	return tx.insert(`
		insert into imports (public_id, practice, user, rows, size, about, created_at)
		values (?, ?, ?, 0, 0, ?, ?)`, i.PublicID, p, nullable(i.User), i.About, millis(tx.Now))
}

// AddImportPart stores one sealed part of the uploaded file. It returns ErrNotFound if the practice
// has no such import, or if the import is already confirmed.
func (tx *Tx) AddImportPart(p PracticeID, id int64, part int, sealed []byte) error {
	if part >= partsMax {
		return errParts
	}
	tx.taken += int64(len(sealed))
	return found(tx.exec(`
		insert into import_parts (id, sealed)
		select ?, ?
		where exists (select 1 from imports where id = ? and practice = ? and ingestion is null)`,
		id*partsMax+int64(part), sealed, id, p))
}

// SetImport stores the preview, the number of rows and the size of the file. It returns ErrNotFound
// if the practice has no such import, or if the import is already confirmed.
func (tx *Tx) SetImport(p PracticeID, i Import) error {
	return found(tx.exec(`
		update imports set rows = ?, size = ?, about = ?
		where id = ? and practice = ? and ingestion is null`, i.Rows, i.Size, i.About, i.ID, p))
}

// ConfirmImport confirms an import: it creates an ingestion with total items, and queues it for
// processing. It returns ErrNotFound if the practice has no such import, if the file was deleted,
// or if the import is already confirmed.
func (tx *Tx) ConfirmImport(p PracticeID, id, user int64, total int) error {
	var publicID string
	var size int64
	err := tx.one(`
		select public_id, size from imports
		where id = ? and practice = ? and ingestion is null and kept = 1`, []any{id, p}, &publicID, &size)
	if err != nil {
		return err
	}
	ingestion, err := tx.insert(`
		insert into ingestions (public_id, practice, kind, user, size, total, created_at)
		values (?, ?, 'csv', ?, ?, ?, ?)`, publicID, p, nullable(user), size, total, millis(tx.Now))
	if err != nil {
		return err
	}
	if err := tx.do(`update imports set ingestion = ? where id = ? and practice = ?`, ingestion, id, p); err != nil {
		return err
	}
	return tx.announce(p)
}

// DropImport deletes the file of an import. If the import isn't confirmed, it deletes the whole
// import. If about isn't nil, it replaces the stored About. DropImport returns ErrNotFound if the
// practice has no such import, or if the import is queued or being processed.
func (tx *Tx) DropImport(p PracticeID, id int64, about []byte) error {
	var with any // stays nil (null in SQL) if about is nil
	if about != nil {
		with = about
	}
	err := found(tx.exec(`
		update imports set kept = 0, about = coalesce(?, about)
		where id = ? and practice = ? and not exists (
			select 1 from ingestions g
			where g.id = imports.ingestion and g.status in ('queued', 'processing')
		)`, with, id, p))
	if err != nil {
		return err
	}
	if err := tx.do(`delete from import_parts where id >= ? and id < ?`, id*partsMax, (id+1)*partsMax); err != nil {
		return err
	}
	return tx.do(`delete from imports where id = ? and practice = ? and ingestion is null`, id, p)
}

const importColumns = `
	select
		i.id,
		i.public_id,
		coalesce(i.user, 0),
		coalesce(u.name, ''),
		i.rows,
		i.size,
		i.about,
		i.kept,
		i.created_at,
		coalesce(g.status, ''),
		coalesce(g.items, 0),
		coalesce(g.total, 0),
		coalesce(g.accepted, 0),
		coalesce(g.rejected, 0),
		g.completed_at,
		coalesce(n.import, 0),
		coalesce(n.user, 0),
		coalesce(o.name, ''),
		coalesce(n.next, 0),
		coalesce(n.voided, 0),
		coalesce(n.restored, 0),
		coalesce(n.kept, 0),
		n.started_at,
		n.ended_at
	from imports i
	left join ingestions g on g.id = i.ingestion
	left join users u on u.id = i.user
	left join undos n on n.import = i.id
	left join users o on o.id = n.user`

func (i *Import) scan(rows *sql.Rows) error {
	return rows.Scan(&i.ID, &i.PublicID, &i.User, &i.By, &i.Rows, &i.Size, &i.About, &i.Kept, asTime(&i.CreatedAt),
		&i.Status, &i.Items, &i.Total, &i.Accepted, &i.Rejected, asTime(&i.CompletedAt),
		&i.Undo.Import, &i.Undo.User, &i.Undo.By, &i.Undo.Next, &i.Undo.Voided, &i.Undo.Restored, &i.Undo.Kept,
		asTime(&i.Undo.StartedAt), asTime(&i.Undo.EndedAt))
}

// Import returns the import with the given public ID, or ErrNotFound if the practice has no such
// import.
func (v *View) Import(p PracticeID, publicID string) (Import, error) {
	return first(all(v, importColumns+` where i.public_id = ? and i.practice = ?`, (*Import).scan, publicID, p))
}

// Imports returns up to limit imports of a practice, newest first.
func (v *View) Imports(p PracticeID, limit int) ([]Import, error) {
	return all(v, importColumns+` where i.practice = ? order by i.id desc limit ?`, (*Import).scan, p, limit)
}

// UnconfirmedImports returns all unconfirmed imports of a practice, oldest first.
func (v *View) UnconfirmedImports(p PracticeID) ([]Import, error) {
	return all(v, importColumns+` where i.practice = ? and i.ingestion is null order by i.id`, (*Import).scan, p)
}

// ImportPart returns one sealed part of the uploaded file. After the last part, it returns
// ErrNotFound.
func (v *View) ImportPart(p PracticeID, id int64, part int) (sealed []byte, err error) {
	err = v.one(`
		select sealed from import_parts
		where id = ? and exists (select 1 from imports where id = ? and practice = ?)`,
		[]any{id*partsMax + int64(part), id, p}, &sealed)
	return sealed, err
}

// SpentImport is an import whose file is due for deletion.
type SpentImport struct {
	Practice PracticeID
	Import   // only ID, PublicID and About are set
}

// SpentImports returns up to limit imports, of all practices, whose file is no longer needed: the
// file was uploaded before cutoff and not confirmed, or its processing ended before cutoff. It
// leaves out practices that are being forgotten, because their files are deleted anyway.
func (v *View) SpentImports(cutoff time.Time, limit int) ([]SpentImport, error) {
	return all(v, `
		select i.practice, i.id, i.public_id, i.about
		from imports i
		left join ingestions g on g.id = i.ingestion
		where
			i.kept = 1 and i.created_at < ? and (i.ingestion is null or g.completed_at < ?)
			and i.practice not in (select practice from forgotten)
		limit ?`, func(s *SpentImport, rows *sql.Rows) error {
		return rows.Scan(&s.Practice, &s.ID, &s.PublicID, &s.About)
	}, millis(cutoff), millis(cutoff), limit)
}

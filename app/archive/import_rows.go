package archive

import (
	"context"
	"errors"
	"iter"

	"birthregistry/app/birth"
	"birthregistry/app/drafts"
	"birthregistry/store"
)

// importer writes the rows of an archive into the database.
type importer struct {
	*Service
	store.IncomingIDs
	ctx      context.Context
	from     *reader
	progress func(stage string, done, total int)
	versions int
	entries  int64            // the number of audit trail entries so far
	admins   []int64          // the admins who already had an account here
	npis     map[int64][]byte // the hashed NPIs of the providers, keyed by ID
}

// rowsAtOnce is the maximum number of rows that one transaction writes. It is low, so that other
// writers wait only a few milliseconds. For some rows, derived values are written separately. Such
// a row counts as 1 + derivedRows rows. bytesAtOnce is the maximum size of the rows that wait in
// memory for their transaction.
const (
	rowsAtOnce  = 250
	derivedRows = 4
	bytesAtOnce = 1 << 20
)

// all writes the tables one after the other. At the end, it writes the late references, which may
// point to a later row of the same table.
func (in *importer) all() error {
	for i := range store.ArchiveTables {
		t := &store.ArchiveTables[i]
		switch t.Name {
		case "users", "practice", "memberships": // written by the first and the last transaction
			continue
		}
		if err := in.table(t); err != nil {
			return err
		}
	}
	for _, name := range []string{"providers", "records"} {
		if err := in.references(name); err != nil {
			return err
		}
	}
	return nil
}

// chunk is a group of rows that one transaction writes.
type chunk struct {
	rows  [][]any
	ids   []string // the public ids of the rows
	bytes int
	after []func(*store.Tx) error
}

func (c *chunk) full() bool {
	return len(c.rows)+derivedRows*len(c.after) >= rowsAtOnce || c.bytes >= bytesAtOnce
}

// table checks the rows of a table, converts them to the form of this installation, and writes them
// in chunks.
func (in *importer) table(t *store.ArchiveTable) error {
	heads, stop := in.heads(t)
	defer stop()
	var c chunk
	err := in.from.rows(in.ctx, t, func(r row) error {
		if err := r.admit(); err != nil {
			return err
		}
		if err := in.prepare(&c, r, heads); err != nil {
			return err
		}
		if !c.full() {
			return nil
		}
		return in.write(t, &c)
	})
	if err == nil && len(c.rows) > 0 {
		err = in.write(t, &c)
	}
	return err
}

// write writes a chunk in one transaction.
func (in *importer) write(t *store.ArchiveTable, c *chunk) error {
	if in.written != nil {
		in.written(t.Name)
	}
	err := in.db.UpdateChunk(len(c.rows), func(tx *store.Tx) error {
		if err := tx.AddIncomingRows(in.Practice, t, c.rows); err != nil {
			return err
		}
		for _, write := range c.after {
			if err := write(tx); err != nil {
				return err
			}
		}
		return nil
	})
	if errors.Is(err, store.ErrConflict) {
		err = in.conflict(t, c)
	}
	*c = chunk{rows: c.rows[:0]}
	return err
}

// conflict returns the error for a chunk that can't be added. It returns store.ErrConflict if
// another practice of this installation has a row with the same public ID. It returns ErrDamaged if
// two rows of the archive contradict each other.
func (in *importer) conflict(t *store.ArchiveTable, c *chunk) error {
	if t.PublicID != "" {
		here, err := store.Read(in.ctx, in.db, func(v *store.View) (bool, error) { return v.IsElsewhere(in.Practice, t, c.ids) })
		if err != nil {
			return err
		}
		if here {
			return store.ErrConflict
		}
	}
	return damaged("two rows of %s contradict each other", t.Name)
}

// prepare converts a row to the form in which this installation stores it, and adds the row to a
// chunk.
func (in *importer) prepare(c *chunk, r row, heads func(int64) (head, error)) error {
	if err := in.vault.Ready(); err != nil {
		return err
	}
	record := r.number("record")
	if err := in.renumber(r); err != nil {
		return err
	}
	if len(r.table.With) == 1 && heads != nil {
		h, err := heads(record)
		if err != nil {
			return err
		}
		r.values[len(r.table.Columns)] = h.uuid
		if r.table.Name == "versions" {
			if err := in.content(c, r, h); err != nil {
				return err
			}
		}
	}
	if r.table.Name == "drafts" {
		if err := in.draft(r); err != nil {
			return err
		}
	}
	derived := in.derived(c, r)
	if err := r.seal(in.vault, in.Practice); err != nil {
		return err
	}
	var values []any
	for i, column := range r.table.Columns {
		if !column.Virtual {
			values = append(values, r.values[i])
		}
		if r.table.PublicID != "" && column.DatabaseColumn() == r.table.PublicID {
			c.ids = append(c.ids, r.text(column.Name))
		}
		switch v := r.values[i].(type) {
		case []byte:
			c.bytes += len(v)
		case string:
			c.bytes += len(v)
		}
	}
	c.rows = append(c.rows, append(values, derived...))
	return nil
}

// draft converts the content and the token of a draft to those that this installation uses. The ID
// of the draft's author must already have been converted.
func (in *importer) draft(r row) error {
	content, _ := r.at("content").([]byte)
	content, token, err := drafts.Moved(content, r.text("token"), in.Practice, r.number("author"), in.Shift["providers"])
	if err != nil {
		return damaged("a draft is not readable")
	}
	r.set("content", content)
	r.set("token", token)
	return nil
}

// renumber replaces the row's ID and its references to other rows with the IDs in this
// installation. It sets late references to nil. The method references writes them when all rows
// have been written.
func (in *importer) renumber(r row) error {
	for i, column := range r.table.Columns {
		id, ok := r.values[i].(int64)
		switch {
		case !ok || column.Kind != store.Own && column.Kind != store.Reference:
		case column.Late:
			r.values[i] = nil
		case column.Of == "users":
			user, known := in.Users[id]
			if !known {
				return damaged("%s names a user who is not in the archive", column.Name)
			}
			r.values[i] = user
		default:
			r.values[i] = id + in.Shift[column.Of]
		}
	}
	return nil
}

// derived returns the values of store.ArchiveTable.Derived for a row. For a provider, it also sets
// the hash of the provider's identity, to which the sealed column is bound. It also makes the chunk
// add the provider's name to the index of names.
func (in *importer) derived(c *chunk, r row) []any {
	switch r.table.Name {
	case "providers":
		i, id, name := r.identity(), r.number("id"), r.text("name")
		identity, npi := in.changes.ProviderHashes(in.Practice, i.Key, i.NPI)
		r.values[len(r.table.Columns)] = identity
		c.after = append(c.after, func(tx *store.Tx) error { return tx.NameIncomingProvider(in.Practice, id, name) })
		if in.npis == nil {
			in.npis = map[int64][]byte{}
		}
		if npi != nil {
			in.npis[id] = npi
		}
		return []any{identity, npi}
	case "provider_groups":
		if npi := in.npis[r.number("npi_of")]; npi != nil {
			return []any{npi}
		}
		return []any{[]byte{}}
	case "records":
		return []any{"", 1}
	case "imports":
		return []any{0}
	case "audit":
		in.entries++
		return []any{in.entries}
	}
	return nil
}

// head holds the values of a record that are needed to import its versions and custom values. The
// field content is the number of the version that has the record's current content.
type head struct {
	id, content int64
	uuid        string
	state       string
}

// heads returns a function that finds a record by its ID in the archive. The function is nil unless
// the table's rows are versions or custom values. These tables are sorted by record, and the
// function must be called with ascending IDs. The records in the archive are therefore read only
// once. The caller must call stop at the end.
func (in *importer) heads(t *store.ArchiveTable) (find func(int64) (head, error), stop func()) {
	if t.Name != "versions" && t.Name != "custom_values" {
		return nil, func() {}
	}
	records, err := store.ArchiveTableNamed("records")
	var failed error
	next, stop := iter.Pull(func(yield func(head) bool) {
		if failed = err; failed != nil {
			return
		}
		failed = in.from.rows(in.ctx, records, func(r row) error {
			if !yield(head{r.number("id"), r.number("content"), r.text("uuid"), r.text("state")}) {
				return errStopped
			}
			return nil
		})
	})
	var now head
	return func(record int64) (head, error) {
		for now.id < record {
			var ok bool
			if now, ok = next(); !ok {
				return now, errors.Join(failed, damaged("%s names a record that is not there", t.Name))
			}
		}
		if now.id != record {
			return now, damaged("%s names a record that is not there", t.Name)
		}
		return now, nil
	}, stop
}

var errStopped = errors.New("archive: stopped")

// content makes the chunk also write the facts, the fingerprints and the index words of a record.
// It does so only for the version that has the record's current content. It also reports the
// progress of the import.
func (in *importer) content(c *chunk, r row, h head) error {
	if in.versions++; in.versions%rowsAtOnce == 0 || in.versions == in.from.manifest.Versions {
		in.progress("Importing", in.versions, in.from.manifest.Versions)
	}
	clinical, ok := r.at("clinical").(string)
	if r.number("version") != h.content || !ok {
		return nil
	}
	patient, _ := r.at("patient").([]byte)
	course, err := birth.Restore([]byte(clinical), patient)
	if err != nil {
		return damaged("a version is not readable")
	}
	id, facts, derived := r.number("record"), course.Facts(), in.changes.Derive(in.Practice, course)
	source := birth.Source(r.text("source"))
	c.after = append(c.after, func(tx *store.Tx) error {
		return errors.Join(
			tx.SetIncomingContent(in.Practice, store.Record{ID: id, Source: source, Facts: facts}),
			tx.SetFingerprints(in.Practice, store.RecordFingerprints{Record: id, All: derived.Fingerprints, Live: h.state == string(birth.Active), Fresh: true}),
			tx.SetNames(in.Practice, store.RecordNames{Record: id, All: derived.Names, Fresh: true}),
		)
	})
	return nil
}

// references writes the late references of a table. These point to other rows of the same table.
func (in *importer) references(name string) error {
	t, err := store.ArchiveTableNamed(name)
	if err != nil {
		return err
	}
	var writes []func(*store.Tx) error
	flush := func() error {
		if len(writes) == 0 {
			return nil
		}
		err := in.db.UpdateChunk(len(writes), func(tx *store.Tx) error {
			for _, write := range writes {
				if err := write(tx); err != nil {
					return err
				}
			}
			return nil
		})
		writes = nil
		return err
	}
	err = in.from.rows(in.ctx, t, func(r row) error {
		to := map[string]int64{}
		for i, c := range t.Columns {
			if id, ok := r.values[i].(int64); ok && c.Late {
				to[c.Name] = id + in.Shift[c.Of]
			}
		}
		if len(to) == 0 {
			return nil
		}
		id := r.number("id") + in.Shift[t.Table]
		writes = append(writes, func(tx *store.Tx) error { return tx.SetIncomingReferences(in.Practice, t, id, to) })
		if len(writes) < rowsAtOnce {
			return nil
		}
		return flush()
	})
	if err == nil {
		err = flush()
	}
	return err
}

// held returns all rows of a small table, in the form in which this installation stores them.
func (in *importer) held(name string) ([][]any, error) {
	t, err := store.ArchiveTableNamed(name)
	if err != nil {
		return nil, err
	}
	var c chunk
	err = in.from.rows(in.ctx, t, func(r row) error {
		return in.prepare(&c, r, nil)
	})
	return c.rows, err
}

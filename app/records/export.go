package records

import (
	"context"
	"io"
	"slices"

	"birthregistry/app/birth"
	"birthregistry/app/mapping/sheet"
	"birthregistry/store"
)

// exported returns the filter that an export uses. If f selects no state, only active records are
// exported.
func exported(f store.Filter) store.Filter {
	if f.State == "" {
		f.State = birth.Active
	}
	return f
}

// Count returns how many records an export with this filter contains.
func (r *Records) Count(ctx context.Context, p store.PracticeID, f store.Filter) (int, error) {
	return store.Read(ctx, r.db, func(v *store.View) (int, error) { return v.Count(p, exported(f)) })
}

// exportStride is how many records an export reads at a time. While Export sends these records, it
// holds no snapshot of the database.
const exportStride = 200

// Export writes the records that a filter selects to a CSV file. The file has the columns of the
// import and one row for each newborn, and begins with the oldest record. In a sandbox practice, a
// first column is added, which says that the practice is a sandbox. Export returns the number of
// records written.
func (r *Records) Export(ctx context.Context, p store.Practice, f store.Filter, to io.Writer) (n int, err error) {
	return r.export(p, f, to, func(read func(*store.View) error) error { return r.db.View(ctx, read) })
}

// ExportFrom is like Export, but reads everything from the snapshot v.
func (r *Records) ExportFrom(v *store.View, p store.Practice, f store.Filter, to io.Writer) (n int, err error) {
	return r.export(p, f, to, func(read func(*store.View) error) error { return read(v) })
}

func (r *Records) export(p store.Practice, f store.Filter, to io.Writer, view func(func(*store.View) error) error) (n int, err error) {
	f = exported(f)
	var format sheet.Format
	err = view(func(v *store.View) (err error) {
		format.Custom, err = v.CustomFields(p.ID)
		return err
	})
	if err != nil {
		return 0, err
	}
	w := sheet.NewWriter(to)
	mark := func(cell string, row []string) []string {
		if p.Sandbox {
			return slices.Insert(row, 0, cell)
		}
		return row
	}
	if err := w.Row(mark("sandbox", format.Names())...); err != nil {
		return 0, err
	}
	for from := (store.From{Back: true}); ; {
		var found []store.Record
		var rows [][]string
		err := view(func(v *store.View) (err error) {
			if found, err = v.List(p.ID, f, from, exportStride); err != nil {
				return err
			}
			rows, err = r.exportRows(v, p.ID, format, found)
			return err
		})
		if err != nil {
			return n, err
		}
		for _, row := range rows {
			if err := w.Row(mark("yes", row)...); err != nil {
				return n, err
			}
		}
		n += len(found)
		if len(found) < exportStride {
			return n, nil
		}
		from = store.Behind(found[len(found)-1])
		from.Back = true
	}
}

// format returns the format of the practice's CSV files, including its custom fields.
func (r *Records) format(ctx context.Context, p store.PracticeID) (sheet.Format, error) {
	custom, err := store.Read(ctx, r.db, func(v *store.View) ([]birth.CustomField, error) { return v.CustomFields(p) })
	return sheet.Format{Custom: custom}, err
}

func (r *Records) exportRows(v *store.View, p store.PracticeID, format sheet.Format, found []store.Record) (rows [][]string, err error) {
	contents, err := contentsOf(v, p, found)
	if err != nil {
		return nil, err
	}
	for _, head := range found {
		d, err := r.open(p, head.UUID, contents[head.ID])
		if err != nil {
			return nil, err
		}
		d.Chart = head.Chart
		named, err := v.ProvidersOf(p, head.ID, head.Content)
		if err != nil {
			return nil, err
		}
		if len(named) > 0 && named[0].Attending { // the attendant has the name that pages show
			d.AttendedBy(birth.Provider{Name: named[0].Name, Credentials: named[0].Credentials, Role: named[0].Role, Source: head.Source})
		}
		var own map[string]string
		if len(format.Custom) > 0 {
			if own, _, err = r.custom(v, p, head, head.Version); err != nil {
				return nil, err
			}
		}
		rows = append(rows, format.Rows(d, own)...)
	}
	return rows, nil
}

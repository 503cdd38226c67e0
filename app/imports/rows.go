package imports

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/drafts"
	"birthregistry/app/mapping/form"
	"birthregistry/app/mapping/sheet"
	"birthregistry/store"
)

// An import can keep a birth with errors as a draft of the person who confirms it. The draft
// opens in the form with the values that could be read, with the texts of the wrong cells
// where a box takes any text, and with a note that names the rows and their errors.
//
// The record that the person saves from it counts as entered by hand. A value that they leave
// unchanged keeps the source csv, and a value that they correct is manual, as with a chart from
// an EHR.
//
// If a row's record is on file, the row states only some values, and its blank cells change
// nothing. The form would treat it as a complete birth, so such a row is never kept as a draft. It
// doesn't become the draft of an amendment either, for two reasons. An author has only one such
// draft for each record (drafts.AmendmentToken), which may hold a correction of their own. And if
// the draft waited, it would put old values of the file over newer ones. The user fixes the row in
// the preview, or opens its record from there and amends it.

// maxNote is the longest note of a draft, in bytes.
const maxNote = 4 << 10

// keptRows holds the births with errors that an import keeps as drafts.
type keptRows struct {
	drafts []store.Draft
	about  []byte // the sealed data about the import, with the rows of its drafts
}

// draftable reports whether a course of care can become a draft: it has errors, its chart number
// isn't on file, and it doesn't hold more than a course of care may (birth.Draft.Exceeds).
func (r rowResult) draftable() bool {
	readable := r.course.Readable()
	return len(r.wrong) > 0 && !r.onFile && !readable.Exceeds()
}

// keep reads the file again and prepares drafts of its births with errors. It returns
// drafts.ErrTooMany if the user may not have that many drafts.
func (s *Service) keep(ctx context.Context, who auth.User, i Import) (kept keptRows, err error) {
	room, err := s.drafts.Room(ctx, who)
	if err != nil {
		return kept, err
	}
	format, err := s.format(ctx, who.Practice.ID, i.About)
	if err != nil {
		return kept, err
	}
	var contents []drafts.Content
	var left Preview // only its wrong cells count
	err = s.newPreviewer(who.Practice.ID, i.About, who).read(ctx, i.row, i.About, func(r rowResult) error {
		switch {
		case !r.draftable():
			left.countCells(r)
			return nil
		case len(contents) == room:
			return drafts.ErrTooMany
		}
		contents = append(contents, r.draft(i.About.Name, format.Custom))
		i.About.Drafts = append(i.About.Drafts, r.Row)
		return nil
	})
	if err != nil {
		return kept, err
	}
	i.About.Preview.listOnly(left)
	if kept.drafts, err = s.drafts.Prepare(who, contents); err != nil {
		return kept, err
	}
	kept.about, err = s.sealAbout(who.Practice.ID, i.ID, i.About)
	return kept, err
}

// listOnly replaces the lists of wrong cells with those of another preview. Births that are kept as
// drafts are no longer errors of the import, so the lists hold only the cells of the births that the
// import leaves out.
func (p *Preview) listOnly(left Preview) {
	p.Wrong, p.Columns, p.Cells, p.Values = left.Wrong, left.Columns, left.Cells, left.Values
}

// draft returns a birth with errors as a draft.
func (r rowResult) draft(file string, custom []birth.CustomField) drafts.Content {
	readable := r.course.Readable()
	whole := birth.Mask(readable).Draft() // masked, so that the attendant is a provider, too
	whole.Chart = r.course.Chart
	row := form.Values(whole)
	form.CustomValues(row, custom, r.course.Custom)
	row = form.Keep(row, custom)
	typed := maps.Clone(row)
	for at, text := range r.course.Unread {
		switch birth.Must(at.Field).Kind {
		case birth.Int, birth.Decimal, birth.Date:
			typed[at.String()] = []string{text}
		}
	}
	return drafts.Content{Typed: form.Keep(typed, custom), Row: row, Note: r.note(file)}
}

// note returns where a draft comes from and what is wrong with it.
func (r rowResult) note(file string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s of %s had errors and was kept as a draft.", rowsNamed(r.Row, r.Rows), file)
	for _, c := range r.wrong {
		more := " " + Explain(c)
		if r.Rows > 1 {
			more = fmt.Sprintf(" Row %d: %s", c.Row, Explain(c))
		}
		if b.Len()+len(more) > maxNote {
			b.WriteString(" There are more errors.")
			break
		}
		b.WriteString(more)
	}
	return b.String()
}

func rowsNamed(first, count int) string {
	if count > 1 {
		return fmt.Sprintf("Rows %d to %d", first, first+count-1)
	}
	return fmt.Sprintf("Row %d", first)
}

// Explain returns what is wrong with a cell, after the column's label. It quotes the cell's text,
// if known, and lists the allowed values of a coded column.
func Explain(c sheet.Cell) string {
	label := ColumnLabel(c.Column)
	if label != "" {
		label += ": "
	}
	switch allowed := Allowed(c.Column); {
	case c.Value == "":
		return label + c.Text
	case len(allowed) > 0:
		return fmt.Sprintf("%s“%s” isn’t recognized. Choose one of: %s.", label, c.Value, strings.Join(allowed, "; "))
	default:
		return fmt.Sprintf("%s“%s” can’t be read. %s", label, c.Value, c.Text)
	}
}

// Allowed lists the labels of the values that a column accepts, or nil if they can't be
// listed.
func Allowed(column string) (labels []string) {
	if f := birth.Lookup(column); f != nil && (f.Kind == birth.Code || f.Kind == birth.Codes) {
		for _, o := range f.Options {
			labels = append(labels, o.Label)
		}
	}
	return labels
}

// ColumnLabel returns the label of a column, or the column's name if it isn't a field of the spine,
// the list of all fields (birth.Spine).
func ColumnLabel(column string) string {
	if f := birth.Lookup(column); f != nil {
		return f.Label
	}
	return column
}

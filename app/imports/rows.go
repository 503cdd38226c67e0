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

// An import can keep a birth with errors as a draft of the user who confirms it. The draft opens in
// the form. It has the values that could be read. It also has the texts of wrong cells, if the
// form's field takes any text, and a note with the rows and their errors.
//
// The record that the user saves from the draft counts as entered by hand. A value that they leave
// unchanged keeps the source csv. A value that they correct is manual, as with a chart from an EHR.
//
// A row whose record is already on file has only some of the values, and its blank cells change
// nothing. The form would treat the row as a complete birth, so the row is never kept as a draft.
// It isn't kept as the draft of an amendment either, for two reasons. An author has only one such
// draft for each record (drafts.AmendmentToken), and it may contain a correction that they have
// made. Moreover, an old draft would put old values from the file over newer ones. Instead, the
// user fixes the row in the preview, or opens its record from there and amends it.

// maxNote is the maximum length of a draft's note, in bytes.
const maxNote = 4 << 10

// keptRows holds the births with errors that an import saves as drafts.
type keptRows struct {
	drafts []store.Draft
	about  []byte // the sealed data about the import, with the rows of its drafts
}

// draftable reports whether a course of care can become a draft. It must have errors, its chart
// number must not be on file, and it must not exceed the limits of a course of care
// (birth.Draft.Exceeds).
func (r rowResult) draftable() bool {
	readable := r.course.Readable()
	return len(r.wrong) > 0 && !r.onFile && !readable.Exceeds()
}

// keep reads the file again and prepares drafts of the births with errors. It returns
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

// note returns a text that says where a draft comes from and what is wrong with it.
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

// Explain returns the column's label and what is wrong with the cell. It quotes the cell's text if
// that is known. For a coded column, it also lists the allowed values.
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

// Allowed returns the labels of the values that a column accepts. It returns nil if the column
// isn't coded.
func Allowed(column string) (labels []string) {
	if f := birth.Lookup(column); f != nil && (f.Kind == birth.Code || f.Kind == birth.Codes) {
		for _, o := range f.Options {
			labels = append(labels, o.Label)
		}
	}
	return labels
}

// ColumnLabel returns the label of a column. If the column isn't a field of the spine
// (birth.Spine), it returns the column's name.
func ColumnLabel(column string) string {
	if f := birth.Lookup(column); f != nil {
		return f.Label
	}
	return column
}

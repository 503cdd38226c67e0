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

// A birth with errors can be kept as a draft of the person who confirms the import. The
// draft opens in the form with what could be read, with the texts of the wrong cells
// where a box takes any text, and with a note that names the rows and what is wrong.
//
// The record that a person makes of it counts as entered by hand. A value that they
// leave as the file stated it keeps the source csv, and what they correct is manual, as
// with a chart from an EHR.
//
// A row of a record on file states some values only, and its blank cells change nothing.
// A form would read them as a whole birth, so such a row is never kept as a draft.

// maxNote is the longest note of a draft, in bytes.
const maxNote = 4 << 10

// keptRows are the births with errors that an import keeps as drafts.
type keptRows struct {
	drafts []store.Draft
	about  []byte // of the import, with their rows
}

// draftable reports whether a birth with errors can become a draft.
func (r rowResult) draftable() bool {
	readable := r.course.Readable()
	return len(r.wrong) > 0 && !r.onFile && !readable.Exceeds()
}

// keep reads the file again and prepares the drafts of its births with errors. It returns
// drafts.ErrTooMany when the user has no room for all of them.
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
	err = s.newPreviewer(who.Practice.ID, i.About, who).read(ctx, i.row, i.About, func(r rowResult) error {
		switch {
		case !r.draftable():
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
	if kept.drafts, err = s.drafts.Prepare(who, contents); err != nil {
		return kept, err
	}
	kept.about, err = s.sealAbout(who.Practice.ID, i.ID, i.About)
	return kept, err
}

// draft returns a birth with errors as a draft.
func (r rowResult) draft(file string, custom []birth.CustomField) drafts.Content {
	readable := r.course.Readable()
	whole := birth.Mask(readable).Draft() // with the attendant as a provider
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

// note says where a draft comes from and what is wrong.
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

// Explain says what is wrong with a cell, with its text and the values that are allowed.
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

// Allowed lists the labels of the values that a column takes, nil when it takes others.
func Allowed(column string) (labels []string) {
	if f := birth.Lookup(column); f != nil && (f.Kind == birth.Code || f.Kind == birth.Codes) {
		for _, o := range f.Options {
			labels = append(labels, o.Label)
		}
	}
	return labels
}

// ColumnLabel returns the label of a column, its name if it is no field of the spine.
func ColumnLabel(column string) string {
	if f := birth.Lookup(column); f != nil {
		return f.Label
	}
	return column
}

// WrongValue is a text that several cells of a column have, and that cannot be read.
type WrongValue struct {
	Column string `json:"column,omitzero"`
	Value  string `json:"value,omitzero"` // "" once the file is deleted
	Text   string `json:"text"`
	Count  int    `json:"count"`
	Rows   []int  `json:"rows"` // the first of them
}

// How many wrong values a preview lists, with how many rows and bytes of text each.
const (
	wrongListed  = 100
	wrongRows    = 5
	wrongMaxText = 100
)

// countValue counts a wrong cell by its column and text.
func (p *Preview) countValue(c sheet.Cell) {
	value := c.Value
	if runes := []rune(value); len(runes) > wrongMaxText {
		value = string(runes[:wrongMaxText]) + "…"
	}
	for i := range p.Values {
		if w := &p.Values[i]; w.Column == c.Column && w.Value == value && w.Text == c.Text {
			if w.Count++; len(w.Rows) < wrongRows {
				w.Rows = append(w.Rows, c.Row)
			}
			return
		}
	}
	if len(p.Values) < wrongListed {
		p.Values = append(p.Values, WrongValue{c.Column, value, c.Text, 1, []int{c.Row}})
	}
}

package ui

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"birthregistry/app/birth"
	"birthregistry/app/imports"
	"birthregistry/app/mapping/sheet"
	"birthregistry/app/web/pages"
	"birthregistry/app/web/session"
	"birthregistry/views"
)

// These are the beginnings of the names of boxes in the preview. The number n of a wrong value
// follows them. fixInput is for the text that replaces the value. rowsInput is for the row in which
// the value is replaced.
const (
	fixInput  = "fix"
	rowsInput = "rows" + fixInput
)

// PostImportFix stores the texts with which the user replaces wrong values, or removes such a
// replacement.
func (h *Imports) PostImportFix(c echo.Context) error {
	who, id := session.User(c), c.Param("import")
	form := pages.Posted(c)
	revision, _ := strconv.Atoi(form.Get("revision")) // anything but a number matches no preview
	var err error
	if n, problem := strconv.Atoi(form.Get("unfix")); problem == nil {
		err = h.imports.Unfix(c.Request().Context(), who, id, revision, n)
	} else {
		err = h.imports.Fix(c.Request().Context(), who, id, revision, typedFixes(form))
	}
	switch {
	case errors.Is(err, imports.ErrPreviewChanged):
		h.Sessions.Flash(c, "Nothing was changed. The file has been checked again since you opened this page. Review its errors again.")
	case errors.Is(err, imports.ErrManyFixes):
		return h.fixProblem(c, fmt.Sprintf("You can fix up to %d values here. Correct the others in the spreadsheet and upload it again.", imports.FixesKept))
	case errors.Is(err, imports.ErrFixLength):
		return h.fixProblem(c, fmt.Sprintf("A value must be one line of at most %d characters. Shorten it.", imports.FixLength))
	case errors.Is(err, imports.ErrFileGone):
	case err != nil:
		return err
	}
	return c.Redirect(http.StatusSeeOther, importPath(id))
}

// typedFixes reads from the submitted form the texts that replace wrong values. It returns them in
// the order in which the preview lists the values.
func typedFixes(form url.Values) (all []imports.Typed) {
	for name := range form {
		if n, err := strconv.Atoi(strings.TrimPrefix(name, fixInput)); err == nil && strings.HasPrefix(name, fixInput) {
			row, _ := strconv.Atoi(form.Get(fmt.Sprint(rowsInput, n))) // 0, which means all rows, if no row is chosen
			all = append(all, imports.Typed{Wrong: n, Row: row, Value: form.Get(name)})
		}
	}
	slices.SortFunc(all, func(a, b imports.Typed) int { return cmp.Compare(a.Wrong, b.Wrong) })
	return all
}

func (h *Imports) fixProblem(c echo.Context, problem string) error {
	return h.importAgain(c, importProblem{fixes: problem, typed: pages.Posted(c)})
}

// linksShown is how many rows with wrong values have a link to their record, so that the page stays
// below 100 KB.
const linksShown = 60

// wrongColumns adds to the import's page the values that cannot be imported, grouped by column.
// typed holds the fixes that the user typed.
func wrongColumns(d *views.ImportDetail, format sheet.Format, i imports.Import, typed url.Values) {
	open := d.May && d.Kept && !d.Confirmed
	listed, links := 0, linksShown
	for n, v := range i.About.Preview.Values {
		listed += v.Count
		shown := views.ImportValue{Value: v.Value, Text: v.Text, Count: v.Count, Rows: v.Rows}
		if d.Links {
			shown.Records = v.Records[:min(len(v.Records), links)]
			links -= len(shown.Records)
		}
		allowed := imports.Allowed(v.Column)
		if v.Unread && len(allowed) > 0 {
			shown.Text = ""
		}
		if open && v.Fixable() {
			shown.Input = views.Input{Name: fmt.Sprint(fixInput, n), Value: typed.Get(fmt.Sprint(fixInput, n))}
			shown.Which = rowChoices(v, typed.Get(fmt.Sprint(rowsInput, n)))
		}
		at := slices.IndexFunc(d.Wrong, func(w views.ImportWrong) bool { return w.List == listName(v) })
		if at < 0 {
			at = len(d.Wrong)
			d.Wrong = append(d.Wrong, views.ImportWrong{
				Header: headerAt(i.About, v.At), Letter: sheet.Position(v.At), Field: fieldLabel(format, v.Column), List: listName(v),
			})
		}
		w := &d.Wrong[at]
		if v.Unread {
			w.Allowed = allowed
		}
		w.Values = append(w.Values, shown)
	}
	for n := range d.Wrong {
		d.Wrong[n] = sayOnce(d.Wrong[n])
	}
	d.MoreWrong = listed < i.About.Preview.Wrong
}

func listName(v imports.WrongValue) string { return fmt.Sprintf("values-%d-%s", v.At, v.Column) }

// sayOnce moves a text from the values of a column to the column, if the text is the same for all
// values.
func sayOnce(w views.ImportWrong) views.ImportWrong {
	if len(w.Allowed) == 0 {
		w.List = ""
	}
	text := w.Values[0].Text
	if text == "" || slices.ContainsFunc(w.Values, func(v views.ImportValue) bool { return v.Text != text }) {
		return w
	}
	w.Hint = text
	for n := range w.Values {
		w.Values[n].Text = ""
	}
	return w
}

// rowChoices returns the rows that contain a wrong value, as choices for the user. If only one row
// contains the value, it returns nil.
func rowChoices(v imports.WrongValue, chosen string) (all []views.Choice) {
	if v.Count == 1 {
		return nil
	}
	if v.FixAll() {
		all = append(all, views.Choice{Value: "0", Label: "in all " + views.Number(v.Count) + " rows"})
	}
	for _, row := range v.Rows {
		all = append(all, views.Choice{Value: strconv.Itoa(row), Label: fmt.Sprintf("in row %d alone", row)})
	}
	for n := range all {
		all[n].Chosen = all[n].Value == chosen
	}
	return all
}

// headerAt returns the header of the column at a position. The first position is 1. If the column
// has no header, headerAt returns the column's letter. If there is no such column, it returns "".
func headerAt(about imports.About, at int) string {
	if about.Layout == nil || at < 1 || at > len(about.Layout.Columns) {
		return ""
	}
	return cmp.Or(about.Layout.Columns[at-1].Header, "Column "+sheet.Position(at))
}

func fieldLabel(format sheet.Format, column string) string {
	if column == "" {
		return "The row as a whole"
	}
	return targetLabel(format, column)
}

func fixesOf(i imports.Import, problem string) views.ImportFixes {
	f := views.ImportFixes{Most: imports.FixesKept, Problem: problem, Revision: i.About.Revision}
	for _, one := range i.About.Fixes {
		where := "in all rows"
		if one.Row > 0 {
			where = fmt.Sprintf("in row %d", one.Row)
		}
		wrong := slices.ContainsFunc(i.About.Preview.Values, func(v imports.WrongValue) bool {
			return v.At == one.Column && v.Holds(one.Value)
		})
		f.List = append(f.List, views.ImportFix{
			Header: headerAt(i.About, one.Column), Text: shortened(one.Text), Value: shortened(one.Value), Where: where, Wrong: wrong,
		})
	}
	return f
}

// fixShown is how many characters the list shows of a wrong text and of the text that replaces it.
// It keeps the page below 100 KB.
const fixShown = 60

func shortened(text string) string {
	if runes := []rune(text); len(runes) > fixShown {
		return string(runes[:fixShown]) + "…"
	}
	return text
}

// columnNamed returns a name for a column. The name consists of the column's header in the file,
// and of the label of the field as which the column is read.
func columnNamed(i imports.Import, at int, column string) string {
	label := column
	if f := birth.Lookup(column); f != nil {
		label = f.Label
	}
	switch header := headerAt(i.About, at); header {
	case "", label:
		return label
	default:
		return fmt.Sprintf("%s (%s)", header, label)
	}
}

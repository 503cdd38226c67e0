package ui

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"birthregistry/app/imports"
	"birthregistry/app/mapping/sheet"
	"birthregistry/app/web/pages"
	"birthregistry/app/web/session"
	"birthregistry/views"
)

func importPath(id string) string { return pages.ImportPath + "s/" + id }

// stepPath returns the address of the next step of an import: matching the columns, matching the
// values, or the preview.
func stepPath(i imports.Import) string {
	if i.About.Step == imports.Matched {
		return importPath(i.ID)
	}
	return importPath(i.ID) + "/" + string(i.About.Step)
}

// matching returns the import in the path, with the questions about its columns and values. If the
// import has been confirmed or its file has been deleted, matching redirects to the page of the
// import and returns false.
func (h *Imports) matching(c echo.Context) (imports.Matching, bool, error) {
	m, err := h.imports.Matching(c.Request().Context(), session.User(c), c.Param("import"))
	if errors.Is(err, imports.ErrFileGone) {
		return m, false, c.Redirect(http.StatusSeeOther, importPath(c.Param("import")))
	}
	return m, err == nil, err
}

func (h *Imports) GetImportColumns(c echo.Context) error {
	m, open, err := h.matching(c)
	if !open {
		return err
	}
	page, mistakes := columnsPage(m, h.imports.LastYear(), c.QueryParam("more"), c.QueryParam("none") != "")
	return h.Render(c, http.StatusOK, "Match the columns", views.ImportColumns(page), mistakes...)
}

// PostImportColumns stores which field the user has chosen for each column, and redirects to the
// next step of the import. If the user has asked for the whole list of a column's choices,
// PostImportColumns shows the same page with that list.
func (h *Imports) PostImportColumns(c echo.Context) error {
	m, open, err := h.matching(c)
	if !open {
		return err
	}
	if old, err := h.outdated(c); old || err != nil {
		return err
	}
	form := pages.Posted(c)
	var more []string
	answers := make([]imports.Answer, len(m.Layout.Columns))
	for i, column := range m.Layout.Columns {
		answers[i] = imports.Answer{Name: column.Name, As: column.As}
		if name := columnInput(i); form.Has(name) {
			answers[i] = imports.Answer{Name: form.Get(name), As: form.Get(name + "_as")}
		}
		if answers[i].Name == moreTargets {
			answers[i].Name = sheet.Unsaid
			more = append(more, strconv.Itoa(i))
		}
	}
	years, _ := strconv.Atoi(form.Get("years")) // anything but a number doesn't count as an answer
	if years > 0 {
		years = h.imports.LastYear()
	}
	err = h.imports.MatchColumns(c.Request().Context(), session.User(c), m.ID, answers, sheet.DateOrder(form.Get("dates")), years)
	switch {
	case errors.Is(err, imports.ErrPreviewChanged):
	case errors.Is(err, imports.ErrNoColumn):
		return c.Redirect(http.StatusSeeOther, importPath(m.ID)+"/columns?none=yes")
	case err != nil:
		return err
	case len(more) > 0:
		return c.Redirect(http.StatusSeeOther, importPath(m.ID)+"/columns?more="+strings.Join(more, "-"))
	}
	return c.Redirect(http.StatusSeeOther, importPath(m.ID))
}

func (h *Imports) GetImportValues(c echo.Context) error {
	m, open, err := h.matching(c)
	if !open {
		return err
	}
	if m.About.Step != imports.ToValues {
		return c.Redirect(http.StatusSeeOther, importPath(m.ID))
	}
	return h.Render(c, http.StatusOK, "Match the values", views.ImportValues(valuesPage(m)))
}

func (h *Imports) PostImportValues(c echo.Context) error {
	if old, err := h.outdated(c); old || err != nil {
		return err
	}
	form := pages.Posted(c)
	codes := map[int]string{}
	for name := range form {
		if n, err := strconv.Atoi(strings.TrimPrefix(name, "v")); err == nil && form.Get(name) != notMatched {
			codes[n] = strings.TrimSuffix(form.Get(name), leaveBlank)
		}
	}
	err := h.imports.MatchValues(c.Request().Context(), session.User(c), c.Param("import"), codes)
	if err != nil && !errors.Is(err, imports.ErrMatching) && !errors.Is(err, imports.ErrFileGone) && !errors.Is(err, imports.ErrPreviewChanged) {
		return err // after the three errors in the condition, the page shows the file's next step
	}
	return c.Redirect(http.StatusSeeOther, importPath(c.Param("import")))
}

func (h *Imports) PostImportRematch(c echo.Context) error {
	err := h.imports.Rematch(c.Request().Context(), session.User(c), c.Param("import"))
	if err != nil && !errors.Is(err, imports.ErrFileGone) && !errors.Is(err, imports.ErrPreviewChanged) {
		return err
	}
	return c.Redirect(http.StatusSeeOther, importPath(c.Param("import")))
}

// These are answers that a user may choose instead of a field or a code. moreTargets asks for the
// whole list of fields, notMatched leaves a value unmatched, and leaveBlank leaves a value out.
const (
	moreTargets = "more"
	notMatched  = "?"
	leaveBlank  = "-"
)

func columnInput(i int) string { return fmt.Sprintf("c%d", i) }

// columnsPage returns the page that matches columns, and lists what is wrong with the answers. more
// lists the columns whose whole list of fields the user has asked for. For example, "0-3" means the
// columns 0 and 3, but no columns between them. none is true if the user has left out every column.
func columnsPage(m imports.Matching, lastYear int, more string, none bool) (views.ImportMatching, []views.Mistake) {
	p := views.ImportMatching{ID: m.ID, Revision: m.About.Revision, Name: m.About.Name, Rows: views.Count(m.About.Survey.Rows, "row", "rows")}
	b := columnsBuilder{
		m: m, misfits: m.Format.Misfits(m.About.Survey, &m.Layout), repeats: m.Format.Repeats(m.About.Survey, &m.Layout),
		counts: m.Format.BirthCounts(&m.Layout), targets: m.Format.Targets(), whole: strings.Split(more, "-"), left: choicesListed,
	}
	if none {
		b.mistake(columnInput(0), "Every column is left out. Choose what at least one of them holds.")
	}
	p.Columns = make([]views.ImportColumn, len(m.Layout.Columns))
	for _, unknown := range []bool{true, false} { // columns without a guess come first, because they need the whole list most
		for i, column := range m.Layout.Columns {
			if (column.Name == "" || column.Name == sheet.Unsaid) == unknown {
				p.Columns[i] = b.column(i)
			}
		}
	}
	p.Missing = missing(m.Layout)
	b.dates(&p, lastYear)
	for _, c := range p.Columns {
		b.mistake(c.Field.Name, c.Problem)
		b.mistake(c.Habit.Name, c.HabitProblem)
	}
	p.Columns = slices.DeleteFunc(p.Columns, func(c views.ImportColumn) bool { return c.Header == "" && len(c.Samples) == 0 })
	return p, b.mistakes
}

// missing says what no column of a layout holds, although births need it.
func missing(l sheet.Layout) (all []string) {
	holds := func(names ...string) bool {
		return slices.ContainsFunc(l.Columns, func(c sheet.Column) bool { return slices.Contains(names, c.Name) })
	}
	if !holds("birth_date", "birth_datetime", sheet.Unsaid) {
		all = append(all, "No column holds the newborn’s date of birth. Births that aren’t on file yet need it.")
	}
	if !holds("chart_number") {
		all = append(all, "No column holds a chart number. Each row becomes a new birth with a number that the registry assigns, even if the birth is already on file. If you import the file twice, its births are recorded twice.")
	}
	return all
}

func (b *columnsBuilder) dates(p *views.ImportMatching, lastYear int) {
	if choices, likely := b.m.Format.DateChoices(b.m.About.Survey, &b.m.Layout); len(choices) > 0 {
		p.DatesInput = views.Input{Name: "dates", Label: "Some dates are ambiguous. Which comes first, the month or the day?"}
		if b.m.Format.MixedDates(b.m.About.Survey, &b.m.Layout) {
			p.DatesInput.Label = "Some dates have the month first, and others the day first. How should the registry read the ambiguous ones, such as 3/2/2026?"
		}
		chosen := b.m.Layout.Dates
		if chosen == "" {
			chosen = likely
		}
		for _, c := range choices {
			p.Dates = append(p.Dates, views.Choice{Value: c.Value, Label: c.Label, Chosen: c.Value == string(chosen)})
		}
		if b.m.Questions.Dates && b.m.About.Answered {
			b.mistake("dates", "Choose whether the day or the month comes first.")
		}
	}
	if !b.m.Format.ShortYears(b.m.About.Survey, &b.m.Layout) {
		return
	}
	p.YearsInput = views.Input{Name: "years", Label: "Some dates have two-digit years. Which years do you mean?"}
	p.Years = []views.Choice{
		{Value: "1", Label: fmt.Sprintf("Years up to %d: 26 is 2026, 94 is 1994", lastYear), Chosen: b.m.Layout.LastYear > 0},
		{Value: strconv.Itoa(sheet.NoShortYears), Label: "Not sure: mark these rows as errors", Chosen: b.m.Layout.LastYear < 0},
	}
	if b.m.Questions.Years && b.m.About.Answered {
		b.mistake("years", "Choose what two-digit years mean.")
	}
}

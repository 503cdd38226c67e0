package ui

import (
	"errors"
	"maps"
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

const rememberedPath = pages.ImportPath + "/remembered"

// knownLines is how many columns and values the page lists in total. It keeps the page below 100
// KB.
const knownLines = 500

// GetRemembered shows how users have matched the columns and values of the practice's earlier
// files. The registry remembers these answers and applies them to later files.
func (h *Imports) GetRemembered(c echo.Context) error {
	who := session.User(c)
	files, revision, err := h.imports.Remembered(c.Request().Context(), who)
	if err != nil {
		return err
	}
	format, err := h.imports.Format(c.Request().Context(), who.Practice.ID)
	if err != nil {
		return err
	}
	m, left := views.ImportMemory{Revision: revision}, knownLines
	for _, f := range files {
		known := knownFile(format, f, left)
		left -= len(known.Matched) + len(known.Values)
		m.Files = append(m.Files, known)
	}
	return h.Render(c, http.StatusOK, "What is remembered about your files", views.ImportRemembered(m))
}

// knownFile describes what the registry remembers about all files with a certain header row. The
// description has at most the given number of lines.
func knownFile(format sheet.Format, f imports.Remembered, lines int) views.ImportKnown {
	k := views.ImportKnown{Columns: len(f.Columns), Used: f.Used}
	var first []string
	for _, c := range f.Columns {
		if len(first) < 4 && c.Header != "" {
			first = append(first, c.Header)
		}
		read := "Left out"
		if c.Name != "" {
			read = targetLabel(format, c.Name)
		}
		k.Matched = append(k.Matched, views.Fact{Label: c.Header, Value: read})
		for _, text := range slices.Sorted(maps.Keys(c.Values)) {
			k.Values = append(k.Values, views.Fact{Label: text, Value: meaningOf(format, c.Name, c.Values[text])})
		}
	}
	k.Headers = strings.Join(first, ", ")
	if len(f.Columns) > len(first) {
		k.Headers += " …"
	}
	if columns := min(len(k.Matched), lines); columns+len(k.Values) > lines || columns < len(k.Matched) {
		k.Matched, k.More = k.Matched[:columns], true
		k.Values = k.Values[:min(len(k.Values), lines-columns)]
	}
	return k
}

func meaningOf(format sheet.Format, target, code string) string {
	if code == "" {
		return "Left out"
	}
	for _, o := range format.Options(target) {
		if o.Value == code {
			return o.Label
		}
	}
	return code
}

// PostForget deletes what the registry remembers about files with a certain header row, or about
// all files.
func (h *Imports) PostForget(c echo.Context) error {
	form := pages.Posted(c)
	revision, _ := strconv.Atoi(form.Get("revision")) // anything but a number matches no revision
	n, err := strconv.Atoi(form.Get("forget"))
	switch {
	case form.Get("forget") == "all":
		n = -1
	case err != nil || n < 0:
		return c.Redirect(http.StatusSeeOther, rememberedPath)
	}
	err = h.imports.Forget(c.Request().Context(), session.User(c), revision, n)
	switch {
	case errors.Is(err, imports.ErrRememberedChanged):
		h.Sessions.Flash(c, "Nothing was deleted. What the registry remembers has changed since you opened this page. Review it again.")
	case err != nil:
		return err
	default:
		h.Sessions.Flash(c, "Forgotten. The next such file has to be matched again.")
	}
	return c.Redirect(http.StatusSeeOther, rememberedPath)
}

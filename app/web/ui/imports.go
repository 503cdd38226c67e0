package ui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strconv"

	"github.com/dustin/go-humanize/english"
	"github.com/labstack/echo/v4"

	"birthregistry/app/auth"
	"birthregistry/app/drafts"
	"birthregistry/app/imports"
	"birthregistry/app/mapping/sheet"
	"birthregistry/app/web/pages"
	"birthregistry/app/web/request"
	"birthregistry/app/web/session"
	"birthregistry/assets"
	"birthregistry/store"
	"birthregistry/views"
)

const importsListed = 50

// Imports serves the pages on which users upload spreadsheets, see previews, and confirm or undo
// imports.
type Imports struct {
	*pages.Pages
	imports *imports.Service
	drafts  *drafts.Service
}

func (h *Imports) GetImports(c echo.Context) error { return h.importPage(c, http.StatusOK) }

func (h *Imports) importPage(c echo.Context, status int, mistakes ...views.Mistake) error {
	who := session.User(c)
	all, err := h.imports.List(c.Request().Context(), who, importsListed)
	if err != nil {
		return err
	}
	p := views.ImportPage{
		May: who.May(auth.ImportRun), MayForget: who.May(auth.ImportForget), MaxMiB: imports.MaxSize >> 20, MaxRows: views.Number(sheet.MaxRows),
	}
	for _, i := range all {
		p.List = append(p.List, importLine(who, i))
	}
	title := "Imports"
	if p.May {
		title = "Import a spreadsheet"
	}
	return h.Render(c, status, title, views.ImportStart(p), mistakes...)
}

// notUploaded shows the page of imports again, and states what is wrong with the file.
func (h *Imports) notUploaded(c echo.Context, problem string) error {
	return h.importPage(c, http.StatusUnprocessableEntity, views.Mistake{Name: "file", Text: problem})
}

// PostImport uploads a spreadsheet. It reads the file as a stream, so that no temporary file holds
// a copy.
func (h *Imports) PostImport(c echo.Context) error {
	form, err := c.Request().MultipartReader()
	if err != nil {
		return h.notUploaded(c, noFile)
	}
	file, err := nextFile(form)
	if err != nil {
		return h.notUploaded(c, noFile)
	}
	i, err := h.imports.Upload(c.Request().Context(), session.User(c), file.FileName(), file)
	if err == nil {
		return h.uploaded(c, form, i)
	}
	if errors.Is(err, imports.ErrCutOff) || errors.Is(err, context.Canceled) { // the sender is gone
		h.Log.Info("an upload broke off", "request_id", request.ID(c))
		return h.notUploaded(c, "The upload broke off before the whole file arrived. Upload it again.")
	}
	// A browser shows a response only after it has sent the whole file, so the rest of the file
	// must be read.
	_, _ = io.CopyN(io.Discard, file, imports.MaxSize) // missing bytes don't matter
	if problem := (*sheet.Problem)(nil); errors.As(err, &problem) {
		return h.notUploaded(c, problem.Error())
	}
	if errors.Is(err, imports.ErrManyFiles) {
		return h.notUploaded(c, "Too many files of this practice are waiting to be imported. The people who uploaded them have to import or delete one first.")
	}
	if errors.Is(err, imports.ErrFileSize) {
		return h.notUploaded(c, fmt.Sprintf("The file is larger than %d MiB. Split it into several files.", imports.MaxSize>>20))
	}
	return err
}

const noFile = "Choose a CSV file."

// uploaded redirects to the preview of an upload. If the user has sent another file after the
// uploaded one, uploaded deletes the upload and asks for one file at a time. Otherwise the user
// might believe that both files were imported.
func (h *Imports) uploaded(c echo.Context, rest *multipart.Reader, i imports.Import) error {
	if _, err := nextFile(rest); err != nil {
		return c.Redirect(http.StatusSeeOther, "/registry/imports/"+i.ID)
	}
	if err := h.imports.Drop(c.Request().Context(), session.User(c), i.ID); err != nil {
		return err
	}
	return h.notUploaded(c, "Choose one file at a time. More than one arrived, and none was kept.")
}

// nextFile returns the next file in a form. If the user has chosen no further file, it returns an
// error such as io.EOF.
func nextFile(form *multipart.Reader) (*multipart.Part, error) {
	for {
		part, err := form.NextPart()
		if err != nil {
			return nil, err
		}
		if part.FormName() == "file" && part.FileName() != "" {
			return part, nil
		}
	}
}

func (h *Imports) GetTemplate(c echo.Context) error {
	return h.csvOf(c, "births-template.csv", sheet.Format.Template)
}

func (h *Imports) GetDictionary(c echo.Context) error {
	return h.csvOf(c, "births-dictionary.csv", sheet.Format.Dictionary)
}

// GetSample serves a sample spreadsheet, with which users can try an import.
func (h *Imports) GetSample(c echo.Context) error {
	h.Attachment(c, "births-sample.csv", pages.CSV)
	_, err := c.Response().Write(assets.SampleSpreadsheet)
	return err
}

func (h *Imports) csvOf(c echo.Context, name string, write func(sheet.Format, io.Writer) error) error {
	format, err := h.imports.Format(c.Request().Context(), session.User(c).Practice.ID)
	if err != nil {
		return err
	}
	h.Attachment(c, name, pages.CSV)
	return write(format, c.Response())
}

func (h *Imports) GetImport(c echo.Context) error {
	i, err := h.imports.Import(c.Request().Context(), session.User(c), c.Param("import"))
	if err != nil {
		return err
	}
	if session.User(c).May(auth.ImportRun) && i.About.Step != imports.Matched && i.Kept && !i.Confirmed {
		return c.Redirect(http.StatusSeeOther, stepPath(i))
	}
	if underWay(i) {
		pages.RefreshAfter(c, 5)
	}
	return h.importOne(c, http.StatusOK, i, importProblem{})
}

// underWay reports whether an import, or the undo of an import, is in progress.
func underWay(i imports.Import) bool {
	return i.Confirmed && i.CompletedAt.IsZero() || beingUndone(i)
}

// importProblem says why the registry didn't do what the user asked. drafts is a message about
// storing rows as drafts, fixes is a message about replacing wrong values, and typed holds what the
// user typed in place of wrong values.
type importProblem struct {
	drafts, fixes string
	typed         url.Values
}

func (h *Imports) importOne(c echo.Context, status int, i imports.Import, problem importProblem, mistakes ...views.Mistake) error {
	who := session.User(c)
	d := importDetail(who, i)
	plan, err := h.imports.UndoResult(c.Request().Context(), who, i)
	if err != nil {
		return err
	}
	d.Undo = undoOf(who, i, plan)
	if d.Room, err = h.drafts.Room(c.Request().Context(), who); err != nil {
		return err
	}
	d.DraftError, d.Fixes = problem.drafts, fixesOf(i, problem.fixes)
	format, err := h.imports.Format(c.Request().Context(), who.Practice.ID)
	if err != nil {
		return err
	}
	d.Matched = matchedColumns(format, i.About)
	wrongColumns(&d, format, i, problem.typed)
	d.LeaveOut = views.Input{
		Name: "leave_out", Label: "Leave out the " + english.PluralWord(i.About.Preview.Errors, "birth with errors",
			views.Number(i.About.Preview.Errors)+" births with errors"),
	}
	return h.Render(c, status, "Import", views.ImportOne(d), mistakes...)
}

// GetImportProgress reports to the page's script how far an import, or the undo of an import, has
// progressed.
func (h *Imports) GetImportProgress(c echo.Context) error {
	i, err := h.imports.Progress(c.Request().Context(), session.User(c), c.Param("import"))
	if err != nil {
		return err
	}
	d := importDetail(session.User(c), i)
	return h.JSON(c, http.StatusOK, struct {
		Percent int    `json:"percent"`
		Text    string `json:"text"`
		Done    bool   `json:"done"`
	}{d.Percent(), d.Progress(), !underWay(i)})
}

func (h *Imports) PostImportConfirm(c echo.Context) error {
	who, id := session.User(c), c.Param("import")
	old, err := h.outdated(c)
	if old || err != nil {
		return err
	}
	form := pages.Posted(c)
	if form.Get("errors") == "drafts" {
		err = h.imports.ConfirmWithDrafts(c.Request().Context(), who, id)
	} else {
		err = h.imports.Confirm(c.Request().Context(), who, id, form.Get("leave_out") == "yes")
	}
	switch {
	case errors.Is(err, drafts.ErrTooMany):
		return h.importAgain(c, importProblem{
			drafts: "Nothing was imported: there is no room for so many drafts. Save or discard some of them first, or leave the rows with errors out.",
		})
	case errors.Is(err, imports.ErrLeaveOut):
		return h.importAgain(c, importProblem{}, views.Mistake{Name: "leave_out", Text: "Check the box to leave out rows with errors, or fix them first."})
	case errors.Is(err, imports.ErrNothing), errors.Is(err, imports.ErrFileGone), errors.Is(err, imports.ErrPreviewChanged): // the page explains these
	case err != nil:
		return err
	}
	return c.Redirect(http.StatusSeeOther, importPath(id))
}

// importAgain shows an import again, and states why the registry didn't do what the user asked.
func (h *Imports) importAgain(c echo.Context, problem importProblem, mistakes ...views.Mistake) error {
	i, err := h.imports.Import(c.Request().Context(), session.User(c), c.Param("import"))
	if err != nil {
		return err
	}
	return h.importOne(c, http.StatusUnprocessableEntity, i, problem, mistakes...)
}

// outdated reports whether somebody has changed how the file is read since the user opened the
// form. The form may then answer questions that no longer exist, so outdated redirects to the page
// of the file.
func (h *Imports) outdated(c echo.Context) (bool, error) {
	form := pages.Posted(c)
	i, err := h.imports.Progress(c.Request().Context(), session.User(c), c.Param("import"))
	if err != nil || i.Confirmed || !form.Has("revision") || form.Get("revision") == strconv.Itoa(i.About.Revision) {
		return false, err
	}
	h.Sessions.Flash(c, "Nothing was changed. Since you opened this page, the way in which the file is read has changed. Check it again.")
	return true, c.Redirect(http.StatusSeeOther, importPath(i.ID))
}

func (h *Imports) PostImportDrop(c echo.Context) error {
	if err := h.imports.Drop(c.Request().Context(), session.User(c), c.Param("import")); err != nil {
		return err
	}
	return h.Done(c, "/registry/import", "The file was deleted.")
}

func (h *Imports) GetImportErrors(c echo.Context) error {
	i, err := h.imports.Import(c.Request().Context(), session.User(c), c.Param("import"))
	if err != nil {
		return err
	}
	if !i.Kept {
		return pages.NewError(
			http.StatusGone, "The file was deleted", "Files are kept for a day. Upload it again to see its errors.",
			"/registry/import", "Import a spreadsheet",
		)
	}
	if i.Status == store.Queued || i.Status == store.Processing {
		return c.Redirect(http.StatusSeeOther, "/registry/imports/"+i.ID)
	}
	h.Attachment(c, "births-with-errors.csv", pages.CSV)
	return h.imports.ErrorFile(c.Request().Context(), session.User(c), i.ID, c.Response())
}

package ui

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"birthregistry/app/archive"
	"birthregistry/app/auth"
	"birthregistry/app/seal"
	"birthregistry/app/web/pages"
	"birthregistry/app/web/session"
	"birthregistry/views"
)

// YourData shows an admin what the registry holds for the practice. It also sends all of this data
// as one encrypted file, which another installation can import (package archive).
type YourData struct {
	*pages.Pages
	auth    *auth.Service
	archive *archive.Service
}

const yourDataTitle = "Your data"

const exportsShown = 10

// GetYourData shows what the registry holds for the practice, the earlier downloads, and a new
// passphrase for the next download.
func (h *YourData) GetYourData(c echo.Context) error {
	page, err := h.page(c)
	if err != nil {
		return err
	}
	return h.Render(c, http.StatusOK, yourDataTitle, views.YourData(page))
}

func (h *YourData) page(c echo.Context) (page views.YourDataPage, err error) {
	ctx, who, zone := c.Request().Context(), session.User(c), session.Zone(c)
	held, err := h.archive.Held(ctx, who, exportsShown+1)
	if err != nil {
		return page, err
	}
	page = views.YourDataPage{
		Practice: who.Practice.Name, Passphrase: seal.NewPassphrase(), More: len(held.Exports) > exportsShown, Since: changedSince(held.Changed),
		Facts: []views.Fact{
			{Label: "Births", Value: views.Number(held.Active + held.Voided + held.Merged), More: notActive(held.Voided, held.Merged)},
			{Label: "Versions", Value: views.Number(held.Versions), More: "One for each time that a birth was recorded or changed"},
			{Label: "Drafts", Value: views.Number(held.Drafts)},
			{Label: "Imported spreadsheets", Value: views.Number(held.Imports)},
			{Label: "Users", Value: views.Number(held.Users)},
			{Label: "Here since", Value: held.Since.In(zone).Format("January 2, 2006")},
		},
	}
	for _, e := range held.Exports[:min(len(held.Exports), exportsShown)] {
		page.Exports = append(page.Exports, views.YourDataExport{
			When: views.Moment(e.At, zone), By: e.By, Births: views.Number(e.Records), SHA256: fmt.Sprintf("%x", e.Digest),
		})
	}
	factors, err := h.auth.SecondFactors(ctx, who.ID)
	page.Factor, page.App = factors.Any(), factors.App
	return page, err
}

// notActive returns a text that says how many of the records are voided or merged. It returns "" if
// there are none.
func notActive(voided, merged int) string {
	var also []string
	if voided > 0 {
		also = append(also, views.Number(voided)+" of them voided")
	}
	if merged > 0 {
		also = append(also, views.Number(merged)+" of them merged into another")
	}
	if len(also) == 0 {
		return ""
	}
	return strings.Join(also, ", ")
}

func changedSince(n int) string {
	if n == 0 {
		return "No birth was recorded or changed since the newest download."
	}
	return fmt.Sprintf("Since the newest download, %s recorded or changed.", views.Count(n, "birth was", "births were"))
}

// yourDataForm is the form of a download, as the user filled it in. written is true if the user has
// confirmed that they have written the passphrase down.
type yourDataForm struct {
	passphrase, recipient, password, code string
	written                               bool
}

// These are the errors that yourDataForm.sealing returns.
var (
	errWritten   = errors.New("write down the passphrase, then check this box")
	errRecipient = errors.New("this is not the public half of an age key. It begins with age1")
	errSecret    = errors.New("this is the secret half of a key, which must not leave its owner. Enter the public half, which begins with age1")
)

// sealing returns how the download is sealed. If the form has a mistake, it returns errWritten,
// errRecipient or errSecret.
func (f yourDataForm) sealing() (archive.Sealing, error) {
	sealing := archive.Sealing{Passphrase: f.passphrase}
	if f.recipient == "" && !f.written {
		return sealing, errWritten
	}
	if f.recipient == "" {
		return sealing, nil
	}
	sealing.Recipients = []string{f.recipient}
	_, err := seal.SealFile(io.Discard, sealing.Recipients)
	switch {
	case errors.Is(err, seal.ErrSecretKey):
		return sealing, errSecret
	case err != nil || strings.ContainsAny(f.recipient, "\r\n"):
		return sealing, errRecipient
	}
	return sealing, nil
}

// PostYourData checks the password and, if the user has one, the second factor. Then it sends the
// archive. The audit trail records the download before the first byte is sent.
func (h *YourData) PostYourData(c echo.Context) error {
	form := pages.Posted(c)
	typed := yourDataForm{
		form.Get("passphrase"), strings.TrimSpace(form.Get("recipient")), form.Get("password"), form.Get("code"), form.Get("written") == "yes",
	}
	if !seal.IsPassphrase(typed.passphrase) { // not the passphrase that the page generated
		typed.passphrase, typed.written = "", false
	}
	who := session.User(c)
	sealing, wrong := typed.sealing()
	if wrong == nil {
		wrong = wrongPassword(h.auth.ConfirmFully(c.Request().Context(), who, typed.password, typed.code))
	}
	if wrong != nil {
		return h.again(c, typed, wrong)
	}
	err := h.archive.Send(c.Request().Context(), who, sealing, func(made archive.Made, content io.Reader) error {
		h.FileHeaders(c, "practice", "age", "application/octet-stream")
		c.Response().Header().Set(echo.HeaderContentLength, strconv.FormatInt(made.Size, 10))
		_, err := io.Copy(c.Response(), content)
		return h.Ended(c, err)
	})
	switch {
	case errors.Is(err, archive.ErrBusy):
		return unfinishedWork
	case errors.Is(err, archive.ErrRunning):
		return downloadRuns
	case errors.Is(err, archive.ErrMany):
		return manyDownloads
	}
	return err
}

// again shows the form again and states what is wrong. It doesn't show the code of the second
// factor, because a code works only once. It doesn't show a secret key, either.
func (h *YourData) again(c echo.Context, typed yourDataForm, wrong error) error {
	page, err := h.page(c)
	if err != nil {
		return err
	}
	page.Recipient, page.WrittenDown = typed.recipient, typed.written
	if errors.Is(wrong, errSecret) {
		page.Recipient = ""
	}
	if typed.passphrase != "" { // the user may have written it down by now
		page.Passphrase = typed.passphrase
	}
	fields := map[error]string{
		errPassword: "password", auth.ErrCode: "code", errWritten: "written", errRecipient: "recipient", errSecret: "recipient",
	}
	return h.Mistake(c, wrong, fields, yourDataTitle, views.YourData(page))
}

var (
	unfinishedWork = pages.NewError(
		http.StatusConflict, "Not everything is processed yet",
		"The practice has submissions, imports or undos that aren’t finished, and they would be missing from the file. Wait until they are, then download again: the page shows another passphrase to write down.",
		pages.DataPath, "Back to your data",
	)
	manyDownloads = pages.NewError(
		http.StatusServiceUnavailable, "Other practices are downloading",
		"The registry is already sending as many downloads as it can, so yours was not started. Try again in a few minutes. The page will then show a new passphrase to write down.",
		pages.DataPath, "Back to your data",
	)
	downloadRuns = pages.NewError(
		http.StatusConflict, "A download is under way",
		"Somebody is already downloading the practice’s data. Wait until that download has ended, then try again. The page will show a new passphrase to write down.",
		pages.DataPath, "Back to your data",
	)
)

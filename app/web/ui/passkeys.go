package ui

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/labstack/echo/v4"

	"birthregistry/app/auth"
	"birthregistry/app/web/pages"
	"birthregistry/app/web/session"
	"birthregistry/views"
)

// These are the session's keys while a passkey is created or used. passkeyName is the key of a new
// passkey's name. The other keys are those of the Pending part of an auth.Ceremony, with which the
// passkey's answer is compared. The session keeps each value until the first answer.
const (
	passkeyAdd     = "passkey-add"     // Pending, for a new passkey
	passkeyName    = "passkey-name"    // the name of the new passkey
	passkeySignIn  = "passkey-sign-in" // Pending, for a sign-in with a passkey
	passkeyConfirm = "passkey-confirm" // Pending, for a passkey as the second factor of a sign-in
)

// passkeyAnswer is the JSON that the script of a passkey's form gets. It has the options for the
// device, or states why there are none.
type passkeyAnswer struct {
	Options jsontext.Value `json:"options,omitzero"`
	Problem string         `json:"problem,omitzero"`
}

// offer sends the Options of an auth.Ceremony to the script. It stores the Pending part in the
// session, under key, because the passkey's answer will be compared with it. If err is an error
// that users may see, offer sends the text of the error instead.
func (h *Account) offer(c echo.Context, key string, ceremony auth.Ceremony, err error) error {
	answer, status := passkeyAnswer{Options: ceremony.Options}, http.StatusOK
	if err != nil {
		if status = passkeyStatus(err); status == 0 {
			return err
		}
		answer = passkeyAnswer{Problem: pages.Words(err)}
	} else {
		h.Sessions.Put(c.Request().Context(), key, string(ceremony.Pending))
	}
	return h.JSON(c, status, answer)
}

// passkeyStatus returns the HTTP status for an error that the script of a passkey's form shows to
// the user. For any other error, it returns 0.
func passkeyStatus(err error) int {
	if errors.As(err, new(auth.Wait)) {
		return http.StatusTooManyRequests
	}
	for _, known := range []error{errPassword, auth.ErrCode, auth.ErrPasskeyName, auth.ErrManyPasskeys, auth.ErrNoPasskeys} {
		if errors.Is(err, known) {
			return http.StatusUnprocessableEntity
		}
	}
	return 0
}

// answered returns a passkey's answer, and pending, with which the answer is compared. It removes
// pending from the session, and gives the session a new token. Only one request can therefore use
// pending. A second request fails with auth.ErrSessionEnded. If a passkey was created (passkeyAdd),
// the session needs no new token.
func (h *Account) answered(c echo.Context, key string) (pending, answer []byte, err error) {
	pending, answer = []byte(h.Sessions.PopString(c.Request().Context(), key)), []byte(pages.Posted(c).Get("credential"))
	if key == passkeyAdd { // AddPasskey stores a credential only once
		return pending, answer, nil
	}
	return pending, answer, h.usedUp(c, string(pending))
}

// usedUp gives the session a new token and saves the session. The caller must have removed pending
// from the session, and the old token must not bring it back. If pending is "", usedUp does
// nothing.
func (h *Account) usedUp(c echo.Context, pending string) error {
	if pending == "" {
		return nil
	}
	if err := h.Sessions.Renew(c); err != nil {
		return err
	}
	return h.Sessions.Keep(c)
}

func (h *Account) PostPasskeySignInOptions(c echo.Context) error {
	ceremony, err := h.auth.AskForPasskey()
	return h.offer(c, passkeySignIn, ceremony, err)
}

func (h *Account) PostPasskeySignIn(c echo.Context) error {
	pending, answer, err := h.answered(c, passkeySignIn)
	if errors.Is(err, auth.ErrSessionEnded) {
		return h.ended(c)
	}
	if err != nil {
		return err
	}
	user, p, err := h.auth.SignInWithPasskey(c.Request().Context(), pending, answer, c.RealIP())
	if err != nil {
		page, formErr := h.signInForm(c)
		if formErr != nil {
			return formErr
		}
		return h.Mistake(c, err, map[error]string{auth.ErrPasskey: "passkey", auth.ErrOtherProvider: "passkey"}, "Sign in", views.SignIn(page))
	}
	h.forgetSSO(c)
	return h.enter(c, user, p)
}

func (h *Account) PostPasskeyVerifyOptions(c echo.Context) error {
	user, _ := h.verifying(c)
	if user == 0 {
		return pages.ErrNotFound
	}
	ceremony, err := h.auth.AskUserForPasskey(c.Request().Context(), user)
	return h.offer(c, passkeyConfirm, ceremony, err)
}

func (h *Account) PostPasskeyVerify(c echo.Context) error {
	pending, answer, err := h.answered(c, passkeyConfirm)
	if errors.Is(err, auth.ErrSessionEnded) {
		return h.ended(c)
	}
	if err != nil {
		return err
	}
	user, p := h.verifying(c)
	if user == 0 {
		return c.Redirect(http.StatusSeeOther, "/sign-in")
	}
	link, err := h.identityToLink(c)
	if err != nil {
		return err
	}
	err = h.auth.VerifyPasskey(c.Request().Context(), h.verifyEntry(c), pending, answer, c.RealIP(), link)
	if err != nil {
		return h.notVerified(c, user, err, map[error]string{auth.ErrPasskey: "passkey"})
	}
	return h.enter(c, user, p)
}

func (h *Account) verifyForm(ctx context.Context, user int64) (f views.VerifyForm, err error) {
	factors, err := h.auth.SecondFactors(ctx, user)
	f.App = factors.App
	if factors.Passkeys > 0 {
		f.PasskeyOrigin = h.auth.PasskeyOrigin()
	}
	return f, err
}

// PostPasskeyOptions returns a request that makes the device create a passkey. Before that, it
// checks the passkey's name, the user's password and, if the user has one, the second factor.
func (h *Account) PostPasskeyOptions(c echo.Context) error {
	form := pages.Posted(c)
	ctx, who, name := c.Request().Context(), session.User(c), strings.TrimSpace(form.Get("passkey"))
	if auth.CheckLabel(name) != nil {
		return h.offer(c, "", auth.Ceremony{}, auth.ErrPasskeyName)
	}
	if err := h.auth.ConfirmFully(ctx, who, form.Get("passkey-password"), form.Get("passkey-code")); err != nil {
		return h.offer(c, "", auth.Ceremony{}, wrongPassword(err))
	}
	h.Sessions.Put(ctx, passkeyName, name)
	ceremony, err := h.auth.StartPasskey(ctx, who)
	return h.offer(c, passkeyAdd, ceremony, err)
}

func (h *Account) PostPasskey(c echo.Context) error {
	pending, answer, err := h.answered(c, passkeyAdd)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	name := h.Sessions.PopString(ctx, passkeyName)
	codes, err := h.auth.AddPasskey(ctx, session.User(c), pending, answer, name, h.Sessions.Handle(c))
	if errors.Is(err, auth.ErrSessionEnded) {
		return h.ended(c)
	}
	if err != nil {
		return h.accountMistake(c, err, map[error]string{
			auth.ErrNotAdded: "passkey", auth.ErrPasskeyName: "passkey", auth.ErrPasskeyExists: "passkey", auth.ErrManyPasskeys: "passkey",
		})
	}
	if codes == nil {
		return h.changed(c, "Your passkey was added.", "/account")
	}
	return h.showCodes(c, codes, "Your passkey was added. Your other sessions have ended.")
}

func (h *Account) passkeyRows(c echo.Context) (rows []views.PasskeyRow, err error) {
	all, err := h.auth.Passkeys(c.Request().Context(), session.User(c).ID)
	for _, p := range all {
		row := views.PasskeyRow{ID: p.ID, Name: p.Name, Added: views.Moment(p.AddedAt, session.Zone(c)), Used: "Never", Elsewhere: p.Elsewhere}
		if p.UsedAt != nil {
			row.Used = views.Moment(*p.UsedAt, session.Zone(c))
		}
		rows = append(rows, row)
	}
	return rows, err
}

func (h *Account) passkeyDeletion(c echo.Context) (d views.PasskeyDeletion, err error) {
	rows, err := h.passkeyRows(c)
	if err != nil {
		return d, err
	}
	factors, err := h.auth.SecondFactors(c.Request().Context(), session.User(c).ID)
	if err != nil {
		return d, err
	}
	for _, row := range rows {
		if fmt.Sprint(row.ID) == c.Param("passkey") {
			return views.PasskeyDeletion{PasskeyRow: row, Last: factors.Passkeys == 1 && !factors.App, App: factors.App}, nil
		}
	}
	return d, pages.ErrNotFound
}

const deletePasskeyTitle = "Delete a passkey"

func (h *Account) GetDeletePasskey(c echo.Context) error {
	d, err := h.passkeyDeletion(c)
	if err != nil {
		return err
	}
	return h.Render(c, http.StatusOK, deletePasskeyTitle, views.DeletePasskey(d))
}

func (h *Account) PostDeletePasskey(c echo.Context) error {
	form := pages.Posted(c)
	d, err := h.passkeyDeletion(c)
	if err != nil {
		return err
	}
	if err := h.auth.ConfirmFully(c.Request().Context(), session.User(c), form.Get("password"), form.Get("code")); err != nil {
		fields := map[error]string{errPassword: "password", auth.ErrCode: "code"}
		return h.Mistake(c, wrongPassword(err), fields, deletePasskeyTitle, views.DeletePasskey(d))
	}
	if err := h.auth.DeletePasskey(session.User(c), d.ID); err != nil {
		return err
	}
	return h.changed(c, "The passkey is deleted.", "/account")
}

package ui

import (
	"errors"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"birthregistry/app/auth"
	"birthregistry/app/web/pages"
	"birthregistry/app/web/session"
	"birthregistry/store"
	"birthregistry/views"
)

// These are the session's keys for values that the second step of a sign-in needs. verifyLife is
// how long the user may take for the second step.
const (
	verifyUser     = "verify-user"     // int64
	verifyPractice = "verify-practice" // int64
	verifyUntil    = "verify-until"    // int64: Unix milliseconds
	verifyStamp    = "verify-stamp"    // string: auth.SignInResult.PasswordStamp
	verifyProvider = "verify-provider" // int64: the identity provider that took the place of the password, if any
	verifyIDToken  = "verify-id-token" // string: the ID token of that provider
	verifyName     = "verify-name"     // string: the value for auth.SessionSSO
	verifyLife     = 10 * time.Minute
)

func (h *Account) GetSignIn(c echo.Context) error {
	if _, is := session.SignedIn(c); is {
		return c.Redirect(http.StatusSeeOther, "/registry")
	}
	h.Sessions.Remove(c.Request().Context(), ssoIdentity) // the identity's owner has left the page that asked for confirmation
	empty, err := h.auth.IsEmpty(c.Request().Context())
	if err != nil {
		return err
	}
	form, err := h.signInForm(c)
	if err != nil {
		return err
	}
	form.Empty, form.SignOutThere = empty, h.signOutThere(c)
	return h.Render(c, http.StatusOK, "Sign in", views.SignIn(form))
}

// signInForm returns the form on the sign-in page for this visitor.
func (h *Account) signInForm(c echo.Context) (views.SignInForm, error) {
	providers, err := h.ssoButtons(c)
	if err != nil {
		return views.SignInForm{}, err
	}
	launched, err := h.launchGoesOn(c)
	return views.SignInForm{PasskeyOrigin: h.auth.PasskeyOrigin(), Providers: providers, Launched: launched}, err
}

// launchGoesOn reports whether an EHR launch continues after the sign-in. If so, the user then sees
// the form that the launch's chart fills in.
func (h *Account) launchGoesOn(c echo.Context) (bool, error) {
	if asked := h.Sessions.Requested(c); asked != "" && asked != pages.PrefillPath {
		return false, nil
	}
	return h.Sessions.ChartWaits(c)
}

func (h *Account) PostSignIn(c echo.Context) error {
	form := pages.Posted(c)
	email := form.Get("email")
	entry, err := h.auth.SignIn(c.Request().Context(), email, form.Get("password"), h.visitor(c))
	if err != nil {
		page, formErr := h.signInForm(c)
		if formErr != nil {
			return formErr
		}
		page.Email = email
		fields := map[error]string{auth.ErrSignIn: "email", auth.ErrOtherProvider: "email"}
		return h.Mistake(c, err, fields, "Sign in", views.SignIn(page))
	}
	h.forgetSSO(c)
	if !entry.SecondFactor {
		return h.enter(c, entry.User, entry.Practice)
	}
	return h.askCode(c, entry, nil)
}

// askCode asks for the second factor of a user who has passed the first step of a sign-in. link is
// the identity that will be linked to the user's account after the second factor, or nil.
func (h *Account) askCode(c echo.Context, entry auth.SignInResult, link *auth.Identity) error {
	ctx := c.Request().Context()
	h.dropIdentity(c)
	if link != nil {
		if err := h.keepJSON(c, ssoLink, link); err != nil {
			return err
		}
	}
	h.Sessions.Put(ctx, verifyUser, entry.User)
	h.Sessions.Put(ctx, verifyPractice, int64(entry.Practice))
	h.Sessions.Put(ctx, verifyStamp, entry.PasswordStamp)
	h.Sessions.Put(ctx, verifyUntil, time.Now().Add(verifyLife).UnixMilli())
	if err := h.Sessions.Renew(c); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/sign-in/verify")
}

// enter begins a user's session, and redirects to the page that the user requested.
func (h *Account) enter(c echo.Context, user int64, p store.PracticeID) error {
	ctx := c.Request().Context()
	h.dropIdentity(c)
	mark := h.ssoMark(c, user)
	launched, err := h.launchGoesOn(c)
	if err != nil {
		return err
	}
	for _, key := range []string{verifyUser, verifyPractice, verifyUntil, verifyStamp, passkeySignIn, passkeyConfirm} {
		h.Sessions.Remove(ctx, key)
	}
	if err := h.Sessions.Begin(c, user, p); err != nil {
		return err
	}
	mark()
	h.Sessions.MarkBrowser(c, user)
	page := h.Sessions.TakeRequested(c)
	if launched {
		page = pages.PrefillPath
	}
	return c.Redirect(http.StatusSeeOther, page)
}

// verifying returns the user who has passed the first step of a sign-in, but not the second factor.
// It returns 0 if there is no such user, or if the first step was too long ago.
func (h *Account) verifying(c echo.Context) (user int64, p store.PracticeID) {
	ctx := c.Request().Context()
	if time.Now().UnixMilli() >= h.Sessions.GetInt64(ctx, verifyUntil) {
		return 0, 0
	}
	return h.Sessions.GetInt64(ctx, verifyUser), store.PracticeID(h.Sessions.GetInt64(ctx, verifyPractice))
}

// verifyEntry returns the result of the sign-in's first step. The second factor then completes the
// sign-in.
func (h *Account) verifyEntry(c echo.Context) auth.SignInResult {
	user, p := h.verifying(c)
	return auth.SignInResult{User: user, Practice: p, SecondFactor: true, PasswordStamp: h.Sessions.GetString(c.Request().Context(), verifyStamp)}
}

func (h *Account) GetVerify(c echo.Context) error {
	user, _ := h.verifying(c)
	if user == 0 {
		return c.Redirect(http.StatusSeeOther, "/sign-in")
	}
	form, err := h.verifyForm(c.Request().Context(), user)
	if err != nil {
		return err
	}
	return h.Render(c, http.StatusOK, form.Title(), views.Verify(form))
}

func (h *Account) PostVerify(c echo.Context) error {
	form := pages.Posted(c)
	user, p := h.verifying(c)
	if user == 0 {
		if h.Sessions.Exists(c.Request().Context(), verifyUser) { // visitors without a session write nothing
			h.Sessions.Flash(c, "That took too long. Sign in again.")
		}
		return c.Redirect(http.StatusSeeOther, "/sign-in")
	}
	code, field := form.Get("code"), "code"
	if code == "" && form.Has("recovery") && (form.Get("recovery") != "" || !form.Has("code")) {
		code, field = form.Get("recovery"), "recovery"
	}
	link, err := h.identityToLink(c)
	if err != nil {
		return err
	}
	recovered, err := h.auth.Verify(c.Request().Context(), h.verifyEntry(c), code, c.RealIP(), link)
	if err != nil {
		return h.notVerified(c, user, err, map[error]string{auth.ErrCode: field})
	}
	if recovered {
		h.Sessions.Flash(c, "You used a recovery code.")
		h.Sessions.FlashLink(c, "/account#factor-state", "See how many are left.")
	}
	return h.enter(c, user, p)
}

// notVerified answers a wrong second factor. It shows the form again and states what was wrong. If
// the user has left the practice in the meantime, notVerified redirects to the sign-in page.
func (h *Account) notVerified(c echo.Context, user int64, wrong error, fields map[error]string) error {
	if errors.Is(wrong, auth.ErrNoMembership) {
		return c.Redirect(http.StatusSeeOther, "/sign-in")
	}
	ctx := c.Request().Context()
	form, err := h.verifyForm(ctx, user)
	if err == nil {
		err = h.Mistake(c, wrong, fields, form.Title(), views.Verify(form))
	}
	return h.ssoProblem(c, h.Sessions.GetInt64(ctx, verifyProvider), err)
}

// PostSignOut ends the session, and makes the browser delete its cookie and stored data. The
// browser does so even if the database can't be written, because a full disk must not keep anybody
// signed in.
func (h *Account) PostSignOut(c echo.Context) error {
	c.Response().Header().Set("Clear-Site-Data", `"cache", "storage"`)
	who, ok := session.SignedIn(c)
	if !ok { // visitors without a session write nothing
		return c.Redirect(http.StatusSeeOther, "/sign-in")
	}
	there := h.ssoProof(c)
	err := h.auth.SignOut(who)
	if err == nil {
		err = h.Sessions.End(c)
	}
	if store.IsUnavailable(err) {
		h.auth.RefuseSession(h.Sessions.Handle(c))
		h.Sessions.WriteSessionCookie(c.Request().Context(), c.Response(), "", time.Time{})
		return c.Redirect(http.StatusSeeOther, "/sign-in")
	}
	if err != nil {
		return err
	}
	h.offerSignOut(c, there)
	return h.Done(c, "/sign-in", "You are signed out.")
}

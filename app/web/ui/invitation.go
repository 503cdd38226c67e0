package ui

import (
	"errors"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"birthregistry/app/auth"
	"birthregistry/app/web/pages"
	"birthregistry/app/web/session"
	"birthregistry/views"
)

// GetInvitation shows the form for the code of an invitation link or a reset link. Opening the page
// doesn't use up the link. The browser doesn't even send the code, because the code is in the
// fragment of the address.
func (h *Account) GetInvitation(c echo.Context) error {
	form := h.linkForm(c)
	return h.Render(c, http.StatusOK, linkTitle(form), views.LinkPage(form))
}

// linkForm returns the form for the code of an invitation link or a reset link. A signed-in user
// who opens an invitation doesn't have to enter a password.
func (h *Account) linkForm(c echo.Context) views.LinkForm {
	form := views.LinkForm{Reset: c.Path() == "/reset"}
	if who, ok := session.SignedIn(c); ok && !form.Reset {
		form.Account = who.Email
	}
	return form
}

func linkTitle(f views.LinkForm) string {
	if f.Reset {
		return "Choose a new password"
	}
	return "Accept your invitation"
}

// linkMistakes maps the errors of an invitation link or a reset link to the form fields at which
// they are shown.
var linkMistakes = map[error]string{
	auth.ErrNoLink: "code", auth.ErrLinkUsed: "code", auth.ErrLinkExpired: "code", auth.ErrLinkReplaced: "code",
	auth.ErrHasAccount: "code", auth.ErrOtherAccount: "code", auth.ErrInvitationChanged: "code",
	auth.ErrOnlyFactor: "passkeys",
	auth.ErrBadName:    "name", auth.ErrBadPassword: "password", errPassword: "password",
}

func (h *Account) linkMistake(c echo.Context, form views.LinkForm, err error) error {
	return h.Mistake(c, wrongPassword(err), linkMistakes, linkTitle(form), views.LinkPage(form))
}

func (h *Account) PostInvitation(c echo.Context) error {
	values := pages.Posted(c)
	form := h.linkForm(c)
	form.Code = values.Get("code")
	if form.Account != "" {
		return h.showOffer(c, form)
	}
	deletePasskeys := form.Reset && values.Get("passkeys") == "yes"
	switch asked := !values.Has("password"); {
	case asked && form.Reset:
		return h.askPassword(c, form, false, nil)
	case asked:
		return h.showWelcome(c, form)
	}
	form.Name = values.Get("name")
	done, err := h.auth.Redeem(c.Request().Context(), auth.LinkUse{
		Code: form.Code, Name: form.Name, Password: values.Get("password"), Address: c.RealIP(), DeletePasskeys: deletePasskeys,
	})
	if err != nil && form.Reset {
		return h.askPassword(c, form, deletePasskeys, err)
	}
	if err != nil {
		return h.welcomeMistake(c, form, err)
	}
	if done.New {
		h.Sessions.Flash(c, "Welcome.")
		h.offerProtection(c)
		return h.enter(c, done.User, done.Practice)
	}
	if err := h.Sessions.End(c); err != nil { // ends the session, even another user's
		return err
	}
	text := "Your password is set. Sign in with it."
	if done.Passkeys > 0 {
		text += " Your account also has " + views.Count(done.Passkeys, "passkey", "passkeys") + " for signing in. Once you have signed in, delete any that isn’t yours."
		h.Sessions.RememberPath(c, "/account#passkeys")
	}
	return h.Done(c, "/sign-in", text)
}

// askPassword asks for the new password of the account that a reset link was made for. wrong is the
// error of the last attempt, or nil. If the link doesn't work, the page states that now, before the
// user thinks of a password.
func (h *Account) askPassword(c echo.Context, form views.LinkForm, deletePasskeys bool, wrong error) error {
	email, passkeys, err := h.auth.Resetting(c.Request().Context(), form.Code)
	if err != nil {
		return h.linkMistake(c, form, err)
	}
	page := views.ResetForm{LinkForm: form, Email: email, Passkeys: passkeys, DeletePasskeys: deletePasskeys}
	if wrong == nil {
		return h.Render(c, http.StatusOK, linkTitle(form), views.ChoosePassword(page))
	}
	return h.Mistake(c, wrong, linkMistakes, linkTitle(form), views.ChoosePassword(page))
}

// showWelcome shows an invitation to a person who isn't signed in, and asks for their name and a
// password.
func (h *Account) showWelcome(c echo.Context, form views.LinkForm) error {
	offer, err := h.auth.Offer(c.Request().Context(), form.Code)
	if err != nil {
		return h.linkMistake(c, form, err)
	}
	form.Name = offer.Name
	return h.Render(c, http.StatusOK, "Join "+offer.Practice.Name, views.Welcome(welcomeOf(form, offer)))
}

func welcomeOf(form views.LinkForm, offer auth.Offer) views.WelcomeForm {
	return views.WelcomeForm{
		LinkForm: form, Practice: offer.Practice.Name, RoleLabel: strings.ToLower(offer.Role.Label()), Email: offer.Email, HasAccount: offer.Account,
	}
}

// welcomeMistake shows the page of an invitation again, and states what was wrong with the person's
// input. If the invitation isn't valid, or the person already has an account, it shows the form for
// the code instead.
func (h *Account) welcomeMistake(c echo.Context, form views.LinkForm, err error) error {
	offer, none := h.auth.Offer(c.Request().Context(), form.Code)
	if none != nil || errors.Is(err, auth.ErrHasAccount) {
		return h.linkMistake(c, form, err)
	}
	return h.Mistake(c, wrongPassword(err), linkMistakes, "Join "+offer.Practice.Name, views.Welcome(welcomeOf(form, offer)))
}

// showOffer asks the signed-in user whether to accept the invitation.
func (h *Account) showOffer(c echo.Context, form views.LinkForm) error {
	offer, err := h.auth.Invitation(c.Request().Context(), session.User(c), form.Code)
	if err != nil {
		return h.linkMistake(c, form, err)
	}
	return h.Render(c, http.StatusOK, "Join "+offer.Practice.Name, views.Join(views.JoinForm{
		Code: form.Code, Practice: offer.Practice.Name, RoleLabel: offer.Role.Label(), Role: string(offer.Role), Account: form.Account,
	}))
}

// PostJoin accepts the invitation that the signed-in user was shown, and switches to the practice
// that has invited them. If the invitation has changed since it was shown, PostJoin shows it again.
func (h *Account) PostJoin(c echo.Context) error {
	values := pages.Posted(c)
	form := views.LinkForm{Account: session.User(c).Email, Code: values.Get("code")}
	offer, err := h.auth.AcceptInvitation(c.Request().Context(), session.User(c), form.Code, auth.Role(values.Get("role")))
	if errors.Is(err, auth.ErrInvitationChanged) {
		return h.showOffer(c, form)
	}
	if err != nil {
		return h.linkMistake(c, form, err)
	}
	return h.workIn(c, offer.Practice.ID)
}

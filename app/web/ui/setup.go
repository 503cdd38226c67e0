package ui

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"birthregistry/app/auth"
	"birthregistry/app/web/pages"
	"birthregistry/views"
)

const setUpTitle = "Set up your registry"

// setUpMistakes maps the errors of setting up an installation to the form fields at which they are
// shown.
var setUpMistakes = map[error]string{
	auth.ErrSetUpCode: "code", auth.ErrSetUpExpired: "code",
	auth.ErrPracticeName: "practice", auth.ErrPracticesZone: "zone", auth.ErrPracticeKind: "kind",
	auth.ErrBadName: "name", auth.ErrBadEmail: "email", auth.ErrEmailLetter: "email", auth.ErrBadPassword: "password",
}

// isSetUp is the page for a person who opens a set-up link again.
var isSetUp = pages.NewError(
	http.StatusNotFound, "The registry is set up already",
	"A set-up link works only once. Sign in, or ask an admin of your practice for an invitation.", "/sign-in", "Go to the sign-in page",
)

// GetSetUp shows the form that sets up a new installation. Once there is a user, the form is no
// longer available. The browser doesn't send the code, which is in the fragment of the address.
func (h *Account) GetSetUp(c echo.Context) error {
	empty, err := h.auth.IsEmpty(c.Request().Context())
	if err != nil {
		return err
	}
	if !empty {
		return isSetUp
	}
	return h.Render(c, http.StatusOK, setUpTitle, views.SetUp(views.SetUpForm{}))
}

// PostSetUp creates the first practice and its admin, and signs the admin in.
func (h *Account) PostSetUp(c echo.Context) error {
	values := pages.Posted(c)
	form := views.SetUpForm{
		Code: values.Get("code"), Practice: values.Get("practice"), Zone: values.Get("zone"), Kind: values.Get("kind"),
		Name: values.Get("name"), Email: values.Get("email"),
	}
	user, p, err := h.auth.SetUp(c.Request().Context(), form.Code, auth.FirstPractice{
		Practice: form.Practice, TimeZone: form.Zone, Kind: form.Kind,
		Name: form.Name, Email: form.Email, Password: values.Get("password"),
	}, c.RealIP())
	if errors.Is(err, auth.ErrIsSetUp) {
		return isSetUp
	}
	if err != nil {
		return h.Mistake(c, err, setUpMistakes, setUpTitle, views.SetUp(form))
	}
	h.Sessions.Flash(c, "Your registry is set up, and you are its admin.")
	h.offerProtection(c)
	return h.enter(c, user, p)
}

// offerProtection suggests to a new user that they add a passkey. If the installation's address
// doesn't allow passkeys, it suggests an authenticator app.
func (h *Account) offerProtection(c echo.Context) {
	if h.auth.PasskeyOrigin() != "" {
		h.Sessions.FlashLink(c, "/account#passkeys", "Next, add a passkey, to sign in with your fingerprint, face or screen lock.")
		return
	}
	h.Sessions.FlashLink(c, "/account#factor-state", "Next, protect your account with a second factor.")
}

package ui

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/labstack/echo/v4"

	"birthregistry/app/auth"
	"birthregistry/app/sso"
	"birthregistry/app/web/pages"
	"birthregistry/app/web/request"
	"birthregistry/app/web/session"
	"birthregistry/store"
	"birthregistry/views"
)

// ConfirmPath is the path of the page on which a person links an identity provider to their
// account, or accepts an invitation after signing in with the provider.
const ConfirmPath = "/sign-in/confirm"

// These are the session's keys for values of a sign-in with an identity provider.
const (
	ssoPending  = "sso"          // string: sso.Pending as JSON
	ssoIdentity = "sso-identity" // string: proven as JSON
	// ssoLink holds the identity to link after the second factor, as the JSON of an auth.Identity.
	// The account's owner has already entered the password.
	ssoLink = "sso-link"
)

// proven is an identity that waits until its owner confirms that it may be linked.
type proven struct {
	sso.Result
	Until time.Time
}

// ssoButtons returns the buttons of the identity providers for the sign-in page. If the operator's
// list of providers is damaged, it returns none, because the damage must not keep out users with
// other ways to sign in.
func (h *Account) ssoButtons(c echo.Context) (all []views.SSOButton, err error) {
	providers, err := h.sso.Providers(c.Request().Context())
	if errors.Is(err, store.ErrDamaged) {
		h.Log.Error("the sign-in page leaves out the identity providers, because their list is damaged", "request_id", request.ID(c), "cause", err)
		return nil, nil
	}
	for _, p := range providers {
		all = append(all, views.SSOButton{Name: p.Name, Href: sso.Path + p.Slug})
	}
	return all, err
}

func (h *Account) GetSSO(c echo.Context) error {
	if _, is := session.SignedIn(c); is {
		return c.Redirect(http.StatusSeeOther, "/registry")
	}
	h.dropIdentity(c)
	to, pending, err := h.sso.Begin(c.Request().Context(), c.Param("sso"), false)
	if err != nil {
		return h.ssoProblem(c, pending.Provider, err)
	}
	if err := h.keepJSON(c, ssoPending, pending); err != nil {
		return err
	}
	return c.Redirect(http.StatusFound, to)
}

// GetSSOCallback completes a sign-in, or confirms the identity of a user who is signed in
// (GetStepUp). Any site can send a browser here, so a callback with the wrong state parameter
// changes nothing. The right state parameter works only once: GetSSOCallback first gives the
// session a new token, and that fails if another request has already done so.
func (h *Account) GetSSOCallback(c echo.Context) error {
	ctx := c.Request().Context()
	pending, answered := h.pendingSSO(c)
	if !answered {
		return h.unawaited(c, pending.Provider)
	}
	h.Sessions.Remove(ctx, ssoPending)
	problem := h.ssoProblem
	if pending.Fresh {
		problem = h.stepUpProblem
	}
	err := h.Sessions.Renew(c)
	if err == nil {
		err = h.Sessions.Keep(c)
	}
	if errors.Is(err, auth.ErrSessionEnded) {
		return problem(c, pending.Provider, errors.Join(sso.ErrState, h.Sessions.Fresh(c)))
	}
	if err != nil {
		return err
	}
	result, err := h.sso.Finish(ctx, c.Param("sso"), pending, c.QueryParams())
	if err != nil {
		return problem(c, pending.Provider, err)
	}
	known, err := h.auth.IdentifyUser(ctx, result.Identity, h.visitor(c))
	if errors.Is(err, auth.ErrUnknownIdentity) && !pending.Fresh { // the person's session at the provider would lead to the same error again
		h.offerSignOut(c, ssoSession{result.Provider, result.Name, result.IDToken})
	}
	if err != nil {
		return problem(c, pending.Provider, err)
	}
	if pending.Fresh {
		return h.confirmed(c, known)
	}
	if known.Confirm == nil {
		return h.enterWith(c, known.SignInResult, result, nil)
	}
	if err := h.keepJSON(c, ssoIdentity, proven{result, time.Now().Add(verifyLife)}); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, ConfirmPath)
}

// AnswersSSO reports whether a callback belongs to the sign-in that the session has begun, because
// both have the same state parameter.
func (h *Account) AnswersSSO(c echo.Context) bool {
	_, answered := h.pendingSSO(c)
	return answered
}

func (h *Account) pendingSSO(c echo.Context) (pending sso.Pending, answered bool) {
	h.readJSON(c, ssoPending, &pending)
	return pending, pending.Answered(c.QueryParams())
}

// enterWith signs in a user whom an identity provider has identified. If the user has a second
// factor, it first asks for that. link is the identity that will be linked to the user's account
// after the second factor, or nil.
func (h *Account) enterWith(c echo.Context, entry auth.SignInResult, by sso.Result, link *auth.Identity) error {
	ctx := c.Request().Context()
	h.Sessions.Put(ctx, verifyProvider, by.Provider)
	h.Sessions.Put(ctx, verifyIDToken, by.IDToken)
	h.Sessions.Put(ctx, verifyName, by.Slug+"\n"+by.Name)
	if entry.SecondFactor {
		return h.askCode(c, entry, link)
	}
	if err := h.auth.CompleteSSO(ctx, entry, by.Provider, c.RealIP()); err != nil {
		return h.ssoProblem(c, by.Provider, err)
	}
	h.Sessions.Put(ctx, verifyUser, entry.User)
	return h.enter(c, entry.User, entry.Practice)
}

func (h *Account) visitor(c echo.Context) auth.Visitor {
	return auth.Visitor{Address: c.RealIP(), DeviceCookies: h.Sessions.Marks(c)}
}

// GetSSOConfirm asks a person whom an identity provider has identified to confirm that their
// account may be linked.
func (h *Account) GetSSOConfirm(c echo.Context) error {
	if _, is := session.SignedIn(c); is {
		return c.Redirect(http.StatusSeeOther, "/registry")
	}
	who, form, err := h.confirmation(c)
	if err != nil {
		return err
	}
	if who.Subject == "" {
		return c.Redirect(http.StatusSeeOther, "/sign-in")
	}
	return h.Render(c, http.StatusOK, confirmTitle(form), views.ConfirmSSO(form))
}

// confirmation returns the identity that the session holds, and the form that asks the person to
// confirm it. If there is nothing to confirm, the identity's Subject is "".
func (h *Account) confirmation(c echo.Context) (who proven, form views.SSOConfirmation, err error) {
	text := h.Sessions.GetString(c.Request().Context(), ssoIdentity)
	if text == "" || json.Unmarshal([]byte(text), &who) != nil || time.Now().After(who.Until) {
		return proven{}, form, nil
	}
	provider, err := h.sso.ByID(c.Request().Context(), who.Provider)
	if err != nil {
		return who, form, h.ssoProblem(c, who.Provider, err)
	}
	known, err := h.auth.IdentifyUser(c.Request().Context(), who.Identity, h.visitor(c))
	if err != nil {
		return who, form, h.ssoProblem(c, who.Provider, err)
	}
	if known.Confirm == nil { // it was linked in another window
		return proven{}, form, nil
	}
	k := known.Confirm
	form = views.SSOConfirmation{
		Provider: provider.Name, Email: k.Email, Name: k.Name, HasAccount: k.Password,
		Practice: k.Practice.Name, RoleLabel: strings.ToLower(k.Role.Label()),
	}
	if !k.Password {
		form.Fields = map[string]string{"practice": fmt.Sprint(k.Practice.ID), "role": string(k.Role)}
	}
	return who, form, nil
}

func confirmTitle(f views.SSOConfirmation) string {
	if f.HasAccount {
		return "Link " + f.Provider + " to your account"
	}
	return "Join " + f.Practice
}

// PostSSOConfirm links an identity to the owner's account. If the owner was only invited, it also
// accepts the invitation. Then it signs the owner in. If the account has a second factor, the owner
// must use it first.
func (h *Account) PostSSOConfirm(c echo.Context) error {
	values := pages.Posted(c)
	if _, is := session.SignedIn(c); is {
		return c.Redirect(http.StatusSeeOther, "/registry")
	}
	if values.Has("cancel") {
		h.dropIdentity(c)
		return c.Redirect(http.StatusSeeOther, "/sign-in")
	}
	who, form, err := h.confirmation(c)
	if err != nil {
		return err
	}
	if who.Subject == "" {
		return c.Redirect(http.StatusSeeOther, "/sign-in")
	}
	practice, _ := strconv.ParseInt(values.Get("practice"), 10, 64) // 0 means no practice
	form.Name = values.Get("name")
	shown := auth.Confirmation{
		Name: form.Name, Password: form.HasAccount, Practice: store.Practice{ID: store.PracticeID(practice)}, Role: auth.Role(values.Get("role")),
	}
	entry, err := h.auth.LinkIdentity(c.Request().Context(), who.Identity, shown, values.Get("password"), h.visitor(c))
	if errors.Is(err, auth.ErrInvitationChanged) {
		return c.Redirect(http.StatusSeeOther, ConfirmPath)
	}
	if err != nil {
		fields := map[error]string{errPassword: "password", auth.ErrBadName: "name"}
		return h.ssoProblem(c, who.Provider, h.Mistake(c, wrongPassword(err), fields, confirmTitle(form), views.ConfirmSSO(form)))
	}
	return h.enterWith(c, entry, who.Result, &who.Identity)
}

// dropIdentity removes from the session an unfinished sign-in with an identity provider. Such a
// sign-in may be waiting for a confirmation or a second factor. As soon as anybody has signed in
// with this browser, it must be gone.
func (h *Account) dropIdentity(c echo.Context) {
	for _, key := range []string{ssoPending, ssoIdentity, ssoLink} {
		h.Sessions.Remove(c.Request().Context(), key)
	}
}

// identityToLink returns the identity that must be linked after the second factor, or nil if there
// is none.
func (h *Account) identityToLink(c echo.Context) (*auth.Identity, error) {
	text := h.Sessions.GetString(c.Request().Context(), ssoLink)
	if text == "" {
		return nil, nil
	}
	var id auth.Identity
	if json.Unmarshal([]byte(text), &id) != nil {
		return nil, errors.New("web: an identity could not be read from the session")
	}
	return &id, nil
}

// keepJSON stores a value as JSON in the session, and saves the session immediately.
func (h *Account) keepJSON(c echo.Context, key string, value any) error {
	doc, err := json.Marshal(value)
	if err != nil {
		return errors.New("web: a sign-in cannot be stored")
	}
	h.Sessions.Put(c.Request().Context(), key, string(doc))
	return h.Sessions.Keep(c)
}

// readJSON decodes the JSON that the session has under key, and stores the result in value. If the
// session has none, or the JSON can't be decoded, readJSON leaves value unchanged. If it can't be
// decoded, readJSON also logs a warning.
func (h *Account) readJSON(c echo.Context, key string, value any) {
	text := h.Sessions.GetString(c.Request().Context(), key)
	if text != "" && json.Unmarshal([]byte(text), value) != nil {
		h.Log.Warn("a sign-in could not be read from the session")
	}
}

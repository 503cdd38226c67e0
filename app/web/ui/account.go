package ui

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"birthregistry/app/auth"
	"birthregistry/app/sso"
	"birthregistry/app/web/pages"
	"birthregistry/app/web/request"
	"birthregistry/app/web/session"
	"birthregistry/store"
	"birthregistry/views"
)

const accountTitle = "Your account"

// Account serves the pages on which people set up an installation, accept an invitation, reset a
// password, and sign in and out. It also serves the account page, which has the user's password,
// second factor, passkeys, linked identity providers, sessions, and current practice.
type Account struct {
	*pages.Pages
	auth *auth.Service
	sso  *sso.Service
	// warned limits how often the log has a warning about unexpected callbacks from an identity
	// provider. See the method unawaited.
	warned request.OnceAMinute
}

func (h *Account) GetAccount(c echo.Context) error {
	a, err := h.account(c)
	if err != nil {
		return err
	}
	return h.Render(c, http.StatusOK, accountTitle, views.Account(a))
}

func (h *Account) account(c echo.Context) (a views.AccountPage, err error) {
	who := session.User(c)
	a = views.AccountPage{Email: who.Email, Name: who.Name, Role: who.Role.Label(), Practice: who.Practice.Name}
	practices, err := h.auth.Practices(c.Request().Context(), who.ID)
	if err != nil {
		return a, err
	}
	names := map[store.PracticeID]string{}
	for _, p := range practices {
		names[p.ID] = p.Name
		if len(practices) > 1 {
			a.Practices = append(a.Practices, views.Choice{Value: fmt.Sprint(p.ID), Label: p.Name, Chosen: p.ID == who.Practice.ID})
		}
	}
	factors, err := h.auth.SecondFactors(c.Request().Context(), who.ID)
	if err != nil {
		return a, err
	}
	a.FactorOn, a.Codes, a.PasskeyOrigin = factors.App, factors.Codes, h.auth.PasskeyOrigin()
	if a.Passkeys, err = h.passkeyRows(c); err != nil {
		return a, err
	}
	if a.Linked, err = h.linkedRows(c); err != nil {
		return a, err
	}
	sessions, err := h.auth.SessionsOf(c.Request().Context(), who.ID)
	for _, open := range sessions {
		a.Sessions = append(a.Sessions, views.SessionRow{
			Handle: open.Handle, Agent: browserName(open.Agent), Practice: names[open.Practice],
			Since: views.Moment(open.Since, session.Zone(c)), Seen: views.Moment(open.SeenAt, session.Zone(c)), Here: open.Handle == h.Sessions.Handle(c),
		})
	}
	return a, err
}

// browserName returns the name by which people know a browser, such as Edge. agent is the browser's
// user agent.
func browserName(agent string) string {
	first := func(names [][2]string, none string) string {
		for _, n := range names {
			if strings.Contains(agent, n[0]) {
				return n[1]
			}
		}
		return none
	}
	browser := first([][2]string{
		{"Edg", "Edge"}, {"OPR/", "Opera"}, {"Firefox/", "Firefox"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"},
	}, "A browser")
	system := first([][2]string{
		{"Windows", "Windows"}, {"Android", "Android"}, {"iPhone", "an iPhone"}, {"iPad", "an iPad"}, {"Mac OS", "a Mac"}, {"Linux", "Linux"},
	}, "an unknown system")
	return browser + " on " + system
}

// accountMistake shows the account page again and states what was wrong. If the user must first set
// up a second factor, it shows the page that sets one up.
func (h *Account) accountMistake(c echo.Context, err error, fields map[error]string) error {
	a, readErr := h.account(c)
	if readErr != nil {
		return readErr
	}
	title, page := accountTitle, views.Account
	if session.User(c).LacksSecondFactor {
		title, page = secondFactorTitle, views.SecondFactorRequired
	}
	return h.Mistake(c, err, fields, title, page(a))
}

// PostPractice switches the session to another practice of the user. It discards what the session
// stored for the previous practice.
func (h *Account) PostPractice(c echo.Context) error {
	id, err := strconv.ParseInt(pages.Posted(c).Get("practice"), 10, 64)
	if err != nil {
		return pages.ErrNotFound
	}
	err = h.auth.SwitchPractice(c.Request().Context(), session.User(c), store.PracticeID(id))
	if errors.Is(err, auth.ErrNoMembership) {
		return pages.ErrNotFound
	}
	if err != nil {
		return err
	}
	return h.workIn(c, store.PracticeID(id))
}

// workIn switches the session to one of the user's practices, and redirects to the home page. It
// removes from the session what belongs to the previous practice, and gives the session a new
// token.
func (h *Account) workIn(c echo.Context, p store.PracticeID) error {
	h.Sessions.Empty(c)
	h.Sessions.Put(c.Request().Context(), auth.SessionPractice, int64(p))
	if err := h.Sessions.Renew(c); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/registry")
}

func (h *Account) PostPassword(c echo.Context) error {
	form := pages.Posted(c)
	err := h.auth.ChangePassword(session.User(c), form.Get("present"), form.Get("next"), h.Sessions.Handle(c))
	if err != nil {
		return h.accountMistake(c, wrongPassword(err), map[error]string{
			errPassword:         "present",
			auth.ErrBadPassword: "next",
		})
	}
	return h.changed(c, "Your password is changed. Your other sessions have ended.", "/account")
}

// changed gives the session a new token, because the user's ways to sign in have changed. It then
// redirects to the address next, where the page shows the message done, unless the message is "".
func (h *Account) changed(c echo.Context, done, next string) error {
	if err := h.Sessions.Renew(c); err != nil {
		return err
	}
	if done != "" {
		h.Sessions.Flash(c, done)
	}
	return c.Redirect(http.StatusSeeOther, next)
}

func (h *Account) PostEndSession(c echo.Context) error {
	if err := h.auth.EndSession(session.User(c), pages.Posted(c).Get("session")); err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	return h.Done(c, "/account", "That session has ended.")
}

func (h *Account) PostEndOthers(c echo.Context) error {
	if err := h.auth.EndOtherSessions(session.User(c), h.Sessions.Handle(c)); err != nil {
		return err
	}
	return h.Done(c, "/account", "Your other sessions have ended.")
}

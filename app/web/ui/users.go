package ui

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"birthregistry/app/auth"
	"birthregistry/app/sso"
	"birthregistry/app/web/pages"
	"birthregistry/app/web/session"
	"birthregistry/store"
	"birthregistry/views"
)

// linkKey is the session's key for a new invitation link or reset link, which a page shows once.
// The value consists of three lines: the link's address, its user and its expiry.
const linkKey = "link"

const invitePath = "/registry/users/invite"

// Users serves the pages on which an admin manages the users of a practice.
type Users struct {
	*pages.Pages
	auth *auth.Service
	sso  *sso.Service
}

func (h *Users) GetUsers(c echo.Context) error {
	members, err := h.auth.Members(c.Request().Context(), session.User(c))
	if err != nil {
		return err
	}
	rows := make([]views.UserRow, len(members))
	for i, m := range members {
		rows[i] = userRow(m, session.Zone(c))
	}
	return h.Render(c, http.StatusOK, "Users", views.Users(rows))
}

func userRow(m store.Member, zone *time.Location) views.UserRow {
	row := views.UserRow{
		Href: userPath(m.User), Name: m.Name, Email: m.Email, Role: auth.Role(m.Role).Label(),
		State: "Active", StateKind: "good", SecondFactor: "Off", SignedIn: "Never", Sessions: m.Sessions,
	}
	switch passkeys := views.Count(m.Passkeys, "passkey", "passkeys"); {
	case m.App && m.Passkeys > 0:
		row.SecondFactor = "Authenticator app, " + passkeys
	case m.App:
		row.SecondFactor = "Authenticator app"
	case m.Passkeys > 0:
		row.SecondFactor = passkeys
	}
	row.SSO = cmp.Or(m.SSO, "No")
	if m.SignedInAt != nil {
		row.SignedIn = views.Moment(*m.SignedInAt, zone)
	}
	switch {
	case m.Barred:
		row.State, row.StateKind = "Disabled by the operator", "bad"
	case m.DisabledAt != nil:
		row.State, row.StateKind = "Disabled", "bad"
	case m.Invited && m.InvitedUntil != nil:
		row.State, row.StateKind = "Invited", "warn"
	case m.Invited:
		row.State, row.StateKind = "Invitation expired", "warn"
	}
	return row
}

func userPath(user int64) string { return fmt.Sprintf("/registry/users/%d", user) }

// roleChoices returns the roles as choices, with their descriptions. The role chosen is selected.
func roleChoices(chosen auth.Role) []views.Choice {
	choices := make([]views.Choice, len(auth.Roles))
	for i, r := range auth.Roles {
		choices[i] = views.Choice{Value: string(r.Role), Label: r.Label, Hint: r.About, Chosen: r.Role == chosen}
	}
	return choices
}

func (h *Users) GetInvite(c echo.Context) error {
	return h.Render(c, http.StatusOK, "Invite somebody", views.Invite(views.InviteForm{Roles: roleChoices("")}))
}

func (h *Users) PostInvite(c echo.Context) error {
	values := pages.Posted(c)
	role := auth.Role(values.Get("role"))
	form := views.InviteForm{Email: values.Get("email"), Name: values.Get("name"), Roles: roleChoices(role)}
	status, mistakes, err := confirmAccess(c, h.Pages, h.auth, "password", invitePath)
	if err != nil {
		return err
	}
	if status != 0 {
		return h.Render(c, status, "Invite somebody", views.Invite(form), mistakes...)
	}
	link, err := h.auth.Invite(session.User(c), form.Email, form.Name, role)
	if err != nil {
		fields := map[error]string{
			auth.ErrBadEmail: "email", auth.ErrEmailLetter: "email", auth.ErrMember: "email",
			auth.ErrBadName: "name", auth.ErrBadRole: "role",
		}
		return h.Mistake(c, err, fields, "Invite somebody", views.Invite(form))
	}
	return h.showLink(c, link, strings.ToLower(strings.TrimSpace(form.Email)))
}

// showLink makes the next page show a link once.
func (h *Users) showLink(c echo.Context, link auth.NewLink, email string) error {
	shown := strings.Join([]string{link.Path(), email, views.Moment(link.Expires, session.Zone(c))}, "\n")
	h.Sessions.Put(c.Request().Context(), linkKey, shown)
	return c.Redirect(http.StatusSeeOther, "/registry/users/link")
}

func (h *Users) GetLink(c echo.Context) error {
	lines := strings.Split(h.Sessions.PopString(c.Request().Context(), linkKey), "\n")
	if len(lines) != 3 {
		return h.Render(c, http.StatusOK, "Link", views.LinkOnce(nil))
	}
	page, code, _ := strings.Cut(lines[0], "#")
	return h.Render(c, http.StatusOK, "Link", views.LinkOnce(&views.MadeLink{
		URL: h.Environment.BaseURL + lines[0], Code: code, Email: lines[1], Until: lines[2], Reset: page == "/reset",
	}))
}

// userOf returns the user of this practice whose ID is in the path.
func (h *Users) userOf(c echo.Context) (store.Member, error) {
	return h.auth.Member(c.Request().Context(), session.User(c), idParam(c, "user"))
}

func (h *Users) GetUser(c echo.Context) error { return h.userPage(c, http.StatusOK) }

// userPage shows the page of a user. If an action was refused, the page states why, and keeps the
// role that the admin has chosen.
func (h *Users) userPage(c echo.Context, status int, mistakes ...views.Mistake) error {
	m, err := h.userOf(c)
	if err != nil {
		return err
	}
	page := views.UserPage{
		UserRow: userRow(m, session.Zone(c)), Base: userPath(m.User), Own: m.User == session.User(c).ID, Invited: m.Invited, Disabled: m.DisabledAt != nil, Barred: m.Barred,
		Elsewhere: m.Elsewhere, Roles: roleChoices(auth.Role(m.Role)),
	}
	if form := pages.Posted(c); form.Has("role") {
		page.Roles = roleChoices(auth.Role(form.Get("role")))
	}
	// The page doesn't offer an action that would be refused (auth.ResetSecondFactor).
	page.Factor = (m.App || m.Passkeys > 0) && !m.Elsewhere && auth.Role(m.Role) != auth.Admin && !page.Own
	if m.InvitedUntil != nil {
		page.Until = views.Moment(*m.InvitedUntil, session.Zone(c))
	}
	return h.Render(c, status, m.Name, views.User(page), mistakes...)
}

// refusals lists the errors that the page of a user explains when an action on the user is refused.
var refusals = []error{
	auth.ErrLastAdmin, auth.ErrElsewhere, auth.ErrOwn, auth.ErrAdminSecondFactor, auth.ErrDisabled, auth.ErrPending, auth.ErrBadRole,
}

// refusedOr shows the page of the user again, with the reason why the action was refused. If the
// error has no such reason, refusedOr returns it.
func (h *Users) refusedOr(c echo.Context, err error) error {
	for _, refusal := range refusals {
		if errors.Is(err, refusal) {
			field := "access"
			if refusal == auth.ErrBadRole {
				field = "role"
			}
			return h.userPage(c, http.StatusUnprocessableEntity, views.Mistake{Name: field, Text: pages.Words(refusal)})
		}
	}
	return err
}

// GetUserDecision returns the handler that asks for confirmation before an action that affects a
// user immediately. what is the action: "disable", or "factor" for removing the second factor.
func (h *Users) GetUserDecision(what string) echo.HandlerFunc {
	return func(c echo.Context) error { return h.decisionPage(c, what, http.StatusOK) }
}

func (h *Users) decisionPage(c echo.Context, what string, status int, mistakes ...views.Mistake) error {
	m, err := h.userOf(c)
	if err != nil {
		return err
	}
	d := views.UserDecision{
		Confirms: what == "factor", Name: m.Name, Email: m.Email, Base: userPath(m.User), Action: userPath(m.User) + "/" + what,
		Title: "Disable " + m.Name + "?", Do: "Disable " + m.Name,
		Says: "They are signed out at once and cannot sign in to this practice until you enable them again. Records they wrote stay.",
	}
	switch {
	case what == "factor":
		d.Title, d.Do = "Remove the second factor of "+m.Name+"?", "Remove it"
		d.Says = "Their authenticator app, passkeys and recovery codes no longer work, and they are signed out at once. " +
			"Until they set up a new second factor, they sign in with their password alone."
	case m.User == session.User(c).ID:
		d.Title, d.Do = "Disable your own access?", "Disable my access"
		d.Says = "You are signed out at once and cannot sign in to this practice until another admin enables you again. Records you wrote stay."
	case m.Invited:
		d.Says = "The invitation stops working. To invite them again, enable them and make a new invitation."
	}
	return h.Render(c, status, d.Title, views.DecideUser(d), mistakes...)
}

// GivesAccess returns a handler that makes an admin confirm their identity and then calls act. act
// gives a user access.
func (h *Users) GivesAccess(act echo.HandlerFunc) echo.HandlerFunc {
	return h.confirms(act, "", h.userPage)
}

// EasesSignIn returns a handler that makes an admin confirm their identity and then calls act. act
// removes a user's second factor, which makes signing in easier.
func (h *Users) EasesSignIn(act echo.HandlerFunc) echo.HandlerFunc {
	return h.confirms(act, "/factor", func(c echo.Context, status int, mistakes ...views.Mistake) error {
		return h.decisionPage(c, "factor", status, mistakes...)
	})
}

// confirms returns a handler that makes an admin confirm their identity, and then calls act. If the
// confirmation fails, the handler calls again instead, which shows the page of the form again with
// the mistakes. page is the end of that page's path, after the path of the user.
func (h *Users) confirms(act echo.HandlerFunc, page string, again func(echo.Context, int, ...views.Mistake) error) echo.HandlerFunc {
	return func(c echo.Context) error {
		m, err := h.userOf(c)
		if err != nil {
			return err
		}
		status, mistakes, err := confirmAccess(c, h.Pages, h.auth, "password", userPath(m.User)+page)
		if err != nil {
			return err
		}
		if status != 0 {
			return again(c, status, mistakes...)
		}
		return act(c)
	}
}

// UserAct returns the handler of a button on a user's page. The handler calls act, and then shows
// the message done.
func (h *Users) UserAct(act func(*auth.Service, auth.User, int64) error, done string) echo.HandlerFunc {
	return func(c echo.Context) error {
		m, err := h.userOf(c)
		if err != nil {
			return err
		}
		if err := act(h.auth, session.User(c), m.User); err != nil {
			return h.refusedOr(c, err)
		}
		return h.Done(c, userPath(m.User), done)
	}
}

func (h *Users) PostRole(c echo.Context) error {
	role := auth.Role(pages.Posted(c).Get("role"))
	m, err := h.userOf(c)
	if err != nil {
		return err
	}
	if role.GivesMore(auth.Role(m.Role)) {
		status, mistakes, err := confirmAccess(c, h.Pages, h.auth, "role-password", userPath(m.User))
		if err != nil {
			return err
		}
		if status != 0 {
			return h.userPage(c, status, mistakes...)
		}
	}
	return h.UserAct(func(a *auth.Service, who auth.User, user int64) error {
		return a.SetRole(who, user, role)
	}, "Their role is changed, and they are signed out.")(c)
}

func (h *Users) PostLink(c echo.Context) error {
	m, err := h.userOf(c)
	if err != nil {
		return err
	}
	link, err := h.auth.Link(session.User(c), m.User)
	if err != nil {
		return h.refusedOr(c, err)
	}
	return h.showLink(c, link, m.Email)
}

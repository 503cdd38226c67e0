package web

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"birthregistry/app/access"
	"birthregistry/store"
	"birthregistry/views"
)

// linkKey is what a session holds of a link that is to be shown once: its
// address, whose it is and until when, in lines.
const linkKey = "link"

func (s *Server) userRoutes() []route {
	admin := s.signedIn(access.UserManage)
	const one = "/registry/users/:user"
	return []route{
		{http.MethodGet, "/registry/users", admin, s.getUsers},
		{http.MethodPost, "/registry/users", admin, s.postInvite},
		{http.MethodGet, "/registry/users/invite", admin, s.getInvite},
		{http.MethodGet, "/registry/users/link", admin, s.getLink},
		{http.MethodGet, one, admin, s.getUser},
		{http.MethodPost, one + "/role", admin, s.postRole},
		{http.MethodPost, one + "/link", admin, s.postLink},
		{http.MethodGet, one + "/disable", admin, s.getUserDecision("disable")},
		{http.MethodGet, one + "/factor", admin, s.getUserDecision("factor")},
		{http.MethodPost, one + "/disable", admin, s.userAct((*access.Access).Disable, "They are disabled and signed out.")},
		{http.MethodPost, one + "/enable", admin, s.userAct((*access.Access).Enable, "They can sign in again.")},
		{http.MethodPost, one + "/end-sessions", admin, s.userAct((*access.Access).EndSessions, "Their sessions have ended.")},
		{http.MethodPost, one + "/factor", admin, s.userAct((*access.Access).ResetFactor, "Their second factor is off; they are signed out.")},
	}
}

func (s *Server) getUsers(c echo.Context) error {
	members, err := s.access.Members(c.Request().Context(), person(c))
	if err != nil {
		return err
	}
	rows := make([]views.UserRow, len(members))
	for i, m := range members {
		rows[i] = userRow(m, zone(c))
	}
	return s.page(c, http.StatusOK, "Users", views.Users(rows))
}

func userRow(m store.Member, zone *time.Location) views.UserRow {
	row := views.UserRow{
		Href: userPath(m.User), Name: m.Name, Email: m.Email, Role: access.Role(m.Role).Label(),
		State: "Active", StateKind: "good", SecondFactor: "Off", SignedIn: "Never", Sessions: m.Sessions,
	}
	if m.TwoFactors {
		row.SecondFactor = "On"
	}
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
		row.State, row.StateKind = "Invitation ran out", "warn"
	}
	return row
}

func userPath(user int64) string { return fmt.Sprintf("/registry/users/%d", user) }

// roleChoices are the roles with what each may do.
func roleChoices(chosen access.Role) []views.Choice {
	choices := make([]views.Choice, len(access.Roles))
	for i, r := range access.Roles {
		choices[i] = views.Choice{Value: string(r.Role), Label: r.Label, Hint: r.About, Chosen: r.Role == chosen}
	}
	return choices
}

func (s *Server) getInvite(c echo.Context) error {
	return s.page(c, http.StatusOK, "Invite somebody", views.Invite(views.InviteForm{Roles: roleChoices("")}))
}

func (s *Server) postInvite(c echo.Context) error {
	values, err := smallForm(c)
	if err != nil {
		return err
	}
	role := access.Role(values.Get("role"))
	form := views.InviteForm{Email: values.Get("email"), Name: values.Get("name"), Roles: roleChoices(role)}
	link, err := s.access.Invite(person(c), form.Email, form.Name, role)
	if err != nil {
		fields := map[error]string{
			access.ErrBadEmail: "email", access.ErrMember: "email",
			access.ErrBadName: "name", access.ErrBadRole: "role",
		}
		if errors.Is(err, access.ErrBadRole) {
			err = access.ErrBadRole
		}
		return s.mistake(c, err, fields, "Invite somebody", func(m []views.Mistake) templ.Component {
			form.Mistakes = m
			return views.Invite(form)
		})
	}
	return s.showLink(c, link, strings.ToLower(strings.TrimSpace(form.Email)))
}

// showLink shows a link on the next page, once.
func (s *Server) showLink(c echo.Context, link access.NewLink, email string) error {
	kept := strings.Join([]string{link.Path(), email, views.Moment(link.Expires, zone(c))}, "\n")
	s.sessions.Put(c.Request().Context(), linkKey, kept)
	return c.Redirect(http.StatusSeeOther, "/registry/users/link")
}

func (s *Server) getLink(c echo.Context) error {
	lines := strings.Split(s.sessions.PopString(c.Request().Context(), linkKey), "\n")
	if len(lines) != 3 {
		return s.page(c, http.StatusOK, "Link", views.LinkOnce(nil))
	}
	page, code, _ := strings.Cut(lines[0], "#")
	return s.page(c, http.StatusOK, "Link", views.LinkOnce(&views.MadeLink{
		URL: s.settings.BaseURL + lines[0], Code: code, Email: lines[1], Until: lines[2], Reset: page == "/reset",
	}))
}

// userOf finds the person of the practice that a path names.
func (s *Server) userOf(c echo.Context) (m store.Member, err error) {
	id, err := strconv.ParseInt(c.Param("user"), 10, 64)
	if err != nil {
		return m, noPage
	}
	m, err = s.access.Member(c.Request().Context(), person(c), id)
	if errors.Is(err, store.ErrNotFound) {
		err = noPage
	}
	return m, err
}

func (s *Server) getUser(c echo.Context) error { return s.userPage(c, nil) }

// userPage shows a person, with what an act on them was refused for.
func (s *Server) userPage(c echo.Context, refused error) error {
	m, err := s.userOf(c)
	if err != nil {
		return err
	}
	page := views.UserPage{
		UserRow: userRow(m, zone(c)), Base: userPath(m.User), Invited: m.Invited, Disabled: m.DisabledAt != nil, Barred: m.Barred,
		Elsewhere: m.Elsewhere, Roles: roleChoices(access.Role(m.Role)),
	}
	// What would be refused is not offered (access.ResetFactor).
	page.Factor = m.TwoFactors && !m.Elsewhere && access.Role(m.Role) != access.Admin && m.User != person(c).User
	if m.InvitedUntil != nil {
		page.Until = views.Moment(*m.InvitedUntil, zone(c))
	}
	status := http.StatusOK
	if refused != nil {
		status = http.StatusUnprocessableEntity
		page.Mistakes = []views.Mistake{{Name: "access", Text: words(refused)}}
		if errors.Is(refused, access.ErrBadRole) {
			page.Mistakes[0].Name = "role"
		}
	}
	return s.page(c, status, m.Name, views.User(page))
}

// refusals are what an act on a person may be refused for; the page says so.
var refusals = []error{
	access.ErrLastAdmin, access.ErrElsewhere, access.ErrOwn, access.ErrAdminFactor, access.ErrDisabled, access.ErrPending, access.ErrBadRole,
}

// refusedOr shows the person again when an act was refused.
func (s *Server) refusedOr(c echo.Context, err error) error {
	for _, refusal := range refusals {
		if errors.Is(err, refusal) {
			return s.userPage(c, refusal)
		}
	}
	return err
}

// getUserDecision asks before something is done to a person that they feel at
// once.
func (s *Server) getUserDecision(what string) echo.HandlerFunc {
	return func(c echo.Context) error {
		m, err := s.userOf(c)
		if err != nil {
			return err
		}
		d := views.UserDecision{
			Name: m.Name, Email: m.Email, Base: userPath(m.User), Action: userPath(m.User) + "/" + what,
			Title: "Disable " + m.Name + "?", Do: "Disable " + m.Name,
			Says: "They are signed out at once and cannot sign in to this practice until you enable them again. What they wrote stays.",
		}
		if what == "factor" {
			d.Title, d.Do = "Take the second factor of "+m.Name+" away?", "Take it away"
			d.Says = "They are signed out at once, and their password alone lets them in until they set up a new one."
		}
		return s.page(c, http.StatusOK, d.Title, views.DecideUser(d))
	}
}

// userAct answers a button on a person's page.
func (s *Server) userAct(act func(*access.Access, access.Person, int64) error, said string) echo.HandlerFunc {
	return func(c echo.Context) error {
		m, err := s.userOf(c)
		if err != nil {
			return err
		}
		if err := act(s.access, person(c), m.User); err != nil {
			return s.refusedOr(c, err)
		}
		s.flash(c, said)
		return c.Redirect(http.StatusSeeOther, userPath(m.User))
	}
}

func (s *Server) postRole(c echo.Context) error {
	form, err := smallForm(c)
	if err != nil {
		return err
	}
	role := access.Role(form.Get("role"))
	return s.userAct(func(a *access.Access, who access.Person, user int64) error {
		return a.SetRole(who, user, role)
	}, "Their role is changed; they are signed out.")(c)
}

func (s *Server) postLink(c echo.Context) error {
	m, err := s.userOf(c)
	if err != nil {
		return err
	}
	link, err := s.access.Link(person(c), m.User)
	if err != nil {
		return s.refusedOr(c, err)
	}
	return s.showLink(c, link, m.Email)
}

package web

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"birthregistry/app/auth"
	"birthregistry/app/web/pages"
	"birthregistry/app/web/session"
	"birthregistry/app/web/ui"
)

// visited opens the session of a page, refuses forms from other sites, and renders
// errors while the session is open, so that they look like every other page.
func (s *Server) visited(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		s.pages.Headers(c.Response().Header()) // for redirects, too
		pages.LimitBody(c)
		err := s.sessions.Open(c)
		if err == nil {
			err = s.sessions.Recognize(c)
		}
		if err == nil {
			err = s.fromOwnPage(c.Request())
		}
		if err == nil {
			err = s.survive(next, c)
		}
		if errors.Is(err, auth.ErrSessionEnded) {
			err = s.askToSignIn(c, leave)
		}
		if err != nil {
			s.renderError(err, c)
		}
		return nil
	}
}

// public guards a page that needs no sign-in.
func (s *Server) public(next echo.HandlerFunc) echo.HandlerFunc {
	return s.visited(pages.WithForm(next))
}

// signedIn guards a page. It requires a signed-in user with the permission and, if the practice
// requires one, with a second factor. It refuses a form that was made for another user or practice.
// It sends visitors who aren't signed in to the sign-in page, which sends them back afterward.
func (s *Server) signedIn(permission auth.Permission) echo.MiddlewareFunc {
	return s.owned(s.permitted(permission, leave))
}

// file guards a GET that is answered with a download, or with data for a script, instead of a page.
// It is like signedIn, but the sign-in doesn't lead back to the address.
func (s *Server) file(permission auth.Permission) echo.MiddlewareFunc {
	guard := s.signedIn(permission)
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		next = guard(next)
		return func(c echo.Context) error {
			session.IsNoPage(c)
			return next(c)
		}
	}
}

// leaving answers a visitor who may not continue, usually by redirecting them to path, for example
// to the sign-in page.
type leaving func(c echo.Context, path string) error

func leave(c echo.Context, path string) error { return c.Redirect(http.StatusSeeOther, path) }

// settingUp guards the pages that a user may open without the second factor that their practice
// requires, such as the pages on which they set it up.
func (s *Server) settingUp(next echo.HandlerFunc) echo.HandlerFunc {
	return s.owned(s.recognized(auth.SignedIn, leave))(next)
}

// owned adds two steps to a guard. It refuses a form that was made for another user or practice,
// and it takes a passkey's answer from the form (WithProof).
func (s *Server) owned(guard echo.MiddlewareFunc) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		next = s.ui.Account.WithProof(next)
		return guard(pages.WithForm(func(c echo.Context) error {
			if err := asOwner(c, session.User(c)); err != nil {
				return err
			}
			return next(c)
		}))
	}
}

// permitted requires a user with the permission, and with a second factor if the practice requires
// one. It sends visitors to the sign-in page, and users who lack the second factor to the page that
// sets one up. A user without the permission gets pages.ErrRole.
func (s *Server) permitted(permission auth.Permission, leave leaving) echo.MiddlewareFunc {
	guard := s.recognized(permission, leave)
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return guard(func(c echo.Context) error {
			if !session.User(c).LacksSecondFactor {
				return next(c)
			}
			s.sessions.RememberRequest(c)
			if c.Request().Method == http.MethodPost {
				s.sessions.Flash(c, "Nothing was changed. Set up a second factor first, then send the form again.")
			}
			return leave(c, ui.SecondFactorPath)
		})
	}
}

// recognized requires a user with the permission. It sends visitors to the sign-in page. A user
// without the permission gets pages.ErrRole.
func (s *Server) recognized(permission auth.Permission, leave leaving) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return s.visited(func(c echo.Context) error {
			who, ok := session.SignedIn(c)
			if !ok {
				return s.askToSignIn(c, leave)
			}
			if !who.May(permission) {
				s.sessions.RefuseChart(c, permission)
				return pages.ErrRole
			}
			defer s.auth.KeepSeen(s.log, func() auth.User { return session.User(c) })()
			err := next(c)
			if errors.Is(err, auth.ErrSessionEnded) {
				return s.askToSignIn(c, leave)
			}
			return err
		})
	}
}

// askToSignIn sends a visitor without a session, or with one that ended during the request, to the
// sign-in page.
func (s *Server) askToSignIn(c echo.Context, leave leaving) error {
	if c.Response().Committed {
		return auth.ErrSessionEnded
	}
	if _, was := session.SignedIn(c); was {
		if err := s.sessions.Fresh(c); err != nil {
			return err
		}
	}
	s.sessions.RememberPage(c, s.pageOfForm(c))
	return leave(c, "/sign-in")
}

// pageOfForm returns the page from which a form was sent. After the sign-in, the visitor returns to
// that page, but what they typed is lost. pageOfForm returns "" if no form was sent, or if the page
// can't be opened with a GET, for example because it was the answer to another form.
func (s *Server) pageOfForm(c echo.Context) string {
	from, err := url.Parse(c.Request().Referer())
	if err != nil || c.Request().Method != http.MethodPost {
		return ""
	}
	if !s.answersGet(from.Path) {
		return ""
	}
	return from.RequestURI()
}

// keepsTyped guards the submission of the record form. It is like signedIn, with two differences.
// If the session has ended, or a second factor is required now, it keeps what was typed. If the
// form was made for another user, the handler deals with it.
func (s *Server) keepsTyped(permission auth.Permission) echo.MiddlewareFunc {
	return s.permitted(permission, func(c echo.Context, path string) error {
		if s.networks.allow(auth.Network(c.RealIP())).allowed { // limits how much visitors who aren't signed in can store
			s.ui.Form.KeepTyped(c)
		}
		if s.ui.Form.AsksScript(c) {
			return s.ui.Form.NotKept(c)
		}
		return leave(c, path)
	})
}

// callbackRate is how many requests an address may send in a minute to the callback of EHR launches
// (spec, "Limits": the limiter named smart-callback).
const callbackRate = 10

// signInRate is how many requests an address may send in a minute to the callback of identity
// providers. It is high because the colleagues of a practice share an address and begin their
// shifts together.
const signInRate = 60

// throttled guards a public page with a limiter. It checks the limiter before anything else, and
// returns tooMany beyond the limit.
func (s *Server) throttled(name string, l *limiter[string], tooMany error) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return limited(name, l, tooMany, s.public(next))
	}
}

// limited limits the requests of each address (for IPv6: of each /64 network). It states the limit
// in the response headers, under the limiter's name. It returns tooMany for a request beyond the
// limit.
func limited(name string, l *limiter[string], tooMany error, next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		v := l.allow(auth.Network(c.RealIP()))
		v.describe(name, c.Response().Header())
		if !v.allowed {
			return tooMany
		}
		return next(c)
	}
}

// throttlesAnswers guards the callback of identity providers. It counts only answers to a sign-in
// that the visitor's own session began, because only these make the service send its client secret.
// It must not count other requests: another site can make a browser request the callback unnoticed,
// and would use up the limit of the visitor's colleagues.
func (s *Server) throttlesAnswers(next echo.HandlerFunc) echo.HandlerFunc {
	counted := limited("sign-in-callback", s.signIns, ui.TooManySignIns, next)
	return s.public(func(c echo.Context) error {
		if s.ui.Account.AnswersSSO(c) {
			return counted(c)
		}
		return next(c)
	})
}

// asOwner returns an error if a short form or an uploaded file was made for another user or
// practice.
func asOwner(c echo.Context, who auth.User) error {
	made := pages.Posted(c).Get("owner")
	if c.Request().Method == http.MethodPost && c.Path() == pages.ImportPath {
		made = c.QueryParam("owner")
	}
	if pages.IsForAnother(who, made) {
		return pages.NewError(
			http.StatusConflict, "You have switched practices or users",
			pages.NowIn(who)+" The form was opened in another practice or by somebody else. Nothing was changed. "+
				"Open the page again here, or switch back first.",
			"/account", "Go to your account",
		)
	}
	return nil
}

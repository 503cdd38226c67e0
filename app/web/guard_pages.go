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

// visited opens the session of a page and refuses forms from other sites. It renders errors while
// the session is open, so that an error page looks like every other page.
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

// public guards a page that anybody may open without signing in.
func (s *Server) public(next echo.HandlerFunc) echo.HandlerFunc {
	return s.visited(pages.WithForm(next))
}

// signedIn guards a page. It requires a signed-in user with the permission, and with a second
// factor if the practice requires one. It refuses a form that was made for another user or
// practice. It sends visitors who aren't signed in to the sign-in page, from which they return
// afterward.
func (s *Server) signedIn(permission auth.Permission) echo.MiddlewareFunc {
	return s.owned(s.permitted(permission, leave))
}

// file guards a GET request whose answer isn't a page but a download, or data for a script. It is
// like signedIn, except that users don't return to the address after signing in.
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
// requires, such as the pages that set up a second factor.
func (s *Server) settingUp(next echo.HandlerFunc) echo.HandlerFunc {
	return s.owned(s.recognized(auth.SignedIn, leave))(next)
}

// owned returns a guard that adds two steps to the given guard. It refuses a form that was made for
// another user or practice. It also reads a passkey's answer from the form (WithProof).
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
// one. It sends visitors who aren't signed in to the sign-in page. It sends users who lack the
// second factor to the page that sets one up. It returns pages.ErrRole for a user without the
// permission.
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

// atOnce is how many requests of one user are handled at the same time, as many as a browser sends
// over HTTP/1. Further ones wait. Otherwise one user could make the service open a hundred long
// receipts or spreadsheets at once, which would take its memory and processors from everybody else.
const atOnce = 6

// recognized requires a user with the permission. It sends visitors who aren't signed in to the
// sign-in page. It returns pages.ErrRole for a user without the permission.
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
			done, err := s.users.Take(c.Request().Context(), who.ID)
			if err != nil {
				return err
			}
			defer done()
			defer s.auth.KeepSeen(s.log, func() auth.User { return session.User(c) })()
			err = next(c)
			if errors.Is(err, auth.ErrSessionEnded) {
				return s.askToSignIn(c, leave)
			}
			return err
		})
	}
}

// askToSignIn sends a visitor to the sign-in page. The visitor has no session, or their session has
// ended during the request.
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

// pageOfForm returns the page from which a form was sent. The visitor returns to this page after
// signing in, but what they typed is lost. pageOfForm returns "" if no form was sent. It also
// returns "" if a GET request can't open the page, for example because the page was the answer to
// another form.
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

// keepsTyped guards the submission of the form of a birth. It is like signedIn, with two
// differences. If the session has ended, or a second factor is now required, keepsTyped stores what
// the user typed. If the form was made for another user, it still calls the handler, which deals
// with such a form.
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

// callbackRate is how many requests per minute an address may send to the callback of EHR launches
// (spec, "Limits": the limiter named smart-callback).
const callbackRate = 10

// signInRate is how many requests per minute an address may send to the callback of identity
// providers. It is high because the users of a practice share an address and begin their shifts at
// the same time.
const signInRate = 60

// throttled guards a public page with a limiter. It checks the limit before it does anything else,
// and returns tooMany if a request exceeds the limit.
func (s *Server) throttled(name string, l *limiter[string], tooMany error) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return limited(name, l, tooMany, s.public(next))
	}
}

// limited limits the requests from each IP address. For IPv6, it limits each /64 network. The
// response headers state the limit under the limiter's name. limited returns tooMany for a request
// that exceeds the limit.
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

// throttlesAnswers guards the callback of identity providers. It counts a request only if it
// answers a sign-in that the visitor's own session has begun, because only such a request makes the
// service send its client secret. It must not count other requests. Another site can make a browser
// request the callback unnoticed, and would use up the limit of the visitor's colleagues.
func (s *Server) throttlesAnswers(next echo.HandlerFunc) echo.HandlerFunc {
	counted := limited("sign-in-callback", s.signIns, ui.TooManySignIns, next)
	return s.public(func(c echo.Context) error {
		if s.ui.Account.AnswersSSO(c) {
			return counted(c)
		}
		return next(c)
	})
}

// asOwner returns an error if a form or an uploaded file was made for another user or practice. It
// doesn't check the form of a birth.
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

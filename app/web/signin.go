package web

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"birthregistry/app/access"
	"birthregistry/store"
	"birthregistry/views"
)

// What a session holds between the two steps of a sign-in.
const (
	verifyUser     = "verify-user"     // int64
	verifyPractice = "verify-practice" // int64
	verifyUntil    = "verify-until"    // int64: Unix milliseconds
	verifyStamp    = "verify-stamp"    // string: access.Entry's
	verifyLife     = 10 * time.Minute
)

func (s *Server) signInRoutes() []route {
	return []route{
		{http.MethodGet, "/sign-in", s.public, s.getSignIn},
		{http.MethodPost, "/sign-in", s.public, s.postSignIn},
		{http.MethodGet, "/sign-in/verify", s.public, s.getVerify},
		{http.MethodPost, "/sign-in/verify", s.public, s.postVerify},
		{http.MethodPost, "/sign-out", s.public, s.postSignOut},
	}
}

// words turns an error that is meant for people into a sentence.
func words(err error) string {
	text := strings.TrimPrefix(err.Error(), "access: ")
	text, _, _ = strings.Cut(text, "\n")
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:] + "."
}

// mistake renders a form again with what is wrong with one of its fields: 422,
// or 429 with the seconds to wait. Another error is returned as it is.
func (s *Server) mistake(c echo.Context, err error, fields map[error]string, title string, form func([]views.Mistake) templ.Component) error {
	status, name := http.StatusUnprocessableEntity, ""
	for known, field := range fields {
		if errors.Is(err, known) {
			name = field
		}
	}
	if wait := (access.Wait{}); errors.As(err, &wait) {
		status, name = http.StatusTooManyRequests, fields[nil]
		c.Response().Header().Set("Retry-After", fmt.Sprint(wait.Seconds()))
		err = wait
	}
	if name == "" {
		return err
	}
	return s.page(c, status, title, form([]views.Mistake{{Name: name, Text: words(err)}}))
}

func (s *Server) getSignIn(c echo.Context) error {
	if c.Get(personKey) != nil {
		return c.Redirect(http.StatusSeeOther, "/registry")
	}
	return s.page(c, http.StatusOK, "Sign in", views.SignIn(views.SignInForm{}))
}

func (s *Server) postSignIn(c echo.Context) error {
	form, err := smallForm(c)
	if err != nil {
		return err
	}
	email := form.Get("email")
	entry, err := s.access.SignIn(c.Request().Context(), email, form.Get("password"), access.Visitor{Address: c.RealIP(), Marks: s.marks(c)})
	if err != nil {
		fields := map[error]string{nil: "email", access.ErrSignIn: "email"}
		return s.mistake(c, err, fields, "Sign in", func(m []views.Mistake) templ.Component {
			return views.SignIn(views.SignInForm{Email: email, Mistakes: m})
		})
	}
	if !entry.SecondFactor {
		return s.enter(c, entry.User, entry.Practice)
	}
	ctx := c.Request().Context()
	s.sessions.Put(ctx, verifyUser, entry.User)
	s.sessions.Put(ctx, verifyPractice, int64(entry.Practice))
	s.sessions.Put(ctx, verifyStamp, entry.Stamp)
	s.sessions.Put(ctx, verifyUntil, time.Now().Add(verifyLife).UnixMilli())
	if err := s.renewSession(c); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/sign-in/verify")
}

// enter opens the session of a person and shows the page they wanted.
func (s *Server) enter(c echo.Context, user int64, p store.PracticeID) error {
	ctx := c.Request().Context()
	for _, key := range []string{verifyUser, verifyPractice, verifyUntil, verifyStamp} {
		s.sessions.Remove(ctx, key)
	}
	if err := s.beginSession(c, user, p); err != nil {
		return err
	}
	s.markBrowser(c, user)
	return c.Redirect(http.StatusSeeOther, s.wanted(c))
}

// verifying returns whose password was right a moment ago, 0 when nobody's was.
func (s *Server) verifying(c echo.Context) (user int64, p store.PracticeID) {
	ctx := c.Request().Context()
	if time.Now().UnixMilli() >= s.sessions.GetInt64(ctx, verifyUntil) {
		return 0, 0
	}
	return s.sessions.GetInt64(ctx, verifyUser), store.PracticeID(s.sessions.GetInt64(ctx, verifyPractice))
}

func (s *Server) getVerify(c echo.Context) error {
	if user, _ := s.verifying(c); user == 0 {
		return c.Redirect(http.StatusSeeOther, "/sign-in")
	}
	return s.page(c, http.StatusOK, "Enter your code", views.Verify(nil))
}

func (s *Server) postVerify(c echo.Context) error {
	form, err := smallForm(c)
	if err != nil {
		return err
	}
	user, p := s.verifying(c)
	if user == 0 {
		if s.sessions.Exists(c.Request().Context(), verifyUser) { // a stranger writes nothing
			s.flash(c, "That took too long. Sign in again.")
		}
		return c.Redirect(http.StatusSeeOther, "/sign-in")
	}
	code, field := form.Get("code"), "code"
	if code == "" && form.Get("recovery") != "" {
		code, field = form.Get("recovery"), "recovery"
	}
	recovered, err := s.access.Verify(c.Request().Context(), user, s.sessions.GetString(c.Request().Context(), verifyStamp), code, c.RealIP())
	if errors.Is(err, access.ErrNoPlace) {
		return c.Redirect(http.StatusSeeOther, "/sign-in")
	}
	if err != nil {
		return s.mistake(c, err, map[error]string{nil: field, access.ErrCode: field}, "Enter your code", views.Verify)
	}
	if recovered {
		s.flash(c, "You used a recovery code. See under your account how many are left.")
	}
	return s.enter(c, user, p)
}

// postSignOut ends the session and has the browser forget it and what it kept,
// whatever the store says: a full disk keeps nobody signed in.
func (s *Server) postSignOut(c echo.Context) error {
	c.Response().Header().Set("Clear-Site-Data", `"cache", "storage"`)
	who, ok := c.Get(personKey).(access.Person)
	if !ok { // a stranger writes nothing
		return c.Redirect(http.StatusSeeOther, "/sign-in")
	}
	err := s.access.SignOut(who)
	if err == nil {
		err = s.endSession(c)
	}
	if store.IsUnavailable(err) {
		s.access.RefuseSession(s.self(c))
		s.sessions.WriteSessionCookie(c.Request().Context(), c.Response(), "", time.Time{})
		return c.Redirect(http.StatusSeeOther, "/sign-in")
	}
	if err != nil {
		return err
	}
	s.flash(c, "You are signed out.")
	return c.Redirect(http.StatusSeeOther, "/sign-in")
}

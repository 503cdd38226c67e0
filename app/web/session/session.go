// Package session stores what the service knows about a browser between requests. A session holds
// the signed-in user and their practice, the page that was requested before the sign-in, a message
// for the next page, and the charts that EHR launches have read for the user.
//
// The cookie holds a random token. The database holds the token's hash, and seals everything else.
// A page that a visitor opens without signing in writes nothing to the database. There are two
// exceptions: a page that begins a sign-in with an identity provider, and a page that completes an
// EHR launch.
package session

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/labstack/echo/v4"

	"birthregistry/app/auth"
	"birthregistry/app/smart"
	"birthregistry/app/web/request"
	"birthregistry/store"
)

// These are the keys of the session's values, except the values about its owner (auth.SessionUser
// and others).
const (
	requestedKey = "wanted"          // the page to return to after the sign-in
	flashKey     = auth.SessionFlash // the message for the next page
	flashLinkKey = "flash-link"      // the address of a link after the message, and its text, on two lines
	// The value of prefillKey identifies the chart of the last launch. The value of openKey
	// identifies the charts that have filled in forms, separated by spaces.
	prefillKey = "prefill"
	openKey    = "prefills"
)

// These are the keys of values in the request's context.
const (
	userKey    = "person"
	severalKey = "several"
	sessionKey = "session" // context.Context: the request's own, without its session
	unsavedKey = "unkept"  // set if the session couldn't be saved at once
	noPageKey  = "no-page" // set if the request doesn't ask for a page
)

// Sessions stores what the service knows about each browser between requests: the signed-in user,
// the practice, and what the user was about to do. The stored sessions are sealed.
type Sessions struct {
	*scs.SessionManager
	auth   *auth.Service
	charts *smart.Service
	log    *slog.Logger
}

// New returns the Sessions, which are stored in kept. The cookie holds a random token, and the
// store only the hash of the token. The store ends idle sessions. New builds the library's session
// manager itself, because the library's constructor starts a goroutine.
func New(kept scs.Store, baseURL string, a *auth.Service, charts *smart.Service, log *slog.Logger) *Sessions {
	m := &scs.SessionManager{
		Store: kept, Codec: scs.GobCodec{}, HashTokenInStore: true,
		Lifetime: auth.AbsoluteEnd,
		Cookie:   scs.SessionCookie{Name: "registry-session", HttpOnly: true, SameSite: http.SameSiteLaxMode, Path: "/"},
	}
	if strings.HasPrefix(baseURL, "https://") {
		m.Cookie.Name, m.Cookie.Secure = "__Host-registry-session", true
	}
	return &Sessions{SessionManager: m, auth: a, charts: charts, log: log}
}

// IsOpen reports whether the session of a request has been opened.
func IsOpen(c echo.Context) bool { return c.Get(sessionKey) != nil }

// User returns the signed-in user. It panics if nobody is signed in, so only handlers behind a
// guard that requires a user may call it.
func User(c echo.Context) auth.User { return c.Get(userKey).(auth.User) }

// SetProof sets the Proof of the signed-in user for the rest of the request.
func SetProof(c echo.Context, proof *auth.Proof) {
	who := User(c)
	who.Proof = proof
	c.Set(userKey, who)
}

// SignedIn returns the signed-in user, and whether anybody is signed in.
func SignedIn(c echo.Context) (auth.User, bool) {
	who, ok := c.Get(userKey).(auth.User)
	return who, ok
}

// Several reports whether the user is a member of several practices.
func Several(c echo.Context) bool {
	is, _ := c.Get(severalKey).(bool)
	return is
}

// Zone returns the time zone of the signed-in user's practice.
func Zone(c echo.Context) *time.Location { return User(c).Practice.Location() }

// Open reads the session of a request. Changes to the session are saved just before the answer is
// sent, unless it is the answer to a HEAD request. If changes can't be saved, for example because
// the disk is full, the failure is only logged, so that pages can still be read.
func (s *Sessions) Open(c echo.Context) error {
	token := ""
	if cookie, err := c.Cookie(s.Cookie.Name); err == nil {
		token = cookie.Value
	}
	bare := request.Context(c.Request())
	ctx, err := s.Load(bare, token)
	if err != nil {
		return err
	}
	c.SetRequest(c.Request().WithContext(ctx))
	c.Set(sessionKey, bare)
	c.Response().Header().Add(echo.HeaderVary, "Cookie")
	c.Response().Before(func() {
		ctx := c.Request().Context()
		if c.Get(unsavedKey) != nil || c.Request().Method == http.MethodHead {
			return // a HEAD request must not use up what is shown once
		}
		switch s.Status(ctx) {
		case scs.Modified:
			token, expiry, err := s.Commit(ctx)
			if err != nil {
				s.log.Warn("a session was not stored", "request_id", request.ID(c), "cause", err)
				return
			}
			s.WriteSessionCookie(ctx, c.Response(), token, expiry)
		case scs.Destroyed:
			s.WriteSessionCookie(ctx, c.Response(), "", time.Time{})
		}
	})
	return nil
}

// Keep saves the session immediately, and returns an error if that fails. Without Keep, the session
// is saved when the answer is sent, and a failure is only logged.
func (s *Sessions) Keep(c echo.Context) error {
	ctx := c.Request().Context()
	if _, _, err := s.Commit(ctx); err != nil {
		c.Set(unsavedKey, true)
		return err
	}
	s.Put(ctx, auth.SessionSelf, s.Handle(c)) // the session may have a new token
	if who, is := SignedIn(c); is {
		who.Session = s.Handle(c)
		c.Set(userKey, who)
	}
	return nil
}

// Recognize finds the signed-in user of the session, if there is one. User and SignedIn then return
// this user. If the user was disabled, is no longer a member of the practice, or must now sign in
// with another identity provider, Recognize ends the session instead.
func (s *Sessions) Recognize(c echo.Context) error {
	ctx := c.Request().Context()
	user := s.GetInt64(ctx, auth.SessionUser)
	if user == 0 {
		return nil
	}
	who, several, err := s.auth.UserIn(ctx, user, store.PracticeID(s.GetInt64(ctx, auth.SessionPractice)))
	if errors.Is(err, auth.ErrNoMembership) {
		return s.End(c)
	}
	if err != nil {
		return err
	}
	who.Provider = s.GetInt64(ctx, auth.SessionProvider)
	if who.Requires != 0 && who.Requires != who.Provider {
		return s.End(c)
	}
	if who.Provider != 0 { // an identity provider decides which factors it asks for
		who.LacksSecondFactor = false
	}
	who.Address, who.Session = c.RealIP(), s.Handle(c)
	who.Confirmed = time.Now().UnixMilli() < s.GetInt64(ctx, auth.SessionConfirm)
	proved := time.Since(time.UnixMilli(s.GetInt64(ctx, auth.SessionProved)))
	who.Recent = 0 <= proved && proved < auth.ConfirmedFor
	c.Set(userKey, who)
	c.Set(severalKey, several)
	c.SetRequest(c.Request().WithContext(store.ReadsOf(ctx, who.Practice.ID)))
	return nil
}

// Begin signs a user in, with a new token. The session keeps what the visitor was about to do. If
// the session belonged to another user, it keeps nothing.
func (s *Sessions) Begin(c echo.Context, user int64, p store.PracticeID) error {
	ctx := c.Request().Context()
	if owner := s.GetInt64(ctx, auth.SessionUser); owner != 0 && owner != user {
		s.dropCharts(c)
		if err := s.Clear(ctx); err != nil {
			return err
		}
	}
	s.Put(ctx, auth.SessionUser, user)
	s.Put(ctx, auth.SessionPractice, int64(p))
	s.Put(ctx, auth.SessionAgent, c.Request().UserAgent())
	now := time.Now().UnixMilli()
	s.Put(ctx, auth.SessionSince, now)
	s.Put(ctx, auth.SessionProved, now)
	return s.Renew(c)
}

// Prove records that the signed-in user has just confirmed their identity. It gives the session a
// new token, so that a copy of the old token is useless, and saves the session immediately.
func (s *Sessions) Prove(c echo.Context) error {
	s.Put(c.Request().Context(), auth.SessionProved, time.Now().UnixMilli())
	if err := s.Renew(c); err != nil {
		return err
	}
	if err := s.Keep(c); err != nil {
		return err
	}
	who := User(c)
	who.Recent = true
	c.Set(userKey, who)
	return nil
}

// Empty removes everything from a session except the data about its owner and the charts of EHR
// launches. A chart belongs to the user rather than the practice: after a launch, the user may have
// to switch to another practice first.
func (s *Sessions) Empty(c echo.Context) {
	ctx := c.Request().Context()
	owner := []string{
		auth.SessionUser, auth.SessionPractice, auth.SessionAgent, auth.SessionSince, auth.SessionSelf,
		auth.SessionProvider, auth.SessionIDToken, auth.SessionSSO,
		prefillKey, openKey,
	}
	for _, key := range s.Keys(ctx) {
		if !slices.Contains(owner, key) {
			s.Remove(ctx, key)
		}
	}
}

// Renew gives the session a new token. Handlers call it whenever the rights of the session change.
// The time at which the session ends in any case stays the same.
func (s *Sessions) Renew(c echo.Context) error {
	ctx := c.Request().Context()
	if err := s.RenewToken(ctx); err != nil {
		return err
	}
	if since := s.GetInt64(ctx, auth.SessionSince); since != 0 {
		s.SetDeadline(ctx, time.UnixMilli(since).Add(auth.AbsoluteEnd).UTC())
	}
	return nil
}

// Fresh begins an empty session without a user. It replaces a session that has ended during the
// request.
func (s *Sessions) Fresh(c echo.Context) error {
	bare, _ := c.Get(sessionKey).(context.Context)
	ctx, err := s.Load(bare, "")
	if err == nil {
		c.SetRequest(c.Request().WithContext(ctx))
	}
	return err
}

// End ends the session and deletes the charts that it holds. A session that has ended already is no
// error.
func (s *Sessions) End(c echo.Context) error {
	s.dropCharts(c)
	err := s.Destroy(c.Request().Context())
	if errors.Is(err, auth.ErrSessionEnded) {
		err = nil
	}
	return err
}

// Flash makes the next page show a message once.
func (s *Sessions) Flash(c echo.Context, text string) {
	s.Put(c.Request().Context(), flashKey, text)
}

// Handle returns the handle of the current session. The handle is the hash of the session's token,
// in the form in which the session manager stores it.
func (s *Sessions) Handle(c echo.Context) string {
	sum := sha256.Sum256([]byte(s.Token(c.Request().Context())))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// FlashLink shows a link once, on the next page, after the message of Flash.
func (s *Sessions) FlashLink(c echo.Context, href, text string) {
	s.Put(c.Request().Context(), flashLinkKey, href+"\n"+text)
}

// TakeFlash removes the message for the next page, and the message's link, from the session. It
// returns the message, and the link's address and text. Each is "" if there is none.
func (s *Sessions) TakeFlash(c echo.Context) (message, href, text string) {
	ctx := c.Request().Context()
	href, text, _ = strings.Cut(s.PopString(ctx, flashLinkKey), "\n")
	return s.PopString(ctx, flashKey), href, text
}

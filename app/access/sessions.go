package access

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/alexedwards/scs/v2"

	"birthregistry/app/seal"
	"birthregistry/store"
)

// How long a session lives: after the last request, and in all. Whoever has
// not signed in may have one, too, for what the sign-in needs; there is room
// for so many of those.
const (
	IdleEnd     = 30 * time.Minute
	AbsoluteEnd = 12 * time.Hour
	strangers   = 10_000
	// touchEvery is how coarsely it is noted that a session is in use.
	touchEvery = time.Minute
	maxAgent   = 200 // characters
)

// What a session holds of its owner. Nothing else in it may begin with "_".
const (
	sessionUser     = "_user"     // int64
	sessionPractice = "_practice" // int64
	sessionAgent    = "_agent"    // string
	sessionSince    = "_since"    // int64: the sign-in, in Unix milliseconds
	sessionSelf     = "_self"     // string: the token it is stored under
)

// ErrSessionEnded says that a session ended while a request with it was under
// way.
var ErrSessionEnded = errors.New("access: this session has ended; sign in again")

// Sessions are the sessions of the pages, in cookies that hold nothing but a
// random token. What a session holds is sealed in the database, bound to the
// token's hash.
type Sessions struct {
	*scs.SessionManager
	access *Access
}

// Sessions makes the sessions; secure says that pages are reached by HTTPS.
func (a *Access) Sessions(secure bool) *Sessions {
	m := scs.New()
	m.Store = shelf{a}
	m.HashTokenInStore = true
	m.Lifetime = AbsoluteEnd
	m.Cookie = scs.SessionCookie{
		Name: "session", Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: secure,
	}
	if secure {
		m.Cookie.Name = "__Host-session"
	}
	return &Sessions{m, a}
}

// Begin makes the session that of a person, under a new token, and keeps what
// the session held before: what they were about to do. Another person's
// session is emptied.
func (s *Sessions) Begin(ctx context.Context, who Person, agent string) error {
	if owner := s.GetInt64(ctx, sessionUser); owner != 0 && owner != who.User {
		if err := s.Clear(ctx); err != nil {
			return err
		}
	}
	if r := []rune(agent); len(r) > maxAgent {
		agent = string(r[:maxAgent])
	}
	s.Put(ctx, sessionUser, who.User)
	s.Put(ctx, sessionPractice, int64(who.Practice.ID))
	s.Put(ctx, sessionAgent, agent)
	s.Put(ctx, sessionSince, time.Now().UnixMilli())
	return s.Renew(ctx)
}

// Enter moves the session to another practice of its person, under a new token.
func (s *Sessions) Enter(ctx context.Context, p store.PracticeID) error {
	s.Put(ctx, sessionPractice, int64(p))
	return s.Renew(ctx)
}

// Renew gives the session a new token, as after every change of what it may do.
// Its absolute end stays.
func (s *Sessions) Renew(ctx context.Context) error {
	if err := s.RenewToken(ctx); err != nil {
		return err
	}
	s.SetDeadline(ctx, time.UnixMilli(s.GetInt64(ctx, sessionSince)).Add(AbsoluteEnd))
	return nil
}

// Who returns whose session it is and in which practice; 0 before the sign-in.
func (s *Sessions) Who(ctx context.Context) (user int64, p store.PracticeID) {
	return s.GetInt64(ctx, sessionUser), store.PracticeID(s.GetInt64(ctx, sessionPractice))
}

// Self returns the handle of the session at hand, "" before it was stored.
func (s *Sessions) Self(ctx context.Context) string { return s.GetString(ctx, sessionSelf) }

// Open is a session as its owner sees it.
type Open struct {
	Handle   string // ends it; no key to it
	Practice store.PracticeID
	Agent    string
	Since    time.Time
	SeenAt   time.Time
}

// SessionsOf lists a person's sessions that have not run out.
func (a *Access) SessionsOf(user int64) (all []Open, err error) {
	now := time.Now()
	err = a.db.View(func(v *store.View) error {
		rows, err := v.SessionsOf(user)
		for _, s := range rows {
			if alive(s, now) {
				all = append(all, Open{s.Token, s.Practice, s.Agent, s.CreatedAt, s.SeenAt})
			}
		}
		return err
	})
	return all, err
}

// EndSession ends one of a person's own sessions; store.ErrNotFound when it is
// not theirs.
func (a *Access) EndSession(who Person, handle string) error {
	return a.db.Update(func(tx *store.Tx) error {
		return errors.Join(tx.DropSessionOf(who.User, handle), a.Note(tx, who, "user.end-sessions", who.Email))
	})
}

// EndOtherSessions ends a person's own sessions but the one at hand.
func (a *Access) EndOtherSessions(who Person, spare string) error {
	return a.db.Update(func(tx *store.Tx) error {
		_, err := tx.EndSessions(who.User, spare)
		return errors.Join(err, a.Note(tx, who, "user.end-sessions", who.Email))
	})
}

// Sweep drops sessions and links that have run out.
func Sweep(tx *store.Tx) error {
	return errors.Join(tx.SweepSessions(tx.Now.Add(-IdleEnd)), tx.SweepLinks(tx.Now.Add(-linksKept)))
}

func alive(s store.Session, now time.Time) bool {
	return now.Before(s.ExpiresAt) && now.Sub(s.SeenAt) < IdleEnd
}

// shelf is the store of the session manager (scs.Store).
type shelf struct{ a *Access }

// Find returns what a session holds, and notes that it is in use.
func (s shelf) Find(token string) (content []byte, found bool, err error) {
	var row store.Session
	err = s.a.db.View(func(v *store.View) error {
		row, err = v.Session(token)
		return err
	})
	now := time.Now()
	if errors.Is(err, store.ErrNotFound) || err == nil && !alive(row, now) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	if content, err = s.a.vault.Open(sessionPlace(token), row.Sealed); err != nil {
		return nil, false, err
	}
	if now.Sub(row.SeenAt) >= touchEvery {
		err = s.a.db.Update(func(tx *store.Tx) error { return tx.TouchSession(token) })
		if store.IsUnavailable(err) { // a full disk must not stop people from reading
			err = nil
		}
	}
	return content, true, err
}

// Commit keeps a session. One that was stored before under this token and is
// gone has been ended meanwhile, and is not brought back.
func (s shelf) Commit(token string, content []byte, expiry time.Time) error {
	deadline, values, err := scs.GobCodec{}.Decode(content)
	if err != nil {
		return errors.New("access: a session cannot be read")
	}
	stored := values[sessionSelf] == token
	values[sessionSelf] = token
	if content, err = (scs.GobCodec{}).Encode(deadline, values); err != nil {
		return errors.New("access: a session cannot be kept")
	}
	if err := s.a.vault.Ready(); err != nil {
		return err
	}
	sealed, err := s.a.vault.Seal(sessionPlace(token), content)
	if err != nil {
		return err
	}
	user, _ := values[sessionUser].(int64)
	practice, _ := values[sessionPractice].(int64)
	agent, _ := values[sessionAgent].(string)
	since, _ := values[sessionSince].(int64)
	return s.a.db.Update(func(tx *store.Tx) error {
		if stored {
			if _, err := tx.Session(token); err != nil {
				return ErrSessionEnded
			}
		}
		created := tx.Now
		if since != 0 {
			created = time.UnixMilli(since)
		}
		err := tx.PutSession(store.Session{
			Token: token, User: user, Practice: store.PracticeID(practice), Sealed: sealed,
			Agent: agent, CreatedAt: created, ExpiresAt: expiry,
		})
		if err == nil && user == 0 {
			err = tx.BoundStrangers(strangers)
		}
		return err
	})
}

// Delete ends a session. One that has a token and is not there was ended
// meanwhile: then it must not go on under another token either.
func (s shelf) Delete(token string) error {
	if token == noToken {
		return nil
	}
	return s.a.db.Update(func(tx *store.Tx) error {
		if _, err := tx.Session(token); err != nil {
			return ErrSessionEnded
		}
		return tx.DropSession(token)
	})
}

// noToken is the hash of no token, which a session has that was not yet stored.
const noToken = "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"

func sessionPlace(token string) seal.Place { return seal.Place{Table: "sessions", Row: token} }

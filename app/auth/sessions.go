package auth

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/alexedwards/scs/v2"

	"birthregistry/app/seal"
	"birthregistry/app/task"
	"birthregistry/store"
)

// A session ends when no request has used it for the duration IdleEnd, and no later than
// AbsoluteEnd after the sign-in.
//
// Visitors who haven't signed in get anonymous sessions. The service keeps the latest maxAnonymous
// anonymous sessions, or slightly more. Counting them means reading all of them, so the service
// counts only after it has stored boundEvery more. A user has at most maxOfUser sessions. If they
// sign in once more, their oldest session ends.
const (
	IdleEnd      = 30 * time.Minute
	AbsoluteEnd  = 12 * time.Hour
	maxAnonymous = 10_000
	boundEvery   = 100
	maxOfUser    = 50
	// touchEvery is the precision with which a session's last use is stored.
	touchEvery = time.Minute
	// keepSeenEvery is how often a long request stores that its session is still in use.
	keepSeenEvery = IdleEnd / 3
	// ConfirmedFor is how long users needn't enter their password again after they have proved
	// their identity.
	ConfirmedFor = 5 * time.Minute
	maxAgent     = 200 // characters of a user agent that are stored
)

// These are the keys of the values in a session.
const (
	SessionUser     = "user"      // int64
	SessionPractice = "practice"  // int64
	SessionAgent    = "agent"     // string: the browser's user agent
	SessionSince    = "since"     // int64: the time of the sign-in, in Unix milliseconds
	SessionProvider = "provider"  // int64: the ID of the identity provider of the sign-in; absent after a password or a passkey
	SessionIDToken  = "id-token"  // string: the ID token from the identity provider, for signing out there
	SessionSSO      = "sso-name"  // string: the slug of the identity provider and its name, on two lines
	SessionConfirm  = "confirmed" // int64: until when the user counts as having just proved who they are, in Unix milliseconds
	SessionProved   = "proved"    // int64: when the user last proved who they are, in Unix milliseconds; signing in with an identity provider doesn't count; for ConfirmAccess
	SessionSelf     = "self"      // string: the handle under which the session is stored, set by the session store
)

// ErrSessionEnded is returned when a session ends during a request.
var ErrSessionEnded = errors.New("auth: this session has ended; sign in again")

// Session is a session as its user sees it.
type Session struct {
	Handle   string // identifies the session for EndSession; it is not the session's token
	Practice store.PracticeID
	Agent    string
	Since    time.Time
	SeenAt   time.Time
}

// SessionsOf lists a user's sessions that have not expired.
func (s *Service) SessionsOf(ctx context.Context, user int64) (all []Session, err error) {
	now := time.Now()
	rows, err := store.Read(ctx, s.db, func(v *store.View) ([]store.Session, error) { return v.SessionsOf(user) })
	for _, row := range rows {
		if alive(row, now) {
			all = append(all, Session{row.Token, row.Practice, row.Agent, row.CreatedAt, row.SeenAt})
		}
	}
	return all, err
}

// EndSession ends one of a user's own sessions. It returns store.ErrNotFound if the user has no
// session with this handle.
func (s *Service) EndSession(who User, handle string) error {
	return s.Act(who, func(tx *store.Tx) error {
		return errors.Join(s.Note(tx, who, "user.end-sessions", who.Email), tx.DropSessionOf(who.ID, handle))
	})
}

// EndOtherSessions ends all sessions of a user, except the session with the handle spare.
func (s *Service) EndOtherSessions(who User, spare string) error {
	return s.Act(who, func(tx *store.Tx) error {
		_, err := tx.EndSessions(who.ID, spare)
		return errors.Join(err, s.Note(tx, who, "user.end-sessions", who.Email))
	})
}

// Sweep deletes expired sessions and links.
func Sweep(tx *store.Tx) error {
	return errors.Join(tx.SweepSessions(tx.Now.Add(-IdleEnd)), tx.SweepLinks(tx.Now.Add(-LinksKept)))
}

// Act calls write in a transaction, on behalf of a user. It first checks the user's session again,
// because access may be withdrawn before the body of a slow request has arrived. Act writes nothing
// and returns ErrSessionEnded if the session is gone, if the user no longer has their role in the
// practice, or if they may no longer sign in the way they did. For a user without a session, such
// as the operator, it checks nothing.
func (s *Service) Act(who User, write func(*store.Tx) error) error {
	return s.db.Update(func(tx *store.Tx) error {
		if err := s.mayStillAct(tx, who); err != nil {
			return err
		}
		return write(tx)
	})
}

// ActIf calls Act if the user has a permission. Otherwise it returns ErrForbidden.
func (s *Service) ActIf(who User, permission Permission, write func(*store.Tx) error) error {
	if err := who.Must(permission); err != nil {
		return err
	}
	return s.Act(who, write)
}

// actIn is like Act, but for an action that needs a session. session is the handle of the session.
// If it is "", actIn returns ErrSessionEnded.
func (s *Service) actIn(session string, who User, write func(*store.Tx) error) error {
	if session == "" {
		return ErrSessionEnded
	}
	who.Session = session
	return s.Act(who, write)
}

func (s *Service) mayStillAct(tx *store.Tx, who User) error {
	if who.Session == "" {
		return nil
	}
	stands, err := tx.SessionStands(who.Practice.ID, store.Standing{
		User: who.ID, Role: string(who.Role), Token: who.Session, Provider: who.Provider,
		Now: tx.Now, SeenAfter: tx.Now.Add(-IdleEnd),
	})
	if err == nil && (!stands || s.endedSessions.has(who.Session)) {
		err = ErrSessionEnded
	}
	return err
}

// KeepSeen keeps a session from ending while one long request runs, such as an export or a slow
// upload, which may take longer than IdleEnd. The caller must call stop when the request ends. The
// session still ends at AbsoluteEnd.
//
// At intervals of keepSeenEvery, KeepSeen calls who, which returns the user with their current
// session. The session may have changed, because it gets a new token when the user confirms their
// identity. If who panics, KeepSeen only logs the panic.
func (s *Service) KeepSeen(log *slog.Logger, who func() User) (stop func()) {
	var mu sync.Mutex
	var timer *time.Timer
	stopped := false
	mu.Lock()
	defer mu.Unlock()
	timer = time.AfterFunc(keepSeenEvery, func() {
		mu.Lock()
		defer mu.Unlock()
		if stopped {
			return
		}
		// The error is ignored, because the request fails with the same error when it writes.
		_ = task.Do(log, "keep a session seen", func() error {
			u := who()
			return s.Act(u, func(tx *store.Tx) error { return tx.TouchSession(u.Session) })
		})
		timer.Reset(keepSeenEvery)
	})
	return func() {
		timer.Stop()
		mu.Lock()
		defer mu.Unlock()
		stopped = true
	}
}

func alive(s store.Session, now time.Time) bool {
	return now.Before(s.ExpiresAt) && now.Sub(s.SeenAt) < IdleEnd
}

// sessionStore stores the sessions of the pages in the database. Each session is sealed, and bound
// to the hash of the token in the cookie.
type sessionStore struct{ a *Service }

// SessionStore returns the store in which the session manager keeps sessions. The store ends a
// session that hasn't been used for the duration IdleEnd. The session manager decides when a
// session ends even though it is in use.
func (s *Service) SessionStore() scs.Store { return sessionStore{s} }

// Find returns the content of a session and records its use. found is false if the session doesn't
// exist or has ended.
func (s sessionStore) Find(token string) (content []byte, found bool, err error) {
	if s.a.endedSessions.has(token) {
		return nil, false, nil
	}
	row, err := store.Read(context.Background(), s.a.db, func(v *store.View) (store.Session, error) { return v.Session(token) })
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
		if store.IsUnavailable(err) { // a full disk must not keep users from reading
			err = nil
		}
	}
	return content, true, err
}

// Commit stores a session. It returns ErrSessionEnded if the session was stored before and is gone,
// because a session that was ended in the meantime must not reappear.
func (s sessionStore) Commit(token string, content []byte, expiry time.Time) error {
	deadline, values, err := scs.GobCodec{}.Decode(content)
	if err != nil {
		return errors.New("auth: a session cannot be read")
	}
	stored := values[SessionSelf] == token
	values[SessionSelf] = token
	if content, err = (scs.GobCodec{}).Encode(deadline, values); err != nil {
		return errors.New("auth: a session cannot be stored")
	}
	sealed, err := s.a.vault.SealOne(sessionPlace(token), content)
	if err != nil {
		return err
	}
	user, _ := values[SessionUser].(int64)
	practice, _ := values[SessionPractice].(int64)
	agent, _ := values[SessionAgent].(string)
	if r := []rune(agent); len(r) > maxAgent {
		agent = string(r[:maxAgent])
	}
	since, _ := values[SessionSince].(int64)
	return s.a.endPending(func(tx *store.Tx) error {
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
		if err == nil && user != 0 && !stored {
			err = tx.BoundSessionsOf(user, maxOfUser)
		}
		if err == nil && user == 0 && s.a.anonymous.Add(1)%boundEvery == 1 {
			err = tx.BoundAnonymousSessions(maxAnonymous)
		}
		return err
	})
}

// Delete ends a session. It returns ErrSessionEnded if the session no longer exists. The session
// manager also calls Delete before it continues a session under a new token. The error then keeps
// the manager from continuing a session that has been ended in the meantime.
func (s sessionStore) Delete(token string) error {
	if token == noToken {
		return nil
	}
	return s.a.endPending(func(tx *store.Tx) error {
		if _, err := tx.Session(token); err != nil {
			return ErrSessionEnded
		}
		return tx.DropSession(token)
	})
}

// noToken is the hash of the empty token. A session that was never stored has this token.
const noToken = "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"

func sessionPlace(token string) seal.Place { return seal.Place{Table: "sessions", Row: token} }

// These are the keys of the session values that may contain a client's name: the texts that a user
// searched for, and what the next page says about the last saved record. The practice's ID follows
// the keys of the searched texts.
const (
	SessionSearch = "records-search-"
	SessionFind   = "find-"
	SessionSaved  = "saved"
	SessionFlash  = "flash"
)

// namesClients reports whether the session value with this key may contain a client's name.
func namesClients(name string, _ any) bool {
	return strings.HasPrefix(name, SessionSearch) || strings.HasPrefix(name, SessionFind) || name == SessionSaved || name == SessionFlash
}

// DropSearches erases the session values that may contain a client's name, such as searches, in all
// sessions of the practice's members. tx is the transaction that erases a client.
func (s *Service) DropSearches(tx *store.Tx, p store.PracticeID) error {
	sessions, err := tx.SessionsOfMembers(p)
	if err != nil {
		return err
	}
	for _, kept := range sessions {
		content, err := s.vault.Open(sessionPlace(kept.Token), kept.Sealed)
		if err != nil {
			return err
		}
		deadline, values, err := scs.GobCodec{}.Decode(content)
		if err != nil {
			return errors.New("auth: a session cannot be read")
		}
		before := len(values)
		if maps.DeleteFunc(values, namesClients); len(values) == before {
			continue
		}
		if content, err = (scs.GobCodec{}).Encode(deadline, values); err != nil {
			return errors.New("auth: a session cannot be stored")
		}
		sealed, err := s.vault.Seal(sessionPlace(kept.Token), content)
		if err != nil {
			return err
		}
		if err := tx.ResealSession(kept.Token, sealed); err != nil {
			return err
		}
	}
	return nil
}

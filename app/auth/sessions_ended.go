package auth

import (
	"sync"
	"time"

	"birthregistry/store"
)

// endedSessions holds the sessions that have ended while the database couldn't be written, for
// example because the disk was full. The service refuses these sessions until the database has
// deleted them or they have expired.
type endedSessions struct {
	mu   sync.Mutex
	rows map[string]time.Time // maps a session's token to when the session would have expired
}

// add records that a session has ended.
func (e *endedSessions) add(token string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.rows == nil {
		e.rows = map[string]time.Time{}
	}
	e.rows[token] = time.Now().Add(AbsoluteEnd)
}

func (e *endedSessions) has(token string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	_, known := e.rows[token]
	return known
}

// drop removes the sessions in gone, which the database has deleted, and the sessions that have
// expired.
func (e *endedSessions) drop(gone []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, token := range gone {
		delete(e.rows, token)
	}
	for token, until := range e.rows {
		if time.Now().After(until) {
			delete(e.rows, token)
		}
	}
}

func (e *endedSessions) all() (tokens []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for token := range e.rows {
		tokens = append(tokens, token)
	}
	return tokens
}

// RefuseSession makes the service refuse the session with this handle from now on. It ends a
// session when the database can't be written.
func (s *Service) RefuseSession(handle string) { s.endedSessions.add(handle) }

// endPending runs an update. In the same transaction, it also deletes the sessions that couldn't be
// deleted when they ended.
func (s *Service) endPending(update func(*store.Tx) error) error {
	late := s.endedSessions.all()
	err := s.db.Update(func(tx *store.Tx) error {
		for _, token := range late {
			if err := tx.DropSession(token); err != nil {
				return err
			}
		}
		return update(tx)
	})
	if err == nil && len(late) > 0 {
		s.endedSessions.drop(late)
	}
	return err
}

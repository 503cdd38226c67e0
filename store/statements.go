package store

import (
	"database/sql"
	"sync"
)

// statements caches prepared statements of one pool by their text. database/sql
// can prepare one for the whole pool only while a connection is free, which
// none is inside a transaction: a text that is met there for the first time is
// prepared for that transaction alone and entered after it.
type statements struct {
	pool  *sql.DB
	cache sync.Map // string -> *sql.Stmt

	mu    sync.Mutex
	fresh []string
}

// in returns the statement for a transaction, or for a single query without one.
func (s *statements) in(tx *sql.Tx, query string) (*sql.Stmt, error) {
	stmt, ok := s.cache.Load(query)
	switch {
	case ok && tx == nil:
		return stmt.(*sql.Stmt), nil
	case ok:
		return tx.StmtContext(background, stmt.(*sql.Stmt)), nil
	case tx == nil:
		return s.prepare(query)
	}
	once, err := tx.PrepareContext(background, query)
	if err != nil {
		return nil, decode(err)
	}
	s.mu.Lock()
	s.fresh = append(s.fresh, query)
	s.mu.Unlock()
	return once, nil
}

// prepare prepares a statement for the whole pool. It waits for a connection.
func (s *statements) prepare(query string) (*sql.Stmt, error) {
	stmt, err := s.pool.PrepareContext(background, query)
	if err != nil {
		return nil, decode(err)
	}
	if known, taken := s.cache.LoadOrStore(query, stmt); taken { // another caller was first
		return known.(*sql.Stmt), stmt.Close()
	}
	return stmt, nil
}

// enter prepares what the transactions so far have met. A statement that
// cannot be prepared now is left for the next time.
func (s *statements) enter() {
	s.mu.Lock()
	fresh := s.fresh
	s.fresh = nil
	s.mu.Unlock()
	for _, query := range fresh {
		if _, ok := s.cache.Load(query); !ok {
			_, _ = s.prepare(query)
		}
	}
}

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

// in returns the statement for a transaction.
func (s *statements) in(tx *sql.Tx, query string) (*sql.Stmt, error) {
	if stmt, ok := s.cache.Load(query); ok {
		return tx.StmtContext(background, stmt.(*sql.Stmt)), nil
	}
	stmt, err := tx.PrepareContext(background, query)
	if err != nil {
		return nil, decode(err)
	}
	s.mu.Lock()
	s.fresh = append(s.fresh, query)
	s.mu.Unlock()
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
		if _, ok := s.cache.Load(query); ok {
			continue
		}
		if stmt, err := s.pool.PrepareContext(background, query); err == nil {
			if _, taken := s.cache.LoadOrStore(query, stmt); taken {
				_ = stmt.Close() // another transaction was first
			}
		}
	}
}

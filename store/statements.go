package store

import (
	"database/sql"
	"sync"
)

// statements caches the prepared statements of a pool, by their SQL text. A transaction prepares a
// new statement only for itself, because preparing it for the whole pool needs a free connection,
// and there may be none during the transaction. After the transaction has ended, the statement is
// prepared for the pool and cached.
type statements struct {
	pool  *sql.DB
	cache sync.Map // string -> *sql.Stmt

	mu    sync.Mutex
	fresh []string
}

// of returns the prepared statement for a query that runs outside a transaction.
func (s *statements) of(query string) (*sql.Stmt, error) {
	if stmt, ok := s.cache.Load(query); ok {
		return stmt.(*sql.Stmt), nil
	}
	return s.prepare(query)
}

// begun is a transaction, with the statements that it has used so far. database/sql keeps every
// statement that a transaction prepares, or takes from the pool, until the transaction ends.
// Without this cache, database/sql would keep one for each time a statement runs.
type begun struct {
	*sql.Tx
	of   *statements
	used map[string]*sql.Stmt
}

func (s *statements) begin(tx *sql.Tx) *begun { return &begun{tx, s, map[string]*sql.Stmt{}} }

// stmt returns the prepared statement for a query that runs in the transaction.
func (b *begun) stmt(query string) (*sql.Stmt, error) {
	if stmt, ok := b.used[query]; ok {
		return stmt, nil
	}
	if stmt, ok := b.of.cache.Load(query); ok {
		b.used[query] = b.StmtContext(background, stmt.(*sql.Stmt))
		return b.used[query], nil
	}
	stmt, err := b.PrepareContext(background, query)
	if err != nil {
		return nil, decode(err)
	}
	b.used[query] = stmt
	b.of.mu.Lock()
	b.of.fresh = append(b.of.fresh, query)
	b.of.mu.Unlock()
	return stmt, nil
}

// prepare prepares a statement for the whole pool. It waits for a connection.
func (s *statements) prepare(query string) (*sql.Stmt, error) {
	stmt, err := s.pool.PrepareContext(background, query)
	if err != nil {
		return nil, decode(err)
	}
	if known, taken := s.cache.LoadOrStore(query, stmt); taken { // another caller has prepared it meanwhile
		return known.(*sql.Stmt), stmt.Close()
	}
	return stmt, nil
}

// enter prepares the statements that transactions had to prepare only for themselves, and caches
// them for the whole pool. If that fails for a statement, enter tries again after the next
// transaction that uses it.
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

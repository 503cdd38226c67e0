package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
)

// Signing says how the store signs rows.
type Signing struct {
	// Root is the key for the HMACs of rows (signed.go). It stays the same as long as the database
	// exists. Keys returns the keys that sign the sums of these HMACs, which are derived from the
	// installation's key. The first of these keys signs; the others only verify.
	Root []byte
	Keys func() ([][]byte, error)
	// Signed reports whether the database was, or may have been, signed before. If it was, missing
	// sums mean that the database is damaged. If it wasn't, it dates from before the program signed
	// rows. Signed opens its own View.
	Signed func(context.Context) (bool, error)
	// Anew is set to sign all rows in their present state, whatever their earlier signatures say.
	// It is for a file that somebody has repaired by hand.
	Anew bool
	// Note adds an entry to the audit trail, which says that rows were signed.
	Note func(*Tx) error
	// Progress is called with the number of rows that were signed so far, and the total.
	Progress func(done, total int)
}

// signedAtOnce is how many rows one transaction signs, not counting the rows that depend on them.
const signedAtOnce = 100

// Sign makes the store sign changes and verify rows from now on. If the database is new or comes
// from an earlier version, or if how.Anew is set, Sign first signs the existing rows. Nothing else
// may write while Sign runs. Each transaction saves its progress, so another call continues after
// an interruption.
func (db *DB) Sign(ctx context.Context, how Signing) error {
	s, err := db.newSigner(how)
	if err != nil {
		return err
	}
	if how.Anew {
		if err := db.unsign(); err != nil {
			return err
		}
	}
	var sealed []byte
	signed, before := true, false
	err = db.View(ctx, func(v *View) (err error) {
		sealed, err = v.sealedTotals(0)
		return err
	})
	if errors.Is(err, ErrNotFound) {
		signed, err = false, nil
		if !how.Anew {
			before, err = how.Signed(ctx)
		}
	}
	if err != nil {
		return err
	}
	if !signed && !before {
		err = db.signAll(ctx, s, how)
	} else if _, ok := s.openTotals(0, sealed); !ok {
		slog.Error("the stored row totals were not signed with this key, or are damaged: run birthregistry check")
	}
	if err == nil {
		db.signer.Store(s)
	}
	return err
}

// unsign deletes all signatures.
func (db *DB) unsign() error {
	return db.Update(func(tx *Tx) error {
		if err := tx.do(`delete from sums`); err != nil {
			return err
		}
		for _, t := range signedTables {
			if !t.mac {
				continue
			}
			if err := tx.do(`update ` + t.name + ` set mac = null`); err != nil {
				return err
			}
		}
		return nil
	})
}

func (db *DB) newSigner(how Signing) (*signer, error) {
	c, err := newCodes(how.Root, how.Keys)
	if err != nil {
		return nil, err
	}
	tables, err := describe(db.read)
	if err != nil {
		return nil, err
	}
	s := &signer{codes: c, tables: map[string]*signed{}}
	for i := range tables {
		s.tables[tables[i].name] = &tables[i]
	}
	return s, nil
}

// describe returns the signed tables, completed with the columns that they have in the schema.
func describe(pool *sql.DB) ([]signed, error) {
	all := slices.Clone(signedTables)
	for i := range all {
		t := &all[i]
		var columns string
		err := pool.QueryRowContext(background, `select coalesce(group_concat(name, ' ' order by cid), '') from pragma_table_info(?)`, t.name).Scan(&columns)
		if err != nil {
			return nil, decode(err)
		}
		for j := range all[:i] {
			if all[j].name == t.parent {
				t.up = &all[j]
			}
		}
		t.describe(i, strings.Fields(columns))
		if t.within {
			t.up.below = append(t.up.below, t)
		}
	}
	return all, nil
}

// signAll signs all rows that aren't signed yet, and then the totals of all practices.
func (db *DB) signAll(ctx context.Context, s *signer, how Signing) error {
	done := 0
	total, err := db.rowsWithMACs(ctx, s, ` where mac is null`)
	if err != nil {
		return err
	}
	err = s.each(true, func(t *signed) error {
		return db.walk(ctx, s, t, func(tx *Tx, k rowKey, mac []byte) error {
			if mac != nil {
				return nil
			}
			if done++; done%signedAtOnce == 0 {
				how.Progress(done, total)
			}
			all, err := tx.sumOf(k, &mac)
			if errors.Is(err, errUncounted) {
				return nil
			}
			if err != nil {
				return err
			}
			return tx.setMAC(k, s.sealRow(k, all))
		})
	})
	if err != nil {
		return err
	}
	if total > 0 {
		how.Progress(total, total)
	}
	return db.Update(func(tx *Tx) error {
		if err := how.Note(tx); err != nil {
			return err
		}
		tx.View.signer = s
		found, err := tx.addUp(ctx)
		if err != nil {
			return err
		}
		if found.totals[0] == nil {
			found.totals[0] = totals{}
		}
		for practice, t := range found.totals {
			if err := tx.putTotals(practice, t); err != nil {
				return err
			}
		}
		return nil
	})
}

func (tx *Tx) setMAC(k rowKey, mac []byte) error {
	return tx.setMACs(k.table, append([]any{mac}, k.args()...))
}

// SignAnew signs all sums again with the current key. The HMACs of the rows don't change. Sums
// whose signature is wrong stay unchanged. When ctx ends, SignAnew stops between two transactions
// and returns ctx.Err(). It can be called again, and other transactions may write at the same time.
// It signs the totals first: when a serving process reads a total with the new signature, it loads
// the new key (codes.open).
func (db *DB) SignAnew(ctx context.Context, progress func(done, total int)) error {
	s := db.signer.Load()
	if s == nil {
		return nil
	}
	if err := s.load(); err != nil {
		return err
	}
	if err := db.Update(func(tx *Tx) error { return tx.signTotalsAnew() }); err != nil {
		return err
	}
	done := 0
	total, err := db.rowsWithMACs(ctx, s, "")
	if err != nil {
		return err
	}
	return s.each(true, func(t *signed) error {
		return db.walk(ctx, s, t, func(tx *Tx, k rowKey, mac []byte) error {
			if done++; done%signedAtOnce == 0 || done == total {
				progress(done, max(done, total))
			}
			if s.present(mac) {
				return nil
			}
			was, ok := s.openRow(k, mac)
			if !ok {
				return nil
			}
			return tx.setMAC(k, s.sealRow(k, was))
		})
	})
}

func (tx *Tx) signTotalsAnew() error {
	sealed, err := tx.sums()
	if err != nil {
		return err
	}
	for practice, content := range sealed {
		t, ok := tx.signer.openTotals(practice, content)
		if !ok || tx.signer.present(content) {
			continue
		}
		if err := tx.putTotals(practice, t); err != nil {
			return fmt.Errorf("store: sign anew: %w", err)
		}
	}
	return nil
}

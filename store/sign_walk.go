package store

import "context"

// each calls visit for every signed table, in order. If withMAC is set, it skips tables without a
// column named mac.
func (s *signer) each(withMAC bool, visit func(*signed) error) error {
	for _, t := range signedTables {
		if withMAC && !t.mac {
			continue
		}
		if err := visit(s.tables[t.name]); err != nil {
			return err
		}
	}
	return nil
}

// walk calls visit for every row of a table with a column named mac. It uses one transaction for
// each batch of rows. The changes that visit makes aren't signed.
func (db *DB) walk(ctx context.Context, s *signer, t *signed, visit func(tx *Tx, k rowKey, mac []byte) error) error {
	query, args := t.sql.first, []any(nil)
	for {
		n := 0
		err := db.Update(func(tx *Tx) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			tx.View.signer = s
			s.off = true
			defer func() { s.off = false }()
			keys, macs, err := tx.macs(t, query, append(args, signedAtOnce))
			if err != nil {
				return err
			}
			for i, k := range keys {
				if err := visit(tx, k, macs[i]); err != nil {
					return err
				}
			}
			if n = len(keys); n > 0 {
				query, args = t.sql.next, keys[n-1].args()
			}
			return nil
		})
		if err != nil || n < signedAtOnce {
			return err
		}
	}
}

func (v *View) macs(t *signed, query string, args []any) (keys []rowKey, macs [][]byte, err error) {
	err = v.anyRows(len(t.key)+1, query, func(row []any) error {
		k := rowKey{table: t}
		for _, part := range row[:len(t.key)] {
			k.push(part)
		}
		mac, _ := row[len(t.key)].([]byte)
		keys, macs = append(keys, k), append(macs, mac)
		return nil
	}, args...)
	return keys, macs, err
}

// rowsWithMACs returns the number of rows in all tables with a column named mac. If a where clause
// is given, it counts only the rows that match.
func (db *DB) rowsWithMACs(ctx context.Context, s *signer, where string) (total int, err error) {
	err = db.View(ctx, func(v *View) error {
		return s.each(true, func(t *signed) error {
			n := 0
			err := v.one(`select count(*) from `+t.name+where, nil, &n)
			total += n
			return err
		})
	})
	return total, err
}

// sealedTotals returns the signed totals of a practice, or ErrNotFound. They hold the number of
// rows in each table and the sum of these rows' HMACs.
func (v *View) sealedTotals(practice int64) ([]byte, error) {
	return only[[]byte](v, `select sealed from sums where practice = ?`, practice)
}

// sums returns the signed totals of all practices, by practice ID.
func (v *View) sums() (map[int64][]byte, error) {
	all := map[int64][]byte{}
	err := pairs(v, `select practice, sealed from sums`, func(practice int64, sealed []byte) { all[practice] = sealed })
	return all, err
}

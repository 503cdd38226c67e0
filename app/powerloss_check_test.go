package app_test

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"birthregistry/app"
	"birthregistry/store"
)

// check opens a state as serve does, checks it as the command check does, and looks for
// everything acknowledged. It keeps the states that fail. Many cuts leave the same files, which
// are examined once.
func (c *cuts) check(s cut) {
	made, _ := c.examined.LoadOrStore(s.sum(), sync.OnceValues(func() (map[string]bool, error) {
		folder := c.put(s)
		defer os.RemoveAll(folder) //nolint:errcheck // in memory
		return examine(folder, c.records)
	}))
	there, err := made.(func() (map[string]bool, error))()
	var lost []string
	for _, id := range s.ids {
		if !there[id] {
			lost = append(lost, id)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.losses[len(lost)]++
	for _, id := range lost {
		c.lost[id] = true
	}
	if err != nil {
		c.problems = append(c.problems, fmt.Sprintf("step %d: %v", s.step, err))
	}
	if (err != nil || len(lost) > 0) && len(c.lost)+len(c.problems) <= 1 {
		c.Logf("step %d: %v, %d lost; the state is in %s", s.step, err, len(lost), c.put(s))
	}
}

// sum identifies the files of a state.
func (s cut) sum() [sha256.Size]byte {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(s.files)) {
		fmt.Fprintf(h, "%q %d\n", name, len(s.files[name]))
		h.Write(s.files[name])
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// examine returns the IDs of the ingestions in a state. It fails if the state has fewer than
// this many records, or if a backup in it or the copy from before an upgrade is damaged.
func examine(folder string, records int) (there map[string]bool, err error) {
	backups, _ := filepath.Glob(filepath.Join(folder, "kept.db"))                 // the pattern is valid
	copies, _ := filepath.Glob(filepath.Join(folder, "registry.db.before-?????")) // the pattern is valid
	for _, backup := range append(backups, copies...) {
		if _, err := store.Inspect(context.Background(), backup); err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Base(backup), err)
		}
	}
	config := app.Defaults(filepath.Join(folder, "registry.db"))
	config.Log = slog.New(slog.DiscardHandler)
	config.Existing = config.Begun()
	a, err := app.Open(context.Background(), config)
	if err != nil {
		return nil, fmt.Errorf("it does not open: %w", err)
	}
	if err = checked(a); err != nil && strings.Contains(err.Error(), "; birthregistry secrets rotate") { // the error names the fix
		_, err = a.RotateKey(context.Background(), func(int, int) {})
		err = errors.Join(err, checked(a))
	}
	there, err2 := ingestions(a.DB)
	err3 := a.DB.View(context.Background(), func(v *store.View) error {
		all, err := v.Records(1, 0, records)
		if len(all) < records {
			err = fmt.Errorf("%d of %d records", len(all), records)
		}
		return err
	})
	return there, errors.Join(err, err2, err3, a.Close())
}

// checked returns the problem that the command check finds.
func checked(a *app.App) error {
	findings, err := a.Check(context.Background())
	for _, f := range findings {
		if f.Problem != "" {
			err = errors.Join(err, fmt.Errorf("%s: %s; %s", f.Check, f.Problem, f.Fix))
		}
	}
	return err
}

// ingestions returns the IDs of the ingestions that wait, or that are completed and have as
// many versions as they claim.
func ingestions(db *store.DB) (map[string]bool, error) {
	pool, err := sql.Open("sqlite", "file:"+db.Path()+"?mode=ro")
	if err != nil {
		return nil, err
	}
	defer pool.Close() //nolint:errcheck // read only
	rows, err := pool.Query(`
		select public_id from ingestions i
		where status in ('queued', 'processing')
			or status = 'completed' and accepted = (select count(*) from versions v where v.ingestion = i.id)`)
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // read to the end
	there := map[string]bool{}
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		there[id] = true
	}
	return there, rows.Err()
}

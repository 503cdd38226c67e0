package worker

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync/atomic"
	"time"

	"birthregistry/app/task"
)

// Schedule configures scheduled backups.
type Schedule struct {
	Folder string
	Every  time.Duration
	Keep   int // how many to keep, at least 1
	// Stem and Ending are the parts of the files' names before and after the time.
	Stem, Ending string
	// Make writes one backup to the file dest.
	Make func(ctx context.Context, dest string) error
}

// Backups makes scheduled backups, keeps the newest ones and reports their state. It determines
// from the names of the existing files whether a backup is due, so a restart doesn't change the
// schedule. A clock that was wrong for a while does no harm, because backups with a future time are
// ignored.
//
// Backups never creates the folder. If the folder is missing, its disk isn't mounted, and a backup
// on the wrong disk is worse than an alarm.
type Backups struct {
	Schedule

	started time.Time
	newest  atomic.Int64 // the time of the newest backup in Unix milliseconds; 0 if there is none
	failed  atomic.Bool
}

const (
	// stamp is the format of the time in the names of backups, in UTC.
	stamp = "20060102T150405Z"
	// backupLook is how often Backups checks whether a backup is due. retryAfter is the pause after
	// a failure. If the time of a backup is more than skew in the future, the backup counts as one
	// from the future.
	backupLook = time.Minute
	retryAfter = 10 * time.Minute
	skew       = time.Minute
)

// NewBackups returns Backups for a schedule. Worker.Run starts them.
func NewBackups(s Schedule) *Backups { return &Backups{Schedule: s, started: time.Now()} }

// State returns the age of the newest backup, which is negative if there is none. The result
// problem says what is wrong with the backups. It is "" if nothing is wrong.
func (b *Backups) State() (age time.Duration, problem string) {
	newest := b.newest.Load()
	age = -1
	if newest > 0 {
		age = max(time.Since(time.UnixMilli(newest)), 0)
	}
	switch late := b.Every + max(b.Every/4, time.Minute); {
	case b.failed.Load():
		problem = "The last backup failed; see the log."
	case newest == 0 && time.Since(b.started) > late || age > late:
		problem = "The newest backup is older than it should be; see the log."
	}
	return age, problem
}

// Newest looks in the folder for the newest backup and returns its age. The age is negative if
// there is no backup. From then on, State also reports this backup.
func (b *Backups) Newest() (age time.Duration, err error) {
	there, err := b.list()
	if err != nil {
		return 0, err
	}
	b.note(there, time.Now())
	age, _ = b.State()
	return age, nil
}

// run makes backups until ctx ends.
func (b *Backups) run(ctx context.Context, log *slog.Logger) {
	look := time.NewTicker(min(backupLook, b.Every/4))
	defer look.Stop()
	var rest time.Time // after a failure, no attempt before this time
	for {
		if !time.Now().Before(rest) {
			err := task.Do(log, "backup", func() error { return b.runOnce(ctx, time.Now().UTC()) })
			if ctx.Err() == nil {
				b.failed.Store(err != nil)
			}
			if err != nil && ctx.Err() == nil {
				rest = time.Now().Add(min(retryAfter, b.Every))
				log.Error("the scheduled backup failed; it is tried again", "folder", b.Folder, "cause", err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		}
	}
}

// runOnce makes a backup if one is due, and deletes backups that are no longer needed. It first
// deletes backups from the future, and then the oldest ones. For a backup from the future, either
// the clock was wrong when it was made, or the clock is wrong now. In both cases, backups made
// today are newer.
func (b *Backups) runOnce(ctx context.Context, now time.Time) error {
	there, err := b.list()
	if err != nil {
		return err
	}
	past := b.note(there, now)
	if newest := b.newest.Load(); newest == 0 || now.Sub(time.UnixMilli(newest)) >= b.Every {
		name := b.Stem + "-" + now.Format(stamp) + b.Ending
		if err := b.Make(ctx, filepath.Join(b.Folder, name)); err != nil {
			return err
		}
		if there, err = b.list(); err != nil {
			return err
		}
		past = b.note(there, now)
	}
	there = append(slices.Clone(there[past:]), there[:past]...)
	for _, old := range there[:max(len(there)-max(b.Keep, 1), 0)] {
		if err := os.Remove(filepath.Join(b.Folder, old)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("an old backup: %w", err)
		}
	}
	return nil
}

// list returns the names of the backups that this schedule made, oldest first. It ignores other
// files.
func (b *Backups) list() (names []string, err error) {
	entries, err := os.ReadDir(b.Folder)
	if err != nil {
		return nil, fmt.Errorf("cannot read the folder for backups; its disk may not be mounted: %w", err)
	}
	named := regexp.MustCompile("^" + regexp.QuoteMeta(b.Stem) + `-\d{8}T\d{6}Z` + regexp.QuoteMeta(b.Ending) + "$")
	for _, e := range entries {
		if e.Type().IsRegular() && named.MatchString(e.Name()) {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names, nil
}

// note records the newest backup that isn't from the future. It returns how many backups aren't
// from the future.
func (b *Backups) note(names []string, now time.Time) (past int) {
	newest := int64(0)
	for n, name := range names {
		at, err := time.Parse(stamp, name[len(b.Stem)+1:len(name)-len(b.Ending)])
		if err == nil && !at.After(now.Add(skew)) {
			newest, past = at.UnixMilli(), n+1
		}
	}
	b.newest.Store(newest)
	return past
}

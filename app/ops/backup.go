package ops

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"birthregistry/app/seal"
	"birthregistry/app/worker"
	"birthregistry/store"
)

// Backup writes a verified copy of the database to a new file (mode 0600). Other processes can
// continue to write. If recipients isn't empty, Backup seals the file to them with age, and an
// unsealed copy lies next to the database until the file is sealed. If recipients is empty, anybody
// who has the file can read everything in it except patient data.
func (i *Installation) Backup(ctx context.Context, dest string, recipients []string) error {
	if len(recipients) == 0 {
		return i.DB.Backup(ctx, dest)
	}
	if err := store.Vacant(dest); err != nil {
		return err
	}
	return i.DB.WithCopy(ctx, filepath.Dir(i.DB.Path()), func(copied string) error {
		return sealInto(ctx, copied, dest, recipients)
	})
}

// Schedule configures the backups that a serving process makes.
type Schedule struct {
	Folder string        // "" for no backups
	Every  time.Duration // at least a minute
	Keep   int           // how many backups are kept
	Sealed bool          // seal the whole file to the database's keys
}

// Backups returns the scheduled backups of this installation. It returns nil if the schedule names
// no folder.
func (i *Installation) Backups(s Schedule) *worker.Backups {
	return s.of(i.config.DB, func(ctx context.Context, dest string) (err error) {
		var recipients []string
		if s.Sealed {
			if recipients, err = i.Vault.Recipients(); err != nil {
				return err
			}
		}
		return i.Backup(ctx, dest, recipients)
	})
}

// of returns the scheduled backups of the database file db. write makes a backup. If the schedule
// names no folder, of returns nil.
func (s Schedule) of(db string, write func(ctx context.Context, dest string) error) *worker.Backups {
	if s.Folder == "" {
		return nil
	}
	name := filepath.Base(db)
	ending := filepath.Ext(name)
	stem := strings.TrimSuffix(name, ending)
	if s.Sealed {
		ending += ".age"
	}
	return worker.NewBackups(worker.Schedule{
		Folder: s.Folder, Every: s.Every, Keep: s.Keep, Stem: stem, Ending: ending,
		Make: write,
	})
}

// sealInto seals a file into a new file, verifies the new file by reading it, and then gives it the
// name dest. When ctx ends, it stops and returns ctx.Err().
func sealInto(ctx context.Context, from, dest string, recipients []string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	defer in.Close() //nolint:errcheck // only read
	info, err := in.Stat()
	if err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	if err := store.CheckSpace(info.Size(), filepath.Dir(dest)); err != nil {
		return err
	}
	out, err := store.Unfinished(filepath.Dir(dest))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Discard(out)) }()
	written, read := sha256.New(), sha256.New()
	sealed, err := seal.SealFile(io.MultiWriter(out, written), recipients)
	if err != nil {
		return err
	}
	_, err = io.Copy(sealed, interruptible{ctx, in})
	if err := errors.Join(err, sealed.Close(), out.Sync()); err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	_, err = out.Seek(0, io.SeekStart)
	if err == nil {
		_, err = io.Copy(read, interruptible{ctx, out})
	}
	if err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	if !bytes.Equal(read.Sum(nil), written.Sum(nil)) {
		return errors.New("backup: the file does not read as it was written; use another disk")
	}
	return store.Rename(out.Name(), dest)
}

// interruptible is a reader that returns ctx.Err() once ctx has ended.
type interruptible struct {
	ctx context.Context
	io.Reader
}

func (r interruptible) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(b)
}

package ops

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"birthregistry/app/auth"
	"birthregistry/app/seal"
	"birthregistry/app/task"
	"birthregistry/store"
)

// Lock makes this process the only one that may serve the database or process its queue, until the
// lock file is closed. It writes the path of its key file into the lock file, for a process that
// changes the keys. It returns store.ErrServed if another process has the lock.
func (i *Installation) Lock() (*store.LockFile, error) {
	lock, err := i.DB.Lock()
	if err != nil {
		return nil, err
	}
	path, err := filepath.Abs(i.config.KeyFile)
	if err == nil {
		_, err = lock.WriteString(path + "\n")
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("note the key file: %w", err), lock.Close())
	}
	return lock, nil
}

// ErrKeyCopy means that the serving process reads a different key file, so it wouldn't notice a new
// key.
var ErrKeyCopy = errors.New("the serving process reads its key from a different file, which may be a copy made when it started: " +
	"stop it, rotate the key, and start it again")

// RotateKey makes a new key for the database, or continues an interrupted rotation. It returns the
// name of the file that holds the former key. When ctx ends, it stops between two batches. While
// another process serves the database, RotateKey works only if that process reads the same key
// file. Otherwise it returns ErrKeyCopy.
func (i *Installation) RotateKey(ctx context.Context, progress func(done, total int)) (retired string, err error) {
	err = i.changeKeys(ctx, "keys.rotate", func() (err error) {
		lock, err := i.Lock()
		if errors.Is(err, store.ErrServed) {
			if err := i.sameKeyFile(); err != nil {
				return err
			}
		} else if err != nil {
			return err
		} else {
			defer lock.Close() //nolint:errcheck // closing releases it
		}
		retired, err = i.Vault.Rotate(ctx, progress)
		return err
	})
	return retired, err
}

// sameKeyFile returns ErrKeyCopy unless this process and the serving process read the same key
// file.
func (i *Installation) sameKeyFile() error {
	note, err := i.DB.LockNote()
	if err != nil {
		return err
	}
	serving, err := os.Stat(strings.TrimSpace(note))
	if err != nil {
		return ErrKeyCopy
	}
	own, err := os.Stat(i.config.KeyFile)
	if err != nil {
		return fmt.Errorf("key file: %w", err)
	}
	if !os.SameFile(serving, own) {
		return ErrKeyCopy
	}
	return nil
}

// AddRecovery adds a recovery key, which can then open everything that is sealed. recipient is the
// public half of the key. RemoveRecovery removes the key again. When ctx ends, either method stops
// between two batches, and another call continues. Both methods work while another process serves
// the database.
func (i *Installation) AddRecovery(ctx context.Context, recipient string, progress func(done, total int)) error {
	return i.changeKeys(ctx, "keys.add-recovery", func() error { return i.Vault.AddRecovery(ctx, recipient, progress) })
}

// RemoveRecovery removes a recovery key that AddRecovery added. It returns store.ErrNotFound if the
// database has no such recovery key.
func (i *Installation) RemoveRecovery(ctx context.Context, recipient string, progress func(done, total int)) error {
	return i.changeKeys(ctx, "keys.remove-recovery", func() error { return i.Vault.RemoveRecovery(ctx, recipient, progress) })
}

// changeKeys calls change, which changes the keys, and adds the action to the audit trail. It then
// tries to truncate the WAL, which may hold data that the former keys open. Only one process at a
// time can change keys.
func (i *Installation) changeKeys(ctx context.Context, action string, change func() error) error {
	lock, err := i.DB.LockKeys()
	if err != nil {
		return err
	}
	defer lock.Close() //nolint:errcheck // closing releases it, and nothing was written
	if err := change(); err != nil {
		return err
	}
	recipients, err := i.Vault.Recipients()
	if err != nil {
		return err
	}
	short := make([]string, len(recipients))
	for n, r := range recipients {
		short[n] = seal.Short(r)
	}
	if err := i.Auth.NoteAlone(auth.Operator(store.Practice{}), action, strings.Join(short, " ")); err != nil {
		return err
	}
	return i.truncateWAL(ctx)
}

// truncatePatience is how long changeKeys waits if a reader keeps the WAL from being truncated.
const truncatePatience = 15 * time.Second

func (i *Installation) truncateWAL(ctx context.Context) error {
	began := time.Now()
	err := task.Await(ctx, func() (bool, error) {
		clean, err := i.DB.TruncateWAL(ctx)
		return clean || time.Since(began) > truncatePatience, err
	})
	if errors.Is(err, store.ErrBusy) || ctx.Err() != nil { // another process is writing, or nobody waits anymore; the change is complete
		return nil
	}
	return err
}

// Secrets holds the public halves of the keys, which an operator may see.
type Secrets struct {
	KeyFile string `json:"key_file"`
	store.SealingKeys
	// Unfinished is set if a rotation was interrupted.
	Unfinished bool `json:"rotation_unfinished"`
}

// Secrets returns the public halves of the keys, and whether a rotation is unfinished.
func (i *Installation) Secrets() (s Secrets, err error) {
	keys, err := i.Vault.Keys()
	if err != nil {
		return s, err
	}
	s = Secrets{KeyFile: i.config.KeyFile, Unfinished: keys.Unfinished}
	s.SealingKeys, err = i.DB.SealingKeys()
	return s, err
}

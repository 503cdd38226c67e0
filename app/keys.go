package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"birthregistry/app/access"
	"birthregistry/app/seal"
	"birthregistry/store"
)

// lock makes this process the one that serves or works, and notes which key
// file it reads, for whoever changes the keys.
func (a *App) lock() (*os.File, error) {
	lock, err := a.DB.Lock()
	if err != nil {
		return nil, err
	}
	path, err := filepath.Abs(a.config.KeyFile)
	if err == nil {
		_, err = lock.WriteString(path + "\n")
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("note the key file: %w", err), lock.Close())
	}
	return lock, nil
}

// ErrKeyCopy says that the serving process would not see a new key.
var ErrKeyCopy = errors.New("the serving process reads its key from another file, perhaps a copy that was made when it started: " +
	"stop it, rotate the key, and start it again")

// RotateKey makes a new key for the database, or goes on with a rotation that
// was cut off, and returns the file in which the former one is kept. It works
// beside a process that serves when that one reads the same key file.
func (a *App) RotateKey(ctx context.Context, tell func(done, total int)) (retired string, err error) {
	err = a.changeKeys(ctx, "keys.rotate", func() (err error) {
		lock, err := a.lock()
		if errors.Is(err, store.ErrServed) {
			if err := a.sameKeyFile(); err != nil {
				return err
			}
		} else if err != nil {
			return err
		} else {
			defer lock.Close() //nolint:errcheck // closing releases it
		}
		retired, err = a.Vault.Rotate(tell)
		return err
	})
	return retired, err
}

// sameKeyFile is ErrKeyCopy unless the serving process reads our key file.
func (a *App) sameKeyFile() error {
	note, err := a.DB.LockNote()
	if err != nil {
		return err
	}
	theirs, err := os.Stat(strings.TrimSpace(note))
	if err != nil {
		return ErrKeyCopy
	}
	ours, err := os.Stat(a.config.KeyFile)
	if err != nil {
		return fmt.Errorf("key file: %w", err)
	}
	if !os.SameFile(theirs, ours) {
		return ErrKeyCopy
	}
	return nil
}

// AddRecovery lets a recovery key, of which this is the public half, open
// everything; RemoveRecovery takes it out again. Both can be cut off and called
// again, and work beside a process that serves.
func (a *App) AddRecovery(ctx context.Context, recipient string, tell func(done, total int)) error {
	return a.changeKeys(ctx, "keys.add-recovery", func() error { return a.Vault.AddRecovery(recipient, tell) })
}

// RemoveRecovery is the opposite of AddRecovery; store.ErrNotFound when it is no
// recovery key of this database.
func (a *App) RemoveRecovery(ctx context.Context, recipient string, tell func(done, total int)) error {
	return a.changeKeys(ctx, "keys.remove-recovery", func() error { return a.Vault.RemoveRecovery(recipient, tell) })
}

// changeKeys changes keys, notes it in the trail, and wipes what the former ones
// open from the WAL. One process does so at a time.
func (a *App) changeKeys(ctx context.Context, action string, change func() error) error {
	lock, err := a.DB.LockKeys()
	if err != nil {
		return err
	}
	defer lock.Close() //nolint:errcheck // closing releases it, and nothing was written
	if err := change(); err != nil {
		return err
	}
	recipients, err := a.Vault.Recipients()
	if err != nil {
		return err
	}
	short := make([]string, len(recipients))
	for i, r := range recipients {
		short[i] = seal.Short(r)
	}
	if err := a.Access.NoteAlone(access.Operator(store.Practice{}), action, strings.Join(short, " ")); err != nil {
		return err
	}
	return a.truncateWAL(ctx)
}

// truncatePatience is how long a reader may stand in the way of truncating the WAL.
const truncatePatience = 15 * time.Second

func (a *App) truncateWAL(ctx context.Context) error {
	began := time.Now()
	err := Await(ctx, func() (bool, error) {
		clean, err := a.DB.TruncateWAL(ctx)
		return clean || time.Since(began) > truncatePatience, err
	})
	if errors.Is(err, store.ErrBusy) { // somebody holds the writer
		return nil
	}
	return err
}

// Secrets is what the operator sees of the keys: their public halves.
type Secrets struct {
	KeyFile string `json:"key_file"`
	store.SealingKeys
	// Unfinished says that a rotation was cut off.
	Unfinished bool `json:"rotation_unfinished"`
}

// Secrets tells of the keys.
func (a *App) Secrets() (s Secrets, err error) {
	keys, err := a.Vault.Keys()
	if err != nil {
		return s, err
	}
	s = Secrets{KeyFile: a.config.KeyFile, Unfinished: keys.Unfinished}
	s.SealingKeys, err = a.DB.SealingKeys()
	return s, err
}

// NewRecoveryKey makes a recovery key in a new file and returns its public half.
func NewRecoveryKey(path string) (string, error) { return seal.NewRecovery(path) }

// CheckRecipient says what is wrong with the public half of a key, and Short is
// how people recognize one.
func CheckRecipient(text string) error { return seal.CheckRecipient(text) }

// Short is the beginning of the public half of a key.
func Short(recipient string) string { return seal.Short(recipient) }

package ops

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"birthregistry/store"
)

// ErrInPlace means that the file named as a backup is the database itself.
var ErrInPlace = errors.New("that is the database itself, not a backup of it; look at it with: birthregistry check")

// Rehearse restores a backup like Restore, but into a folder that it deletes afterwards. It shows
// whether a restore would succeed. The service may run at the same time, because its database and
// its key file don't change.
func Rehearse(ctx context.Context, config Config, r Restoring) (done Restored, err error) {
	path, err := r.locate(&config)
	if err != nil {
		return done, err
	}
	if r.Source == path {
		return done, ErrInPlace
	}
	folder, err := store.PrepareFolder(path)
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, store.Discard(folder)) }()
	if _, err := os.Stat(config.KeyFile); errors.Is(err, os.ErrNotExist) && r.With != "" {
		config.KeyFile = KeyFileFor(filepath.Join(folder.Name(), "rehearsal.db"))
	}
	_, err = r.prepare(ctx, config, path, folder.Name(), &done)
	return done, err
}

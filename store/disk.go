package store

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// FreeSpace returns the bytes that are free for this process on the disk of
// the database file.
func (db *DB) FreeSpace() (int64, error) { return freeSpace(db.path) }

func freeSpace(path string) (int64, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(filepath.Dir(path), &s); err != nil {
		return 0, fmt.Errorf("store: free space: %w", err)
	}
	return int64(s.Bavail) * int64(s.Bsize), nil //nolint:unconvert // 32 bits on some systems
}

// full reports whether there is no room for a page on the disk of a file.
func full(path string) bool {
	free, err := freeSpace(path)
	return err == nil && free < 4<<10
}

// disk is how a commit has found the disk.
type disk struct {
	free, log int64
	err       error
}

// Room returns the bytes that are free on the disk of the database file, and those
// of the log beside it. The callers of one commit look at the disk once together;
// what those before have put in (Accept, AddImportPart) counts as taken, and as
// being in the log, which is where it goes first.
func (tx *Tx) Room() (free, log int64, err error) {
	if tx.disk == nil {
		_, log := tx.db.Size()
		free, err := tx.db.FreeSpace()
		tx.disk = &disk{free, log, err}
	}
	return tx.disk.free - tx.taken, tx.disk.log + tx.taken, tx.disk.err
}

// Size returns the bytes of the database file and of the log beside it.
func (db *DB) Size() (file, log int64) {
	size := func(path string) int64 {
		info, err := os.Stat(path)
		if err != nil {
			return 0
		}
		return info.Size()
	}
	return size(db.path), size(db.path + "-wal")
}

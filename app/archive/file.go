package archive

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
)

// reread reads a file again and returns its size. It returns an error unless the file's SHA-256 is
// the expected one.
func reread(f *os.File, want [sha256.Size]byte) (int64, error) {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return 0, fmt.Errorf("archive: %w", err)
	}
	digest := sha256.New()
	size, err := io.Copy(digest, f)
	if err != nil {
		return 0, fmt.Errorf("archive: %w", err)
	}
	if !bytes.Equal(digest.Sum(nil), want[:]) {
		return 0, errors.New("archive: the file does not read as it was written; use another disk")
	}
	return size, nil
}

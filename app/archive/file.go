package archive

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
)

// counter counts and hashes the bytes that pass through it.
type counter struct {
	to     io.Writer
	size   int64
	digest hash.Hash
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.to.Write(b)
	c.size += int64(n)
	_, _ = c.digest.Write(b[:n]) // never fails
	return n, err
}

// reread reads a file back and compares it with what was written.
func reread(f *os.File, want [sha256.Size]byte) error {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	digest := sha256.New()
	if _, err := io.Copy(digest, f); err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	if !bytes.Equal(digest.Sum(nil), want[:]) {
		return errors.New("archive: the file does not read as it was written; use another disk")
	}
	return nil
}

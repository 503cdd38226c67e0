package seal

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"filippo.io/age"
)

// The key file is an ordinary age identity file with one hybrid identity, so
// that the stock tools open everything with it.

// readIdentity reads the key file, which nobody else may be able to read.
func readIdentity(path string) (*age.HybridIdentity, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("seal: key file: %w", err)
	}
	defer f.Close() //nolint:errcheck // read only
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("seal: key file: %w", err)
	}
	open := os.FileMode(0o077)
	if filepath.Dir(path) == os.Getenv("CREDENTIALS_DIRECTORY") {
		open = 0o037 // the service manager admits this service by an ACL, which shows as the group's mode
	}
	if info.Mode().Perm()&open != 0 {
		return nil, ErrKeyOpen
	}
	text, err := io.ReadAll(io.LimitReader(f, 64<<10))
	if err != nil {
		return nil, fmt.Errorf("seal: key file: %w", err)
	}
	identities, err := age.ParseIdentities(strings.NewReader(string(text)))
	if err != nil || len(identities) != 1 {
		return nil, errors.New("seal: the key file does not hold one age identity; restore it from its copy")
	}
	identity, ok := identities[0].(*age.HybridIdentity)
	if !ok {
		return nil, errors.New("seal: the key file holds no hybrid age identity (AGE-SECRET-KEY-PQ-1…)")
	}
	return identity, nil
}

// makeIdentity makes a key file (mode 0600) and has it on the disk, whole,
// before anything is sealed with it. When another process was first, its key
// counts, and made is false.
func makeIdentity(path string) (identity *age.HybridIdentity, made bool, err error) {
	identity, err = age.GenerateHybridIdentity()
	if err != nil {
		return nil, false, fmt.Errorf("seal: make a key: %w", err)
	}
	folder := filepath.Dir(path)
	f, err := os.CreateTemp(folder, ".key-*") // mode 0600
	if err != nil {
		return nil, false, fmt.Errorf("seal: key file: %w", err)
	}
	defer func() { err = errors.Join(err, os.Remove(f.Name())) }()
	_, err = fmt.Fprintf(f, "# The key of a birth registry database. Whoever has both can read the patient data;\n"+
		"# without it nobody can. Keep a copy apart from the database.\n# public key: %s\n%s\n", identity.Recipient(), identity)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return nil, false, fmt.Errorf("seal: key file: %w", err)
	}
	if err := os.Link(f.Name(), path); errors.Is(err, os.ErrExist) {
		identity, err = readIdentity(path)
		return identity, false, err
	} else if err != nil {
		return nil, false, fmt.Errorf("seal: key file: %w", err)
	}
	d, err := os.Open(folder)
	if err != nil {
		return nil, false, fmt.Errorf("seal: key file: %w", err)
	}
	return identity, true, errors.Join(d.Sync(), d.Close())
}

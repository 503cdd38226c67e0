package seal

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"filippo.io/age"
)

// The key file is an ordinary age identity file with one hybrid identity, so that the stock tools
// can decrypt everything with it. During a rotation, the file holds two identities, the new one
// first.

// readKeys reads a database's key file, which holds one or two keys. It returns an error if the
// file holds more, or if a key isn't a hybrid one.
func readKeys(path string) ([]*age.HybridIdentity, error) {
	identities, err := readIdentities(path)
	if err != nil {
		return nil, err
	}
	if len(identities) > 2 {
		return nil, ErrNoIdentity
	}
	keys := make([]*age.HybridIdentity, len(identities))
	for i := range identities {
		var hybrid bool
		if keys[i], hybrid = identities[i].(*age.HybridIdentity); !hybrid {
			return nil, ErrOtherKind
		}
	}
	return keys, nil
}

// anyIdentity reads the keys in several files. The keys may be hybrid or classic. Missing files are
// ignored. Any other error is returned only if it concerns the first file.
func anyIdentity(paths []string) (all []age.Identity, err error) {
	for n, path := range paths {
		identities, err := readIdentities(path)
		if errors.Is(err, os.ErrNotExist) || err != nil && n > 0 {
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, identities...)
	}
	return all, nil
}

// ErrNoIdentity means that a key file has no readable key, or too many keys.
var ErrNoIdentity = errors.New("seal: the key file holds no key of a database, which is a line that begins with AGE-SECRET-KEY-PQ-1; " +
	"name the right file with --key-file, or restore it from its copy")

// ErrOtherKind means that a key file has a classic age key. Such a key never opens a database.
var ErrOtherKind = errors.New("seal: the key file holds an age key of another kind (AGE-SECRET-KEY-1…), which never opens a database; " +
	"name the file of the database's key (AGE-SECRET-KEY-PQ-1…) with --key-file")

// ErrKeyFolder means that the path of the key file is a folder.
var ErrKeyFolder = errors.New("seal: the key file is a folder; name the file in it with --key-file")

// readIdentities reads the keys in a key file. It returns ErrKeyOpen if other users have access to
// the file, and ErrKeyFolder if path is a folder.
func readIdentities(path string) ([]age.Identity, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("seal: key file: %w", err)
	}
	defer f.Close() //nolint:errcheck // read only
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("seal: key file: %w", err)
	}
	if info.IsDir() { // checked before the mode, because ErrKeyOpen asks for chmod 600, which would lock a folder
		return nil, ErrKeyFolder
	}
	open := os.FileMode(0o077)
	if filepath.Dir(path) == os.Getenv("CREDENTIALS_DIRECTORY") {
		open = 0o037 // the service manager grants access by an ACL, which shows as the group's mode
	}
	if info.Mode().Perm()&open != 0 {
		return nil, ErrKeyOpen
	}
	text, err := io.ReadAll(io.LimitReader(f, 64<<10))
	if err != nil {
		return nil, fmt.Errorf("seal: key file: %w", err)
	}
	identities, err := age.ParseIdentities(strings.NewReader(string(text)))
	if err != nil || len(identities) == 0 { // err isn't wrapped, because age's error quotes the line
		return nil, ErrNoIdentity
	}
	return identities, nil
}

// publicOf returns the public half of a key.
func publicOf(key *age.HybridIdentity) string { return key.Recipient().String() }

const (
	keyWords = "# The key of a birth registry database. Whoever has both can read the patient data;\n" +
		"# without it nobody can. Keep a copy apart from the database.\n" + signsWords
	// signsWords is a line in the key file. Vault.Signs looks for it to learn whether the database
	// must have signatures.
	signsWords   = "# It signs the rows of its database: one without signatures is not accepted.\n"
	retiredWords = "# The former key of a birth registry database, retired by a rotation. Backups made\n" +
		"# before need it (restore BACKUP --with THIS). Destroy it with the last of them.\n"
	recoveryWords = "# A recovery key of a birth registry. A backup and this key restore everything.\n" +
		"# Keep it away from the machine and from the backups, so that nobody finds both.\n"
)

// keyText returns the content of a key file: introductory comment lines (words), followed by the
// keys.
func keyText(words string, keys ...*age.HybridIdentity) string {
	for _, key := range keys {
		words += fmt.Sprintf("# public key: %s\n%s\n", publicOf(key), key)
	}
	return words
}

// makeIdentity makes a key file (mode 0600), and syncs it to the disk before anything is encrypted
// with it. If another process has made the file first, makeIdentity returns that file's keys, and
// made is false.
func makeIdentity(path string) (keys []*age.HybridIdentity, made bool, err error) {
	key, err := age.GenerateHybridIdentity()
	if err != nil {
		return nil, false, fmt.Errorf("seal: make a key: %w", err)
	}
	temporary, err := writeTemporary(path, keyText(keyWords, key))
	if err != nil {
		return nil, false, err
	}
	defer func() { err = errors.Join(err, os.Remove(temporary)) }()
	if err := os.Link(temporary, path); errors.Is(err, os.ErrExist) {
		keys, err = readKeys(path)
		return keys, false, err
	} else if err != nil {
		return nil, false, fmt.Errorf("seal: key file: %w", err)
	}
	return []*age.HybridIdentity{key}, true, syncFolder(path)
}

// replaceKeys replaces the keys in a key file atomically, and keeps the file's owner.
func replaceKeys(path string, keys ...*age.HybridIdentity) error {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return fmt.Errorf("seal: key file: %w", err)
	}
	temporary, err := writeTemporary(path, keyText(keyWords, keys...))
	if err != nil {
		return err
	}
	if err := sameOwner(path, temporary); err != nil {
		return errors.Join(err, os.Remove(temporary))
	}
	if err := os.Rename(temporary, path); err != nil {
		return errors.Join(fmt.Errorf("seal: key file: %w", err), os.Remove(temporary))
	}
	return syncFolder(path)
}

// retire writes a replaced key to a new file in the folder of the key file, and returns the new
// file's path. A second call with the same key overwrites that file.
func retire(path string, key *age.HybridIdentity) (string, error) {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", fmt.Errorf("seal: key file: %w", err)
	}
	digest := sha256.Sum256([]byte(publicOf(key)))
	retired := path + ".retired-" + hex.EncodeToString(digest[:4])
	words := retiredWords + "# Retired on " + time.Now().UTC().Format(time.DateOnly) + ".\n"
	temporary, err := writeTemporary(path, keyText(words, key))
	if err != nil {
		return "", err
	}
	if err := errors.Join(sameOwner(path, temporary), os.Rename(temporary, retired)); err != nil {
		return "", errors.Join(fmt.Errorf("seal: key file: %w", err), os.Remove(temporary))
	}
	return retired, syncFolder(retired)
}

// NewRecovery makes a recovery key in a new file (mode 0600) and returns its public half. It
// needs no database, so it can run on another machine, which is safer.
func NewRecovery(path string) (recipient string, err error) {
	key, err := age.GenerateHybridIdentity()
	if err != nil {
		return "", fmt.Errorf("seal: make a key: %w", err)
	}
	// The file isn't made with a link, because memory sticks' file systems don't support links.
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, os.ErrExist) {
		return "", fmt.Errorf("seal: %w; name a new file for the recovery key", os.ErrExist)
	}
	if err != nil {
		return "", fmt.Errorf("seal: recovery key: %w", err)
	}
	_, err = f.WriteString(keyText(recoveryWords, key))
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return "", errors.Join(fmt.Errorf("seal: recovery key: %w", err), os.Remove(path))
	}
	return publicOf(key), syncFolder(path)
}

// writeTemporary writes text to a temporary file (mode 0600) in the folder of path, and returns the
// temporary file's path.
func writeTemporary(path, text string) (string, error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".key-*") // mode 0600
	if err != nil {
		return "", fmt.Errorf("seal: key file: %w", err)
	}
	_, err = f.WriteString(text)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return "", errors.Join(fmt.Errorf("seal: key file: %w", err), os.Remove(f.Name()))
	}
	return f.Name(), nil
}

// syncFolder syncs the folder of path, so that a file just created or renamed in it survives a
// crash.
func syncFolder(path string) error {
	d, err := os.Open(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("seal: key file: %w", err)
	}
	return errors.Join(d.Sync(), d.Close())
}

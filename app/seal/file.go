package seal

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	"os"
	"regexp"
	"strings"

	"filippo.io/age"
)

// Sealed backups and the exports of practices are ordinary age files.

// sealedFile is the beginning of every age file.
const sealedFile = "age-encryption.org/v1\n"

// IsSealed reports whether a file with this beginning is an age file.
func IsSealed(beginning []byte) bool { return bytes.HasPrefix(beginning, []byte(sealedFile)) }

// ErrMixed means that the recipients include both classic and post-quantum keys, which age refuses
// to combine.
var ErrMixed = errors.New("seal: these recipients cannot be combined: age does not mix classic keys (age1…) with post-quantum ones (age1pq1…)")

// SealFile returns a writer that encrypts what is written to it, and writes the result to w. Each
// recipient is a public key, either hybrid (post-quantum, age1pq1…) or classic (age1…). The file is
// complete only after the writer is closed.
func SealFile(w io.Writer, recipients []string) (io.WriteCloser, error) {
	for _, r := range recipients {
		if CheckRecipient(r) == ErrSecretKey {
			return nil, ErrSecretKey
		}
	}
	all, err := age.ParseRecipients(strings.NewReader(strings.Join(recipients, "\n")))
	if err != nil { // err isn't wrapped, because it quotes the text that couldn't be read
		return nil, ErrRecipient
	}
	return encrypt(w, all...)
}

func encrypt(w io.Writer, recipients ...age.Recipient) (io.WriteCloser, error) {
	sealed, err := age.Encrypt(w, recipients...)
	if err != nil {
		return nil, ErrMixed
	}
	return sealed, nil
}

// OpenFile decrypts a file that SealFile has sealed, with any key from the key files. Missing key
// files are ignored. OpenFile returns ErrNoKey if there is no key, ErrWrongKey if no key opens the
// file, and ErrSealed if the file is damaged. The returned reader may also fail with ErrSealed.
func OpenFile(r io.Reader, keyFiles ...string) (io.Reader, error) {
	all, err := anyIdentity(keyFiles)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, ErrNoKey
	}
	opened, err := age.Decrypt(r, all...)
	if err != nil {
		return nil, notOpened(err)
	}
	return payload{opened}, nil
}

// notOpened converts the error with which age refused to open a file. It returns ErrWrongKey if no
// key fits, and ErrSealed otherwise.
func notOpened(err error) error {
	if none := (*age.NoIdentityMatchError)(nil); errors.As(err, &none) {
		return ErrWrongKey
	}
	return ErrSealed
}

// payload is the decrypted content of a sealed file. Read returns ErrSealed if the file was cut off
// or damaged. If the disk can't be read, it returns the system's error.
type payload struct{ io.Reader }

func (p payload) Read(b []byte) (int, error) {
	n, err := p.Reader.Read(b)
	return n, notRead(err)
}

// notRead converts an error from reading an age file. It returns nil, io.EOF and disk errors
// unchanged, and ErrSealed for any other error.
func notRead(err error) error {
	if disk := (*os.PathError)(nil); err == nil || err == io.EOF || errors.As(err, &disk) {
		return err
	}
	return ErrSealed
}

// Recipients returns the public halves of the keys that open the database. The installation's key
// comes first, followed by recovery keys.
func (v *Vault) Recipients() ([]string, error) {
	_, texts, err := v.store.Recipients()
	return texts, err
}

// Short returns the beginning of a public key, which is enough to recognize it. The whole key
// has some 2,000 characters.
func Short(recipient string) string { return recipient[:min(len(recipient), 20)] }

// NewPassphrase returns a random passphrase of 120 bits, for people to write down: six groups of
// four lower-case letters and digits.
func NewPassphrase() string {
	text := strings.ToLower(rand.Text())
	groups := make([]string, 0, 6)
	for n := range cap(groups) {
		groups = append(groups, text[4*n:4*n+4])
	}
	return strings.Join(groups, "-")
}

var madeHere = regexp.MustCompile(`^[a-z2-7]{4}(-[a-z2-7]{4}){5}$`)

// IsPassphrase reports whether a text has the form of a passphrase from NewPassphrase.
func IsPassphrase(text string) bool { return madeHere.MatchString(text) }

// workFactor is the logarithm of the cost of scrypt. With this value, scrypt uses 16 MiB of memory.
// With age's default, it uses 256 MiB, more than the whole service. That default protects
// passphrases that people choose. A passphrase from NewPassphrase can't be guessed anyway.
const workFactor = 14

// maxWork is the highest scrypt work factor that a file may ask for, which needs 256 MiB. It is the
// limit of the age command. Without a limit, a file could make this program use 4 GiB before the
// passphrase is even checked.
const maxWork = 18

// SealFileWith is like SealFile, but it encrypts with a passphrase from NewPassphrase instead of
// recipients' keys.
func SealFileWith(w io.Writer, passphrase string) (io.WriteCloser, error) {
	recipient, err := age.NewScryptRecipient(passphrase)
	if err != nil {
		return nil, ErrPassphrase
	}
	recipient.SetWorkFactor(workFactor)
	return encrypt(w, recipient)
}

// ErrPassphrase means that the passphrase is empty.
var ErrPassphrase = errors.New("seal: the passphrase is empty")

// OpenFileAt opens a file that SealFile or SealFileWith has sealed, for reading at any offset. It
// tries the keys in the key files and, if passphrase isn't empty, the passphrase. It also returns
// the size of the decrypted content. It returns the same errors as OpenFile.
func OpenFileAt(r io.ReaderAt, size int64, passphrase string, keyFiles ...string) (io.ReaderAt, int64, error) {
	all, err := anyIdentity(keyFiles)
	if err != nil {
		return nil, 0, err
	}
	if passphrase != "" {
		identity, err := age.NewScryptIdentity(passphrase)
		if err != nil {
			return nil, 0, ErrPassphrase
		}
		identity.SetMaxWorkFactor(maxWork)
		all = append(all, identity)
	}
	if len(all) == 0 {
		return nil, 0, ErrNoKey
	}
	opened, n, err := age.DecryptReaderAt(r, size, all...)
	if err != nil {
		return nil, 0, notOpened(err)
	}
	return payloadAt{opened}, n, nil
}

// payloadAt is like payload, but it can be read at any offset.
type payloadAt struct{ io.ReaderAt }

func (p payloadAt) ReadAt(b []byte, at int64) (int, error) {
	n, err := p.ReaderAt.ReadAt(b, at)
	return n, notRead(err)
}

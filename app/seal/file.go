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

// ErrMixed means that age refuses to combine the recipients.
var ErrMixed = errors.New("seal: these recipients cannot be combined: age does not mix classic keys (age1…) with post-quantum ones (age1pq1…)")

// SealFile returns a writer that seals a file for recipients: hybrid ones (post-quantum, age1pq1…)
// or classic ones (age1…). The file is complete once the writer is closed.
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

// OpenFile opens a file that SealFile has sealed. It uses a key from one of the key files. It
// ignores missing key files. It returns ErrNoKey if there is no key, ErrWrongKey if no key opens
// the file, and ErrSealed if the file is damaged. Reading may also return ErrSealed.
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

// notOpened returns the error for a file that age didn't open: ErrWrongKey if no key fits, and
// ErrSealed otherwise.
func notOpened(err error) error {
	if none := (*age.NoIdentityMatchError)(nil); errors.As(err, &none) {
		return ErrWrongKey
	}
	return ErrSealed
}

// payload is the content of a sealed file. Reading returns ErrSealed if the file was cut off or
// damaged, whatever age's error is, and the system's error if the disk can't be read.
type payload struct{ io.Reader }

func (p payload) Read(b []byte) (int, error) {
	n, err := p.Reader.Read(b)
	return n, notRead(err)
}

// notRead converts an error that age returned while reading. It returns nil, io.EOF and the errors
// of the file itself unchanged.
func notRead(err error) error {
	if disk := (*os.PathError)(nil); err == nil || err == io.EOF || errors.As(err, &disk) {
		return err
	}
	return ErrSealed
}

// Recipients returns the public halves of the keys that open the database, the
// installation's own first.
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

// workFactor is the logarithm of the cost of scrypt. With this value, scrypt takes 16 MiB of
// memory. With age's default, it takes 256 MiB, more than the whole service. The default protects
// passphrases that people choose, but a passphrase from NewPassphrase can't be guessed anyway.
const workFactor = 14

// maxWork is the highest work factor that a file may ask for: the one that the age command uses,
// which takes 256 MiB. Without a limit, a file could make this program take 4 GiB before the
// passphrase is even checked.
const maxWork = 18

// SealFileWith is SealFile with a passphrase from NewPassphrase instead of recipients.
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

// OpenFileAt opens a file that SealFile or SealFileWith has sealed, so that it can be read at any
// offset. It uses a key from one of the key files, or the passphrase if that isn't empty. It also
// returns the size of the content. Its errors are those of OpenFile.
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

// payloadAt is payload for reading at any offset.
type payloadAt struct{ io.ReaderAt }

func (p payloadAt) ReadAt(b []byte, at int64) (int, error) {
	n, err := p.ReaderAt.ReadAt(b, at)
	return n, notRead(err)
}

package auth

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
	"golang.org/x/text/unicode/norm"

	"birthregistry/app/auth/internal/cost"
)

// ErrBadPassword matches every error of CheckPassword (errors.Is).
var ErrBadPassword = errors.New("auth: this cannot be a password")

type badPassword string

func (b badPassword) Error() string        { return "auth: " + string(b) }
func (b badPassword) Is(target error) bool { return target == ErrBadPassword }

// These are the reasons why a password is refused (NIST SP 800-63B-4, 3.1.1.2; ASVS 5.0, 6.2).
// There is no other rule: passwords need no mixture of characters, don't expire, and may be pasted.
const (
	ErrShortPassword  = badPassword("the password must have at least 15 characters; use several words")
	ErrLongPassword   = badPassword("the password must have at most 256 bytes")
	ErrPlainPassword  = badPassword("the password is built from the email address or the name of this service; use several other words")
	ErrCommonPassword = badPassword("many people use this password; use several unrelated words")
	ErrSimplePassword = badPassword("the password repeats itself, or follows the alphabet, the numbers or the keyboard; use several unrelated words")
)

const (
	minPassword = 15  // characters, after normalization
	maxPassword = 256 // bytes
	judged      = 64  // characters; only so many from the beginning count for the strength
)

// CheckPassword returns nil if a password is strong enough for the account with the email address.
// Otherwise it returns ErrLongPassword, ErrShortPassword, ErrPlainPassword, ErrCommonPassword or
// ErrSimplePassword. All code that sets a password calls CheckPassword.
func CheckPassword(password, email string) error {
	switch {
	case len(password) > maxPassword:
		return ErrLongPassword
	case utf8.RuneCountInString(norm.NFC.String(password)) < minPassword:
		return ErrShortPassword
	}
	folded := []rune(fold(password))
	password = string(folded[:min(len(folded), judged)])
	parts := append(partsOf(email), service...)
	switch strong := (guesser{parts, true}).strength(password) >= minStrength; {
	case strong && unrepeated(password) < minUnrepeated:
		return ErrSimplePassword
	case strong:
		return nil
	case guesser{nil, true}.strength(password) >= minStrength:
		return ErrPlainPassword
	case guesser{parts, false}.strength(password) >= minStrength:
		return ErrCommonPassword
	}
	return ErrSimplePassword
}

const (
	parallelism = 1
	saltSize    = 16
	sumSize     = 32
)

// hashing limits how many passwords are hashed at the same time and how many wait, because a hash
// deliberately takes much memory and processor time. A Service has two such limits. One is for
// sign-ins of strangers. The other is for everything else: new passwords, signed-in users, and
// users whose browser or network is known.
type hashing struct {
	cost    cost.Argon2id
	slots   chan struct{}
	waiting atomic.Int64
	made    atomic.Int64 // how many hashes were made
}

const (
	hashesAtATime = 1
	hashesWaiting = 64
)

func newHashing() *hashing {
	return &hashing{cost: cost.Now, slots: make(chan struct{}, hashesAtATime)}
}

// sum hashes a password. Only hashesAtATime passwords are hashed at a time, so sum may wait. It
// returns Wait if too many others are waiting.
func (h *hashing) sum(password string, salt []byte) ([]byte, error) {
	if h.waiting.Add(1) > hashesWaiting+hashesAtATime {
		h.waiting.Add(-1)
		return nil, Wait{2 * time.Second}
	}
	defer h.waiting.Add(-1)
	h.slots <- struct{}{}
	defer func() { <-h.slots }()
	h.made.Add(1)
	return argon2.IDKey(norm.NFC.Bytes([]byte(password)), salt, h.cost.Passes, h.cost.Memory, parallelism, sumSize), nil
}

// of hashes a password with a new salt. It returns a PHC string, which holds the algorithm, its
// parameters, the salt and the hash.
func (h *hashing) of(password string) (string, error) {
	salt := make([]byte, saltSize)
	_, _ = rand.Read(salt) // never fails
	sum, err := h.sum(password, salt)
	return h.phc(salt, sum), err
}

// matches reports whether stored, a PHC string, is the hash of a password. It takes the same time
// for a right and a wrong password.
func (h *hashing) matches(stored, password string) (bool, error) {
	salt, want, err := h.parsePHC(stored)
	if err != nil {
		return false, err
	}
	if len(password) > maxPassword {
		password = ""
	}
	sum, err := h.sum(password, salt)
	return err == nil && subtle.ConstantTimeCompare(sum, want) == 1, err
}

// decoy returns a PHC string that no password matches. It is used for users without a stored hash,
// so that their sign-in takes as long as any other.
func (h *hashing) decoy() string { return h.phc(make([]byte, saltSize), make([]byte, sumSize)) }

// phcHead returns the beginning of a PHC string, with the algorithm and the parameters of the hash.
// parsePHC accepts only hashes with this beginning.
func (h *hashing) phcHead() string {
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$", argon2.Version, h.cost.Memory, h.cost.Passes, parallelism)
}

func (h *hashing) phc(salt, sum []byte) string {
	b64 := base64.RawStdEncoding
	return h.phcHead() + b64.EncodeToString(salt) + "$" + b64.EncodeToString(sum)
}

func (h *hashing) parsePHC(s string) (salt, sum []byte, err error) {
	rest, known := strings.CutPrefix(s, h.phcHead())
	saltText, sumText, parts := strings.Cut(rest, "$")
	if known && parts {
		var saltErr, sumErr error
		salt, saltErr = base64.RawStdEncoding.DecodeString(saltText)
		sum, sumErr = base64.RawStdEncoding.DecodeString(sumText)
		if saltErr == nil && sumErr == nil && len(salt) == saltSize && len(sum) == sumSize {
			return salt, sum, nil
		}
	}
	return nil, nil, errors.New("auth: a stored password has no form that this version knows; reset it")
}

package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"hash/crc32"
	"math/big"
	"strings"
)

// An API key is "rgk_", 32 random base62 characters (190 bits) and 6 more with their CRC-32. The
// checksum reveals a typing error without the database. Secret scanners can find a leaked key by
// its pattern, rgk_[0-9A-Za-z]{38}.
const (
	keyPrefix    = "rgk_"
	randomSize   = 32
	checksumSize = 6
	// prefixSize is the length of the beginning of a key that is stored in plain text. It lets
	// people recognize the key.
	prefixSize = len(keyPrefix) + 4

	alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

func newKey() string {
	var b strings.Builder
	b.WriteString(keyPrefix)
	base := big.NewInt(int64(len(alphabet)))
	for range randomSize {
		n, err := rand.Int(rand.Reader, base)
		if err != nil {
			panic("auth: no randomness: " + err.Error()) // can't happen on supported systems
		}
		b.WriteByte(alphabet[n.Int64()])
	}
	return b.String() + checksum(b.String()[len(keyPrefix):])
}

func checksum(random string) string {
	sum := crc32.ChecksumIEEE([]byte(random))
	digits := make([]byte, checksumSize)
	for i := range digits {
		digits[len(digits)-1-i] = alphabet[sum%uint32(len(alphabet))]
		sum /= uint32(len(alphabet))
	}
	return string(digits)
}

// IsKey reports whether a text has the form of an API key. It doesn't say whether the key is known.
func IsKey(text string) bool {
	rest, ok := strings.CutPrefix(text, keyPrefix)
	return ok && len(rest) == randomSize+checksumSize && checksum(rest[:randomSize]) == rest[randomSize:]
}

// hash returns the SHA-256 of a string, such as a key.
func hash(text string) []byte {
	sum := sha256.Sum256([]byte(text))
	return sum[:]
}

package access

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"strings"
	"time"
)

// A browser in which somebody has signed in keeps a mark. A mark signs nobody in: it
// has the tries of its browser counted and hashed apart from all others, so that a
// flood of the sign-in, wherever it comes from, locks out nobody who has a mark
// (OWASP, "Slow Down Online Guessing Attacks with Device Cookies").
// A mark carries a MAC by the installation's key. It is valid for markLife, and until
// the password that it was made for changes. It outlasts a restart.
const (
	markLife = 180 * 24 * time.Hour
	maxMarks = 8 // in a browser that several people share
)

// mark is what a browser keeps of one person.
type mark struct {
	user  int64
	until int64   // its end, in Unix seconds
	stamp [8]byte // of the password it was made for
	nonce [8]byte // the key under which the browser's tries are counted
}

const (
	markSize    = 8 + 8 + 8 + 8
	markMACSize = 16
)

func (a *Access) markMAC(body []byte) []byte {
	mac := hmac.New(sha256.New, a.markKey)
	mac.Write(body)
	return mac.Sum(nil)[:markMACSize]
}

// marks reads the marks that a browser keeps, the newest first. It leaves out those
// that this installation did not make and those that have ended.
func (a *Access) marks(kept string) (all []mark) {
	now := time.Now().Unix()
	for text := range strings.SplitSeq(kept, ".") {
		doc, err := base64.RawURLEncoding.DecodeString(text)
		if err != nil || len(doc) != markSize+markMACSize || len(all) == maxMarks {
			continue
		}
		body := doc[:markSize]
		if subtle.ConstantTimeCompare(a.markMAC(body), doc[markSize:]) != 1 {
			continue
		}
		m := mark{user: int64(binary.BigEndian.Uint64(body)), until: int64(binary.BigEndian.Uint64(body[8:]))}
		copy(m.stamp[:], body[16:])
		copy(m.nonce[:], body[24:])
		if now < m.until {
			all = append(all, m)
		}
	}
	return all
}

func (a *Access) written(m mark) string {
	body := binary.BigEndian.AppendUint64(nil, uint64(m.user))
	body = binary.BigEndian.AppendUint64(body, uint64(m.until))
	body = append(append(body, m.stamp[:]...), m.nonce[:]...)
	return base64.RawURLEncoding.EncodeToString(append(body, a.markMAC(body)...))
}

func markStamp(stored string) (s [8]byte) {
	sum := sha256.Sum256([]byte(stored))
	copy(s[:], sum[:])
	return s
}

// MarkBrowser returns the marks for a browser in which a person has signed in, made of
// those that it kept before and a new one, and how long it is to keep them.
func (a *Access) MarkBrowser(ctx context.Context, kept string, user int64) (string, time.Duration, error) {
	u, _, err := a.person(ctx, user)
	if err != nil {
		return "", 0, err
	}
	m := mark{user: user, until: time.Now().Add(markLife).Unix(), stamp: markStamp(u.Password)}
	_, _ = rand.Read(m.nonce[:]) // never fails
	all := []string{a.written(m)}
	for _, old := range a.marks(kept) {
		if old.user != user && len(all) < maxMarks {
			all = append(all, a.written(old))
		}
	}
	return strings.Join(all, "."), markLife, nil
}

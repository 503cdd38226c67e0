package auth

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

// A browser in which a user has signed in keeps a device cookie. The cookie signs nobody in.
// Sign-in tries from such a browser are counted separately, and hashing their passwords doesn't
// wait until strangers' passwords are hashed. So a flood of sign-ins, from any number of networks,
// never locks out a user whose browser has a device cookie (OWASP, "Slow Down Online Guessing
// Attacks with Device Cookies").
//
// A device cookie carries a MAC that is made with the installation's key. It is valid for
// deviceCookieLife, but only until the user's password changes. A restart of the service doesn't
// affect it.
const (
	deviceCookieLife = 180 * 24 * time.Hour
	maxDeviceCookies = 8 // how many users a shared browser remembers
)

// deviceCookie is what a browser stores about one user who has signed in with it.
type deviceCookie struct {
	user     int64
	until    int64   // when it expires, in Unix seconds
	password [8]byte // identifies the password that the user had when the cookie was made
	nonce    [8]byte // the key under which the browser's tries are counted
}

const (
	deviceCookieSize    = 8 + 8 + 8 + 8
	deviceCookieMACSize = 16
)

func (s *Service) deviceCookieMAC(body []byte) []byte {
	mac := hmac.New(sha256.New, s.deviceCookieKey)
	mac.Write(body)
	return mac.Sum(nil)[:deviceCookieMACSize]
}

// deviceCookies decodes the device cookies in kept, which is the value that a browser has sent. It
// returns them newest first, and at most maxDeviceCookies of them. It leaves out forged and expired
// cookies.
func (s *Service) deviceCookies(kept string) (all []deviceCookie) {
	now := time.Now().Unix()
	for text := range strings.SplitSeq(kept, ".") {
		doc, err := base64.RawURLEncoding.DecodeString(text)
		if err != nil || len(doc) != deviceCookieSize+deviceCookieMACSize || len(all) == maxDeviceCookies {
			continue
		}
		body := doc[:deviceCookieSize]
		if subtle.ConstantTimeCompare(s.deviceCookieMAC(body), doc[deviceCookieSize:]) != 1 {
			continue
		}
		m := deviceCookie{user: int64(binary.BigEndian.Uint64(body)), until: int64(binary.BigEndian.Uint64(body[8:]))}
		copy(m.password[:], body[16:])
		copy(m.nonce[:], body[24:])
		if now < m.until {
			all = append(all, m)
		}
	}
	return all
}

func (s *Service) encodeDeviceCookie(m deviceCookie) string {
	body := binary.BigEndian.AppendUint64(nil, uint64(m.user))
	body = binary.BigEndian.AppendUint64(body, uint64(m.until))
	body = append(append(body, m.password[:]...), m.nonce[:]...)
	return base64.RawURLEncoding.EncodeToString(append(body, s.deviceCookieMAC(body)...))
}

func deviceCookieStamp(stored string) (s [8]byte) {
	copy(s[:], hash(stored))
	return s
}

// RememberBrowser returns the value of the device cookies for a browser in which a user has just
// signed in. The value consists of a new cookie for the user, and of the other users' cookies from
// kept, which is the value that the browser has sent. RememberBrowser also returns how long the
// browser should keep the value.
func (s *Service) RememberBrowser(ctx context.Context, kept string, user int64) (string, time.Duration, error) {
	u, _, err := s.account(ctx, user)
	if err != nil {
		return "", 0, err
	}
	m := deviceCookie{user: user, until: time.Now().Add(deviceCookieLife).Unix(), password: deviceCookieStamp(u.Password)}
	_, _ = rand.Read(m.nonce[:]) // never fails
	all := []string{s.encodeDeviceCookie(m)}
	for _, old := range s.deviceCookies(kept) {
		if old.user != user && len(all) < maxDeviceCookies {
			all = append(all, s.encodeDeviceCookie(old))
		}
	}
	return strings.Join(all, "."), deviceCookieLife, nil
}

package auth

import (
	"errors"
	"net/mail"
	"strings"
	"unicode"
)

// These are the reasons why an email address is refused.
var (
	ErrBadEmail    = errors.New("auth: this is not an email address; write it like name@example.org")
	ErrEmailLetter = errors.New("auth: a letter in this email address only looks like an ordinary one; type the address instead of pasting it")
)

const maxEmail = 254

// normalEmail returns an email address in lower case. It returns ErrBadEmail or ErrEmailLetter if
// the address is invalid.
func normalEmail(email string) (string, error) {
	email, err := lowerEmail(email)
	if err != nil {
		return "", err
	}
	parsed, err := mail.ParseAddress(email)
	if err != nil || parsed.Address != email || len(email) > maxEmail || strings.ContainsFunc(email, unprintable) {
		return "", ErrBadEmail
	}
	return email, nil
}

// lowerEmail returns an address in lower case. It returns ErrEmailLetter if the address has a
// letter whose lower case is also the lower case of another letter. The Kelvin sign, for example,
// would become an ordinary k, and the address could become somebody else's.
func lowerEmail(email string) (string, error) {
	email = strings.TrimSpace(email)
	for _, r := range email {
		if lower := unicode.ToLower(r); lower != r && unicode.ToUpper(lower) != r {
			return "", ErrEmailLetter
		}
	}
	return strings.ToLower(email), nil
}

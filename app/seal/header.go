package seal

import (
	"bytes"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"filippo.io/age"
)

// An age header (age specification, "Header") holds the file key that protects the content. The
// header holds one encrypted copy of the file key for each recipient, which only that recipient's
// secret key opens, and a MAC made with the file key. The stock library writes a header only for a
// file key that it has just made. This file uses the library's parts to encrypt an existing file
// key for other recipients. A test verifies that the stock library opens the result.

const (
	fileKeySize = 16
	columns     = 64
)

// wrap returns an age header in which the file key is encrypted for each of the recipients.
func wrap(fileKey []byte, recipients []*age.HybridRecipient) ([]byte, error) {
	if len(recipients) == 0 {
		return nil, errors.New("seal: there is no recipient to wrap a header to")
	}
	var header bytes.Buffer
	header.WriteString("age-encryption.org/v1\n")
	for _, r := range recipients {
		stanzas, err := r.Wrap(fileKey)
		if err != nil {
			return nil, fmt.Errorf("seal: make a header: %w", err)
		}
		for _, s := range stanzas {
			header.WriteString("-> " + strings.Join(append([]string{s.Type}, s.Args...), " ") + "\n")
			body := base64.RawStdEncoding.EncodeToString(s.Body)
			for ; len(body) >= columns; body = body[columns:] {
				header.WriteString(body[:columns] + "\n")
			}
			header.WriteString(body + "\n") // the last line must be shorter than the others, so it may be empty
		}
	}
	header.WriteString("---")
	key, err := hkdf.Key(sha256.New, fileKey, nil, "header", sha256.Size)
	if err != nil {
		return nil, fmt.Errorf("seal: make a header: %w", err)
	}
	code := hmac.New(sha256.New, key)
	code.Write(header.Bytes())
	header.WriteString(" " + base64.RawStdEncoding.EncodeToString(code.Sum(nil)) + "\n")
	return header.Bytes(), nil
}

// parse parses the public halves of keys. It returns ErrRecipient if a text isn't one.
func parse(texts []string) ([]*age.HybridRecipient, error) {
	all := make([]*age.HybridRecipient, len(texts))
	for i, text := range texts {
		r, err := age.ParseHybridRecipient(text)
		if err != nil { // err isn't wrapped, because it would quote the text
			return nil, ErrRecipient
		}
		all[i] = r
	}
	return all, nil
}

// ErrRecipient means that a text isn't the public half of a usable key. Classic keys (age1…) are
// refused, because the installation's own key is a hybrid one (age1pq1…), and age can't encrypt one
// file to both kinds.
var ErrRecipient = errors.New("seal: that is not a public key of the kind used here (age1pq1…); " +
	"make a pair with: birthregistry secrets recovery make FILE, or: age-keygen -pq")

// ErrSecretKey means that the secret half of a key was given instead of the public half.
var ErrSecretKey = errors.New("seal: that is the secret half of a key, which must never be entered here; give the public one (age1pq1…), " +
	"and make a new pair if this was typed where others can read it")

// CheckRecipient returns an error unless text is the public half of a hybrid key (age1pq1…). It
// recognizes a secret half even inside other text, such as a whole key file.
func CheckRecipient(text string) error {
	if strings.Contains(strings.ToUpper(text), "AGE-SECRET-KEY-") {
		return ErrSecretKey
	}
	_, err := parse([]string{text})
	return err
}

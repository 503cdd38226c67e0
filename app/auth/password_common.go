package auth

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"sort"
	"strings"
)

// commonPasswords lists the most common passwords. It has the first digits of their hashes. Its
// header names the sources. The service searches the list directly in the program's file, so the
// list takes no memory unless somebody chooses a password. About ten in a billion other passwords
// are mistaken for a common one.
//
//go:embed common_passwords.txt
var commonPasswords string

// These are the smallest and the largest length of the listed passwords, in characters. The list
// has all passwords of minPassword or more characters from its sources. Of the shorter passwords,
// it has only the most common ones.
const (
	shortestCommon = 4
	longestCommon  = 32
)

const commonDigits = 10 // digits of a hash in the list

// isCommon reports whether a password is one of the most common passwords. s must be the result of
// fold.
func isCommon(s string) bool {
	sum := sha256.Sum256([]byte(s))
	return listed(hex.EncodeToString(sum[:])[:commonDigits])
}

// swapped replaces signs and digits with the letters that people replace with them. For example, it
// replaces @ with a, and 3 with e.
var swapped = strings.NewReplacer("@", "a", "4", "a", "3", "e", "1", "i", "!", "i", "0", "o", "$", "s", "5", "s", "7", "t")

// listed reports whether a hash is in the list. The list holds only the first commonDigits digits
// of each hash.
func listed(hash string) bool {
	lines := commonPasswords[commonHead:]
	at := func(n int) string { return lines[n*(commonDigits+1):][:commonDigits] }
	all := len(lines) / (commonDigits + 1)
	n := sort.Search(all, func(n int) bool { return at(n) >= hash })
	return n < all && at(n) == hash
}

// commonHead is the length of the comment at the beginning of commonPasswords, in bytes.
var commonHead = func() int {
	last := strings.LastIndexByte(commonPasswords, '#')
	return last + strings.IndexByte(commonPasswords[last:], '\n') + 1
}()

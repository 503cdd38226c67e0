package access

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"sort"
	"strings"
)

// commonPasswords are the commonest, by the first digits of their hashes; what
// they are and where from stands at their head. It is looked up as it lies in the
// program's file, so that it takes no memory while nobody chooses a password. Of
// a thousand million texts that are not common, ten are taken for it.
//
//go:embed common_passwords.txt
var commonPasswords string

// How long the common passwords are that are looked for, in characters. Those from
// minPassword on are all that were found, the shorter ones the very commonest.
const (
	shortestCommon = 4
	longestCommon  = 32
)

const commonDigits = 10 // of a hash in the list

// isCommon reports whether a folded text is one of the commonest passwords.
func isCommon(s string) bool {
	sum := sha256.Sum256([]byte(s))
	return listed(hex.EncodeToString(sum[:])[:commonDigits])
}

// swapped are the signs and digits that people write for letters.
var swapped = strings.NewReplacer("@", "a", "4", "a", "3", "e", "1", "i", "!", "i", "0", "o", "$", "s", "5", "s", "7", "t")

// unswapped is a text with letters in the place of what is written for them.
func unswapped(s string) string { return swapped.Replace(s) }

// listed reports whether a hash is in the list.
func listed(hash string) bool {
	lines := commonPasswords[commonHead:]
	at := func(n int) string { return lines[n*(commonDigits+1):][:commonDigits] }
	all := len(lines) / (commonDigits + 1)
	n := sort.Search(all, func(n int) bool { return at(n) >= hash })
	return n < all && at(n) == hash
}

// commonHead is where the list begins behind its head.
var commonHead = func() int {
	last := strings.LastIndexByte(commonPasswords, '#')
	return last + strings.IndexByte(commonPasswords[last:], '\n') + 1
}()

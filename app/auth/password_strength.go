package auth

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// The strength of a password is the number of characters that an attacker must guess who knows how
// people make long passwords. A piece of the password counts as one character, however long it is,
// if it repeats a character or an earlier piece, follows the alphabet, the numbers or the keyboard,
// or is part of the email address or of the service's name. One of the most common passwords counts
// as commonStrength. Every other character counts as one.
//
// A password must also have at least minUnrepeated characters that don't repeat earlier characters.
// If a word is written twice, only the first copy counts.
const (
	minStrength    = 8
	commonStrength = 3
	minUnrepeated  = 12
)

// guesser holds what an attacker knows: parts of the email address, parts of the service's name
// and, if common is set, the most common passwords.
type guesser struct {
	parts  []string
	common bool
}

// service holds the words of the service's name, which are easy to guess in a password.
var service = []string{"birthregistry", "birth", "registry"}

// partsOf returns those parts of an email address that are easy to guess in a password. They are
// the whole address, the text before the @, and the text after the @, each with and without
// punctuation, and the words between punctuation. Parts of fewer than three characters are left
// out.
func partsOf(email string) []string {
	email = fold(email)
	parts := strings.FieldsFunc(email, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for half := range strings.SplitSeq(email, "@") {
		parts = append(parts, half, bare(half))
	}
	parts = append(parts, email, bare(email))
	return slices.DeleteFunc(parts, func(part string) bool { return len([]rune(part)) < 3 })
}

// fold returns a text in a form for comparing. Texts that differ only in case or in the Unicode
// composition of letters have the same form.
func fold(s string) string { return norm.NFKC.String(strings.ToLower(norm.NFKC.String(s))) }

// bare returns only the letters and digits of a string.
func bare(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
}

// signs returns how many different signs a string has. A sign is a character that isn't a letter, a
// digit or a space, such as a punctuation mark.
func signs(s string) int {
	found := map[rune]bool{}
	for _, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsSpace(r) {
			found[r] = true
		}
	}
	return len(found)
}

// strength returns the strength of a password, which must be the result of fold. It is the smallest
// of three numbers: the strength of the password itself; its strength when typed without the shift
// key; and the strength of its letters and digits alone, plus one for each different sign (see
// signs).
func (g guesser) strength(password string) int {
	return min(g.sum(password), g.sum(shifted.Replace(password)), g.sum(bare(password))+signs(password))
}

// unrepeated returns how many characters of a password don't repeat earlier characters. The
// password must be the result of fold.
func unrepeated(password string) int {
	count := func(text string) (n int) {
		s := []rune(text)
		for at := 0; at < len(s); {
			again := repeated(s, at)
			if again == 0 {
				n++
			}
			at += max(again, 1)
		}
		return n
	}
	return min(count(password), count(bare(password))+signs(password))
}

// sum cuts a password into pieces and adds up the strength of the pieces. It returns the lowest
// total of all ways to cut the password.
func (g guesser) sum(text string) int {
	s, plain := []rune(text), []rune(swapped.Replace(text))
	least := make([]int, len(s)+1) // least[n] is the least strength of the first n characters
	for n := range s {
		least[n+1] = math.MaxInt
	}
	for from := range s {
		piece := func(length, worth int) {
			least[from+length] = min(least[from+length], least[from]+worth)
		}
		piece(1, 1)
		for n := range max(run(s[from:]), repeated(s, from)) {
			piece(n+1, 1)
		}
		for _, part := range g.parts {
			if p := []rune(part); len(p) <= len(s)-from && slices.Equal(p, s[from:from+len(p)]) {
				piece(len(p), 1)
			}
		}
		for n := shortestCommon; g.common && n <= min(longestCommon, len(s)-from); n++ {
			if isCommon(string(s[from:from+n])) || isCommon(string(plain[from:from+n])) {
				piece(n, commonStrength)
			}
		}
	}
	return least[len(s)]
}

// repeated returns the length of the longest sequence that begins at index from and also begins at
// an earlier index. In "abcabc", for example, "abc" begins at 3 and also at 0. repeated returns 0
// if the sequence has fewer than three characters.
func repeated(s []rune, from int) (longest int) {
	for earlier := range from {
		n := 0
		for from+n < len(s) && s[earlier+n] == s[from+n] {
			n++
		}
		longest = max(longest, n)
	}
	if longest < 3 {
		return 0
	}
	return longest
}

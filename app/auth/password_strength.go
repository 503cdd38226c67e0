package auth

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// The strength of a password is the number of characters that are left to guess for an attacker who
// knows how people make long passwords. A piece counts as one character, however long it is, if it
// repeats a character or an earlier piece, follows the alphabet, the numbers or the keyboard, or is
// part of the email address or of the service's name. One of the most common passwords counts as
// commonStrength. All other characters count as one each.
//
// A password must also have at least minUnrepeated characters that don't repeat earlier ones. If a
// word is written twice, only its first copy is counted.
const (
	minStrength    = 8
	commonStrength = 3
	minUnrepeated  = 12
)

// guesser holds what an attacker knows: parts of the email address and of the service's name, and
// perhaps the most common passwords.
type guesser struct {
	parts  []string
	common bool
}

// service holds the words of the service's name, which are easy to guess in a password.
var service = []string{"birthregistry", "birth", "registry"}

// partsOf returns the parts of an email address that are easy to guess in a password: the whole
// address, the text before and after the @, each of these with and without punctuation, and the
// words between the punctuation. It leaves out parts of fewer than three characters.
func partsOf(email string) []string {
	email = fold(email)
	parts := strings.FieldsFunc(email, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for half := range strings.SplitSeq(email, "@") {
		parts = append(parts, half, bare(half))
	}
	parts = append(parts, email, bare(email))
	return slices.DeleteFunc(parts, func(part string) bool { return len([]rune(part)) < 3 })
}

// fold returns a text in a form for comparison: the case and the Unicode composition of the letters
// no longer make a difference.
func fold(s string) string { return norm.NFKC.String(strings.ToLower(norm.NFKC.String(s))) }

// bare returns the letters and digits of a text.
func bare(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
}

// signs counts the different characters of a text that are neither letters, digits nor spaces, such
// as punctuation marks.
func signs(s string) int {
	found := map[rune]bool{}
	for _, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsSpace(r) {
			found[r] = true
		}
	}
	return len(found)
}

// strength returns the strength of a folded password, which is the least of three numbers: the
// strength of the password as it is; its strength when typed without the shift key; and the
// strength of its letters and digits alone, plus one for each different sign (signs).
func (g guesser) strength(password string) int {
	return min(g.sum(password), g.sum(shifted.Replace(password)), g.sum(bare(password))+signs(password))
}

// unrepeated counts the characters of a folded password that do not repeat earlier ones.
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

// sum returns the least strength of a text over all ways to cut it into pieces.
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

// repeated returns the length of the longest sequence that begins at an index and also begins at an
// earlier one, such as the second "abc" of "abcabc". It returns 0 for fewer than three characters.
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

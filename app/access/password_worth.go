package access

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// A password is worth as many characters as somebody has to guess who knows how
// people make long ones. What repeats itself, follows the alphabet, the numbers or
// the keyboard, or is part of the address or of the service's name is worth one
// character however long it is; one of the commonest passwords is worth
// commonWorth. A password that is nothing of the kind is worth its length.
//
// Of what is not said again, minFresh characters are asked for: a long word is
// worth enough, and not more for being said twice.
const (
	minWorth    = 8
	commonWorth = 3
	minFresh    = 12
)

// guesser is what somebody knows who guesses: parts of the address and of the
// service's name, and whether they know the commonest passwords.
type guesser struct {
	parts  []string
	common bool
}

// service is what this service is called.
var service = []string{"birthregistry", "birth", "registry"}

// partsOf are the parts of an email address that a password must not live on:
// names between its signs, with three characters at least, and its two halves.
func partsOf(email string) []string {
	email = fold(email)
	parts := strings.FieldsFunc(email, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for half := range strings.SplitSeq(email, "@") {
		parts = append(parts, half, bare(half))
	}
	parts = append(parts, email, bare(email))
	return slices.DeleteFunc(parts, func(part string) bool { return len([]rune(part)) < 3 })
}

// fold makes texts alike that differ by case or by how they are composed.
func fold(s string) string { return norm.NFKC.String(strings.ToLower(norm.NFKC.String(s))) }

// bare leaves the letters and digits of a text.
func bare(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
}

// signs is how many different signs stand between the letters and digits of a
// text; spaces are none.
func signs(s string) int {
	found := map[rune]bool{}
	for _, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsSpace(r) {
			found[r] = true
		}
	}
	return len(found)
}

// worth is what a folded password is worth: as it is, as typed without the shift
// key, and without the signs between letters and digits, of which each counts once.
func (g guesser) worth(password string) int {
	return min(g.sum(password), g.sum(unshifted(password)), g.sum(bare(password))+signs(password))
}

// fresh is how many characters of a folded password are not said again.
func fresh(password string) int {
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

// sum is the least that the pieces of a text are worth, however it is cut.
func (g guesser) sum(text string) int {
	s, plain := []rune(text), []rune(unswapped(text))
	least := make([]int, len(s)+1) // of so many characters
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
				piece(n, commonWorth)
			}
		}
	}
	return least[len(s)]
}

// repeated is how many characters from here on are said again, at least three.
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

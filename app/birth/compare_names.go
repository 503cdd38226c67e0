package birth

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// NameLikeness is how similar two names of a person are.
type NameLikeness int

// The results of CompareNames.
const (
	NamesUnknown NameLikeness = iota // too little is stated to tell
	NamesEqual                       // every word of the shorter name, at least two, is in the other
	NamesSimilar                     // they share a word, or two words differ by one letter
	NamesDiffer
)

// CompareNames compares the words of two names, whatever their order, their capitals and their
// accents. A name may have words that the other leaves out, such as a middle name.
func CompareNames(a, b string) NameLikeness {
	few, many := personWords(a), personWords(b)
	if len(few) > len(many) {
		few, many = many, few
	}
	equal, similar := 0, 0
	for _, word := range few {
		switch {
		case slices.Contains(many, word):
			equal++
		case slices.ContainsFunc(many, func(other string) bool { return oneLetterApart(word, other) }):
			similar++
		}
	}
	switch {
	case len(few) == 0 || equal == 1 && len(few) == 1:
		return NamesUnknown
	case equal == len(few):
		return NamesEqual
	case equal+similar > 0:
		return NamesSimilar
	}
	return NamesDiffer
}

// personWords returns the words of a name without capitals and accents. Initials are left out,
// because they match many names.
func personWords(name string) []string {
	plain := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) || r == '\'' || r == '’' {
			return -1
		}
		return r
	}, norm.NFD.String(fold(name)))
	words := strings.FieldsFunc(plain, func(r rune) bool { return !unicode.In(r, unicode.L, unicode.N) })
	return slices.DeleteFunc(words, func(word string) bool { return len([]rune(word)) < 2 })
}

// oneLetterApart reports whether two words of at least four letters differ by one letter that was
// changed, added or left out, or by two that were swapped.
func oneLetterApart(a, b string) bool {
	x, y := []rune(a), []rune(b)
	if len(x) > len(y) {
		x, y = y, x
	}
	if len(x) < 4 || len(y)-len(x) > 1 {
		return false
	}
	from := 0
	for from < len(x) && x[from] == y[from] {
		from++
	}
	switch {
	case len(x) < len(y):
		return slices.Equal(x[from:], y[from+1:])
	case from >= len(x)-1:
		return true
	}
	swapped := x[from] == y[from+1] && x[from+1] == y[from] && slices.Equal(x[from+2:], y[from+2:])
	return swapped || slices.Equal(x[from+1:], y[from+1:])
}

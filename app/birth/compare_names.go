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
	NamesUnknown NameLikeness = iota // too little is known of the names to compare them
	NamesEqual                       // the longer name has every word of the shorter one, which has at least two
	NamesClose                       // the family or the given name is equal, and the other is misspelled or has more words
	NamesSimilar                     // they share a word, or two words differ by one letter
	NamesDiffer
)

// PersonName is the name of a person as a record has it.
type PersonName struct{ Family, Given string }

// words returns the words of the whole name.
func (n PersonName) words() []string { return append(personWords(n.Family), personWords(n.Given)...) }

// CompareNames compares the words of two names, whatever their order, their capitals and their
// accents. A name may have words that the other leaves out, such as a middle name.
func CompareNames(a, b PersonName) NameLikeness {
	few, many := a.words(), b.words()
	if len(few) > len(many) {
		few, many = many, few
	}
	equal, similar := agreeing(few, many)
	switch {
	case len(few) == 0 || equal == 1 && len(few) == 1:
		return NamesUnknown
	case equal == len(few):
		return NamesEqual
	case equal+similar == 0:
		return NamesDiffer
	}
	family, given := comparePart(a.Family, b.Family), comparePart(a.Given, b.Given)
	if family == NamesEqual && given == NamesClose || family == NamesClose && given == NamesEqual {
		return NamesClose
	}
	return NamesSimilar
}

// comparePart compares two family names or two given names. They are close if one has words that the
// other leaves out, or if one word is misspelled.
func comparePart(a, b string) NameLikeness {
	few, many := personWords(a), personWords(b)
	if len(few) > len(many) {
		few, many = many, few
	}
	switch equal, similar := agreeing(few, many); {
	case len(few) == 0:
		return NamesUnknown
	case equal == len(many):
		return NamesEqual
	case equal+similar == len(few) && similar <= 1:
		return NamesClose
	}
	return NamesDiffer
}

// agreeing returns how many of the words are equal to one of the others, and how many are only one
// letter apart from one.
func agreeing(words, others []string) (equal, similar int) {
	for _, word := range words {
		switch {
		case slices.Contains(others, word):
			equal++
		case slices.ContainsFunc(others, func(other string) bool { return oneLetterApart(word, other) }):
			similar++
		}
	}
	return equal, similar
}

// particles are words before the main word of a name. Many names have them, and they are often left
// out, so nothing follows from them.
var particles = strings.Fields("de del della der den des di da dal das do dos du la las los lo van von zu zur ter ten al el ul bin ibn bint abu")

// personWords returns the words of a name without capitals and accents. Initials are left out,
// because they match many names, and so are particles. A last word is no particle: "Van" may be a
// name.
func personWords(name string) []string {
	plain := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) || r == '\'' || r == '’' {
			return -1
		}
		return r
	}, norm.NFD.String(fold(name)))
	var words []string
	all := strings.FieldsFunc(plain, func(r rune) bool { return !unicode.In(r, unicode.L, unicode.N) })
	for i, word := range all {
		isParticle := i < len(all)-1 && slices.Contains(particles, word)
		if len([]rune(word)) >= 2 && !isParticle {
			words = append(words, word)
		}
	}
	return words
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

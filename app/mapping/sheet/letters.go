package sheet

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/encoding/charmap"
)

// letters finds out whether a text that isn't UTF-8 is in Windows-1252 or in Mac OS Roman. A byte
// that is an accented letter in one encoding is a sign or another letter in the other. letters
// therefore compares each such byte with its neighbors. There is no sign within a word, no capital
// letter after a lowercase letter, and no letter alone. If a byte is plausible in only one of the
// two encodings, it proves this encoding.
type letters struct {
	window [4]byte // the byte that is checked (index 1), with the one before and the two after it
	word   []byte  // the letters before that byte, in lowercase
	// These fields count bytes that are plausible only in Windows-1252, only in Mac OS Roman, in
	// both, and in neither.
	windows, mac, both, none int
}

// next takes the next byte of the text. The byte two places before it then has all its neighbors.
// next checks this byte if it isn't ASCII.
func (l *letters) next(b byte) {
	l.window = [4]byte{l.window[1], l.window[2], l.window[3], b}
	if l.window[1] >= 0x80 {
		l.look()
	}
	if c := l.window[1] | 0x20; c >= 'a' && c <= 'z' && l.window[1] < 0x80 {
		l.word = append(l.word[max(0, len(l.word)-20):], c)
	} else {
		l.word = l.word[:0]
	}
}

func (l *letters) look() {
	b, before, after := l.window[1], kindOf(l.window[0]), kindOf(l.window[2])
	windows := plausible(charmap.Windows1252.DecodeByte(b), before, after)
	mac := plausible(charmap.Macintosh.DecodeByte(b), before, after) && !l.contraction()
	switch {
	case windows && mac:
		l.both++
	case windows:
		l.windows++
	case mac:
		l.mac++
	default:
		l.none++
	}
}

// contraction reports whether the byte is certainly an apostrophe in Windows-1252, as in "mother’s"
// and "didn’t". In Mac OS Roman, the same byte is í, as in Solís.
func (l *letters) contraction() bool {
	if l.window[1] != 0x92 || kindOf(l.window[3]) >= small {
		return false
	}
	switch word := string(l.word); l.window[2] {
	case 's':
		return slices.Contains(strings.Fields("mother baby midwife client patient infant newborn child father partner woman women mom it"), word)
	case 't':
		return strings.HasSuffix(word, "n")
	}
	return false
}

// kind is the class of a character next to the byte that is checked.
type kind int

const (
	none kind = iota // a blank, a delimiter, a sign
	digit
	other // a byte that isn't ASCII
	small
	capital
)

func kindOf(b byte) kind {
	switch {
	case b >= 0x80:
		return other
	case b >= '0' && b <= '9':
		return digit
	case b >= 'a' && b <= 'z':
		return small
	case b >= 'A' && b <= 'Z':
		return capital
	}
	return none
}

// plausible reports whether a character can be between two neighbors of these kinds.
func plausible(r rune, before, after kind) bool {
	lone := before == none && after == none
	switch {
	case strings.ContainsRune("ƒµΩπ∂ıˆ˜ˇ\ufb01\ufb02", r):
		return false
	case r == 'ª' || r == 'º':
		return before == digit && after == none
	case unicode.IsUpper(r):
		return !lone && before != small && before != digit && after != digit && (before != capital || after != small)
	case unicode.IsLower(r):
		return !lone && before != digit && after != digit && (before == none || after != capital)
	}
	switch r {
	case '’':
		return before >= other
	case '–', '\u00a0':
		return true
	case '—':
		return !(before == capital && after == capital) // capitals on both sides, as in PEÑA
	case '“', '‘', '«', '„', '‚', '¿', '¡':
		return before == none && after != none
	case '”', '»':
		return before != none && after == none
	case '…':
		return before != capital && after == none
	case '½', '¼', '¾', '²', '³':
		return before == digit
	case '°':
		return before == digit || after == capital // a degree sign, as in 37 °C
	case '€', '£', '±', '≤', '≥', '†', '•', '·', '×', '§':
		return before != small && before != capital
	case '®', '™', '©':
		return after == none
	}
	return false
}

// encoding returns the encoding of the text. The result ok is false if the encoding isn't certain.
func (l *letters) encoding() (e Encoding, ok bool) {
	for range 2 { // feeds blanks, so that the last bytes have neighbors, too
		l.next('\n')
	}
	switch {
	case l.windows > 0 && l.mac == 0:
		return Windows1252, true
	case l.mac > 0 && l.windows == 0:
		return MacRoman, true
	}
	return "", false
}

package birth

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// NameWord is the code of one word of a mother's name in the search index. It has 18 bytes, and is
// made with the installation's key, differently in each practice. The first four bytes stand for
// the word's first three letters. Each further letter, up to the tenth, adds two bytes, so all
// words with the same beginning form a range. In a shorter word, the remaining bytes are a code of
// the whole word, which hides its length. A word of one or two letters has only that code, and can
// be found only as a whole.
//
// Somebody who has the file but not the key can learn from the codes how many different words the
// names of a practice have, which of the practice's records share a word, and which words begin
// with the same three, four, … ten letters. The codes reveal no letter, no length, and not which
// word is a family name. Nothing can be compared across practices. Somebody who knows how common
// names are among a practice's mothers can guess the most frequent codes. This can't be avoided in
// a search that decrypts nothing. One code for each word, rather than one for each beginning, is
// the smallest index in which a beginning can still be found.
type NameWord [NameWordSize]byte

// NameWordSize is the size of a NameWord in bytes.
const NameWordSize = 4 + 2*(longestBeginning-shortestBeginning)

// NameKeyPurpose is the argument with which seal.Vault.Key derives the key of NameWords. The
// derived key stays the same when the installation's keys are rotated.
const NameKeyPurpose = "mother's name"

const (
	shortestBeginning = 3  // how many letters a search must have to find longer words
	longestBeginning  = 10 // how many letters of a word count
	mostNameWords     = 16 // how many words of a name are indexed
)

// NameWords returns the codes of the words in the mother's names, sorted and without repeats. key
// is the installation's key for names. A change to how the words are formed needs a migration that
// puts all records into the table names_due, so that their codes are computed again.
func (c Course) NameWords(key []byte, practice int64) []NameWord {
	var coded []NameWord
	k := newNameCoder(key, practice)
	for _, word := range nameWords(c.draft.Mother.Text("mother_family_name") + " " + c.draft.Mother.Text("mother_given_names")) {
		coded = append(coded, k.word([]rune(word)))
	}
	slices.SortFunc(coded, func(a, b NameWord) int { return slices.Compare(a[:], b[:]) })
	return slices.Compact(coded)
}

// NameSearch returns, for each word of a typed name, the first bytes of the NameWords that match
// the word. A word of three or more letters matches all words that begin with it; only its first
// ten letters count. A shorter word matches only itself. NameSearch returns nil if typed contains
// no word.
func NameSearch(key []byte, practice int64, typed string) (beginnings [][]byte) {
	k := newNameCoder(key, practice)
	for _, word := range searchedWords(typed) {
		letters := []rune(word)
		code := k.word(letters)
		n := len(code)
		if len(letters) >= shortestBeginning {
			n = codedUpTo(min(len(letters), longestBeginning))
		}
		beginnings = append(beginnings, code[:n])
	}
	return beginnings
}

// codedUpTo returns how many bytes of a NameWord stand for a word's first letters. letters is the
// number of those letters, from 3 to 10.
func codedUpTo(letters int) int { return 4 + 2*(letters-shortestBeginning) }

// nameCoder computes NameWords with one key. It reuses its buffers, because the names of one record
// need about a dozen hashes.
type nameCoder struct {
	mac      hash.Hash
	practice [8]byte
	of, sum  []byte
}

func newNameCoder(key []byte, practice int64) *nameCoder {
	k := &nameCoder{mac: hmac.New(sha256.New, key)}
	binary.BigEndian.PutUint64(k.practice[:], uint64(practice))
	return k
}

// The kinds of text for which a part of a NameWord stands: the beginning of a word, or a whole
// word. The kind is hashed together with the letters, so that a beginning never has the same code
// as a whole word.
const (
	aBeginning = 'b'
	aWholeWord = 'w'
)

func (k *nameCoder) word(letters []rune) (w NameWord) {
	at := 0
	for n := shortestBeginning; n <= min(len(letters), longestBeginning); n++ {
		end := codedUpTo(n)
		copy(w[at:end], k.hash(aBeginning, letters[:n]))
		at = end
	}
	if at < len(w) {
		copy(w[at:], k.hash(aWholeWord, letters))
	}
	return w
}

// hash returns the keyed hash of the practice, the kind and the letters. The returned slice is
// valid until the next call.
func (k *nameCoder) hash(kind byte, letters []rune) []byte {
	k.of = append(append(k.of[:0], k.practice[:]...), kind)
	for _, letter := range letters {
		k.of = utf8.AppendRune(k.of, letter)
	}
	k.mac.Reset()
	k.mac.Write(k.of)
	k.sum = k.mac.Sum(k.sum[:0])
	return k.sum
}

// nameWords returns the words under which a name can be found: in lower case, without accents, and
// separated at white space and punctuation. A name with an apostrophe can be found with or without
// the apostrophe, and by its parts: "O'Brien" by obrien, o and brien.
func nameWords(name string) (words []string) {
	for _, joined := range searchable(name) {
		parts := strings.FieldsFunc(joined, isApostrophe)
		if len(parts) > 1 {
			words = append(words, strings.Join(parts, ""))
		}
		words = append(words, parts...)
	}
	return words[:min(len(words), mostNameWords)]
}

// searchedWords returns the words of a typed name. A name matches only if it matches all of these
// words.
func searchedWords(name string) (words []string) {
	for _, joined := range searchable(name) {
		if word := strings.Join(strings.FieldsFunc(joined, isApostrophe), ""); word != "" {
			words = append(words, word)
		}
	}
	return words[:min(len(words), mostNameWords)]
}

// NameMatches reports whether every word of a typed name is the beginning of a word in name. Unlike
// NameSearch, it compares all letters, and even one or two letters can match a longer word. If
// typed contains no word, NameMatches returns false.
func NameMatches(name, typed string) bool {
	words, wanted := nameWords(name), searchedWords(typed)
	for _, beginning := range wanted {
		if !slices.ContainsFunc(words, func(word string) bool { return strings.HasPrefix(word, beginning) }) {
			return false
		}
	}
	return len(wanted) > 0
}

// searchable splits a name into words in lower case and without accents. The words may contain
// apostrophes.
func searchable(name string) []string {
	name = fold(name)
	if !ascii(name) {
		name = norm.NFC.String(plainLetters.Replace(strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Cf, r) {
				return -1
			}
			return r
		}, norm.NFD.String(name))))
	}
	return strings.FieldsFunc(name, func(r rune) bool {
		return !unicode.In(r, unicode.L, unicode.M, unicode.N) && !isApostrophe(r)
	})
}

func isApostrophe(r rune) bool { return strings.ContainsRune("'’‘ʼ`´", r) }

// plainLetters replaces letters that have no removable accent, such as "ø", with the letters that
// people type instead.
var plainLetters = strings.NewReplacer(
	"ø", "o", "ł", "l", "đ", "d", "ð", "d", "ı", "i", "æ", "ae", "œ", "oe", "þ", "th", "ħ", "h", "ŧ", "t",
)

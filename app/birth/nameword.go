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

// NameWord is a word of a mother's name in the index by which people search: a code of 18
// bytes, made with the installation's key and different in each practice. The first four
// bytes stand for the word's first three letters, and two more bytes for each further
// letter up to the tenth, so that all words with the same beginning form a range. In a
// shorter word, the remaining bytes are a code of the whole word, which hides its length. A
// word of one or two letters has only that code, and is found only as a whole.
//
// Somebody who has the file but not the key learns from the codes how many different words the
// names of a practice have, which of its records share a word, and which words begin with the
// same three, four, … ten letters. They learn no letter, no length, not which word is a family
// name, and nothing across practices. If they know how common names are among a practice's
// mothers, they can guess the most frequent codes: this can't be avoided in a search that
// decrypts nothing. One code for each word, rather than one for each beginning, is the smallest
// index in which a beginning can still be found.
type NameWord [NameWordSize]byte

// NameWordSize is the length of a NameWord in bytes.
const NameWordSize = 4 + 2*(longestBeginning-shortestBeginning)

// NameKeyPurpose is the purpose for which seal.Vault.Key derives the key of NameWords. The derived
// key stays the same when the installation's keys are rotated.
const NameKeyPurpose = "mother's name"

const (
	shortestBeginning = 3  // the fewest letters by which longer words are found
	longestBeginning  = 10 // the most letters that count
	mostNameWords     = 16 // how many words of one name are indexed
)

// NameWords returns the words of the mother's names, without repeats and in order. key is the
// installation's key for names. A change to the form of the words needs a migration that puts all
// records into the table names_due, so that their words are computed again.
func (c Course) NameWords(key []byte, practice int64) []NameWord {
	var coded []NameWord
	k := newNameCoder(key, practice)
	for _, word := range nameWords(c.draft.Mother.Text("mother_family_name") + " " + c.draft.Mother.Text("mother_given_names")) {
		coded = append(coded, k.word([]rune(word)))
	}
	slices.SortFunc(coded, func(a, b NameWord) int { return slices.Compare(a[:], b[:]) })
	return slices.Compact(coded)
}

// NameSearch returns, for each word of a typed name, the first bytes of every NameWord that matches
// it. A word of three letters or more matches all words that begin with it; of a long word, only
// the first ten letters count. A shorter word matches only itself. NameSearch returns nil if there
// is no word.
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

// codedUpTo returns how many bytes of a NameWord stand for the given number of first letters.
func codedUpTo(letters int) int { return 4 + 2*(letters-shortestBeginning) }

// nameCoder computes codes with one key. It reuses its buffers, because a record takes a
// dozen codes.
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

// The kinds of text that a part of a NameWord stands for: the beginning of a word, or a whole word.
// The kind is hashed with the letters, so that the code of a beginning never equals the code of a
// whole word.
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

// hash returns the keyed hash of letters within the practice. The slice is valid until the next
// call.
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

// nameWords returns the words by which a name is found: in lower case, without accents, and
// separated at white space and punctuation. A name with an apostrophe is found with and
// without it, and by its parts: "O'Brien" by obrien, o and brien.
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

// searchedWords returns the words of a typed name, all of which must match.
func searchedWords(name string) (words []string) {
	for _, joined := range searchable(name) {
		if word := strings.Join(strings.FieldsFunc(joined, isApostrophe), ""); word != "" {
			words = append(words, word)
		}
	}
	return words[:min(len(words), mostNameWords)]
}

// NameMatches reports whether each word of a typed name begins a word of a name. Unlike
// NameSearch, it compares all letters, and even one or two letters match a longer word. A typed
// name without a word matches nothing.
func NameMatches(name, typed string) bool {
	words, wanted := nameWords(name), searchedWords(typed)
	for _, beginning := range wanted {
		if !slices.ContainsFunc(words, func(word string) bool { return strings.HasPrefix(word, beginning) }) {
			return false
		}
	}
	return len(wanted) > 0
}

// searchable splits a name into words that may contain apostrophes.
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

// plainLetters replaces letters that have no accent to remove, such as "ø", with the
// letters that people type.
var plainLetters = strings.NewReplacer(
	"ø", "o", "ł", "l", "đ", "d", "ð", "d", "ı", "i", "æ", "ae", "œ", "oe", "þ", "th", "ħ", "h", "ŧ", "t",
)

package sheet

import (
	"slices"
	"strings"
	"sync"
	"unicode"
)

// split adds a space between letters and digits. For example, apgar1 becomes "apgar 1" and 5min
// becomes "5 min".
func split(text string) string {
	var b strings.Builder
	var before rune
	for _, r := range text {
		if unicode.IsDigit(r) && unicode.IsLetter(before) || unicode.IsLetter(r) && unicode.IsDigit(before) {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
		before = r
	}
	return b.String()
}

// splitCapitals adds a space between the words of a header that are separated only by capital
// letters, as in MotherLast, MomDOB and GAWeeks. A single lowercase letter isn't a word, as in mL
// and DOBs.
func splitCapitals(header string) string {
	all := []rune(header)
	small := func(i int) bool { return i >= 0 && i < len(all) && unicode.IsLower(all[i]) }
	capital := func(i int) bool { return i >= 0 && unicode.IsUpper(all[i]) }
	var b strings.Builder
	for i, r := range all {
		if capital(i) && (small(i-1) && small(i-2) || capital(i-1) && small(i+1) && small(i+2)) {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// splitWords adds a space between the words of a header that are joined in lowercase, as in momdob
// and birthwt, or by an underscore, as in gest_age. It splits joined words only if it knows all of
// them.
func splitWords(text string) string {
	all := strings.Fields(strings.ReplaceAll(text, "_", " "))
	for i, word := range all {
		if parts := wordsIn(word); parts != nil {
			all[i] = strings.Join(parts, " ")
		}
	}
	return strings.Join(all, " ")
}

// longestRun is the maximum length, in bytes, of joined words that are split.
const longestRun = 40

// wordsIn splits a text into words that occur in headers. It returns nil if a part of the text
// isn't such a word, if the text is too long, or if it is a single word.
func wordsIn(text string) []string {
	if len(text) > longestRun || vocabulary()[text] {
		return nil
	}
	found := make([][]string, len(text)+1) // the words of the first bytes
	found[0] = []string{}
	for end := range found {
		for start := range end { // the longest last word first
			if found[start] != nil && vocabulary()[text[start:end]] {
				found[end] = append(slices.Clone(found[start]), text[start:end])
				break
			}
		}
	}
	return found[len(text)]
}

// shortWords lists the words of two letters that may be joined with others.
var shortWords = []string{"wt", "ga", "bw", "of", "at", "kg", "lb", "oz", "ml", "cm", "id"}

// vocabulary returns the words that may be joined with others in a header.
var vocabulary = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	add := func(text string) {
		for word := range strings.FieldsFuncSeq(text, notWord) {
			if len(word) > 2 || slices.Contains(shortWords, word) {
				all[word] = true
			}
		}
	}
	for from, to := range words {
		add(from + " " + to)
	}
	for _, headers := range synonyms {
		add(headers)
	}
	add(strings.Join(unitTokens, " ") + " bw bwt tob mrn date time")
	return all
})

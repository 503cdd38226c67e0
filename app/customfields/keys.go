package customfields

import (
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"birthregistry/app/auth"
	"birthregistry/app/birth"
)

// tidyChoices returns the choices without unnecessary white space. It drops empty ones.
func tidyChoices(given []string) (kept []string) {
	for _, choice := range given {
		if choice = strings.Join(strings.Fields(choice), " "); choice != "" {
			kept = append(kept, choice)
		}
	}
	return kept
}

// goodChoices reports whether there are 2 to MaxChoices choices that are valid labels and all
// different. Upper and lower case don't make a difference.
func goodChoices(choices []string) bool {
	seen := map[string]bool{}
	for _, choice := range choices {
		folded := strings.ToLower(choice)
		if auth.CheckLabel(choice) != nil || seen[folded] {
			return false
		}
		seen[folded] = true
	}
	return len(choices) >= 2 && len(choices) <= MaxChoices
}

// freeKey makes a key for a new field from its label. No other field of the practice has this key,
// not even a retired field.
func freeKey(known []birth.CustomField, label string) string {
	taken := map[string]bool{}
	for _, f := range known {
		taken[f.Key] = true
	}
	stem := keyOf(label)
	key := stem
	for n := 2; taken[key]; n++ {
		key = stem + "_" + strconv.Itoa(n)
	}
	return key
}

// keyOf returns the beginning of a label in lower-case ASCII letters, digits and underscores. For
// example, it turns "Zeit im Bécken (h)" into zeit_im_becken_h. If the label has no such letters
// and digits, keyOf returns "field".
func keyOf(label string) string {
	var b strings.Builder
	gap := false
	for _, r := range norm.NFKD.String(strings.ToLower(label)) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			if gap && b.Len() > 0 {
				b.WriteByte('_')
			}
			gap = false
			b.WriteRune(r)
		case unicode.Is(unicode.Mn, r): // the accent of the letter before it
		default:
			gap = true
		}
	}
	if b.Len() == 0 {
		return "field"
	}
	key := b.String()
	return strings.TrimRight(key[:min(len(key), maxKeySize)], "_")
}

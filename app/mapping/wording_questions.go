package mapping

import (
	"slices"
	"strings"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
)

// CodeContradicted reports whether a text of an Observation's code contradicts the code. It does if
// it names another field, somebody other than the mother and the child, or an earlier birth. An
// earlier birth doesn't matter if the field is about the past (OfHistory).
func CodeContradicted(field *birth.Field, code *fhir.CodeableConcept) bool {
	return textContradicted(field, code, code.Text) || slices.ContainsFunc(code.Coding[:min(len(code.Coding), mostTexts)], func(coding fhir.Coding) bool {
		return textContradicted(field, code, coding.Display)
	})
}

// IsOfficialName reports whether a text is the official name of one of a concept's LOINC codes.
func IsOfficialName(text string, code *fhir.CodeableConcept) bool {
	own, official := officialNames[text]
	return official && code.HasCode(own)
}

func textContradicted(field *birth.Field, code *fhir.CodeableConcept, text string) bool {
	if text == "" {
		return false
	}
	if own, official := officialNames[text]; official {
		return !code.HasCode(own) && !slices.Contains(field.Codes, own)
	}
	plain := words(text)
	if hasAny(plain, fathers) && !hasAny(plain, mothers) || hasAny(plain, kin) || !OfHistory(field) && namesEarlierBirth(plain) {
		return true
	}
	return slices.ContainsFunc(questionWordings, func(group map[string]wording) bool { return contradicts(group, field.Name, plain, false) })
}

// namesEarlierBirth reports whether a text is about an earlier birth, pregnancy or child. It
// returns true for "previous pregnancy", and false for "prior to pregnancy".
func namesEarlierBirth(text string) bool {
	for _, word := range before {
		for rest := text; ; {
			_, after, found := strings.Cut(rest, word)
			if !found {
				break
			}
			if slices.ContainsFunc(ofBirths, func(noun string) bool { return strings.HasPrefix(after, noun) }) {
				return true
			}
			rest = after
		}
	}
	return false
}

// OfHistory reports whether a field is about earlier pregnancies.
func OfHistory(field *birth.Field) bool { return slices.Contains(history, field.Name) }

var history = []string{
	"gravida", "parity", "previous_live_births_living", "previous_live_births_dead", "other_pregnancy_outcomes", "last_live_birth_date", "last_other_outcome_date",
	"previous_cesareans", "previous_preterm_birth",
}

// AboutSomebodyElse reports whether the texts of a concept are about the father or a relative.
func AboutSomebodyElse(c *fhir.CodeableConcept) bool {
	return slices.ContainsFunc(textsIn(c), func(text string) bool {
		return hasAny(text, relatives) || hasAny(text, fathers) && !hasAny(text, mothers)
	})
}

// OfAnotherBirth reports whether the texts of a concept are about earlier pregnancies or births.
func OfAnotherBirth(c *fhir.CodeableConcept) bool {
	return slices.ContainsFunc(textsIn(c), func(text string) bool { return hasAny(text, earlier) })
}

var (
	earlier   = []string{" previous ", " prior ", " earlier ", " past ", " history ", " last pregnancy "}
	relatives = []string{" family ", " sister", " brother", " sibling", " grand"}
	// kin lists words for the mother's relatives. They may be in the text of an Observation's code.
	kin      = []string{" family history ", " family member", " fhx ", " sister", " brother", " sibling", " grandm", " grandf"}
	before   = []string{" previous ", " prior ", " earlier ", " past ", " last "}
	ofBirths = []string{"pregnanc", "birth", "deliver", "labor ", "child", "baby ", "babies ", "infant", "newborn"}
	fathers  = []string{" father", " paternal ", " partner", " husband ", " fob ", " spouse "}
	mothers  = []string{" mother", " maternal "}
)

// OrderNamed returns the birth order in the texts of a concept, such as 2 for Twin B or Baby 2. It
// returns 0 if there is no birth order, or if there are several.
func OrderNamed(c *fhir.CodeableConcept) (order float64) {
	for _, text := range textsIn(c) {
		words := strings.Fields(text)
		for i := 1; i < len(words); i++ {
			at := strings.Index(orders, words[i])
			switch nth := slices.Index(ordinals, words[i-1]); {
			case nth >= 0 && slices.Contains(siblings, words[i]):
				at = nth
			case !slices.Contains(births, words[i-1]) || len(words[i]) != 1 || at < 0 || i+1 < len(words) && isMeasure(words[i+1]):
				continue
			}
			named := float64(at%(len(orders)/2) + 1)
			if order != 0 && order != named {
				return 0
			}
			order = named
		}
	}
	return order
}

// isMeasure reports whether a word is a unit of time. A number before it isn't a birth order, as in
// "newborn 5 minute Apgar".
func isMeasure(word string) bool {
	return slices.ContainsFunc([]string{"min", "hour", "hr", "day", "week", "month"}, func(unit string) bool { return strings.HasPrefix(word, unit) })
}

var (
	births   = []string{"twin", "triplet", "quadruplet", "baby", "infant", "newborn", "fetus", "child"}
	siblings = births[:3]
)

const orders = "abcdef123456"

// ordinals are the numbers before a word in siblings, as in second twin. They are in the order of
// the letters in orders.
var ordinals = []string{"first", "second", "third", "fourth", "fifth", "sixth", "1st", "2nd", "3rd", "4th", "5th", "6th"}

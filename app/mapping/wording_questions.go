package mapping

import (
	"slices"
	"strings"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
)

// CodeContradicted reports whether the texts of an Observation's code name another field than the
// code does, or somebody other than the mother and the child.
func CodeContradicted(field *birth.Field, code *fhir.CodeableConcept) bool {
	return textContradicted(field, code, code.Text) || slices.ContainsFunc(code.Coding[:min(len(code.Coding), mostTexts)], func(coding fhir.Coding) bool {
		return textContradicted(field, code, coding.Display)
	})
}

func textContradicted(field *birth.Field, code *fhir.CodeableConcept, text string) bool {
	if text == "" {
		return false
	}
	if own, official := officialNames[text]; official {
		return !code.HasCode(own) && !slices.Contains(field.Codes, own)
	}
	plain := words(text)
	if hasAny(plain, fathers) && !hasAny(plain, mothers) {
		return true
	}
	return slices.ContainsFunc(questionWordings, func(group map[string]wording) bool { return contradicts(group, field.Name, plain, false) })
}

// AboutSomebodyElse reports whether the texts of a concept speak of the father or a relative.
func AboutSomebodyElse(c *fhir.CodeableConcept) bool {
	return slices.ContainsFunc(textsIn(c), func(text string) bool {
		return hasAny(text, relatives) || hasAny(text, fathers) && !hasAny(text, mothers)
	})
}

// OfAnotherBirth reports whether the texts of a concept speak of earlier pregnancies or births.
func OfAnotherBirth(c *fhir.CodeableConcept) bool {
	return slices.ContainsFunc(textsIn(c), func(text string) bool { return hasAny(text, earlier) })
}

var (
	earlier   = []string{" previous ", " prior ", " earlier ", " past ", " history ", " last pregnancy "}
	relatives = []string{" family ", " sister", " brother", " sibling", " grand"}
	fathers   = []string{" father", " paternal ", " partner", " husband ", " fob ", " spouse "}
	mothers   = []string{" mother", " maternal "}
)

// OrderNamed returns the birth order that the texts of a concept name, as Twin B and Baby 2 do. It
// returns 0 if they name none, or several.
func OrderNamed(c *fhir.CodeableConcept) (order float64) {
	for _, text := range textsIn(c) {
		words := strings.Fields(text)
		for i := 1; i < len(words); i++ {
			at := strings.Index(orders, words[i])
			if !slices.Contains(births, words[i-1]) || len(words[i]) != 1 || at < 0 {
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

var births = []string{"twin", "triplet", "quadruplet", "baby", "infant", "newborn", "fetus", "child"}

const orders = "abcdef123456"

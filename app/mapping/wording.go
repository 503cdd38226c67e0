package mapping

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
)

// A text next to a code may name something other than the code. Then one of the two is wrong, and
// nobody can know which (decision 47). Systems word the same thing differently, so a text
// contradicts a code only if it has words that belong to another value of the same field, and none
// of the code's own.

// wording holds the words by which a text names a value. A text is searched for them in the form
// that the function words returns, so " brow " matches a whole word, and " cesar" matches the
// beginning of several words.
type wording struct {
	own []string
	// shared are words that the value shares with some others.
	shared []string
	// never are words that contradict the value, even next to its own words.
	never []string
}

// words returns the words of a text in lower case, with single blanks around every word. It joins
// "pre" with the word that follows it: pre-pregnancy is " prepregnancy ". It reads at most
// MaxPhrases bytes.
func words(text string) string {
	if len(text) > MaxPhrases {
		text = text[:MaxPhrases]
	}
	plain := make([]byte, 1, len(text)+2)
	plain[0] = ' '
	for _, r := range text {
		switch {
		case r < unicode.MaxASCII && ('a' <= r && r <= 'z' || '0' <= r && r <= '9'):
			plain = append(plain, byte(r))
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			plain = utf8.AppendRune(plain, unicode.ToLower(r))
		case plain[len(plain)-1] != ' ' && !bytes.HasSuffix(plain, []byte(" pre")):
			plain = append(plain, ' ')
		}
	}
	if plain[len(plain)-1] != ' ' {
		plain = append(plain, ' ')
	}
	return string(plain)
}

// textsIn returns the text of a concept and the displays of its first codings (mostTexts), in the
// form that the function words returns. It skips the usual text of one of the concept's codes
// (usualAnswers), which most texts are.
func textsIn(c *fhir.CodeableConcept) (all []string) {
	add := func(text string) {
		if code, usual := usualAnswers[text]; text != "" && !(usual && c.HasCode(code)) {
			all = append(all, words(text))
		}
	}
	add(c.Text)
	for i := range c.Coding[:min(len(c.Coding), mostTexts)] {
		add(c.Coding[i].Display)
	}
	return all
}

// mostTexts is how many codings of a concept are read for their texts. Real
// concepts have one or two.
const mostTexts = 10

func hasAny(text string, parts []string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(text, part) })
}

// phrases holds phrases to search for in a text, by their first letter. Each phrase begins with a
// blank, which comes before that letter. Every text of a finding is searched for all phrases, and
// the search by first letter takes a tenth of the time that hasAny would take.
type phrases [128][]string

func phrasesFrom(parts ...string) (p phrases) {
	for _, part := range parts {
		p[part[1]] = append(p[part[1]], part)
	}
	return p
}

// in reports whether a text has one of the phrases.
func (p *phrases) in(text string) bool {
	for i := range len(text) - 1 {
		if text[i] != ' ' || text[i+1] >= 128 {
			continue
		}
		for _, phrase := range p[text[i+1]] {
			if strings.HasPrefix(text[i:], phrase) {
				return true
			}
		}
	}
	return false
}

// unclear lists words of texts that may mention a value without stating it, as in "vaginal birth
// after cesarean".
var unclear = []string{
	" after ", " previous ", " prior ", " history ", " without ", " fail", " attempt", " trial ", " or ", " converted ", " not ", " no ", " never ",
}

// contradicts reports whether a text names a value other than code. answer is set if the text
// belongs to an answer, and not set if it belongs to a question. An answer that has one of the
// words in unclear contradicts the code only if it also has one of the words that code's value
// never has (wording.never). contradicts is false for a code that isn't in all.
func contradicts(all map[string]wording, code, text string, answer bool) bool {
	w, known := all[code]
	names := func(list func(wording) []string) bool {
		for other := range all {
			if other != code && hasAny(text, list(all[other])) {
				return true
			}
		}
		return false
	}
	switch {
	case !known:
		return false
	case hasAny(text, w.never):
		return true
	case hasAny(text, w.own) || answer && hasAny(text, unclear):
		return false
	case names(func(w wording) []string { return w.own }):
		return true
	}
	return !hasAny(text, w.shared) && names(func(w wording) []string { return w.shared })
}

// denied are words that deny a finding or attribute it to somebody else, and doubted are words that
// doubt it.
var (
	denied = phrasesFrom(
		" negative ", " denie", " ruled out ", " rule out ", " excluded ", " refuted ", " no evidence ", " not present ", " not detected ", " not found ", " not confirmed ", " not done ",
		" not performed ", " declined ", " cancelled ", " canceled ", " family history ", " father", " paternal ", " partner", " husband ", " fob ", " sister", " brother", " sibling",
	)
	doubted = phrasesFrom(" unconfirmed ", " possible ", " probable ", " suspected ", " provisional ")
	// formerly are words that place a finding in an earlier pregnancy, which contradicts every finding
	// that doesn't last.
	formerly = phrasesFrom(
		" history of ", " by history ", " hx of ", " h o ", " previous pregnanc", " prior pregnanc", " earlier pregnanc", " past pregnanc", " last pregnanc",
	)
	// onceBefore place a finding in the past if a text begins with them.
	onceBefore = []string{" previous ", " prior ", " former "}
	// refusals deny a finding if a text begins with them.
	refusals = []string{" no ", " not ", " never ", " without ", " absence "}
)

// suspicions are the options whose own texts have words of doubt: antibiotics for suspected sepsis,
// a suspected chromosomal disorder.
var suspicions = []string{"antibiotics_sepsis", "chromosomal_disorder", "down_syndrome"}

// OptionContradicted reports whether the texts of a concept contradict its code, which stands for
// the given option of the field. If finding is set, the option is something that was found or done.
// Then a text that denies or doubts it, or places it in an earlier pregnancy, is a contradiction,
// too. Nothing contradicts the options "other" and "unknown".
func OptionContradicted(field *birth.Field, option string, c *fhir.CodeableConcept, finding bool) bool {
	if option == "other" || option == "unknown" {
		return false
	}
	return slices.ContainsFunc(textsIn(c), func(text string) bool {
		return contradicts(optionWordings[field.Name], option, text, true) || labeled(field, option, text) ||
			finding && option != "none" && deniedOrPast(text, field, birth.Value{Set: []string{option}})
	})
}

// Denied reports whether the texts of a concept deny or doubt what they are about, or speak of
// somebody else.
func Denied(c *fhir.CodeableConcept) bool {
	return slices.ContainsFunc(textsIn(c), func(text string) bool { return findingDenied(text, false) })
}

// findingDenied reports whether a text denies or doubts that something was found or done, or speaks
// of somebody else. If suspicion is set, the finding is itself a suspicion, so words of doubt are
// ignored.
func findingDenied(text string, suspicion bool) bool {
	atFirst := slices.ContainsFunc(refusals, func(word string) bool { return strings.HasPrefix(text, word) })
	return atFirst || strings.HasSuffix(text, " absent ") || denied.in(text) || !suspicion && doubted.in(text)
}

// deniedOrPast reports whether a text denies or doubts what was found, or places it in an earlier
// pregnancy. An earlier pregnancy doesn't matter to a finding that lasts (Field.Lasts).
func deniedOrPast(text string, field *birth.Field, found birth.Value) bool {
	return findingDenied(text, suspected(found)) || isPast(text) && !field.Lasts(found)
}

// suspected reports whether a finding is itself a suspicion, such as a suspected chromosomal
// disorder: one of its options is in suspicions.
func suspected(found birth.Value) bool {
	return slices.ContainsFunc(found.Set, func(option string) bool { return slices.Contains(suspicions, option) })
}

// isPast reports whether a text places a finding in an earlier pregnancy. It is false for "prior to
// delivery".
func isPast(text string) bool {
	return formerly.in(text) || slices.ContainsFunc(onceBefore, func(word string) bool {
		after, begins := strings.CutPrefix(text, word)
		return begins && !strings.HasPrefix(after, "to ")
	})
}

// labeled reports whether a text is the label of an option other than the given one. It is false if
// the given option is in inexact, because the text may name a special case of it.
func labeled(field *birth.Field, option, text string) bool {
	options := labels()[field][text]
	return len(options) > 0 && !slices.Contains(options, option) && !slices.Contains(inexact, option)
}

// inexact are the options of which other options are special cases, such as third_or_fourth.
var inexact = []string{"version", "third_or_fourth", "home_unknown", "ventilation"}

// labels has the codes of every field's options by the words of their labels.
var labels = sync.OnceValue(func() map[*birth.Field]map[string][]string {
	all := map[*birth.Field]map[string][]string{}
	for _, field := range birth.Spine {
		all[field] = map[string][]string{}
		for _, o := range field.Options {
			text := words(o.Label)
			all[field][text] = append(all[field][text], o.Code)
		}
	}
	return all
})

// answerContradicted reports whether the code of a concept answers yes, but one of its texts
// answers no, or the other way round.
func answerContradicted(yes bool, c *fhir.CodeableConcept) bool {
	return slices.ContainsFunc(textsIn(c), func(text string) bool {
		first, _, _ := strings.Cut(text[1:], " ")
		return yes && (first == "no" || first == "not" || first == "false" || first == "never") || !yes && (first == "yes" || first == "true")
	})
}

// contradicted reports whether the texts of a coded value contradict what its code states. A
// finding of a category, or of a field with several choices, may also be contradicted by the
// interpretation or by a note.
func contradicted(obs *fhir.Observation, r Meaning, value birth.Value) bool {
	c := obs.ValueCodeableConcept
	if c == nil {
		return false
	}
	if (r.Category || r.Field.Kind == birth.Codes) && (InterpretedAsNegative(obs) || remarked(obs.Note, r.Field, value)) {
		return true
	}
	switch r.Field.Kind {
	case birth.Code:
		return OptionContradicted(r.Field, value.Text, c, r.Category)
	case birth.Codes:
		return OptionContradicted(r.Field, value.Set[0], c, true)
	}
	if yes, found := finding(obs, r); found {
		return findingContradicted(r.Field, yes, c)
	}
	return r.Field.Kind == birth.Bool && answerContradicted(value.Flag, c)
}

// remarked reports whether a note denies or doubts what was found, places it in the past, or speaks
// of somebody else. It is false if nothing was found. "No" at the beginning of a note isn't read as
// a denial, because a note is prose, and the word may be about something else.
func remarked(notes []fhir.Note, field *birth.Field, found birth.Value) bool {
	if !found.Flag && found.Number == 0 && (found.Text == "" || found.Text == "none") && (len(found.Set) == 0 || found.Set[0] == "none") {
		return false
	}
	suspicion := suspected(found)
	return slices.ContainsFunc(notes, func(n fhir.Note) bool {
		text := words(n.Text)
		return denied.in(text) || !suspicion && doubted.in(text) || formerly.in(text) && !field.Lasts(found)
	})
}

// InterpretedAsNegative reports whether an interpretation of an Observation says that nothing was
// found (v3-ObservationInterpretation).
func InterpretedAsNegative(obs *fhir.Observation) bool {
	return slices.ContainsFunc(obs.Interpretation, func(c fhir.CodeableConcept) bool { return c.HasCode("NEG", "ND", "NR") })
}

// Contradicted reports whether the texts of a concept contradict v, the finding that the concept's
// code stands for.
func (v FieldValue) Contradicted(c *fhir.CodeableConcept) bool {
	switch v.Field.Kind {
	case birth.Code:
		return OptionContradicted(v.Field, v.Value.Text, c, true)
	case birth.Codes:
		return OptionContradicted(v.Field, v.Value.Set[0], c, true)
	}
	return findingContradicted(v.Field, v.Value.Flag || v.Value.Number > 0, c)
}

// findingContradicted reports whether the texts of a concept contradict the answer yes or no that
// the concept's code gives to field.
func findingContradicted(field *birth.Field, yes bool, c *fhir.CodeableConcept) bool {
	answer := map[bool]string{true: Yes, false: No}[yes]
	return slices.ContainsFunc(textsIn(c), func(text string) bool {
		switch {
		case contradicts(optionWordings[field.Name], answer, text, true), yes && deniedOrPast(text, field, birth.Value{Flag: true}):
			return true
		case yes || hasAny(text, nones):
			return false
		}
		return hasAny(text, laborWords) || slices.ContainsFunc(itemized, func(name string) bool {
			return contradicts(optionWordings[name], "none", text, true)
		})
	})
}

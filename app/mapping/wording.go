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

// A text next to a code may name something other than the code. In this case, one of the two is
// wrong, and nobody can know which (decision 47). Systems use different words for the same thing. A
// text therefore contradicts a code only if it has words for another value of the same field, and
// no word for the code's value.

// wording holds the words for a value that may occur in a text. The text must be in the form that
// the function words returns. " brow " then matches only the whole word, and " cesar" matches every
// word that begins with it.
type wording struct {
	own []string
	// shared are words that this value has in common with some other values.
	shared []string
	// never are words that contradict the value, even if the text also has words for the value.
	never []string
}

// words returns the words of a text in lower case, with single spaces between them and at both
// ends. It joins "pre" and the word after it, so that pre-pregnancy becomes " prepregnancy ". It
// reads at most MaxPhrases bytes.
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

// textsIn returns the text of a concept and the displays of its first mostTexts codings, in the
// form that the function words returns. It skips a text that is the usual one for a code of the
// concept (usualAnswers). Most texts are.
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

// mostTexts is the maximum number of codings whose displays are read in one concept. Real concepts
// have one or two.
const mostTexts = 10

func hasAny(text string, parts []string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(text, part) })
}

// phrases holds phrases to search for in a text, by their first letter. Each phrase begins with a
// space before that letter. The texts of all findings are searched for all phrases. With the first
// letters, this takes a tenth of the time that hasAny would take.
type phrases [128][]string

func phrasesFrom(parts ...string) (p phrases) {
	for _, part := range parts {
		p[part[1]] = append(p[part[1]], part)
	}
	return p
}

// in reports whether a text contains one of the phrases.
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

// unclear lists words with which a text may mention a value without stating it, as in "vaginal
// birth after cesarean".
var unclear = []string{
	" after ", " previous ", " prior ", " history ", " without ", " fail", " attempt", " trial ", " or ", " converted ", " not ", " no ", " never ",
}

// contradicts reports whether a text names a value other than the one with the given code. The
// values and their words are in the map all. If answer is set, the text belongs to an answer.
// Otherwise, it belongs to a question.
//
// If an answer has one of the words in unclear, it contradicts the code only if it also has one of
// the words in wording.never. If the code has no wording, contradicts returns false.
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

// denied lists words that deny a finding or say that somebody else had it. doubted lists words that
// doubt a finding.
var (
	denied = phrasesFrom(
		" negative ", " denie", " ruled out ", " rule out ", " excluded ", " refuted ", " no evidence ", " not present ", " not detected ", " not found ", " not confirmed ", " nonreactive ", " non reactive ", " not done ",
		" not performed ", " declined ", " cancelled ", " canceled ", " family history ", " father", " paternal ", " partner", " husband ", " fob ", " sister", " brother", " sibling",
	)
	doubted = phrasesFrom(" unconfirmed ", " possible ", " probable ", " suspected ", " provisional ")
	// formerly lists words for an earlier pregnancy. They contradict every finding, except findings
	// that last.
	formerly = phrasesFrom(
		" history of ", " by history ", " hx of ", " h o ", " previous pregnanc", " prior pregnanc", " earlier pregnanc", " past pregnanc", " last pregnanc",
	)
	// onceBefore lists words that mean the past if a text begins with them.
	onceBefore = []string{" previous ", " prior ", " former "}
	// refusals lists words that deny a finding if a text begins with them.
	refusals = []string{" no ", " not ", " never ", " without ", " absence "}
)

// unknown is a text that says nothing. Next to a code, it contradicts the code.
const unknown = " unknown "

// suspicions lists options whose own names contain words of doubt, such as antibiotics for
// suspected sepsis or a suspected chromosomal disorder.
var suspicions = []string{"antibiotics_sepsis", "chromosomal_disorder", "down_syndrome"}

// OptionContradicted reports whether the texts of a concept contradict its code. The code stands
// for an option of the field. Nothing contradicts the options "other" and "unknown".
//
// The argument finding is set if the option is something that was found or done. In this case, a
// text also contradicts the code if it denies or doubts the finding, or says that it was in an
// earlier pregnancy.
func OptionContradicted(field *birth.Field, option string, c *fhir.CodeableConcept, finding bool) bool {
	if option == "other" || option == "unknown" {
		return false
	}
	return slices.ContainsFunc(textsIn(c), func(text string) bool {
		return text == unknown || contradicts(optionWordings[field.Name], option, text, true) || labeled(field, option, text) ||
			finding && option != "none" && deniedOrPast(text, field, birth.Value{Set: []string{option}})
	})
}

// Denied reports whether the texts of a concept deny or doubt what the concept stands for, or are
// about another person.
func Denied(c *fhir.CodeableConcept) bool {
	return slices.ContainsFunc(textsIn(c), func(text string) bool { return findingDenied(text, false) })
}

// findingDenied reports whether a text denies or doubts that something was found or done, or is
// about another person. If suspicion is set, the finding is a suspicion itself, so words of doubt
// are ignored.
func findingDenied(text string, suspicion bool) bool {
	atFirst := slices.ContainsFunc(refusals, func(word string) bool { return strings.HasPrefix(text, word) })
	return atFirst || text == unknown || strings.HasSuffix(text, " absent ") || denied.in(text) || !suspicion && doubted.in(text)
}

// deniedOrPast reports whether a text denies or doubts what was found, or says that it was in an
// earlier pregnancy. For a finding that lasts (Field.Lasts), an earlier pregnancy doesn't matter.
func deniedOrPast(text string, field *birth.Field, found birth.Value) bool {
	return findingDenied(text, suspected(found)) || isPast(text) && !field.Lasts(found)
}

// suspected reports whether a finding is a suspicion itself, such as a suspected chromosomal
// disorder. One of its options must be in suspicions.
func suspected(found birth.Value) bool {
	return slices.ContainsFunc(found.Set, func(option string) bool { return slices.Contains(suspicions, option) })
}

// isPast reports whether a text says that a finding was in an earlier pregnancy. For "prior to
// delivery", it returns false.
func isPast(text string) bool {
	return formerly.in(text) || slices.ContainsFunc(onceBefore, func(word string) bool {
		after, begins := strings.CutPrefix(text, word)
		return begins && !strings.HasPrefix(after, "to ")
	})
}

// labeled reports whether a text is the label of another option of the field. It returns false if
// the given option is in inexact, because the text may then be a special case of this option.
func labeled(field *birth.Field, option, text string) bool {
	options := labels()[field][text]
	return len(options) > 0 && !slices.Contains(options, option) && !slices.Contains(inexact, option)
}

// inexact lists options that include other options. For example, third_or_fourth includes third.
var inexact = []string{"version", "third_or_fourth", "home_unknown", "ventilation"}

// labels maps the words of a label to the codes of the options with this label, for every field.
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

// answerContradicted reports whether a text of a concept says no although its code means yes, or
// the other way round.
func answerContradicted(yes bool, c *fhir.CodeableConcept) bool {
	return slices.ContainsFunc(textsIn(c), func(text string) bool {
		first, _, _ := strings.Cut(text[1:], " ")
		return yes && (first == "no" || first == "not" || first == "false" || first == "never") || !yes && (first == "yes" || first == "true") || text == unknown
	})
}

// contradicted reports whether the texts of a coded value contradict its code. A finding of a
// category, or of a field with several choices, may also be contradicted by the interpretation or
// by a note.
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

// remarked reports whether a note denies or doubts what was found, says that it was in the past, or
// is about another person. It returns false if nothing was found. A "no" at the beginning of a note
// doesn't count as a denial, because a note is prose and the word may be about something else.
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

// InterpretedAsNegative reports whether an Observation's interpretation means that nothing was
// found, or that it isn't certain whether something was. The interpretation is a code
// (v3-ObservationInterpretation) or words.
func InterpretedAsNegative(obs *fhir.Observation) bool {
	return slices.ContainsFunc(obs.Interpretation, func(c fhir.CodeableConcept) bool {
		return c.HasCode("NEG", "ND", "NR", "IND", "E") || Denied(&c) || slices.ContainsFunc(textsIn(&c), func(text string) bool { return hasAny(text, undecided) })
	})
}

// undecided lists words of an interpretation that means that nothing was found for certain.
var undecided = []string{" indeterminate ", " equivocal ", " inconclusive "}

// Contradicted reports whether the texts of a concept contradict v, which is the finding that the
// concept's code stands for.
func (v FieldValue) Contradicted(c *fhir.CodeableConcept) bool {
	switch v.Field.Kind {
	case birth.Code:
		return OptionContradicted(v.Field, v.Value.Text, c, true)
	case birth.Codes:
		return OptionContradicted(v.Field, v.Value.Set[0], c, true)
	}
	return findingContradicted(v.Field, v.Value.Flag || v.Value.Number > 0, c)
}

// findingContradicted reports whether the texts of a concept contradict its code. The code answers
// yes or no for the field.
func findingContradicted(field *birth.Field, yes bool, c *fhir.CodeableConcept) bool {
	answer := map[bool]string{true: Yes, false: No}[yes]
	return slices.ContainsFunc(textsIn(c), func(text string) bool {
		switch {
		case text == unknown, contradicts(optionWordings[field.Name], answer, text, true), yes && deniedOrPast(text, field, birth.Value{Flag: true}):
			return true
		case yes || hasAny(text, nones):
			return false
		}
		return hasAny(text, laborWords) || slices.ContainsFunc(itemized, func(name string) bool {
			return contradicts(optionWordings[name], "none", text, true)
		})
	})
}

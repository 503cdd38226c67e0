package uscore

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

// A code counts unless the words next to it contradict it. They may say that a condition runs in
// the family, was ruled out, is suspected, or is past (decision 48, "text that contradicts its
// code"). The tables below list these words.

// Words with which a text or a note contradicts its code. They are about other persons, deny or
// doubt the fact, mean another time, or call the fact a mistake.
var (
	otherPersons = []string{
		`family`, `familial`, `familiar(es)?`, `fhx?`, `f h`, `fathers?`, `dads?`, `paternal`, `fob`, `partners?`, `boyfriends?`, `husbands?`, `wife`, `spouses?`, `sisters?`,
		`brothers?`, `siblings?`, `cousins?`, `aunts?`, `uncles?`, `parents?`, `grand(mother|father|parent)s?`, `mother (s|had|has|with|of)`, `her mother`, `hermana`, `madre`,
		`daughters?`, `sons?`, `mom s`, `donor`,
	}
	denials = []string{
		`negative`, `neg`, `denie[sd]`, `denying`, `niega`, `rul(e|ed|ing) out`, `ruled`, `r o`, `excluded?`, `descartar`, `descartad[ao]`, `absen(t|ce)`, `unlikely`,
		`(no|not) (evidence|sign|signs|history|longer|known|confirmed|present|found|detected)`, `never had`, `does (not|n t) have`, `refuted`, `false`,
	}
	doubts = []string{
		`possibl[ey]`, `posible`, `probabl[ey]`, `suspect(ed|s)?`, `suspicio(n|us)`, `sospecha`, `query`, `questionable`, `presum(ed|ptive)`, `provisional`, `unconfirmed`, `tentative`,
		`working diagnosis`, `equivocal`, `indeterminate`, `inconclusive`, `likely`, `risks?`, `screen(ing|ed)?`, `expos(ed|ure)`, `contact with`, `vs`, `versus`, `test of cure`,
		`ddx`, `approx(imate(ly)?)?`, `unsure`, `uncertain`, `unreliable`, `prophyla[a-z]*`, `differential`, `borderline`, `pending`, `awaiting`,
	}
	otherTimes = []string{
		`history`, `hx`, `h o`, `pmhx?`, `antecedentes?`, `last pregnancy`, `(gestacional|embarazo) (previ[ao]|anterior)`,
	}
	mistakes = []string{`wrong`, `erroneous`, `in error`, `incorrect`, `disregard`, `do not use`, `mistake[n]?`, `mistyped`, `invalid`}
)

// otherwise matches words with which a text contradicts its code. The text must be in lower case,
// with a single space around each word.
var otherwise = alternatives(slices.Concat(otherPersons, denials, doubts, otherTimes, mistakes, []string{
	`immun(e|ity|ized|ization)`, `vaccin[a-z]*`, `non (diabetic|hypertensive)`, `cancel(l?ed)?`, `planned`,
	`concern(s|ed)?`, `consider(ed|ing)?`, `evaluat(e|ed|ing|ion)`, `work ?up`, `assess(ed|ing|ment)?`, `(check|monitor|watch)(ed|ing)? for`,
	`past`, `previous(ly)?`, `prior`, `former(ly)?`, `old`, `resolved`, `status post`, `s p`, `remote`,
	// These words are about values that weren't measured.
	`goal`, `target`, `ideal`, `desired`, `expected`, `estimated`, `fetal`, `fetus`, `efw`, `dry`, `usual`,
})...)

// atFirst matches words that contradict a code only at the beginning of a text. Elsewhere, they may
// be part of the name of a disease ("without complications").
var atFirst = regexp.MustCompile(`^ (no|not|non|without|never|mother|mom|dad) `)

// noteDoubts lists words with which a note doubts or denies a finding.
var noteDoubts = []string{
	`r o`, `rul(e|ed|ing) out`, `suspected`, `not confirmed`, `unconfirmed`, `approx(imate(ly)?)?`, `unsure`, `not sure`, `uncertain`, `unreliable`, `guess(ed)?`,
}

// remarked matches words with which a note contradicts a finding. birthRemarked matches those with
// which it takes back a birth: such notes often mention who was there. diagnosisRemarked matches words
// with which a note contradicts a diagnosis. A note is prose, so both match fewer words than the
// pattern for the text of a code (the variable otherwise). anotherBirth matches words that mean
// that a diagnosis is from another pregnancy.
var (
	remarked          = alternatives(slices.Concat(otherPersons, mistakes, noteDoubts)...)
	birthRemarked     = alternatives(slices.Concat(mistakes, noteDoubts)...)
	diagnosisRemarked = alternatives(slices.Concat(otherPersons, denials, doubts, otherTimes, mistakes, []string{ofAnotherBirth, `not sure`, `guess(ed)?`})...)
	anotherBirth      = alternatives(ofAnotherBirth)
)

// ofAnotherBirth matches words that mean that a diagnosis is from another pregnancy.
const ofAnotherBirth = `(first|second|last|previous|prior|earlier|past) (pregnancy|pregnancies|baby|child|birth|delivery)`

// aside matches phrases in a note in which the words of remarked and diagnosisRemarked mean
// something else.
var aside = alternatives(`family (planning|practice|practitioner|medicine|doctor|physician|nurse|meeting|support)`, `(as|if|when|where|whenever) possible`, `soon as possible`)

func alternatives(words ...string) pattern {
	return re(`\b(` + strings.Join(words, "|") + `)\b`)
}

// saying returns a text in lower case and without punctuation, with a single space around each
// word. It replaces "?" with the word "query". It cuts the text after mapping.MaxPhrases bytes.
func saying(text string) string {
	if len(text) > mapping.MaxPhrases {
		text = text[:mapping.MaxPhrases]
	}
	text = strings.ReplaceAll(text, "?", " query ")
	return " " + strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), " ") + " "
}

// wording says which words a text next to a code may have.
type wording struct {
	// A text contradicts the code if it has none of the words in own. It also contradicts the code
	// if it has a word in never, because such a word belongs to something else. natural has words
	// that don't contradict this code, although they contradict other codes (the variable
	// otherwise). Each of the three may be nil.
	own, never, natural pattern
}

// plain returns a text in the form that saying returns, without the words that natural matches.
func (w wording) plain(text string) string {
	text = saying(text)
	if w.natural != nil {
		text = saying(w.natural.ReplaceAllString(text, ""))
	}
	return text
}

// takesBack reports whether a text denies or doubts its code, or is about another person or another
// time (otherwise, atFirst).
func (w wording) takesBack(text string) bool {
	stated := w.plain(text)
	return otherwise.MatchString(stated) || atFirst.MatchString(stated)
}

// differs reports whether a text names something other than its code. It does if it has none of the
// words in own, or if it has a word in never. If own is nil, only never counts.
func (w wording) differs(text string) bool {
	stated := w.plain(text)
	return w.own != nil && !w.own.MatchString(stated) || w.never != nil && w.never.MatchString(stated)
}

// namesAnother reports whether the words next to a finding's code name another field instead of the
// finding's own, such as a height that is called a weight. It also returns true if they have a word
// that never belongs to the field.
func (w wording) namesAnother(text string) bool {
	switch {
	case w.own == nil || !w.differs(text):
		return false
	case w.never != nil && w.never.MatchString(w.plain(text)):
		return true
	}
	for name := range fieldWords {
		if other := fieldWords[name]; other.own.MatchString(saying(text)) {
			return true
		}
	}
	return false
}

// textsOf returns the text of a concept, and the displays of those codings that the given function
// accepts. It leaves out blank texts.
func textsOf(c fhir.CodeableConcept, of func(fhir.Coding) bool) (all []string) {
	all = append(all, c.Text)
	for _, coding := range c.Coding {
		if of(coding) {
			all = append(all, coding.Display)
		}
	}
	return slices.DeleteFunc(all, func(text string) bool { return strings.TrimSpace(text) == "" })
}

func anyCoding(fhir.Coding) bool { return true }

// takenBack reports whether one of the notes contradicts its resource. The given pattern matches
// the words with which a note does so. takenBack ignores phrases that aside matches, because the
// words mean something else there.
func takenBack(notes []fhir.Note, by pattern) bool {
	return slices.ContainsFunc(notes, func(n fhir.Note) bool {
		return by.MatchString(saying(aside.ReplaceAllString(saying(n.Text), "")))
	})
}

// denies reports whether the code of a finding is contradicted. The contradiction may be in the
// finding's own words, in its notes, in its method, or in the Observation of which it is a
// component.
func (f *finding) denies(field *birth.Field) bool {
	return takenBack(f.remarks, remarked) || f.deniedInWords(field)
}

// deniedInWords is denies without the notes.
func (f *finding) deniedInWords(field *birth.Field) bool {
	w := fieldWords[field.Name]
	if mapping.CodeContradicted(field, &f.Code) {
		return true
	}
	for _, near := range append(f.around, f.method) {
		if slices.ContainsFunc(textsOf(near, anyCoding), w.takesBack) {
			return true
		}
	}
	own := func(c fhir.Coding) bool { return mapping.SystemOf(c.System) == mapping.LOINCURL }
	takesBack := func(text string) bool { return !mapping.IsOfficialName(text, &f.Code) && w.takesBack(text) }
	return slices.ContainsFunc(textsOf(f.Code, anyCoding), takesBack) || slices.ContainsFunc(textsOf(f.Code, own), w.namesAnother)
}

// valueDenies reports whether the words of a coded value contradict the option that the code stands
// for.
func (f *finding) valueDenies(option string) bool {
	w := valueWords[option]
	return slices.ContainsFunc(textsOf(*f.ValueCodeableConcept, anyCoding), func(text string) bool { return w.takesBack(text) || w.differs(text) })
}

// namedYears matches years in a text.
var namedYears = regexp.MustCompile(`\b(19|20)\d\d\b`)

// ofAnotherYear reports whether the words of a diagnosis contain a year outside the pregnancy.
func (d *diagnosis) ofAnotherYear(p *pregnancy) bool {
	return p != nil && slices.ContainsFunc(textsOf(d.Code, anyCoding), func(text string) bool {
		return slices.ContainsFunc(namedYears.FindAllString(text, -1), func(year string) bool {
			return year < p.start.Time().Format("2006") || year > p.end.Time().Format("2006")
		})
	})
}

// denies reports whether the texts, the categories or the notes of a diagnosis contradict its code.
// The argument answer is the key of the code's words in answerWords.
func (d *diagnosis) denies(answer string) bool {
	w := answerWords[answer]
	var kinds []string
	for _, category := range d.Category {
		kinds = append(kinds, textsOf(category, anyCoding)...)
		for _, coding := range category.Coding {
			kinds = append(kinds, coding.Code)
		}
	}
	own := func(c fhir.Coding) bool {
		return mapping.SystemOf(c.System) == mapping.SNOMEDURL || mapping.SystemOf(c.System) == mapping.ICD10URL
	}
	return takenBack(d.Note, diagnosisRemarked) || slices.ContainsFunc(kinds, wording{natural: healthConcern}.takesBack) ||
		slices.ContainsFunc(textsOf(d.Code, anyCoding), func(text string) bool { return w.takesBack(text) || anotherBirth.MatchString(w.plain(text)) }) ||
		slices.ContainsFunc(textsOf(d.Code, own), w.differs)
}

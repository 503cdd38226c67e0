package uscore

import (
	"cmp"
	"slices"

	"birthregistry/app/birth"
	"birthregistry/app/mapping"
)

// The codes of positive and negative cultures for group B streptococci (SNOMED CT and LOINC).
var (
	positive = map[string][]string{mapping.SNOMEDURL: {"10828004", "260373001"}, mapping.LOINCURL: {"LA6576-8", "LA11882-0"}}
	negative = map[string][]string{mapping.SNOMEDURL: {"260385009", "260415000"}, mapping.LOINCURL: {"LA6577-6", "LA11883-8"}}
)

func (o *finding) answers(set map[string][]string) bool {
	if o.ValueCodeableConcept == nil {
		return false
	}
	for system, codes := range set {
		if _, ok := codeIn(*o.ValueCodeableConcept, system, codes); ok {
			return true
		}
	}
	return false
}

// streptococci reads the last culture from the five weeks before the birth. A positive culture is
// filled in as an infection. A negative one fills in nothing, because it says nothing about other
// infections.
//
// A positive culture is only a hint if there is another culture that isn't clearly positive and may
// be as late. The other culture is as late if it has no date, or if it is from the same day or from
// a later day up to the birth.
func (f *filler) streptococci() {
	const fresh = 5 * 7
	cultures := slices.DeleteFunc(slices.Clone(f.findings), func(o *finding) bool {
		return !o.has(groupBStrep...) || o.another || o.says() == ""
	})
	known := false // the last culture before the birth comes first
	shown := 0
	for _, o := range cultures {
		code, _ := codeIn(o.Code, mapping.LOINCURL, groupBStrep)
		f.used["o"+o.id] = true
		p, why := f.preg, ""
		switch {
		case p == nil:
			why = noPregnancy
		case o.draft:
			why = cmp.Or(o.unclear, preliminary)
		case !o.when.Exact():
			why = undatedValue
		case o.denies(birth.Must("infections")), o.answers(positive) && (o.valueDenies("gbs_found") || mapping.InterpretedAsNegative(&o.Observation)):
			why = saysOtherwise
		case !p.holds(o.when):
			why = otherTime
		case !p.when():
			why = noBirthDay
		case o.when.First < p.first-fresh || o.when.Last > p.last:
			why = "not from the five weeks before the birth"
		case !o.answers(positive) && !o.answers(negative):
			why = "stated in words, not by a code"
		case !o.plainlyPositive():
		case f.hidden(groupBStrep...) != "":
			why = f.hidden(groupBStrep...)
		case slices.ContainsFunc(cultures, func(other *finding) bool {
			when := other.when
			return !other.plainlyPositive() && (!when.Known() || when.Last >= o.when.First && when.First <= p.last)
		}):
			why = "the chart holds another result of that day or later"
		case known:
			why = "there is a later one"
		}
		if why == "" {
			known = true
			if o.plainlyPositive() {
				f.answer("infections", "gbs_positive", []string{o.origin(code)})
			}
			continue
		}
		if shown++; o.meansPositive() && shown <= mostHints {
			f.hint("infections", answerOf("infections", "gbs_positive"), o.origin(code), why)
		}
	}
}

// plainlyPositive reports whether a culture has a code that means positive. It must not also have a
// code or an interpretation that means negative.
func (o *finding) plainlyPositive() bool {
	return o.answers(positive) && !o.answers(negative) && !mapping.InterpretedAsNegative(&o.Observation)
}

var positiveWords = alternatives(`positive`, `pos`, `detected`, `isolated`)

// meansPositive reports whether a culture is positive according to its code or its words.
func (o *finding) meansPositive() bool {
	says := o.says()
	inWords := positiveWords.MatchString(saying(says)) && !(wording{}).takesBack(says) && !valueWords["gbs_found"].differs(says)
	return o.answers(positive) || inWords && !o.answers(negative)
}

// Codes of diagnoses about earlier births (SNOMED CT, ICD-10-CM).
var (
	oldCesareanCodes = []string{"200144004", "161805006"}
	oldCesareans     = []string{"O34.21", "O34.22", "O66.41", "Z98.891"} // scar, scar defect, failed labor after cesarean, history
	oldPreterm       = []string{"O09.21", "Z87.51"}
)

// cesareans returns the texts of the diagnoses, findings and visits that show an earlier cesarean.
// None of them says how many cesareans there were.
func (f *filler) cesareans() (texts []string) {
	for _, d := range f.diagnoses {
		code, ok := d.is(oldCesareanCodes, oldCesareans)
		if ok && (f.preg == nil || !d.onset.Known() || d.onset.Last <= f.preg.end) {
			f.used["c"+d.ID] = true
			texts = append(texts, d.origin(code))
		}
	}
	before := func(m mapping.Moment) bool { return f.preg != nil && m.Known() && m.Last <= f.preg.conceived() }
	for _, o := range f.findings {
		if o.has(routeOfBirth) && before(o.when) && o.answers(cesarean) {
			f.used["o"+o.id] = true
			texts = append(texts, o.origin(routeOfBirth))
		}
	}
	for _, v := range f.visits {
		if v.typed(cesarean[mapping.SNOMEDURL]...) && before(v.start) {
			f.used["e"+v.ID] = true
			texts = append(texts, v.origin())
		}
	}
	return texts
}

// cesarean has the code of a cesarean. It is used for a route of birth and for the type of a stay.
var cesarean = map[string][]string{mapping.SNOMEDURL: {"11466000"}}

// history adds facts about earlier pregnancies as hints if they don't match a field exactly.
func (f *filler) history() {
	for i, text := range f.cesareans() {
		if i < mostHints {
			f.hint("previous_cesareans", nil, text, "it does not state how many cesareans there were")
		}
	}
	for _, d := range f.diagnoses {
		if code, ok := d.is(nil, oldPreterm); ok && !f.out.Draft.Mother.Has("previous_preterm_birth") {
			f.used["c"+d.ID] = true
			f.hint("previous_preterm_birth", &birth.Value{Flag: true}, d.origin(code), "preterm labor before, which is not always a preterm birth")
		}
	}
	f.countedOtherwise("other_pregnancy_outcomes", abortions, "losses early in pregnancy alone; the field counts stillbirths as well")
	// Some systems count children instead of births, or include this birth or an expected one.
	f.countedOtherwise("parity", birthsInAll, "it may count children instead of births (twins as two), and may include this birth")
}

// countedOtherwise adds the numbers with a code as hints for a field. The code's definition differs
// slightly from the field's, and why says how.
func (f *filler) countedOtherwise(name, code, why string) {
	shown := 0
	for _, o := range f.findings {
		values, ok := o.readAs(birth.Must(name))
		if !o.has(code) || !ok || o.another || !f.preg.holds(o.when) {
			continue
		}
		f.used["o"+o.id] = true
		if shown++; shown <= mostHints {
			f.hint(name, &values[0].Value, o.origin(code), why)
		}
	}
}

// counted compares the numbers of pregnancies, births, cesareans and losses. If they contradict
// each other, it turns them into hints, because the chart doesn't show which one is wrong. If a
// number of pregnancies or births remains, it adds a notice to check whether this one is included.
func (f *filler) counted() {
	mother := &f.out.Draft.Mother
	number := func(name string) (float64, bool) {
		v, ok := mother.Get(name)
		return v.Number, ok
	}
	gravida, hasGravida := number("gravida")
	parity, hasParity := number("parity")
	cesareans, _ := number("previous_cesareans")
	lost, _ := number("other_pregnancy_outcomes")
	living, _ := number("previous_live_births_living")
	dead, _ := number("previous_live_births_dead")
	before := cesareans > 0 || mother.Has("previous_preterm_birth") || lost > 0 || living+dead > 0 || mother.Has("last_live_birth_date") || mother.Has("last_other_outcome_date")
	switch {
	case hasGravida && gravida < parity+lost+1:
		f.retreat("the chart's numbers contradict each other: this pregnancy, earlier births and losses are more than all pregnancies",
			"gravida", "parity", "other_pregnancy_outcomes")
	case hasGravida && gravida == 1 && before:
		f.retreat("the chart's numbers contradict each other: a first pregnancy, and an earlier one", "gravida", "other_pregnancy_outcomes",
			"previous_cesareans", "previous_preterm_birth", "previous_live_births_living", "previous_live_births_dead", "last_live_birth_date", "last_other_outcome_date")
	}
	switch {
	case hasParity && cesareans > parity:
		f.retreat("the chart's numbers contradict each other: more cesareans than births", "parity", "previous_cesareans")
	case hasParity && parity == 0 && living+dead > 0:
		f.retreat("the chart's numbers contradict each other: no birth before, and children", "parity", "previous_live_births_living", "previous_live_births_dead")
	}
	f.countedAgainstBirths()
	if mother.Has("gravida") || mother.Has("parity") {
		f.notice("The chart does not say whether its numbers of pregnancies and births include this one. Check both.")
	}
}

// countedAgainstBirths turns counts into hints if they are too low for the earlier births in the
// chart. Such a count was copied from a record from before these births.
func (f *filler) countedAgainstBirths() {
	const why = "the chart shows more births before this one"
	born := float64(len(f.earlier))
	low := func(least float64, names ...string) {
		sum, any := 0.0, false
		for _, name := range names {
			v, stated := f.out.Draft.Mother.Get(name)
			sum, any = sum+v.Number, any || stated
		}
		if any && sum < least {
			f.retreat(why, names...)
		}
	}
	low(born+1, "gravida")
	low(born, "parity")
	low(born, "previous_live_births_living", "previous_live_births_dead")
}

package mapping

import (
	"slices"
	"strconv"

	"birthregistry/app/birth"
)

// plurality is what a chart says of how many were born.
type plurality struct{ several, single bool }

// The diagnoses that tell how many were born (ICD-10-CM Z37, outcome of
// delivery) or expected (O30, multiple gestation).
var (
	oneBorn  = []string{"Z37.0", "Z37.1"}
	manyBorn = []string{"Z37.2", "Z37.3", "Z37.4", "Z37.5", "Z37.6", "Z37.7", "O30"}
)

// plurality finds every sign of several newborns; that there was one only must
// be said, too.
func (f *filler) plurality() plurality {
	var p plurality
	babies := map[string]bool{}
	for i := range f.findings {
		o := &f.findings[i]
		if !f.preg.holds(o.when) {
			continue
		}
		if o.has(liveBirths, bornTogether) {
			if n, ok := number(&o.Observation, ""); ok {
				p.several, p.single = p.several || n > 1, p.single || n == 1
			}
		}
		if o.another && slices.ContainsFunc(chartRows, func(r chartRow) bool { return r.oneChild && r.child && o.has(r.codes...) }) {
			for _, focus := range o.Focus {
				babies[focus.Reference] = true
			}
		}
	}
	for i := range f.diagnoses {
		d := &f.diagnoses[i]
		if !f.preg.holds(d.onset) || d.uncertain {
			continue
		}
		_, one := d.is(nil, oneBorn)
		_, many := d.is(nil, manyBorn)
		p.single, p.several = p.single || one, p.several || many
	}
	p.several = p.several || len(babies) > 1
	p.single = p.single && !p.several
	return p
}

func (f *filler) single() bool { return f.births.single }

// whichBaby says why what is about one child cannot be told apart.
func (f *filler) whichBaby() string {
	if f.mothers && f.births.several {
		return severalBabies
	}
	return ""
}

// howMany offers how many were born, and how, by codes that do not say it surely.
func (f *filler) howMany() {
	field := birth.Must("plurality")
	shown := 0
	for i := range f.findings {
		o := &f.findings[i]
		code, ok := codeIn(o.Code, loinc, []string{bornTogether, liveBirths})
		if !ok || !f.preg.holds(o.when) {
			continue
		}
		f.used["o"+o.id] = true
		values, ok := o.readAs(field)
		if ok && shown < mostHints {
			f.hint(field.Name, &values[0].value, o.told(code), "compare it with the newborns of this record")
			shown++
		}
	}
	for i := range f.diagnoses {
		for _, o := range outcomes {
			d := &f.diagnoses[i]
			if code, ok := d.is(nil, o.icd); ok && f.preg.holds(d.onset) {
				f.used["c"+d.ID] = true
				f.hint(o.field, &o.value, d.told(code), o.why)
			}
		}
	}
}

// outcomes are diagnoses given for billing, which tell of a birth in passing.
var outcomes = []struct {
	field string
	value birth.Value
	icd   []string
	why   string
}{
	{"plurality", birth.Value{Number: 1}, oneBorn, "compare it with the newborns of this record"},
	{"plurality", birth.Value{Number: 2}, []string{"Z37.2", "Z37.3", "Z37.4"}, "compare it with the newborns of this record"},
	{"delivery_method", birth.Value{Text: "vaginal_spontaneous"}, []string{"O80"}, "a diagnosis for billing, not what was done"},
	{"delivery_method", birth.Value{Text: "cesarean"}, []string{"O82"}, "a diagnosis for billing, not what was done"},
}

// smoked offers the smoking status: it is not how many cigarettes she smoked.
func (f *filler) smoked() {
	shown, now := 0, slices.ContainsFunc(f.findings, func(o noted) bool { return o.smoking() && f.preg.holds(o.when) })
	for i := range f.findings {
		o := &f.findings[i]
		if !o.smoking() || now && !f.preg.holds(o.when) || !now && shown > 0 {
			continue // those of the pregnancy, or else the last one
		}
		f.used["o"+o.id] = true
		if shown++; shown <= mostHints {
			f.hint("cigarettes_per_day_pre", nil, o.told(smokingStatus), "a smoking status does not tell how many cigarettes")
		}
	}
}

func (o *noted) smoking() bool { return o.has(smokingStatus) && !o.another && o.says() != "" }

// weighed offers the body weights nearest to what the record asks for, where the
// chart has none that is said to be it.
func (f *filler) weighed() {
	if f.preg == nil {
		return
	}
	begun, told := f.preg.lastPeriod()
	var before, last *noted
	for i := range f.findings {
		o := &f.findings[i]
		if !o.has(bodyWeight, measuredWeight) || o.another || !o.when.exact() {
			continue
		}
		if on := o.when.first; told && on >= begun-365 && on <= begun+90 && (before == nil || away(on, begun) < away(before.when.first, begun)) {
			before = o
		}
		if last == nil && f.preg.holds(o.when) && o.when.first > begun+90 && (!f.preg.born || o.when.first <= f.preg.last && o.when.first >= f.preg.first-longestPuerperium) {
			last = o
		}
	}
	f.weight("prepregnancy_weight_lb", before, "a body weight about when the pregnancy began")
	f.weight("delivery_weight_lb", last, "the last body weight in the pregnancy")
}

func (f *filler) weight(name string, o *noted, why string) {
	row := chartRowOf(name)
	if o == nil || f.out.Draft.Mother.Has(name) {
		return
	}
	code, _ := codeIn(o.Code, loinc, []string{bodyWeight, measuredWeight})
	values, ok := o.readAs(birth.Must(name))
	if !ok || f.beyond(row, &candidate{values: values}) {
		return
	}
	f.used["o"+o.id] = true
	if o.draft {
		why += ", preliminary"
	}
	f.hint(name, &values[0].value, o.told(code), why)
}

// The answers of a culture for group B streptococci: SNOMED CT and LOINC.
var (
	positive = map[string][]string{snomed: {"10828004", "260373001"}, loinc: {"LA6576-8", "LA11882-0"}}
	negative = map[string][]string{snomed: {"260385009", "260415000"}, loinc: {"LA6577-6", "LA11883-8"}}
)

func (o *noted) answers(set map[string][]string) bool {
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

// streptococci reads the last culture of the five weeks before the birth. A
// positive one is a finding; a negative one says nothing of the other
// infections, and fills in nothing.
func (f *filler) streptococci() {
	const fresh = 5 * 7
	told := false // the last one before the birth stands first
	shown := 0
	for i := range f.findings {
		o := &f.findings[i]
		code, ok := codeIn(o.Code, loinc, groupBStrep)
		if !ok || o.another || !o.answers(positive) && !o.answers(negative) {
			continue
		}
		f.used["o"+o.id] = true
		p, why := f.preg, ""
		switch {
		case p == nil:
			why = noPregnancy
		case o.draft:
			why = "preliminary, not final"
		case !o.when.exact():
			why = "undated, so it may be of another time"
		case !p.holds(o.when):
			why = otherTime
		case !p.when():
			why = noBirthDay
		case o.when.first < p.first-fresh || o.when.last > p.last:
			why = "not of the five weeks before the birth"
		case told:
			why = "there is a later one"
		}
		if why == "" {
			told = true
			if o.answers(positive) && !o.answers(negative) {
				f.answer("infections", "gbs_positive", []string{o.told(code)})
			}
			continue
		}
		if shown++; o.answers(positive) && shown <= mostHints {
			f.hint("infections", answerOf("infections", "gbs_positive"), o.told(code), why)
		}
	}
}

// cesareans are the diagnoses that speak of a cesarean before: their number is
// not told.
func (f *filler) cesareans() (texts []string) {
	for i := range f.diagnoses {
		d := &f.diagnoses[i]
		code, ok := d.is([]string{"200144004"}, []string{"O34.21", "Z98.891"})
		if ok && (f.preg == nil || !d.onset.known() || d.onset.last <= f.preg.end) {
			f.used["c"+d.ID] = true
			texts = append(texts, d.told(code))
		}
	}
	return texts
}

// history offers what speaks of earlier pregnancies without being a number, and
// looks at the numbers together.
func (f *filler) history() {
	for i, text := range f.cesareans() {
		if i < mostHints {
			f.hint("previous_cesareans", nil, text, "it does not tell how many cesareans there were")
		}
	}
	for i := range f.diagnoses {
		d := &f.diagnoses[i]
		if code, ok := d.is(nil, []string{"O09.21", "Z87.51"}); ok && !f.out.Draft.Mother.Has("previous_preterm_birth") {
			f.used["c"+d.ID] = true
			f.hint("previous_preterm_birth", &birth.Value{Flag: true}, d.told(code), "preterm labor before, which is not always a preterm birth")
		}
	}
	shown := 0
	for i := range f.findings {
		o := &f.findings[i]
		values, ok := o.readAs(birth.Must("other_pregnancy_outcomes"))
		if !o.has(abortions) || !ok || !f.preg.holds(o.when) {
			continue
		}
		f.used["o"+o.id] = true
		if shown++; shown <= mostHints {
			f.hint("other_pregnancy_outcomes", &values[0].value, o.told(abortions), "losses early in pregnancy alone; the field counts stillbirths as well")
		}
	}
	gravida, hasGravida := f.out.Draft.Mother.Get("gravida")
	parity, hasParity := f.out.Draft.Mother.Get("parity")
	if hasGravida && hasParity && parity.Number > gravida.Number {
		f.retreat("it contradicts the other: more births than pregnancies", "gravida", "parity")
		hasGravida, hasParity = false, false
	}
	if hasGravida || hasParity {
		f.notice("The chart does not say whether its number of pregnancies or births counts this one: check both.")
	}
}

// retreat makes hints of values that were filled in.
func (f *filler) retreat(why string, names ...string) {
	for _, name := range names {
		i := slices.IndexFunc(f.out.Origins, func(o Origin) bool { return o.At == placeOfField(birth.Must(name)) })
		if i < 0 {
			continue
		}
		values := f.values(birth.Must(name))
		v, _ := values.Get(name)
		v.Source = ""
		f.hint(name, &v, f.out.Origins[i].Text, why)
		values.Drop(name)
		f.out.Origins = slices.Delete(f.out.Origins, i, i+1)
	}
}

// disagreeing says that two due dates of the pregnancy are more than a week apart.
func (f *filler) disagreeing() {
	first := day(0)
	if f.preg.clash() {
		f.notice("The due date and the last menstrual period in the chart do not fit each other: enter the right ones.")
	}
	for i, c := range f.candidates(chartRowOf("estimated_due_date")) {
		switch value := momentOf(c.values0()); {
		case c.why != "":
			return
		case i == 0:
			first = value.first
		case away(value.first, first) > 7:
			f.notice("The chart holds due dates of this pregnancy that are more than a week apart; the best and newest is filled in.")
			return
		}
	}
}

func (c *candidate) values0() string {
	if len(c.values) == 0 {
		return ""
	}
	return c.values[0].value.Text
}

// tally says what was read and is of no use, in plain words.
func (f *filler) tally() {
	count := func(n int, one, many string) {
		if n > 0 {
			f.out.Unused = append(f.out.Unused, plural(n, one, many))
		}
	}
	used := map[byte]int{}
	for key := range f.used {
		used[key[0]]++
	}
	count(f.observations-used['o'], "observation that this record has no use for", "observations that this record has no use for")
	count(len(f.diagnoses)-used['c'], "diagnosis that this record has no use for", "diagnoses that this record has no use for")
	count(len(f.visits)-used['e'], "encounter that this record has no use for", "encounters that this record has no use for")
	count(f.withdrawn, "entry that was canceled, not done or entered in error", "entries that were canceled, not done or entered in error")
	count(f.later, "entry dated after the launch", "entries dated after the launch")
	count(f.foreign, "entry about somebody else", "entries about somebody else")
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

package uscore

import (
	"cmp"
	"regexp"
	"slices"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

// plurality holds what in a chart indicates that several children were born. It never says that
// only one was born, because no value depends on that.
type plurality struct {
	several bool
	babies  map[string]bool // the other Patients that the chart mentions at the birth
	older   map[string]bool // the Patients that the chart mentions before the birth
}

// Codes of diagnoses that say how many children were born (ICD-10-CM Z37, outcome of delivery) or
// are expected (O30, multiple gestation).
var (
	oneBorn  = []string{"Z37.0", "Z37.1"}
	manyBorn = []string{"Z37.2", "Z37.3", "Z37.4", "Z37.5", "Z37.6", "Z37.7", "O30"}
)

// SNOMED CT codes of diagnoses of a multiple pregnancy or birth, and words for more than one child
// and for one child.
var (
	twins = slices.Concat([]string{
		"65147003", "64254006", "60810003", "16356006", "459166009", "459167000", "28030000", "45384004",
	}, twinOutcomes)
	twinOutcomes = []string{"169828005", "169829002", "169830007", "169831006", "169832004", "169833009", "169834003"} // live and still
	twinWords    = alternatives(`twins?`, `triplets?`, `quadruplets?`, `multiple (gestation|pregnancy|births?|fetus(es)?)`, `gemel[a-z]*`, `(di|mono)chorionic`)
	oneWord      = regexp.MustCompile(`^ (1|one|single(ton)?)( (birth|pregnancy|gestation|live ?born))? $`)
)

// ofTwins reports whether one of the texts says that there are several children. It ignores a text
// that denies this.
func ofTwins(texts []string) bool {
	return slices.ContainsFunc(texts, func(text string) bool { return twinWords.MatchString(saying(text)) && !(wording{}).takesBack(text) })
}

// plurality finds out what in the chart indicates several newborns. It also finds the other
// Patients that the chart mentions.
func (f *filler) plurality() plurality {
	p := plurality{babies: map[string]bool{}, older: map[string]bool{}}
	for _, o := range f.findings {
		switch {
		case o.about != "" && f.preg != nil && o.when.Known() && o.when.Last < f.preg.early-1:
			p.older[o.about] = true
		case o.about != "" && f.preg.holds(o.when):
			p.babies[o.about] = true
		}
		p.several = p.several || f.preg.holds(o.when) && o.ofSeveral()
	}
	for _, d := range f.diagnoses {
		_, many := d.is(twins, manyBorn)
		if (many || ofTwins(textsOf(d.Code, anyCoding))) && (f.preg.holds(d.onset) || !d.onset.Known()) {
			p.several = true
		}
	}
	for _, v := range f.visits {
		for _, c := range slices.Concat(v.Type, v.ReasonCode) {
			reason := diagnosis{Condition: &fhir.Condition{Code: c}}
			_, many := reason.is(twins, manyBorn)
			p.several = p.several || f.preg.holds(v.start) && (many || ofTwins(textsOf(c, anyCoding)))
		}
	}
	p.several = p.several || f.severalTimes() || f.severalFoci()
	for baby := range p.older {
		delete(p.babies, baby)
	}
	p.several = p.several || len(p.babies) > 1
	return p
}

// ofSeveral reports whether a finding says that several children were born. It also returns true
// for a number of children that doesn't clearly mean one child or none.
func (f *finding) ofSeveral() bool {
	texts := textsOf(f.Code, anyCoding)
	if f.ValueCodeableConcept != nil && !f.denies(birth.Must("plurality")) {
		texts = append(texts, textsOf(*f.ValueCodeableConcept, anyCoding)...)
	}
	for _, focus := range f.Focus {
		texts = append(texts, focus.Display)
	}
	if !f.has(mapping.LiveBirths, bornTogether) {
		return ofTwins(texts)
	}
	n, ok := mapping.NumberIn(&f.Observation, "")
	return ok && n > 1 || !ok && !oneWord.MatchString(saying(f.says()))
}

// severalFoci reports whether the findings about newborns at the index birth are about several
// newborns, by reference or by name.
func (f *filler) severalFoci() bool {
	about := map[string]bool{}
	for _, o := range f.findings {
		if !o.another || !f.preg.holds(o.when) || o.when.Last < f.preg.early-1 || !o.has(childCodes...) {
			continue
		}
		for _, focus := range o.Focus {
			about[cmp.Or(focus.Reference, focus.Display)] = true
		}
	}
	return len(about) > 1
}

// severalTimes reports whether the chart has more than one time for the index birth.
func (f *filler) severalTimes() bool {
	times := map[string]bool{}
	for _, o := range f.deliveries {
		if at := o.stated; at.Instant && f.preg.holds(at) && at.Last >= f.preg.first-1 {
			times[at.At.UTC().String()] = true
		}
	}
	return len(times) > 1
}

// whichBaby returns the reason why it isn't clear which child a fact is about, or "" if it is
// clear.
func (f *filler) whichBaby() string {
	if f.mothers && f.births.several {
		return severalBabies
	}
	return ""
}

// howMany adds the number of children and the method of delivery as hints, if codes suggest them.
// Such codes aren't certain evidence. If a diagnosis contradicts the method of delivery that was
// filled in, this method becomes a hint.
func (f *filler) howMany() {
	field := birth.Must("plurality")
	shown := 0
	for _, o := range f.findings {
		code, ok := codeIn(o.Code, mapping.LOINCURL, []string{bornTogether, mapping.LiveBirths})
		if !ok || !f.preg.holds(o.when) {
			continue
		}
		f.used["o"+o.id] = true
		values, ok := o.readAs(field)
		if ok && shown < mostHints {
			f.hint(field.Name, &values[0].Value, o.origin(code), "compare it with the newborns of this record")
			shown++
		}
	}
	for _, d := range f.diagnoses {
		for _, o := range outcomes {
			if code, ok := d.is(nil, o.icd); ok && f.preg.holds(d.onset) {
				f.used["c"+d.ID] = true
				f.hint(o.field, &o.value, d.origin(code), o.why)
				if route, stated := f.out.Draft.Children[0].Get(o.field); stated && route.Text != o.value.Text {
					f.retreat("a diagnosis says otherwise", o.field)
				}
			}
		}
	}
}

// outcomes lists diagnoses for billing that also suggest facts about the birth.
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

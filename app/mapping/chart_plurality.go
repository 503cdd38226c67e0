package mapping

import (
	"birthregistry/app/birth"
)

// plurality is what a chart says of how many were born: several, or nothing. That
// there was one only is never needed, for nothing is filled in because of it.
type plurality struct {
	several bool
	babies  map[string]bool // the other Patients whom the chart speaks of at the birth
	older   map[string]bool // and before it
}

// The diagnoses that tell how many were born (ICD-10-CM Z37, outcome of
// delivery) or expected (O30, multiple gestation).
var (
	oneBorn  = []string{"Z37.0", "Z37.1"}
	manyBorn = []string{"Z37.2", "Z37.3", "Z37.4", "Z37.5", "Z37.6", "Z37.7", "O30"}
)

// plurality finds every sign of several newborns, and whom the chart speaks of.
func (f *filler) plurality() plurality {
	p := plurality{babies: map[string]bool{}, older: map[string]bool{}}
	for i := range f.findings {
		o := &f.findings[i]
		switch {
		case o.about != "" && f.preg != nil && o.when.known() && o.when.last < f.preg.early-1:
			p.older[o.about] = true
		case o.about != "" && f.preg.holds(o.when):
			p.babies[o.about] = true
		}
		if n, ok := number(&o.Observation, ""); ok && o.has(liveBirths, bornTogether) && f.preg.holds(o.when) {
			p.several = p.several || n > 1
		}
	}
	for i := range f.diagnoses {
		d := &f.diagnoses[i]
		if _, many := d.is(nil, manyBorn); many && (f.preg.holds(d.onset) || !d.onset.known()) {
			p.several = true
		}
	}
	p.several = p.several || f.severalTimes()
	for baby := range p.older {
		delete(p.babies, baby)
	}
	p.several = p.several || len(p.babies) > 1
	return p
}

// severalTimes reports whether the chart states several times of the index birth.
func (f *filler) severalTimes() bool {
	times := map[string]bool{}
	for i := range f.findings {
		o := &f.findings[i]
		if at := momentOf(dateTimeOf(&o.Observation)); o.has(deliveryTime) && !o.draft && at.instant && f.preg.holds(at) && at.last >= f.preg.first-1 {
			times[at.at.UTC().String()] = true
		}
	}
	return len(times) > 1
}

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

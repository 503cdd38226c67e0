package mapping

import (
	"slices"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
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

// stillborn are the diagnoses of an outcome of delivery (ICD-10-CM) with a
// stillbirth: of the only one, of one or both twins, of some or all of several.
var stillborn = []string{"Z37.1", "Z37.3", "Z37.4", "Z37.6", "Z37.7"}

// stillbirth says it where the chart of a mother tells of one at the index birth,
// and fills in nothing that only a live birth has.
func (f *filler) stillbirth() {
	told := ""
	for i := range f.diagnoses {
		d := &f.diagnoses[i]
		if code, ok := d.is(nil, stillborn); ok && f.preg.holds(d.onset) {
			told = d.told(code)
			break
		}
	}
	if s := f.preg.stayOf(); s != nil && told == "" {
		for _, reason := range s.ReasonCode {
			d := diagnosis{Condition: &fhir.Condition{Code: reason}, onset: s.start}
			if code, ok := d.is(nil, stillborn); ok {
				told = d.told(code)
			}
		}
	}
	if told != "" {
		f.retreat("the chart tells of a stillbirth", "apgar_one_minute", "apgar_five_minute", "apgar_ten_minute")
		f.notice("The chart tells of a stillbirth (" + told + "). Nothing that says live birth is filled in: say yourself whether the newborn was born alive.")
	}
}

package uscore

import (
	"slices"
	"strconv"

	"birthregistry/app/birth"
	"birthregistry/app/mapping"
)

// The minimum and maximum age, in years, at which a patient may be a mother (uscore-mapping §1).
const (
	youngest = 10
	oldest   = 60
)

// age returns the patient's minimum and maximum possible age at the launch, in years. It returns
// false if the date of birth isn't known.
func (r *reader) age() (from, to int, known bool) {
	if !r.born.Known() {
		return 0, 0, false
	}
	return yearsFrom(r.born.Last, r.today), yearsFrom(r.born.First, r.today), true
}

func yearsFrom(born, on mapping.Day) int {
	from, to := born.Time(), on.Time()
	years := to.Year() - from.Year()
	if to.Before(from.AddDate(years, 0, 0)) {
		years--
	}
	return max(0, years)
}

func inYears(years int) string {
	switch years {
	case 0:
		return "less than a year old"
	case 1:
		return "1 year old"
	}
	return strconv.Itoa(years) + " years old"
}

// role returns whose chart it is, and why. Age decides first. Another fact counts only if it
// contradicts the role.
func (r *reader) role() (Role, string) {
	from, to, known := r.age()
	years := inYears(from)
	switch {
	case !known:
		return Unknown, "The chart does not state the date of birth."
	case to < 1 && r.motherly() != "":
		return Unknown, "The patient is less than a year old, but the chart holds " + r.motherly() + "."
	case to < 1:
		return Newborn, "The patient is less than a year old."
	case from >= youngest && r.sex == "male":
		return Unknown, "The patient is male and " + years + "."
	case from > oldest:
		return Unknown, "The patient is " + years + "."
	case from >= youngest && r.hasLiveborn() && r.motherly() == "":
		return Unknown, "The patient is " + years + ", but the chart holds the diagnosis of a newborn."
	case from >= youngest && r.motherly() != "":
		return Mother, "The patient is " + years + ", and the chart holds " + r.motherly() + "."
	case from >= youngest:
		return Mother, "The patient is " + years + "."
	}
	return Unknown, "The patient is " + years + ": neither a newborn nor a mother."
}

// motherly returns the name of something that is only in a mother's chart. It returns "" if the
// chart has no such thing.
func (r *reader) motherly() string {
	for _, f := range r.findings {
		switch {
		case f.another || f.draft:
		case f.has(dueCodes...):
			return "a due date"
		case f.has("8665-2"):
			return "a last menstrual period"
		case f.has("11996-6"):
			return "a number of pregnancies"
		case f.pregnant():
			return "a pregnancy"
		}
	}
	for _, d := range r.diagnoses {
		if _, ok := d.is(pregnantCodes, anyPrefixes); ok && d.stands() {
			return "a diagnosis of pregnancy"
		}
	}
	return ""
}

// hasLiveborn reports whether the chart has the diagnosis of a live-born infant.
func (r *reader) hasLiveborn() bool {
	return slices.ContainsFunc(r.diagnoses, func(d *diagnosis) bool {
		_, ok := d.is(nil, []string{"Z38"})
		return ok && d.stands()
	})
}

// mother returns what is filled in from the chart if the patient is the mother.
func (r *reader) mother() Filled {
	f := r.filler(true, r.pregnancy())
	f.surroundings()
	f.identity()
	for _, row := range observationRows {
		f.fill(row)
	}
	f.disagreeing()
	f.history()
	f.diagnosed()
	f.counted()
	f.streptococci()
	f.weighed()
	f.smoked()
	f.howMany()
	f.lost()
	f.stayed()
	f.doubted()
	from, _, known := r.age()
	switch {
	case r.sex == "male" && (!known || from >= youngest):
		f.withhold("the patient is male")
		f.notice("The patient is male, so nothing is filled in. Check whose chart was launched.")
	case known && (from < youngest || from > oldest):
		f.withhold("the patient's age is not that of a mother")
		f.notice("The patient is " + inYears(from) + ", so nothing is filled in. Check whose chart was launched.")
	}
	return f.done()
}

// newborn returns what is filled in from the chart if the patient is the newborn. It fills in
// nothing about the mother, because these facts are in her own chart.
func (r *reader) newborn() Filled {
	var p *pregnancy
	if r.born.Exact() {
		p = bornOn(r.born.First, r.born.First, true, "the birth on "+dated(r.born))
	}
	f := r.filler(false, p)
	f.child()
	for _, row := range observationRows {
		if row.child {
			f.fill(row)
		}
	}
	f.anomalies()
	f.howMany()
	f.transferred("child")
	f.notice("This chart says nothing about the mother. Type in her values; a launch from her chart would start another form.")
	if from, _, known := r.age(); known && from >= youngest {
		f.withhold("the patient is not a newborn")
		f.notice("The patient is " + inYears(from) + ", so nothing is filled in. Check whose chart was launched.")
	}
	return f.done()
}

// unknown returns what is filled in from the chart if the role isn't known. It fills in no field,
// because every field belongs either to the mother or to the newborn. The name becomes a hint that
// can't be applied. The medical record number is a hint that can be applied, because it is useful
// in every role.
func (r *reader) unknown() Filled {
	f := r.filler(true, nil)
	f.name("mother_family_name", "mother_given_names")
	f.name("child_family_name", "child_given_names")
	f.withhold("first state whether the patient is the mother or the newborn")
	for i := range f.out.Hints {
		f.out.Hints[i].Value = nil // applying the name would decide whose it is
	}
	f.number()
	f.notice("State whether this is the chart of the mother or of the newborn.")
	f.mourn()
	return f.out
}

// foundAtBirth lists the fields that are filled in from a newborn's diagnoses.
var foundAtBirth = []string{"newborn_conditions", "congenital_anomalies"}

// anomalies fills in fields from the newborn's diagnoses, using the codes in the spine.
func (f *filler) anomalies() {
	for _, name := range foundAtBirth {
		field, refuted := birth.Must(name), map[string][]*diagnosis{}
		for _, o := range field.Options {
			refuted[o.Code] = f.refutedAs(o.In(birth.SNOMED), nil)
		}
		for _, d := range f.diagnoses {
			for _, o := range field.Options {
				code, ok := d.is(o.In(birth.SNOMED), nil)
				if !ok || o.Code == "none" || o.Code == "other" {
					continue
				}
				f.used["c"+d.ID] = true
				why := f.bornWith(d, name)
				if stated := (mapping.FieldValue{Field: field, Value: *answerOf(name, o.Code)}); stated.Contradicted(&d.Code) {
					why = saysOtherwise
				}
				if why == "" && d.refutedBy(refuted[o.Code]) {
					why = refutedToo
				}
				if why != "" {
					f.hint(name, answerOf(name, o.Code), d.origin(code), why)
				} else {
					f.answer(name, o.Code, []string{d.origin(code)})
				}
			}
		}
	}
}

// bornWith returns the reason why a diagnosis is not filled in for the newborn, or "" if it is. An
// anomaly is congenital whenever it was found. A seizure long after the birth, however, isn't a
// condition of a newborn.
func (f *filler) bornWith(d *diagnosis, field string) string {
	switch {
	case d.unclear != "":
		return d.unclear
	case d.uncertain:
		return "it is not confirmed"
	case d.denies(""):
		return saysOtherwise
	case d.isAbsent():
		return twoCodes
	case d.untimed != "":
		return d.untimed
	case !d.onset.Known():
		return undatedValue
	case f.preg == nil:
		return noBirthDay
	case d.onset.First < f.preg.first:
		return tooSoon
	case field == "newborn_conditions" && d.onset.Last > f.preg.end:
		return "recorded days after the birth"
	}
	return ""
}

// done completes the result for one role. It turns values that aren't reliable into hints, and
// counts what wasn't used.
func (f *filler) done() Filled {
	f.checked()
	f.leftOpen()
	f.mourn()
	if f.patient.Marked {
		f.withhold("the patient's record has a mark that the registry does not know")
	}
	if f.patient.Replaced() {
		f.withholdAt("the EHR no longer uses this record of the patient, so a newer one may differ", func(at birth.Path) bool {
			return at.List == birth.ProviderList || !slices.Contains(f.own, at.Field)
		})
		f.notice("The EHR no longer uses this record of the patient. Check whether another one has replaced it.")
	}
	f.tally()
	return f.out
}

// mourn turns all values into hints if the patient has died according to the chart, because it may
// be the wrong chart. The banner shows the death.
func (f *filler) mourn() {
	if f.banner().Deceased {
		f.withhold("the chart says that the patient has died")
	}
}

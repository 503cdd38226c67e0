package uscore

import (
	"cmp"
	"math"
	"slices"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

// observationRow lists the Observation codes (LOINC) by which a chart states a field,
// best first, and decides when a value fits (uscore-mapping §3).
type observationRow struct {
	field string
	codes []string
	// equal is set if all codes mean the same, so that the latest value is used, whatever its code.
	// earliest is set if the first value is used instead of the latest.
	equal, earliest bool
	// The plausible range in the field's unit, if it is narrower than the spine's.
	min, max float64
	// Rows with child set are read from the newborn's chart as well. Rows with oneChild set are
	// about a single child, so with twins it may not be clear which one they are about.
	child, oneChild bool
	// agree returns why the values that fit contradict each other, or "".
	agree func(f *filler, fit []candidate) (why string)
	// skip reports whether a value can't belong to the field at all, such as a body weight from any
	// other day. The value is then not even shown as a hint.
	skip func(f *filler, c *candidate) bool
	fits func(f *filler, c *candidate) (why string)
}

// The plausible weights of a woman and heights of an adult, exactly 30–250 kg and
// 120–220 cm.
const (
	lightest    = 30 / 0.45359237
	heaviest    = 250 / 0.45359237
	smallest    = 120 / 2.54
	tallest     = 220 / 2.54
	pregnancies = 25 // the greatest count of pregnancies and births
)

// dueCodes are the codes of a due date: clinical, by ovulation, by the last menstrual
// period.
var dueCodes = []string{"11778-8", "11780-4", "11779-6"}

// gestationCodes are the codes of the gestational age.
var gestationCodes = []string{"11884-4", "18185-9", "49051-6", "11885-1", ownGestation}

var observationRows = []observationRow{
	{field: "gravida", codes: []string{"11996-6"}, max: pregnancies, fits: thisOneIncluded, agree: neverFalls},
	{field: "parity", codes: []string{"11977-6"}, max: pregnancies, fits: beforeTheBirth, agree: neverFalls},
	{field: "previous_live_births_living", codes: []string{"11638-4"}, max: pregnancies, fits: beforeTheBirth},
	{field: "previous_live_births_dead", codes: []string{"68496-9"}, max: pregnancies, fits: beforeTheBirth, agree: neverFalls},
	{field: "other_pregnancy_outcomes", codes: []string{"69043-8"}, max: pregnancies, fits: beforeTheBirth, agree: neverFalls},
	{field: "last_live_birth_date", codes: []string{"68499-3"}, fits: lastLiveBirth, agree: oneDay},
	{field: "last_other_outcome_date", codes: []string{"68500-8"}, fits: lastLoss, agree: oneDay},
	{field: "previous_cesareans", codes: []string{"68497-7"}, fits: cesareansBefore, agree: neverFalls},
	{field: "last_menstrual_period", codes: []string{periodBegan}, fits: lastPeriod, agree: oneWeek},
	{field: "estimated_due_date", codes: dueCodes, fits: dueDate, agree: oneWeek},
	{field: "prenatal_first_visit_date", codes: []string{visitFirst}, fits: firstVisit, agree: oneDay},
	{field: "prenatal_visit_count", codes: []string{visitCount}, fits: allVisits},
	{field: "mother_height_in", codes: heightCodes, equal: true, min: smallest, max: tallest, skip: ofAChild, fits: adultHeight, agree: oneHeight},
	{field: "prepregnancy_weight_lb", codes: []string{"56077-1", "8348-5"}, min: lightest, max: heaviest, fits: inThePregnancy, agree: oneWeightBefore},
	{
		field: "delivery_weight_lb", codes: []string{weightAtBirth, bodyWeight, measuredWeight}, min: lightest, max: heaviest,
		skip: otherWeight, fits: deliveryWeight,
	},
	{field: "cigarettes_per_day_pre", codes: []string{"64794-1"}, fits: inThePregnancy},
	{field: "cigarettes_per_day_t1", codes: []string{"87298-6"}, fits: inThePregnancy},
	{field: "cigarettes_per_day_t2", codes: []string{"87299-4"}, fits: fromTrimester(2)},
	{field: "cigarettes_per_day_t3", codes: []string{"64795-8"}, fits: fromTrimester(3)},
	{field: "birth_date", codes: []string{deliveryTime}, oneChild: true, skip: otherBirth, fits: statedBirth},
	{field: "delivery_method", codes: []string{routeOfBirth}, oneChild: true, fits: atTheBirth, agree: oneValue},
	{field: "fetal_presentation", codes: []string{"73761-9"}, child: true, oneChild: true, fits: atTheBirth, agree: oneValue},
	{
		field: "birth_weight_g", codes: []string{birthWeightCode, bodyWeight}, child: true, oneChild: true, earliest: true,
		skip: otherWeightOfBaby, fits: weightAtTheBirth, agree: oneBirthWeight,
	},
	{
		field: "gestational_age_weeks", codes: gestationCodes, min: 20, max: 44,
		child: true, fits: gestationAtBirth, agree: oneGestation,
	},
	{field: "apgar_one_minute", codes: []string{"9272-6"}, child: true, oneChild: true, skip: ofOlderChild, fits: ofTheBaby, agree: oneValue},
	{field: "apgar_five_minute", codes: []string{"9274-2"}, child: true, oneChild: true, skip: ofOlderChild, fits: ofTheBaby, agree: oneValue},
	{field: "apgar_ten_minute", codes: []string{"9271-8"}, child: true, oneChild: true, skip: ofOlderChild, fits: ofTheBaby, agree: oneValue},
}

// childCodes are the codes of findings about one newborn.
var childCodes = func() (codes []string) {
	for _, row := range observationRows {
		if row.child && row.oneChild {
			codes = append(codes, slices.DeleteFunc(slices.Clone(row.codes), isGeneral)...)
		}
	}
	return codes
}()

// of returns the row's field.
func (r observationRow) of() *birth.Field { return birth.Must(r.field) }

func rowOf(field string) observationRow {
	return observationRows[slices.IndexFunc(observationRows, func(r observationRow) bool { return r.field == field })]
}

// candidate is a finding that may state a row's field.
type candidate struct {
	*finding
	code   string
	rank   int
	values []mapping.FieldValue // the field's value, and others that the finding states
	why    string               // why the candidate isn't filled in, or "" if it fits
}

// candidates returns the findings that may state a field, the best first.
func (f *filler) candidates(row observationRow) (all []candidate) {
	for _, found := range f.findings {
		c := candidate{finding: found}
		code, ok := codeIn(c.Code, mapping.LOINCURL, row.codes)
		if !ok {
			continue
		}
		c.code = code
		if !row.equal {
			c.rank = slices.Index(row.codes, code)
		}
		c.values, ok = c.readAs(row.of())
		if row.skip != nil && row.skip(f, &c) {
			continue
		}
		c.why = f.unfit(row, &c, ok)
		all = append(all, c)
	}
	slices.SortStableFunc(all, func(a, b candidate) int {
		switch {
		case (a.why == "") != (b.why == ""):
			return map[bool]int{true: -1, false: 1}[a.why == ""]
		case a.rank != b.rank:
			return a.rank - b.rank
		case row.earliest:
			return a.when.At.Compare(b.when.At)
		}
		return 0 // keeps their order, the newest first
	})
	return all
}

// unfit returns why a finding does not fill in its field, or "" if it does.
func (f *filler) unfit(row observationRow, c *candidate, read bool) string {
	switch {
	case c.piece:
		return "one of several parts of an amount"
	case !read:
		c.values = nil
		unit := c.ValueQuantity != nil || bare(row.of())
		if n, ok := mapping.NumberIn(&c.Observation, row.of().Unit); ok && unit && (n < 0 || !row.of().InRange(n)) {
			return implausible
		}
		return unreadValue
	case f.beyond(row, c):
		return implausible
	case c.draft:
		return cmp.Or(c.unclear, preliminary)
	case !c.when.Known():
		return undatedValue
	case c.another && row.of().About == birth.Mother:
		return aboutAnother
	case c.twoUsed(row):
		return twoCodes
	case c.denies(row.of()):
		return saysOtherwise
	case f.hidden(row.codes...) != "":
		return f.hidden(row.codes...)
	case row.of().Kind == birth.Date && inUTC(mapping.DateTimeOf(&c.Observation)):
		return inUTCOnly
	}
	return row.fits(f, c)
}

// hidden returns why a finding with one of the codes was set aside (hide), or "" if there is none.
// The meaning of a finding that was set aside isn't clear, so it may contradict every other finding
// with these codes.
func (f *filler) hidden(codes ...string) string {
	for _, o := range f.obscure {
		if o.has(codes...) {
			return cmp.Or(map[string]string{severalVersions: versionUnknown}[o.unclear], o.unclear)
		}
	}
	return ""
}

// twoUsed reports whether a finding has the code of another field in addition to the row's code, so
// that one of the two must be wrong. A code for any body weight (isGeneral) doesn't count as one of
// another field, because US Core requires it next to every other weight code. If the row itself
// uses the finding by a code for any body weight, every other LOINC code counts, because it shows
// another kind of weight.
func (c *candidate) twoUsed(row observationRow) bool {
	return slices.ContainsFunc(c.Code.Coding, func(coding fhir.Coding) bool {
		switch {
		case mapping.SystemOf(coding.System) != mapping.LOINCURL || slices.Contains(row.codes, coding.Code) || isGeneral(coding.Code):
			return false
		case isGeneral(c.code):
			return true
		}
		return slices.ContainsFunc(observationRows, func(other observationRow) bool { return slices.Contains(other.codes, coding.Code) })
	})
}

// beyond reports whether a value is out of the row's plausible range. The limits of the range are
// rounded to tenths, like stored values.
func (f *filler) beyond(row observationRow, c *candidate) bool {
	n := c.values[0].Value.Number
	return row.max > 0 && (n < math.Round(row.min*10)/10 || n > math.Round(row.max*10)/10)
}

// isGeneral reports whether a code is for any body weight. Most such weights have nothing to do
// with a birth.
func isGeneral(code string) bool { return code == bodyWeight || code == measuredWeight }

package uscore

import (
	"cmp"
	"math"
	"slices"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

// observationRow lists the LOINC codes of Observations for a field, best first. It also decides
// when a value fits (uscore-mapping §3).
type observationRow struct {
	field string
	codes []string
	// equal is set if all codes mean the same. The latest value is then used, whatever its code.
	// earliest is set if the first value is used instead of the latest.
	equal, earliest bool
	// min and max are the plausible range in the field's unit, if it is narrower than the range in
	// the spine.
	min, max float64
	// If child is set, the row is also read from the newborn's chart. If oneChild is set, the row
	// is about a single child. For twins, it may then not be clear which child it is about.
	child, oneChild bool
	// agree returns the reason why the values that fit contradict each other, or "" if they don't.
	agree func(f *filler, fit []candidate) (why string)
	// skip reports whether a value can't belong to the field at all. An example is a body weight
	// from any other day. Such a value doesn't even become a hint.
	skip func(f *filler, c *candidate) bool
	fits func(f *filler, c *candidate) (why string)
}

// The plausible weights of a woman (30–250 kg) and heights of an adult (120–220 cm), in pounds and
// inches.
const (
	lightest    = 30 / 0.45359237
	heaviest    = 250 / 0.45359237
	smallest    = 120 / 2.54
	tallest     = 220 / 2.54
	pregnancies = 25 // the maximum count of pregnancies and births
)

// dueCodes lists the codes for a due date: clinical, by ovulation, and by the last menstrual
// period.
var dueCodes = []string{"11778-8", "11780-4", "11779-6"}

// gestationCodes lists the codes for the gestational age.
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

// childCodes lists the codes for findings about a single newborn.
var childCodes = func() (codes []string) {
	for _, row := range observationRows {
		if row.child && row.oneChild {
			codes = append(codes, slices.DeleteFunc(slices.Clone(row.codes), isGeneral)...)
		}
	}
	return codes
}()

// of returns the field to which the row belongs.
func (r observationRow) of() *birth.Field { return birth.Must(r.field) }

func rowOf(field string) observationRow {
	return observationRows[slices.IndexFunc(observationRows, func(r observationRow) bool { return r.field == field })]
}

// candidate is a finding that may have a value for the field of a row.
type candidate struct {
	*finding
	code   string
	rank   int
	values []mapping.FieldValue // the value for the field, and further values in the finding
	why    string               // the reason why the candidate isn't filled in, or "" if it fits
}

// candidates returns the findings that may have a value for the field of a row, best first.
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

// unfit returns the reason why a finding isn't filled in, or "" if it is.
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
	case row.of().Kind == birth.Date && mapping.InUTC(mapping.DateTimeOf(&c.Observation)):
		return inUTCOnly
	}
	return row.fits(f, c)
}

// hidden returns the reason why a finding with one of the codes was set aside (hide), or "" if
// there is no such finding. The meaning of a finding that was set aside isn't clear. It may
// therefore contradict every other finding with these codes.
func (f *filler) hidden(codes ...string) string {
	for _, o := range f.obscure {
		if o.has(codes...) {
			return cmp.Or(map[string]string{severalVersions: versionUnknown}[o.unclear], o.unclear)
		}
	}
	return ""
}

// twoUsed reports whether a finding has both a code of the row and a code of another field. One of
// the two must be wrong.
//
// The codes for any body weight (isGeneral) don't count as codes of another field, because US Core
// requires them next to every other code for a weight. If the row uses the finding because of such
// a code, every other LOINC code counts, because it means another kind of weight.
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

// beyond reports whether a value is outside the row's plausible range. The limits of the range are
// rounded to tenths, as stored values are.
func (f *filler) beyond(row observationRow, c *candidate) bool {
	n := c.values[0].Value.Number
	return row.max > 0 && (n < math.Round(row.min*10)/10 || n > math.Round(row.max*10)/10)
}

// isGeneral reports whether a code is for any body weight. Most weights with such a code have
// nothing to do with a birth.
func isGeneral(code string) bool { return code == bodyWeight || code == measuredWeight }

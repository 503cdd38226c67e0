package uscore

import (
	"slices"

	"birthregistry/app/birth"
	"birthregistry/app/mapping"
)

// The reasons why a value isn't filled in.
const (
	noPregnancy    = "which pregnancy it belongs to is not known"
	implausible    = "out of the plausible range"
	unreadValue    = "it cannot be read as a value of this field"
	otherTime      = "recorded outside this pregnancy"
	halfDate       = "only part of the date is known"
	undatedValue   = "undated, so it may be from another time"
	preliminary    = "preliminary, not final"
	severalBabies  = "the chart speaks of several newborns; it does not say which this is about"
	noBirthDay     = "the day of the birth is not known"
	noStatedBirth  = "the chart does not state the birth"
	otherOne       = "it belongs to another pregnancy"
	tooSoon        = "recorded before the birth"
	notBegun       = "it does not begin in this pregnancy"
	overBefore     = "it was over before this pregnancy"
	maybeOver      = "it may not have been present in this pregnancy"
	notAtBirth     = "not recorded at the birth"
	afterBirth     = "recorded after the birth, so it may include this birth"
	afterTheBirth  = "it began after the birth"
	beforeKnown    = "recorded before anybody could know of this pregnancy, so it may count earlier ones only"
	beforeAnybody  = "it began before anybody could know of this pregnancy, so it may belong to an earlier one"
	runningCount   = "a running count that was recorded too early to be complete"
	aboutAnother   = "it is about somebody else"
	whoElse        = "about somebody who may not be this newborn"
	olderChild     = "about a child that the chart mentions before the birth, so an older one"
	noFocus        = "it does not say that it is about this newborn"
	herOwn         = "it does not say that it is about this newborn: it may be her own"
	contradicted   = "the chart holds another value that is just as likely"
	notTheLast     = "the chart shows a later one"
	anotherDay     = "the chart holds another day"
	laterWeight    = "measured hours after the birth, when a newborn has lost weight"
	saysOtherwise  = "its text and its code say different things"
	twoCodes       = "its codes mean different things"
	inUTCOnly      = "stated in UTC: the local date may be another one"
	unreadMarked   = "the chart holds another value, marked in a way that the registry does not know"
	versionUnknown = "the chart holds several versions of another value and does not say which is the latest"
	unreadNewer    = "the chart holds a newer one that cannot be read"
)

// outOfTime reports whether a value was left out for one of these reasons: It is from another time,
// it may be another person's, or its words and codes contradict each other. Such a value must not
// become a hint that a user can apply with one click.
func outOfTime(why string) bool {
	switch why {
	case otherTime, otherOne, notAtBirth, tooSoon, notBegun, overBefore, afterTheBirth, herOwn, whoElse, olderChild, aboutAnother, saysOtherwise, twoCodes, notTheLast:
		return true
	}
	return false
}

func inThePregnancy(f *filler, c *candidate) string {
	switch {
	case f.preg == nil:
		return noPregnancy
	case f.preg.holds(c.when):
		return ""
	case c.when.Known() && !c.when.Exact():
		return halfDate
	}
	return otherTime
}

// thisOneIncluded returns the reason why a count of pregnancies is not filled in, or "" if it is.
// The count must include this pregnancy. If it was recorded in the first weeks, before this
// pregnancy was known, it can't.
func thisOneIncluded(f *filler, c *candidate) string {
	if why := inThePregnancy(f, c); why != "" {
		return why
	}
	if f.preg.unknownYet(c.when) {
		return beforeKnown
	}
	return ""
}

// allVisits returns the reason why a count of visits is not filled in, or "" if it is. The count
// must include all visits in the pregnancy, and grows until the birth. The time of the birth must
// therefore be known, and the count must not be from more than 3 days before it. The count must not
// be lower than the number of visits in the chart.
func allVisits(f *filler, c *candidate) string {
	if why := inThePregnancy(f, c); why != "" {
		return why
	}
	switch counted, _ := f.prenatalVisits(); {
	case !f.preg.when() || c.when.First < f.preg.first-afterwards:
		return runningCount
	case c.values[0].Value.Number < float64(len(counted)):
		return "the chart lists more visits than this number"
	}
	return ""
}

// fromTrimester returns a function that checks facts about the second (n is 2) or the third (n is
// 3) trimester. They can't have been recorded before this trimester began. The function returns the
// reason why a fact is not filled in, or "" if it is.
func fromTrimester(n mapping.Day) func(f *filler, c *candidate) string {
	return func(f *filler, c *candidate) string {
		if why := inThePregnancy(f, c); why != "" {
			return why
		}
		begun, known := f.preg.lastPeriod()
		if !known {
			begun = f.preg.conceived()
		}
		if c.when.First < begun+(n-1)*14*7 {
			return runningCount
		}
		return ""
	}
}

// beforeTheBirth returns the reason why a count of earlier events, such as births, is not filled
// in, or "" if it is. A count from after the birth may include this birth. If a count is from the
// day of the birth or from the stay for the birth, the times of day decide. If the chart doesn't
// state the birth, something else may show that it was before the count (overBy).
func beforeTheBirth(f *filler, c *candidate) string {
	if why := inThePregnancy(f, c); why != "" {
		return why
	}
	if f.preg.born && c.when.Last >= f.preg.first && !f.beforeDelivery(c.when) || !f.preg.born && f.overBy(c.when) {
		return afterBirth
	}
	return ""
}

// overBy reports whether a diagnosis or a finding about a newborn shows that the birth was at a
// moment or before it, although the chart doesn't state the birth.
func (f *filler) overBy(m mapping.Moment) bool {
	over := func(on mapping.Moment) bool {
		return f.preg.holds(on) && on.First >= f.preg.early && on.First <= m.Last
	}
	return slices.ContainsFunc(f.diagnoses, func(d *diagnosis) bool {
		_, delivered := d.is(delivered, deliveredPrefixes)
		return delivered && over(d.onset)
	}) || slices.ContainsFunc(f.findings, func(o *finding) bool {
		return o.another && o.has(ofNewborns...) && over(o.when)
	})
}

// Codes of diagnoses that are made only at a birth or after it: its outcome, tears, hemorrhage and
// the care after it (SNOMED CT, ICD-10-CM). ofNewborns lists codes of findings about a newborn (LOINC).
var (
	delivered = slices.Concat([]string{
		"169826009", "57759005", "6234006", "10217006", "399031001", "398019008", "47821001",
	}, twinOutcomes)
	deliveredPrefixes = slices.Concat(deliveryReasons, []string{"O70", "O72", "Z39"})
	ofNewborns        = []string{"9272-6", "9274-2", "9271-8", birthWeightCode}
)

// cesareansBefore returns the reason why a count of earlier cesareans is not filled in, or "" if it
// is. It checks what beforeTheBirth checks. The count also must not be 0 if the chart shows an
// earlier cesarean.
func cesareansBefore(f *filler, c *candidate) string {
	if why := beforeTheBirth(f, c); why != "" {
		return why
	}
	if c.values[0].Value.Number == 0 && len(f.cesareans()) > 0 {
		return "the chart says that there was one"
	}
	return ""
}

func lastBirth(f *filler, c *candidate) string {
	if why := inThePregnancy(f, c); why != "" {
		return why
	}
	switch value := mapping.MomentOf(c.values[0].Value.Text); {
	case value.Last > f.preg.conceived():
		return "it is not before this pregnancy"
	case f.born.Known() && yearsFrom(f.born.First, value.Last) < youngest:
		return "she was a child then"
	}
	return ""
}

// lastLiveBirth returns the reason why the date of the last live birth is not filled in, or "" if
// it is. It checks what lastBirth checks. In addition, the chart must not show a later birth before
// this pregnancy. Otherwise, the date was copied from an older record.
func lastLiveBirth(f *filler, c *candidate) string {
	if why := lastBirth(f, c); why != "" {
		return why
	}
	if n := len(f.earlier); n > 0 && mapping.MomentOf(c.values[0].Value.Text).Last < f.earlier[n-1]-longestStay {
		return notTheLast
	}
	return ""
}

// lastLoss returns the reason why the date of the last pregnancy loss is not filled in, or "" if it
// is. It checks what lastBirth checks. In addition, the chart must not show a later loss before
// this pregnancy.
func lastLoss(f *filler, c *candidate) string {
	if why := lastBirth(f, c); why != "" {
		return why
	}
	value := mapping.MomentOf(c.values[0].Value.Text)
	if slices.ContainsFunc(f.losses, func(l loss) bool {
		return l.when.Known() && l.when.First > value.Last+longestPuerperium && l.when.Last <= f.preg.conceived()
	}) {
		return notTheLast
	}
	return ""
}

func lastPeriod(f *filler, c *candidate) string {
	value, p := mapping.MomentOf(c.values[0].Value.Text), f.preg
	if !value.Exact() {
		return halfDate
	}
	if why := inThePregnancy(f, c); why != "" {
		return why
	}
	switch {
	case p.born && (p.first-value.First > birth.Pregnancy || p.last-value.First < latestLMP),
		!p.born && p.due != nil && away(value.First+term, *p.due) > longest-term+postTerm,
		!p.born && p.due == nil && (value.First > p.start+firstSeen || value.First < p.early-longest):
		return otherOne
	case !f.dating && (p.clash() || p.dated && away(value.First+term, *p.due) > postTerm):
		return "it does not fit the due date"
	}
	return ""
}

func dueDate(f *filler, c *candidate) string {
	value, p := mapping.MomentOf(c.values[0].Value.Text), f.preg
	if !value.Exact() {
		return halfDate
	}
	if why := inThePregnancy(f, c); why != "" {
		return why
	}
	switch {
	case p.born && (!bornFor(p.last, value.First) || !bornFor(p.first, value.First)),
		!p.born && p.due != nil && away(value.First, *p.due) > 2*postTerm,
		!dueFits(c.when, value.First):
		return otherOne
	case f.stray(p) != nil:
		return "a later due date in the chart contradicts it"
	case !f.dating && (p.clash() || p.lmp != nil && away(*p.lmp+term, value.First) > postTerm):
		return "it does not fit the last menstrual period"
	}
	return ""
}

func firstVisit(f *filler, c *candidate) string {
	value := mapping.MomentOf(c.values[0].Value.Text)
	if !value.Exact() {
		return halfDate
	}
	if why := inThePregnancy(f, c); why != "" {
		return why
	}
	seen := f.preg.start
	if _, known := f.preg.lastPeriod(); !known { // the window may begin before the pregnancy does
		seen += hardlyKnown
	}
	if !f.preg.holds(value) || value.First < seen || f.preg.born && value.First > f.preg.last || f.future(value) {
		return "it is not in this pregnancy"
	}
	if visits, _ := f.prenatalVisits(); len(visits) > 0 && visits[len(visits)-1].start.Last < value.First {
		return "the chart holds an earlier visit"
	}
	return ""
}

// ofAChild reports whether a height isn't the mother's, or was measured when she was a child.
func ofAChild(f *filler, c *candidate) bool {
	const grown = 16 * 1461 / 4 // years in days
	return c.another || f.born.Known() && c.when.Known() && c.when.First < f.born.Last+grown
}

// adultHeight returns the reason why the mother's height is not filled in, or "" if it is. Any
// height from her adult life is accepted, because pregnancy doesn't change it. If her date of birth
// isn't known, she may have been a child when it was measured.
func adultHeight(f *filler, c *candidate) string {
	if !f.born.Known() {
		return "her age when it was measured is not known"
	}
	return ""
}

// otherWeight reports whether a general body weight (isGeneral) can't be the weight at delivery. It
// can't be if it isn't the mother's, or if it wasn't measured in the two weeks before the birth.
// For a weight from the day of the birth, the times of day decide. otherWeight returns false for a
// weight with any other code.
func otherWeight(f *filler, c *candidate) bool {
	p := f.preg
	return isGeneral(c.code) &&
		(c.another || !p.when() || !c.when.Exact() || c.when.First < p.first-14 || c.when.Last >= p.first && !f.beforeDelivery(c.when))
}

// beforeDelivery reports whether a moment is certainly before the index birth. It returns false if
// the moment has no time of day with an offset, or if the day of the birth isn't known.
func (f *filler) beforeDelivery(m mapping.Moment) bool {
	for _, o := range f.deliveries {
		at := o.stated
		if at.Exact() && f.preg.holds(at) && !(m.Instant && at.Instant && m.At.Before(at.At)) {
			return false
		}
	}
	return m.Instant && f.preg.exact
}

// deliveryWeight returns the reason why a weight at delivery is not filled in, or "" if it is. The
// weight must be from the two weeks before the birth or from the day after. A general body weight
// (isGeneral) is always accepted, because otherWeight has already removed general body weights from
// other times.
func deliveryWeight(f *filler, c *candidate) string {
	p := f.preg
	if isGeneral(c.code) {
		return ""
	}
	if why := inThePregnancy(f, c); why != "" {
		return why
	}
	switch {
	case !p.when():
		return noBirthDay
	case c.when.First < p.first-14 || c.when.Last > p.last+1:
		return notAtBirth
	}
	return ""
}

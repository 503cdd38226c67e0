package mapping

// The reasons why a value does not fill in its field.
const (
	noPregnancy   = "which pregnancy it belongs to is not known"
	implausible   = "out of the plausible range"
	otherTime     = "recorded outside this pregnancy"
	halfDate      = "only part of the date is known"
	severalBabies = "the chart speaks of several newborns; it does not say which this is about"
	noBirthDay    = "the day of the birth is not known"
	otherOne      = "it is of another pregnancy"
	tooSoon       = "recorded before the birth"
	notBegun      = "it does not begin in this pregnancy"
	overBefore    = "it was over before this pregnancy"
	notAtBirth    = "not recorded at the birth"
	afterBirth    = "recorded after the birth, so it may count this one"
)

// outOfTime reports whether a value was left out for its time: nobody should
// take it over with one press.
func outOfTime(why string) bool {
	switch why {
	case otherTime, otherOne, notAtBirth, tooSoon, notBegun, overBefore:
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
	case c.when.known() && !c.when.exact():
		return halfDate
	}
	return otherTime
}

// beforeTheBirth is for what came before: once the child is born, a count may
// include it.
func beforeTheBirth(f *filler, c *candidate) string {
	if why := inThePregnancy(f, c); why != "" {
		return why
	}
	if f.preg.born && c.when.last > f.preg.last {
		return afterBirth
	}
	return ""
}

// cesareansBefore takes 0 for an answer, unless a diagnosis says otherwise.
func cesareansBefore(f *filler, c *candidate) string {
	if why := beforeTheBirth(f, c); why != "" {
		return why
	}
	if c.values[0].value.Number == 0 && len(f.cesareans()) > 0 {
		return "a diagnosis says that there was one"
	}
	return ""
}

func lastBirth(f *filler, c *candidate) string {
	if why := inThePregnancy(f, c); why != "" {
		return why
	}
	if value := momentOf(c.values[0].value.Text); value.last > f.preg.conceived() {
		return "it is not before this pregnancy"
	}
	return ""
}

func lastPeriod(f *filler, c *candidate) string {
	value, p := momentOf(c.values[0].value.Text), f.preg
	if !value.exact() {
		return halfDate
	}
	if why := inThePregnancy(f, c); why != "" {
		return why
	}
	switch {
	case p.born && (p.first-value.first > earliestLMP || p.last-value.first < latestLMP),
		!p.born && p.due != nil && away(value.first+term, *p.due) > longest-term+postTerm,
		!p.born && p.due == nil && (value.first > p.start+firstSeen || value.first < p.early-longest):
		return otherOne
	case !f.dating && (p.clash() || p.due != nil && away(value.first+term, *p.due) > postTerm):
		return "it does not fit the due date"
	}
	return ""
}

func dueDate(f *filler, c *candidate) string {
	value, p := momentOf(c.values[0].value.Text), f.preg
	if !value.exact() {
		return halfDate
	}
	if why := inThePregnancy(f, c); why != "" {
		return why
	}
	switch {
	case p.born && (!bornFor(p.last, value.first) || !bornFor(p.first, value.first)),
		!p.born && p.due != nil && away(value.first, *p.due) > 2*postTerm,
		!dueFits(c.when, value.first):
		return otherOne
	case f.stray(p) != nil:
		return "a later due date in the chart contradicts it"
	case !f.dating && (p.clash() || p.lmp != nil && away(*p.lmp+term, value.first) > postTerm):
		return "it does not fit the last menstrual period"
	}
	return ""
}

func firstVisit(f *filler, c *candidate) string {
	value := momentOf(c.values[0].value.Text)
	if !value.exact() {
		return halfDate
	}
	if why := inThePregnancy(f, c); why != "" {
		return why
	}
	if !f.preg.holds(value) || f.preg.born && value.first > f.preg.last || f.future(value) {
		return "it is not in this pregnancy"
	}
	return ""
}

// ofAChild reports whether a height is of her childhood, or not hers.
func ofAChild(f *filler, c *candidate) bool {
	const grown = 16 * 1461 / 4 // years in days
	return c.another || f.born.known() && c.when.known() && c.when.first < f.born.last+grown
}

// adultHeight does not change with a pregnancy: any of her adult life fits.
func adultHeight(f *filler, c *candidate) string {
	if !f.born.known() {
		return "her age when it was measured is not known"
	}
	return ""
}

// otherWeight reports whether a body weight is not of the two weeks before the
// birth, or not hers.
func otherWeight(f *filler, c *candidate) bool {
	p := f.preg
	return isGeneral(c.code) &&
		(c.another || !p.when() || !c.when.exact() || c.when.first < p.first-14 || c.when.last > p.last)
}

// deliveryWeight takes a body weight of the last two weeks where the chart has
// none that is said to be of the birth.
func deliveryWeight(f *filler, c *candidate) string {
	p := f.preg
	if isGeneral(c.code) {
		return ""
	}
	if why := inThePregnancy(f, c); why != "" {
		return why
	}
	if p.born && (c.when.first < p.first-14 || c.when.last > p.last+1) {
		return notAtBirth
	}
	return ""
}

func atTheBirth(f *filler, c *candidate) string {
	switch {
	case f.preg == nil:
		return noPregnancy
	case !f.preg.when():
		return noBirthDay
	case !f.preg.atBirth(c.when):
		return notAtBirth
	}
	return f.whichBaby()
}

// otherBirth reports whether a date is of another birth than the index one.
func otherBirth(f *filler, c *candidate) bool {
	value, p := momentOf(dateTimeOf(&c.Observation)), f.preg
	return value.known() && p != nil && (!p.born || value.last < p.first || value.first > p.last)
}

func statedBirth(f *filler, c *candidate) string {
	value, p := momentOf(c.values[0].value.Text), f.preg
	switch {
	case !value.exact():
		return halfDate
	case p == nil:
		return noPregnancy
	case !p.exact:
		return "the chart states several days"
	case c.when.known() && c.when.last < value.first:
		return "recorded before that day"
	}
	return f.whichBaby()
}

// gestationAtBirth takes what was said at the birth only: the gestational age of
// a visit in the pregnancy is another one.
func gestationAtBirth(f *filler, c *candidate) string {
	p := f.preg
	switch {
	case p == nil:
		return noPregnancy
	case !p.when():
		return noBirthDay
	case !p.atBirth(c.when):
		return notAtBirth
	case p.last-p.first > 1:
		return noBirthDay
	}
	if p.lmp != nil {
		weeks := day(c.values[0].value.Number)
		if away((p.first-*p.lmp)/7, weeks) > 2 {
			return "it does not fit the last menstrual period"
		}
	}
	return ""
}

// birthWeight takes the weight of a newborn on the day of birth for it.
func birthWeight(f *filler, c *candidate) string {
	if isGeneral(c.code) {
		return ""
	}
	return ofTheBaby(f, c)
}

// otherWeightOfBaby leaves out body weights of a mother, and of a newborn on
// another day than that of the birth.
func otherWeightOfBaby(f *filler, c *candidate) bool {
	if !isGeneral(c.code) {
		return ofOlderChild(f, c)
	}
	return f.mothers || c.another || !c.when.exact() || !f.preg.exactly() || c.when.first != f.preg.first
}

// ofOlderChild reports whether the chart of a mother speaks of another birth.
func ofOlderChild(f *filler, c *candidate) bool {
	return f.mothers && f.preg != nil && c.when.known() && !f.preg.holds(c.when)
}

// ofTheBaby is for what is told of one newborn. In the chart of a mother it may be
// of an older child, or her own: it counts only where the chart says that it is
// about somebody else, or on the very day of the birth of one child.
func ofTheBaby(f *filler, c *candidate) string {
	p := f.preg
	switch {
	case p == nil:
		return noPregnancy
	case c.when.known() && c.when.first < p.early:
		return tooSoon
	case !p.holds(c.when):
		return notAtBirth
	case !f.mothers && c.another:
		return "it is about somebody else"
	case !f.mothers:
		return ""
	case f.whichBaby() != "":
		return f.whichBaby()
	case c.another:
		return ""
	case p.exact && c.when.first == p.first && c.when.exact() && f.single():
		return ""
	}
	return "it does not say that it is of this newborn"
}

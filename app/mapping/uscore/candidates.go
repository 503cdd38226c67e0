package uscore

import (
	"math"
	"slices"

	"birthregistry/app/birth"
	"birthregistry/app/mapping"
)

// fill fills in the best value that fits a row of observationRows. It also lists the other values
// that fit but differ. It fills in no value if they contradict each other, or if the chart has a
// newer value that can't be read. The first few values that don't fit, contradict each other or
// can't be read become hints.
func (f *filler) fill(row observationRow) {
	var fit, unfit []candidate
	for _, c := range f.candidates(row) {
		switch {
		case c.why == "":
			fit = append(fit, c)
		case len(fit) > 0 && (outOfTime(c.why) || c.why == runningCount):
			continue // not worth a hint
		default:
			unfit = append(unfit, c)
		}
		f.used["o"+c.id] = true
	}
	why := f.disagree(row, fit)
	if why == "" && slices.ContainsFunc(unfit, func(c candidate) bool { return c.overrules(row, fit) }) {
		why = unreadNewer
	}
	if why != "" {
		for i := range fit {
			fit[i].why = why
		}
		fit, unfit = nil, append(fit, unfit...)
	}
	if len(fit) > 0 {
		var others []string
		for _, c := range fit[1:] {
			general := isGeneral(c.code) && !isGeneral(fit[0].code)
			if !general && !c.values[0].Value.Equal(fit[0].values[0].Value) {
				others = append(others, c.origin(c.code))
			}
		}
		for _, s := range fit[0].values {
			f.state(s.Field.Name, s.Value, fit[0].origin(fit[0].code), others...)
		}
		if row.field == "birth_date" {
			f.timeOfBirth(&fit[0])
		}
	}
	for i, c := range unfit {
		if i < mostHints {
			f.hintCandidate(row, &c)
		}
	}
}

// overrules reports whether c can't be read but is newer than the best value that fits. That value
// may then be out of date. overrules returns false for heights, because an adult's height doesn't
// change. It also returns false for rows that use the first value instead of the latest.
func (c *candidate) overrules(row observationRow, fit []candidate) bool {
	return c.why == unreadValue && len(fit) > 0 && !row.equal && !row.earliest && !c.draft && !c.another && c.rank <= fit[0].rank && c.when.At.After(fit[0].when.At)
}

// disagree returns the reason why the values that fit contradict each other, or "" if they don't.
// Two values contradict each other if they are from the same moment and differ, and neither
// replaces the other.
func (f *filler) disagree(row observationRow, fit []candidate) string {
	if row.agree != nil && len(fit) > 0 {
		if why := row.agree(f, fit); why != "" {
			return why
		}
	}
	for _, c := range fit {
		best := fit[0]
		same := c.when.At.Equal(best.when.At) && c.issued.Equal(best.issued) && c.standing() == best.standing()
		if c.rank == best.rank && same && !c.values[0].Value.Equal(best.values[0].Value) {
			return contradicted
		}
	}
	return ""
}

// datesApart is the maximum number of days between two due dates of one pregnancy. They may differ
// because due dates are estimates.
const datesApart = 7

// oneWeek returns a reason for doubt if two last menstrual periods are more than a week apart, or
// two due dates of the best kind. The chart then doesn't show which one is right.
func oneWeek(_ *filler, fit []candidate) string {
	first := mapping.MomentOf(fit[0].values[0].Value.Text).First
	for _, c := range fit {
		if c.rank == fit[0].rank && c.standing() >= fit[0].standing() && away(mapping.MomentOf(c.values[0].Value.Text).First, first) > datesApart {
			return "the chart holds dates for it that are more than a week apart"
		}
	}
	return ""
}

// oneBirthWeight returns a reason for doubt if two weights that are recorded as birth weights
// differ, because one may be a twin's. If general body weights from the day of birth differ, the
// first one is the birth weight. In this case, there is doubt only if their times don't show which
// one is the first.
func oneBirthWeight(_ *filler, fit []candidate) string {
	for _, c := range fit {
		best := fit[0]
		ordered := c.rank > 0 && (c.rank > best.rank || c.when.Instant && best.when.Instant)
		if !ordered && !c.values[0].Value.Equal(best.values[0].Value) {
			return "the chart holds different birth weights of that day"
		}
	}
	return ""
}

// neverFalls returns a reason for doubt if a count of past events is lower than an earlier count.
// One of the two must be wrong.
func neverFalls(_ *filler, fit []candidate) string {
	for _, c := range fit {
		if c.rank == fit[0].rank && c.when.At.Before(fit[0].when.At) && c.values[0].Value.Number > fit[0].values[0].Value.Number {
			return "the chart holds a higher number with an earlier date"
		}
	}
	return ""
}

// oneValue returns a reason for doubt if the chart has two values for a fact that can have only
// one. One of them is wrong or belongs to another person.
//
// There is no doubt if the best value replaces the other one. It does if only the best value is a
// correction, or if the two are from the same moment but were issued at different times.
func oneValue(_ *filler, fit []candidate) string {
	for _, c := range fit {
		best := fit[0]
		anew := c.when.At.Equal(best.when.At) && !c.issued.Equal(best.issued)
		if c.rank == best.rank && c.standing() >= best.standing() && !anew && !c.values[0].Value.Equal(best.values[0].Value) {
			return contradicted
		}
	}
	return ""
}

// oneGestation returns a reason for doubt if two gestational ages differ by more than a week. It
// also does if two of the same kind differ at all (oneValue).
func oneGestation(f *filler, fit []candidate) string {
	for _, c := range fit {
		if math.Abs(c.values[0].Value.Number-fit[0].values[0].Value.Number) > 1 {
			return contradicted
		}
	}
	return oneValue(f, fit)
}

// oneDay returns a reason for doubt if two dates of the same event can't be the same day.
func oneDay(_ *filler, fit []candidate) string {
	first := mapping.MomentOf(fit[0].values[0].Value.Text)
	for _, c := range fit {
		if at := mapping.MomentOf(c.values[0].Value.Text); c.rank == fit[0].rank && c.standing() >= fit[0].standing() && (at.First > first.Last || at.Last < first.First) {
			return anotherDay
		}
	}
	return ""
}

// oneHeight returns a reason for doubt if the two latest heights differ by more than two inches. An
// adult's height doesn't change that much.
func oneHeight(_ *filler, fit []candidate) string {
	const apart = 2
	if len(fit) > 1 && math.Abs(fit[0].values[0].Value.Number-fit[1].values[0].Value.Number) > apart {
		return "the chart has another, very different height"
	}
	return ""
}

// oneWeightBefore returns a reason for doubt if two weights from before the pregnancy differ by
// more than 11 pounds. One of them may be a later weight that was entered in the wrong place.
func oneWeightBefore(_ *filler, fit []candidate) string {
	const apart = 11 // pounds, about 5 kg
	for _, c := range fit {
		if c.standing() >= fit[0].standing() && math.Abs(c.values[0].Value.Number-fit[0].values[0].Value.Number) > apart {
			return "the chart has another, very different weight before the pregnancy"
		}
	}
	return ""
}

func (f *filler) hintCandidate(row observationRow, c *candidate) {
	if len(c.values) == 0 || f.beyond(row, c) || outOfTime(c.why) {
		f.hint(row.field, nil, c.origin(c.code), c.why)
		return
	}
	for _, s := range c.values {
		f.hint(s.Field.Name, &s.Value, c.origin(c.code), c.why)
	}
}

// timeOfBirth fills in the time of birth if the date of birth has a time of day. Midnight only
// becomes a hint, because systems write it if the time isn't known.
func (f *filler) timeOfBirth(c *candidate) {
	at := mapping.DateTimeOf(&c.Observation)
	v := birth.Value{Text: at}
	switch {
	case len(at) <= len("2006-01-02"):
	case atMidnight(at):
		f.hint("birth_datetime", &v, c.origin(c.code), midnight)
	default:
		f.state("birth_datetime", v, c.origin(c.code))
	}
}

// midnight is the reason why a time of birth of 00:00 is only a hint. Systems write 00:00 if the
// time isn't known.
const midnight = "midnight, which may mean that the time is unknown"

func atMidnight(at string) bool {
	return len(at) >= len("2006-01-02T15:04") && at[len("2006-01-02T"):len("2006-01-02T15:04")] == "00:00"
}

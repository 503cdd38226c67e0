package mapping

import (
	"birthregistry/app/birth"
)

// fill fills in the best fitting value of a row; the others that fit and say
// something else stand behind it, and those that do not fit are hints.
func (f *filler) fill(row chartRow) {
	var fit, unfit []candidate
	for _, c := range f.candidates(row) {
		switch {
		case c.why == "":
			fit = append(fit, c)
		case len(fit) > 0 && (outOfTime(c.why) || c.why == runningCount):
			continue // nobody misses it
		default:
			unfit = append(unfit, c)
		}
		f.used["o"+c.id] = true
	}
	if why := f.disagree(row, fit); why != "" {
		for i := range fit {
			fit[i].why = why
		}
		fit, unfit = nil, append(fit, unfit...)
	}
	if len(fit) > 0 {
		var others []string
		for _, c := range fit[1:] {
			general := isGeneral(c.code) && !isGeneral(fit[0].code)
			if !general && !c.values[0].value.Equal(fit[0].values[0].value) {
				others = append(others, c.told(c.code))
			}
		}
		for _, s := range fit[0].values {
			f.state(s.field.Name, s.value, fit[0].told(fit[0].code), others...)
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

// disagree says why the values that fit contradict each other: two that were
// stated of one moment, and neither after the other, tell nothing.
func (f *filler) disagree(row chartRow, fit []candidate) string {
	if row.agree != nil && len(fit) > 0 {
		if why := row.agree(f, fit); why != "" {
			return why
		}
	}
	for _, c := range fit {
		best := fit[0]
		if c.rank == best.rank && c.when.at.Equal(best.when.at) && c.issued.Equal(best.issued) && !c.values[0].value.Equal(best.values[0].value) {
			return contradicted
		}
	}
	return ""
}

// datesApart is how many days two due dates of a pregnancy may be apart: so much
// the estimates differ.
const datesApart = 7

// oneDueDate is for due dates of the best kind: which of two is right when they
// are far apart, nobody tells from a chart.
func oneDueDate(_ *filler, fit []candidate) string {
	first := momentOf(fit[0].values[0].value.Text).first
	for _, c := range fit {
		if c.rank == fit[0].rank && away(momentOf(c.values[0].value.Text).first, first) > datesApart {
			return "the chart holds due dates that are more than a week apart"
		}
	}
	return ""
}

// oneBirthWeight is for weights that are said to be that of a birth: of two, one
// may be of a twin.
func oneBirthWeight(_ *filler, fit []candidate) string {
	for _, c := range fit {
		if c.rank == 0 && !c.values[0].value.Equal(fit[0].values[0].value) {
			return "the chart holds different birth weights of that day"
		}
	}
	return ""
}

func (f *filler) hintCandidate(row chartRow, c *candidate) {
	if len(c.values) == 0 || f.beyond(row, c) || outOfTime(c.why) {
		f.hint(row.field, nil, c.told(c.code), c.why)
		return
	}
	for _, s := range c.values {
		f.hint(s.field.Name, &s.value, c.told(c.code), c.why)
	}
}

// timeOfBirth fills in the time of day that comes with a stated date of birth.
func (f *filler) timeOfBirth(c *candidate) {
	if at := dateTimeOf(&c.Observation); len(at) > len("2006-01-02") {
		f.state("birth_datetime", birth.Value{Text: at}, c.told(c.code))
	}
}

package uscore

import (
	"cmp"
	"slices"

	"birthregistry/app/birth"
)

// exclusive lists pairs of options that can't both be right. For example, a disease from before the
// pregnancy isn't gestational.
var exclusive = [][2]string{
	{"diabetes_prepregnancy", "diabetes_gestational"},
	{"hypertension_prepregnancy", "hypertension_gestational"},
}

// isBothKinds reports whether a diagnosis has codes for two answers of which only one can be right
// (exclusive).
func (d *diagnosis) isBothKinds() bool {
	is := map[string]bool{}
	for _, row := range diagnosisRows {
		if _, ok := d.is(row.snomed, row.icd); ok {
			is[row.option] = true
		}
	}
	return slices.ContainsFunc(exclusive, func(pair [2]string) bool { return is[pair[0]] && is[pair[1]] })
}

// isAbsent reports whether a diagnosis also has a code for a disease that the patient doesn't have
// now (absent).
func (d *diagnosis) isAbsent() bool {
	_, ok := d.is(nil, absent)
	return ok
}

// absent lists ICD-10-CM codes for a disease that was ruled out, tested for, another person's, or
// over.
var absent = []string{"Z03", "Z04", "Z05", "Z11", "Z12", "Z13", "Z20", "Z36", "Z80", "Z81", "Z82", "Z83", "Z84", "Z85", "Z86", "Z87"}

// ofPuerperium reports whether the code of a diagnosis means that it began after the birth, or may
// have.
func (d *diagnosis) ofPuerperium() bool {
	_, ok := d.is(nil, inPuerperium)
	return ok
}

// Reasons not to use a diagnosis. Its times aren't known, or it was also refuted.
const (
	onsetUnread  = "the chart states no date on which it began"
	endUnread    = "the chart states no date on which it ended"
	recordedOnly = "it is over, and the chart states only when it was recorded"
	refutedToo   = "the chart also says that it was ruled out"
)

// misses returns the reason why a diagnosis doesn't set its field for the index pregnancy, or "" if
// it does. It is called with the time at which the diagnosis must have been present.
func (f *filler) misses(d *diagnosis, when timing) string {
	p := f.preg
	switch {
	case d.unclear != "":
		return d.unclear
	case d.uncertain:
		return "it is not confirmed"
	case d.untimed != "":
		return d.untimed
	case !d.onset.Known():
		return undatedValue
	case p == nil:
		return noPregnancy
	case when == anyTime:
		if d.onset.Last > p.end || p.born && d.onset.Last >= p.first {
			return afterBirth
		}
		return ""
	case d.end.Known() && d.end.Last < p.start:
		return overBefore
	}
	begun, in := d.onset.First >= p.start, p.holds(d.onset)
	// According to the chart, the diagnosis began before the pregnancy and had not ended when the
	// pregnancy began.
	still := d.onset.Last < p.start && (d.active && !d.end.Known() || d.end.Known() && d.end.First >= p.start)
	switch when {
	case inPregnancy, sinceKnown, codedBefore, atBirth:
		switch {
		case !in && !d.onset.Exact() && d.onset.First <= p.end && d.onset.Last >= p.start:
			return halfDate
		case !in:
			return notBegun
		case when == atBirth && !p.when():
			return noBirthDay
		case when == atBirth && d.onset.First < p.first-1:
			return notAtBirth
		case when != atBirth && p.born && d.onset.First > p.last:
			return afterTheBirth
		case when == sinceKnown && p.unknownYet(d.onset):
			return beforeAnybody
		}
	case lasting:
		switch {
		case !in && !still:
			return maybeOver
		case in && p.born && d.onset.First > p.last:
			return afterTheBirth
		}
	case beforePregnancy, before20Weeks:
		limit, known := p.lastPeriod()
		if when == before20Weeks {
			limit += viable
		}
		switch {
		case begun && !known:
			return "it may have begun in the pregnancy"
		case begun && d.onset.Last >= limit:
			return "it began in the pregnancy"
		case !begun && !still:
			return maybeOver
		}
	}
	return ""
}

// refutedAs returns the refuted diagnoses with one of the codes (diagnosis.is).
func (f *filler) refutedAs(snomed, icd []string) (all []*diagnosis) {
	for _, no := range f.refuted {
		if _, same := no.is(snomed, icd); same {
			all = append(all, no)
		}
	}
	return all
}

// refutedBy reports whether one of the refuted diagnoses with the same code refutes a diagnosis. A
// refutation from before the diagnosis is ignored.
func (d *diagnosis) refutedBy(refuted []*diagnosis) bool {
	return slices.ContainsFunc(refuted, func(no *diagnosis) bool { return !(no.onset.Known() && no.onset.Last < d.onset.First) })
}

// diagnosed fills in fields from the diagnoses. A missing diagnosis doesn't mean no.
func (f *filler) diagnosed() {
	type answer struct{ texts []string }
	found := map[[2]string]*answer{}
	var order [][2]string
	for _, row := range diagnosisRows {
		key := [2]string{row.field, row.option}
		hints, refuted := 0, f.refutedAs(row.snomed, row.icd)
		for _, d := range f.diagnoses {
			code, ok := d.is(row.snomed, row.icd)
			if !ok {
				continue
			}
			f.used["c"+d.ID] = true
			why := f.misses(d, row.when)
			switch {
			case d.denies(cmp.Or(row.option, row.field)), (row.when == inPregnancy || row.when == sinceKnown || row.when == atBirth) && d.ofAnotherYear(f.preg):
				why = saysOtherwise
			case why == "" && d.ofPuerperium():
				why = "its code places it after the birth"
			case why == "" && d.refutedBy(refuted):
				why = refutedToo
			case d.isBothKinds():
				why = "its codes contradict each other"
			case row.when != anyTime && d.isAbsent():
				why = twoCodes
			}
			if why != "" {
				v := answerOf(row.field, row.option)
				if outOfTime(why) {
					v = nil
				}
				if hints++; hints <= mostHints {
					f.hint(row.field, v, d.origin(code), why)
				}
				continue
			}
			if found[key] == nil {
				found[key] = &answer{}
				order = append(order, key)
			}
			found[key].texts = append(found[key].texts, d.origin(code))
		}
	}
	for _, pair := range exclusive {
		a, b := [2]string{"risk_factors", pair[0]}, [2]string{"risk_factors", pair[1]}
		if found[a] == nil || found[b] == nil {
			continue
		}
		for _, key := range [][2]string{a, b} {
			f.hint(key[0], &birth.Value{Set: []string{key[1]}}, found[key].texts[0], "the chart holds both this and the other kind")
			found[key] = nil
		}
	}
	for _, key := range order {
		if a := found[key]; a != nil {
			f.answer(key[0], key[1], a.texts)
		}
	}
}

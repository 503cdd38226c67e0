package bundle

import (
	"slices"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

// times holds when a fact began and ended, as far as the document says.
type times struct {
	began, ended mapping.Moment
	// known is a time when the fact was already known. It is when the fact was recorded, or the end
	// of the stay during which it was recorded (Encounter). It is used only if began isn't known.
	known     mapping.Moment
	encounter fhir.Reference
	// procedure is set for a Procedure, which is done during its stay. The field stayed is when
	// that stay began.
	procedure bool
	stayed    mapping.Moment
	// unclear is set if the beginning is given, but not as a date. It may be an age, for example.
	// ceased is set if the fact has ended, but the date isn't known.
	unclear, ceased bool
}

// performed returns the times of a Procedure.
func performed(p *fhir.Procedure) times {
	at := mapping.FirstMoment(p.PerformedDateTime)
	t := times{ended: earlier(at, p.PerformedPeriod.End), encounter: p.Encounter, procedure: true}
	if t.began = earlier(at, p.PerformedPeriod.Start); !t.began.Known() {
		t.began = t.ended
	}
	t.unclear = !t.began.Known() && !t.ended.Known() &&
		(p.PerformedDateTime+p.PerformedPeriod.Start+p.PerformedPeriod.End+p.PerformedString != "" || p.PerformedAge != nil || p.PerformedRange != nil)
	return t
}

// timesOf returns the times of a Condition.
func timesOf(c *fhir.BirthCondition) times {
	t := times{
		began:     mapping.FirstMoment(c.OnsetDateTime, c.OnsetPeriod.Start),
		ended:     mapping.FirstMoment(c.AbatementDateTime, c.AbatementPeriod.End),
		known:     mapping.FirstMoment(c.OnsetPeriod.End, c.RecordedDate),
		encounter: c.Encounter,
	}
	t.unclear = !t.began.Known() && (c.OnsetDateTime+c.OnsetPeriod.Start+c.OnsetString != "" || c.OnsetAge != nil || c.OnsetRange != nil)
	t.ceased = !t.ended.Known() && (c.AbatementDateTime+c.AbatementPeriod.End+c.AbatementString != "" || c.AbatementAge != nil || c.AbatementRange != nil ||
		c.ClinicalStatus.HasCode("resolved", "inactive", "remission"))
	return t
}

func earlier(at mapping.Moment, text string) mapping.Moment {
	if at.Known() {
		return at
	}
	return mapping.MomentOf(text)
}

// window is the period of this pregnancy. It is known if the date of at least one birth is known.
type window struct {
	known       bool
	first, last mapping.Day // the days of the births
}

// windowOf returns the window for the births. If the day of any birth is known, it ignores births
// for which only the month or the year is known.
func windowOf(births []mapping.Moment) (w window) {
	exact := slices.ContainsFunc(births, mapping.Moment.Exact)
	for _, born := range births {
		if !born.Known() || exact && !born.Exact() {
			continue
		}
		if !w.known {
			w = window{true, born.First, born.Last}
		}
		w.first, w.last = min(w.first, born.First), max(w.last, born.Last)
	}
	return w
}

// start returns the first day on which a fact about an item belongs to this pregnancy. It counts
// back from the first birth, by the same limit as for Observations of the item's fields
// (birth.Field.Days). Procedures at the birth also have this limit, because real documents date
// them some days off.
func (w window) start(item *BFDRItem) mapping.Day {
	days := 0
	for _, s := range item.States() {
		if s.Field.Days <= 0 {
			days = birth.Pregnancy
		}
		days = max(days, s.Field.Days)
	}
	return w.first - mapping.Day(days)
}

// end returns the last day on which an item can have begun. An anomaly of a newborn may be
// diagnosed months after the birth.
func (w window) end(item *BFDRItem) mapping.Day {
	if item.Category == anomalyCategory {
		return w.last + birth.Pregnancy
	}
	return w.last + puerperium
}

// holds reports whether the times of a fact fit this pregnancy. A fact without a time fits, because
// its category is about the pregnancy. If a fact's beginning isn't a date but an age, for example,
// the fact may have begun before the pregnancy (mayPrecede). It then fits only if such a fact may
// begin earlier, as a chronic condition may.
func (w window) holds(f *fact) bool {
	lasting := f.item.Category == infectionCategory || f.item.Category == riskCategory && !slices.Contains(gestational, f.item.Code)
	start := w.start(&f.item)
	switch {
	case !w.known:
		return true
	case f.began.Known() && f.began.First > w.end(&f.item):
		return false
	case f.procedure && !f.began.Known() && f.stayed.Known() && f.stayed.First > w.end(&f.item):
		return false
	case f.item.Category == riskCategory && (f.item.Resource() == "Procedure" || slices.Contains(ofEarlierBirth, f.item.Code)):
		return true // a treatment may precede the pregnancy by years
	case f.ended.Known() && f.ended.Last < start:
		return false
	case lasting: // an infection may have ended before the pregnancy
		return f.item.Category != infectionCategory || !f.ceased || !f.mayPrecede(start)
	}
	return !f.mayPrecede(start)
}

// mayPrecede reports whether a fact may have begun before a day. If the date when it began is
// known, only this date counts. Otherwise, it may have begun before the day if the beginning is
// given in another form, such as an age. It may also have begun before the day if it was already
// known then.
func (t *times) mayPrecede(day mapping.Day) bool {
	if t.began.Known() {
		return t.began.Last < day
	}
	return t.unclear || t.known.Known() && t.known.Last < day
}

// readStay reads when the stay of a fact began and ended. It sets known to the end of the stay,
// because the fact was known by then. If the stay has no end, it sets known to the beginning, but
// only if the stay belongs to another pregnancy.
func (c *course) readStay(t *times) {
	if t.encounter.Reference == "" {
		return
	}
	e := c.encounterAt(t.encounter.Reference)
	if e == nil {
		return
	}
	start, end := mapping.MomentOf(e.Period.Start), mapping.MomentOf(e.Period.End)
	t.stayed = start
	s := stay{Stay: mapping.Stay{Encounter: &e.Encounter}}
	switch {
	case end.Known():
		t.known = end
	case start.Known() && s.ofAnotherPregnancy(c.born):
		t.known = start
	}
}

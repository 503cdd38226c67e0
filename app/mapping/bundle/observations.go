package bundle

import (
	"slices"
	"strings"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

// codeMeanings holds the meanings of a code and the system to which the code belongs.
type codeMeanings struct {
	system   birth.System
	meanings []mapping.Meaning
}

// meanings maps every Observation code in the spine to the fields that it can set. The code decides
// whom the value is about, because subjects differ between versions of BFDR (Jira FHIR-40929).
var meanings = func() map[string]codeMeanings {
	codes := map[string]codeMeanings{}
	add := func(code string, system birth.System, r mapping.Meaning) {
		codes[code] = codeMeanings{system, append(codes[code].meanings, r)}
	}
	for _, f := range birth.Spine {
		if f.Derived || f.Demographic {
			continue
		}
		add(f.Name, birth.Own, mapping.Meaning{Field: f, Own: true})
		for i, code := range f.Codes {
			add(code, birth.LOINC, mapping.Meaning{Field: f, Rank: i + 1, Category: slices.Contains(mapping.CategoryCodes, code)})
		}
	}
	return codes
}()

// meaningsOf returns the meanings of an Observation's code, which are the fields that it can set.
// It skips a coding with the wrong code system. If several codings can set the same field, it
// prefers the field's own name, and otherwise uses the first coding.
//
// If the codings can't set the same field, meaningsOf returns no meaning. If it returns no meaning,
// why is the reason. Otherwise, why isn't valid.
func meaningsOf(code fhir.CodeableConcept) (found []mapping.Meaning, why mapping.Reason) {
	why = mapping.NoField
	for _, coding := range code.Coding {
		c, known := meanings[coding.Code]
		if !known {
			continue
		}
		if coding.System != "" && birth.SystemOf(coding.System) != c.system {
			why = mapping.OtherSystem
			continue
		}
		switch {
		case found == nil || c.meanings[0].Own && shares(found, c.meanings):
			found = c.meanings
		case !shares(found, c.meanings):
			return nil, mapping.CodesDiffer
		}
	}
	return found, why
}

// shares reports whether two codes can set the same field.
func shares(a, b []mapping.Meaning) bool {
	return slices.ContainsFunc(a, func(x mapping.Meaning) bool {
		return slices.ContainsFunc(b, func(y mapping.Meaning) bool { return x.Field == y.Field })
	})
}

// provisional is added to the rank of a value that isn't final. The value then ranks behind every
// final value, whatever its code.
const provisional = 1000

// ofAll is added to the rank of a value for all children. The value then ranks behind a value for
// one child.
const ofAll = 100

// afterward is added to the rank of a value of the mother if it is from after the puerperium. The
// value may be from her next pregnancy, so it is used only if there is no earlier value for the
// field.
const afterward = 300

// slot is a field of one subject. Its child is the index of a child, or -1 for the mother and the
// care.
type slot struct {
	field *birth.Field
	child int
}

// standing is the rank of the current value in a slot, and the Observation from which the value
// comes.
type standing struct {
	rank int
	by   *fhir.Observation
}

// observations maps the Observations of one course of care to values in its draft.
type observations struct {
	course *course
	draft  *birth.Draft
	stands map[slot]standing
	live   []liveCount
	// days has the results of dayFromBirth.
	days map[int]string
	// cesarean is an Observation with the finding of a previous cesarean, or nil.
	cesarean *observed
}

// mapObservations reads every Observation of the course of care. If several Observations set the
// same field, the one with the best code is used. Among equal codes, the newest one is used
// (newer). If a field has several choices, the choices are combined, as long as the codes have the
// same rank.
func (c *course) mapObservations(d *birth.Draft) {
	o := &observations{course: c, draft: d, stands: make(map[slot]standing, len(c.observations)), days: map[int]string{}}
	o.dropSplit()
	for _, obs := range c.observations {
		if !obs.void {
			o.read(obs)
		}
	}
	o.countCesareans()
	o.dropDoubtfulLiveBirths()
	c.mapRace(d)
}

// countCesareans sets the number of previous cesareans to 1 if it is lower and there is a finding
// of a previous cesarean. It doesn't matter which of the two was read first.
func (o *observations) countCesareans() {
	field := birth.Must("previous_cesareans")
	if n, _ := o.draft.Mother.Get(field.Name); o.cesarean != nil && n.Number < 1 {
		o.draft.Mother.Set(field, birth.Value{Number: 1, Source: birth.FHIRPush})
		o.course.trace.Keep(field.Name, -1, o.cesarean.at, o.cesarean.member)
	}
}

// dateOf returns the date that is the value of an Observation, as far as it is certain. Midnight in
// UTC stands for a date without a time of day, because many programs write such dates in this way.
func dateOf(obs *fhir.Observation) string {
	at := mapping.DateTimeOf(obs)
	if date, midnight := strings.CutSuffix(at, "T00:00:00Z"); midnight {
		return date
	}
	return mapping.DateOf(at)
}

func (o *observations) read(obs *observed) {
	about, at := o.course.subjects.of(&obs.Observation), o.course.timeOf(&obs.Observation)
	late := about.whom != aChild && o.isAfterward(at)
	for _, r := range obs.readings {
		if obs.provisional {
			r.Rank += provisional
		}
		if r.Field.About == birth.Child && about.whom != aChild {
			r.Rank += ofAll
		}
		if late {
			r.Rank += afterward
		}
		values, why := mapping.ValuesOf(&obs.Observation, r)
		if why == "" && r.Field.Kind == birth.Date {
			values[0].Value.Text = dateOf(&obs.Observation)
			if values[0].Value.Text == "" {
				why = mapping.NotADate
			}
		}
		if why == "" && o.ofAnotherTime(r, values[0].Value, at, about) {
			why, obs.otherTime = mapping.AnotherTime, true
		}
		if why == "" {
			why = obs.doubtful(r.Field, about)
		}
		if why != "" {
			o.course.trace.Drop(obs.at, obs.member, why)
			continue
		}
		children, why := o.course.subjectsOf(r.Field, about)
		o.course.trace.Drop(obs.at, obs.member, why)
		for _, child := range children {
			if namesAnother(o.draft, child, &obs.Code) {
				o.course.trace.Drop(obs.at, obs.member, mapping.TextContradicts)
				continue
			}
			if r.Field.Name == liveBorn {
				o.live = append(o.live, liveCount{obs, r.Rank, values[0].Value.Number})
			}
			o.state(child, r, values, obs)
		}
	}
}

// state sets values from an Observation unless a better or newer Observation has already set them.
// Findings are combined, and a finding replaces "none" (BFDR, "None").
func (o *observations) state(child int, r mapping.Meaning, values []mapping.FieldValue, obs *observed) {
	trace, by := o.course.trace, &obs.Observation
	target := held(o.draft, r.Field, child)
	place := slot{r.Field, child}
	stands, before := o.stands[place]
	better := !before || r.Rank < stands.rank || r.Rank == stands.rank && newer(by, stands.by) > 0
	if before && better && r.Field.Name == "gestational_age_weeks" && !o.stated(birth.Must("gestational_age_days"), child) {
		target.Drop("gestational_age_days") // the days belong to the weeks that they were stated with
		trace.Lose("gestational_age_days", child, mapping.Superseded)
	}
	equal := (stands.rank >= provisional) == (r.Rank >= provisional)
	trace.Drop(obs.at, obs.member, mapping.Superseded)
	for _, s := range values {
		old, had := target.Get(s.Field.Name)
		joins := false
		switch {
		case s.Field != r.Field && o.stated(s.Field, child):
			continue // another Observation has this second value
		case had && mapping.Outranks(s.Field, old, s.Value, equal):
			continue
		case had && mapping.Outranks(s.Field, s.Value, old, equal):
			better = true
		case had && s.Field.Kind == birth.Codes && r.Rank == stands.rank:
			s.Value.Set = mapping.Union(old.Set, s.Value.Set)
			joins = true
		case had && r.Category && r.Rank == stands.rank && old.Flag:
			continue // a finding stays, whatever follows it
		case better:
		case r.Category && r.Rank == stands.rank && s.Value.Flag:
			// a finding
		default:
			continue
		}
		s.Value.Source = birth.FHIRPush
		target.Set(s.Field, s.Value)
		if !joins {
			trace.Lose(s.Field.Name, child, mapping.Superseded)
		}
		trace.Join(s.Field.Name, child, obs.at, obs.member)
	}
	if better {
		o.stands[place] = standing{rank: r.Rank, by: by}
	}
	if r.Category && r.Field.Name == "previous_cesareans" && values[0].Value.Number > 0 {
		o.cesarean = obs
	}
}

// stated reports whether an Observation has set the field by one of the field's own codes.
func (o *observations) stated(field *birth.Field, child int) bool {
	_, stated := o.stands[slot{field, child}]
	return stated
}

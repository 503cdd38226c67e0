package mapping

import (
	"slices"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
)

// reading is one way an Observation code is read: as which field, and how far
// it stands from the best code of that field.
type reading struct {
	field *birth.Field
	rank  int
	// own is set when the code is the field's name in the service's own
	// CodeSystem, so that the value can be nothing else.
	own bool
	// category is set when the code is that of a category of findings.
	category bool
}

// codeReadings are the readings of a code of one system.
type codeReadings struct {
	system   birth.System
	readings []reading
}

// readings lists, for every Observation code of the spine, the fields it can
// state. The code decides whose fact it is; BFDR has moved subjects between
// versions (Jira FHIR-40929).
var readings = func() map[string]codeReadings {
	codes := map[string]codeReadings{}
	add := func(code string, system birth.System, r reading) {
		codes[code] = codeReadings{system, append(codes[code].readings, r)}
	}
	for _, f := range birth.Spine {
		if f.Derived || f.Demographic {
			continue
		}
		add(f.Name, birth.Own, reading{field: f, own: true})
		for i, code := range f.Codes {
			add(code, birth.LOINC, reading{field: f, rank: i + 1, category: slices.Contains(categoryCodes, code)})
		}
	}
	return codes
}()

// readingsOf finds how an Observation is read by its code. Codings of other systems
// are passed over; the field's own name says it best. Codings that name different
// facts leave it open which of them is meant, and name none: why says so.
func readingsOf(code fhir.CodeableConcept) (found []reading, why Reason) {
	why = NoField
	for _, coding := range code.Coding {
		c, known := readings[coding.Code]
		if !known {
			continue
		}
		if coding.System != "" && birth.SystemOf(coding.System) != c.system {
			why = OtherSystem
			continue
		}
		switch {
		case found == nil || c.readings[0].own && shares(found, c.readings):
			found = c.readings
		case !shares(found, c.readings):
			return nil, CodesDiffer
		}
	}
	return found, why
}

// shares reports whether two codes can state the same field.
func shares(a, b []reading) bool {
	return slices.ContainsFunc(a, func(x reading) bool {
		return slices.ContainsFunc(b, func(y reading) bool { return x.field == y.field })
	})
}

// provisional is how far a value that is not final stands behind every one that
// is, whatever its code.
const provisional = 1000

// ofAll is how far what is said of all children stands behind what is said of one.
const ofAll = 100

// slot is a field of one subject; child is -1 for the mother and the care.
type slot struct {
	field *birth.Field
	child int
}

// standing is what is entered in a slot so far.
type standing struct {
	rank int
	by   *fhir.Observation
}

// observations maps the Observations of one course.
type observations struct {
	course *course
	draft  *birth.Draft
	stands map[slot]standing
	live   []liveCount
	// cesarean is the finding that there was one before.
	cesarean *observed
}

// mapObservations reads every Observation of the course. The best code stands;
// under it the newest value (newer); sets of codes accumulate.
func (c *course) mapObservations(d *birth.Draft) {
	o := &observations{course: c, draft: d, stands: make(map[slot]standing, len(c.observations))}
	for _, obs := range c.observations {
		o.read(obs)
	}
	o.countCesareans()
	o.dropDoubtfulLiveBirths()
	c.mapRace(d)
}

// countCesareans holds the number of previous cesareans to the finding that
// there was one, whatever order they come in.
func (o *observations) countCesareans() {
	field := birth.Must("previous_cesareans")
	if n, _ := o.draft.Mother.Get(field.Name); o.cesarean != nil && n.Number < 1 {
		o.draft.Mother.Set(field, birth.Value{Number: 1, Source: birth.FHIRPush})
		o.course.trace.keep(field.Name, -1, o.cesarean.at, "")
	}
}

func (o *observations) read(obs *observed) {
	about := o.course.subjects.of(&obs.Observation)
	for _, r := range obs.readings {
		if obs.provisional {
			r.rank += provisional
		}
		if r.field.About == birth.Child && about.whom != aChild {
			r.rank += ofAll
		}
		values, why := valuesOf(&obs.Observation, r)
		if why == "" && o.course.tooEarly(r.field, &obs.Observation) {
			why = AnotherTime
		}
		if why != "" {
			o.course.trace.drop(obs.at, "", why)
			continue
		}
		children, why := o.course.subjectsOf(r.field, about)
		o.course.trace.drop(obs.at, "", why)
		for _, child := range children {
			if r.field.Name == liveBorn {
				o.live = append(o.live, liveCount{obs, r.rank, values[0].value.Number})
			}
			o.state(child, r, values, obs)
		}
	}
}

// state enters values unless those of a better or newer Observation stand.
// Findings accumulate, and "none" gives way to a finding (BFDR, "None").
func (o *observations) state(child int, r reading, values []stated, obs *observed) {
	trace, by := o.course.trace, &obs.Observation
	target := held(o.draft, r.field, child)
	place := slot{r.field, child}
	stands, before := o.stands[place]
	better := !before || r.rank < stands.rank || r.rank == stands.rank && newer(by, stands.by) > 0
	days := birth.Must("gestational_age_days")
	if before && better && r.field.Name == "gestational_age_weeks" && !o.stated(days, child) {
		target.Drop(days.Name) // they go with the weeks that they were stated with
		trace.lose(days.Name, child, Superseded)
	}
	alike := (stands.rank >= provisional) == (r.rank >= provisional)
	trace.drop(obs.at, "", Superseded)
	for _, s := range values {
		old, had := target.Get(s.field.Name)
		joins := false
		switch {
		case s.field != r.field && o.stated(s.field, child):
			continue // a second value of the Observation, stated by itself as well
		case had && outranks(s.field, old, s.value, alike):
			continue
		case had && outranks(s.field, s.value, old, alike):
			better = true
		case had && s.field.Kind == birth.Codes && r.rank == stands.rank:
			s.value.Set = union(old.Set, s.value.Set)
			joins = true
		case had && r.category && r.rank == stands.rank && old.Flag:
			continue // a finding, whatever is said later
		case better:
		case r.category && r.rank == stands.rank && s.value.Flag:
			// a finding
		default:
			continue
		}
		s.value.Source = birth.FHIRPush
		target.Set(s.field, s.value)
		if !joins {
			trace.lose(s.field.Name, child, Superseded)
		}
		trace.join(s.field.Name, child, obs.at, "")
	}
	if better {
		o.stands[place] = standing{rank: r.rank, by: by}
	}
	if r.category && r.field.Name == "previous_cesareans" && values[0].value.Number > 0 {
		o.cesarean = obs
	}
}

// outranks reports whether one option of a field tells more than another,
// whatever their codes, where they are alike in being final: what is known more
// than "unknown", and the worst tear more than a lesser one or an episiotomy, beside
// which it happened.
func outranks(field *birth.Field, a, b birth.Value, alike bool) bool {
	switch {
	case field.Kind != birth.Code || !alike:
		return false
	case field.Name == "perineum":
		return slices.Index(tears, a.Text) > slices.Index(tears, b.Text)
	}
	return a.Text != "unknown" && b.Text == "unknown"
}

// tears orders what is said of the perineum, the worst last; of third-or-fourth
// and the exact degree the exact one tells more.
var tears = []string{"unknown", "intact", "other", "episiotomy", "first", "second", "third_or_fourth", "third", "fourth"}

// stated reports whether an Observation of the field itself has been entered.
func (o *observations) stated(field *birth.Field, child int) bool {
	_, stated := o.stands[slot{field, child}]
	return stated
}

func union(a, b []string) []string {
	all := slices.Clone(a)
	for _, code := range b {
		if !slices.Contains(all, code) {
			all = append(all, code)
		}
	}
	return all
}

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

// readings lists, for every Observation code of the spine, the fields it can
// state. The code decides whose fact it is; BFDR has moved subjects between
// versions (Jira FHIR-40929).
var readings = func() map[string][]reading {
	codes := map[string][]reading{}
	for _, f := range birth.Spine {
		if f.Derived || f.Demographic {
			continue
		}
		codes[f.Name] = append(codes[f.Name], reading{field: f, own: true})
		for i, code := range f.Codes {
			codes[code] = append(codes[code], reading{field: f, rank: i + 1, category: slices.Contains(categoryCodes, code)})
		}
	}
	return codes
}()

// provisional is how far a value that is not final stands behind every one that
// is, whatever its code. Findings accumulate all the same.
const provisional = 1000

// slot is a field of one subject; child is -1 for the mother and the care.
type slot struct {
	field *birth.Field
	child int
}

// observations maps the Observations of one course.
type observations struct {
	course *course
	draft  *birth.Draft
	ranks  map[slot]int
	// cesarean is set by the finding that there was one before.
	cesarean bool
}

// mapObservations reads every Observation of the course. The first usable
// value under the best code stands; sets of codes accumulate.
func (c *course) mapObservations(d *birth.Draft) {
	o := &observations{course: c, draft: d, ranks: map[slot]int{}}
	for _, obs := range c.observations {
		o.read(obs)
	}
	o.countCesareans()
}

// countCesareans holds the number of previous cesareans to the finding that
// there was one, whatever order they come in.
func (o *observations) countCesareans() {
	field := birth.Must("previous_cesareans")
	if n, _ := o.draft.Mother.Get(field.Name); o.cesarean && n.Number < 1 {
		o.draft.Mother.Set(field, birth.Value{Number: 1, Source: birth.FHIRPush})
	}
}

func (o *observations) read(obs *fhir.Observation) {
	if withdrawn(obs) {
		return
	}
	for _, coding := range obs.Code.Coding {
		if coding.Code == "inputraceandethnicityMother" {
			o.readRace(obs)
			return
		}
		found := readings[coding.Code]
		for _, r := range found {
			if r.field.Kind != birth.Codes && (obs.Status == "preliminary" || obs.Status == "registered") {
				r.rank += provisional
			}
			o.readAs(obs, r)
		}
		if len(found) > 0 {
			return // the other codings say the same in other systems
		}
	}
}

func withdrawn(obs *fhir.Observation) bool {
	return obs.Status == "entered-in-error" || obs.Status == "cancelled"
}

func (o *observations) readAs(obs *fhir.Observation, r reading) {
	values, ok := valuesOf(obs, r)
	if !ok {
		return
	}
	if r.field.About != birth.Child {
		o.state(-1, r, values)
		return
	}
	for _, child := range o.childrenOf(obs, r.field) {
		o.state(child, r, values)
	}
}

// childrenOf returns the children an Observation is about: the one that
// subject or focus names, else the only child. A fact of the whole pregnancy
// holds for all of them; any other is ambiguous among twins and is left out.
func (o *observations) childrenOf(obs *fhir.Observation, field *birth.Field) []int {
	for _, ref := range append([]fhir.Reference{obs.Subject}, obs.Focus...) {
		if child, ok := o.course.childAt.find(ref.Reference); ok {
			return []int{child}
		}
	}
	if n := len(o.draft.Children); n == 1 || field.Shared {
		all := make([]int, n)
		for i := range all {
			all[i] = i
		}
		return all
	}
	return nil
}

// state enters values unless a better or earlier Observation has stated them.
// Findings accumulate, and "none" gives way to a finding (BFDR, "None").
func (o *observations) state(child int, r reading, values []stated) {
	target := &o.draft.Mother
	switch {
	case r.field.About == birth.Care:
		target = &o.draft.Care
	case child >= 0:
		target = &o.draft.Children[child]
	}
	place := slot{r.field, child}
	rank, before := o.ranks[place]
	better := !before || r.rank < rank
	days := birth.Must("gestational_age_days")
	if before && better && r.field.Name == "gestational_age_weeks" && !o.stated(days, child) {
		target.Drop(days.Name) // they go with the weeks of the worse code
	}
	alike := (rank >= provisional) == (r.rank >= provisional)
	for _, s := range values {
		old, had := target.Get(s.field.Name)
		switch {
		case s.field != r.field && o.stated(s.field, child):
			continue // a second value of the Observation, stated by itself as well
		case had && outranks(s.field, old, s.value, alike):
			continue
		case had && outranks(s.field, s.value, old, alike):
			better = true
		case better:
		case s.field.Kind == birth.Codes && r.rank == rank:
			s.value.Set = union(old.Set, s.value.Set)
		case r.category && r.rank == rank && s.value.Flag:
			// a finding
		default:
			continue
		}
		s.value.Source = birth.FHIRPush
		target.Set(s.field, s.value)
	}
	if better {
		o.ranks[place] = r.rank
	}
	if r.category && r.field.Name == "previous_cesareans" && values[0].value.Number > 0 {
		o.cesarean = true
	}
}

// outranks reports whether one option of a field tells more than another,
// whatever their codes: what is known more than "unknown", and of two that are
// alike in being final the worst tear more than a lesser one or an episiotomy,
// beside which it happened.
func outranks(field *birth.Field, a, b birth.Value, alike bool) bool {
	switch {
	case field.Kind != birth.Code:
		return false
	case field.Name == "perineum" && alike:
		return slices.Index(tears, a.Text) > slices.Index(tears, b.Text)
	}
	return a.Text != "unknown" && b.Text == "unknown"
}

// tears orders what is said of the perineum, the worst last; of third-or-fourth
// and the exact degree the exact one tells more.
var tears = []string{"unknown", "intact", "other", "episiotomy", "first", "second", "third_or_fourth", "third", "fourth"}

// stated reports whether an Observation of the field itself has been entered.
func (o *observations) stated(field *birth.Field, child int) bool {
	_, stated := o.ranks[slot{field, child}]
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

// readRace reads the race and ethnicity as the mother gave them, a component
// a category, where the Patient resource does not carry the categories.
func (o *observations) readRace(obs *fhir.Observation) {
	race, ethnicity := birth.Must("mother_race"), birth.Must("mother_ethnicity")
	var codes []string
	asked, hispanic, denied := 0, 0, 0
	for _, c := range obs.Component {
		yes, stated := answer(c)
		for _, coding := range c.Code.Coding {
			if option := race.OptionFor(coding.Code, false); option != "" && yes && !slices.Contains(codes, option) {
				codes = append(codes, option)
			}
			if ethnicity.OptionFor(coding.Code, false) == "hispanic" {
				asked++
				switch {
				case yes:
					hispanic++
				case stated:
					denied++
				}
			}
		}
	}
	s := states{o.draft.Mother}
	if !s.Has("mother_race") {
		s.codes("mother_race", codes)
	}
	switch {
	case s.Has("mother_ethnicity"):
	case hispanic > 0:
		s.text("mother_ethnicity", "hispanic")
	case denied > 0 && denied == asked: // an origin that is not known may be hers
		s.text("mother_ethnicity", "not_hispanic")
	}
	o.draft.Mother = s.Values
}

func answer(c fhir.Component) (yes, stated bool) {
	if c.ValueBoolean != nil {
		return *c.ValueBoolean, true
	}
	if c.ValueCodeableConcept != nil {
		return yesNo(*c.ValueCodeableConcept)
	}
	return false, false
}

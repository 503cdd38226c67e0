package mapping

import (
	"slices"
	"strings"

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
}

// mapObservations reads every Observation of the course. The first usable
// value under the best code stands; sets of codes accumulate.
func (c *course) mapObservations(d *birth.Draft) {
	o := &observations{course: c, draft: d, ranks: map[slot]int{}}
	for _, obs := range c.observations {
		o.read(obs)
	}
}

func (o *observations) read(obs *fhir.Observation) {
	if obs.Status == "entered-in-error" || obs.Status == "cancelled" {
		return
	}
	for _, coding := range obs.Code.Coding {
		if coding.Code == "inputraceandethnicityMother" {
			o.readRace(obs)
			return
		}
		found := readings[coding.Code]
		for _, r := range found {
			o.readAs(obs, r)
		}
		if len(found) > 0 {
			return // the other codings say the same in other systems
		}
	}
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
	for _, s := range values {
		switch {
		case s.field != r.field && o.stated(s.field, child):
			continue // a second value of the Observation, stated by itself as well
		case better:
		case s.field.Kind == birth.Codes && r.rank == rank:
			old, _ := target.Get(s.field.Name)
			s.value.Set = union(old.Set, s.value.Set)
		case r.category && r.rank == rank && (s.value.Flag || s.value.Number > 0):
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
}

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
	hispanic, answered := false, false
	for _, c := range obs.Component {
		yes, stated := answer(c)
		for _, coding := range c.Code.Coding {
			if option := race.OptionFor(coding.Code, false); option != "" && yes && !slices.Contains(codes, option) {
				codes = append(codes, option)
			}
			if ethnicity.OptionFor(coding.Code, false) == "hispanic" {
				hispanic, answered = hispanic || yes, answered || stated
			}
		}
	}
	s := states{o.draft.Mother}
	if !s.Has("mother_race") {
		s.codes("mother_race", codes)
	}
	if answered && !s.Has("mother_ethnicity") {
		s.text("mother_ethnicity", map[bool]string{true: "hispanic", false: "not_hispanic"}[hispanic])
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

// references finds a resource of the course by a reference to it.
type references map[string]int

func (r references) add(i int, kind, id, fullURL string) {
	keys := []string{fullURL}
	if id != "" {
		bare := strings.TrimPrefix(id, "urn:uuid:")
		keys = append(keys, id, kind+"/"+id, "urn:uuid:"+bare, kind+"/"+bare)
	}
	for _, key := range keys {
		if _, taken := r[key]; key != "" && !taken {
			r[key] = i
		}
	}
}

// find resolves relative, absolute and urn:uuid references.
func (r references) find(reference string) (int, bool) {
	if reference == "" {
		return 0, false
	}
	reference, _, _ = strings.Cut(reference, "/_history/")
	if i, ok := r[reference]; ok {
		return i, true
	}
	if parts := strings.Split(reference, "/"); len(parts) > 2 {
		i, ok := r[strings.Join(parts[len(parts)-2:], "/")]
		return i, ok
	}
	return 0, false
}

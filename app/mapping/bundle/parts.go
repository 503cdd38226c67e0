package bundle

import (
	"slices"
	"strconv"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

// A panel has its values in components. A component with a known code is treated like a separate
// Observation. But a panel may be about an earlier pregnancy or an older child. A component
// therefore sets a child's value only if the panel names the child.

// addUp sets the value of an Observation whose amount is in two components, such as 7 lb and 4 oz.
func (o *observed) addUp() {
	if sum, ok := mapping.SumOf(&o.Observation); ok && o.readings != nil {
		o.ValueQuantity, o.Component = sum.Amount, nil
	}
}

// partsOf returns the components of an Observation that are read. If the Observation's own code is
// read, it isn't a panel. Its components are then read only if it has no value itself, and only if
// they set the same field.
func (c *course) partsOf(whole *observed) (parts []*observed) {
	stated := map[*birth.Field]int{}
	for i := range whole.Component {
		readings, _ := meaningsOf(whole.Component[i].Code)
		if len(readings) == 0 || len(whole.readings) > 0 && (!shares(whole.readings, readings) || mapping.HasValue(&whole.Observation)) {
			continue
		}
		part := &observed{Observation: whole.Part(i), readings: readings, whole: whole, member: ".component[" + strconv.Itoa(i) + "]"}
		part.at = whole.at
		parts = append(parts, part)
		if r := readings[0]; !r.Category && r.Field.Kind != birth.Codes {
			stated[r.Field]++
		}
	}
	for _, part := range parts {
		if stated[part.readings[0].Field] > 1 {
			part.void, part.why = true, mapping.SeveralValues
		}
	}
	return parts
}

// addParts adds the components of an Observation to the Observations of the course of care. It
// marks a component as void if the whole Observation is void, or if a text contradicts the
// component. For example, the panel's name may be about an earlier birth.
func (c *course) addParts(whole *observed, parts []*observed) {
	c.trace.Parts(whole.at, whole.Component, whole.readings == nil)
	foreign, earlier := mapping.AboutSomebodyElse(&whole.Code), mapping.OfAnotherBirth(&whole.Code)
	for _, part := range parts {
		part.provisional = whole.provisional
		switch {
		case whole.void:
			part.void, part.why = true, whole.why
		case foreign || part.misnamed() || earlier && !mapping.OfHistory(part.readings[0].Field):
			part.void, part.why = true, mapping.TextContradicts
		}
		if part.void {
			c.trace.Drop(part.at, part.member, part.why)
		}
	}
	c.observations = append(c.observations, parts...)
}

// dropSplit drops amounts that may be two parts of one amount in two Observations, such as 7 lb and
// 4 oz. Neither part is the amount, and nothing shows that they belong together.
func (o *observations) dropSplit() {
	type place struct {
		slot
		mapping.Part
	}
	parts := map[place][]*observed{}
	for _, obs := range o.course.observations {
		part, ok := mapping.PartOf(&obs.Observation)
		if !ok || len(obs.readings) == 0 {
			continue
		}
		children, _ := o.course.subjectsOf(obs.readings[0].Field, o.course.subjects.of(&obs.Observation))
		for _, child := range children {
			at := place{slot{obs.readings[0].Field, child}, part}
			parts[at] = append(parts[at], obs)
		}
	}
	for at, all := range parts {
		at.Larger = !at.Larger
		if len(parts[at]) == 0 {
			continue
		}
		for _, obs := range all {
			obs.void = true
			o.course.trace.Drop(obs.at, obs.member, mapping.Contradicted)
		}
	}
}

// doubtful returns the reason why a value is left out, or "" if it is used. A child's value in a
// component is left out unless the Observation names the child.
func (o *observed) doubtful(field *birth.Field, about addressed) mapping.Reason {
	if field.About == birth.Child && o.whole != nil && about.whom != aChild {
		return mapping.WhichChild
	}
	return ""
}

// namesAnother reports whether the texts of a code name another child. Twin B, for example, isn't
// the child with birth order 1. The argument child is the child's index in the draft, or -1 for the
// mother.
func namesAnother(d *birth.Draft, child int, code *fhir.CodeableConcept) bool {
	if child < 0 {
		return false
	}
	order, stated := d.Children[child].Get("birth_order")
	if !stated {
		return false
	}
	named := mapping.OrderNamed(code)
	return named != 0 && named != order.Number
}

// memberSet holds the members of a panel that is about another person (foreign) or about an earlier
// birth.
type memberSet struct {
	members []fhir.Reference
	foreign bool
}

// readMembers records the members of a panel if the panel is about another person or an earlier
// birth. The members of all other panels are read like other Observations.
func (c *course) readMembers(panel *observed) {
	foreign := mapping.AboutSomebodyElse(&panel.Code)
	if foreign || mapping.OfAnotherBirth(&panel.Code) {
		c.apart = append(c.apart, memberSet{panel.HasMember, foreign})
	}
}

// dropApart drops all members of panels about another person. If a panel is about an earlier birth,
// dropApart drops only the members whose field is about this birth ([mapping.OfHistory]).
func (c *course) dropApart() {
	if len(c.apart) == 0 {
		return
	}
	var byReference references
	for i, o := range c.observations {
		if o.whole == nil {
			byReference.add(i, "Observation", o.ID, o.url)
		}
	}
	for _, set := range c.apart {
		for _, ref := range set.members {
			i, found := byReference.find(ref.Reference)
			if !found {
				continue
			}
			o := c.observations[i]
			if set.foreign || len(o.readings) > 0 && !mapping.OfHistory(o.readings[0].Field) {
				o.void = true
				c.trace.Drop(o.at, "", mapping.TextContradicts)
			}
		}
	}
	c.observations = slices.DeleteFunc(c.observations, (*observed).isReplaced)
}

// itself returns the version that decides whether an Observation is kept. For a component, this is
// the version of the whole Observation.
func (o *observed) itself() *version {
	if o.whole != nil {
		return &o.whole.version
	}
	return &o.version
}

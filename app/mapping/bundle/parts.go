package bundle

import (
	"slices"
	"strconv"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

// Panels hold their values in components. A component whose code is read is treated like a separate
// Observation. But a panel may be about an earlier pregnancy or an older child, so a component
// states a child's value only if the panel names the child.

// addUp sets the value of an Observation that states its amount in two components, such as 7 lb
// and 4 oz.
func (o *observed) addUp() {
	if sum, ok := mapping.SumOf(&o.Observation); ok && o.readings != nil {
		o.ValueQuantity, o.Component = sum.Amount, nil
	}
}

// partsOf returns the components of an Observation that are read. An Observation whose own code is
// read isn't a panel: only its components that state the same fact are read, and only if the
// Observation has no value of its own.
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

// addParts adds the components of an Observation to the Observations of the course. It marks a
// component void if the whole Observation is void, or if a text contradicts the component. For
// example, the name of the panel may say that it is about an earlier birth.
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

// doubtful returns why a value is left out, or "" if it is used. A child's value in a component is
// left out unless the Observation names the child.
func (o *observed) doubtful(field *birth.Field, about addressed) mapping.Reason {
	if field.About == birth.Child && o.whole != nil && about.whom != aChild {
		return mapping.WhichChild
	}
	return ""
}

// namesAnother reports whether the texts of a code name another child: Twin B isn't the child whose
// birth order is 1. child is -1 for the mother.
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

// memberSet has the members of one panel. The panel is about somebody else (foreign) or about an
// earlier birth.
type memberSet struct {
	members []fhir.Reference
	foreign bool
}

// readMembers notes the members of a panel about somebody else or an earlier birth. The members of
// any other panel are read like all Observations.
func (c *course) readMembers(panel *observed) {
	foreign := mapping.AboutSomebodyElse(&panel.Code)
	if foreign || mapping.OfAnotherBirth(&panel.Code) {
		c.apart = append(c.apart, memberSet{panel.HasMember, foreign})
	}
}

// dropApart drops all members of panels about somebody else. Of panels about an earlier birth, it
// drops the members whose fields are about this birth ([mapping.OfHistory]).
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

// itself returns the version that decides whether an Observation is kept. A component has the
// version of the Observation to which it belongs.
func (o *observed) itself() *version {
	if o.whole != nil {
		return &o.whole.version
	}
	return &o.version
}

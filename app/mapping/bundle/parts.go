package bundle

import (
	"slices"
	"strconv"

	"birthregistry/app/birth"
	"birthregistry/app/mapping"
)

// Panels hold their values in components. A component with a code that is read counts like an
// Observation of its own, unless there is doubt: a panel may be about an earlier pregnancy or
// an older child, so that a child's measure must name the child.

// addUp sets the value of an Observation that states its amount in two components, such as 7 lb
// and 4 oz.
func (o *observed) addUp() {
	if sum, ok := mapping.SumOf(&o.Observation); ok && o.readings != nil {
		o.ValueQuantity, o.Component = sum.Amount, nil
	}
}

// partsOf returns the components of an Observation that are read. An Observation whose own code
// is read is no panel: only components that state the same fact count, and only if it has no
// value.
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

// ofHistory are the fields that a panel about earlier pregnancies may state.
var ofHistory = []string{
	"gravida", "parity", "previous_live_births_living", "previous_live_births_dead", "other_pregnancy_outcomes", "last_live_birth_date", "last_other_outcome_date",
	"previous_cesareans", "previous_preterm_birth",
}

// addParts keeps what the components of an Observation state.
func (c *course) addParts(whole *observed, parts []*observed) {
	c.trace.Parts(whole.at, whole.Component, whole.readings == nil)
	foreign, earlier := mapping.AboutSomebodyElse(&whole.Code), mapping.OfAnotherBirth(&whole.Code)
	for _, part := range parts {
		part.provisional = whole.provisional
		switch {
		case whole.void:
			part.void, part.why = true, whole.why
		case foreign || part.misnamed() || earlier && !slices.Contains(ofHistory, part.readings[0].Field.Name):
			part.void, part.why = true, mapping.TextContradicts
		}
		if part.void {
			c.trace.Drop(part.at, part.member, part.why)
		}
	}
	c.observations = append(c.observations, parts...)
}

// doubtful returns why a value of a component does not count, or "" if it does.
func (o *observed) doubtful(field *birth.Field, about addressed) mapping.Reason {
	if o.whole != nil && field.About == birth.Child && about.whom != aChild {
		return mapping.WhichChild
	}
	return ""
}

// itself returns the version that decides whether an Observation counts. That of a component is
// the Observation to which it belongs.
func (o *observed) itself() *version {
	if o.whole != nil {
		return &o.whole.version
	}
	return &o.version
}

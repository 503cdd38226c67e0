package bundle

import (
	"slices"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

// version identifies one version of a resource. A Bundle may hold several (FHIR R4,
// bdl-7): a Patient sent twice isn't twins, and a newer version replaces all that an
// older one states.
type version struct {
	at       fhir.Place
	updated  string
	replaced bool
}

// note records a version of a resource. Of two versions, the one that was changed last counts
// or, if that isn't known, the one that comes last. Two entries are the same resource if they
// share the kind and the address in the Bundle or, without an address, the id. Two Patients
// must share both, because some documents distinguish twins only by their ids, and others not
// at all.
func (c *course) note(v *version, e *fhir.Entry, id, updated string) {
	v.at, v.updated = e.Place, updated
	resource := e.FullURL
	switch {
	case e.Kind == "Patient" && resource != "":
		resource += " " + id
	case e.Kind != "Patient" && resource == "" && id != "":
		resource = " " + id
	}
	if resource == "" {
		return
	}
	known := c.versions[e.Kind]
	if before := known[resource]; before != nil {
		if birth.After(before.updated, updated) {
			v.replaced = true
			c.trace.DropAll(v.at, mapping.NewerVersion)
			return
		}
		before.replaced = true
		c.trace.DropAll(before.at, mapping.NewerVersion)
	}
	if known == nil {
		known = map[string]*version{}
		c.versions[e.Kind] = known
	}
	known[resource] = v
}

func (v *version) isReplaced() bool { return v.replaced }

// dropReplaced keeps one version of each resource.
func (c *course) dropReplaced() {
	c.mothers = unreplaced(c.mothers)
	c.children = unreplaced(c.children)
	c.observations = unreplaced(c.observations)
	c.race = unreplaced(c.race)
	c.practitioners = unreplaced(c.practitioners)
	c.encounters = unreplaced(c.encounters)
}

func unreplaced[T interface{ isReplaced() bool }](all []T) []T {
	return slices.DeleteFunc(all, T.isReplaced)
}

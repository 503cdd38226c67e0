package bundle

import (
	"slices"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

// version is what tells the versions of one resource apart. A Bundle may hold
// several (FHIR R4, bdl-7): one Patient who is sent twice is no twins, and what a
// newer version no longer says is not said.
type version struct {
	at       fhir.Place
	updated  string
	replaced bool
}

// note notes a version of a resource. Of two the one that says it was changed last
// counts, else the one that comes last. One resource is what has one kind and one
// address in the Bundle or, without an address, one id. A Patient needs both: some
// documents tell twins apart by their ids alone, others by nothing.
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

// dropReplaced leaves one version of each resource.
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

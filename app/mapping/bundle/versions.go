package bundle

import (
	"slices"
	"strings"

	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

// version identifies one version of a resource. A Bundle may contain several versions (FHIR R4,
// bdl-7). A Patient that was sent twice doesn't mean twins, and a newer version replaces everything
// in an older one.
type version struct {
	at     fhir.Place
	kind   string
	url    string
	id     string // the ID of the resource, as in an entry that deletes it
	stated fhir.Version
	// over is the version that this one replaces only because of their order in the Bundle.
	over     *version
	replaced bool
	// withdrawn is set if the resource doesn't count, according to this version.
	withdrawn bool
	// marked is set if a modifierExtension or implicitRules may change what the resource means.
	marked bool
}

// note records a version of a resource. Of two versions, the one that was changed last replaces the
// other. If the times don't show which one that is, the version with the higher number replaces the
// other. If there are no numbers, the version that comes last in the Bundle does.
//
// Two entries are versions of one resource if they have the same resource type and the same address
// (fullUrl). Without an address, they must have the same id. Two Patients must have both the same
// address and the same id. Some documents give twins the same address, and others give them the
// same id and no address.
func (c *course) note(v *version, e *fhir.Entry, id string, stated fhir.Version) {
	if stated == (fhir.Version{}) {
		stated = e.Answered // in a history, the responses have the times of the versions
	}
	v.at, v.kind, v.url, v.id, v.stated, v.marked = e.Place, e.Kind, e.FullURL, id, stated, e.Marked()
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
		if mapping.LaterVersion(before.stated, stated) {
			v.replaced = true
			c.trace.DropAll(v.at, mapping.NewerVersion)
			return
		}
		if !mapping.LaterVersion(stated, before.stated) {
			v.over = before
			c.unordered = append(c.unordered, v)
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

// noteFinding records a version of an Observation, a Procedure or a Condition. Two entries without
// an address are the same resource only if they have the same id and the same code, because some
// programs give all findings one id.
func (c *course) noteFinding(v *version, e *fhir.Entry, id string, code *fhir.CodeableConcept, stated fhir.Version) {
	shared := id
	if e.FullURL == "" && id != "" && len(code.Coding) > 0 {
		shared += " " + code.Coding[0].Code
	}
	c.note(v, e, shared, stated)
	v.id = id
}

// delete records that an entry deletes a resource, which occurs in a history (FHIR R4, bdl-3).
// Earlier versions of the resource in the same Bundle are then dropped (dropDeleted). If the entry
// deletes the record itself, it is a retraction, and delete ignores it.
func (c *course) delete(e *fhir.Entry) {
	if c == nil || targetOf(e).isRecord() {
		return
	}
	if e.FullURL != "" {
		c.deletedAt(e.FullURL, e.Answered)
	}
	for _, address := range []string{e.URL, e.FullURL} {
		path, _, _ := strings.Cut(address, "?")
		if kind, id, found := idOf(path); found {
			c.deletedAt(kind+"/"+id, e.Answered)
		}
	}
}

// deletedAt records when a resource was last deleted. If it isn't known which of two deletions came
// last, deletedAt records that the time isn't known.
func (c *course) deletedAt(resource string, stated fhir.Version) {
	before, again := c.deleted[resource]
	switch {
	case !again || mapping.LaterVersion(stated, before) || stated == before:
		c.deleted[resource] = stated
	case !mapping.LaterVersion(before, stated):
		c.deleted[resource] = fhir.Version{}
	}
}

// dropDeleted marks a version as replaced if the Bundle deletes its resource. If the version is
// certainly later than the deletion, it is kept, because the resource was created again.
func (c *course) dropDeleted(v *version) {
	if v.replaced || len(c.deleted) == 0 {
		return
	}
	kind, id, _ := idOf(v.url)
	for _, resource := range []string{v.url, kind + "/" + id, v.kind + "/" + v.id} {
		if deletion, found := c.deleted[resource]; found && !mapping.LaterVersion(v.stated, deletion) {
			v.replaced = true
			c.trace.DropAll(v.at, mapping.DoesNotStand)
			return
		}
	}
}

func (v *version) itself() *version { return v }

func (v *version) isReplaced() bool { return v.replaced }

// order decides between two versions if only their order in the Bundle can show which one came
// last. In a history, the latest version comes first (FHIR R4, "history"). In any other Bundle, it
// comes last. If one of the two is withdrawn, order keeps neither, because the withdrawn version
// may be the last one.
func (c *course) order(head fhir.Head) {
	for _, v := range c.unordered {
		switch {
		case v.withdrawn || v.over.withdrawn:
			v.withdrawn = true // so that versions that replace this one are withdrawn, too
			if !v.replaced {
				v.replaced = true
				c.trace.DropAll(v.at, mapping.Contradicted)
			}
		case head.Type == "history" && !v.replaced:
			first := v
			for first.over != nil {
				first = first.over
			}
			v.replaced, first.replaced = true, false
		}
	}
}

// dropReplaced keeps one version of each resource, and no version of a deleted resource. If
// Patients were merged, it keeps only one of them. It also drops members of panels about another
// person or an earlier birth (dropApart).
func (c *course) dropReplaced(head fhir.Head) {
	c.order(head)
	c.mothers = unreplaced(c, c.mothers)
	c.children = unreplaced(c, c.children)
	c.observations = unreplaced(c, c.observations)
	c.race = unreplaced(c, c.race)
	c.practitioners = unreplaced(c, c.practitioners)
	c.encounters = unreplaced(c, c.encounters)
	if c.compositions = unreplaced(c, c.compositions); len(c.compositions) > 0 {
		last := c.compositions[0]
		c.composition, c.compositionAt, c.unfit = &last.Composition, last.at, last.unfit
	}
	c.bfdr.dropReplaced(c)
	c.mothers, c.children = c.merged(c.mothers), c.merged(c.children)
	c.dropApart()
}

func unreplaced[T interface {
	itself() *version
	isReplaced() bool
}](c *course, all []T) []T {
	return slices.DeleteFunc(all, func(v T) bool {
		c.dropDeleted(v.itself())
		return v.isReplaced()
	})
}

package bundle

import (
	"bytes"
	"slices"

	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

// A system that finds two records of one patient merges them, and may send both. The record that
// the system no longer uses links to its replacement (Patient.link). Both are one person.

// link relates a Patient to another one.
type link struct {
	Type  string         `json:"type" fhir:"value"`
	Other fhir.Reference `json:"other" fhir:"value"`
}

// readLinks reads the links of a Patient that may have been replaced, or may replace another.
func (p *patientEntry) readLinks(e *fhir.Entry) {
	if !bytes.Contains(e.Resource, []byte(`"replace`)) {
		return
	}
	var linked struct {
		Link []link `json:"link" fhir:"value"`
	}
	_ = e.Decode(&linked)
	p.links = linked.Link
}

// merged returns the Patients that no other Patient of the list replaces. References to a replaced
// Patient then lead to its replacement.
func (c *course) merged(all []*patientEntry) []*patientEntry {
	if !slices.ContainsFunc(all, func(p *patientEntry) bool { return len(p.links) > 0 }) {
		return all
	}
	var byReference references
	for i, p := range all {
		byReference.add(i, "Patient", p.ID, p.fullURL)
	}
	last := func(p *patientEntry) *patientEntry {
		for p.by != nil {
			if p.by.by != nil {
				p.by = p.by.by // keeps long chains of links cheap
			}
			p = p.by
		}
		return p
	}
	replace := func(old, by *patientEntry) {
		if old.by == nil && old != by {
			old.by = by
		}
	}
	for _, p := range all {
		for _, l := range p.links {
			i, found := byReference.find(l.Other.Reference)
			switch {
			case found && l.Type == "replaced-by":
				replace(p, all[i])
			case found && l.Type == "replaces":
				replace(all[i], p)
			}
		}
	}
	if breakCircles(all) {
		c.circled = true
	}
	return slices.DeleteFunc(all, func(p *patientEntry) bool {
		if p.by == nil {
			return false
		}
		by := last(p)
		by.former = append(by.former, p)
		c.trace.DropAll(p.at, mapping.NewerVersion)
		return true
	})
}

// breakCircles removes the replacements of Patients who replace each other in a circle, because
// nobody knows which Patient is left. It reports whether there were any circles.
func breakCircles(all []*patientEntry) (found bool) {
	seen := map[*patientEntry]int{} // the number of the walk that reached each Patient
	for walk, from := range all {
		p := from
		for ; p != nil && seen[p] == 0; p = p.by {
			seen[p] = walk + 1
		}
		if p == nil || seen[p] != walk+1 {
			continue
		}
		for p.by != nil {
			next := p.by
			p.by = nil
			p = next
		}
		found = true
	}
	return found
}

// recognize makes references to a Patient, and to the Patients that it replaces, resolve to i. For
// a child, i is the index in the draft, and for the mother, i is 0.
func (r *references) recognize(i int, p *patientEntry) {
	r.add(i, "Patient", p.ID, p.fullURL)
	r.identify(i, p.Identifier)
	for _, old := range p.former {
		r.add(i, "Patient", old.ID, old.fullURL)
		r.identify(i, old.Identifier)
	}
}

package bundle

import (
	"bytes"
	"slices"

	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

// If a system finds two records of one patient, it merges them, and it may send both. The record
// that it no longer uses has a link to its replacement (Patient.link). Both are the same person.

// link relates one Patient to another.
type link struct {
	Type  string         `json:"type" fhir:"value"`
	Other fhir.Reference `json:"other" fhir:"value"`
}

// readLinks reads the links of a Patient if it may have been replaced or may replace another
// Patient.
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

// merged returns the Patients in a list that no other Patient in the list replaces. From then on,
// references to a replaced Patient resolve to its replacement.
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

// breakCircles finds Patients that replace each other in a circle. It removes their replacements,
// because nobody knows which Patient is left. It reports whether there were any circles.
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

// recognize makes references to a Patient resolve to i. It does the same for the Patients that it
// replaces. For a child, i is the index in the draft. For the mother, i is 0.
func (r *references) recognize(i int, p *patientEntry) {
	r.add(i, "Patient", p.ID, p.fullURL)
	r.identify(i, p.Identifier)
	for _, old := range p.former {
		r.add(i, "Patient", old.ID, old.fullURL)
		r.identify(i, old.Identifier)
	}
}

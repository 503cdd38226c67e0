package mapping

import (
	"slices"
	"strings"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
)

// mapPeople reads Practitioners and Encounters: who attended, who was present,
// where it was, and transfers of care.
func (c *course) mapPeople(d *birth.Draft) {
	known, byKey := references{}, map[string]int{}
	for _, p := range c.practitioners {
		p.provider = -1
		provider, ok := providerOf(&p.Practitioner)
		if !ok {
			continue // no stable id: not stored under a made-up key
		}
		i, before := byKey[provider.Key]
		if !before {
			i = len(d.Providers)
			byKey[provider.Key] = i
			d.Providers = append(d.Providers, provider)
		}
		p.provider = i
		known.add(i, "Practitioner", p.ID, p.fullURL)
	}
	place := states{d.Care}
	for _, e := range c.encountersChildFirst() {
		if e.Status == "entered-in-error" || e.Status == "cancelled" {
			continue
		}
		d.Transfers = append(d.Transfers, c.transfers(e)...)
		if isTransfer(e) {
			continue // a transfer is recorded instead of the attendance
		}
		c.attendants(e, known, d)
		placeOf(e, &place)
		if doulaTook(e) {
			place.flag("doula_present", true)
		}
	}
	c.titles(d, &place)
	d.Care = place.Values
}

// encountersChildFirst puts the Encounters of a child before those of the
// mother: the place of birth is theirs to tell.
func (c *course) encountersChildFirst() []*fhir.Encounter {
	var children, others []*fhir.Encounter
	for _, e := range c.encounters {
		if c.isChild(e.Subject.Reference) {
			children = append(children, e)
		} else {
			others = append(others, e)
		}
	}
	return append(children, others...)
}

func (c *course) isChild(reference string) bool {
	_, ok := c.childAt.find(reference)
	return ok
}

// providerOf applies the Practitioner rules; false without a stable id.
func providerOf(p *fhir.Practitioner) (birth.Provider, bool) {
	provider := birth.Provider{Source: birth.FHIRPush}
	for _, id := range p.Identifier {
		value := strings.TrimSpace(id.Value)
		switch {
		case value == "":
		case isNPI(id):
			if provider.NPI == "" {
				provider.NPI = value
			}
		case provider.Key == "":
			provider.Key = value
		}
	}
	if provider.Key == "" {
		provider.Key = strings.TrimSpace(p.ID)
	}
	provider.Name, provider.Credentials = displayName(p)
	var said []string
	for _, q := range p.Qualification {
		said = append(said, q.Code.Text)
		for _, coding := range q.Code.Coding {
			said = append(said, coding.Display)
		}
	}
	provider.Role = birth.RoleOf(said...)
	return provider, provider.Key != ""
}

func isNPI(id fhir.Identifier) bool {
	return id.Type.HasCode("NPI") || strings.Contains(id.System, "us-npi") ||
		strings.HasSuffix(id.System, "2.16.840.1.113883.4.6")
}

// displayName returns the name people read and the credentials behind it: the
// suffixes of the name and what each qualification calls itself.
func displayName(p *fhir.Practitioner) (name, credentials string) {
	var best fhir.HumanName
	for i, n := range p.Name {
		if i == 0 || n.Use == "official" && best.Use != "official" {
			best = n
		}
	}
	name = best.Text
	if name == "" {
		parts := append(slices.Clone(best.Prefix), best.Given...)
		name = strings.Join(strings.Fields(strings.Join(append(parts, best.Family), " ")), " ")
	}
	titles := slices.Clone(best.Suffix)
	for _, q := range p.Qualification {
		title := q.Code.Text
		for _, coding := range q.Code.Coding {
			if title == "" {
				title = coding.Display
			}
		}
		titles = append(titles, title)
	}
	var kept []string
	seen := map[string]bool{"": true}
	for _, title := range titles {
		title = strings.TrimSpace(title)
		if folded := strings.ToLower(title); !seen[folded] {
			seen[folded] = true
			kept = append(kept, title)
		}
	}
	return name, strings.Join(kept, ", ")
}

// attendants marks the participants whose type is an attendant code, whatever
// its system. Nothing else promotes a practitioner: a doula who takes part is
// present, not attending.
func (c *course) attendants(e *fhir.Encounter, known references, d *birth.Draft) {
	codes := c.mapper.Attendants
	if len(codes) == 0 {
		codes = []string{"ATND"}
	}
	for _, p := range e.Participant {
		i, ok := known.find(p.Individual.Reference)
		if ok && slices.ContainsFunc(p.Type, func(t fhir.CodeableConcept) bool { return t.HasCode(codes...) }) {
			d.Providers[i].Attending = true
		}
	}
}

// Doula as an occupation: SNOMED CT and the NUCC provider taxonomy.
var doulaCodes = []string{"768825008", "374J00000X"}

func doulaTook(e *fhir.Encounter) bool {
	for _, p := range e.Participant {
		for _, t := range p.Type {
			if t.HasCode(doulaCodes...) {
				return true
			}
		}
	}
	return false
}

// titles states the attendant's title, and a doula's presence by
// qualification code.
func (c *course) titles(d *birth.Draft, care *states) {
	title := birth.Must("attendant_title")
	for _, p := range c.practitioners {
		if p.provider < 0 {
			continue
		}
		for _, q := range p.Qualification {
			if q.Code.HasCode(doulaCodes...) {
				care.flag("doula_present", true)
			}
			for _, coding := range q.Code.Coding {
				option := title.OptionFor(coding.Code, false)
				if d.Providers[p.provider].Attending && option != "" && !care.Has(title.Name) {
					care.text(title.Name, option)
				}
			}
		}
	}
}

// placeOf reads the place of birth from the first Encounter that tells it.
func placeOf(e *fhir.Encounter, care *states) {
	setting, planned := birth.Must("birth_setting"), birth.Must("planned_birth_setting")
	for _, l := range e.Location {
		if !care.Has("facility_name") {
			care.text("facility_name", l.Location.Display)
		}
		if l.PhysicalType == nil {
			continue
		}
		for _, coding := range l.PhysicalType.Coding {
			if option := setting.OptionFor(coding.Code, false); option != "" && !care.Has(setting.Name) {
				care.text(setting.Name, option)
			}
			if option := planned.OptionFor(coding.Code, false); option == "home" && !care.Has(planned.Name) {
				care.text(planned.Name, option)
			}
		}
	}
}

package bundle

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

// mapProviders reads the Practitioners and Encounters. They have the attendant, the other
// providers, the place of birth, and transfers of care.
func (c *course) mapProviders(d *birth.Draft) {
	known := c.readPractitioners(d)
	stays := c.stays()
	attended := c.attendedStays(d, stays)
	care := c.states(d.Care)
	for _, s := range attended {
		care.from(s.at, "", mapping.NothingStated)
		if doulaTook(s.Encounter) {
			care.flag("doula_present", true)
		}
	}
	attendants := c.attendantsOf(attended, known)
	stays = slices.DeleteFunc(stays, func(s stay) bool { return s.Transfer })
	c.placeOf(stays, c.born, &care)
	c.facility(stays, c.born, &care)
	c.titles(attendants, &care)
	d.Care = care.Values
	attend(d, attendants)
}

// readPractitioners adds the providers to the draft. It returns references that resolve to the
// index of a provider in the draft.
func (c *course) readPractitioners(d *birth.Draft) *references {
	known, byKey := &references{}, map[string]int{}
	for _, p := range c.practitioners {
		p.provider = -1
		if p.marked {
			c.trace.Drop(p.at, "", mapping.Modified)
			continue
		}
		provider, ok := providerOf(&p.Practitioner)
		if !ok {
			c.trace.Drop(p.at, "", mapping.NoStableID) // never stored under a made-up key
			continue
		}
		c.trace.Join(mapping.Providers, -1, p.at, "")
		i, before := byKey[provider.Key]
		if !before {
			i = len(d.Providers)
			byKey[provider.Key] = i
			d.Providers = append(d.Providers, provider)
		}
		p.provider = i
		known.add(i, "Practitioner", p.ID, p.fullURL)
		known.identify(i, identitiesOf(p.Identifier))
	}
	return known
}

// attendedStays adds the transfers of care to the draft. It returns the stays in which somebody may
// have attended the birth. A transfer has no attendant, and a visit at another time wasn't the
// birth.
func (c *course) attendedStays(d *birth.Draft, stays []stay) (attended []stay) {
	marked := slices.ContainsFunc(stays, stay.isOfBirth)
	for _, s := range stays {
		at := cmp.Or(timeIn(s.Period.Start), timeIn(s.Period.End))
		if moved := mapping.TransfersOf(s.Stay); len(moved) > 0 && !longAfter(at, c.born, puerperium) {
			d.Transfers = append(d.Transfers, moved...)
			c.trace.Join(mapping.Transfers, -1, s.at, "")
		}
		if s.Transfer || s.atAnotherTime(c.born) || marked && !s.isOfBirth() && !s.during(c.born) {
			c.trace.Drop(s.at, "", mapping.AnotherTime)
			continue
		}
		attended = append(attended, s)
	}
	return attended
}

// missed reports whether a person who was there only during the period p certainly missed all
// births.
func (c *course) missed(p fhir.Period) bool {
	start, end := mapping.MomentOf(p.Start), mapping.MomentOf(p.End)
	return ofAllBirths(c.births, func(born mapping.Moment) bool { return certainlyBefore(end, born) || certainlyBefore(born, start) })
}

// certainlyBefore reports whether a is more than slack before b, even if a is as late and b is as
// early as their texts allow.
//
// If both times have an offset, they are compared as instants. Otherwise, their local dates and
// times are compared. If only one of the two has an offset, the difference must sometimes be a day
// more. This is so if both have a time of day, because their clocks may differ by up to a day. It
// is also so if the offset is UTC, because the local date may be a different one.
func certainlyBefore(a, b mapping.Moment) bool {
	if !a.Known() || !b.Known() {
		return false
	}
	if a.Instant && b.Instant {
		return b.At.Sub(a.At) > slack
	}
	by := slack
	if a.Instant != b.Instant && (isUTC(a.Text) || isUTC(b.Text) || hasTime(a) && hasTime(b)) {
		by += 24 * time.Hour
	}
	_, latest := localSpan(a)
	earliest, _ := localSpan(b)
	return earliest.Sub(latest) > by
}

// localSpan returns the first and the last local time that a moment may mean. It ignores the
// offset, so 2026-03-02T16:18:00-05:00 is 4:18 PM.
func localSpan(m mapping.Moment) (first, last time.Time) {
	if hasTime(m) {
		y, month, d := m.At.Date()
		at := time.Date(y, month, d, m.At.Hour(), m.At.Minute(), m.At.Second(), 0, time.UTC)
		return at, at
	}
	day := func(d mapping.Day) time.Time { return time.Unix(int64(d)*24*60*60, 0).UTC() }
	return day(m.First), day(m.Last + 1)
}

func hasTime(m mapping.Moment) bool { return len(m.Text) > len(time.DateOnly) }

func isUTC(at string) bool { return strings.HasSuffix(at, "Z") || strings.HasSuffix(at, "+00:00") }

// attendantsOf returns the attendants of the stays, in the order of the stays and of their
// participants. The child's stays come last, because their attending provider may be the newborn's
// own doctor. If a stay is marked as the stay for the birth, it keeps its place.
func (c *course) attendantsOf(stays []stay, known *references) (attendants []int) {
	last := func(s stay) int { return map[bool]int{true: 1}[s.kind == childStay || s.kind == lateStay] }
	slices.SortStableFunc(stays, func(a, b stay) int { return last(a) - last(b) })
	for _, s := range stays {
		for _, i := range c.attendants(s.Encounter, known) {
			if len(attendants) == 0 {
				c.trace.Keep(mapping.Attendance, -1, s.at, "")
			}
			if !slices.Contains(attendants, i) {
				attendants = append(attendants, i)
			}
		}
	}
	return attendants
}

// attend marks the first of the attendants as attending, and moves them to the front of the draft's
// providers. The other attendants count as present (decision 31).
func attend(d *birth.Draft, attendants []int) {
	if len(attendants) == 0 {
		return
	}
	attendant := d.Providers[attendants[0]]
	attendant.Attending = true
	d.Providers = slices.Insert(slices.Delete(d.Providers, attendants[0], attendants[0]+1), 0, attendant)
}

// providerOf returns the provider in a Practitioner. The provider's key is the first identifier
// that isn't an NPI. If there is none, it is the resource's id. If there is no id either,
// providerOf returns false, because the provider couldn't be recognized the next time.
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
	var stated []string
	for _, q := range p.Qualification {
		stated = append(stated, q.Code.Text)
		for _, coding := range q.Code.Coding {
			stated = append(stated, coding.Display)
		}
	}
	provider.Role = birth.RoleOf(stated...)
	return provider, provider.Key != ""
}

func identitiesOf(all []fhir.Identifier) (identities fhir.Identities) {
	for _, id := range all {
		identities = append(identities, fhir.IdentityOf(id.System, id.Value))
	}
	return identities
}

func isNPI(id fhir.Identifier) bool {
	return id.Type.HasCode("NPI") || strings.Contains(id.System, "us-npi") ||
		strings.HasSuffix(id.System, "2.16.840.1.113883.4.6")
}

// displayName returns a practitioner's name for display and their credentials. The credentials are
// the suffixes of the name and the texts of the qualifications.
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

// attendants returns the participants whose type is a code for the attendant (Reader.Attendants),
// in any code system. With birth.BFDRReading, this includes BFDR's own code. attendants leaves out
// participants who certainly missed the births.
//
// Nothing else makes a practitioner the attendant. A doula who takes part, for example, is only
// present.
func (c *course) attendants(e *fhir.Encounter, known *references) (all []int) {
	codes := c.reader.Attendants
	if len(codes) == 0 {
		codes = []string{"ATND"}
	}
	if c.bfdr != nil {
		codes = append(slices.Clone(codes), attendantOfBFDR)
	}
	for _, p := range e.Participant {
		i, ok := known.findPerson(p.Individual)
		typed := func(codes ...string) bool {
			return slices.ContainsFunc(p.Type, func(t fhir.CodeableConcept) bool { return t.HasCode(codes...) })
		}
		if typed(certifierOfBFDR) {
			p.Period.Start = "" // the date on which the birth was certified
		}
		if ok && typed(codes...) && !c.missed(p.Period) {
			all = append(all, i)
		}
	}
	return all
}

// doulaCodes lists the codes for the occupation doula in SNOMED CT and in the NUCC provider
// taxonomy.
var doulaCodes = []birth.Coding{{System: birth.SNOMED, Code: "768825008"}, {System: birth.NUCC, Code: "374J00000X"}}

func doulaTook(e *fhir.Encounter) bool {
	for _, p := range e.Participant {
		for _, t := range p.Type {
			if mapping.AnyOf(t.Coding, doulaCodes) {
				return true
			}
		}
	}
	return false
}

// titles sets the attendant's title from the qualifications. If there are several attendants, it
// uses the first one. It also sets that a doula was present if a practitioner has the qualification
// of a doula.
func (c *course) titles(attendants []int, care *states) {
	title := birth.Must("attendant_title")
	for _, p := range c.practitioners {
		if p.provider < 0 {
			continue
		}
		attendant := len(attendants) > 0 && p.provider == attendants[0]
		for _, q := range p.Qualification {
			care.from(p.at, "", "")
			if mapping.AnyOf(q.Code.Coding, doulaCodes) {
				care.flag("doula_present", true)
			}
			option := mapping.OptionAmong(title, q.Code.Coding, mapping.Meaning{})
			if attendant && option != "" && !care.Has(title.Name) && !mapping.OptionContradicted(title, option, &q.Code, false) {
				care.text(title.Name, option)
			}
		}
	}
}

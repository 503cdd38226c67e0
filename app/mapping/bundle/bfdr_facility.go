package bundle

import (
	"maps"
	"slices"
	"strings"

	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

// The types of a Location in BFDR's own code system.
const (
	birthPlace   = "loc_birth"
	transferFrom = "loc_transfer-from"
	transferTo   = "loc_transfer-to"
)

// facility adds the name of the facility where the birth took place. It uses the Locations of the
// stays (namesOf). If these name no facility, for example because the document has no Encounter, it
// uses the Locations that have BFDR's type for the place of birth. If the stays name several
// facilities, it keeps only facilities with a Location of this type.
//
// facility adds nothing if several names remain. It also adds nothing if there are Locations of
// this type but all of them belong to other facilities.
func (c *course) facility(stays []stay, born string, care *states) {
	if c.bfdr == nil {
		return
	}
	typed := placeNames{}
	for _, p := range c.bfdr.places {
		if p.typed(birthPlace) {
			typed.add(c.bfdr.facilityOf(p))
		}
	}
	named := c.bfdr.namesOf(stays, born, c.missed)
	if len(named) == 0 {
		named = typed
	}
	if len(named) > 1 { // after a change of ward or hospital, the type decides
		maps.DeleteFunc(named, func(name string, _ bool) bool { return !typed[name] })
	}
	for name := range named {
		if len(named) == 1 && (len(typed) == 0 || typed[name]) {
			care.from(fhir.Place{}, "", "").text("facility_name", name)
			c.bfdr.traceFacility(name)
		}
	}
}

// traceFacility records in the trace that the facility's name was read from the Locations with this
// name.
func (b *bfdr) traceFacility(name string) {
	for _, p := range b.places {
		if b.facilityOf(p) == name && b.trace != nil {
			b.trace.Join("facility_name", -1, p.at, "")
		}
	}
}

// placeNames is a set of names of facilities.
type placeNames map[string]bool

func (n placeNames) add(name string) {
	if name != "" {
		n[name] = true
	}
}

// namesOf returns the names of all facilities in the first stay that has any. The stays must be
// sorted by kind. namesOf skips stays at another time than the birth, planned Locations, Locations
// where the patient missed the births, and Locations from or to which the patient was transferred.
// A stay without a known purpose is used only if there is no stay of another kind.
func (b *bfdr) namesOf(stays []stay, born string, missed func(fhir.Period) bool) placeNames {
	found := placeNames{}
	for _, s := range stays {
		if s.kind == otherStay && stays[0].kind != otherStay || s.kind != birthStay && s.atAnotherTime(born) {
			continue
		}
		for _, l := range s.Location {
			i, ok := b.placeAt.find(l.Location.Reference)
			if !ok || l.Status == "planned" || l.Status == "reserved" || missed(l.Period) {
				continue
			}
			if p := b.places[i]; p.typed(birthPlace) || !p.typed(transferFrom, transferTo) {
				found.add(b.facilityOf(p))
			}
		}
		if len(found) > 0 {
			break
		}
	}
	return found
}

func (p *place) typed(codes ...string) bool {
	return slices.ContainsFunc(p.Type, func(t fhir.CodeableConcept) bool {
		return slices.ContainsFunc(codes, func(code string) bool { return means(t, bfdrCodes, code) })
	})
}

// facilityOf returns the name of the site or building that a place is or belongs to. A place
// without a physical type is assumed to be a site. facilityOf returns "" if the document doesn't
// have the site or building.
func (b *bfdr) facilityOf(p *place) string {
	for range 5 { // at most five levels: bed, room, ward, building, site
		if p.Mode == "kind" {
			return ""
		}
		if p.PhysicalType == nil || p.PhysicalType.HasCode("si", "bu") {
			return mapping.KnownName(strings.TrimSpace(p.Name))
		}
		i, ok := b.placeAt.find(p.PartOf.Reference)
		if !ok {
			break
		}
		p = b.places[i]
	}
	return ""
}

package mapping

import (
	"slices"
	"strings"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
)

// The types of a Location in BFDR's own code system.
const (
	birthPlace   = "loc_birth"
	transferFrom = "loc_transfer-from"
	transferTo   = "loc_transfer-to"
)

// facility states the name of the facility: that of the Location that the stay
// for the birth names, else of the one that is typed the birth location; some
// documents have no Encounter. Two names are none.
func (c *course) facility(stays []stay, born string, care *states) {
	if c.bfdr == nil {
		return
	}
	var typed []string
	for i := range c.bfdr.places {
		if p := c.bfdr.places[i]; p.typed(birthPlace) {
			typed = withName(typed, c.bfdr.facilityOf(p))
		}
	}
	named := c.bfdr.namesOf(stays, born)
	if len(named) == 0 {
		named = typed
	}
	if len(named) > 1 { // a ward was changed, or a hospital: which of them it was is told by the type
		named = slices.DeleteFunc(named, func(name string) bool { return !slices.Contains(typed, name) })
	}
	if len(named) == 1 && (len(typed) == 0 || slices.Contains(typed, named[0])) {
		care.text(birth.Must("facility_name").Name, named[0])
	}
}

// namesOf returns the facilities of the first stay that names any, in the order
// of placeOf.
func (b *bfdr) namesOf(stays []stay, born string) (names []string) {
	for _, s := range stays {
		if s.kind == otherStay && stays[0].kind != otherStay || s.kind != birthStay && s.elsewhen(born) {
			continue
		}
		for _, l := range s.Location {
			i, ok := b.placeAt.find(l.Location.Reference)
			if !ok || l.Status == "planned" || l.Status == "reserved" {
				continue
			}
			if p := b.places[i]; p.typed(birthPlace) || !p.typed(transferFrom, transferTo) {
				names = withName(names, b.facilityOf(p))
			}
		}
		if len(names) > 0 {
			break
		}
	}
	return names
}

func (p *place) typed(codes ...string) bool {
	return slices.ContainsFunc(p.Type, func(t fhir.CodeableConcept) bool {
		return slices.ContainsFunc(codes, func(code string) bool { return means(t, bfdrCodes, code) })
	})
}

// facilityOf is the name of the site or building that a place is, or is part of;
// "" when the document does not have it.
func (b *bfdr) facilityOf(p *place) string {
	for range 5 { // bed, room, ward, building, site
		if p.Mode == "kind" {
			return ""
		}
		if p.PhysicalType == nil || p.PhysicalType.HasCode("si", "bu") {
			return known(strings.TrimSpace(p.Name))
		}
		i, ok := b.placeAt.find(p.PartOf.Reference)
		if !ok {
			break
		}
		p = b.places[i]
	}
	return ""
}

func withName(names []string, name string) []string {
	if name == "" || slices.Contains(names, name) {
		return names
	}
	return append(names, name)
}

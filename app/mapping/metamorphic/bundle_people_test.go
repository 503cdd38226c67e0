package metamorphic

import (
	"slices"
	"strings"
)

// providerMutations change who attended, and where.
var providerMutations = []mutation{
	one("another attends as well, named second: the same, and the other was present", func(doc object) *mutant {
		if !attended(doc, func(b, e object) {
			add(b, practitioner("second", "S-second", "Zeta", "Physician"))
			e["participant"] = append(e["participant"].(list), participant(parts, "ATND", "Practitioner/second"))
		}) {
			return nil
		}
		return &mutant{free: []string{"provider"}, like: likePresent(doc)}
	}),
	one("who attends is of another code system: the same", func(doc object) *mutant {
		if !attended(doc, func(_, e object) { retype(e, "urn:hospital:roles", "ATND") }) {
			return nil
		}
		return &mutant{}
	}),
	one("who attends is a birth attendant of BFDR proper: present", func(doc object) *mutant {
		if !attended(doc, func(_, e object) { retype(e, loinc, "87286-1") }) {
			return nil
		}
		return &mutant{gone: attendantFields, free: []string{"provider"}}
	}),
	one("who attends is not in the document: nobody attends", func(doc object) *mutant {
		if !attended(doc, func(_, e object) {
			for _, p := range objectsAt(e, "participant") {
				p["individual"] = ref("Practitioner/not-here")
			}
		}) {
			return nil
		}
		return &mutant{gone: attendantFields, free: []string{"provider"}}
	}),
	one("every stay was cancelled: nobody attends, and there is no place", stayed("cancelled")),
	one("every stay was entered in error: nobody attends, and there is no place", stayed("entered-in-error")),
	one("every stay is planned: nobody attends, and there is no place", stayed("planned")),
	same("prenatal and postpartum visits are added, with attendants of their own", func(doc object) {
		for _, b := range courses(doc) {
			for _, p := range resources(b, "Practitioner") {
				who := participants(participant(parts, "ATND", referenceTo(b, p)))
				add(b, encounter(visitType("Prenatal visit"), period("2015-06-01", "2015-06-01"), who, physical("67190003")),
					encounter(visitType("Postpartum visit"), period("2035-06-01", "2035-06-01"), who, physical("67190003")))
			}
		}
	}),
	one("every place has a label: no facility", func(doc object) *mutant {
		unnamed(doc)
		every(doc, "Encounter", func(e object) {
			for _, l := range objectsAt(e, "location") {
				l["location"] = object{"reference": "Location/1", "display": "Room 4"}
			}
		})
		return &mutant{gone: []string{"facility_name"}}
	}),
	one("kinds of place are of another system: left out", func(doc object) *mutant {
		found := false
		every(doc, "Encounter", func(e object) {
			for _, l := range objectsAt(e, "location") {
				found = found || l["physicalType"] != nil
				systems(l["physicalType"], "urn:hospital:wards")
			}
		})
		if !found {
			return nil
		}
		return &mutant{gone: []string{"birth_setting"}, free: []string{"planned_birth_setting"}}
	}),
}

var attendantFields = []string{"attendant_name", "attendant_type", "attendant_title", "attendant_credentials"}

func stayed(state string) func(doc object) *mutant {
	return func(doc object) *mutant {
		found := false
		unnamed(doc)
		every(doc, "Encounter", func(e object) {
			e["status"], found = state, true
		})
		if !found {
			return nil
		}
		return &mutant{
			gone: append([]string{"birth_setting", "facility_name", "transfer"}, attendantFields...),
			free: []string{"provider", "doula_present", "planned_birth_setting"},
		}
	}
}

// unnamed removes the findings that name the facility.
func unnamed(doc object) {
	for _, f := range findings(doc) {
		if slices.Contains(f.names(), "facility_name") {
			remove(f.course, f.object)
		}
	}
}

// attended edits the Encounters that somebody attended; it returns false if there are none.
func attended(doc object, edit func(b, e object)) (found bool) {
	for _, b := range courses(doc) {
		for _, e := range resources(b, "Encounter") {
			if slices.ContainsFunc(objectsAt(e, "participant"), attends) {
				found = true
				edit(b, e)
			}
		}
	}
	return found
}

func attends(p object) bool { return strings.Contains(write(p["type"], nil), `"ATND"`) }

func retype(e object, system, code string) {
	for _, p := range objectsAt(e, "participant") {
		if attends(p) {
			p["type"] = list{concept(coding(system, code))}
		}
	}
}

// likePresent returns the document with the second attendant only present.
func likePresent(doc object) object {
	like := clone(doc)
	every(like, "Encounter", func(e object) {
		for _, p := range objectsAt(e, "participant") {
			if textAt(p, "individual", "reference") == "Practitioner/second" {
				p["type"] = list{concept(coding(parts, "SPRF"))}
			}
		}
	})
	return like
}

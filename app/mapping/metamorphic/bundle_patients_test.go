package metamorphic

import (
	"slices"
	"strings"
)

// patientMutations change the mother's names, addresses, race and ethnicity.
var patientMutations = []mutation{
	same("names of another time and kind stand before hers", func(doc object) {
		eachMother(doc, func(p object) {
			names, _ := p["name"].(list)
			if len(names) > 0 {
				p["name"] = append(list{
					object{"use": "official", "family": "Former", "given": list{"Name"}, "period": object{"end": "2015-01-01"}},
					object{"use": "maiden", "family": "Maiden"},
					object{"use": "old", "family": "Older", "given": list{"Name"}},
					object{"use": "nickname", "given": list{"Nick"}},
					object{"use": "anonymous", "family": "Confidential"},
				}, names...)
			}
		})
	}),
	same("addresses of another time and kind stand before hers", func(doc object) {
		eachMother(doc, func(p object) {
			addresses, _ := p["address"].(list)
			p["address"] = append(list{
				object{"use": "home", "postalCode": "10001", "period": object{"end": "2015-01-01"}},
				object{"use": "home", "type": "postal", "postalCode": "10002"},
				object{"use": "billing", "postalCode": "10003"},
				object{"use": "work", "postalCode": "10004"},
				object{"use": "old", "postalCode": "10005"},
				object{"use": "temp", "postalCode": "10006"},
			}, addresses...)
		})
	}),
	one("she has another home in force: no residence", func(doc object) *mutant {
		eachMother(doc, func(p object) {
			addresses, _ := p["address"].(list)
			p["address"] = append(list{object{"use": "home", "postalCode": "99501"}, object{"use": "home", "postalCode": "10001"}}, addresses...)
		})
		return &mutant{gone: []string{"mother_postal_code"}}
	}),
	one("her postal code is 99999: no residence", func(doc object) *mutant {
		eachMother(doc, func(p object) { p["address"] = list{object{"use": "home", "postalCode": "99999"}} })
		return &mutant{gone: []string{"mother_postal_code"}}
	}),
	one("she answers herself: black, and not Hispanic", func(doc object) *mutant {
		return answers(doc, object{}, `["black"]`, `"not_hispanic"`)
	}),
	one("she answers herself, though the desk registered otherwise: black, and not Hispanic", func(doc object) *mutant {
		eachMother(doc, func(p object) {
			p["extension"] = append(slices.DeleteFunc(extensionsOf(p), isExtension("us-core-race")), raceExtension("2106-3"), ethnicityExtension("2135-2"))
		})
		return answers(doc, object{}, `["black"]`, `"not_hispanic"`)
	}),
	one("her answers were entered in error, and the desk registered: what the desk has", func(doc object) *mutant {
		eachMother(doc, func(p object) { p["extension"] = list{raceExtension("2106-3"), ethnicityExtension("2135-2")} })
		return answers(doc, status("entered-in-error"), `["white"]`, `"hispanic"`)
	}),
	one("her race is a null flavor: left out", func(doc object) *mutant {
		dropAnswers(doc)
		eachMother(doc, func(p object) {
			p["extension"] = list{extension(core+"us-core-race", extended(extension("ombCategory", object{"valueCoding": coding(nulls, "UNK")}), extension("text", object{"valueString": "White"})))}
		})
		return &mutant{gone: []string{"mother_race", "mother_ethnicity"}}
	}),
	one("her race is coded in another system: left out", func(doc object) *mutant {
		dropAnswers(doc)
		eachMother(doc, func(p object) {
			p["extension"] = list{extension(core+"us-core-race", extended(extension("ombCategory", object{"valueCoding": coding("urn:hospital:race", "2106-3")})))}
		})
		return &mutant{gone: []string{"mother_race", "mother_ethnicity"}}
	}),
}

func eachMother(doc object, edit func(p object)) {
	for _, b := range courses(doc) {
		for _, p := range mothersOf(b) {
			edit(p)
		}
	}
}

func dropAnswers(doc object) {
	for _, b := range courses(doc) {
		entries, _ := b["entry"].(list)
		b["entry"] = slices.DeleteFunc(entries, func(e any) bool {
			return strings.HasPrefix(textAt(e, "resource", "code", "coding", 0, "code"), "inputraceandethnicity")
		})
	}
}

func answers(doc, members object, race, ethnicity string) *mutant {
	all := courses(doc)
	dropAnswers(doc)
	for _, b := range all {
		if len(mothersOf(b)) != 1 || len(childrenOf(b)) == 0 {
			return nil
		}
		add(b, with(raceAnswers(answered("White", false), answered("BlackOrAfricanAmerican", true), answered("HispanicMexican", false),
			answered("HispanicPuertoRican", false), answered("HispanicCuban", false), answered("HispanicOther", false)), members))
	}
	if len(all) == 0 {
		return nil
	}
	return &mutant{now: map[string]string{"mother_race": race, "mother_ethnicity": ethnicity}}
}

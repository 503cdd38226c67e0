package metamorphic

import (
	"strings"

	"birthregistry/app/birth"
)

// identityMutations change whose a fact is.
var identityMutations = []mutation{
	same("every resource has another id, and the references follow", func(doc object) {
		for _, b := range courses(doc) {
			refer(b, func(r object, _ string) string { return textAt(r, "resourceType") + "/new-" + textAt(r, "id") }, func(r object) {
				if id := textAt(r, "id"); id != "" && textAt(r, "resourceType") != "Practitioner" {
					r["id"] = "new-" + id
				}
			})
		}
	}),
	same("references are absolute, to the fullUrl", func(doc object) {
		addressed(doc, func(kind, id string) string { return "https://ehr.example/fhir/" + kind + "/" + id })
	}),
	same("references are urn:uuid, to the fullUrl", func(doc object) {
		addressed(doc, func(kind, id string) string { return "urn:uuid:" + strings.ToLower(kind) + "-" + id })
	}),
	same("references name a version", func(doc object) {
		addressed(doc, func(kind, id string) string { return "https://ehr.example/fhir/" + kind + "/" + id })
		everyObject(doc, func(o object) {
			if r, ok := o["reference"].(string); ok && strings.HasPrefix(r, "https://ehr.example/fhir/") {
				o["reference"] = r + "/_history/3"
			}
		})
	}),
	same("another Patient without a role is added, with findings about them", func(doc object) {
		for _, b := range courses(doc) {
			add(b, patient("neighbor", core+"us-core-patient", object{"birthDate": "2022-01-10"}))
			for _, o := range fullFindings("Patient/neighbor") {
				o["subject"], o["effectiveDateTime"] = ref("Patient/neighbor"), "2030-01-01"
				add(b, o)
			}
		}
	}),
	same("the father is added, with what is asked of fathers", func(doc object) {
		for _, b := range courses(doc) {
			add(b, father, observation("87300-0", about("RelatedPerson/father"), object{"valueCodeableConcept": concept(coding("http://terminology.hl7.org/CodeSystem/v3-EducationLevel", "ELEM"))}),
				with(raceAnswers(answered("Samoan", true), answered("HispanicCuban", true)), about("RelatedPerson/father"), object{"code": concept(coding(localCodes, "inputraceandethnicityFather"))}))
		}
	}),
	lose("what is said of a child is said of a brother without a role: lost", ofChild, func(f finding) {
		addBrother(f.course)
		f.object["subject"] = ref("Patient/brother")
		delete(f.object, "focus")
	}),
	lose("what is said of a child has the brother in focus: lost", ofChild, func(f finding) {
		addBrother(f.course)
		f.object["focus"] = list{ref("Patient/brother")}
	}),
	lose("what is said of a child is said of nobody in the document: lost", ofChild, func(f finding) {
		f.object["subject"] = ref("Patient/not-here")
		delete(f.object, "focus")
	}),
	lose("what is said of the mother is said of the father: lost", ofMother, func(f finding) {
		add(f.course, father)
		f.object["subject"] = ref("RelatedPerson/father")
		delete(f.object, "focus")
	}),
	lose("what is said of the mother has the father in focus: lost", ofMother, func(f finding) {
		add(f.course, father)
		f.object["focus"] = list{ref("RelatedPerson/father")}
	}),
	lose("what is said of a twin has the other in focus: lost", func(f finding) bool {
		return f.only() != nil && f.only().About == birth.Child && len(childrenOf(f.course)) == 2
	}, func(f finding) {
		first, second := referenceTo(f.course, childrenOf(f.course)[0]), referenceTo(f.course, childrenOf(f.course)[1])
		f.object["subject"], f.object["focus"] = ref(first), list{ref(second)}
	}),
	{says: "what is said of a child hangs on the mother, with the child in focus: the same", make: func(doc object) []mutant {
		changed := false
		for _, f := range findings(doc) {
			subject := textAt(f.object, "subject", "reference")
			for _, c := range childrenOf(f.course) {
				if ofChild(f) && subject != "" && subject == referenceTo(f.course, c) && f.object["focus"] == nil {
					f.object["subject"], f.object["focus"] = ref(referenceTo(f.course, mothersOf(f.course)[0])), list{ref(subject)}
					changed = true
				}
			}
		}
		if !changed {
			return nil
		}
		return []mutant{{doc: doc}}
	}},
}

func ofChild(f finding) bool {
	return f.only() != nil && f.only().About == birth.Child && len(mothersOf(f.course)) > 0
}

func ofMother(f finding) bool { return f.only() != nil && f.only().About == birth.Mother }

func addBrother(b object) {
	for _, p := range resources(b, "Patient") {
		if textAt(p, "id") == "brother" {
			return
		}
	}
	add(b, patient("brother", core+"us-core-patient", object{"birthDate": "2022-01-10"}))
}

// refer replaces each reference of a course to one of its resources by the name that name
// returns. edit may change the ID of a resource. A fullUrl with the same ending as the
// reference changes with it.
func refer(b object, name func(r object, old string) string, edit func(r object)) {
	renamed := map[string]string{}
	for _, r := range resources(b, "") {
		id := textAt(r, "id")
		if id == "" || textAt(r, "resourceType") == "Practitioner" {
			continue
		}
		old := textAt(r, "resourceType") + "/" + id
		renamed[old] = name(r, old)
		edit(r)
	}
	for _, e := range objectsAt(b, "entry") {
		for old, now := range renamed {
			if url := textAt(e, "fullUrl"); strings.HasSuffix(url, "/"+old) {
				e["fullUrl"] = strings.TrimSuffix(url, old) + now
				renamed[url] = textAt(e, "fullUrl")
			}
		}
	}
	everyObject(b, func(o object) {
		to, version, versioned := strings.Cut(textAt(o, "reference"), "/_history/")
		if now := renamed[to]; now != "" {
			o["reference"] = now
			if versioned {
				o["reference"] = now + "/_history/" + version
			}
		}
	})
}

// addressed gives every resource an address and uses it in the references.
func addressed(doc object, address func(kind, id string) string) {
	for _, b := range courses(doc) {
		taken, now := map[string]bool{}, map[string]string{}
		for _, e := range objectsAt(b, "entry") {
			r, _ := e["resource"].(object)
			kind, id := textAt(r, "resourceType"), textAt(r, "id")
			if id == "" || kind == "Bundle" {
				continue
			}
			url := address(kind, id)
			if taken[url] { // two resources claim one ID, so there is nothing to test
				return
			}
			taken[url] = true
			if was := textAt(e, "fullUrl"); was != "" {
				now[was] = url
			}
			now[kind+"/"+id] = url
			e["fullUrl"] = url
		}
		everyObject(b, func(o object) {
			to, _, _ := strings.Cut(textAt(o, "reference"), "/_history/")
			if url := now[to]; url != "" {
				o["reference"] = url
			}
		})
	}
}

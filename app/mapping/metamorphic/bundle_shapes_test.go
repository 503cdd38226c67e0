package metamorphic

import (
	"slices"
)

// shapeMutations put wrong JSON types into a document.
var shapeMutations = []mutation{
	same("wrong types stand in findings that are not ours", func(doc object) {
		for _, b := range courses(doc) {
			add(b, observation("2339-0", object{
				"subject": "Patient/mother", "valueDateTime": 5, "valueQuantity": "x", "valueInteger": list{}, "component": object{}, "status": 7, "focus": true, "dataAbsentReason": "x",
			}))
		}
	}),
	same("wrong types stand in members that nobody reads", func(doc object) {
		every(doc, "", func(r object) {
			r["language"], r["implicitRules"], r["telecom"], r["note"] = 5, list{}, 7, "x"
			r["contact"], r["photo"], r["category"], r["serviceType"] = true, object{}, 9, "x"
		})
	}),
	same("wrong types stand in resources that nobody reads", func(doc object) {
		for _, b := range courses(doc) {
			add(b, object{"resourceType": "Procedure", "code": 5, "subject": "x", "status": list{}}, object{"resourceType": "Coverage", "type": list{7}}, object{"resourceType": "Location", "name": object{}})
		}
	}),
	lose("values are of a wrong type: lost", anything, func(f finding) {
		for name := range f.object {
			if len(name) > 5 && name[:5] == "value" {
				f.object[name] = list{list{}}
			}
		}
		if f.object["component"] != nil {
			f.object["component"] = "x"
		}
	}),
	lose("amounts are texts where a Quantity belongs: lost", hasAmount, func(f finding) { f.object["valueQuantity"] = "3420 g" }),
	lose("dates are numbers: lost", hasDate, func(f finding) { f.object["valueDateTime"] = n("20260302") }),
	lose("yes and no are texts: lost", hasFlag, func(f finding) { f.object["valueBoolean"] = object{} }),
	one("the birth dates of all are numbers: left out", func(doc object) *mutant {
		every(doc, "Patient", func(p object) {
			p["birthDate"] = n("20260302")
			delete(p, "_birthDate")
		})
		return &mutant{gone: []string{"birth_date", "birth_datetime", "mother_birth_date", "birth_month"}, free: []string{"mother_age_years"}}
	}),
	one("the sex is a number: left out", func(doc object) *mutant {
		every(doc, "Patient", func(p object) {
			p["gender"] = n("2")
			everyObject(p, func(o object) {
				o["extension"] = slices.DeleteFunc(extensionsOf(o), isExtension("us-core-birthsex"))
			})
		})
		return &mutant{gone: []string{"child_sex"}}
	}),
	one("addresses are texts: left out", func(doc object) *mutant {
		every(doc, "Patient", func(p object) { p["address"] = "14 Invented Lane" })
		return &mutant{gone: []string{"mother_postal_code"}}
	}),
	one("participants are texts: nobody attends", func(doc object) *mutant {
		every(doc, "Encounter", func(e object) { e["participant"] = "Olive Reyes" })
		return &mutant{gone: []string{"attendant_name", "attendant_type", "attendant_credentials", "attendant_title"}, free: []string{"provider", "doula_present"}}
	}),
	one("the consent is of wrong types: not granted, and no rejection", func(doc object) *mutant {
		granted := false
		every(doc, "Consent", func(c object) {
			granted = true
			c["status"], c["provision"], c["dateTime"] = list{"active"}, "permit", n("2026")
		})
		if !granted {
			return nil
		}
		return &mutant{now: map[string]string{"consent_granted": "false"}, free: []string{"consent_datetime"}}
	}),
	refusedShape("entries are an object", func(b object) { b["entry"] = object{"resource": b["entry"]} }),
	refusedShape("a resource is a text", func(b object) { b["entry"].(list)[0].(object)["resource"] = "Patient/mother" }),
	refusedShape("the type of a resource is a number", func(b object) { add(b, object{"resourceType": n("5")}) }),
	refusedShape("profiles are a text", func(b object) {
		for _, p := range mothersOf(b) {
			p["meta"] = object{"profile": vrcl + "Patient-mother-vr"}
		}
	}),
	refusedShape("the chart number is a text next to its place", func(b object) { b["identifier"] = "C-1" }),
	refusedShape("the mother's name is an object", func(b object) {
		for _, p := range mothersOf(b) {
			p["name"] = object{"family": "Okonkwo"}
		}
	}),
	refusedShape("the subject of a finding that is ours is a text", func(b object) { add(b, observation("9274-2", integer(9), object{"subject": "Patient/child"})) }),
}

func refusedShape(says string, edit func(b object)) mutation {
	return one(says+": refused", func(doc object) *mutant {
		return rejected(doc, "structure", func(b object) bool {
			edit(b)
			return true
		})
	})
}

func extensionsOf(p object) list {
	all, _ := p["extension"].(list)
	return all
}

func isExtension(name string) func(any) bool {
	return func(e any) bool {
		url := textAt(e, "url")
		return len(url) >= len(name) && url[len(url)-len(name):] == name
	}
}

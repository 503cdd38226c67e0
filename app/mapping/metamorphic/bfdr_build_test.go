package metamorphic

// The resources that only the wider reading reads, as BFDR 2.0.0 defines them.

const bfdrCodes = "http://hl7.org/fhir/us/bfdr/CodeSystem/CodeSystem-local-bfdr-codes"

func procedure(category, code string, more ...object) object {
	return with(object{
		"resourceType": "Procedure", "status": "completed", "subject": ref("Patient/mother"),
		"category": concept(coding(loinc, category)), "code": concept(coding(snomed, code)),
	}, more...)
}

func reportedCondition(category, code string, more ...object) object {
	return with(object{
		"resourceType": "Condition", "subject": ref("Patient/mother"), "category": list{
			concept(coding("http://terminology.hl7.org/CodeSystem/condition-category", "problem-list-item")), concept(coding(loinc, category)),
		}, "code": concept(coding(snomed, code)),
	}, more...)
}

func coverage(payer string, more ...object) object {
	return with(object{
		"resourceType": "Coverage", "status": "active", "beneficiary": ref("Patient/mother"), "payor": list{object{"display": "as entered"}},
		"meta": object{"profile": list{bfdr + "Coverage-principal-payer-delivery"}}, "type": concept(coding("https://nahdo.org/sopt", payer)),
	}, more...)
}

func location(id, kind, name string, more ...object) object {
	return with(object{"resourceType": "Location", "id": id, "name": name, "type": list{concept(coding(bfdrCodes, kind))}}, more...)
}

// atLocation returns the place of an Encounter.
func atLocation(id string) object {
	return object{"location": list{object{"location": ref("Location/" + id), "physicalType": concept(coding(snomed, "22232009"))}}}
}

// proper returns a document whose Procedures, Conditions and Coverages state what BFDR 2.0.0
// states there.
func proper() object {
	mw := with(practitioner("reyes", "S-1", "Reyes", "Certified Nurse Midwife"), object{"meta": object{"profile": list{bfdr + "Practitioner-birth-attendant"}}})
	doc := bundleOf(
		object{"resourceType": "Composition", "status": "final", "type": concept(coding(loinc, "68998-4")), "subject": ref("Patient/child")},
		fullMother(), fullChild(object{"multipleBirthBoolean": false}), mw,
		procedure("73762-7", "61586001"), procedure("73813-8", "236958009"), procedure("73813-8", "18946005"), procedure("73781-7", "116859006"),
		reportedCondition("73775-9", "11687002"), reportedCondition("73775-9", "38341003"), reportedCondition("72519-2", "105629000"),
		reportedCondition("73813-8", "11612004"), reportedCondition("73781-7", "398019008"), reportedCondition("73780-9", "80281008", about("Patient/child")),
		procedure("73812-0", "434701000124101", about("Patient/child")), coverage("2"),
		location("south", "loc_birth", "South Hospital"), location("north", "loc_transfer-to", "North Hospital"),
		birthEncounter(atLocation("south"), participants(participant(loinc, "87286-1", "Practitioner/reyes"))),
		observation("8339-4", about("Patient/child"), amount("3420", "g")),
	)
	return with(doc, object{"identifier": object{"value": "C-5"}})
}

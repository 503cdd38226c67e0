package metamorphic

// bfdrMutations change the subjects of the Procedures, Conditions, Coverages and Locations
// that only the wider reading reads.
var bfdrMutations = []mutation{
	drop("Procedures are about the brother", "Procedure", aboutBrother),
	drop("Procedures are about nobody in the document", "Procedure", func(r object) { r["subject"] = ref("Patient/not-here") }),
	drop("diagnoses are about the brother", "Condition", aboutBrother),
	drop("diagnoses are about nobody in the document", "Condition", func(r object) { r["subject"] = ref("Patient/not-here") }),
	drop("the payer is that of the brother", "Coverage", func(r object) { r["beneficiary"] = ref("Patient/brother") }),
	drop("places have no name", "Location", func(r object) { delete(r, "name") }),
	drop("places are kinds of places", "Location", func(r object) { r["mode"] = "kind" }),
	one("places are where a child was taken: no facility", func(doc object) *mutant {
		found := false
		every(doc, "Location", func(r object) {
			found = true
			r["type"] = list{concept(coding(bfdrCodes, "loc_transfer-to"))}
		})
		if !found {
			return nil
		}
		every(doc, "Encounter", func(stay object) { // a label names a place, too
			everyObject(stay["location"], func(o object) { delete(o, "display") })
		})
		return &mutant{gone: []string{"facility_name"}}
	}),
	same("everything besides comes in the opposite order", func(doc object) {
		for _, b := range courses(doc) {
			reverse(b, "Procedure", "Condition", "Coverage", "Location")
		}
	}),
	same("Procedures, diagnoses and Coverages about a brother are added", func(doc object) {
		for _, b := range courses(doc) {
			addBrother(b)
			whose := about("Patient/brother")
			add(b, procedure("73762-7", "11466000", whose), procedure("73812-0", "434621000124103", whose), reportedCondition("73780-9", "70156005", whose),
				reportedCondition("73775-9", "15938005", whose), coverage("81", object{"beneficiary": ref("Patient/brother")}))
		}
	}),
	same("what runs in the family is added", func(doc object) {
		for _, b := range courses(doc) {
			add(b, object{"resourceType": "FamilyMemberHistory", "patient": ref("Patient/mother"), "condition": list{object{"code": concept(coding(snomed, "73211009"))}}})
		}
	}),
	same("diagnoses and Procedures of no category are added", func(doc object) {
		for _, b := range courses(doc) {
			add(b, with(procedure("", "11466000"), object{"category": nil}), with(reportedCondition("", "15938005"), object{"category": nil}))
		}
	}),
}

// drop returns a mutation that edits resources of a kind so that none of them is read: the
// document then reads as it would without them.
func drop(says, kind string, edit func(object)) mutation {
	return mutation{says: says + ": lost", make: func(doc object) []mutant {
		like, changed := clone(doc), false
		for _, b := range courses(like) {
			for _, r := range resources(b, kind) {
				remove(b, r)
				changed = true
			}
		}
		for _, b := range courses(doc) {
			for _, r := range resources(b, kind) {
				addBrother(b)
				edit(r)
			}
		}
		if !changed {
			return nil
		}
		return []mutant{{doc: doc, like: like, lost: true, free: elsewhere}}
	}}
}

func aboutBrother(r object) { r["subject"] = ref("Patient/brother") }

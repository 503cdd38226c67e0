package metamorphic

// Documents of this project that state as much as a document can.

// fullFindings returns an Observation of every kind about one child.
func fullFindings(child string) []object {
	mothers, of := about("Patient/mother"), about(child)
	yes := func(code string) object {
		return object{"valueCodeableConcept": concept(coding(v20136, code))}
	}
	return []object{
		observation("11996-6", mothers, integer(3)), observation("11977-6", mothers, integer(1)), observation("11638-4", mothers, integer(1)),
		observation("68496-9", mothers, integer(0)), observation("69043-8", mothers, integer(1)), observation("68497-7", mothers, integer(1)),
		observation("68499-3", mothers, object{"valueDateTime": "2022-03"}), observation("68500-8", mothers, object{"valueDateTime": "2020-07-15"}),
		observation("8665-2", mothers, object{"valueDateTime": "2025-05-26"}), observation("11778-8", mothers, object{"valueDateTime": "2026-03-02"}),
		observation("69044-6", mothers, focused(child), object{"valueDateTime": "2025-07-20"}), observation("68493-6", mothers, integer(11)),
		observation("8302-2", mothers, amount("67", "[in_i]")), observation("56077-1", mothers, amount("145", "[lb_av]")), observation("69461-2", mothers, amount("175", "[lb_av]")),
		observation("64794-1", mothers, focused(child), integer(10)), observation("87298-6", mothers, integer(5)), observation("87299-4", mothers, integer(2)), observation("64795-8", mothers, integer(1)),
		observation("87303-4", mothers, yes("Y")), observation("87301-8", mothers, yes("N")),
		observation("57712-2", of, focused("Patient/mother"), object{"valueCodeableConcept": concept(coding("http://terminology.hl7.org/CodeSystem/v3-EducationLevel", "POSTG"))}),
		observation("73775-9", mothers, sct("11687002")), observation("72519-2", mothers, sct("105629000")), observation("73813-8", mothers, sct("434691000124101")),
		observation("73781-7", mothers, sct("116859006")), observation("73760-1", mothers, focused(child), object{"valueBoolean": true}),
		observation("73762-7", mothers, sct("274130007")), observation("73761-9", of, sct("6096002")), observation("8339-4", of, amount("3420", "g")),
		observation("11884-4", of, amount("39", "wk")), observation("9272-6", of, integer(7)), observation("9274-2", of, object{"valueQuantity": object{"value": 9, "unit": "{score}", "code": "{score}", "system": ucum}}),
		observation("9271-8", of, integer(10)), observation("73757-7", of, object{"valueBoolean": true}), observation("73812-0", of, sct("830077005")), observation("73780-9", of, sct("80281008")),
		observation("73756-9", of, object{"valueBoolean": true}), observation("73773-4", mothers, integer(1)), observation("73772-6", mothers, integer(0)),
		ownObservation("blood_loss_ml", mothers, amount("300", "mL")), ownObservation("birth_position", mothers, object{"valueCodeableConcept": concept(coding(own, "kneeling"))}),
		ownObservation("labor_onset_datetime", mothers, object{"valueDateTime": "2026-03-01T22:10:00-05:00"}), ownObservation("delayed_cord_clamping", of, amount("90", "s")),
		ownObservation("water_immersion", mothers, object{"valueCodeableConcept": concept(coding(own, "labor"))}), ownObservation("steroids_lung_maturation", mothers, object{"valueBoolean": false}),
	}
}

// fullMother and fullChild return Patients with every member that the reader reads.
func fullMother() object {
	return mother(object{
		"name": list{
			object{"use": "maiden", "family": "Eze"},
			object{"use": "official", "family": "Okonkwo", "given": list{"Amara", "Ife"}},
		},
		"gender": "female", "extension": list{raceExtension("2054-5"), ethnicityExtension("2186-5")},
		"address": list{
			object{"use": "billing", "postalCode": "05402"},
			object{"use": "home", "line": list{"14 Invented Lane"}, "postalCode": "05401", "period": object{"start": "2019-01-01"}},
		},
	})
}

func fullChild(more ...object) object {
	return child(append([]object{birthTime("2026-03-02", "2026-03-02T04:18:00-05:00"), {
		"name":      list{object{"use": "official", "family": "Okonkwo", "given": list{"Zora"}}},
		"extension": list{extension(core+"us-core-birthsex", object{"valueCode": "F"})}, "gender": "female",
	}}, more...)...)
}

func fullPlace(child string) []object {
	return []object{
		practitioner("reyes", "S-1", "Reyes", "Certified Nurse Midwife"), practitioner("moon", "S-2", "Moon", "Doula"),
		birthEncounter(about(child), period("2026-03-01T21:00:00-05:00", "2026-03-03T09:00:00-05:00"), physical("91154008"),
			participants(participant(parts, "ATND", "Practitioner/reyes"), participant(parts, "SPRF", "Practitioner/moon"))),
		{"resourceType": "Consent", "status": "active", "dateTime": "2026-02-01T10:00:00-05:00", "provision": object{"type": "permit"}},
	}
}

// single returns one course with one child, with its parts in the order in which most systems
// send them.
func single() object {
	doc := bundleOf(append([]object{
		{"resourceType": "Composition", "status": "final", "type": concept(coding(loinc, "68998-4")), "subject": ref("Patient/child")},
		fullMother(), fullChild(),
	}, append(fullFindings("Patient/child"), fullPlace("Patient/child")...)...)...)
	return with(doc, object{"meta": object{"lastUpdated": "2026-03-03T09:30:00-05:00"}, "timestamp": "2026-03-03T09:30:00-05:00"})
}

// pair returns one course with twins, distinguished by subject and by focus.
func pair() object {
	a, b := fullChild(object{"id": "a", "multipleBirthInteger": 1}), fullChild(object{"id": "b", "multipleBirthInteger": 2})
	doc := bundleOf(
		fullMother(), a, b,
		observation("8339-4", about("Patient/a"), amount("2700", "g")), observation("8339-4", about("Patient/mother"), focused("Patient/b"), amount("2500", "g")),
		observation("9274-2", about("Patient/a"), integer(9)), observation("9274-2", about("Patient/b"), integer(8)),
		observation("73761-9", about("Patient/a"), sct("70028003")), observation("73761-9", about("Patient/b"), sct("6096002")),
		observation("11884-4", about("Patient/mother"), amount("36", "wk")), observation("73762-7", about("Patient/mother"), sct("11466000")),
		observation("69461-2", about("Patient/mother"), amount("80", "kg")),
	)
	return with(doc, object{"identifier": object{"value": "C-2"}})
}

// unborn returns a fetal death.
func unborn() object {
	doc := bundleOf(
		object{"resourceType": "Composition", "status": "final", "type": concept(coding(loinc, "69045-3")), "subject": ref("Patient/child")},
		with(fullMother(), object{"extension": nil}), fullChild(object{"meta": object{"profile": list{bfdr + "Patient-decedent-fetus"}}, "name": nil}),
		raceAnswers(answered("BlackOrAfricanAmerican", true), answered("HispanicMexican", false), answered("HispanicPuertoRican", false),
			answered("HispanicCuban", false), answered("HispanicOther", false)),
		observation("8339-4", about("Patient/child"), amount("1.53", "kg")), observation("11884-4", about("Patient/mother"), amount("141", "d")),
		observation("73772-6", about("Patient/mother"), integer(1)), observation("73811-2", about("Patient/child"), sct("434681000124104")),
	)
	return with(doc, object{"identifier": object{"value": "C-3"}})
}

// firstOfTwo returns the document of one of two children born alive.
func firstOfTwo() object {
	doc := bundleOf(
		fullMother(), fullChild(object{"multipleBirthInteger": 1}), observation("8339-4", about("Patient/child"), amount("2500", "g")),
		observation("73773-4", about("Patient/mother"), integer(2)),
	)
	return with(doc, object{"identifier": object{"value": "C-4"}})
}

// batch returns three courses, one of them in a message.
func batch() object {
	message := object{"resourceType": "Bundle", "type": "message", "entry": list{
		object{"resource": object{"resourceType": "MessageHeader", "eventUri": "http://nchs.cdc.gov/bfdr_submission"}}, object{"resource": single()},
	}}
	return object{"resourceType": "Bundle", "type": "batch", "entry": list{object{"resource": pair()}, object{"resource": message}, object{"resource": unborn()}}}
}

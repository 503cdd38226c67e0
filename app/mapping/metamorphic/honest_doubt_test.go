package metamorphic

// Documents that state a fact twice, or in two ways, or that state other facts as well.
var honestDoubts = []honest{
	{
		says: "the child is sent twice, as two versions of one resource",
		doc:  served([]string{"http://a.example/Patient/mother", "http://a.example/Patient/child", "http://a.example/Patient/child"}, mother(), child(), child()),
	},
	{
		says: "a stay of the older brother, with his transfer, his attendant and his hospital",
		doc: course(patient("brother", core+"us-core-patient"), practitioner("ped", "S-1", "Adler", "Pediatrician"), encounter(
			about("Patient/brother"), period("2026-03-01", "2026-03-04"), physical("22232009"), participants(participant(parts, "ATND", "Practitioner/ped")),
			object{"hospitalization": object{"dischargeDisposition": concept(coding("http://terminology.hl7.org/CodeSystem/discharge-disposition", "other-hcf"))}},
		)),
		want: "provider[0] S-1 |  | Adler | Pediatrician | other",
	},
	{
		says: "a place that was planned, and the one where it was",
		doc: course(birthEncounter(object{"location": list{
			object{"status": "planned", "physicalType": concept(coding(snomed, "22232009"))},
			object{"status": "completed", "physicalType": concept(coding(snomed, "91154008"))},
		}})),
		want: `birth_setting "birth_center"`, either: "birth_setting",
	},
	{
		says: "two kinds of place in one stay, at home and then in the hospital",
		doc: course(birthEncounter(object{"location": list{
			object{"physicalType": concept(coding(snomed, "408839006"))}, object{"physicalType": concept(coding(snomed, "22232009"))},
		}})),
		want: `planned_birth_setting "home"`, either: "planned_birth_setting",
	},
	{
		says: "two values in one Observation",
		doc:  course(observation("9274-2", about("Patient/child"), integer(8), object{"valueQuantity": object{"value": 9, "code": "{score}", "system": ucum}})),
	},
	{
		says: "two codes of ours in one Observation",
		doc:  course(observation("", about("Patient/child"), object{"code": concept(coding(loinc, "9272-6"), coding(loinc, "9274-2"))}, integer(8))),
	},
	{
		says: "both twins are said to be the first",
		doc:  bundleOf(mother(), twin("a", 1), twin("b", 1)),
		want: secondChild + "plurality 2", either: "plurality",
	},
	{
		says: "a home whose period ends years after the birth",
		doc:  bundleOf(mother(object{"address": list{object{"use": "home", "postalCode": "05401", "period": object{"start": "2019-01-01", "end": "2031-01-01"}}}}), child()),
		want: `mother_postal_code "05401"`, either: "mother_postal_code",
	},
	{
		says: "a home that she moved into after the birth, and the one before",
		doc: bundleOf(mother(object{"address": list{
			object{"use": "home", "postalCode": "10001", "period": object{"start": "2026-05-01"}},
			object{"use": "home", "postalCode": "05401", "period": object{"start": "2019-01-01", "end": "2026-05-01"}},
		}}), child()),
		want: `mother_postal_code "05401"`, either: "mother_postal_code",
	},
	{
		says: "a postal code of zeros, of words and of another country",
		doc:  bundleOf(mother(object{"address": list{object{"use": "home", "postalCode": "00000"}}}), child()),
	},
	{
		says: "the words of units, as people write them",
		doc: course(
			observation("8339-4", about("Patient/child"), object{"valueQuantity": object{"value": 3420, "unit": "Grams", "code": "g", "system": ucum}}),
			observation("69461-2", about("Patient/mother"), object{"valueQuantity": object{"value": 175, "unit": "pounds", "code": "[lb_av]", "system": ucum}}),
			observation("56077-1", about("Patient/mother"), object{"valueQuantity": object{"value": 65, "unit": "Kilograms", "code": "kg", "system": ucum}}),
			observation("8302-2", about("Patient/mother"), object{"valueQuantity": object{"value": 67, "unit": "inches", "code": "[in_i]", "system": ucum}}),
			observation("11884-4", about("Patient/child"), object{"valueQuantity": object{"value": 39, "unit": "completed weeks", "code": "wk", "system": ucum}}),
			observation("9274-2", about("Patient/child"), object{"valueQuantity": object{"value": 9, "unit": "points", "code": "{score}", "system": ucum}}),
		),
		want: `child[0].birth_weight_g 3420
			delivery_weight_lb 175
			prepregnancy_weight_lb 143.3
			mother_height_in 67
			child[0].gestational_age_weeks 39
			child[0].apgar_five_minute 9`,
	},
	{
		says: "a code of a unit in another system of units",
		doc:  course(observation("8339-4", about("Patient/child"), object{"valueQuantity": object{"value": 3420, "code": "g", "system": "urn:hospital:units"}})),
	},
	{
		says: "a fetal death report about the first of two children",
		doc:  bundleOf(object{"resourceType": "Composition", "status": "final", "type": concept(coding(loinc, "69045-3")), "subject": ref("Patient/a")}, mother(), twin("a", 1), twin("b", 2)),
		want: secondChild + `plurality 2
			child[0].birth_order 1
			child[1].birth_order 2
			child[0].live_birth false`, either: "child[1].live_birth",
	},
	{
		says: "a Composition of the father's, and a mother's weight that names nobody",
		doc:  course(observation("69461-2", amount("175", "[lb_av]"))),
		want: "delivery_weight_lb 175", either: "delivery_weight_lb",
	},
	{
		says: "a count of earlier births whose subject is a grandmother",
		doc:  course(patient("grandmother", ""), observation("11977-6", about("Patient/grandmother"), integer(6)), observation("68499-3", about("Patient/grandmother"), object{"valueDateTime": "1994-05-17"})),
	},
	{
		says: "times of labor that are dates alone, and one without an offset",
		doc: course(ownObservation("labor_onset_datetime", about("Patient/mother"), object{"valueDateTime": "2026-03-01"}),
			ownObservation("membranes_ruptured_datetime", about("Patient/mother"), object{"valueDateTime": "2026-03-01T23:10:00"})),
		want: `labor_onset_datetime "2026-03-01"
			membranes_ruptured_datetime "2026-03-01T23:10:00"`, either: "labor_onset_datetime",
	},
	{
		says: "an Apgar score that is a code with its own number, and one in an interpretation",
		doc: course(observation("9274-2", about("Patient/child"), object{"valueCodeableConcept": concept(coding(loinc, "LA6718-5"))}),
			observation("9272-6", about("Patient/child"), object{"interpretation": list{object{"text": "8"}}})),
	},
	{
		says: "yes and no of every system, and yes in words",
		doc: course(
			observation("87303-4", about("Patient/mother"), object{"valueCodeableConcept": concept(coding("http://terminology.hl7.org/CodeSystem/v2-0532", "Y"))}),
			observation("87301-8", about("Patient/mother"), object{"valueCodeableConcept": concept(coding(snomed, "373067005"))}),
			observation("73760-1", about("Patient/mother"), object{"valueCodeableConcept": object{"text": "yes, of course"}}),
		),
		want: "wic_received true\nmother_married false",
	},
	{
		says:   "a yes in a hospital's own system",
		doc:    course(observation("87303-4", about("Patient/mother"), object{"valueCodeableConcept": concept(coding("urn:hospital:answers", "Y"))})),
		either: "wic_received",
	},
	{
		says: "the education of the mother in a register of professions",
		doc:  course(observation("57712-2", about("Patient/mother"), object{"valueCodeableConcept": concept(coding("urn:hospital:professions", "MA"))})),
	},
	{
		says: "a transfer that was declined, one that is planned, one of a brother",
		doc: course(patient("brother", ""), encounter(visitType("Intrapartum transfer to hospital"), status("planned")), encounter(visitType("Patient declined transfer to hospital")),
			encounter(visitType("Neonatal transfer to hospital"), about("Patient/brother"))),
	},
}

package metamorphic

// Documents as systems write them that the registry was not built with.

const twinsOf = secondChild + "plurality 2\nchild[0].birth_order 1\nchild[1].birth_order 2\n"

func identifier(system, value string) object { return object{"system": system, "value": value} }

func numbered(system, value string) object {
	return object{"identifier": list{identifier(system, value)}}
}

// panelOf returns an Observation with components.
func panelOf(code string, more object, components ...object) object {
	all := list{}
	for _, c := range components {
		all = append(all, c)
	}
	return observation(code, more, object{"component": all})
}

func component(code string, value object) object {
	return with(object{"code": concept(coding(loinc, code))}, value)
}

func replacedBy(to string) object {
	return object{"link": list{object{"type": "replaced-by", "other": ref(to)}}}
}

var honestSenders = []honest{
	{
		says: "everybody is named by a number",
		doc: bundleOf(mother(numbered("urn:mrn", "1")), twin("a", 1, numbered("urn:mrn", "2")), twin("b", 2, numbered("urn:mrn", "3")),
			observation("8339-4", object{"subject": object{"identifier": identifier("urn:mrn", "3")}}, amount("2500", "g")),
			observation("9274-2", object{"subject": object{"identifier": identifier("urn:mrn", "4")}}, integer(3)),
			observation("8302-2", object{"subject": object{"identifier": identifier("urn:mrn", "1")}}, amount("67", "[in_i]"))),
		want: twinsOf + "child[1].birth_weight_g 2500\nmother_height_in 67",
	},
	{
		says: "a panel of Apgar scores, and one of weeks and days",
		doc: course(
			panelOf("48334-7", about("Patient/child"), component("9272-6", integer(7)), component("9274-2", integer(9)), component("9271-8", object{"dataAbsentReason": concept(coding("urn:x", "not-performed"))})),
			panelOf("11884-4", about("Patient/child"), component("11884-4", amount("39", "wk")), component("11884-4", amount("2", "d"))),
		),
		want: `child[0].apgar_one_minute 7
			child[0].apgar_five_minute 9
			child[0].gestational_age_weeks 39
			child[0].gestational_age_days 2`,
	},
	{
		says: "the panel of an earlier pregnancy, with values and with members",
		doc: course(
			panelOf("57060-6", object{"code": worded(concept(coding(loinc, "57060-6")), "Previous pregnancy, 2021"), "subject": ref("Patient/mother")}, component("69461-2", amount("90", "kg")), component("11977-6", integer(1))),
			observation("X", about("Patient/mother"), object{"code": object{"text": "Pregnancy of 2021: previous delivery"}, "hasMember": list{ref("Observation/r"), ref("Observation/w")}}),
			observation("73762-7", about("Patient/mother"), object{"id": "r"}, sct("11466000")), observation("8339-4", about("Patient/mother"), object{"id": "w"}, amount("2900", "g")),
		),
		want: "parity 1", either: "parity",
	},
	{
		says: "facts of a stay years ago, with the date of the stay alone, and others with the day when they were issued",
		doc: course(
			encounter(object{"id": "old"}, period("2021-04-01", "2021-04-03")), encounter(object{"id": "now"}, period("2026-03-01", "2026-03-04")),
			observation("69461-2", about("Patient/mother"), object{"encounter": ref("Encounter/old")}, amount("90", "kg")),
			observation("73762-7", about("Patient/mother"), object{"issued": "2021-04-01T10:00:00Z"}, sct("11466000")),
			observation("8339-4", about("Patient/mother"), object{"meta": object{"lastUpdated": "2021-04-02T10:00:00Z"}}, amount("2900", "g")),
			observation("68493-6", about("Patient/mother"), object{"encounter": ref("Encounter/now")}, integer(11)),
		),
		want: "prenatal_visit_count 11",
	},
	{
		says: "a child with two records that were merged, and a mother with two",
		doc: bundleOf(mother(object{"id": "other", "name": list{object{"family": "Ok"}}}, replacedBy("Patient/mother")), mother(), child(object{"id": "old"}, replacedBy("Patient/child")), child(),
			observation("8339-4", about("Patient/old"), amount("3420", "g")), observation("9274-2", about("Patient/child"), integer(9))),
		want: "child[0].birth_weight_g 3420\nchild[0].apgar_five_minute 9",
	},
	{
		says: "twins of whom one is stillborn and no longer in use",
		doc:  bundleOf(mother(), twin("a", 1), twin("b", 2, object{"active": false, "meta": object{"profile": list{bfdr + "Patient-decedent-fetus"}}})),
		want: twinsOf + "child[1].live_birth false",
	},
	{
		says: "a height of a father who is contained, and one of a mother who is",
		doc: course(observation("8302-2", about("#f"), amount("72", "[in_i]"), object{"contained": list{object{"resourceType": "RelatedPerson", "id": "f"}}}),
			observation("69461-2", about("#m"), amount("175", "[lb_av]"), object{"contained": list{patient("m", "", object{"birthDate": "1994-05-17"})}}),
			observation("56077-1", about("#p"), amount("145", "[lb_av]"), object{"contained": list{patient("p", "", object{"birthDate": "1990-01-01"})}})),
		want: "delivery_weight_lb 175",
	},
	{
		says: "a weight that is called the second twin's and names the first",
		doc: bundleOf(mother(), twin("a", 1), twin("b", 2),
			observation("8339-4", about("Patient/a"), object{"code": worded(concept(coding(loinc, "8339-4")), "Birth weight, Twin B")}, amount("2500", "g")),
			observation("8339-4", about("Patient/b"), object{"code": worded(concept(coding(loinc, "8339-4")), "Birth weight (Baby 2)")}, amount("2700", "g"))),
		want: twinsOf + "child[1].birth_weight_g 2700",
	},
	{
		says: "an infection that was found to be none by its interpretation, and words that deny",
		doc: course(
			observation("72519-2", about("Patient/mother"), sct("15628003"), object{"interpretation": list{concept(coding("http://terminology.hl7.org/CodeSystem/v3-ObservationInterpretation", "NEG"))}}),
			observation("73775-9", about("Patient/mother"), object{"valueCodeableConcept": worded(concept(coding(snomed, "11687002")), "No gestational diabetes")}),
			observation("73780-9", about("Patient/child"), object{"valueCodeableConcept": worded(concept(coding(snomed, "80281008")), "Cleft lip: absent")}),
		),
	},
	{
		says: "a midwife who attends the mother, and a doctor who attends the newborn",
		doc: course(practitioner("p", "S-2", "Baum", "MD"), practitioner("m", "S-1", "Adler", "Midwife"),
			encounter(about("Patient/child"), period("2026-03-02", "2026-03-04"), participants(participant(parts, "ATND", "Practitioner/p"))),
			encounter(period("2026-03-01", "2026-03-04"), participants(participant(parts, "ATND", "Practitioner/m")))),
		want: `provider[0] S-1 |  | Adler | Midwife | midwife | attending
			provider[1] S-2 |  | Baum | MD | other
			attendant_type "midwife"
			attendant_name "Adler"
			attendant_credentials "Midwife"`,
	},
	{
		says: "a consent of somebody else",
		doc:  course(patient("sister", core+"us-core-patient"), object{"resourceType": "Consent", "status": "active", "patient": ref("Patient/sister")}),
	},
	{
		says: "a consent of the mother",
		doc:  course(object{"resourceType": "Consent", "status": "active", "patient": ref("Patient/mother")}),
		want: "consent_granted true",
	},
	{
		says: "a date of birth of the mother that is the child's",
		doc:  bundleOf(mother(object{"birthDate": "2026-03-02"}), child()),
		want: "- mother_birth_date\n- mother_age_years",
	},
	{
		says: "a time of birth next to the date and not in it",
		doc:  bundleOf(mother(), child(extended(extension(base+"patient-birthTime", object{"valueDateTime": "2026-03-02T04:18:00-05:00"})))),
		want: `child[0].birth_datetime "2026-03-02T04:18:00-05:00"`,
	},
	{
		says: "urns in capital letters",
		doc:  served([]string{"urn:uuid:0C3151BD-1CBF-4D64-B04D-CD9187A4C6E0", "urn:uuid:1C3151BD-1CBF-4D64-B04D-CD9187A4C6E0", ""}, mother(), child(), observation("9274-2", about("urn:uuid:1c3151bd-1cbf-4d64-b04d-cd9187a4c6e0"), integer(9))),
		want: "child[0].apgar_five_minute 9",
	},
	{
		says: "amounts in words with their units, and some that nobody can read",
		doc: course(observation("8339-4", about("Patient/child"), object{"valueString": "7 lb 8 oz"}), observation("69461-2", about("Patient/mother"), object{"valueString": "79.4 kg"}),
			observation("56077-1", about("Patient/mother"), object{"valueString": "about 145 lb"}), observation("8302-2", about("Patient/mother"), object{"valueString": "170"})),
		want: "child[0].birth_weight_g 3402\ndelivery_weight_lb 175",
	},
	{
		says: "a transfer that the text denies",
		doc: course(encounter(period("2026-03-01", "2026-03-04"), object{"hospitalization": object{
			"admitSource": worded(concept(coding("http://terminology.hl7.org/CodeSystem/admit-source", "hosp-trans")), "Not transferred"),
		}})),
	},
}

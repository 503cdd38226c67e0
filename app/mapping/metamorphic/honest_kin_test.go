package metamorphic

// Relatives in one document, and how it refers to each of them.
var honestKin = []honest{
	{
		says: "twins named in every way a reference can name them",
		doc: served([]string{
			"urn:uuid:00000000-0000-4000-8000-000000000001", "http://a.example/fhir/Patient/a", "http://a.example/fhir/Patient/b", "", "", "", "",
		}, mother(), twin("a", 1), twin("b", 2),
			observation("8339-4", about("http://a.example/fhir/Patient/a"), amount("2700", "g")),
			observation("8339-4", about("Patient/b/_history/3"), amount("2500", "g")),
			observation("9274-2", about("http://a.example/fhir/Patient/b/_history/1"), integer(8)),
			observation("69461-2", about("urn:uuid:00000000-0000-4000-8000-000000000001"), amount("175", "[lb_av]"))),
		want: twins + `child[0].birth_weight_g 2700
			child[1].birth_weight_g 2500
			child[1].apgar_five_minute 8
			delivery_weight_lb 175`,
	},
	{
		says: "an Apgar score of a Patient of another server with the same id",
		doc: served([]string{"http://a.example/fhir/Patient/mother", "http://a.example/fhir/Patient/child", ""}, mother(), child(),
			observation("9274-2", about("http://b.example/fhir/Patient/child"), integer(4))),
	},
	{
		says: "a Patient contained in the Observation is nobody of the document",
		doc: course(observation("8339-4", about("#baby"), amount("2900", "g"), object{"contained": list{patient("baby", "", object{"birthDate": "2022-01-01"})}}),
			observation("9274-2", about("#child"), integer(3), object{"contained": list{patient("child", "", object{"birthDate": "2022-01-01"})}})),
	},
	{
		says: "a measure of the only child whose subject is left out",
		doc:  course(observation("8339-4", amount("3420", "g")), observation("9274-2", integer(9))),
		want: "child[0].birth_weight_g 3420\nchild[0].apgar_five_minute 9",
	},
	{
		says: "a measure whose subject is named by a number, or by a name",
		doc: course(observation("8339-4", object{"subject": object{"identifier": object{"system": "urn:site:mrn", "value": "77"}}}, amount("2900", "g")),
			observation("9274-2", object{"subject": object{"display": "Baby Okonkwo"}}, integer(9))),
	},
	{
		says: "a height whose subject is nobody in the document",
		doc:  course(observation("8302-2", about("Patient/elsewhere"), amount("160", "cm"))),
		want: "mother_height_in 63", either: "mother_height_in",
	},
	{
		says: "a carrier who bears the child and an intended mother, both with the mother's profile",
		doc:  bundleOf(mother(), with(mother(), object{"id": "intended", "birthDate": "1988-02-02"}), child()),
		want: "outcome rejected: invariant" + nothingElse,
	},
	{
		says: "the intended parent as a relative, with her own height and race",
		doc: course(with(father, object{"id": "intended", "meta": object{"profile": list{vrcl + "RelatedPerson-parent-vr"}}}),
			observation("8302-2", about("RelatedPerson/intended"), amount("170", "cm")), with(raceAnswers(answered("White", true)), about("RelatedPerson/intended"))),
	},
	{
		says: "a father and a grandmother as Patients without a role",
		doc: course(patient("father", core+"us-core-patient", object{"gender": "male", "birthDate": "1990-01-01"}), patient("gran", "", object{"birthDate": "1966-01-01"}),
			observation("64794-1", about("Patient/father"), integer(20)), observation("69461-2", about("Patient/gran"), amount("80", "kg")),
			observation("11977-6", about("Patient/mother"), focused("Patient/gran"), integer(6))),
	},
	{
		says: "her first child's birth, told in this document under its own Patient with a child's profile of another year",
		doc: bundleOf(mother(), child(), child(object{"id": "first", "birthDate": "2021-04-01"}),
			observation("8339-4", about("Patient/first"), amount("2900", "g")), observation("8339-4", about("Patient/child"), amount("3420", "g"))),
		want: `children 2
			child[0].birth_weight_g 3420
			child[1].birth_date "2021-04-01"
			child[1].birth_month "2021-04"
			child[1].live_birth true
			child[1].birth_weight_g 2900`,
	},
	{
		says: "a mother for whom the child's profile stands first",
		doc: bundleOf(with(mother(), object{"meta": object{"profile": list{core + "us-core-patient", vrcl + "Patient-mother-vr"}}}),
			with(child(), object{"meta": object{"profile": list{core + "us-core-patient", vrcl + "Patient-child-vr"}}})),
	},
	{
		says: "a Patient with the profiles of a mother and of a child is neither for certain",
		doc: bundleOf(mother(), child(), with(patient("both", vrcl+"Patient-child-vr"), object{"meta": object{"profile": list{vrcl + "Patient-child-vr", vrcl + "Patient-mother-vr"}}},
			object{"birthDate": "2005-01-01"})),
	},
	{
		says: "a mother who died, and a child who died after the birth, by the profile of a decedent next to their own",
		doc: bundleOf(with(mother(), object{"meta": object{"profile": list{vrdr + "vrdr-decedent", vrcl + "Patient-mother-vr"}}}),
			with(child(), object{"meta": object{"profile": list{vrcl + "Patient-child-vr", vrdr + "vrdr-decedent"}}})),
	},
	{
		says: "a child with the profile of a fetus as well",
		doc:  bundleOf(mother(), with(child(), object{"meta": object{"profile": list{vrcl + "Patient-child-vr", bfdr + "Patient-decedent-fetus"}}})),
		want: "- child[0].live_birth",
	},
	{
		says: "a stay whose subject is the father, with his transfer and his attendant",
		doc: course(father, practitioner("a", "S-1", "Adler", "MD"), encounter(about("RelatedPerson/father"), physical("22232009"),
			participants(participant(parts, "ATND", "Practitioner/a")), visitType("Patient transfer"))),
		want: "provider[0] S-1 |  | Adler | MD | other",
	},
	{
		says: "a stay whose subject is nobody in the document",
		doc: course(practitioner("a", "S-1", "Adler", "MD"), encounter(about("Patient/elsewhere"), physical("22232009"),
			participants(participant(parts, "ATND", "Practitioner/a")), visitType("Neonatal transfer to hospital"))),
		want: "provider[0] S-1 |  | Adler | MD | other",
	},
	{
		says: "a set of twins of whom one is stillborn, each with a weight, the deaths told of the mother",
		doc: bundleOf(mother(), twin("a", 1), with(twin("b", 2), object{"meta": object{"profile": list{vrcl + "Patient-decedent-fetus-vr"}}}),
			observation("8339-4", about("Patient/a"), amount("2700", "g")), observation("8339-4", about("Patient/b"), amount("1100", "g")),
			observation("9274-2", about("Patient/b"), integer(0)), observation("73757-7", about("Patient/a"), object{"valueBoolean": true})),
		want: twins + `child[1].live_birth false
			child[0].birth_weight_g 2700
			child[1].birth_weight_g 1100
			child[1].apgar_five_minute 0
			child[0].infant_living true`,
	},
	{
		says: "a newborn who died after the birth was born alive",
		doc:  bundleOf(mother(), child(object{"deceasedDateTime": "2026-03-03T04:00:00-05:00"}), observation("73757-7", about("Patient/child"), object{"valueBoolean": false})),
		want: "child[0].infant_living false",
	},
	{
		says: "a newborn who died, by the boolean alone",
		doc:  bundleOf(mother(), child(object{"deceasedBoolean": true})),
	},
	{
		says: "twins in the order of their numbers, the second first, with measures by entry order",
		doc: bundleOf(mother(), twin("b", 2), twin("a", 1), observation("8339-4", about("Patient/b"), amount("2500", "g")),
			observation("9272-6", about("Patient/a"), integer(7))),
		want: twins + "child[1].birth_weight_g 2500\nchild[0].apgar_one_minute 7",
	},
	{
		says: "triplets of whom one says no order",
		doc:  bundleOf(mother(), twin("c", 3), child(object{"id": "x"}), twin("a", 1), observation("8339-4", about("Patient/x"), amount("1500", "g"))),
		want: secondChild + `children 3
			child[2].birth_date "2026-03-02"
			child[2].birth_month "2026-03"
			child[2].live_birth true
			plurality 3
			child[0].birth_order 3
			child[2].birth_order 1
			child[1].birth_weight_g 1500`,
	},
	{
		says: "a route of delivery of each twin",
		doc: bundleOf(mother(), twin("a", 1), twin("b", 2), observation("73762-7", about("Patient/mother"), focused("Patient/a"), sct("700000006")),
			observation("73762-7", about("Patient/mother"), focused("Patient/b"), sct("11466000"))),
		want: twins + `child[0].delivery_method "vaginal_spontaneous"
			child[1].delivery_method "cesarean"`,
	},
	{
		says: "a route of delivery of one twin, told of the pregnancy for neither",
		doc: bundleOf(mother(), twin("a", 1), twin("b", 2), observation("73762-7", about("Patient/mother"), sct("700000006")),
			observation("73762-7", about("Patient/b"), sct("11466000"))),
		want: twins + `child[0].delivery_method "vaginal_spontaneous"
			child[1].delivery_method "cesarean"`, either: "child[0].delivery_method child[1].delivery_method",
	},
}

const vrdr = "http://hl7.org/fhir/us/vrdr/StructureDefinition/"

const twins = secondChild + "plurality 2\nchild[0].birth_order 1\nchild[1].birth_order 2\n"

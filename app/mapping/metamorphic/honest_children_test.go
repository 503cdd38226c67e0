package metamorphic

// Whose measurement it is, and how many children were born.
var honestChildren = []honest{
	{
		says: "twins, told apart by focus, with the mother as subject of everything",
		doc: bundleOf(mother(), twin("a", 1), twin("b", 2),
			observation("8339-4", about("Patient/mother"), focused("Patient/b"), amount("2500", "g")),
			observation("8339-4", about("Patient/mother"), focused("Patient/a"), amount("2700", "g")),
			observation("9274-2", about("Patient/mother"), focused("Patient/b"), integer(8)),
			observation("11884-4", about("Patient/mother"), amount("36", "wk")),
		),
		want: secondChild + `plurality 2
			child[0].birth_order 1
			child[1].birth_order 2
			child[0].birth_weight_g 2700
			child[1].birth_weight_g 2500
			child[1].apgar_five_minute 8
			child[0].gestational_age_weeks 36
			child[1].gestational_age_weeks 36`,
	},
	{
		says: "twins, whose weights do not say whose they are",
		doc: bundleOf(mother(), twin("a", 1), twin("b", 2),
			observation("8339-4", about("Patient/mother"), amount("2500", "g")), observation("8339-4", amount("2700", "g")),
		),
		want: secondChild + "plurality 2\nchild[0].birth_order 1\nchild[1].birth_order 2",
	},
	{
		says: "a weight whose subject is one twin and whose focus the other",
		doc:  bundleOf(mother(), twin("a", 1), twin("b", 2), observation("8339-4", about("Patient/a"), focused("Patient/b"), amount("2500", "g"))),
		want: secondChild + "plurality 2\nchild[0].birth_order 1\nchild[1].birth_order 2",
	},
	{
		says: "a weight with both twins in focus",
		doc: bundleOf(mother(), twin("a", 1), twin("b", 2),
			observation("8339-4", about("Patient/mother"), object{"focus": list{ref("Patient/a"), ref("Patient/b")}}, amount("2500", "g"))),
		want: secondChild + "plurality 2\nchild[0].birth_order 1\nchild[1].birth_order 2",
	},
	{
		says: "an older brother in the household, with his own birth weight and Apgar",
		doc: course(patient("brother", core+"us-core-patient", object{"birthDate": "2022-01-10"}),
			observation("8339-4", about("Patient/child"), amount("3420", "g")),
			observation("8339-4", about("Patient/brother"), effective("2026-03-03"), amount("2900", "g")),
			observation("9274-2", about("Patient/brother"), integer(7)),
			observation("11884-4", about("Patient/brother"), amount("36", "wk")),
		),
		want: "child[0].birth_weight_g 3420",
	},
	{
		says: "a weight of the only child whose focus is the older brother",
		doc: course(patient("brother", core+"us-core-patient"),
			observation("8339-4", about("Patient/child"), focused("Patient/brother"), amount("2900", "g"))),
	},
	{
		says: "a weight of somebody whom the document does not hold",
		doc:  course(observation("8339-4", about("Patient/elsewhere"), amount("2900", "g"))),
	},
	{
		says: "a birth weight of the mother, whose focus is the child",
		doc:  course(observation("8339-4", about("Patient/mother"), focused("Patient/child"), amount("3420", "g"))),
		want: "child[0].birth_weight_g 3420",
	},
	{
		says: "a relative with the mother's profile is no mother",
		doc: course(object{
			"resourceType": "RelatedPerson", "id": "mother", "meta": object{"profile": list{vrcl + "RelatedPerson-mother-vr"}},
			"name": list{object{"family": "Grandmother"}},
		}),
	},
	{
		says: "a set order above one and no total: this child alone is not all",
		doc:  bundleOf(mother(), child(object{"multipleBirthInteger": 2})),
		want: "child[0].birth_order 2\n- plurality",
	},
	{
		says: "one of several, which is all that is said",
		doc:  bundleOf(mother(), child(object{"multipleBirthBoolean": true})),
		want: "- plurality",
	},
	{
		says: "a single birth, said in so many words",
		doc:  bundleOf(mother(), child(object{"multipleBirthBoolean": false})),
		want: "plurality 1",
	},
	{
		says: "one child, and nothing about others: twins are sent as documents of their own",
		doc:  bundleOf(mother(), child()),
	},
	{
		says: "a first-born, which does not say that no other was born",
		doc:  bundleOf(mother(), child(object{"multipleBirthInteger": 1})),
		want: "child[0].birth_order 1",
	},
	{
		says: "how many were born is said to be unknown",
		doc:  bundleOf(mother(), child(object{"_multipleBirthInteger": absent("unknown")})),
		want: "- plurality",
	},
	{
		says: "how many were born is said to be unknown, on the boolean",
		doc:  bundleOf(mother(), child(object{"_multipleBirthBoolean": absent("unknown")})),
		want: "- plurality",
	},
	{
		says: "one child, and a fetal death in the same delivery",
		doc:  course(observation("73772-6", about("Patient/mother"), integer(1))),
		want: "- plurality\nfetal_deaths_this_delivery 1",
	},
	{
		says: "one child of two born alive",
		doc:  course(observation("73773-4", about("Patient/mother"), integer(2))),
		want: "- plurality\nlive_births_this_delivery 2",
	},
	{
		says: "a total of three, though one child is sent",
		doc: bundleOf(mother(), child(object{"multipleBirthInteger": 3, "_multipleBirthInteger": extended(
			extension(base+"patient-multipleBirthTotal", object{"valuePositiveInt": 3}),
		)})),
		want: "child[0].birth_order 3\nplurality 3",
	},
	{
		says: "99 of 99, the registries' word for not known",
		doc: bundleOf(mother(), child(object{"multipleBirthInteger": 99, "_multipleBirthInteger": extended(
			extension(base+"patient-multipleBirthTotal", object{"valuePositiveInt": 99}),
		)})),
		want: "- plurality",
	},
	{
		says: "two children, each of whom is said to be the only one",
		doc:  bundleOf(mother(), child(object{"id": "a", "multipleBirthBoolean": false}), child(object{"id": "b", "multipleBirthBoolean": false})),
		want: secondChild + "- plurality",
	},
	{
		says: "a twin born alive and a twin that died before",
		doc: bundleOf(mother(), twin("a", 1), with(twin("b", 2), object{"meta": object{"profile": list{bfdr + "Patient-decedent-fetus"}}}),
			observation("73773-4", about("Patient/mother"), integer(1)), observation("73772-6", about("Patient/mother"), integer(1))),
		want: secondChild + `plurality 2
			child[0].birth_order 1
			child[1].birth_order 2
			child[1].live_birth false
			live_births_this_delivery 1
			fetal_deaths_this_delivery 1`,
	},
	{
		says: "the weight in a panel of pounds and ounces",
		doc: course(observation("8339-4", about("Patient/child"), object{"component": list{
			with(object{"code": concept(coding(loinc, "8339-4"))}, amount("7", "[lb_av]")), with(object{"code": concept(coding(loinc, "8339-4"))}, amount("8", "[oz_av]")),
		}})),
		want: "child[0].birth_weight_g 3402",
	},
	{
		says: "a panel of the newborn whose members are entries of their own",
		doc: course(
			observation("57075-4", about("Patient/child"), object{"hasMember": list{ref("Observation/w"), ref("Observation/a")}}),
			observation("8339-4", about("Patient/child"), object{"id": "w"}, amount("3420", "g")), observation("9274-2", about("Patient/child"), object{"id": "a"}, integer(9)),
		),
		want: "child[0].birth_weight_g 3420\nchild[0].apgar_five_minute 9",
	},
	{
		says: "an Apgar score with its five parts as components",
		doc: course(observation("9274-2", about("Patient/child"), integer(9), object{"component": list{
			with(object{"code": concept(coding(loinc, "32402-2"))}, integer(2)), with(object{"code": concept(coding(loinc, "32403-0"))}, integer(1)),
		}})),
		want: "child[0].apgar_five_minute 9",
	},
	{
		says: "the mother's blood pressure panel, and a count in it",
		doc: course(observation("85354-9", about("Patient/mother"), object{"component": list{
			with(object{"code": concept(coding(loinc, "8480-6"))}, amount("120", "mm[Hg]")), with(object{"code": concept(coding(loinc, "11996-6"))}, integer(4)),
		}})),
		want: "gravida 4", either: "gravida",
	},
}

const secondChild = `children 2
	child[1].birth_date "2026-03-02"
	child[1].birth_month "2026-03"
	child[1].live_birth true
	`

func absent(reason string) object {
	return extended(extension(base+"data-absent-reason", object{"valueCode": reason}))
}

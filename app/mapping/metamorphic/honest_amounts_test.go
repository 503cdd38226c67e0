package metamorphic

// Amounts in units other than the registry's, and amounts without a unit.
var honestAmounts = []honest{
	{
		says: "every amount in another unit than the registry's",
		doc: course(
			observation("8339-4", about("Patient/child"), amount("3.42", "kg")),
			observation("11884-4", about("Patient/child"), amount("277", "d")),
			observation("8302-2", about("Patient/mother"), amount("1.702", "m")),
			observation("56077-1", about("Patient/mother"), amount("65.8", "kg")),
			observation("69461-2", about("Patient/mother"), amount("79400", "g")),
		),
		want: `child[0].birth_weight_g 3420
			child[0].gestational_age_weeks 39
			child[0].gestational_age_days 4
			mother_height_in 67
			prepregnancy_weight_lb 145.1
			delivery_weight_lb 175`,
	},
	{
		says: "a weight in ounces, another in pounds with a unit in words alone",
		doc: course(
			observation("8339-4", about("Patient/child"), amount("120.5", "[oz_av]")),
			observation("69461-2", about("Patient/mother"), object{"valueQuantity": object{"value": 175, "unit": "lbs"}}),
		),
		want: "child[0].birth_weight_g 3416\ndelivery_weight_lb 175",
	},
	{
		says: "masses, lengths and volumes without a unit",
		doc: course(
			observation("8339-4", about("Patient/child"), object{"valueQuantity": object{"value": 3420}}),
			observation("8302-2", about("Patient/mother"), object{"valueQuantity": object{"value": 67}}),
			observation("56077-1", about("Patient/mother"), integer(82)),
			observation("69461-2", about("Patient/mother"), object{"valueString": "82"}),
		),
	},
	{
		says: "scores, counts and weeks without a unit",
		doc: course(
			observation("9274-2", about("Patient/child"), object{"valueQuantity": object{"value": 9}}),
			observation("68493-6", about("Patient/mother"), object{"valueQuantity": object{"value": 11}}),
			observation("11884-4", about("Patient/child"), integer(39)),
			observation("64794-1", about("Patient/mother"), object{"valueString": "10"}),
		),
		want: `child[0].apgar_five_minute 9
			prenatal_visit_count 11
			child[0].gestational_age_weeks 39
			cigarettes_per_day_pre 10`,
	},
	{
		says: "the words of the unit contradict its code",
		doc: course(
			observation("8339-4", about("Patient/child"), object{"valueQuantity": object{"value": 3420, "unit": "lb", "code": "g", "system": ucum}}),
			observation("69461-2", about("Patient/mother"), object{"valueQuantity": object{"value": 82, "unit": "kg", "code": "[lb_av]", "system": ucum}}),
			observation("8302-2", about("Patient/mother"), object{"valueQuantity": object{"value": 67, "unit": "cm", "code": "[in_i]", "system": ucum}}),
			observation("11884-4", about("Patient/child"), object{"valueQuantity": object{"value": 39, "unit": "days", "code": "wk", "system": ucum}}),
		),
	},
	{
		says: "the words of the unit say the same as its code",
		doc: course(
			observation("8339-4", about("Patient/child"), object{"valueQuantity": object{"value": 3420, "unit": "grams", "code": "g", "system": ucum}}),
			observation("69461-2", about("Patient/mother"), object{"valueQuantity": object{"value": 175, "unit": "lb", "code": "[lb_av]", "system": ucum}}),
			observation("11884-4", about("Patient/child"), object{"valueQuantity": object{"value": 39, "unit": "weeks", "code": "wk", "system": ucum}}),
			observation("9274-2", about("Patient/child"), object{"valueQuantity": object{"value": 9, "unit": "score", "code": "{score}", "system": ucum}}),
		),
		want: `child[0].birth_weight_g 3420
			delivery_weight_lb 175
			child[0].gestational_age_weeks 39
			child[0].apgar_five_minute 9`,
	},
	{
		says: "units that are none of theirs",
		doc: course(
			observation("8339-4", about("Patient/child"), amount("7.5", "[stone_av]")), observation("11884-4", about("Patient/child"), amount("9", "mo")),
			observation("8302-2", about("Patient/mother"), amount("67", "kg")), observation("9274-2", about("Patient/child"), amount("9", "g")),
			observation("64794-1", about("Patient/mother"), amount("1", "{pack}/d")),
		),
	},
	{
		says: "amounts that are bounds, ranges or ratios",
		doc: course(
			observation("8339-4", about("Patient/child"), object{"valueQuantity": object{"value": 500, "comparator": "<", "code": "g", "system": ucum}}),
			observation("11884-4", about("Patient/child"), object{"valueRange": object{"low": object{"value": 38, "code": "wk"}, "high": object{"value": 40, "code": "wk"}}}),
			observation("9274-2", about("Patient/child"), object{"valueRatio": object{"numerator": object{"value": 9}, "denominator": object{"value": 10}}}),
			observation("9272-6", about("Patient/child"), object{"valueString": "9/10"}),
			observation("9271-8", about("Patient/child"), object{"valueQuantity": object{"value": n("9.5"), "code": "{score}"}}),
		),
	},
	{
		says: "amounts in words",
		doc: course(
			observation("8339-4", about("Patient/child"), object{"valueString": "3420 g"}), observation("8302-2", about("Patient/mother"), object{"valueString": `5'6"`}),
			observation("11884-4", about("Patient/child"), object{"valueString": "39 weeks"}),
		),
		want:   "child[0].birth_weight_g 3420\nmother_height_in 66\nchild[0].gestational_age_weeks 39",
		either: "child[0].birth_weight_g mother_height_in child[0].gestational_age_weeks",
	},
	{
		says: "the registries' codes for not known",
		doc: course(
			observation("8339-4", about("Patient/child"), amount("9999", "g")), observation("11884-4", about("Patient/child"), amount("99", "wk")),
			observation("9274-2", about("Patient/child"), integer(99)), observation("9271-8", about("Patient/child"), integer(88)),
			observation("64794-1", about("Patient/mother"), integer(99)), observation("87298-6", about("Patient/mother"), integer(99)),
			observation("68493-6", about("Patient/mother"), integer(99)), observation("11638-4", about("Patient/mother"), integer(99)),
			observation("56077-1", about("Patient/mother"), amount("999", "[lb_av]")), observation("69461-2", about("Patient/mother"), amount("999", "[lb_av]")),
			observation("8302-2", about("Patient/mother"), amount("99", "[in_i]")), observation("68497-7", about("Patient/mother"), integer(99)),
			observation("8665-2", about("Patient/mother"), object{"valueDateTime": "9999-09-09"}), observation("68499-3", about("Patient/mother"), object{"valueDateTime": "9999-09"}),
			observation("69044-6", about("Patient/mother"), object{"valueDateTime": "8888-08-08"}), observation("11778-8", about("Patient/mother"), object{"valueDateTime": "9999"}),
			ownObservation("blood_loss_ml", about("Patient/mother"), integer(99999)), observation("57722-1", about("Patient/mother"), integer(99)),
		),
	},
	{
		says: "a minus, the .NET library's word for not known",
		doc: course(
			observation("8339-4", about("Patient/child"), amount("-1", "g")), observation("64794-1", about("Patient/mother"), integer(-1)),
			observation("68493-6", about("Patient/mother"), integer(-1)), observation("56077-1", about("Patient/mother"), amount("-1", "[lb_av]")),
		),
	},
	{
		says: "the registry's own codes fix their unit, and a stated unit converts or contradicts",
		doc: course(
			ownObservation("blood_loss_ml", about("Patient/mother"), integer(300)), ownObservation("birth_weight_g", about("Patient/child"), integer(3420)),
			ownObservation("mother_height_in", about("Patient/mother"), amount("170", "cm")), ownObservation("delivery_weight_lb", about("Patient/mother"), amount("175", "m")),
		),
		want: `blood_loss_ml 300
			child[0].birth_weight_g 3420
			mother_height_in 66.9`,
	},
}

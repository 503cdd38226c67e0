package metamorphic

// How a measurement is stated: its unit, its status, its codes, and the statements that come
// with it.
var honestMeasures = []honest{
	{
		says: "weights with a comma, with a thousands separator, and with words",
		doc: course(observation("8339-4", about("Patient/child"), object{"valueQuantity": object{"value": "3,42", "unit": "kg", "code": "kg", "system": ucum}}),
			observation("69461-2", about("Patient/mother"), object{"valueQuantity": object{"value": "79.4 kg", "unit": "kg", "code": "kg", "system": ucum}}),
			observation("11884-4", about("Patient/child"), object{"valueString": "39 weeks 2 days"})),
		want: `
			child[0].gestational_age_weeks 39
			child[0].gestational_age_days 2`,
	},
	{
		says: "a weight in kilograms whose unit is in the text alone, in capitals",
		doc: course(observation("8339-4", about("Patient/child"), object{"valueQuantity": object{"value": n("3.42"), "unit": "KG"}}),
			observation("69461-2", about("Patient/mother"), object{"valueQuantity": object{"value": n("175"), "unit": "LBS."}})),
		want: "child[0].birth_weight_g 3420", either: "delivery_weight_lb",
	},
	{
		says: "a weight in grams that is in kilograms by its size",
		doc:  course(observation("8339-4", about("Patient/child"), amount("3.42", "g")), observation("8302-2", about("Patient/mother"), amount("1.65", "cm"))),
	},
	{
		says: "Apgar scores at one minute told as a plain score with a component for the time",
		doc: course(observation("9272-6", about("Patient/child"), object{"component": list{
			with(object{"code": concept(coding(loinc, "9274-2"))}, integer(9)),
		}})),
	},
	{
		says: "a weight derived from another one, and a panel that only lists its members",
		doc: course(observation("8339-4", about("Patient/child"), amount("3420", "g"), object{"id": "w", "derivedFrom": list{ref("Observation/raw")}}),
			observation("3141-9", about("Patient/child"), amount("3500", "g"), object{"id": "raw"}), observation("8339-4", about("Patient/child"), object{"hasMember": list{ref("Observation/w")}})),
		want: "child[0].birth_weight_g 3420",
	},
	{
		says: "a score of every status",
		doc: course(observation("9272-6", about("Patient/child"), status("cancelled"), integer(3)), observation("9274-2", about("Patient/child"), status("entered-in-error"), integer(4)),
			observation("9271-8", about("Patient/child"), status("registered"), integer(5)), observation("8339-4", about("Patient/child"), status("unknown"), amount("3000", "g")),
			observation("11884-4", about("Patient/child"), status("appended"), amount("39", "wk"))),
		want: "child[0].apgar_ten_minute 5\nchild[0].birth_weight_g 3000", either: "child[0].apgar_ten_minute child[0].birth_weight_g",
	},
	{
		says: "two final weights of one day that differ, with nothing to tell them apart",
		doc:  course(observation("8339-4", about("Patient/child"), amount("3420", "g")), observation("8339-4", about("Patient/child"), amount("2420", "g"))),
		want: "child[0].birth_weight_g 3420", either: "child[0].birth_weight_g",
	},
	{
		says: "one weight told twice, in grams and in pounds",
		doc:  course(observation("8339-4", about("Patient/child"), amount("3402", "g")), observation("8339-4", about("Patient/child"), amount("7.5", "[lb_av]"))),
		want: "child[0].birth_weight_g 3402",
	},
	{
		says: "two answers to one question, a yes and a no, at one time",
		doc: course(observation("87303-4", about("Patient/mother"), object{"valueCodeableConcept": concept(coding(v20136, "Y"))}),
			observation("87303-4", about("Patient/mother"), object{"valueCodeableConcept": concept(coding(v20136, "N"))})),
		want: "wic_received true", either: "wic_received",
	},
	{
		says: "a withdrawn weight next to the one that stands",
		doc: course(observation("8339-4", about("Patient/child"), status("entered-in-error"), effective("2026-03-03"), amount("4420", "g")),
			observation("8339-4", about("Patient/child"), effective("2026-03-02"), amount("3420", "g"))),
		want: "child[0].birth_weight_g 3420",
	},
	{
		says: "a value whose number has a data absent reason, as an extension",
		doc: course(observation("8339-4", about("Patient/child"), object{"valueQuantity": with(absent("unknown"), object{"value": n("3420"), "code": "g", "system": ucum})}),
			observation("9274-2", about("Patient/child"), object{"valueInteger": 9, "_valueInteger": absent("unknown")}),
			observation("87303-4", about("Patient/mother"), object{"valueBoolean": false, "_valueBoolean": absent("asked-unknown")}),
			observation("87301-8", about("Patient/mother"), object{"valueCodeableConcept": with(concept(coding(v20136, "N")), absent("not-asked"))})),
	},
	{
		says: "no reason at all for a value that is there",
		doc:  course(observation("9274-2", about("Patient/child"), integer(9), object{"dataAbsentReason": object{}})),
		want: "child[0].apgar_five_minute 9", either: "child[0].apgar_five_minute",
	},
	{
		says: "codes in capitals, and with blanks around them",
		doc: course(observation("87303-4", about("Patient/mother"), object{"valueCodeableConcept": concept(coding(v20136, "y"))}),
			observation(" 9274-2 ", about("Patient/child"), integer(9))),
		want: "wic_received true\nchild[0].apgar_five_minute 9", either: "wic_received child[0].apgar_five_minute",
	},
	{
		says: "the words of a code contradict it: an Apgar score at ten minutes under the code of five",
		doc:  course(observation("", object{"code": concept(with(coding(loinc, "9274-2"), object{"display": "Apgar score at 10 minutes"}))}, about("Patient/child"), integer(9))),
		want: "child[0].apgar_five_minute 9", either: "child[0].apgar_five_minute",
	},
	{
		says: "codes told in words alone",
		doc: course(observation("", object{"code": object{"text": "Birth weight"}}, about("Patient/child"), amount("3420", "g")),
			observation("73762-7", about("Patient/mother"), object{"valueCodeableConcept": object{"text": "Cesarean"}})),
	},
	{
		says: "a version of LOINC in the coding",
		doc: course(observation("", object{"code": concept(with(coding(loinc, "9274-2"), object{"version": "2.72", "userSelected": true}))}, about("Patient/child"), integer(9)),
			observation("", object{"code": concept(coding(loinc+"|2.72", "9272-6"))}, about("Patient/child"), integer(8))),
		want: "child[0].apgar_five_minute 9\nchild[0].apgar_one_minute 8",
	},
	{
		says: "what was measured where and how, and what is thought of it, changes nothing",
		doc: course(observation("8339-4", about("Patient/child"), amount("3420", "g"), object{
			"bodySite": object{"text": "whole body"}, "method": object{"text": "scale"}, "interpretation": list{concept(coding("http://terminology.hl7.org/CodeSystem/v3-ObservationInterpretation", "N"))},
			"referenceRange": list{object{"low": object{"value": 2500}}}, "note": list{object{"text": "twin A?"}},
		})),
		want: "child[0].birth_weight_g 3420",
	},
	{
		says: "negative findings: no meconium, not vertex",
		doc:  course(observation("73761-9", about("Patient/child"), object{"valueCodeableConcept": object{"coding": list{coding(snomed, "70028003")}, "text": "not vertex"}})),
		want: `child[0].fetal_presentation "vertex"`, either: "child[0].fetal_presentation",
	},
	{
		says: "values of R5: an Attachment, a Reference, an integer as a string",
		doc: course(observation("8339-4", about("Patient/child"), object{"valueReference": ref("Observation/7")}), observation("9272-6", about("Patient/child"), object{"valueString": "8"}),
			observation("9274-2", about("Patient/child"), object{"valueAttachment": object{"data": "OQ=="}})),
		want: "child[0].apgar_one_minute 8",
	},
	{
		says: "ranges and ratios next to a number",
		doc: course(observation("8339-4", about("Patient/child"), amount("3420", "g"), object{"valueRange": object{"low": object{"value": 3000}, "high": object{"value": 3500}}}),
			observation("9274-2", about("Patient/child"), integer(9), object{"valueRatio": object{"numerator": object{"value": 9}, "denominator": object{"value": 10}}}),
			observation("9272-6", about("Patient/child"), integer(8), object{"valueSampledData": object{"data": "8 8"}})),
	},
	{
		says: "an Apgar score out of range, in percent and with a fraction",
		doc:  course(observation("9272-6", about("Patient/child"), integer(11)), observation("9274-2", about("Patient/child"), amount("90", "%")), observation("9271-8", about("Patient/child"), amount("8.5", "{score}"))),
	},
	{
		says: "weeks and days of the pregnancy in two Observations, in days, and with a fraction",
		doc:  course(observation("11884-4", about("Patient/child"), amount("39", "wk")), ownObservation("gestational_age_days", about("Patient/child"), amount("4", "d"))),
		want: "child[0].gestational_age_weeks 39\nchild[0].gestational_age_days 4",
	},
	{
		says: "weeks in months",
		doc:  course(observation("11884-4", about("Patient/child"), amount("9", "mo"))),
	},
	{
		says: "cigarettes by the pack, by the week and none",
		doc: course(observation("64794-1", about("Patient/mother"), amount("1", "{pack}/d")), observation("87298-6", about("Patient/mother"), amount("20", "/wk")),
			observation("87299-4", about("Patient/mother"), integer(0)), observation("64795-8", about("Patient/mother"), amount("0", "{cigarettes}/d"))),
		want: "cigarettes_per_day_t2 0\ncigarettes_per_day_t3 0",
	},
	{
		says: "a height in feet and inches, and one in feet",
		doc:  course(observation("8302-2", about("Patient/mother"), object{"valueString": "5'6\""}), observation("3137-7", about("Patient/mother"), amount("5.5", "[ft_i]"))),
		want: "mother_height_in 66",
	},
	{
		says: "her stated height and the measured one",
		doc:  course(observation("8302-2", about("Patient/mother"), amount("165", "cm")), observation("3137-7", about("Patient/mother"), amount("160", "cm"))),
		want: "mother_height_in 65",
	},
	{
		says: "blood loss as liters, and as a word",
		doc:  course(ownObservation("blood_loss_ml", about("Patient/mother"), amount("0.45", "L"))),
		want: "blood_loss_ml 450",
	},
}

package metamorphic

// Charts in the words of a clinic: a value that the words doubt must be doubtful.
var wordedCharts = []honestChart{
	{
		says: "diagnoses as clinicians name them",
		chart: expecting(
			condition(worded(concept(coding(snomed, "11687002")), "GDM, diet controlled (A1)"), onset("2026-02-02")),
			condition(worded(concept(coding(icd10, "I10")), "Essential hypertension, on labetalol"), onset("2019-01-01")),
			condition(worded(concept(coding(icd10, "B18.1")), "Chronic viral hepatitis B without delta-agent"), onset("2015-01-01")),
			condition(worded(concept(coding(icd10, "A56.02")), "Chlamydia, treated 11/2025"), onset("2025-11-01")),
		),
		want: `risk_factors ["diabetes_gestational","hypertension_prepregnancy"]
			infections ["chlamydia","hepatitis_b"]`,
	},
	{
		says:  "pre-eclampsia without severe features",
		chart: expecting(condition(worded(concept(coding(icd10, "O14.03")), "Mild to moderate pre-eclampsia, third trimester, without severe features"), onset("2026-04-10"))),
		want:  `risk_factors ["hypertension_gestational"]`,
	},
	{
		says:  "diabetes of type 2, in an abbreviation",
		chart: expecting(condition(worded(concept(coding(icd10, "E11.9")), "T2DM w/o complications"), onset("2018-01-01"))),
		want:  `risk_factors ["diabetes_prepregnancy"]`,
	},
	{
		says: "findings as flowsheets name them",
		chart: expecting(
			noted("8302-2", "2024-01-05", amount("170.2", "cm"), object{"code": worded(concept(coding(loinc, "8302-2")), "Height")}),
			noted("56077-1", "2025-10-01", amount("65.8", "kg"), object{"code": worded(concept(coding(loinc, "56077-1")), "Pre-pregnancy weight")}),
			noted("11996-6", "2025-10-01", integer(3), object{"code": worded(concept(coding(loinc, "11996-6")), "Gravida")}),
		),
		want: "mother_height_in 67\nprepregnancy_weight_lb 145.1\ngravida 3",
	},
	{
		says:  "one diagnosis with two codes that exclude each other",
		chart: expecting(condition(concept(coding(snomed, "11687002"), coding(icd10, "E11.9")), onset("2018-01-01"))),
	},
	{
		says: "a weight that is called a goal, and a height of the father in words",
		chart: expecting(
			noted("56077-1", "2025-10-01", amount("60", "kg"), object{"code": worded(concept(coding(loinc, "56077-1")), "Goal weight")}),
			noted("8302-2", "2025-10-01", amount("183", "cm"), object{"code": worded(concept(coding(loinc, "8302-2")), "FOB height")}),
		),
	},
	{
		says:  "a note that the value is wrong",
		chart: expecting(noted("11996-6", "2025-10-01", integer(9), object{"note": list{object{"text": "Entered in error, see next"}}})),
	},
	{
		says:  "gravida and para in one text",
		chart: expecting(noted("11996-6", "2025-10-01", object{"valueString": "G3P1"})),
	},
	{
		says:  "a due date in words and another in a text",
		chart: expecting(noted("8665-2", "2025-10-01", object{"valueString": "late July"})),
	},
	{
		says:  "a patient whose record has a modifier that nobody knows",
		chart: chart("2026-04-20T12:00:00Z", woman(unknownModifier), dueInMay),
		want:  "- mother_family_name\n- mother_given_names\n- mother_birth_date\n- estimated_due_date", either: "role",
	},
}

package metamorphic

// Charts of women before the birth.
var expectingCharts = []honestChart{
	{
		says: "what an ordinary prenatal chart holds",
		chart: expecting(
			noted("11996-6", "2025-10-01", integer(3)), noted("11977-6", "2025-10-01", integer(1)), noted("8665-2", "2025-10-01", dateOf("2025-07-28")),
			noted("8302-2", "2024-01-05", amount("170.2", "cm")), noted("56077-1", "2025-10-01", amount("65.8", "kg")),
		),
		want: `gravida 3
			parity 1
			last_menstrual_period "2025-07-28"
			mother_height_in 67
			prepregnancy_weight_lb 145.1`,
	},
	{
		says:  "what was recorded before the last menstrual period is of another time",
		chart: expecting(noted("8665-2", "2025-10-01", dateOf("2025-07-28")), noted("11996-6", "2025-07-20", integer(2)), noted("64794-1", "2025-07-15", integer(8))),
		want:  `last_menstrual_period "2025-07-28"`, hints: "gravida cigarettes_per_day_pre",
	},
	{
		says:  "what was recorded more than 280 days before the due date is of another time",
		chart: expecting(noted("11996-6", "2025-07-20", integer(2)), condition(concept(coding(snomed, "11687002")), onset("2025-07-15"))),
		hints: "gravida risk_factors",
	},
	{
		says: "a birth shortly before this pregnancy, with what was found at it",
		chart: expecting(
			noted("93857-1", "2025-07-10", dateOf("2025-07-10")), noted("69461-2", "2025-07-10", amount("82", "kg")), noted("64795-8", "2025-07-09", integer(4)),
			condition(concept(coding(snomed, "6234006")), onset("2025-07-10")), condition(concept(coding(snomed, "48194001")), onset("2025-07-12")),
		),
	},
	{
		says: "Apgar scores and a birth weight in the chart of a woman who has not given birth yet",
		chart: expecting(noted("8339-4", "2026-04-18", amount("3410", "g")), noted("9274-2", "2026-04-18", integer(9)),
			noted("8339-4", "2026-04-18", focused("Patient/baby"), amount("3300", "g")), noted("9272-6", "2026-04-18", focused("Patient/baby"), integer(8)),
			noted("11884-4", "2026-04-18", amount("38", "wk")), noted("73761-9", "2026-04-18", sct("6096002"))),
	},
	{
		says:  "her own birth weight and the gestation at which she was born, as core characteristics",
		chart: expecting(noted("8339-4", "2026-02-01", amount("2950", "g")), noted("76516-4", "2026-02-01", amount("37", "wk"))),
	},
	{
		says:  "a height and a weight of the father, in her chart by focus",
		chart: expecting(noted("8302-2", "2026-01-10", focused("RelatedPerson/father"), amount("183", "cm")), noted("56077-1", "2026-01-10", focused("RelatedPerson/father"), amount("80", "kg"))),
	},
	{
		says:  "diabetes from the age of twelve",
		chart: expecting(condition(concept(coding(snomed, "46635009")), recorded("2025-10-01"), object{"onsetAge": object{"value": 12, "unit": "a", "code": "a", "system": ucum}})),
		hints: "risk_factors",
	},
	{
		says:  "gestational diabetes in words: in her last pregnancy",
		chart: expecting(condition(concept(coding(snomed, "11687002")), recorded("2025-10-01"), object{"onsetString": "in her last pregnancy"})),
		hints: "risk_factors",
	},
	{
		says:  "gestational diabetes at the age of 24 to 26",
		chart: expecting(condition(concept(coding(snomed, "11687002")), recorded("2025-10-01"), object{"onsetRange": object{"low": object{"value": 24}, "high": object{"value": 26}}})),
		hints: "risk_factors",
	},
	{
		says:  "high blood pressure that ended in words",
		chart: expecting(condition(concept(coding(snomed, "38341003")), onset("2019-01-01"), object{"abatementString": "after her first pregnancy"})),
		hints: "risk_factors",
	},
	{
		says:  "high blood pressure that ended at an age",
		chart: expecting(condition(concept(coding(snomed, "38341003")), onset("2015-01-01"), object{"abatementAge": object{"value": 28, "code": "a"}})),
		hints: "risk_factors",
	},
	{
		says:  "an onset of which only the end is known",
		chart: expecting(condition(concept(coding(snomed, "11687002")), recorded("2025-12-01"), object{"onsetPeriod": object{"end": "2026-01-15"}})),
		hints: "risk_factors",
	},
	{
		says:  "a resolved diagnosis that has nothing but the day it was written down",
		chart: expecting(condition(concept(coding(snomed, "11687002")), resolved("resolved"), recorded("2025-12-01"))),
		hints: "risk_factors",
	},
	{
		says:  "an inactive diagnosis that has nothing but the day it was written down",
		chart: expecting(condition(concept(coding(icd10, "O15.00")), resolved("inactive"), recorded("2025-12-01"))),
		hints: "risk_factors",
	},
	{
		says:  "an active diagnosis of this pregnancy by the day it was written down",
		chart: expecting(condition(concept(coding(snomed, "11687002")), recorded("2026-01-15"))),
		want:  `risk_factors ["diabetes_gestational"]`,
	},
	{
		says:  "the words say family history",
		chart: expecting(condition(worded(concept(coding(snomed, "73211009")), "Family history of diabetes mellitus"), onset("2019-01-01"))),
		hints: "risk_factors",
	},
	{
		says:  "the words say rule out",
		chart: expecting(condition(worded(concept(coding(snomed, "398254007")), "Rule out pre-eclampsia"), onset("2026-04-01"))),
		hints: "risk_factors",
	},
	{
		says: "the words say r/o, screening, and negative",
		chart: expecting(
			condition(worded(concept(coding(snomed, "398254007")), "R/O preeclampsia"), onset("2026-04-01")),
			condition(worded(concept(coding(snomed, "76272004")), "Screening for syphilis"), onset("2026-01-01")),
			condition(worded(concept(coding(snomed, "66071002")), "Hepatitis B: negative"), onset("2026-01-01")),
		),
		hints: "risk_factors infections",
	},
	{
		says:  "the words of a coding say family history",
		chart: expecting(condition(concept(with(coding(snomed, "38341003"), object{"display": "FH: Hypertension"})), onset("2019-01-01"))),
		hints: "risk_factors",
	},
	{
		says: "modifiers that nobody knows, on a finding, a diagnosis and a visit",
		chart: expecting(
			noted("11996-6", "2025-10-01", integer(3), unknownModifier), condition(concept(coding(snomed, "11687002")), onset("2026-01-15"), unknownModifier),
			visit("IMP", "177184002", "2026-04-18", "2026-04-19", unknownModifier),
		),
		either: "estimated_due_date",
	},
	{
		says:  "findings about a patient of another server with the same id",
		chart: expecting(observation("11996-6", about("Patient/p2"), effective("2025-10-01"), integer(3)), observation("11996-6", effective("2025-10-01"), integer(4))),
	},
	{
		says:  "a running count of visits",
		chart: expecting(noted("68493-6", "2025-12-01", integer(3))),
		hints: "prenatal_visit_count",
	},
	{
		says: "preliminary, withdrawn, undated and future findings",
		chart: expecting(
			noted("11996-6", "2025-10-01", status("preliminary"), integer(3)), noted("11977-6", "2025-10-01", status("entered-in-error"), integer(1)),
			observation("64794-1", about("Patient/p"), integer(5)), noted("87298-6", "2026-12-01", integer(5)), noted("87299-4", "2025-10-01", status("unknown"), integer(5)),
		),
		hints: "gravida cigarettes_per_day_pre",
	},
	{
		says: "amounts without a unit, with a bound, and with words that contradict the unit",
		chart: expecting(
			noted("56077-1", "2025-10-01", object{"valueQuantity": object{"value": 82}}), noted("8302-2", "2024-01-05", object{"valueQuantity": object{"value": 170, "comparator": ">", "code": "cm"}}),
			noted("8302-2", "2024-01-06", object{"valueQuantity": object{"value": 67, "unit": "cm", "code": "[in_i]", "system": ucum}}),
		),
	},
	{
		says:  "the registries' codes for not known, in a chart",
		chart: expecting(noted("64794-1", "2025-10-01", integer(99)), noted("68499-3", "2025-10-01", dateOf("9999-09-09")), noted("8665-2", "2025-10-01", dateOf("9999-09-09")), noted("69044-6", "2025-10-01", dateOf("9999-09-09"))),
	},
	{
		says:  "cigarettes in packs",
		chart: expecting(noted("64794-1", "2025-10-01", amount("1", "{pack}/d")), noted("87298-6", "2025-10-01", object{"valueQuantity": object{"value": 2, "unit": "packs/day"}})),
	},
	{
		says:  "codes of other systems",
		chart: expecting(noted("", "2025-10-01", integer(3), object{"code": concept(coding("urn:hospital", "11996-6"))}), condition(concept(coding("urn:hospital", "11687002")), onset("2026-01-15"))),
	},
	{
		says:  "a miscarriage in this time, in SNOMED CT",
		chart: expecting(condition(concept(coding(snomed, "17369002")), onset("2025-11-01"))), notice: "miscarriage", either: "estimated_due_date",
	},
	{
		says:  "a miscarriage in this time, in ICD",
		chart: expecting(condition(concept(coding(icd10, "O03.9")), onset("2025-11-01"))), notice: "miscarriage", either: "estimated_due_date",
	},
	{
		says:  "an ectopic pregnancy in this time, in SNOMED CT and in ICD",
		chart: expecting(condition(concept(coding(snomed, "34801009")), onset("2025-09-01")), condition(concept(coding(icd10, "O00.90")), onset("2025-09-01"))), notice: "ectopic", either: "estimated_due_date",
	},
	{
		says:  "a stillbirth, in SNOMED CT",
		chart: expecting(condition(concept(coding(snomed, "237364002")), onset("2026-04-18"))), notice: "stillbirth", either: "estimated_due_date",
	},
}

var unknownModifier = object{"modifierExtension": list{extension("http://ehr.example/does-not-apply", object{"valueBoolean": true})}}

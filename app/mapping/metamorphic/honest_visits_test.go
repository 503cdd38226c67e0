package metamorphic

// Visits, times and measurements on days other than the day of the birth.
var honestVisits = []honest{
	{
		says: "the birth has nobody attending, an office visit without a date has",
		doc: course(practitioner("us", "S-1", "Adler", "Sonographer"), birthEncounter(physical("91154008")),
			encounter(object{"class": object{"code": "AMB"}}, visitType("Ultrasound"), participants(participant(parts, "ATND", "Practitioner/us")))),
		want: `birth_setting "birth_center"
			provider[0] S-1 |  | Adler | Sonographer | other`,
	},
	{
		says: "a visit in August that does not say when it ended, and nothing else of who attended",
		doc: course(practitioner("us", "S-1", "Adler", "Sonographer"),
			encounter(period("2025-08-20", ""), physical("67190003"), participants(participant(parts, "ATND", "Practitioner/us")))),
		want: "provider[0] S-1 |  | Adler | Sonographer | other",
	},
	{
		says: "the midwife of a visit in the night of the birth attends next to the birth's own Encounter, which names nobody",
		doc: course(practitioner("mw", "S-1", "Reyes", "CNM"), birthEncounter(physical("91154008")),
			encounter(period("2026-03-01T22:00:00-05:00", "2026-03-02T09:00:00-05:00"), participants(participant(parts, "ATND", "Practitioner/mw")))),
		want: `birth_setting "birth_center"
			attendant_name "Reyes"
			attendant_credentials "CNM"
			attendant_type "midwife"
			provider[0] S-1 |  | Reyes | CNM | midwife | attending`,
	},
	{
		says: "her weight in August and the visits counted until then are not those at the birth",
		doc: course(observation("69461-2", about("Patient/mother"), effective("2025-08-20"), amount("65", "kg")),
			observation("68493-6", about("Patient/mother"), effective("2025-08-20"), integer(2))),
	},
	{
		says: "her weight and her visits at the last one, two weeks before the birth",
		doc: course(observation("69461-2", about("Patient/mother"), effective("2026-02-16"), amount("175", "[lb_av]")),
			observation("68493-6", about("Patient/mother"), effective("2026-02-16"), integer(11))),
		want: "delivery_weight_lb 175\nprenatal_visit_count 11",
	},
	{
		says: "weeks of pregnancy of which no more than the year is told",
		doc:  course(observation("11884-4", about("Patient/child"), effective("2026"), amount("39", "wk"))),
		want: "child[0].gestational_age_weeks 39",
	},
	{
		says: "weeks of pregnancy at a visit in August are not those at the birth",
		doc:  course(observation("49051-6", about("Patient/mother"), effective("2025-08-20"), amount("12", "wk"))),
	},
	{
		says: "weeks of pregnancy by an ultrasound in the fifth month and those at the birth",
		doc: course(observation("11884-4", about("Patient/child"), effective("2026-03-02"), amount("39", "wk")),
			observation("18185-9", about("Patient/mother"), effective("2025-10-20"), amount("20", "wk"))),
		want: "child[0].gestational_age_weeks 39",
	},
	{
		says: "the mother's weight at the first visit under the code of the weight at the birth",
		doc: course(observation("69461-2", about("Patient/mother"), effective("2025-08-20"), amount("65", "kg")),
			observation("69461-2", about("Patient/mother"), effective("2026-03-01"), amount("79.4", "kg"))),
		want: "delivery_weight_lb 175",
	},
	{
		says: "a newborn's weight two months later under the code of the birth weight",
		doc:  course(observation("8339-4", about("Patient/child"), effective("2026-05-02"), amount("5200", "g"))),
		want: "child[0].birth_weight_g 5200", either: "child[0].birth_weight_g",
	},
	{
		says:   "an Apgar score from before the birth",
		doc:    course(observation("9274-2", about("Patient/child"), effective("2024-01-10"), integer(7))),
		either: "child[0].apgar_five_minute",
		want:   "child[0].apgar_five_minute 7",
	},
	{
		says: "a last menstrual period after the birth, a first visit after it, a due date years later",
		doc: course(observation("8665-2", about("Patient/mother"), object{"valueDateTime": "2026-04-20"}), observation("69044-6", about("Patient/mother"), object{"valueDateTime": "2026-04-10"}),
			observation("11778-8", about("Patient/mother"), object{"valueDateTime": "2029-04-10"})),
		want: `last_menstrual_period "2026-04-20"
			prenatal_first_visit_date "2026-04-10"
			estimated_due_date "2029-04-10"`,
		either: "last_menstrual_period prenatal_first_visit_date estimated_due_date",
	},
	{
		says: "a mother who was born after her child",
		doc:  bundleOf(mother(object{"birthDate": "2027-01-01"}), child()),
		want: "mother_birth_date \"2027-01-01\"\n- mother_age_years", either: "mother_birth_date",
	},
	{
		says: "a mother who is five years old",
		doc:  bundleOf(mother(object{"birthDate": "2021-01-01"}), child()),
		want: "mother_birth_date \"2021-01-01\"\n- mother_age_years", either: "mother_birth_date",
	},
	{
		says: "a hospital stay in the pregnancy with a transfer, months before the birth",
		doc: course(encounter(period("2025-10-01", "2025-10-05"), physical("22232009"), object{"hospitalization": object{
			"admitSource": concept(coding("http://terminology.hl7.org/CodeSystem/admit-source", "hosp-trans")),
		}}), birthEncounter(physical("91154008"))),
		want: `birth_setting "birth_center"
			transfer[0] | in |  | mother | 2025-10-01 |`, either: "transfer[0]",
	},
	{
		says: "no transfer by the code that says other",
		doc: course(birthEncounter(object{"hospitalization": object{
			"admitSource": concept(coding("http://terminology.hl7.org/CodeSystem/admit-source", "other")), "dischargeDisposition": concept(coding("http://terminology.hl7.org/CodeSystem/discharge-disposition", "home")),
		}})),
	},
	{
		says: "a transfer code of another system",
		doc:  course(birthEncounter(object{"hospitalization": object{"dischargeDisposition": concept(coding("urn:hospital:dispositions", "other-hcf"))}})),
	},
}

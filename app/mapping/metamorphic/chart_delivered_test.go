package metamorphic

// Charts of women after the birth, and of newborns.
var deliveredCharts = []honestChart{
	{
		says:  "a count of visits as it stood in December, for a birth in May",
		chart: delivered(noted("68493-6", "2025-12-01", integer(3))), hints: "prenatal_visit_count",
	},
	{
		says:  "a count of visits as it stood at the birth",
		chart: delivered(noted("68493-6", "2026-04-30", integer(12))), want: "prenatal_visit_count 12",
	},
	{
		says:  "her own birth weight, noted on the day of the birth",
		chart: delivered(noted("8339-4", "2026-05-01", amount("2950", "g")), noted("76516-4", "2026-05-01", amount("37", "wk")), noted("57722-1", "2026-05-01", integer(1))),
	},
	{
		says:  "a weight and Apgar scores of the day of the birth that do not say whose they are",
		chart: delivered(noted("8339-4", "2026-05-01T05:00:00-04:00", amount("3410", "g")), noted("9274-2", "2026-05-01T04:23:00-04:00", integer(9)), noted("57722-1", "2026-05-01", integer(1))),
		hints: "birth_weight_g apgar_five_minute",
	},
	{
		says:  "Apgar scores about an older child, by focus, of years ago",
		chart: delivered(noted("9274-2", "2022-01-10", focused("Patient/brother"), integer(7))),
	},
	{
		says:  "weights with two children in focus",
		chart: delivered(noted("8339-4", "2026-05-01", focused("Patient/a"), amount("2500", "g")), noted("8339-4", "2026-05-01", focused("Patient/b"), amount("2700", "g"))),
		hints: "birth_weight_g", either: "birth_date birth_datetime",
	},
	{
		says:  "an Apgar score whose focus is her husband",
		chart: delivered(noted("9274-2", "2026-05-01", focused("RelatedPerson/husband"), integer(9))),
	},
	{
		says:  "diabetes found in the week before the last menstrual period of a birth in May",
		chart: delivered(noted("8665-2", "2025-10-01", dateOf("2025-07-28")), condition(concept(coding(snomed, "11687002")), onset("2025-07-20"), resolved("resolved"), object{"abatementDateTime": "2025-07-26"})),
		want:  `last_menstrual_period "2025-07-28"`,
	},
	{
		says:  "counts of births that may include this one",
		chart: delivered(noted("11977-6", "2026-05-02", integer(2)), noted("11638-4", "2026-05-02", integer(2))),
		hints: "parity previous_live_births_living",
	},
	{
		says: "the birth before, with everything that was found at it",
		chart: delivered(noted("93857-1", "2022-03-10", dateOf("2022-03-10")), noted("69461-2", "2022-03-10", amount("90", "kg")), noted("73762-7", "2022-03-10", sct("11466000")),
			noted("68493-6", "2022-03-01", integer(9)), condition(concept(coding(icd10, "O15.1")), onset("2022-03-10")), condition(concept(coding(icd10, "O70.2")), onset("2022-03-10"))),
	},
	{
		says:  "stillborn, by the outcome of delivery",
		chart: delivered(condition(concept(coding(icd10, "Z37.1")), onset("2026-05-01"))), notice: "stillbirth",
	},
	{
		says:  "the day of the birth in two versions",
		chart: delivered(noted("93857-1", "2026-05-02", dateOf("2026-05-02T00:18:00-04:00"))),
		want:  "- child[0].birth_date\n- child[0].birth_datetime", hints: "birth_date",
	},
	{
		says:  "a mother who has died, by the chart",
		chart: chart("2026-05-03T12:00:00Z", woman(object{"deceasedDateTime": "2026-05-02"}), dueInMay, bornInMay),
		want:  "- mother_family_name\n- mother_given_names\n- mother_birth_date\n- estimated_due_date\n- child[0].birth_date\n- child[0].birth_datetime",
	},
	{
		says:  "the attendant of a prenatal visit is not that of the birth",
		chart: delivered(visit("AMB", "424619006", "2026-04-28", "2026-04-28", participants(object{"type": list{concept(coding(parts, "ATND"))}, "individual": object{"display": "Ruth Adler, MD"}}))),
	},
}

var newbornCharts = []honestChart{
	{
		says:  "what an ordinary chart of a newborn holds",
		chart: afterBirth(newborn(), noted("8339-4", "2026-05-01T05:00:00-04:00", amount("3.41", "kg")), noted("9274-2", "2026-05-01T04:23:00-04:00", integer(9)), noted("11884-4", "2026-05-01", amount("277", "d"))),
		want: `child[0].birth_weight_g 3410
			child[0].apgar_five_minute 9
			child[0].gestational_age_weeks 39
			child[0].gestational_age_days 4`,
	},
	{
		says: "a name in its place: Baby Girl", chart: afterBirth(named("Okonkwo", "Baby Girl")), hints: "child_given_names", want: `child[0].child_family_name "Okonkwo"`, either: "child_family_name",
	},
	{
		says: "a name in its place: BabyBoy A", chart: afterBirth(named("Okonkwo", "BabyBoy A")), hints: "child_given_names", want: `child[0].child_family_name "Okonkwo"`, either: "child_family_name",
	},
	{
		says: "a name in its place: Girl Maria", chart: afterBirth(named("Okonkwo", "Girl Maria")), hints: "child_given_names", want: `child[0].child_family_name "Okonkwo"`, either: "child_family_name",
	},
	{
		says: "a name in its place: Newborn, as the family name", chart: afterBirth(named("Newborn Okonkwo", "Female")), hints: "child_family_name",
	},
	{
		says: "a name in its place: Baby, Twin B", chart: afterBirth(named("Okonkwo", "Twin B")), hints: "child_given_names", want: `child[0].child_family_name "Okonkwo"`, either: "child_family_name",
	},
	{
		says: "a child that is called Babette Boyd", chart: afterBirth(named("Boyd", "Babette")), want: "child[0].child_family_name \"Boyd\"\nchild[0].child_given_names \"Babette\"",
	},
	{
		says:  "weights of the hours before the birth",
		chart: afterBirth(newborn(), noted("29463-7", "2026-05-01T01:00:00-04:00", amount("80", "kg")), noted("29463-7", "2026-05-01T02:00:00-04:00", amount("3.1", "kg")), noted("8339-4", "2026-05-01T03:00:00-04:00", amount("3.2", "kg"))),
	},
	{
		says:  "a weight of the day of birth, in UTC after the birth and on the next day",
		chart: afterBirth(newborn(), noted("8339-4", "2026-05-01T09:30:00Z", amount("3.41", "kg"))), want: "child[0].birth_weight_g 3410",
	},
	{
		says: "findings of the mother in the chart of the newborn",
		chart: afterBirth(newborn(), noted("11996-6", "2025-10-01", focused("RelatedPerson/mother"), integer(3)), noted("8339-4", "2026-05-01T05:00:00-04:00", focused("RelatedPerson/mother"), amount("3410", "g")),
			noted("8665-2", "2025-10-01", focused("RelatedPerson/mother"), dateOf("2025-07-28"))),
	},
	{
		says: "an anomaly that was ruled out, one refuted, one in the family",
		chart: afterBirth(newborn(), condition(concept(coding(snomed, "80281008")), onset("2026-05-01"), object{"verificationStatus": concept(coding(verified, "refuted"))}),
			condition(worded(concept(coding(snomed, "87979003")), "Rule out cleft palate"), onset("2026-05-01")), condition(worded(concept(coding(snomed, "70156005")), "Family history: Down syndrome"), onset("2026-05-01"))),
		hints: "congenital_anomalies",
	},
	{
		says:  "a weight that was corrected later on the day",
		chart: afterBirth(newborn(), noted("8339-4", "2026-05-01T05:00:00-04:00", amount("3410", "g")), noted("8339-4", "2026-05-01T05:00:00-04:00", status("corrected"), object{"issued": "2026-05-01T09:00:00-04:00"}, amount("3140", "g"))),
		want:  "child[0].birth_weight_g 3140", either: "birth_weight_g",
	},
}

// afterBirth returns a chart read two days after the birth.
func afterBirth(resources ...object) object { return chart("2026-05-03T12:00:00Z", resources...) }

func named(family, given string) object {
	return newborn(object{"name": list{object{"use": "official", "family": family, "given": list{given}}}})
}

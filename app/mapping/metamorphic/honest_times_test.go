package metamorphic

// When something happened, and which of several values counts.
var honestTimes = []honest{
	{
		says: "a weight that was corrected, the correction first",
		doc: course(
			observation("8339-4", about("Patient/child"), status("corrected"), amount("3240", "g")),
			observation("8339-4", about("Patient/child"), amount("3420", "g")),
		),
		want: "child[0].birth_weight_g 3240",
	},
	{
		says: "a weight that was corrected, the correction last",
		doc: course(
			observation("8339-4", about("Patient/child"), amount("3420", "g")),
			observation("8339-4", about("Patient/child"), status("corrected"), amount("3240", "g")),
		),
		want: "child[0].birth_weight_g 3240",
	},
	{
		says: "a preliminary weight after the final one",
		doc: course(
			observation("8339-4", about("Patient/child"), effective("2026-03-02T04:30:00-05:00"), amount("3420", "g")),
			observation("8339-4", about("Patient/child"), status("preliminary"), effective("2026-03-02T09:00:00-05:00"), amount("3300", "g")),
		),
		want: "child[0].birth_weight_g 3420",
	},
	{
		says: "visits counted in December, in January and at the end, in no order",
		doc: course(
			observation("68493-6", about("Patient/mother"), effective("2026-01-10"), integer(7)),
			observation("68493-6", about("Patient/mother"), effective("2026-03-01"), integer(12)),
			observation("68493-6", about("Patient/mother"), effective("2025-12-10"), integer(5)),
		),
		want: "prenatal_visit_count 12",
	},
	{
		says: "the newest by the clock, not by its spelling",
		doc: course(
			observation("68493-6", about("Patient/mother"), effective("2026-03-01T23:30:00-08:00"), integer(12)),
			observation("68493-6", about("Patient/mother"), effective("2026-03-02T01:00:00Z"), integer(11)),
		),
		want: "prenatal_visit_count 12",
	},
	{
		says: "a date of birth that does not exist, with a time of birth that does",
		doc:  bundleOf(mother(), child(birthTime("2026-02-30", "2026-03-02T04:18:00-05:00"))),
		want: `child[0].birth_datetime "2026-03-02T04:18:00-05:00"`,
	},
	{
		says: "a time of birth on another day than the date of birth",
		doc:  bundleOf(mother(), child(birthTime("2026-03-02", "2026-03-09T04:18:00-05:00"))),
	},
	{
		says: "a time of birth without an offset",
		doc:  bundleOf(mother(), child(birthTime("2026-03-02", "2026-03-02T04:18:00"))),
		want: `child[0].birth_datetime "2026-03-02T04:18:00"`,
	},
	{
		says: "dates of a database that has none: the year 1, the year 1753, the year 9999",
		doc: bundleOf(mother(object{"birthDate": "0001-01-01"}), child(), observation("8665-2", about("Patient/mother"), object{"valueDateTime": "1753-01-01"}),
			observation("68499-3", about("Patient/mother"), object{"valueDateTime": "0001-01-01T00:00:00Z"}), observation("11778-8", about("Patient/mother"), object{"valueDateTime": "9999-12-31"})),
		want: "- mother_birth_date\n- mother_age_years",
	},
	{
		says: "a date that does not exist, and one with words in it",
		doc: course(observation("8665-2", about("Patient/mother"), object{"valueDateTime": "2025-06-31"}),
			observation("69044-6", about("Patient/mother"), object{"valueString": "about August"})),
	},
	{
		says: "dates that are known in part",
		doc: bundleOf(mother(object{"birthDate": "1994"}), child(object{"birthDate": "2026-03"}), observation("8665-2", about("Patient/mother"), object{"valueDateTime": "2025-06"}),
			observation("69044-6", about("Patient/mother"), object{"_valueDateTime": extended(extension(vrcl+"Extension-partial-date-time-vr", extended(
				extension("year", object{"valueUnsignedInt": 2025}), extension("month", object{"valueUnsignedInt": 8}), extension("day", object{"_valueUnsignedInt": absent("unknown")}),
			)))})),
		want: `mother_birth_date "1994"
			- mother_age_years
			child[0].birth_date "2026-03"
			last_menstrual_period "2025-06"
			prenatal_first_visit_date "2025-08"`,
	},
	{
		says: "a birth date that is said to be unknown",
		doc:  bundleOf(mother(), child(object{"birthDate": nil, "_birthDate": absent("unknown")})),
		want: "- child[0].birth_date\n- child[0].birth_month\n- mother_age_years",
	},
}

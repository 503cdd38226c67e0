package birth

// afterward lists the fields about the mother in the weeks after the birth. The date of a
// readmission is sealed, because it is close to the birth date.
var afterward = []Field{
	outcome("mother_six_weeks", "Mother at six weeks", Mother),
	readmitted("mother", "Mother", Mother),
	readmission("mother", "mother", Mother),
	// The options are the periods by which maternal deaths are counted (WHO, ICD-10: maternal
	// death, late maternal death).
	choice(
		"maternal_death", "Death of the mother", Mother,
		option("none", "None"),
		option("within_42_days", "Within 42 days"),
		option("within_one_year", "After 42 days, within a year"),
	),
	added(Field{
		Name: "maternal_death_days", Label: "Days from the birth to the mother's death", About: Mother, Kind: Int, Unit: "d", Max: 366,
	}),
	screening(
		"depression_screening", "Screening for depression after the birth", Mother,
		option("negative", "Negative"), option("positive", "Positive"),
	),
}

// outcome returns a field that says how the mother or the newborn was at six weeks.
func outcome(name, label string, about Subject) Field {
	return choice(
		name, label, about,
		option("well", "Well"),
		option("in_treatment", "In treatment for a complication"),
		option("died", "Died"),
		option("not_seen", "Not seen"),
	)
}

func readmitted(whose, label string, about Subject) Field {
	return yes(whose+"_readmitted", label+" readmitted to the hospital within six weeks", about)
}

func readmission(whose, label string, about Subject) Field {
	return added(Field{
		Name: whose + "_readmission_date", Label: "When the " + label + " was readmitted to the hospital", About: about, Kind: Date, Sealed: true,
	})
}

package birth

import "time"

// sixWeeks checks the facts about a newborn in the first six weeks: a readmission, and whether the
// newborn was alive at six weeks.
func (c *checking) sixWeeks(child Values, at func(field string) Path) {
	c.readmission("newborn", child, Born(child), at)
	when, sixWeeks := child.Text("perinatal_death"), child.Text("newborn_six_weeks")
	age, aged := child.Get("age_at_death_hours")
	dead := when == "antepartum" || when == "intrapartum" || when == "neonatal" || aged && age.Number < 42*24
	living, stated := child.Get("infant_living")
	switch {
	case dead && (sixWeeks == "well" || sixWeeks == "in_treatment"):
		c.block("six-weeks", "The newborn is recorded as having died and as living at six weeks. Correct one of them",
			at("newborn_six_weeks"), at("perinatal_death"), at("age_at_death_hours"))
	case stated && living.Flag && sixWeeks == "died":
		c.warn("six-weeks", "The newborn is recorded as living and as dead at six weeks. Check both",
			at("newborn_six_weeks"), at("infant_living"))
	}
}

// afterward checks the facts about the mother after the birth: a readmission, her death, and her
// state at six weeks.
func (c *checking) afterward() {
	birth := c.firstBirth()
	c.readmission("mother", c.Mother, birth, At)
	when, sixWeeks := c.Mother.Text("maternal_death"), c.Mother.Text("mother_six_weeks")
	days, counted := c.Mother.Get("maternal_death_days")
	early := days.Number <= 42
	if counted && (when == "none" || when == "within_42_days" && !early || when == "within_one_year" && early) {
		c.block("maternal-death", "The days from the birth to the mother's death contradict “Death of the mother”. Correct one of them",
			At("maternal_death_days"), At("maternal_death"))
	}
	alive := sixWeeks == "well" || sixWeeks == "in_treatment"
	diedBefore := when == "within_42_days" || counted && early
	if alive && diedBefore || sixWeeks == "died" && (when == "none" || when == "within_one_year") {
		c.block("six-weeks", "“Mother at six weeks” contradicts what is recorded about her death. Correct one of them",
			At("mother_six_weeks"), At("maternal_death"))
	}
}

// readmission checks the date on which the mother or a newborn was readmitted to the hospital.
// whose is "mother" or "newborn". The method dates checks whether the mother was readmitted before
// the birth.
func (c *checking) readmission(whose string, values Values, birth string, at func(field string) Path) {
	date, again := values.Text(whose+"_readmission_date"), at(whose+"_readmission_date")
	if whose == "newborn" && date != "" && birth != "" && After(birth, date) {
		c.block("order", "The newborn was readmitted to the hospital before the birth. Correct one of the dates", again, at("birth_date"))
	}
	if date != "" && birth != "" && After(date, daysAfter(birth, 6*week)) {
		c.warn("late", "The readmission is more than six weeks after the birth. Check the dates", again)
		c.dependsOn(c.eachNewborn("birth_date")...)
	}
	if answer, ok := values.Get(whose + "_readmitted"); ok && !answer.Flag && date != "" {
		c.warn("readmitted", "A readmission date is given, but the answer on readmission is no. Check both", again, at(whose+"_readmitted"))
	}
}

// daysAfter returns the date that is the given number of days after a date or time. If date is
// partial, it counts from the last day that date can mean.
func daysAfter(date string, days int) string {
	from, err := time.Parse(time.DateOnly, day(date, true))
	if err != nil {
		return "9999" // sorts after every date
	}
	return from.AddDate(0, 0, days).Format(time.DateOnly)
}

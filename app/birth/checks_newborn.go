package birth

import (
	"slices"

	"github.com/dustin/go-humanize/english"
)

// neonatal is the age, in hours, at which a death no longer counts as neonatal.
const neonatal = 28 * 24

// death checks whether the facts about a newborn's death contradict each other.
func (c *checking) death(child Values, at func(field string) Path) {
	when := child.Text("perinatal_death")
	before := when == "antepartum" || when == "intrapartum"
	age, aged := child.Get("age_at_death_hours")
	alive, stated := child.Get("live_birth")
	living, _ := child.Get("infant_living")
	switch died := before || when == "neonatal" || aged; {
	case died && living.Flag:
		c.block("death", "The newborn is recorded as living and as having died. Correct one of them",
			at("infant_living"), at("perinatal_death"), at("age_at_death_hours"))
	case aged && (before || when == "none"):
		c.block("death", "An age at death is given, but no death after the birth. Correct one of them",
			at("age_at_death_hours"), at("perinatal_death"))
	case before && alive.Flag:
		c.block("death", "A newborn who died before or in labor was not born alive. Correct one of them",
			at("perinatal_death"), at("live_birth"))
	case (aged || when == "neonatal") && stated && !alive.Flag:
		c.block("death", "A newborn who died after the birth was born alive. Correct one of them",
			at("perinatal_death"), at("age_at_death_hours"), at("live_birth"))
	}
	if when == "neonatal" && age.Number >= neonatal {
		c.warn("death-age", "The age at death is 28 days or more. Check it", at("age_at_death_hours"), at("perinatal_death"))
	}
	if point := child.Text("fetal_death_time_point"); point != "" && point != "unknown" && before && (point == "before_labor") != (when == "antepartum") {
		c.warn("death-time", "The two times of the fetal death differ. Check both", at("perinatal_death"), at("fetal_death_time_point"))
	}
}

// newborn checks whether a newborn's measurements contradict each other, and whether the care that
// was given contradicts the newborn's conditions.
func (c *checking) newborn(child Values, at func(field string) Path) {
	length, long := child.Get("newborn_length_cm")
	if head, round := child.Get("head_circumference_cm"); long && round && head.Number >= length.Number {
		c.warn("head-length", "The head circumference is not below the length. Check both",
			at("head_circumference_cm"), at("newborn_length_cm"))
	}
	conditions, listed := child.Get("newborn_conditions")
	if days, ok := child.Get("nicu_days"); ok && listed && (days.Number > 0) && !slices.Contains(conditions.Set, "nicu") {
		c.warn("nicu", "Days in intensive care are given, but no admission to intensive care. Check both", at("nicu_days"), at("newborn_conditions"))
	}
	steps, _ := child.Get("resuscitation_steps")
	if slices.Contains(steps.Set, "none") && slices.Contains(conditions.Set, "ventilation") {
		c.warn("resuscitation", "The newborn was ventilated, but no step of resuscitation is given. Check both",
			at("resuscitation_steps"), at("newborn_conditions"))
	}
}

// signsOfLife warns if a newborn that is recorded as stillborn has facts of a live birth.
func (c *checking) signsOfLife(child Values, at func(field string) Path) {
	alive, stated := child.Get("live_birth")
	when := child.Text("perinatal_death")
	about := []Path{at("live_birth")}
	if !stated {
		about[0] = at("perinatal_death")
	}
	if alive.Flag || !stated && when != "antepartum" && when != "intrapartum" {
		return
	}
	var labels []string
	for _, field := range []string{
		"apgar_one_minute", "apgar_five_minute", "apgar_ten_minute", "breastfeeding_initiated", "nicu_days", "breastfed_at_discharge",
		"breastfed_six_weeks", "newborn_readmitted", "infant_living",
	} {
		v, given := child.Get(field)
		if given && (v.Flag || v.Number > 0 || slices.Contains([]string{"exclusive", "partial"}, v.Text)) {
			about, labels = append(about, at(field)), append(labels, "“"+Must(field).Label+"”")
		}
	}
	if len(labels) > 0 {
		c.warn("signs-of-life", "The newborn is recorded as stillborn, but "+english.OxfordWordSeries(labels, "and")+
			" "+english.PluralWord(len(labels), "says", "say")+" otherwise. Check them", about...)
	}
}

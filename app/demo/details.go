package demo

import (
	"math"
	"math/rand/v2"
	"time"
)

// details randomly chooses the other facts that a midwife records: the newborn's care, the course
// of the labor and the third stage.
func (c *course) details(r *rand.Rand) {
	c.care(r)
	c.state(r, c.mother, map[string]any{"fetal_monitoring": "intermittent_auscultation", "retained_placenta": often(r, 1)})
	if plan, stated := c.mother["planned_birth_setting"]; stated {
		c.state(r, c.mother, map[string]any{"planned_birth_setting_booking": plan})
	}
	if c.transfer != "" {
		return // the labor continued where nobody recorded it
	}
	pushing := c.born.Add(-minutes(r, 25, 0.8))
	dilated := pushing.Add(-minutes(r, 10, 0.7))
	c.state(r, c.mother, map[string]any{
		"active_labor_datetime": dilated.Add(-minutes(r, 240, 0.6)), "full_dilation_datetime": dilated, "pushing_datetime": pushing,
		"placenta_datetime": c.born.Add(minutes(r, 18, 0.6)),
	})
	management := pick(r, []string{"expectant", "expectant", "expectant", "active", "mixed"})
	uterotonic := map[string]string{"expectant": "none", "active": "oxytocin", "mixed": "oxytocin"}[management]
	c.state(r, c.mother, map[string]any{"third_stage_management": management, "uterotonics": uterotonic})
	if repair := map[any]string{"first": "none", "second": "sutured", "third": "elsewhere"}[c.mother["perineum"]]; repair != "" {
		c.state(r, c.mother, map[string]any{"tear_repair": repair})
	}
	c.state(r, c.child, map[string]any{
		"shoulder_dystocia": often(r, 2), "meconium": pick(r, []string{"none", "none", "none", "none", "none", "none", "thin", "thick"}),
	})
}

// care randomly chooses the newborn's measurements and care.
func (c *course) care(r *rand.Rand) {
	c.state(r, c.child, map[string]any{
		"newborn_length_cm":       math.Round(normal(r, 51, 2)*2) / 2,
		"head_circumference_cm":   math.Round(normal(r, 35, 1.1)*2) / 2,
		"skin_to_skin":            often(r, 96),
		"breastfeeding_initiated": often(r, 98),
		"vitamin_k":               pick(r, []string{"intramuscular", "intramuscular", "oral", "declined"}),
		"eye_prophylaxis":         pick(r, []string{"given", "declined", "none"}),
		"blood_spot_screening":    pick(r, []string{"done", "done", "done", "done", "declined"}),
		"hearing_screening":       pick(r, []string{"passed", "passed", "passed", "passed", "passed", "referred", "not_done"}),
		"heart_screening":         pick(r, []string{"passed", "passed", "passed", "passed", "not_done"}),
		"perinatal_death":         "none",
		"resuscitation_steps":     pick(r, []string{"none", "none", "none", "none", "none", "none", "stimulation", "stimulation", "ppv"}),
	})
	if c.child["newborn_conditions"] == "nicu" {
		c.child["nicu_days"] = 1 + r.IntN(9)
	}
}

// afterward randomly chooses how the mother and the newborn were at six weeks.
func (c *course) afterward(r *rand.Rand) {
	c.state(r, c.mother, map[string]any{
		"maternal_death": "none", "mother_readmitted": often(r, 1), "mother_six_weeks": pick(r, []string{"well", "well", "well", "not_seen"}),
		"depression_screening": pick(r, []string{"negative", "negative", "negative", "negative", "negative", "positive", "not_done"}),
	})
	c.state(r, c.child, map[string]any{"newborn_readmitted": often(r, 2), "newborn_six_weeks": "well"})
}

// minutes returns a random duration. Half of the durations that it returns are at most median
// minutes, and a few are much longer. spread determines how much they differ.
func minutes(r *rand.Rand, median, spread float64) time.Duration {
	return time.Duration(math.Ceil(math.Exp(normal(r, math.Log(median), spread)))) * time.Minute
}

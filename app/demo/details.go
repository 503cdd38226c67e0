package demo

import (
	"math"
	"math/rand/v2"
	"time"
)

// details draws what a midwife writes down besides: the course of the labor and the third
// stage.
func (c *course) details(r *rand.Rand) {
	c.state(r, c.mother, map[string]any{"fetal_monitoring": "intermittent_auscultation", "retained_placenta": often(r, 1)})
	if plan, stated := c.mother["planned_birth_setting"]; stated {
		c.state(r, c.mother, map[string]any{"planned_birth_setting_booking": plan})
	}
	if c.transfer != "" {
		return // the labor went on where nobody wrote it down
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

// minutes draws a duration with a long tail; half of them are shorter than median.
func minutes(r *rand.Rand, median, spread float64) time.Duration {
	return time.Duration(math.Ceil(math.Exp(normal(r, math.Log(median), spread)))) * time.Minute
}

package birth

import "time"

// daysOff lists the maximum numbers of days by which a gestational age may differ from the one that
// a date implies. The limit is lower for the due date, because an ultrasound scan usually corrects
// it, but not the date of the last menstrual period.
var daysOff = []struct {
	field string
	most  int
	text  string
}{
	{"estimated_due_date", 3 * week, "The gestational age and the due date differ by more than 3 weeks. Check both"},
	{"last_menstrual_period", 4 * week, "The gestational age and the last menstrual period differ by more than 4 weeks. Check both"},
}

// gestation compares the due date and the last menstrual period with the gestational age or, if that
// isn't stated, with the date of birth.
func (c *checking) gestation() {
	if len(c.Children) == 0 {
		return
	}
	child := c.Children[0]
	least, most, stated := gestationalDays(child)
	for _, off := range daysOff {
		days, known := c.daysBy(off.field, child.Text("birth_date"))
		switch {
		case !known:
		case stated && (days < least-off.most || days > most+off.most):
			c.warn("gestation-date", off.text, Of(ChildList, 0, "gestational_age_weeks"), At(off.field))
			c.dependsOn(Of(ChildList, 0, "birth_date"), Of(ChildList, 0, "gestational_age_days"))
		case !stated && (days < 20*week || days >= 45*week):
			c.warn("gestation-date", Must(off.field).Label+": by this date, the pregnancy lasted less than 20 or more than 44 weeks. Check the dates",
				At(off.field), Of(ChildList, 0, "birth_date"))
		}
	}
}

// daysBy returns how many days the pregnancy took by the due date or the last menstrual period.
func (c *checking) daysBy(field, birth string) (days int, known bool) {
	date, full := DayOf(c.Mother.Text(field))
	born, fullBirth := DayOf(birth)
	if !full || !fullBirth {
		return 0, false
	}
	days = int(born.Sub(date) / (24 * time.Hour))
	if field == "estimated_due_date" {
		days += 40 * week
	}
	return days, true
}

// gestationalDays returns the days that a stated gestational age can mean.
func gestationalDays(child Values) (least, most int, stated bool) {
	weeks, stated := child.Get("gestational_age_weeks")
	least = int(weeks.Number) * week
	if days, exact := child.Get("gestational_age_days"); exact {
		return least + int(days.Number), least + int(days.Number), stated
	}
	return least, least + week - 1, stated
}

// heaviest has the birth weight in grams that a newborn of less than some weeks hardly exceeds. The
// limits are far from the weights of even large newborns, so that only a mistake exceeds them.
var heaviest = []struct{ before, grams float64 }{{24, 2000}, {28, 3000}, {32, 4000}}

// weightAtGestation warns of a birth weight that hardly any newborn of that gestational age has.
func (c *checking) weightAtGestation(child Values, at func(field string) Path) {
	weight, weighed := child.Get("birth_weight_g")
	weeks, stated := child.Get("gestational_age_weeks")
	if !weighed || !stated {
		return
	}
	wrong := weeks.Number >= 37 && weight.Number < 1000
	for _, h := range heaviest {
		wrong = wrong || weeks.Number < h.before && weight.Number > h.grams
	}
	if wrong {
		c.warn("weight-gestation", "The birth weight does not fit the gestational age. Check both", at("birth_weight_g"), at("gestational_age_weeks"))
	}
}

package stats

import "birthregistry/app/birth"

const notStillborn = "A newborn that is not recorded as stillborn counts as a live birth."

var newbornMeasures = []Measure{
	{
		ID: "preterm", Name: "Preterm birth", Section: NewbornSection, Unit: Newborns, Direction: Lower,
		Plain: "Newborns born before 37 completed weeks.", Of: "live newborns with the gestational age known", Note: notStillborn,
		newborn: func(o *birth.Outcome, n int) answer { return live(o, n, before(o, n, term)) },
	},
	{
		ID: "preterm_early", Name: "Early preterm birth", Section: NewbornSection, Unit: Newborns, Direction: Lower,
		Plain: "Newborns born before 34 completed weeks.", Of: "live newborns with the gestational age known",
		newborn: func(o *birth.Outcome, n int) answer { return live(o, n, before(o, n, early)) },
	},
	{
		ID: "lbw", Name: "Low birth weight", Section: NewbornSection, Unit: Newborns, Direction: Lower,
		Plain: "Newborns below 2,500 g.", Of: "live newborns with the weight known",
		newborn: func(o *birth.Outcome, n int) answer { return live(o, n, weighs(o, n, birth.Below2500)) },
	},
	{
		ID: "lbw_term", Name: "Low birth weight at term", Section: NewbornSection, Unit: Newborns, Direction: Lower,
		Plain: "Single newborns born from 37 weeks and below 2,500 g.",
		Of:    "live single newborns from 37 weeks with the weight known",
		newborn: func(o *birth.Outcome, n int) answer {
			atTerm := tri(before(o, n, term))
			return live(o, n, asked(o.Multiple, birth.No, asked(atTerm, birth.No, weighs(o, n, birth.Below2500))))
		},
	},
	{
		ID: "macrosomia", Name: "Birth weight of 4,000 g or more", Section: NewbornSection, Unit: Newborns,
		Plain: "Newborns of 4,000 g or more.", Of: "live newborns with the weight known",
		newborn: func(o *birth.Outcome, n int) answer { return live(o, n, weighs(o, n, birth.From4000)) },
	},
	{
		ID: "apgar5_lt7", Name: "Apgar below 7 at 5 minutes", Section: NewbornSection, Unit: Newborns, Direction: Lower,
		Plain: "Newborns with a 5-minute score of 0 to 6.", Of: "live newborns with the 5-minute score known",
		newborn: func(o *birth.Outcome, n int) answer { return live(o, n, of(o.Children[n].Five)) },
	},
	{
		ID: "apgar10_lt7", Among: "apgar5_lt7", Name: "Apgar still below 7 at 10 minutes", Section: NewbornSection, Unit: Newborns, Direction: Lower,
		Plain: "Newborns with a 10-minute score of 0 to 6, among those below 7 at 5 minutes.",
		Of:    "live newborns below 7 at 5 minutes with the 10-minute score known",
		newborn: func(o *birth.Outcome, n int) answer {
			return live(o, n, asked(o.Children[n].Five, birth.Yes, of(o.Children[n].Ten)))
		},
	},
	{
		ID: "dcc", Name: "Delayed cord clamping", Section: NewbornSection, Unit: Newborns, Direction: Higher,
		Plain: "Newborns whose cord was clamped after 60 seconds or later.", Of: "live newborns for which it is known whether clamping was delayed",
		newborn: func(o *birth.Outcome, n int) answer { return live(o, n, of(o.Children[n].Delayed)) },
	},
	{
		ID: "nicu", Name: "Admission to intensive care", Section: NewbornSection, Unit: Newborns, Direction: Lower,
		Plain: "Newborns admitted to a neonatal intensive care unit.", Of: "live newborns with conditions, “none”, or the days in intensive care recorded",
		newborn: func(o *birth.Outcome, n int) answer { return live(o, n, of(o.Children[n].Intensive)) },
	},
	{
		ID: "bf_init", Name: "Breastfeeding started", Section: NewbornSection, Unit: Newborns, Direction: Higher,
		Plain:   "Newborns for whom breastfeeding was started.",
		Of:      "live newborns not recorded as having died, for which it is known whether breastfeeding was started",
		Note:    "If it is not recorded whether breastfeeding was started, the feeding at discharge counts.",
		newborn: func(o *birth.Outcome, n int) answer { return living(o, n, of(o.Children[n].Breastfed)) },
	},
	{
		ID: "bf_excl_6w", Name: "Exclusive breastfeeding at six weeks", Section: NewbornSection, Unit: Newborns, Direction: Higher,
		Plain: "Newborns fed nothing but human milk at six weeks.",
		Of:    "live newborns not recorded as having died, with the feeding at six weeks known",
		newborn: func(o *birth.Outcome, n int) answer {
			return living(o, n, of(o.Children[n].Exclusive))
		},
	},
	{
		ID: "water_birth", Among: "cesarean", Name: "Born in water", Section: NewbornSection, Unit: Newborns,
		Plain: "Newborns born in water.", Of: "newborns born vaginally for which it is known whether they were born in water",
		newborn: func(o *birth.Outcome, n int) answer { return bornVaginally(o, n, of(o.InWater)) },
	},
	{
		ID: "fetal_20", Name: "Fetal death from 20 weeks", Section: DeathSection, Unit: Newborns, Direction: Lower, PerThousand: true,
		Plain: "Newborns stillborn at 20 completed weeks or later.",
		Of:    "live births and fetal deaths from 20 weeks",
		newborn: func(o *birth.Outcome, n int) answer {
			child := o.Children[n]
			if child.Alive != birth.No {
				return of([...]birth.Tri{birth.Unknown, birth.Yes, birth.No}[child.Alive])
			}
			return asked(tri(before(o, n, fetal)), birth.No, yes)
		},
	},
	{
		ID: "infant_death", Name: "Death after a live birth", Section: DeathSection, Unit: Newborns, Direction: Lower, PerThousand: true,
		Plain: "Newborns born alive who were not living at the time of the report.",
		Of:    "live births for which it is known whether the newborn was living at the report",
		Note: "A newborn counts only if it is recorded that it was born alive: a death alone may be a stillbirth. " +
			"The age at death is not used here, and a death after the report may never reach it.",
		newborn: func(o *birth.Outcome, n int) answer {
			child := o.Children[n]
			return asked(child.Alive, birth.Yes, of([...]birth.Tri{birth.Unknown, birth.Yes, birth.No}[child.Living]))
		},
	},
}

// live returns then, the answer for the nth newborn. If the newborn is recorded as stillborn, it
// returns notAsked.
func live(o *birth.Outcome, n int, then answer) answer {
	if o.Children[n].Alive == birth.No {
		return notAsked
	}
	return then
}

// living returns then, the answer for the nth newborn. If the newborn is recorded as stillborn or
// as having died, it returns notAsked.
func living(o *birth.Outcome, n int, then answer) answer {
	if o.Children[n].Living == birth.No {
		return notAsked
	}
	return live(o, n, then)
}

// before returns yes if the nth newborn was born before the given number of completed weeks, and
// otherwise no. If the weeks aren't known, it returns missing.
func before(o *birth.Outcome, n, week int) answer {
	weeks := o.Children[n].Weeks
	if weeks == 0 {
		return missing
	}
	return is(weeks < week)
}

func weighs(o *birth.Outcome, n int, class birth.Weight) answer {
	weight := o.Children[n].Weight
	if weight == birth.NoWeight {
		return missing
	}
	return is(weight == class)
}

func bornVaginally(o *birth.Outcome, n int, then answer) answer {
	method := birth.Unknown
	if m := o.Children[n].Method; m != birth.NoMethod {
		method = fact(m != birth.Cesarean)
	}
	return asked(method, birth.Yes, then)
}

// positionPrefix begins the IDs of the measures that positionMeasures returns.
const positionPrefix = "position_"

// positionMeasures returns a measure for each birth position in the spine: the share of newborns,
// among those born vaginally, whose mother was in this position.
func positionMeasures() (all []Measure) {
	for _, option := range birth.Must("birth_position").Options {
		if option.Code == "unknown" {
			continue
		}
		code := option.Code
		all = append(all, Measure{
			ID: positionPrefix + code, Name: option.Label, Section: PositionSection, Unit: Newborns,
			Among: "cesarean",
			Plain: "Newborns born vaginally with the mother in this position.",
			Of:    "newborns born vaginally with the position known",
			newborn: func(o *birth.Outcome, n int) answer {
				if o.Position == "" {
					return bornVaginally(o, n, missing)
				}
				return bornVaginally(o, n, is(o.Position == code))
			},
		})
	}
	return all
}

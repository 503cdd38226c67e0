package stats

import "birthregistry/app/birth"

const oneCode = "A record holds one finding about the perineum. If it is an episiotomy, a tear is not recorded."

var bodyMeasures = []Measure{
	{
		ID: "episiotomy", Among: "cesarean", Name: "Episiotomy", Section: BodySection, Direction: Lower,
		Plain:  "Vaginal births with an episiotomy.",
		Of:     "vaginal births with the perineum known",
		Note:   oneCode,
		course: func(o *birth.Outcome) answer { return perineum(o, birth.Cut) },
	},
	{
		ID: "oasi", Among: "cesarean", Name: "Third- or fourth-degree tear", Section: BodySection, Direction: Lower,
		Plain:  "Vaginal births with a tear into the anal sphincter or beyond.",
		Of:     "vaginal births with the perineum known",
		Note:   oneCode,
		course: func(o *birth.Outcome) answer { return perineum(o, birth.Severe) },
	},
	{
		ID: "intact", Among: "cesarean", Name: "Intact perineum", Section: BodySection, Direction: Higher,
		Plain:  "Vaginal births without a tear and without an episiotomy.",
		Of:     "vaginal births with the perineum known",
		course: func(o *birth.Outcome) answer { return perineum(o, birth.Intact) },
	},
	{
		ID: "pph_1000", Name: "Hemorrhage, 1,000 mL or more", Section: BodySection, Direction: Lower,
		Plain: "Births with a blood loss of 1,000 mL or more, by any method.",
		Of:    "births with the blood loss known",
		Note: "Only the amount counts. ACOG reVITALize also counts signs of hypovolemia, which the record does not hold. " +
			"Whether it was measured or estimated is not on the record.",
		course: func(o *birth.Outcome) answer {
			if o.Loss == birth.NoLoss {
				return missing
			}
			return is(o.Loss == birth.From1000)
		},
	},
	{
		ID: "pph_500v", Among: "cesarean", Name: "Blood loss of 500 mL or more after a vaginal birth", Section: BodySection, Direction: Lower,
		Plain: "Vaginal births with a blood loss of 500 mL or more (the WHO's older definition).",
		Of:    "vaginal births with the blood loss known",
		course: func(o *birth.Outcome) answer {
			if o.Loss == birth.NoLoss {
				return asked(tri(vaginal(o)), birth.Yes, missing)
			}
			return asked(tri(vaginal(o)), birth.Yes, is(o.Loss != birth.Below500))
		},
	},
}

func perineum(o *birth.Outcome, wanted birth.Perineum) answer {
	if o.Perineum == birth.NoPerineum {
		return asked(tri(vaginal(o)), birth.Yes, missing)
	}
	return asked(tri(vaginal(o)), birth.Yes, is(o.Perineum == wanted))
}

// asRecorded is a note on the measures of transfers. Records list the transfers that happened, and
// never state that there was none. A birth at home or in a birth center proves that nobody was
// transferred before the birth, but nothing proves this for the time after the birth. A birth
// without a recorded later transfer therefore counts as one without such a transfer.
const asRecorded = "A birth without a recorded transfer counts as one without a transfer."

var transferMeasures = []Measure{
	{
		ID: "tx_antepartum", Name: "Transfer before labor", Section: TransferSection,
		Plain: "Care handed over before labor began.",
		Of:    "births planned at home or in a birth center at the onset of labor, and those handed over before",
		Note: "The plan at booking is not used here. Mothers who changed it without a recorded transfer are in neither number. " +
			asRecorded,
		course: func(o *birth.Outcome) answer {
			if o.BeforeLabor {
				return yes
			}
			return asked(community(o.Planned), birth.Yes, no)
		},
	},
	{
		ID: "tx_intrapartum", Name: "Transfer during labor", Section: TransferSection,
		Plain: "Care handed over during labor, of births planned at home or in a birth center when labor began.",
		Of:    "births planned at home or in a birth center, with the transfer or place of birth known",
		Note: "A birth counts by the plan at the onset of labor, wherever it happened. A birth that happened elsewhere than planned " +
			"without a recorded transfer is missing.",
		course: func(o *birth.Outcome) answer {
			happened := missing // born elsewhere, and how that came about isn't recorded
			switch {
			case o.InLabor:
				happened = yes
			case o.BeforeLabor: // she wasn't in labor at the planned place
				happened = notAsked
			case o.Born.Community():
				happened = no
			}
			return asked(community(o.Planned), birth.Yes, happened)
		},
	},
	{
		ID: "tx_postpartum", Name: "Transfer of the mother after birth", Section: TransferSection,
		Plain:  "Mothers transferred after a birth at home or in a birth center.",
		Of:     "births that happened at home or in a birth center",
		Note:   asRecorded,
		course: func(o *birth.Outcome) answer { return asked(community(o.Born), birth.Yes, is(o.AfterBirth)) },
	},
	{
		ID: "tx_newborn", Name: "Transfer of the newborn", Section: TransferSection, Unit: Newborns,
		Plain: "Newborns transferred after a birth at home or in a birth center.",
		Of:    "live newborns born at home or in a birth center",
		Note:  "The record lists the transfers of twins with the birth, so the first transfers count as those of the first newborns. " + asRecorded,
		newborn: func(o *birth.Outcome, n int) answer {
			return live(o, n, asked(community(o.Born), birth.Yes, is(moved(o, n))))
		},
	},
	{
		ID: "tx_urgent", Name: "Urgent share of transfers", Section: TransferSection, Direction: Lower,
		Plain: "Births with an urgent transfer of mother or newborn, during labor or after.",
		Of:    "births planned or happening in the community with a transfer whose urgency is known",
		course: func(o *birth.Outcome) answer {
			if !o.InLabor && !o.AfterBirth && o.Newborns == 0 {
				return notAsked
			}
			if o.Planned.Community() || o.Born.Community() {
				return of(o.Urgent)
			}
			return notAsked
		},
	},
}

func community(w birth.Where) birth.Tri {
	if w == birth.Nowhere {
		return birth.Unknown
	}
	return fact(w.Community())
}

// moved reports whether the nth newborn is one of the newborns that were transferred. The recorded
// number of transfers is assigned to the newborns born alive, in their order.
func moved(o *birth.Outcome, n int) bool {
	before := 0
	for i := range n {
		if o.Children[i].Alive != birth.No {
			before++
		}
	}
	return before < o.Newborns
}

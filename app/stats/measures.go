package stats

import (
	"slices"

	"birthregistry/app/birth"
)

// Measures lists every measure in the order of the statistics page.
var Measures = slices.Concat(modeMeasures, laborMeasures, bodyMeasures, transferMeasures, newbornMeasures, positionMeasures())

// The sections into which the statistics page divides the measures.
const (
	ModeSection     = "Mode of birth"
	LaborSection    = "Labor"
	BodySection     = "Perineum and bleeding"
	TransferSection = "Transfers"
	NewbornSection  = "Newborn"
	DeathSection    = "Deaths, as recorded here"
	PositionSection = "Position at birth"
)

// Sections lists the sections of the statistics page in their order.
var Sections = []string{
	ModeSection, LaborSection, BodySection, TransferSection, NewbornSection, DeathSection, PositionSection,
}

var modeMeasures = []Measure{
	{
		ID: "cesarean", Name: "Cesarean", Section: ModeSection,
		Plain:  "Births in which any newborn was born by cesarean.",
		Of:     "births with the method of every newborn known",
		course: func(o *birth.Outcome) answer { return mode(o, birth.Cesarean) },
	},
	{
		ID: "cesarean_primary", Name: "First cesarean", Section: ModeSection,
		Plain: "Cesareans of mothers with no cesarean before.",
		Of:    "births with no cesarean before, and the method known",
		course: func(o *birth.Outcome) answer {
			return asked(o.Scarred, birth.No, mode(o, birth.Cesarean))
		},
	},
	{
		ID: "ntsv_cesarean", Name: "Low-risk first-birth cesarean (NTSV)", Section: ModeSection, Direction: Lower,
		Plain:  "Cesareans of first births at term, of a single newborn, head first.",
		Of:     "first births from 37 weeks of a single newborn, head first, with the method known",
		course: ntsv,
	},
	{
		ID: "svb", Name: "Spontaneous vaginal birth", Section: ModeSection, Direction: Higher,
		Plain:  "Births in which every newborn was born vaginally without forceps or vacuum.",
		Of:     "births with the method of every newborn known",
		course: func(o *birth.Outcome) answer { return mode(o, birth.Unassisted) },
	},
	{
		ID: "avb", Name: "Assisted vaginal birth", Section: ModeSection,
		Plain:  "Births by forceps or vacuum. Twins of whom one was born by cesarean count as cesarean.",
		Of:     "births with the method of every newborn known",
		course: func(o *birth.Outcome) answer { return mode(o, birth.Assisted) },
	},
	{
		ID: "vbac_rate", Name: "Vaginal birth after cesarean, of all mothers with a cesarean before", Section: ModeSection, Direction: Higher,
		Plain: "Vaginal births of mothers with a cesarean before, whether or not they tried.",
		Of:    "births after an earlier cesarean, with the method known",
		course: func(o *birth.Outcome) answer {
			return asked(o.Scarred, birth.Yes, vaginal(o))
		},
	},
	{
		ID: "tolac_rate", Name: "Labor after cesarean", Section: ModeSection,
		Plain:  "Mothers with a cesarean before who went into labor.",
		Of:     "births after an earlier cesarean in which it is known whether labor was tried",
		course: func(o *birth.Outcome) answer { return asked(o.Scarred, birth.Yes, of(o.Labored)) },
	},
	{
		ID: "vbac_success", Among: "tolac_rate", Name: "Vaginal birth after cesarean, of those who labored", Section: ModeSection, Direction: Higher,
		Plain: "Vaginal births of mothers with a cesarean before who went into labor.",
		Of:    "births with a trial of labor after an earlier cesarean, with the method known",
		course: func(o *birth.Outcome) answer {
			return asked(o.Scarred, birth.Yes, asked(o.Labored, birth.Yes, vaginal(o)))
		},
	},
	{
		ID: "stat_cesarean", Among: "cesarean", Name: "Emergency share of cesareans", Section: ModeSection,
		Plain: "Cesareans that were an emergency.",
		Of:    "cesareans with the urgency known",
		course: func(o *birth.Outcome) answer {
			return asked(tri(mode(o, birth.Cesarean)), birth.Yes, of(o.Stat))
		},
	},
}

// asked returns then, which is the answer to a question that applies only if fact has the value
// wanted. If fact has another value, asked returns notAsked. If fact isn't known, asked returns
// missing, unless then is notAsked.
func asked(fact, wanted birth.Tri, then answer) answer {
	switch {
	case then == notAsked:
		return notAsked
	case fact == birth.Unknown:
		return missing
	case fact != wanted:
		return notAsked
	}
	return then
}

// tri converts the answers yes and no to a fact. It converts any other answer to Unknown.
func tri(a answer) birth.Tri {
	switch a {
	case yes:
		return birth.Yes
	case no:
		return birth.No
	}
	return birth.Unknown
}

// mode returns yes if the birth's method of delivery (Outcome.Mode) is the method wanted, and
// otherwise no. If the method isn't known, mode returns missing.
func mode(o *birth.Outcome, wanted birth.Method) answer {
	m := o.Mode()
	if m == birth.NoMethod {
		return missing
	}
	return is(m == wanted)
}

// vaginal returns yes if every newborn was born vaginally, and otherwise no. If a method isn't
// known, it returns missing.
func vaginal(o *birth.Outcome) answer {
	m := o.Mode()
	if m == birth.NoMethod {
		return missing
	}
	return is(m != birth.Cesarean)
}

// ntsv returns whether a low-risk first birth (nulliparous, at term, single, head first) was a
// cesarean. If a known fact shows that the birth isn't such a birth, ntsv returns notAsked.
// Otherwise, if a fact isn't known, it returns missing.
func ntsv(o *birth.Outcome) answer {
	weeks := birth.Unknown
	if w := o.Weeks(); w > 0 {
		weeks = fact(w >= term)
	}
	lay := birth.Unknown
	if len(o.Children) > 0 {
		lay = o.Children[0].HeadFirst
	}
	return asked(o.Multiple, birth.No,
		asked(o.Parous, birth.No, asked(weeks, birth.Yes, asked(lay, birth.Yes, mode(o, birth.Cesarean)))))
}

func fact(t bool) birth.Tri { return tri(is(t)) }

// These are limits in completed weeks of gestation. term is the first week of births at term, and
// fullWeeks is the first week of births at full term. A birth before the week early is early
// preterm. fetal is the first week in which a stillbirth counts as a fetal death.
const (
	term      = 37
	early     = 34
	fetal     = 20
	fullWeeks = 39
)

var laborMeasures = []Measure{
	{
		ID: "induction", Name: "Induction of labor", Section: LaborSection,
		Plain: "Labors that were induced, among all single births, including cesareans before labor.",
		Of:    "single births with the onset of labor and the gestational age known",
		course: func(o *birth.Outcome) answer {
			return asked(o.Multiple, birth.No, induced(o).orMissing(o.Weeks() == 0))
		},
	},
	{
		ID: "induction_labors", Name: "Induction, of labors", Section: LaborSection,
		Plain: "Labors that were induced, among single births in which labor began.",
		Of:    "single births with labor, its onset and the gestational age known",
		course: func(o *birth.Outcome) answer {
			if o.Onset == birth.NoLabor {
				return notAsked
			}
			return asked(o.Multiple, birth.No, induced(o).orMissing(o.Weeks() == 0))
		},
	},
	{
		ID: "induction_39", Name: "Induction before 39 weeks at the mother's request", Section: LaborSection, Direction: Lower,
		Plain: "Inductions before 39 weeks whose only recorded reason is the mother's request.",
		Of:    "inductions before 39 weeks with a reason recorded",
		Note:  "Inductions without any recorded reason count as not known, not as “no reason”.",
		course: func(o *birth.Outcome) answer {
			before := birth.Unknown
			if w := o.Weeks(); w > 0 {
				before = fact(w < fullWeeks)
			}
			return asked(tri(induced(o)), birth.Yes, asked(before, birth.Yes, of(o.Elective)))
		},
	},
	{
		ID: "augmentation", Name: "Augmentation of labor", Section: LaborSection,
		Plain: "Spontaneous labors that were augmented.",
		Of:    "spontaneous labors for which it is known whether they were augmented",
		course: func(o *birth.Outcome) answer {
			onset := birth.Unknown
			if o.Onset != birth.NoOnset {
				onset = fact(o.Onset == birth.Spontaneous)
			}
			return asked(onset, birth.Yes, of(o.Augmented))
		},
	},
	{
		ID: "doula", Name: "Doula present", Section: LaborSection,
		Plain:  "Births with a doula present, attending or not.",
		Of:     "births for which it is known whether a doula was present",
		course: func(o *birth.Outcome) answer { return of(o.Doula) },
	},
}

// orMissing returns missing if unknown is set, because the answer then depends on an unknown fact.
// Otherwise it returns the answer. The answer notAsked never changes.
func (a answer) orMissing(unknown bool) answer {
	if unknown && a != notAsked {
		return missing
	}
	return a
}

func induced(o *birth.Outcome) answer {
	if o.Onset == birth.NoOnset {
		return missing
	}
	return is(o.Onset == birth.Induced)
}

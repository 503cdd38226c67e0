package bundle

import (
	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

// mapRace reads the race and ethnicity from the mother's own answers, with one component for each
// category (VRCL, Observation - Input Race and Ethnicity). Somebody else entered the extensions on
// her Patient. If she was asked, her answers replace these extensions, even if she refused to
// answer.
func (c *course) mapRace(d *birth.Draft) {
	obs := c.raceAsked()
	if obs == nil {
		return
	}
	stated := answersOf(&obs.Observation)
	s := c.states(d.Mother)
	s.from(obs.at, "", mapping.NothingStated)
	if stated.races > 0 {
		s.lose("mother_race", mapping.Superseded)
		s.codes("mother_race", stated.race)
	}
	if stated.origins > 0 {
		s.lose("mother_ethnicity", mapping.Superseded)
		s.text("mother_ethnicity", stated.ethnicity())
	}
	d.Mother = s.Values
}

// raceAsked returns the Observation with the mother's own answers. It returns the newest final one,
// or the newest if none is final. It returns nil if there is none.
func (c *course) raceAsked() (best *observed) {
	for _, obs := range c.race {
		c.trace.Drop(obs.at, "", mapping.Superseded)
		switch about := c.subjects.of(&obs.Observation); {
		case about.whom == stranger:
			c.trace.Drop(obs.at, "", mapping.AboutAnother)
		case about.whom == twoPersons:
			c.trace.Drop(obs.at, "", mapping.AboutTwo)
		case obs.DataAbsentReason != nil:
			c.trace.Drop(obs.at, "", mapping.NoValue)
		case obs.Lost.Any("dataAbsentReason", "component"):
			c.trace.Drop(obs.at, "", mapping.Unreadable)
		case best == nil, best.provisional && !obs.provisional,
			best.provisional == obs.provisional && newer(&obs.Observation, &best.Observation) > 0:
			best = obs
		}
	}
	return best
}

// raceAnswers holds the answers in an Observation about race and ethnicity.
type raceAnswers struct {
	races, origins int // how many questions about races and origins there were
	race           []string
	hispanic       bool
	literal        bool     // set if an origin is given in words
	denied         []string // the origins answered with no
}

// hispanicOrigins is how many Hispanic origins the Observation asks about. The mother is recorded
// as not Hispanic only if she answers no to all of them.
const hispanicOrigins = 4

func (a *raceAnswers) ethnicity() string {
	switch {
	case a.hispanic:
		return "hispanic"
	case len(a.denied) == hispanicOrigins && !a.literal:
		return "not_hispanic"
	}
	return ""
}

func answersOf(obs *fhir.Observation) (a raceAnswers) {
	for _, c := range obs.Component {
		for _, coding := range c.Code.Coding {
			if coding.System == "" || birth.SystemOf(coding.System) == birth.VitalRecords {
				a.add(coding.Code, c)
			}
		}
	}
	return a
}

// add adds the answer of one component of the Observation to the answers in a. code is the
// component's code in CodeSystemComponentVitalRecords, from the FHIR guide Vital Records Common
// Library (VRCL).
func (a *raceAnswers) add(code string, c fhir.Component) {
	yes, stated := answer(c)
	race := birth.Must("mother_race").OptionFor("", code, false)
	switch {
	case birth.Must("mother_ethnicity").OptionFor("", code, false) == "hispanic":
		a.origins++
		a.hispanic = a.hispanic || yes
		if stated && !yes {
			a.denied = mapping.Union(a.denied, []string{code})
		}
	case code == "HispanicLiteral":
		a.origins++
		a.literal = a.literal || c.ValueString != ""
	case race != "":
		a.races++
		if yes {
			a.race = mapping.Union(a.race, []string{race})
		}
	case code == "RACEMVR": // why the race is missing
		a.races++
	}
}

// answer reads a component as yes or no. It also reports whether the component has such an answer.
func answer(c fhir.Component) (yes, stated bool) {
	switch {
	case bool(c.DataAbsentReason):
		return false, false
	case c.ValueBoolean != nil:
		return *c.ValueBoolean, true
	case c.ValueCodeableConcept != nil:
		return mapping.YesNo(c.ValueCodeableConcept.Coding...)
	}
	return mapping.YesNo(mapping.Word(c.ValueString)...)
}

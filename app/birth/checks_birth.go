package birth

import (
	"slices"
	"strings"
)

// labor checks whether the facts about labor contradict each other.
func (c *checking) labor() {
	began := c.Mother.Text("labor_onset_type")
	if c.Mother.Has("induction_agents") && began != "" && began != "induced" {
		c.warn("not-induced", "Induction agents are given, but labor was not induced. Check both",
			At("induction_agents"), At("labor_onset_type"))
	}
	if augmented, ok := c.Mother.Get("labor_augmented"); ok && !augmented.Flag && c.Mother.Has("augmentation_agents") {
		c.warn("not-augmented", "Augmentation agents are given, but labor was not augmented. Check both",
			At("augmentation_agents"), At("labor_augmented"))
	}
	stat, ok := c.Mother.Get("stat_cesarean")
	cesarean := func(child Values) bool {
		method := child.Text("delivery_method")
		return method == "" || method == "cesarean"
	}
	if ok && stat.Flag && len(c.Children) > 0 && !slices.ContainsFunc(c.Children, cesarean) {
		c.warn("no-cesarean", "An emergency cesarean is stated, but no newborn was born by cesarean. Check both",
			At("stat_cesarean"), Of(ChildList, 0, "delivery_method"))
		c.dependsOn(c.eachNewborn("delivery_method")...)
	}
}

// child checks whether the facts about one newborn are plausible, and whether they contradict each
// other. n is the newborn's index.
func (c *checking) child(n int) {
	child := c.Children[n]
	at := func(field string) Path { return Of(ChildList, n, field) }
	c.improbable(child, at)
	one, hasOne := child.Get("apgar_one_minute")
	five, hasFive := child.Get("apgar_five_minute")
	if hasOne && hasFive && one.Number-five.Number > 5 {
		c.warn("apgar", "The Apgar score at 5 minutes is more than 5 points lower than at 1 minute. Check both",
			at("apgar_five_minute"), at("apgar_one_minute"))
	}
	if child.Has("gestational_age_days") && !child.Has("gestational_age_weeks") {
		c.warn("no-weeks", "Days of gestation are given without the weeks. Enter the weeks, too",
			at("gestational_age_weeks"), at("gestational_age_days"))
	}
	if alive, _ := child.Get("live_birth"); alive.Flag {
		c.fetalDeath(child, at)
	}
	c.signsOfLife(child, at)
	c.weightAtGestation(child, at)
	c.death(child, at)
	c.newborn(child, at)
	c.sixWeeks(child, at)
	delayed, stated := child.Get("delayed_cord_clamping")
	seconds, given := child.Get("cord_clamping_seconds")
	if stated && given && delayed.Flag != (seconds.Number >= 60) {
		c.warn("cord", "The time to cord clamping contradicts the answer on delayed clamping. Check both",
			at("delayed_cord_clamping"), at("cord_clamping_seconds"))
	}
}

// fetalDeath warns if facts about a fetal death are given for a newborn who was born alive.
func (c *checking) fetalDeath(child Values, at func(field string) Path) {
	for _, field := range []string{
		"fetal_death_time_point", "fetal_death_cause", "fetal_death_other_causes", "autopsy", "autopsy_histology_used",
	} {
		if child.Has(field) {
			c.warn("fetal-death", Must(field).Label+" is given for a newborn who was born alive: check both", at(field), at("live_birth"))
		}
	}
}

// providers checks what is stated about the people present. It warns if several of them are marked
// as the attendant, or if none is and the care doesn't state the attendant's role.
func (c *checking) providers() {
	attending := 0
	for i, p := range c.Providers {
		at := func(field string) Path { return Of(ProviderList, i, field) }
		if strings.TrimSpace(p.Name) == "" && p.Key == "" {
			c.block("no-name", "Enter the person's name, or remove the person", at("name"))
		}
		if fault := TextFault(p.Name); fault != "" {
			c.block("value", "Name: "+fault, at("name"))
		}
		if fault := TextFault(p.Credentials); fault != "" {
			c.block("value", "Credentials: "+fault, at("credentials"))
		}
		if !Must("attendant_type").HasOption(string(p.Role)) {
			c.block("value", "Role: choose one of the listed options", at("role"))
		}
		if p.Attending {
			attending++
			if attending == 2 {
				c.warn("attendants", "Several people are marked as the attendant. Mark only one; otherwise the first one counts", at("attending"))
			}
		}
	}
	switch {
	case attending > 0 || c.Care.Has("attendant_type"):
	case len(c.Providers) > 0:
		c.warn("no-attendant", "No attendant is marked. Mark the person who attended the birth, or add that person", Of(ProviderList, 0, "attending"))
	default:
		c.warn("no-attendant", "No attendant is marked. Name the person who attended the birth", Of(ProviderList, 0, "name"))
	}
}

// transfers checks the codes, times and reasons of the transfers of care.
func (c *checking) transfers() {
	for i, t := range c.Transfers {
		at := func(field string) Path { return Of(TransferList, i, field) }
		for _, code := range []struct {
			field, code string
			set         []string
		}{
			{"type", t.Type, TransferTypes},
			{"direction", t.Direction, TransferDirections},
			{"urgency", t.Urgency, TransferUrgencies},
			{"who", t.Who, TransferSubjects},
			{"reason_code", t.ReasonCode, CodesOf(TransferReasons)},
			{"mode", t.Mode, CodesOf(TransferModes)},
		} {
			if !within(code.code, code.set) {
				c.block("value", "Transfer: choose one of the listed options", at(code.field))
			}
		}
		if fault := TextFault(t.Reason); fault != "" {
			c.block("value", "Reason: "+fault, at("reason"))
		}
		if t.DateTime != "" && day(t.DateTime, false) > c.tomorrow {
			c.block("future", "The transfer is in the future. Correct the date", at("datetime"))
		}
		c.transferTime(t, at)
	}
}

// transferTime checks whether a transfer was before or after the birth, as its type says.
func (c *checking) transferTime(t Transfer, at func(field string) Path) {
	if t.DateTime == "" || len(c.Children) == 0 {
		return
	}
	first := c.firstBirth()
	var wrong bool
	switch t.Type {
	case "antepartum", "intrapartum":
		wrong = c.afterAllBirths(t.DateTime)
	case "postpartum", "neonatal":
		wrong = first != "" && After(first, t.DateTime)
	}
	if wrong {
		c.warn("transfer-time", "The date of the transfer contradicts the answer on whether it was before or after the birth. Check both", at("datetime"), at("type"))
		c.dependsOn(c.eachNewborn("birth_date")...)
	}
}

// afterAllBirths reports whether a date or time is certainly after the birth of every newborn. It is
// false if no date of birth is stated.
func (c *checking) afterAllBirths(at string) (after bool) {
	for _, child := range c.Children {
		if born := Born(child); born != "" {
			if after = After(at, born); !after {
				return false
			}
		}
	}
	return after
}

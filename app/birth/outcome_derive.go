package birth

import "slices"

// Outcome returns what statistics need to know about the course. It reads only unsealed values, so
// the outcomes of records on file can be derived again without a key.
func (c Course) Outcome() Outcome {
	d := c.draft
	o := Outcome{
		Consent: d.Consent.Granted,
		Planned: places[d.Care.Text("planned_birth_setting")],
		Born:    places[d.Care.Text("birth_setting")],
		Parous:  parous(d.Mother),
		Doula:   flag(d.Care, "doula_present"),
		Stat:    flag(d.Mother, "stat_cesarean"),
		Onset:   onset(d.Mother), Elective: elective(d.Mother), Augmented: augmented(d.Mother),
		Perineum: perinea[d.Mother.Text("perineum")],
		InWater:  inWater[d.Care.Text("water_immersion")],
		Position: d.Mother.Text("birth_position"),
	}
	if o.Position == "unknown" {
		o.Position = ""
	}
	o.Multiple = multiple(d)
	for _, child := range d.Children {
		o.Children = append(o.Children, newbornOf(child))
	}
	o.Scarred = scarred(d.Mother, o.Parous)
	o.Labored = labored(d.Mother, o)
	if loss, ok := d.Mother.Get("blood_loss_ml"); ok {
		o.Loss = class(loss.Number, Below500, 500, 1000)
	}
	o.transfers(d.Transfers)
	return o
}

// multiple reports whether this pregnancy had more than one child. The answer is No only if a
// single birth is stated and nothing contradicts that. It is Unknown if the facts don't settle it.
func multiple(d Draft) Tri {
	count := func(name string) float64 {
		n, _ := d.Care.Get(name)
		return n.Number
	}
	several, alive, dead := len(d.Children) > 1, 0.0, 0.0
	for _, child := range d.Children {
		order, _ := child.Get("birth_order")
		several = several || order.Number > 1
		switch flag(child, "live_birth") {
		case Yes:
			alive++
		case No:
			dead++
		}
	}
	several = several || max(alive, count("live_births_this_delivery"))+max(dead, count("fetal_deaths_this_delivery")) > 1
	plurality := count("plurality")
	switch {
	case plurality > 1 || several && plurality == 0:
		return Yes
	case plurality == 1 && !several:
		return No
	}
	return Unknown
}

var places = map[string]Where{
	"home": AtHome, "home_planned": AtHome, "home_unplanned": AtHome, "home_unknown": AtHome,
	"birth_center": AtCenter, "hospital": AtHospital, "clinic": Elsewhere, "other": Elsewhere,
}

var perinea = map[string]Perineum{
	"intact": Intact, "first": Torn, "second": Torn, "other": Torn,
	"third": Severe, "fourth": Severe, "third_or_fourth": Severe, "episiotomy": Cut,
}

var inWater = map[string]Tri{"none": No, "labor": No, "birth": Yes, "both": Yes}

var methods = map[string]Method{
	"vaginal_spontaneous": Unassisted, "vaginal_vacuum": Assisted, "vaginal_forceps": Assisted, "cesarean": Cesarean,
}

func newbornOf(child Values) Newborn {
	n := Newborn{
		Method:  methods[child.Text("delivery_method")],
		Five:    below7(child, "apgar_five_minute"),
		Ten:     below7(child, "apgar_ten_minute"),
		Delayed: flag(child, "delayed_cord_clamping"),
		Alive:   bornAlive(child), Living: livingAtReport(child),
		Intensive: intensive(child), Breastfed: breastfed(child),
	}
	weeks, _ := child.Get("gestational_age_weeks")
	n.Weeks = int(weeks.Number)
	if weight, ok := child.Get("birth_weight_g"); ok {
		n.Weight = class(weight.Number, Below2500, 2500, 4000)
	}
	if fed := child.Text("breastfed_six_weeks"); fed != "" && fed != "unknown" {
		n.Exclusive = tri(fed == "exclusive")
	}
	if lay := child.Text("fetal_presentation"); lay != "" && lay != "unknown" {
		n.HeadFirst = tri(lay == "vertex")
	}
	return n
}

// bornAlive reports whether a child was born alive. If that isn't stated, it follows from what is
// stated about a death or a later sign of life. The answer is Unknown if these contradict each
// other.
func bornAlive(child Values) Tri {
	if stated := flag(child, "live_birth"); stated != Unknown {
		return stated
	}
	when, point := child.Text("perinatal_death"), child.Text("fetal_death_time_point")
	stillborn := when == "antepartum" || when == "intrapartum" || point != "" && point != "unknown"
	fed := breastfed(child)
	lived := diedLater(child) || flag(child, "infant_living") == Yes || fed == Yes
	switch {
	case stillborn && !lived:
		return No
	case !stillborn && (lived || fed == No): // nobody asks about the feeding of a stillborn child
		return Yes
	}
	return Unknown
}

// diedLater reports whether a death after the birth is stated.
func diedLater(child Values) bool {
	return child.Text("perinatal_death") == "neonatal" || child.Has("age_at_death_hours")
}

// livingAtReport reports whether a child was living at the time of the report. If that isn't
// stated, a stated death means No. The answer is Unknown if the facts contradict each other.
func livingAtReport(child Values) Tri {
	living := flag(child, "infant_living")
	switch {
	case living == Unknown && (diedLater(child) || child.Text("newborn_six_weeks") == "died"):
		return No
	case living == Yes && diedLater(child):
		return Unknown
	}
	return living
}

// intensive reports whether a child was admitted to intensive care. The answer is Unknown if the
// child has days in intensive care, but isn't listed as admitted.
func intensive(child Values) Tri {
	listed := Unknown
	if conditions, ok := child.Get("newborn_conditions"); ok {
		listed = tri(slices.Contains(conditions.Set, "nicu"))
	}
	days, counted := child.Get("nicu_days")
	switch {
	case listed == Unknown && counted:
		return tri(days.Number > 0)
	case listed == No && days.Number > 0:
		return Unknown
	}
	return listed
}

// breastfed reports whether breastfeeding was started. If that isn't stated, it returns whether the
// child was breastfed at discharge, as national statistics do. The answer is Unknown if
// breastfeeding wasn't started and the child was breastfed at discharge.
func breastfed(child Values) Tri {
	started, atDischarge := flag(child, "breastfeeding_initiated"), flag(child, "breastfed_at_discharge")
	switch {
	case started == Unknown:
		return atDischarge
	case started == No && atDischarge == Yes:
		return Unknown
	}
	return started
}

// transfers counts the transfers of newborns, and records at which stages of the birth there were
// other transfers. It also records whether a transfer during labor or after the birth was urgent.
// It skips transfers into the practice's care, and transfers of an unknown type.
func (o *Outcome) transfers(all []Transfer) {
	for _, t := range all {
		if t.Direction == "in" {
			continue
		}
		switch {
		case t.Type == "antepartum":
			o.BeforeLabor = true
		case t.Type == "intrapartum":
			o.InLabor = true
		case t.Type == "neonatal", t.Type == "postpartum" && t.Who == "child":
			o.Newborns++
		case t.Type == "postpartum":
			o.AfterBirth = true
		default:
			continue
		}
		switch {
		case t.Type == "antepartum":
		case t.Urgency == "urgent":
			o.Urgent = Yes
		case t.Urgency != "" && o.Urgent == Unknown:
			o.Urgent = No
		}
	}
}

// parous reports whether the mother had given birth before. It uses the parity or, if the parity
// isn't stated, other values that imply an answer. The answer is No for a first pregnancy. The
// answer is also No if no live birth came before and nothing else shows an earlier birth. (National
// statistics, too, go by the order of live births.)
func parous(mother Values) Tri {
	count := func(name string) Tri {
		if n, ok := mother.Get(name); ok {
			return tri(n.Number > 0)
		}
		return Unknown
	}
	if stated := count("parity"); stated != Unknown {
		return stated
	}
	living, dead := count("previous_live_births_living"), count("previous_live_births_dead")
	gravida, ok := mother.Get("gravida")
	switch {
	case ok && gravida.Number == 1:
		return No
	case living == Yes || dead == Yes || count("previous_cesareans") == Yes || flag(mother, "previous_preterm_birth") == Yes:
		return Yes
	case living == No && dead == No:
		return No
	}
	return Unknown
}

// scarred reports whether the mother had an earlier cesarean. If this is her first birth, the
// answer is No.
func scarred(mother Values, parous Tri) Tri {
	if before, ok := mother.Get("previous_cesareans"); ok {
		return tri(before.Number > 0)
	}
	if parous == No {
		return No
	}
	return Unknown
}

// onset returns the way in which labor began. If that isn't stated but induction agents are, labor
// was induced.
func onset(mother Values) Onset {
	switch mother.Text("labor_onset_type") {
	case "spontaneous":
		return Spontaneous
	case "induced":
		return Induced
	case "none":
		return NoLabor
	case "":
		if named(mother, "induction_agents") {
			return Induced
		}
	}
	return NoOnset
}

// elective reports whether the mother's wish was the only reason for an induction. It returns
// Unknown if no reason is known.
func elective(mother Values) Tri {
	reasons, ok := mother.Get("induction_indication")
	if !ok || slices.Contains(reasons.Set, "unknown") {
		return Unknown
	}
	return tri(slices.Equal(reasons.Set, []string{"maternal_request"}))
}

func augmented(mother Values) Tri {
	if named(mother, "augmentation_agents") {
		return Yes
	}
	return flag(mother, "labor_augmented")
}

// labored reports whether labor began. If all children were born vaginally, the answer is always
// Yes.
func labored(mother Values, o Outcome) Tri {
	mode := o.Mode()
	switch {
	case mode == Unassisted || mode == Assisted:
		return Yes
	case flag(mother, "trial_of_labor") != Unknown:
		return flag(mother, "trial_of_labor")
	case o.Onset != NoOnset:
		return tri(o.Onset != NoLabor)
	}
	return Unknown
}

// Mode returns the way in which the children of a course were born: Cesarean if any of them was
// born by cesarean, Assisted if any of them was born with forceps or vacuum, and Unassisted
// otherwise. It returns NoMethod unless every child's method is known.
func (o *Outcome) Mode() Method {
	mode := NoMethod
	for i := range o.Children {
		if o.Children[i].Method == NoMethod {
			return NoMethod
		}
		mode = max(mode, o.Children[i].Method)
	}
	return mode
}

// Weeks returns the gestational age in completed weeks. It is that of the first child whose
// gestational age is known, or 0 if there is no such child.
func (o *Outcome) Weeks() int {
	for i := range o.Children {
		if o.Children[i].Weeks > 0 {
			return o.Children[i].Weeks
		}
	}
	return 0
}

func tri(yes bool) Tri {
	if yes {
		return Yes
	}
	return No
}

func flag(values Values, name string) Tri {
	if v, ok := values.Get(name); ok {
		return tri(v.Flag)
	}
	return Unknown
}

func below7(child Values, name string) Tri {
	if score, ok := child.Get(name); ok {
		return tri(score.Number < 7)
	}
	return Unknown
}

// named reports whether a field with several codes is stated and doesn't contain "unknown".
func named(values Values, name string) bool {
	v, _ := values.Get(name)
	return len(v.Set) > 0 && !slices.Contains(v.Set, "unknown")
}

// class returns the range into which an amount falls: first if the amount is below low, the range
// after first if it is below high, and otherwise the range after that.
func class[C ~uint8](amount float64, first C, low, high float64) C {
	switch {
	case amount < low:
		return first
	case amount < high:
		return first + 1
	}
	return first + 2
}

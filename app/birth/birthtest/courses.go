// Package birthtest invents courses of care for tests of statistics. A test counts the invented
// facts without the program's code, and then compares its counts with the program's figures.
package birthtest

import (
	"math/rand/v2"
	"time"

	"birthregistry/app/birth"
)

// Invented is an invented course of care, whose facts are plain strings and numbers. "" and -1 mean
// that a fact isn't stated. A yes-or-no fact is "yes", "no" or "".
type Invented struct {
	Attendant                                                string
	Consent                                                  bool
	Planned, Setting                                         string
	Gravida, Parity, LivingBefore, DeadBefore, Cesareans     int
	PretermBefore                                            string
	Onset                                                    string
	InductionAgents, Indications, AugmentationAgents         []string
	Augmented, Doula, Trial, Stat, Perineum, Water, Position string
	Loss, Plurality                                          int
	Transfers                                                []birth.Transfer
	Children                                                 []InventedChild
}

// InventedChild is a newborn of an Invented course. "" and -1 mean that a fact isn't stated.
type InventedChild struct {
	Born                                                       string
	Method, Delayed, Alive, Living, Breastfed, SixWeeks, LayBy string
	Weeks, Days, Weight, Five, Ten, Seconds                    int
	Conditions                                                 []string
}

// Invent makes up a course of care. The same random source gives the same courses. Every optional
// fact is sometimes left out. Numbers lie near the thresholds that the statistics use.
func Invent(r *rand.Rand, born time.Time) Invented {
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	some := func(of ...string) string { // leaves out a third of the answers
		if r.IntN(3) == 0 {
			return ""
		}
		return pick(of...)
	}
	number := func(of ...int) int {
		if r.IntN(5) == 0 {
			return -1
		}
		return of[r.IntN(len(of))]
	}
	set := func(of ...string) []string {
		if r.IntN(2) == 0 {
			return nil
		}
		return []string{pick(of...)}
	}
	t := Invented{
		Attendant: pick("midwife", "midwife", "midwife", "nurse", "doula", "assistant", "other", ""), Consent: r.IntN(2) == 0,
		Planned: some("home", "home", "birth_center", "birth_center", "hospital", "other", "unknown"),
		Setting: some("home_planned", "home_unplanned", "home_unknown", "birth_center", "birth_center", "hospital", "clinic", "other", "unknown"),
		Gravida: number(1, 2, 3), Parity: number(0, 0, 1, 2), LivingBefore: number(0, 1), DeadBefore: number(0, 0, 1),
		Cesareans: number(0, 0, 1, 2), PretermBefore: some("yes", "no"),
		Onset:           some("spontaneous", "spontaneous", "induced", "none", "other", "unknown"),
		InductionAgents: set("oxytocin", "balloon", "unknown"), AugmentationAgents: set("oxytocin", "amniotomy", "unknown"),
		Indications: set("maternal_request", "post_dates", "unknown", "other"),
		Augmented:   some("yes", "no"), Doula: some("yes", "no"), Trial: some("yes", "no"), Stat: some("yes", "no"),
		Perineum: some("intact", "first", "second", "third", "fourth", "third_or_fourth", "episiotomy", "other", "unknown"),
		Water:    some("none", "labor", "birth", "both", "other", "unknown"),
		Loss:     number(200, 499, 500, 999, 1000, 1500), Plurality: -1,
	}
	if len(t.Indications) == 1 && r.IntN(3) == 0 {
		t.Indications = []string{"hypertensive", "maternal_request"}
	}
	t.Position = some("supine_lithotomy", "semi_sitting", "side_lying", "hands_and_knees", "kneeling", "squatting", "standing",
		"birth_stool", "water_upright", "other", "unknown")
	for range []int{0, 0, 0, 1, 2}[r.IntN(5)] {
		t.Transfers = append(t.Transfers, birth.Transfer{
			Type: pick("antepartum", "intrapartum", "intrapartum", "postpartum", "neonatal", ""), Direction: pick("out", "out", "in", ""),
			Urgency: pick("urgent", "non_urgent", ""), Who: pick("mother", "child", ""), Source: birth.Manual,
		})
	}
	children := 1
	switch {
	case r.IntN(8) == 0:
		children = 2 + r.IntN(2)
		t.Plurality = number(children)
	case r.IntN(20) == 0:
		t.Plurality = 2 // one of the twins isn't in the record
	default:
		t.Plurality = number(1)
	}
	for range children {
		t.Children = append(t.Children, InventedChild{
			Born: born.Format(time.DateOnly), Method: pick("vaginal_spontaneous", "vaginal_spontaneous", "vaginal_spontaneous",
				"vaginal_vacuum", "vaginal_forceps", "cesarean", "other", "unknown", ""),
			Weeks: number(18, 20, 30, 33, 34, 36, 37, 38, 39, 40, 41), Days: number(0, 3, 6), Weight: number(1200, 2499, 2500, 3400, 3999, 4000),
			Five: number(0, 3, 6, 7, 8, 9, 10), Ten: number(4, 6, 7, 9), Seconds: number(20, 59, 60, 180), Delayed: some("yes", "no"),
			Alive: some("yes", "yes", "yes", "yes", "no"), Living: some("yes", "yes", "yes", "no"), Breastfed: some("yes", "no"),
			SixWeeks: some("exclusive", "partial", "none", "unknown", "other"), LayBy: some("vertex", "vertex", "breech", "other", "unknown"),
			Conditions: set("nicu", "none", "ventilation"),
		})
	}
	return t
}

// Draft returns the invented course as a draft, as if a person had entered it by hand.
func (t Invented) Draft() birth.Draft {
	d := birth.Draft{Consent: birth.Consent{Granted: t.Consent}, Transfers: t.Transfers}
	state := func(v *birth.Values, field string, stated any) {
		value := birth.Value{Source: birth.Manual}
		f := birth.Must(field)
		switch stated := stated.(type) {
		case string:
			if stated == "" {
				return
			}
			value.Text, value.Flag = stated, stated == "yes"
			if f.Kind == birth.Bool {
				value.Text = ""
			}
		case int:
			if stated < 0 {
				return
			}
			value.Number = float64(stated)
		case []string:
			if len(stated) == 0 {
				return
			}
			value.Set = stated
		}
		v.Set(f, value)
	}
	for field, stated := range map[string]any{
		"gravida": t.Gravida, "parity": t.Parity, "previous_live_births_living": t.LivingBefore,
		"previous_live_births_dead": t.DeadBefore, "previous_cesareans": t.Cesareans, "previous_preterm_birth": t.PretermBefore,
		"labor_onset_type": t.Onset, "induction_agents": t.InductionAgents, "induction_indication": t.Indications,
		"augmentation_agents": t.AugmentationAgents, "labor_augmented": t.Augmented, "trial_of_labor": t.Trial,
		"stat_cesarean": t.Stat, "perineum": t.Perineum, "birth_position": t.Position, "blood_loss_ml": t.Loss,
		"mother_family_name": "Synthetic",
	} {
		state(&d.Mother, field, stated)
	}
	for field, stated := range map[string]any{
		"planned_birth_setting": t.Planned, "birth_setting": t.Setting, "doula_present": t.Doula, "water_immersion": t.Water,
		"plurality": t.Plurality,
	} {
		state(&d.Care, field, stated)
	}
	if t.Attendant != "" { // stated explicitly, because a doula who is the attendant doesn't imply that a doula was present
		state(&d.Care, "attendant_type", t.Attendant)
	}
	for _, child := range t.Children {
		var v birth.Values
		for field, stated := range map[string]any{
			"birth_date": child.Born, "delivery_method": child.Method, "gestational_age_weeks": child.Weeks,
			"gestational_age_days": child.Days, "birth_weight_g": child.Weight, "apgar_five_minute": child.Five,
			"apgar_ten_minute": child.Ten, "cord_clamping_seconds": child.Seconds, "delayed_cord_clamping": child.Delayed,
			"live_birth": child.Alive, "infant_living": child.Living, "breastfed_at_discharge": child.Breastfed,
			"breastfed_six_weeks": child.SixWeeks, "fetal_presentation": child.LayBy, "newborn_conditions": child.Conditions,
		} {
			state(&v, field, stated)
		}
		d.Children = append(d.Children, v)
	}
	return d
}

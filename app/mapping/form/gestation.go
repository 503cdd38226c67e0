package form

import (
	"net/url"
	"strings"

	"birthregistry/app/birth"
	"birthregistry/app/mapping"
)

// The form has one box for a gestational age. The box has the name of the weeks, and weeks and days
// are typed into it together (39+4). The days may also be typed into a box of their own.
const (
	gestationWeeks = "gestational_age_weeks"
	gestationDays  = "gestational_age_days"
)

// gestation splits weeks and days that were typed together (39+4) into their two fields. If the
// user has also typed the days separately, the two must be equal.
func (r *reader) gestation(weeks, days birth.Path) {
	w, d, both := mapping.ReadGestation(r.text(weeks.String()))
	if !both {
		return
	}
	r.typed.Set(weeks.String(), w)
	if typed := r.text(days.String()); typed != "" && typed != d {
		r.problem(days, birth.Must(days.Field).Label, "the days here differ from those entered with the weeks; enter the days once")
	}
	r.typed.Set(days.String(), d)
}

// joinGestations joins the weeks and days of each newborn's gestational age in the box for the
// weeks. Days that can't be joined with weeks, such as days alone, stay in their own box.
func joinGestations(typed url.Values) {
	for n := range Count(typed, birth.ChildList) {
		weeks, days := birth.Of(birth.ChildList, n, gestationWeeks).String(), birth.Of(birth.ChildList, n, gestationDays).String()
		w, d := strings.TrimSpace(typed.Get(weeks)), strings.TrimSpace(typed.Get(days))
		together := w + "+" + d
		if _, same, both := mapping.ReadGestation(w); both && same == d {
			together = typed.Get(weeks)
		}
		if _, _, ok := mapping.ReadGestation(together); ok {
			typed.Set(weeks, together)
			d = ""
		}
		if d == "" {
			typed.Del(days)
		}
	}
}

package uscore

import (
	"slices"

	"birthregistry/app/birth"
)

// checked removes values that contradict each other according to the form's checks, and offers them
// as hints, because the form would report them immediately. It keeps the patient's identity. It
// also keeps a single value that is only unusual, because the form asks the clinician about it.
func (f *filler) checked() {
	f.weighedTogether()
	for _, found := range birth.Check(f.out.Draft, f.launch.At) {
		filled := func(at birth.Path) bool {
			return slices.ContainsFunc(f.out.Origins, func(o Origin) bool { return o.At == at })
		}
		if len(found.About) < 2 || slices.ContainsFunc(found.About, func(at birth.Path) bool { return !filled(at) }) {
			continue // the finding is about one value, or about a missing one
		}
		f.withholdAt("the form's checks question it: "+found.Text, func(at birth.Path) bool {
			return slices.Contains(found.About, at) && !slices.Contains(f.own, at.Field)
		})
	}
}

// The most weight, in pounds, that a woman plausibly loses or gains during a pregnancy.
const (
	mostLost   = 44
	mostGained = 110
)

// weighedTogether turns both weights of a pregnancy into hints if one of them must be wrong.
func (f *filler) weighedTogether() {
	before, hasBefore := f.out.Draft.Mother.Get("prepregnancy_weight_lb")
	after, hasAfter := f.out.Draft.Mother.Get("delivery_weight_lb")
	if gained := after.Number - before.Number; hasBefore && hasAfter && (gained < -mostLost || gained > mostGained) {
		f.retreat("the two weights are too far apart", "prepregnancy_weight_lb", "delivery_weight_lb")
	}
}

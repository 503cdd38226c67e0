// Package stats computes statistics: what share of a practice's births had an outcome, how certain
// that share is, and how it compares with published shares.
//
// NewReport starts the report of a Period, and Add adds one birth to it. The report then has a
// Tally for every Measure: in total, by attendant, place and parity, and by month. Wilson returns
// the interval of a share. Compare compares a share with a published share. Outside returns only
// figures that may leave the practice: it hides counts from 1 to 10 and figures that would reveal
// such counts.
//
// Counting is exact, and the package is pure. "Not known" never counts as "no": each measure counts
// yes, known, missing and not applicable separately. Voided and merged records aren't counted
// (spec, "Record lifecycle").
//
// Some measures are absent because an Outcome (package birth) doesn't have the facts that they
// need: the age at a death (early and late neonatal mortality), the time of a fetal death
// (intrapartum mortality), the death of a mother, the plan at booking.
package stats

import "birthregistry/app/birth"

// Unit is what a measure counts: births or newborns. No measure mixes the two, because a twin birth
// is one birth (one course of care) and two newborns.
type Unit uint8

// These are the units. Courses counts births, because a course of care is one birth.
const (
	Courses Unit = iota
	Newborns
)

// String returns "births" or "newborns".
func (u Unit) String() string { return [...]string{"births", "newborns"}[u] }

// Direction states whether a higher or a lower figure is better. For process measures, neither is
// better in itself, because the ideal lies in between.
type Direction uint8

// These are the directions.
const (
	Process Direction = iota
	Lower
	Higher
)

// Label returns the text that pages show for the direction.
func (d Direction) Label() string {
	return [...]string{"Neither higher nor lower is better in itself.", "Lower is better.", "Higher is better."}[d]
}

// Measure defines one figure: what its numerator and its denominator count.
type Measure struct {
	ID, Name string
	// Plain describes the measure in a sentence. Of describes its denominator in words.
	Plain, Of string
	Note      string
	Section   string
	Unit      Unit
	Direction Direction
	// Among is the ID of another measure. The numerator of that measure is this measure's
	// denominator, or is excluded from this measure's denominator.
	Among string
	// PerThousand is set for a rare outcome. Pages show it only as a count until the denominator
	// reaches 1000.
	PerThousand bool

	course  func(o *birth.Outcome) answer
	newborn func(o *birth.Outcome, n int) answer // asks about the nth newborn
}

// answer is how one birth or newborn counts in a measure.
type answer uint8

const (
	notAsked answer = iota // the measure does not apply
	missing                // it may apply, but the fact isn't known
	no
	yes
)

// of converts a fact to an answer.
func of(t birth.Tri) answer { return [...]answer{missing, no, yes}[t] }

func is(fact bool) answer {
	if fact {
		return yes
	}
	return no
}

// Tally holds a measure's counts in a group. The figure is Yes as a share of Known. Missing counts
// the births or newborns to which the measure may apply, but for which the answer isn't known. Base
// counts all births or newborns of the group.
type Tally struct{ Yes, Known, Missing, Base int }

// NotAsked returns how many births or newborns the measure doesn't apply to.
func (t Tally) NotAsked() int { return t.Base - t.Known - t.Missing }

// Whole is the smallest share of known answers with which a figure counts as complete.
const Whole = 0.95

// Complete returns the share of known answers among the births or newborns to which the measure
// applies. It returns 1 if the measure applies to none.
func (t Tally) Complete() float64 {
	if t.Known+t.Missing == 0 {
		return 1
	}
	return float64(t.Known) / float64(t.Known+t.Missing)
}

// count returns the measure's tally for one outcome.
func (m *Measure) count(o *birth.Outcome) (t Tally) {
	enter := func(a answer) {
		t.Base++
		switch a {
		case missing:
			t.Missing++
		case yes:
			t.Yes++
			t.Known++
		case no:
			t.Known++
		}
	}
	if m.Unit == Courses {
		enter(m.course(o))
		return t
	}
	for n := range o.Children {
		enter(m.newborn(o, n))
	}
	return t
}

// Lookup returns the measure with this ID, or nil if there is none.
func Lookup(id string) *Measure {
	if i, ok := places[id]; ok {
		return &Measures[i]
	}
	return nil
}

var places = func() map[string]int {
	at := map[string]int{}
	for i := range Measures {
		at[Measures[i].ID] = i
	}
	return at
}()

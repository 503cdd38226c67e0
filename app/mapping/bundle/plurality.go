package bundle

import (
	"slices"
	"time"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

// mapPlurality sets how many children were born, if the document shows it (decision 34). The
// Patients may show it by multipleBirthTotal or by a single birth, and an Observation may have it.
// If these differ, or if the number is lower than the number of births that is certain, the
// plurality is left out.
//
// If there is no such number, mapPlurality counts the children if the document has several. It
// doesn't if something hides or denies that the document has all of them (denied). It doesn't count
// a single child either, because twins are also sent in separate documents.
func (c *course) mapPlurality(d *birth.Draft) {
	s := c.states(d.Care)
	observed, seen := s.Get("plurality")
	total, given, contradicted := c.statedTotal()
	if given {
		contradicted = seen && observed.Number != total
		s.number("plurality", fhir.Number{Float: total, Set: true})
		for _, child := range c.children {
			if c.trace == nil {
				break
			}
			for _, t := range c.totalsOf(child) {
				s.trace.Join("plurality", -1, child.at, t.member)
			}
		}
	}
	n := float64(len(c.children))
	stated, ok := s.Get("plurality")
	switch {
	case contradicted || ok && stated.Number < c.atLeast(d):
		s.lose("plurality", mapping.Contradicted)
	case !ok && n > 1 && !c.denied(d):
		s.number("plurality", fhir.Number{Float: n, Set: true})
		for _, child := range c.children {
			s.trace.Join("plurality", -1, child.at, mapping.ProfileMember)
		}
	}
	d.Care = s.Values
}

// atLeast returns the smallest number of births that agrees with the document. It is the largest of
// these numbers: the number of children, the highest birth order, and the number of live-born
// children and fetal deaths together. It is at least 2 if a Patient is from a multiple birth.
func (c *course) atLeast(d *birth.Draft) float64 {
	dead, _ := d.Care.Get(fetalDeaths)
	least := max(float64(len(c.children)), c.lastOrder(), dead.Number+float64(c.alive(d)))
	for _, child := range c.children {
		if child.SingleBirth != nil && *child.SingleBirth {
			least = max(least, 2)
		}
	}
	return least
}

// alive returns how many children in the document were born alive.
func (c *course) alive(d *birth.Draft) (n int) {
	for _, child := range d.Children {
		if born, _ := child.Get("live_birth"); born.Flag {
			n++
		}
	}
	return n
}

// statedTotal returns the plurality that the Patients have. The result contradicted is set if they
// have different ones.
func (c *course) statedTotal() (total float64, stated, contradicted bool) {
	for _, child := range c.children {
		for _, t := range c.totalsOf(child) {
			contradicted = contradicted || stated && t.n != total
			total, stated = t.n, true
		}
	}
	return total, stated && !contradicted, contradicted
}

// birthTotal is a number of births, and the member of a Patient from which it was read.
type birthTotal struct {
	n      float64
	member string
}

// totalsOf returns the numbers of births that one Patient has. A multipleBirthBoolean of false
// means a single birth. FHIR allows it only without a birth order.
func (c *course) totalsOf(p *patientEntry) (all []birthTotal) {
	for _, from := range [...]struct {
		member string
		fhir.Extensions
	}{
		{"._multipleBirthInteger", p.MultipleBirthElement.All()},
		{"._multipleBirthBoolean", p.SingleBirthElement.All()},
		{"", p.Extension},
	} {
		e := from.Find("multiplebirthtotal")
		if e == nil {
			continue
		}
		if from.member == "" {
			from.member = c.trace.ExtensionAt(p.Extension, e)
		}
		for _, n := range []fhir.Number{e.ValuePositiveInt, e.ValueInteger, e.ValueUnsignedInt} {
			if n.Set && birth.Must("plurality").InRange(n.Float) {
				all = append(all, birthTotal{n.Float, from.member})
			}
		}
	}
	if p.SingleBirth != nil && !*p.SingleBirth && !mapping.IsAbsent(p.SingleBirthElement.All()) {
		all = append(all, birthTotal{1, ".multipleBirthBoolean"})
	}
	return all
}

// lastOrder returns the highest birth order among the children, or 0 if there is none.
func (c *course) lastOrder() (last float64) {
	order := birth.Must("birth_order")
	for _, child := range c.children {
		if at := child.MultipleBirth; at.Set && order.InRange(at.Float) {
			last = max(last, at.Float)
		}
	}
	return last
}

// denied reports whether the document hides or denies that it holds all children of the delivery.
// It does in these cases:
//   - A child's birth order is unreadable or has a data-absent reason.
//   - Two children have the same birth order, or one has a higher birth order than there are
//     children.
//   - The children are of two deliveries.
//   - Two children may be one child: they replace each other, or have no birth order and share an
//     identifier.
//   - The document states more live births than it has children who were born alive, or more fetal
//     deaths than it has other children.
func (c *course) denied(d *birth.Draft) bool {
	if c.circled {
		return true // Patients that replace each other may be one child
	}
	orders, unordered := map[float64]bool{}, map[fhir.Identity]int{}
	for i, child := range c.children {
		p := &child.Patient
		for _, identity := range p.Identifier {
			if p.MultipleBirth.Set || !identity.Known() {
				continue
			}
			if before, known := unordered[identity]; known && before != i {
				return true // it may be one child, sent twice
			}
			unordered[identity] = i
		}
		if mapping.IsAbsent(p.MultipleBirthElement.All()) || mapping.IsAbsent(p.SingleBirthElement.All()) ||
			p.Lost.Any("multipleBirthInteger", "_multipleBirthInteger", "multipleBirthBoolean", "_multipleBirthBoolean") {
			return true
		}
		if at := p.MultipleBirth; at.Set {
			if orders[at.Float] {
				return true
			}
			orders[at.Float] = true
		}
	}
	if !ofOneDelivery(d.Children) {
		return true
	}
	n, alive := len(c.children), c.alive(d)
	live, _ := d.Care.Get(liveBorn)
	dead, _ := d.Care.Get(fetalDeaths)
	return c.lastOrder() > float64(n) || live.Number > float64(alive) || dead.Number > float64(n-alive)
}

// ofOneDelivery returns false if two children were certainly born more than a day apart. One of
// them may then be from another pregnancy.
func ofOneDelivery(children []birth.Values) bool {
	latest := ""
	for _, child := range children {
		if day := child.Text("birth_date"); len(day) == len(time.DateOnly) {
			latest = max(latest, day)
		}
	}
	return !slices.ContainsFunc(children, func(child birth.Values) bool { return longBefore(child.Text("birth_date"), latest, 1) })
}

// The fields for the numbers of live births and fetal deaths in this delivery.
const (
	liveBorn    = "live_births_this_delivery"
	fetalDeaths = "fetal_deaths_this_delivery"
)

// liveCount is the number of live births in one Observation.
type liveCount struct {
	by   *observed
	rank int
	n    float64
}

// mostCounts is the maximum number of Observations that are compared if they count the live births
// of one delivery.
const mostCounts = 100

// dropDoubtfulLiveBirths removes the number of live births in this delivery in two cases. In the
// first case, two final Observations of the same rank have different numbers, and neither is newer.
// One of them may be the plurality. In the second case, there are more than mostCounts such
// Observations.
func (o *observations) dropDoubtfulLiveBirths() {
	doubtful := len(o.live) > mostCounts
	for i, a := range o.live[:min(len(o.live), mostCounts)] {
		doubtful = doubtful || slices.ContainsFunc(o.live[:i], func(b liveCount) bool {
			return a.n != b.n && a.rank == b.rank && a.rank < provisional && newer(&a.by.Observation, &b.by.Observation) == 0
		})
	}
	if doubtful {
		o.draft.Care.Drop(liveBorn)
		o.course.trace.Lose(liveBorn, -1, mapping.Contradicted)
	}
}

package birth

import (
	"strconv"
	"time"
)

// Finding is what a check has to say about a draft. It names where to look and
// what to do, and never repeats a value.
type Finding struct {
	// Rule names the check, such as "weight-low".
	Rule string
	// About are the places concerned; the finding is shown beside the first.
	About []Place
	// Blocks is set for what cannot be saved. Anything else is a warning, which
	// a person who knows better may override.
	Blocks bool
	// Text says what is wrong and what to do.
	Text string
}

// ID names the finding within its draft: the rule and where it looked.
func (f Finding) ID() string { return f.Rule + "@" + f.Place().String() }

// Place is where the finding is shown.
func (f Finding) Place() Place {
	if len(f.About) == 0 {
		return Place{}
	}
	return f.About[0]
}

// Place is where a value of a draft stands: a field of the mother or the care,
// or a field of the nth member of a list, counted from 0.
type Place struct {
	List  string // "" for mother and care, else ChildList, PersonList or TransferList
	Index int
	Field string
}

// The lists of a draft.
const (
	ChildList    = "child"
	PersonList   = "person"
	TransferList = "transfer"
)

// At is the place of a field of the mother or the care.
func At(field string) Place { return Place{Field: field} }

// Of is the place of a field of the nth member of a list.
func Of(list string, n int, field string) Place { return Place{list, n, field} }

// String is the place's path, such as "gravida" or "child.0.birth_weight_g";
// form fields are named so.
func (p Place) String() string {
	if p.List == "" {
		return p.Field
	}
	return p.List + "." + strconv.Itoa(p.Index) + "." + p.Field
}

// Check looks a draft over before it is saved by a person or from a file. What
// it finds either blocks (impossible, or no course of care at all) or warns
// (improbable). The push lane does not ask it: there a value that cannot be is
// left out, and only structure rejects (spec, "Validation is structural only").
// now is the present time.
func Check(d Draft, now time.Time) []Finding {
	c := &checking{Draft: d, tomorrow: now.UTC().Add(24 * time.Hour).Format(time.DateOnly)}
	c.presence()
	c.values()
	c.dates()
	c.mother()
	c.labor()
	for i := range d.Children {
		c.child(i)
	}
	c.siblings()
	c.people()
	c.transfers()
	return c.found
}

// Blocked reports whether one of the findings blocks.
func Blocked(found []Finding) bool {
	for _, f := range found {
		if f.Blocks {
			return true
		}
	}
	return false
}

type checking struct {
	Draft
	tomorrow string // the last possible day
	found    []Finding
}

func (c *checking) block(rule, text string, about ...Place) {
	c.found = append(c.found, Finding{rule, about, true, c.whose(about) + text})
}

func (c *checking) warn(rule, text string, about ...Place) {
	c.found = append(c.found, Finding{rule, about, false, c.whose(about) + text})
}

// whose names the newborn meant, where there are several.
func (c *checking) whose(about []Place) string {
	if len(about) == 0 || about[0].List != ChildList || len(c.Children) < 2 {
		return ""
	}
	return "Newborn " + strconv.Itoa(about[0].Index+1) + ": "
}

// presence asks for what makes a course of care: a mother and a newborn.
func (c *checking) presence() {
	if len(c.Mother) == 0 {
		c.block("no-mother", "Enter at least one fact about the mother, such as her name", At("mother_family_name"))
	}
	if len(c.Children) == 0 {
		c.block("no-newborn", "Add at least one newborn", Of(ChildList, 0, "birth_date"))
	}
	for i, child := range c.Children {
		if !child.Has("birth_date") && !child.Has("birth_datetime") {
			c.block("no-birth-date", "Enter the date of birth, or remove this newborn", Of(ChildList, i, "birth_date"))
		}
	}
}

// each visits every value stated of a subject.
func (c *checking) each(visit func(p Place, f *Field, v Value)) {
	for _, values := range []Values{c.Mother, c.Care} {
		for _, s := range values {
			visit(At(s.Field.Name), s.Field, s.Value)
		}
	}
	for i, child := range c.Children {
		for _, s := range child {
			visit(Of(ChildList, i, s.Field.Name), s.Field, s.Value)
		}
	}
}

// values holds every value against its field.
func (c *checking) values() {
	c.each(func(p Place, f *Field, v Value) {
		if fault := f.Fault(v); fault != "" {
			c.block("value", f.Label+": "+fault, p)
		}
	})
}

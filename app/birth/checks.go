package birth

import (
	"slices"
	"strconv"
	"time"
)

// CheckFinding is a problem that Check found in a draft. It says which values it concerns and what
// to do, but never repeats a value.
type CheckFinding struct {
	// Rule is the name of the check that found the problem, such as "weight-low".
	Rule string
	// About lists the values that the finding concerns. Pages show the finding next to the first of
	// these values.
	About []Path
	// Blocks is set if the draft can't be saved. A finding that doesn't block is a warning, which a
	// user may override.
	Blocks bool
	// Text says what is wrong and what to do.
	Text string

	depends []Path // further values that led to the finding
}

// ID identifies the finding within its draft. It consists of the finding's rule and path.
func (f CheckFinding) ID() string { return f.Rule + "@" + f.Path().String() }

// Path returns the path of the value next to which pages show the finding. It is the zero Path if
// the finding concerns no value.
func (f CheckFinding) Path() Path {
	if len(f.About) == 0 {
		return Path{}
	}
	return f.About[0]
}

// Path identifies a value of a draft. The value belongs to the mother, to the care, or to one
// member of a list, such as the second newborn.
type Path struct {
	List  string // "" for mother and care, else ChildList, ProviderList or TransferList
	Index int
	Field string
}

// The names of a draft's lists in paths, and so in the names of form fields, such as
// "child.0.birth_date".
const (
	ChildList    = "child"
	ProviderList = "person"
	TransferList = "transfer"
)

// At returns the path of a field of the mother or of the care.
func At(field string) Path { return Path{Field: field} }

// Of returns the path of a field of one member of a list. n is the member's index, counted from 0.
func Of(list string, n int, field string) Path { return Path{list, n, field} }

// String returns the name that the value has in forms, such as "gravida" or
// "child.0.birth_weight_g".
func (p Path) String() string {
	if p.List == "" {
		return p.Field
	}
	return p.List + "." + strconv.Itoa(p.Index) + "." + p.Field
}

// Values returns the paths of all values that led to the finding.
func (f CheckFinding) Values() []Path { return slices.Concat(f.About, f.depends) }

// Has reports whether a draft has the value of a field of the mother, the care or a newborn.
func (d *Draft) Has(at Path) bool {
	switch {
	case at.List == "":
		return d.Mother.Has(at.Field) || d.Care.Has(at.Field)
	case at.List == ChildList && at.Index < len(d.Children):
		return d.Children[at.Index].Has(at.Field)
	}
	return false
}

// Column returns the name of the value's column in a spreadsheet. The name has no index, because a
// row holds only one newborn and one transfer.
func (p Path) Column() string {
	if p.List == TransferList {
		return "transfer_" + p.Field
	}
	return p.Field
}

// Check checks a draft that a user is about to save, or to import from a file, and returns its
// findings. now is the present time. A finding blocks if a value is impossible, if values can't be
// true together, or if the draft lacks a mother, a newborn or a date of birth. A finding is a
// warning if a value is unlikely. Bundles aren't checked in this way: an impossible value in a
// Bundle is left out, and a Bundle is rejected only for a wrong structure (spec, "Validation is
// structural only").
func Check(d Draft, now time.Time) []CheckFinding {
	c := &checking{Draft: d, tomorrow: now.UTC().Add(24 * time.Hour).Format(time.DateOnly)}
	c.presence()
	c.values()
	c.dates()
	c.mother()
	c.labor()
	for i := range d.Children {
		c.child(i)
	}
	c.gestation()
	c.afterward()
	c.siblings()
	c.providers()
	c.transfers()
	return c.found
}

// Blocked reports whether any finding blocks saving.
func Blocked(found []CheckFinding) bool {
	return slices.ContainsFunc(found, func(f CheckFinding) bool { return f.Blocks })
}

type checking struct {
	Draft
	tomorrow string // the last day that a date can have
	found    []CheckFinding
}

func (c *checking) block(rule, text string, about ...Path) { c.report(true, rule, text, about...) }
func (c *checking) warn(rule, text string, about ...Path)  { c.report(false, rule, text, about...) }

func (c *checking) report(blocks bool, rule, text string, about ...Path) {
	c.found = append(c.found, CheckFinding{Rule: rule, About: about, Blocks: blocks, Text: c.whose(about) + text})
}

// dependsOn adds paths of values that led to the last finding. If one of these values is wrong by
// itself, Distinct leaves the finding out. If one of them changes, a user's confirmation of the
// finding no longer holds. Pages don't show the finding next to these values.
func (c *checking) dependsOn(values ...Path) { c.found[len(c.found)-1].depends = values }

// eachNewborn returns the path of a field of every newborn.
func (c *checking) eachNewborn(field string) (all []Path) {
	for i := range c.Children {
		all = append(all, Of(ChildList, i, field))
	}
	return all
}

// whose returns the prefix that says which newborn a finding is about, such as "Newborn 2: ". It
// returns "" if the finding isn't about a newborn, or if the draft has only one newborn.
func (c *checking) whose(about []Path) string {
	if len(about) == 0 || about[0].List != ChildList || len(c.Children) < 2 {
		return ""
	}
	return "Newborn " + strconv.Itoa(about[0].Index+1) + ": "
}

// presence checks that the draft has what every course of care must have: a mother, a newborn, and
// each newborn's date of birth.
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

// each calls visit for every value that the draft states about the mother, the care and the
// newborns.
func (c *checking) each(visit func(p Path, f *Field, v Value)) {
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

// values checks whether each field can hold its value.
func (c *checking) values() {
	c.each(func(p Path, f *Field, v Value) {
		if fault := f.Fault(v); fault != "" {
			c.block("value", f.Label+": "+fault, p)
		}
	})
}

package birth

import (
	"slices"
	"strconv"
	"time"
)

// CheckFinding is a problem that Check found in a draft. It names where to look and what
// to do, and never repeats a value.
type CheckFinding struct {
	// Rule names the check, such as "weight-low".
	Rule string
	// About lists the values that the finding concerns. Pages show the finding next to the
	// first of them.
	About []Path
	// Blocks is set when the draft cannot be saved. Any other finding is a warning, which
	// a user may override.
	Blocks bool
	// Text states what is wrong and what to do.
	Text string

	depends []Path // further values that led to the finding
}

// ID identifies the finding within its draft, by its rule and its path.
func (f CheckFinding) ID() string { return f.Rule + "@" + f.Path().String() }

// Path returns the path of the value next to which pages show the finding.
func (f CheckFinding) Path() Path {
	if len(f.About) == 0 {
		return Path{}
	}
	return f.About[0]
}

// Path identifies a value of a draft: a field of the mother or the care, or a field of
// the nth member of a list, counted from 0.
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

// At returns the path of a field of the mother or the care.
func At(field string) Path { return Path{Field: field} }

// Of returns the path of a field of the nth member of a list.
func Of(list string, n int, field string) Path { return Path{list, n, field} }

// String returns the name of the value's form field, such as "gravida" or
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

// Column returns the name of the value's column in a spreadsheet. It leaves out the index, because
// a row holds only one newborn and one transfer.
func (p Path) Column() string {
	if p.List == TransferList {
		return "transfer_" + p.Field
	}
	return p.Field
}

// Check returns the findings of a draft that a user is about to save, or to import from a file. now
// is the present time. A finding blocks if values are impossible, by themselves or together, or if
// the draft lacks a mother, a newborn or a date of birth. A finding warns if a value is unlikely.
// Bundles are not checked in this way: an impossible value is left out, and only a wrong structure
// rejects a Bundle (spec, "Validation is structural only").
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

// Blocked reports whether one of the findings blocks.
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

// dependsOn adds values that led to the last finding. If one of these values is wrong by itself,
// Distinct leaves the finding out. Pages don't show the finding next to them.
func (c *checking) dependsOn(values ...Path) { c.found[len(c.found)-1].depends = values }

// whose returns a prefix for the text of a finding that names its newborn, such as "Newborn 2: ".
// It returns "" if the finding isn't about a newborn, or if the draft has only one.
func (c *checking) whose(about []Path) string {
	if len(about) == 0 || about[0].List != ChildList || len(c.Children) < 2 {
		return ""
	}
	return "Newborn " + strconv.Itoa(about[0].Index+1) + ": "
}

// presence checks that the draft has the minimum of a course of care: a mother, a newborn, and each
// newborn's date of birth.
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

// each visits every value that the draft states about the mother, the care and the children.
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

// values checks every value against its field.
func (c *checking) values() {
	c.each(func(p Path, f *Field, v Value) {
		if fault := f.Fault(v); fault != "" {
			c.block("value", f.Label+": "+fault, p)
		}
	})
}

package birth

import (
	"cmp"
	"fmt"
	"slices"
)

// Subject is the person or thing that a field is about.
type Subject uint8

// The three subjects of a course of care.
const (
	Mother Subject = iota
	Care
	Child
)

// String returns the subject's name: "mother", "care" or "child".
func (s Subject) String() string { return [...]string{"mother", "care", "child"}[s] }

// Kind is the type of a field's value.
type Kind uint8

// The kinds of value. A date may be partial (2019, 2019-02). A datetime is a date, or a date with a
// time in the form of RFC 3339, but without an offset if none was stated.
const (
	Text Kind = iota
	Date
	DateTime
	Int
	Decimal
	Bool
	Code
	Codes
)

// String returns the kind's name in the data dictionaries, such as "datetime" or "codes".
func (k Kind) String() string {
	return [...]string{"text", "date", "datetime", "int", "decimal", "bool", "code", "codes"}[k]
}

// Field is one row of the spine, which is the table of all the fields of a record.
type Field struct {
	Name  string // also the code of the field in the service's own CodeSystem
	Label string // the name that users read
	About Subject
	Kind  Kind
	Unit  string // UCUM; empty for a plain count
	// Min and Max are the limits of possible values, inclusive; both 0 means no limits.
	// They exclude the numbers that registries write for unknown: 9999 g, 99 cigarettes.
	Min, Max float64
	// Unknown are texts that registries write for an unknown value, in lower case.
	Unknown []string
	// Options are the values of a code or codes field.
	Options []Option
	// Sealed values are patient data and are kept encrypted.
	Sealed bool
	// Derived values are computed from other values. An Observation whose code is the name of a
	// derived field isn't read.
	Derived bool
	// Demographic values come from the Patient, Encounter or Practitioner
	// resources, never from an Observation.
	Demographic bool
	// Codes are the LOINC codes of the Observations that state this field's value, the best code
	// first. An Observation whose code is the field's own name is always read as well.
	Codes []string
	// Yes and No are findings. If an Observation with one of Codes has such a finding as its
	// value, that means yes or no in a bool field, and 1 or 0 in an int field.
	Yes, No []Coding
	// Days is the largest number of days before the birth at which an Observation of the field can
	// have been made. An earlier Observation is from another pregnancy, or from a visit before the
	// birth. A field that doesn't state Days has the Days of its group (Spine). Days is anytime if
	// the date doesn't matter.
	Days int
	// Lasting is set if a yes, however old, holds for every later pregnancy.
	Lasting bool
	// Edition is the edition of the spine that the field came with, counted from 0. In
	// spreadsheets, the columns of a later edition come after all others, so that no column
	// ever moves.
	Edition int
	// Shared marks a child's field whose value, if it is stated about the mother, applies to every
	// child of the pregnancy.
	Shared bool

	index int
	// opening is the JSON with which the field begins in a stored document.
	opening string
}

const (
	week = 7 // days
	// Pregnancy is the largest number of days from the beginning of the last menstrual period to
	// the birth.
	Pregnancy = 44 * week
	// Delivery is the largest number of days before a birth at which labor can begin, or at which
	// an Observation about the birth can be made.
	Delivery = 4 * week
	anytime  = -1
)

// Option is one value of a code field.
type Option struct {
	Code  string
	Label string
	// Codings are the codes of other code systems that mean this option.
	Codings []Coding
	// Drugs are codes of drugs. They mean this option only in an Observation whose code is the
	// field's own name, because a drug alone doesn't show why it was given.
	Drugs []Coding
	// Lasting is set if the option, however old, holds for every later pregnancy.
	Lasting bool
}

// group is a part of the spine. days is used for each of its fields that doesn't state Days.
type group struct {
	fields []Field
	days   int
}

// Spine is the canonical course-of-care spine: all the fields of a record, in the order in which a
// midwife recounts a birth.
var Spine = build(
	group{identity, anytime}, group{history, Pregnancy}, group{setting, Pregnancy}, group{labor, Delivery},
	group{newborn, Delivery}, group{afterward, Delivery},
)

var byName = func() map[string]*Field {
	names := make(map[string]*Field, len(Spine))
	for _, f := range Spine {
		if names[f.Name] != nil {
			panic("birth: the spine declares " + f.Name + " twice")
		}
		names[f.Name] = f
	}
	return names
}()

// Editions is how many editions the spine has had. The second, of November 2026, added
// what midwives' registries ask for.
const Editions = 2

// added returns the field marked as one of the second edition.
func added(f Field) Field {
	f.Edition = 1
	return f
}

func build(groups ...group) []*Field {
	var all []*Field
	for _, g := range groups {
		for i := range g.fields {
			f := &g.fields[i]
			f.index = len(all)
			f.opening = `"` + f.Name + `":{"value":`
			f.Days = cmp.Or(f.Days, g.days)
			all = append(all, f)
		}
	}
	return all
}

// Lasts reports whether a value, however old, holds for every later pregnancy: a cesarean remains a
// previous one, and diabetes from before one pregnancy is from before the next.
func (f *Field) Lasts(v Value) bool {
	if f.Kind != Codes {
		return f.Lasting && (v.Flag || v.Number > 0)
	}
	return !slices.ContainsFunc(v.Set, func(code string) bool {
		i := slices.IndexFunc(f.Options, func(o Option) bool { return o.Code == code })
		return i < 0 || !f.Options[i].Lasting
	})
}

// Lookup returns the named field, or nil.
func Lookup(name string) *Field { return byName[name] }

// Must returns the named field. It panics if the name isn't on the spine.
func Must(name string) *Field {
	if f := byName[name]; f != nil {
		return f
	}
	panic(fmt.Sprintf("birth: no field %q on the spine", name))
}

// OptionFor returns the code of the option that a coding means, or "". The coding means an option
// if it has the option's own code or one of the option's Codings. Its system must match or be
// missing. If drugs is set, the option's Drugs mean it, too.
func (f *Field) OptionFor(system, code string, drugs bool) string {
	means := func(c Coding) bool { return c.Is(system, code) }
	for i := range f.Options {
		o := &f.Options[i]
		if means(Coding{Own, o.Code}) || slices.ContainsFunc(o.Codings, means) || drugs && slices.ContainsFunc(o.Drugs, means) {
			return o.Code
		}
	}
	return ""
}

// In returns the codes of one system that mean the option.
func (o Option) In(system System) (codes []string) {
	for _, c := range o.Codings {
		if c.System == system {
			codes = append(codes, c.Code)
		}
	}
	return codes
}

// HasOption reports whether code is one of the field's values.
func (f *Field) HasOption(code string) bool {
	return slices.ContainsFunc(f.Options, func(o Option) bool { return o.Code == code })
}

// InRange reports whether n is within the field's limits, if it has any.
func (f *Field) InRange(n float64) bool {
	return f.Min == 0 && f.Max == 0 || n >= f.Min && n <= f.Max
}

// UnitLabel returns the field's unit as people write it.
func (f *Field) UnitLabel() string {
	switch f.Unit {
	case "[in_i]":
		return "in"
	case "[lb_av]":
		return "lb"
	case "wk":
		return "weeks"
	case "h":
		return "hours"
	case "d":
		return "days"
	case "a":
		return "years"
	case "/d":
		return "a day"
	case "{score}":
		return ""
	}
	return f.Unit
}

// LabelOf returns the label of one of the field's values, or the code if it has no label.
func (f *Field) LabelOf(code string) string {
	return cmp.Or(LabelIn(f.Options, code), code)
}

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

// String returns the name of the subject: "mother", "care" or "child".
func (s Subject) String() string { return [...]string{"mother", "care", "child"}[s] }

// Kind is the type of a field's value.
type Kind uint8

// The kinds of values. A date may be partial (2019, 2019-02). A datetime is either a date, or a
// date with a time in the form of RFC 3339. The offset is missing if none was stated.
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

// String returns the name that the kind has in the data dictionaries, such as "datetime" or
// "codes".
func (k Kind) String() string {
	return [...]string{"text", "date", "datetime", "int", "decimal", "bool", "code", "codes"}[k]
}

// Field describes one field of a record. The list of all fields is Spine.
type Field struct {
	Name  string // also the code of the field in the service's own CodeSystem
	Label string // the name that users see
	About Subject
	Kind  Kind
	Unit  string // the unit in UCUM; "" for a plain count
	// Min and Max are the limits of possible values, inclusive. If both are 0, there are no limits.
	// The limits exclude the numbers that registries write for unknown values: 9999 g, 99
	// cigarettes.
	Min, Max float64
	// Unknown lists texts, in lower case, that registries write for an unknown value.
	Unknown []string
	// Options lists the possible values of a field of the kind Code or Codes.
	Options []Option
	// Sealed is set if the field's values are patient data, which are stored encrypted.
	Sealed bool
	// Derived is set if the field's value is computed from other values. An Observation whose code
	// is the name of such a field isn't read.
	Derived bool
	// Demographic is set if the value comes from a Patient, Encounter or Practitioner resource, and
	// never from an Observation.
	Demographic bool
	// Codes lists the LOINC codes of the Observations that state the field's value, the best code
	// first. An Observation whose code is the field's name is always read as well.
	Codes []string
	// Yes and No list findings that an Observation with one of Codes may have as its value. Such a
	// finding means yes or no in a Bool field, and 1 or 0 in an Int field.
	Yes, No []Coding
	// Days is how many days before the birth an Observation of the field can have been made. An
	// earlier Observation belongs to another pregnancy, or to a visit before the birth. If Days
	// isn't set, the group of the field in Spine determines it. If it is anytime, the date doesn't
	// matter.
	Days int
	// Lasting is set if a yes applies to every later pregnancy, however old it is.
	Lasting bool
	// Edition is the edition of Spine in which the field was added, counted from 0. In
	// spreadsheets, the columns of a later edition come after all other columns, so that no column
	// ever moves.
	Edition int
	// Shared is set for a field of a child whose value may be stated about the mother instead. Such
	// a value applies to every child of the pregnancy.
	Shared bool

	index int
	// opening is the JSON text with which the field begins in a stored document.
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

// Option is one possible value of a field of the kind Code or Codes.
type Option struct {
	Code  string
	Label string
	// Codings lists the codes of other code systems that mean this option.
	Codings []Coding
	// Drugs lists codes of drugs that mean this option. They count only in an Observation whose
	// code is the field's name, because a drug alone doesn't show why it was given.
	Drugs []Coding
	// Lasting is set if the option applies to every later pregnancy, however old the answer is.
	Lasting bool
}

// group is a group of fields in Spine. Fields that don't state Days get the value of days.
type group struct {
	fields []Field
	days   int
}

// Spine lists all the fields of a record (spec, "Canonical course-of-care spine"), in the order in
// which a midwife recounts a birth.
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

// Editions is the number of editions of Spine so far. The second edition, of November 2026, added
// what midwives' registries ask for.
const Editions = 2

// added returns the field, marked as added in the second edition of Spine.
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

// Lasts reports whether a value applies to every later pregnancy, however old it is. For example, a
// cesarean remains a previous cesarean, and diabetes from before one pregnancy is also from before
// the next.
func (f *Field) Lasts(v Value) bool {
	if f.Kind != Codes {
		return f.Lasting && (v.Flag || v.Number > 0)
	}
	return !slices.ContainsFunc(v.Set, func(code string) bool {
		i := slices.IndexFunc(f.Options, func(o Option) bool { return o.Code == code })
		return i < 0 || !f.Options[i].Lasting
	})
}

// Lookup returns the field with the given name, or nil if Spine has no such field.
func Lookup(name string) *Field { return byName[name] }

// Must returns the field with the given name. It panics if Spine has no such field.
func Must(name string) *Field {
	if f := byName[name]; f != nil {
		return f
	}
	panic(fmt.Sprintf("birth: no field %q on the spine", name))
}

// OptionFor returns the code of the option that a coding in a document means, or "" if it means
// none. A coding means an option if its code is the option's own code or one of the option's
// Codings. The coding's system must match or be empty. If drugs is set, the option's Drugs count,
// too.
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

// In returns the codes that mean the option in one code system.
func (o Option) In(system System) (codes []string) {
	for _, c := range o.Codings {
		if c.System == system {
			codes = append(codes, c.Code)
		}
	}
	return codes
}

// HasOption reports whether code is the code of one of the field's options.
func (f *Field) HasOption(code string) bool {
	return slices.ContainsFunc(f.Options, func(o Option) bool { return o.Code == code })
}

// InRange reports whether n is within the field's limits. It returns true if the field has no
// limits.
func (f *Field) InRange(n float64) bool {
	return f.Min == 0 && f.Max == 0 || n >= f.Min && n <= f.Max
}

// UnitLabel returns the field's unit as it is usually written, such as "weeks" for "wk".
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

// LabelOf returns the label of the option with the given code, or the code itself if there is no
// such option.
func (f *Field) LabelOf(code string) string {
	return cmp.Or(LabelIn(f.Options, code), code)
}

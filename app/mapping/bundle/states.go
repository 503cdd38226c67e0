package bundle

import (
	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

// states collects values from a Bundle. For the trace, it also records from which element each
// value was read.
type states struct {
	birth.Values
	trace  *mapping.Trace
	child  int // the index of the child that the values belong to; -1 for the mother and the care
	at     fhir.Place
	member string
}

// states returns a collector that adds to the given values of the mother or the care.
func (c *course) states(values birth.Values) states {
	return states{Values: values, trace: c.trace, child: -1}
}

// from sets the member of a resource from which the next value is read. The member "" is the
// resource itself. The argument why is the reason that the trace records if no value follows.
func (s *states) from(at fhir.Place, member string, why mapping.Reason) *states {
	s.at, s.member = at, member
	s.trace.Drop(at, member, why)
	return s
}

func (s *states) set(field string, value birth.Value) {
	value.Source = birth.FHIRPush
	s.Set(birth.Must(field), value)
	s.trace.Keep(field, s.child, s.at, s.member)
}

func (s *states) text(field, text string) {
	if text != "" {
		s.set(field, birth.Value{Text: text})
	}
}

func (s *states) number(field string, n fhir.Number) {
	if n.Set {
		s.set(field, birth.Value{Number: n.Float})
	}
}

func (s *states) flag(field string, flag bool) { s.set(field, birth.Value{Flag: flag}) }

func (s *states) codes(field string, codes []string) {
	if len(codes) > 0 {
		s.set(field, birth.Value{Set: codes})
	}
}

// lose removes the value of a field. The trace records the reason.
func (s *states) lose(field string, why mapping.Reason) {
	s.Drop(field)
	s.trace.Lose(field, s.child, why)
}

// birthDate sets a field to a Patient's date of birth, and returns the date. If the time of day is
// known, it also returns the date and time, and otherwise "".
func (s *states) birthDate(field string, p *patientEntry) (date, at string) {
	date, at = mapping.BirthDate(&p.Patient)
	own, read := birth.ParseDate(p.BirthDate)
	read = read && !mapping.IsAbsent(p.BirthDateElement.All())
	s.from(p.at, ".birthDate", mapping.NotADate)
	if !read {
		s.member = "._birthDate"
	}
	s.text(field, date)
	if date != "" && (date != own || p.BirthDateElement.All().Find("partial-date") != nil) {
		s.trace.Join(field, s.child, p.at, "._birthDate")
	}
	return date, at
}

package mapping

import (
	"slices"
	"strconv"

	"birthregistry/app/fhir"
)

// Trace records what happens to everything in a course of care: from which element of which
// resource each fact was read, and why other elements aren't kept. The mapper fills it while it
// reads the course. The server uses a nil Trace, which records nothing.
type Trace struct {
	elements []*Element
	byPlace  map[string]*Element
	from     map[Fact][]*Element
}

// NewTrace returns an empty Trace.
func NewTrace() *Trace {
	return &Trace{byPlace: map[string]*Element{}, from: map[Fact][]*Element{}}
}

// Element is a resource of a course, or a member of a resource that is kept or dropped
// separately.
type Element struct {
	// At is the FHIRPath-like place, such as Bundle.entry[7].resource.
	At string
	// Resource is the resource's type, or "" for the Bundle's own members.
	Resource string
	// Codes identify the topic of the resource, such as the code of an Observation.
	Codes []fhir.Coding
	// Extension is the name of the extension, if it is a known one.
	Extension string
	// Why is the reason for which the element isn't kept. It is used only if no fact was read from
	// the element.
	Why Reason
}

// Fact is something that a record holds: a field of the spine or one of the names below.
// It belongs to a child, or to the mother and the care (Child is -1).
type Fact struct {
	Name  string
	Child int
}

// The facts of a record that aren't fields of the spine.
const (
	ChartNumber = "chart_number"
	SourceStamp = "source_stamp"
	IGVersion   = "ig_version"
	Providers   = "providers"
	Transfers   = "transfers"
	ConsentFact = "consent"
)

// add adds an element, unless there is one at the same place.
func (t *Trace) add(at, resource string, codes []fhir.Coding, why Reason) {
	if t == nil || t.byPlace[at] != nil {
		return
	}
	e := &Element{At: at, Resource: resource, Codes: codes, Why: why}
	t.elements = append(t.elements, e)
	t.byPlace[at] = e
}

// at returns the element of a member of a resource. If member is "", it returns the element of the
// resource itself.
func (t *Trace) at(place fhir.Place, member string) *Element {
	return t.byPlace[place.Resource()+member]
}

// Drop records why an element isn't kept, unless a fact is read from it. The reason "" records
// nothing, and OtherFinding replaces only NotRead.
func (t *Trace) Drop(place fhir.Place, member string, why Reason) {
	if t == nil || why == "" {
		return
	}
	t.at(place, member).drop(why)
}

// drop records why an element isn't kept. The reason OtherFinding replaces only NotRead. On a nil
// element, drop does nothing.
func (e *Element) drop(why Reason) {
	if e != nil && (why != OtherFinding || e.Why == NotRead) {
		e.Why = why
	}
}

// DropAll records why no part of a resource is kept.
func (t *Trace) DropAll(place fhir.Place, why Reason) {
	if t == nil {
		return
	}
	whole := place.Resource()
	for _, e := range t.elements {
		if e.At == whole || len(e.At) > len(whole) && e.At[:len(whole)+1] == whole+"." {
			e.Why = why
		}
	}
}

// Reject records why no part of the course is kept.
func (t *Trace) Reject(why Reason) {
	if t == nil {
		return
	}
	clear(t.from)
	for _, e := range t.elements {
		e.Why = why
	}
}

// Keep records that a fact is read only from this element. Elements from which the fact was read
// before get the reason Superseded.
func (t *Trace) Keep(name string, child int, place fhir.Place, member string) {
	if t == nil {
		return
	}
	t.Lose(name, child, Superseded)
	t.Join(name, child, place, member)
}

// Join records that a fact is read from this element as well.
func (t *Trace) Join(name string, child int, place fhir.Place, member string) {
	if t == nil {
		return
	}
	t.read(Fact{name, child}, t.at(place, member))
}

// read records that a fact is read from an element, unless the element is nil.
func (t *Trace) read(fact Fact, e *Element) {
	if e != nil && !slices.Contains(t.from[fact], e) {
		t.from[fact] = append(t.from[fact], e)
	}
}

// Lose records that a fact isn't kept although it was read, and why.
func (t *Trace) Lose(name string, child int, why Reason) {
	if t == nil {
		return
	}
	for _, e := range t.from[Fact{name, child}] {
		e.Why = why
	}
	delete(t.from, Fact{name, child})
}

// ExtensionAt returns the member of an element that holds the extension e, such as .extension[2].
// list has the element's extensions; e is one of them, or is nested in one of them. ExtensionAt
// returns "" if neither is true.
func (t *Trace) ExtensionAt(list fhir.Extensions, e *fhir.Extension) string {
	if t == nil || e == nil {
		return ""
	}
	for i := range list {
		if &list[i] == e || within(list[i].Extension, e) {
			return ".extension[" + strconv.Itoa(i) + "]"
		}
	}
	return ""
}

// within reports whether an extension is in a list, or nested inside one that is.
func within(list fhir.Extensions, e *fhir.Extension) bool {
	for i := range list {
		if &list[i] == e || within(list[i].Extension, e) {
			return true
		}
	}
	return false
}

// ProfileMember is the member of a Patient that states its role.
const ProfileMember = ".meta.profile"

// ChartMember is the member of a Bundle that holds the chart number.
const ChartMember = ".identifier.value"

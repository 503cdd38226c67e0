package mapping

import (
	"slices"
	"strconv"

	"birthregistry/app/fhir"
)

// Trace records what happens to everything in a course of care. For each fact, it has the elements
// from which the fact was read. For the other elements, it has the reason why they aren't kept. The
// mapper adds to the Trace while it reads the course. The server uses a nil Trace, which records
// nothing.
type Trace struct {
	elements []*Element
	byPlace  map[string]*Element
	from     map[Fact][]*Element
}

// NewTrace returns an empty Trace.
func NewTrace() *Trace {
	return &Trace{byPlace: map[string]*Element{}, from: map[Fact][]*Element{}}
}

// Element is a resource in a course of care, or a member of a resource if the member can be kept or
// dropped by itself.
type Element struct {
	// At is the path of the element, similar to FHIRPath, such as Bundle.entry[7].resource.
	At string
	// Resource is the type of the resource. It is "" for the Bundle's own members.
	Resource string
	// Codes are the codes for the topic of the resource, such as the code of an Observation.
	Codes []fhir.Coding
	// Extension is the name of the extension, if it is one of knownExtensions.
	Extension string
	// Why is the reason why the element isn't kept. It is ignored if a fact was read from the
	// element.
	Why Reason
}

// Fact is something that a record contains. Name is a field of the spine or one of the names below.
// Child is the index of a child, or -1 if the fact is about the mother or the care.
type Fact struct {
	Name  string
	Child int
}

// The names of facts that aren't fields of the spine.
const (
	ChartNumber = "chart_number"
	SourceStamp = "source_stamp"
	IGVersion   = "ig_version"
	Providers   = "providers"
	Transfers   = "transfers"
	ConsentFact = "consent"
)

// add adds an element to the trace, unless there is already one at the same place.
func (t *Trace) add(at, resource string, codes []fhir.Coding, why Reason) {
	if t == nil || t.byPlace[at] != nil {
		return
	}
	e := &Element{At: at, Resource: resource, Codes: codes, Why: why}
	t.elements = append(t.elements, e)
	t.byPlace[at] = e
}

// at returns the element for a member of a resource, or nil if there is none. If member is "", it
// returns the element for the resource itself.
func (t *Trace) at(place fhir.Place, member string) *Element {
	return t.byPlace[place.Resource()+member]
}

// Drop records why an element isn't kept. The reason is ignored if a fact is read from the element.
// If why is "", Drop does nothing. OtherFinding replaces only the reason NotRead.
func (t *Trace) Drop(place fhir.Place, member string, why Reason) {
	if t == nil || why == "" {
		return
	}
	t.at(place, member).drop(why)
}

// drop records why an element isn't kept. OtherFinding replaces only the reason NotRead. If the
// element is nil, drop does nothing.
func (e *Element) drop(why Reason) {
	if e != nil && (why != OtherFinding || e.Why == NotRead) {
		e.Why = why
	}
}

// DropAll records a reason why no part of a resource is kept.
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

// Reject records a reason why no part of the course of care is kept.
func (t *Trace) Reject(why Reason) {
	if t == nil {
		return
	}
	clear(t.from)
	for _, e := range t.elements {
		e.Why = why
	}
}

// Keep records that a fact is read only from this element. If the fact was read from other elements
// before, these get the reason Superseded.
func (t *Trace) Keep(name string, child int, place fhir.Place, member string) {
	if t == nil {
		return
	}
	t.Lose(name, child, Superseded)
	t.Join(name, child, place, member)
}

// Join records that a fact is also read from this element.
func (t *Trace) Join(name string, child int, place fhir.Place, member string) {
	if t == nil {
		return
	}
	t.read(Fact{name, child}, t.at(place, member))
}

// read records that a fact is read from an element. If the element is nil, it does nothing.
func (t *Trace) read(fact Fact, e *Element) {
	if e != nil && !slices.Contains(t.from[fact], e) {
		t.from[fact] = append(t.from[fact], e)
	}
}

// Lose records that a fact isn't kept although it was read, with the reason.
func (t *Trace) Lose(name string, child int, why Reason) {
	if t == nil {
		return
	}
	for _, e := range t.from[Fact{name, child}] {
		e.Why = why
	}
	delete(t.from, Fact{name, child})
}

// ExtensionAt returns the path of an extension within its element, such as .extension[2]. The
// argument list has the element's extensions. If e is nested in one of them, ExtensionAt returns
// the path of the outer one. It returns "" if e isn't found.
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

// within reports whether an extension is in a list, or nested in one of the list's extensions.
func within(list fhir.Extensions, e *fhir.Extension) bool {
	for i := range list {
		if &list[i] == e || within(list[i].Extension, e) {
			return true
		}
	}
	return false
}

// ProfileMember is the path of a Patient's profiles. They show whether the Patient is a mother or a
// child.
const ProfileMember = ".meta.profile"

// ChartMember is the path of the chart number in a Bundle.
const ChartMember = ".identifier.value"

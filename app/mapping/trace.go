package mapping

import (
	"slices"
	"strconv"

	"birthregistry/app/fhir"
)

// Trace notes what becomes of everything that a course of care carries: which
// element of which resource each fact was read from, and why any other is not
// kept. The mapper notes it where it decides it. Its methods do nothing on nil,
// which is what the server has.
type Trace struct {
	elements []*Element
	byPlace  map[string]*Element
	from     map[Fact][]*Element
}

// NewTrace returns a Trace that has noted nothing.
func NewTrace() *Trace {
	return &Trace{byPlace: map[string]*Element{}, from: map[Fact][]*Element{}}
}

// Element is a resource of a course, or a member of one that is kept or dropped by
// itself.
type Element struct {
	// At is the FHIRPath-like place, such as Bundle.entry[7].resource.
	At string
	// Resource is its resource type, "" for the Bundle's own members.
	Resource string
	// Codes are what the resource is about, such as the code of an Observation.
	Codes []fhir.Coding
	// Extension is the name of the extension that it is, where that is a known one.
	Extension string
	// Why says why it is not kept; it counts where no fact was read from it.
	Why Reason
}

// Fact is something that a record holds: a field of the spine or one of the
// names below, of the mother and the care (Child is -1) or of a child.
type Fact struct {
	Name  string
	Child int
}

// The facts of a record that are no fields of the spine.
const (
	ChartNumber = "chart_number"
	SourceStamp = "source_stamp"
	IGVersion   = "ig_version"
	Providers   = "providers"
	Transfers   = "transfers"
	ConsentFact = "consent"
)

// add notes an element.
func (t *Trace) add(at, resource string, codes []fhir.Coding, why Reason) {
	if t == nil || t.byPlace[at] != nil {
		return
	}
	e := &Element{At: at, Resource: resource, Codes: codes, Why: why}
	t.elements = append(t.elements, e)
	t.byPlace[at] = e
}

// at finds a member of a resource, the resource for "".
func (t *Trace) at(place fhir.Place, member string) *Element {
	return t.byPlace[place.Resource()+member]
}

// Drop notes why an element is not kept, unless a fact is read from it; "" notes
// nothing. That a value is none of one field says less than what any other made of it.
func (t *Trace) Drop(place fhir.Place, member string, why Reason) {
	if t == nil || why == "" {
		return
	}
	t.at(place, member).drop(why)
}

// drop notes why an element is not kept; it does nothing on nil.
func (e *Element) drop(why Reason) {
	if e != nil && (why != OtherFinding || e.Why == NotRead) {
		e.Why = why
	}
}

// DropAll notes why nothing of a resource is kept.
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

// Reject notes why nothing of the course is kept.
func (t *Trace) Reject(why Reason) {
	if t == nil {
		return
	}
	clear(t.from)
	for _, e := range t.elements {
		e.Why = why
	}
}

// Keep notes that a fact is read from an element alone: what it was read from
// before is superseded.
func (t *Trace) Keep(name string, child int, place fhir.Place, member string) {
	if t == nil {
		return
	}
	t.Lose(name, child, Superseded)
	t.Join(name, child, place, member)
}

// Join notes that a fact is read from an element as well.
func (t *Trace) Join(name string, child int, place fhir.Place, member string) {
	if t == nil {
		return
	}
	t.read(Fact{name, child}, t.at(place, member))
}

// read notes that a fact is read from an element; nil stands for none.
func (t *Trace) read(fact Fact, e *Element) {
	if e != nil && !slices.Contains(t.from[fact], e) {
		t.from[fact] = append(t.from[fact], e)
	}
}

// Lose notes why a fact is not kept after all.
func (t *Trace) Lose(name string, child int, why Reason) {
	if t == nil {
		return
	}
	for _, e := range t.from[Fact{name, child}] {
		e.Why = why
	}
	delete(t.from, Fact{name, child})
}

// ExtensionAt is the member of one extension of a list; e points into the list.
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

// within reports whether an extension is one of a list, or is inside one of it.
func within(list fhir.Extensions, e *fhir.Extension) bool {
	for i := range list {
		if &list[i] == e || within(list[i].Extension, e) {
			return true
		}
	}
	return false
}

// ProfileMember is the member of a Patient that tells who it is.
const ProfileMember = ".meta.profile"

// ChartMember is the member of a Bundle that holds the chart number.
const ChartMember = ".identifier.value"

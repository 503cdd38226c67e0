// Package fhir holds the few FHIR R4 types that the service reads, and the OperationOutcome that it
// writes.
//
// Two steps decide what the service keeps of a document. First, a resource is decoded into a type
// of this package. The type has no member for anything that the mapping doesn't use (telecom,
// street, photo, narrative …), so the rest of the document never leaves the decoder. Then
// birth.Mask keeps only the fields of the spine. This package knows nothing about births, which are
// the business of package mapping. It is pure: it has no clock, no logger, and no I/O except the
// reader that it is given. No error contains a submitted value.
package fhir

import (
	"slices"
	"strconv"
	"strings"
)

// Coding is a code from a code system.
type Coding struct {
	System  string `json:"system,omitzero"`
	Code    string `json:"code,omitzero"`
	Display string `json:"display,omitzero" fhir:"value"`
}

// CodeableConcept is a concept, coded in one or more code systems.
type CodeableConcept struct {
	Coding    []Coding   `json:"coding,omitempty"`
	Text      string     `json:"text,omitzero" fhir:"value"`
	Extension Extensions `json:"extension,omitempty" fhir:"value"`
}

// HasCode reports whether any coding has one of the codes, in any code system.
func (c CodeableConcept) HasCode(codes ...string) bool {
	for _, coding := range c.Coding {
		if slices.Contains(codes, coding.Code) {
			return true
		}
	}
	return false
}

// Identifier is a business identifier.
type Identifier struct {
	System string          `json:"system"`
	Value  string          `json:"value"`
	Type   CodeableConcept `json:"type"`
}

// Meta holds the profiles of a resource, the time when it was last changed, and its version.
type Meta struct {
	LastUpdated string   `json:"lastUpdated" fhir:"value"`
	VersionID   string   `json:"versionId" fhir:"value"`
	Profile     []string `json:"profile"`
}

// Version returns the version of the resource.
func (m Meta) Version() Version { return Version{m.LastUpdated, m.VersionID} }

// Version identifies a version of a resource. It is the type of a meta element from which the
// registry doesn't need the profiles. Otherwise, the type is Meta.
type Version struct {
	LastUpdated string `json:"lastUpdated" fhir:"value"`
	VersionID   string `json:"versionId" fhir:"value"`
}

// Reference refers to another resource by its address, an identifier or a display name.
type Reference struct {
	Reference  string   `json:"reference"`
	Identifier Identity `json:"identifier"`
	Display    string   `json:"display" fhir:"value"`
}

// HumanName is a person's name.
type HumanName struct {
	Use    string   `json:"use"`
	Text   string   `json:"text"`
	Family string   `json:"family"`
	Given  []string `json:"given"`
	Prefix []string `json:"prefix"`
	Suffix []string `json:"suffix"`
	Period Period   `json:"period" fhir:"value"`
}

// Address is a postal address. Only its postal code, use, type and period are read.
type Address struct {
	Use        string `json:"use"`
	Type       string `json:"type"`
	PostalCode string `json:"postalCode"`
	Period     Period `json:"period" fhir:"value"`
}

// Period is a span of time.
type Period struct {
	Start string `json:"start" fhir:"value"`
	End   string `json:"end" fhir:"value"`
}

// Quantity is a measured amount. Value.Set is false if the quantity has no number.
type Quantity struct {
	Value      Number     `json:"value"`
	Comparator string     `json:"comparator"`
	Unit       string     `json:"unit"`
	System     string     `json:"system"`
	Code       string     `json:"code"`
	Extension  Extensions `json:"extension" fhir:"value"`
}

// Number is a JSON number, or a string that contains a number. Real systems send both.
type Number struct {
	Float float64
	Set   bool
}

// ParseNumber reads a decimal number in the forms that JSON and people use. For any other text,
// such as a hexadecimal number, NaN or infinity, it returns a Number whose Set is false.
func ParseNumber(text string) Number {
	text = strings.TrimSpace(text)
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || strings.ContainsAny(text, "xXpPnN_") {
		return Number{}
	}
	return Number{Float: f, Set: true}
}

// Element holds the extensions of a primitive value, as in _birthDate.
type Element struct {
	Extension Extensions `json:"extension" fhir:"value"`
}

// All returns the extensions of an element. A nil element has none.
func (e *Element) All() Extensions {
	if e == nil {
		return nil
	}
	return e.Extension
}

// Extension is a FHIR extension of an element. It has fields only for the types of values that are
// read.
type Extension struct {
	URL                  string           `json:"url" fhir:"value"`
	ValueCode            string           `json:"valueCode" fhir:"value"`
	ValueString          string           `json:"valueString" fhir:"value"`
	ValueDateTime        string           `json:"valueDateTime" fhir:"value"`
	ValueDate            string           `json:"valueDate" fhir:"value"`
	ValueTime            string           `json:"valueTime" fhir:"value"`
	ValueBoolean         *bool            `json:"valueBoolean" fhir:"value"`
	ValueInteger         Number           `json:"valueInteger" fhir:"value"`
	ValuePositiveInt     Number           `json:"valuePositiveInt" fhir:"value"`
	ValueUnsignedInt     Number           `json:"valueUnsignedInt" fhir:"value"`
	ValueCoding          *Coding          `json:"valueCoding" fhir:"value"`
	ValueCodeableConcept *CodeableConcept `json:"valueCodeableConcept" fhir:"value"`
	ValueQuantity        *Quantity        `json:"valueQuantity" fhir:"value"`
	Extension            Extensions       `json:"extension" fhir:"value"`
}

// Extensions holds the extensions of one element, in the order of the document.
type Extensions []Extension

// Find returns the first extension whose url has name in its last segment, or nil if there is none.
// The name must be in lower case. Find ignores the rest of the url, on which real documents
// disagree. It also searches nested extensions, because some documents nest an extension inside the
// wrong one.
func (e Extensions) Find(name string) *Extension {
	for i := range e {
		if e[i].Is(name) {
			return &e[i]
		}
	}
	for i := range e {
		if inner := e[i].Extension.Find(name); inner != nil {
			return inner
		}
	}
	return nil
}

// Is reports whether the last segment of the extension's url contains name, ignoring case in the
// url. The name must be in lower case.
func (e *Extension) Is(name string) bool {
	last := LastSegment(e.URL)
	for i := 0; i+len(name) <= len(last); i++ {
		if strings.EqualFold(last[i:i+len(name)], name) {
			return true
		}
	}
	return false
}

// LastSegment returns the text after the last slash of a url. It drops a trailing "|version". It
// also drops "StructureDefinition-" and ".html", because some documents use the address of a web
// page as a profile.
func LastSegment(url string) string {
	url, _, _ = strings.Cut(url, "|")
	url = strings.TrimSuffix(url, "/")
	url = url[strings.LastIndexByte(url, '/')+1:]
	url = strings.TrimSuffix(url, ".html")
	return strings.TrimPrefix(url, "StructureDefinition-")
}

// Identifiers holds the identifiers of a resource. The JSON may be a list or a single object,
// depending on the resource type.
type Identifiers []Identifier

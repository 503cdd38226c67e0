package birth

import (
	"errors"
	"slices"
)

// Reading selects which resources of a pushed Bundle are read (decision 30).
type Reading string

const (
	// SpecReading selects the six resources that the spec lists: Patient, Observation,
	// Practitioner, Encounter, Composition and Consent.
	SpecReading Reading = "spec"
	// BFDRReading also selects the other resources in which BFDR 2.0.0 states facts about a birth:
	// Procedure, Condition, Coverage and Location. LOINC 87286-1 is then also accepted as the
	// participation code of the attendant.
	BFDRReading Reading = "bfdr"
)

// Readings lists both readings, starting with the default.
var Readings = []Reading{SpecReading, BFDRReading}

// About returns a sentence that says which resources are read.
func (r Reading) About() string {
	if r == BFDRReading {
		return "bfdr: in addition to what the spec lists, Procedure, Condition, Coverage and Location"
	}
	return "spec: Procedure, Condition, Coverage and Location are not read"
}

// Set sets r to the reading with the given name. Together with String and Type, it makes Reading
// usable as a command-line flag.
func (r *Reading) Set(name string) error {
	if !slices.Contains(Readings, Reading(name)) {
		return errors.New("the reading is spec or bfdr")
	}
	*r = Reading(name)
	return nil
}

func (r *Reading) String() string { return string(*r) }

// Type returns the names that the help of a command shows for the flag's possible values.
func (*Reading) Type() string { return "spec|bfdr" }

package birth

import (
	"errors"
	"slices"
)

// Reading determines which resources of a pushed Bundle are read (decision 30).
type Reading string

const (
	// SpecReading reads the six resources that the spec lists: Patient,
	// Observation, Practitioner, Encounter, Composition and Consent.
	SpecReading Reading = "spec"
	// BFDRReading also reads the other resources in which BFDR 2.0.0 states facts of a birth:
	// Procedure, Condition, Coverage and Location. It also accepts LOINC 87286-1 as the
	// participation code of the attendant.
	BFDRReading Reading = "bfdr"
)

// Readings lists both readings, the default first.
var Readings = []Reading{SpecReading, BFDRReading}

// About describes what is read.
func (r Reading) About() string {
	if r == BFDRReading {
		return "bfdr: in addition to what the spec lists, Procedure, Condition, Coverage and Location"
	}
	return "spec: Procedure, Condition, Coverage and Location are not read"
}

// Set sets a reading by its name. With String and Type, it makes Reading usable as the value of
// a command's flag.
func (r *Reading) Set(name string) error {
	if !slices.Contains(Readings, Reading(name)) {
		return errors.New("the reading is spec or bfdr")
	}
	*r = Reading(name)
	return nil
}

func (r *Reading) String() string { return string(*r) }

// Type returns the value's name in the help of a command.
func (*Reading) Type() string { return "spec|bfdr" }

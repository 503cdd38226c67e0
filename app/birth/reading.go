package birth

import "errors"

// Reading says which resources of a pushed Bundle are read (decisions 30).
type Reading string

const (
	// SpecReading reads the six resources that the spec lists: Patient,
	// Observation, Practitioner, Encounter, Composition and Consent.
	SpecReading Reading = "spec"
	// BFDRReading also reads where BFDR 2.0.0 states facts of a birth besides:
	// Procedure, Condition, Coverage and Location, and LOINC 87286-1 as the
	// participation code of the attendant.
	BFDRReading Reading = "bfdr"
)

// Readings are both, the default first.
var Readings = []Reading{SpecReading, BFDRReading}

// About says what is read.
func (r Reading) About() string {
	if r == BFDRReading {
		return "bfdr: beside what the spec lists, Procedure, Condition, Coverage and Location"
	}
	return "spec: Procedure, Condition, Coverage and Location are not read"
}

// Set chooses a reading by its name. With String and Type it makes Reading the
// value of a flag.
func (r *Reading) Set(name string) error {
	for _, known := range Readings {
		if name == string(known) {
			*r = known
			return nil
		}
	}
	return errors.New("the reading is spec or bfdr")
}

func (r *Reading) String() string { return string(*r) }

// Type is what the help of a command calls the value.
func (*Reading) Type() string { return "spec|bfdr" }

package birth

import "strings"

// OwnSystem is the URI of the service's own CodeSystem. Its codes are the names of the fields of
// Spine and of their options.
const OwnSystem = "urn:birthregistry:spine"

// System is a code system that Spine uses. A code in a document counts as a code of this system
// only if the document states this system, or no system (decision 29): 9272-6 in a laboratory's own
// code system isn't an Apgar score.
type System uint8

// The code systems. YesNo, Education and Sex stand for HL7's tables of yes and no, of education
// levels and degrees, and of administrative sex. Race stands for the CDC's categories of race and
// ethnicity. VitalRecords stands for the local codes of BFDR, of the Vital Records library and of
// its predecessors.
const (
	Foreign System = iota // a system that Spine doesn't use
	Own
	LOINC
	SNOMED
	RxNorm
	NUCC
	NullFlavor
	YesNo
	Education
	Sex
	Race
	Payer
	VitalRecords
	HL7 // other tables of HL7; each code that is used here occurs in only one of them
)

// systems maps the URIs that documents use to code systems. The URIs are in lower case, and without
// the scheme and "www.".
var systems = map[string]System{
	OwnSystem:   Own,
	"loinc.org": LOINC, "urn:oid:2.16.840.1.113883.6.1": LOINC,
	"snomed.info/sct": SNOMED, "urn:oid:2.16.840.1.113883.6.96": SNOMED,
	"nlm.nih.gov/research/umls/rxnorm": RxNorm, "urn:oid:2.16.840.1.113883.6.88": RxNorm,
	"nucc.org/provider-taxonomy": NUCC, "urn:oid:2.16.840.1.113883.6.101": NUCC,
	"terminology.hl7.org/codesystem/v3-nullflavor": NullFlavor, "hl7.org/fhir/v3/nullflavor": NullFlavor,
	"urn:oid:2.16.840.1.113883.5.1008":       NullFlavor,
	"terminology.hl7.org/codesystem/v2-0136": YesNo, "hl7.org/fhir/v2/0136": YesNo, "urn:oid:2.16.840.1.113883.12.136": YesNo,
	"terminology.hl7.org/codesystem/v2-0532": YesNo, "hl7.org/fhir/v2/0532": YesNo, "urn:oid:2.16.840.1.113883.12.532": YesNo,
	"terminology.hl7.org/codesystem/v3-educationlevel": Education, "hl7.org/fhir/v3/educationlevel": Education,
	"terminology.hl7.org/codesystem/v2-0360": Education, "hl7.org/fhir/v2/0360": Education,
	"urn:oid:2.16.840.1.113883.5.1077": Education, "urn:oid:2.16.840.1.113883.12.360": Education,
	"urn:oid:2.16.840.1.114222.4.5.274":                      Education, // PHIN VS, used in 2020
	"hl7.org/fhir/administrative-gender":                     Sex,
	"terminology.hl7.org/codesystem/v3-administrativegender": Sex, "hl7.org/fhir/v3/administrativegender": Sex,
	"urn:oid:2.16.840.1.113883.5.1":   Sex,
	"urn:oid:2.16.840.1.113883.6.238": Race,
	"nahdo.org/sopt":                  Payer, "urn:oid:2.16.840.1.113883.3.221.5": Payer,
}

// usual maps the most common URIs to code systems, exactly as documents write them. SystemOf
// needn't normalize these URIs.
var usual = map[string]System{
	"http://loinc.org": LOINC, "http://snomed.info/sct": SNOMED, OwnSystem: Own, "urn:oid:2.16.840.1.113883.6.238": Race,
	"http://terminology.hl7.org/CodeSystem/v2-0136": YesNo, "http://terminology.hl7.org/CodeSystem/v3-NullFlavor": NullFlavor,
	"http://hl7.org/fhir/us/vr-common-library/CodeSystem/codesystem-vr-component":  VitalRecords,
	"http://hl7.org/fhir/us/vr-common-library/CodeSystem/CodeSystem-vr-edit-flags": VitalRecords,
	"http://terminology.hl7.org/CodeSystem/v3-EducationLevel":                      Education,
}

// SystemOf returns the code system with the given URI. The URI's scheme, "www.", case and version
// don't matter. SystemOf returns Foreign for an unknown system.
func SystemOf(address string) System {
	if s, ok := usual[address]; ok {
		return s
	}
	name, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(address)), "|")
	for _, prefix := range [...]string{"https://", "http://", "www."} {
		name = strings.TrimPrefix(name, prefix)
	}
	name = strings.TrimSuffix(name, "/")
	if s, ok := systems[name]; ok {
		return s
	}
	switch {
	case strings.HasPrefix(name, "snomed.info/sct/"): // the URI of an edition
		return SNOMED
	case strings.Contains(name, "vr-common-library/"), strings.Contains(name, "/bfdr/"), strings.Contains(name, "/vrdr/"):
		return VitalRecords // several hosts and builds occur, and the URI may be that of a web page
	case strings.HasPrefix(name, "terminology.hl7.org/codesystem/"),
		strings.HasPrefix(name, "hl7.org/fhir/") && !strings.HasPrefix(name, "hl7.org/fhir/us/"): // the URI before R4
		return HL7
	}
	return Foreign
}

// Coding is a code in one code system.
type Coding struct {
	System System
	Code   string
}

// Is reports whether a coding in a document means the same as c. It does if the codes are equal and
// the document states c's system or no system.
func (c Coding) Is(system, code string) bool {
	return c.Code == code && (system == "" || SystemOf(system) == c.System)
}

func sct(code string) Coding         { return Coding{SNOMED, code} }
func flavor(code string) Coding      { return Coding{NullFlavor, code} }
func yesOrNo(code string) Coding     { return Coding{YesNo, code} }
func education(code string) Coding   { return Coding{Education, code} }
func sex(code string) Coding         { return Coding{Sex, code} }
func category(code string) Coding    { return Coding{Race, code} }
func payer(code string) Coding       { return Coding{Payer, code} }
func vitalRecord(code string) Coding { return Coding{VitalRecords, code} }

package mapping

import "strings"

// Code systems whose codes are read. A code is always compared together with its system: a local
// code that looks like a LOINC code isn't one.
const (
	LOINCURL  = "http://loinc.org"
	SNOMEDURL = "http://snomed.info/sct"
	ICD10URL  = "http://hl7.org/fhir/sid/icd-10-cm"
	SOPTURL   = "https://nahdo.org/sopt" // Source of Payment Typology, in which BFDR names payers
)

// oids maps the OIDs that older interfaces use for LOINC, SNOMED CT, ICD-10-CM and the Source of
// Payment Typology to the addresses of these systems.
var oids = map[string]string{
	"urn:oid:2.16.840.1.113883.6.1":     LOINCURL,
	"urn:oid:2.16.840.1.113883.6.96":    SNOMEDURL,
	"urn:oid:2.16.840.1.113883.6.90":    ICD10URL,
	"urn:oid:2.16.840.1.113883.3.221.5": SOPTURL,
}

// SystemOf returns the current address of a code system.
func SystemOf(system string) string {
	system = strings.TrimSuffix(system, "/")
	if known := oids[system]; known != "" {
		return known
	}
	return system
}

// LiveBirths is the LOINC code for the live births of one delivery. BFDR 2.0.0 also uses
// it for the plurality.
const LiveBirths = "73773-4"

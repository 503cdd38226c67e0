package mapping

import "strings"

// Code systems whose codes are read. A code is always compared together with its system, because a
// local code may look like a LOINC code.
const (
	LOINCURL  = "http://loinc.org"
	SNOMEDURL = "http://snomed.info/sct"
	ICD10URL  = "http://hl7.org/fhir/sid/icd-10-cm"
	SOPTURL   = "https://nahdo.org/sopt" // Source of Payment Typology, in which BFDR names payers
)

// oids maps OIDs of code systems to their current addresses. Older interfaces use these OIDs for
// LOINC, SNOMED CT, ICD-10-CM and the Source of Payment Typology.
var oids = map[string]string{
	"urn:oid:2.16.840.1.113883.6.1":     LOINCURL,
	"urn:oid:2.16.840.1.113883.6.96":    SNOMEDURL,
	"urn:oid:2.16.840.1.113883.6.90":    ICD10URL,
	"urn:oid:2.16.840.1.113883.3.221.5": SOPTURL,
}

// SystemOf returns the current address of a code system, without a slash at its end.
func SystemOf(system string) string {
	system = strings.TrimSuffix(system, "/")
	if known := oids[system]; known != "" {
		return known
	}
	return system
}

// LiveBirths is the LOINC code for the number of live births in one delivery. BFDR 2.0.0 also uses
// it for the plurality.
const LiveBirths = "73773-4"

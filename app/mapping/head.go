package mapping

import (
	"slices"
	"strings"
	"time"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
)

// stamps are the source system's last changes: meta.lastUpdated, else timestamp.
// What is neither a time nor a date is dropped.
func (c *course) stamps(head fhir.Head) (all []Stamp) {
	for _, s := range []Stamp{
		{head.Meta.LastUpdated, c.bundle + ".meta.lastUpdated"}, {head.Timestamp, c.bundle + ".timestamp"},
	} {
		if _, ok := birth.ParseStamp(s.Text, time.UTC); ok {
			all = append(all, s)
		}
	}
	return all
}

// igVersion is the version suffix of the first BFDR profile that carries one,
// of the Bundle, the Composition, the mother and the children (decisions 28).
// The profiles of US Core and of FHIR itself have versions of their own.
func (c *course) igVersion(head fhir.Head) string {
	profiles := slices.Clone(head.Meta.Profile)
	if c.composition != nil {
		profiles = append(profiles, c.composition.Meta.Profile...)
	}
	for _, p := range append(slices.Clone(c.mothers), c.children...) {
		profiles = append(profiles, p.Meta.Profile...)
	}
	for _, profile := range profiles {
		url, version, _ := strings.Cut(profile, "|")
		if version != "" && !strings.Contains(url, "us-core") && !strings.Contains(url, "hl7.org/fhir/StructureDefinition/") {
			return version
		}
	}
	return ""
}

// consentOf records the first Consent: granted only when it is active and
// denies nothing (spec, "Consent rules").
func consentOf(c *fhir.Consent) birth.Consent {
	if c == nil {
		return birth.Consent{}
	}
	at, _ := birth.ParseDateTime(c.DateTime)
	return birth.Consent{Granted: c.Status == "active" && !c.Provision.Denies(), DateTime: at}
}

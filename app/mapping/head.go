package mapping

import (
	"slices"
	"strings"
	"time"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
)

// stamps are the source system's last changes: meta.lastUpdated, else
// timestamp. A date alone is its beginning in UTC; a value that is neither is
// dropped. Which of them lies too far ahead is for a clock to say.
func (c *course) stamps(head fhir.Head) (all []Stamp) {
	for _, s := range []struct{ text, at string }{
		{head.Meta.LastUpdated, ".meta.lastUpdated"}, {head.Timestamp, ".timestamp"},
	} {
		t, ok := birth.Instant(s.text)
		if !ok {
			var err error
			t, err = time.Parse(time.DateOnly, s.text)
			ok = err == nil && t.Year() > 0
		}
		if ok {
			all = append(all, Stamp{t.UTC(), c.bundle + s.at})
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

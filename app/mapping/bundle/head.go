package bundle

import (
	"slices"
	"strings"
	"time"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

// stamps returns the times at which the source system last changed the record. meta.lastUpdated
// comes first, and timestamp second. Text that is neither a time nor a date is left out.
func (c *course) stamps(head fhir.Head) (all []mapping.Stamp) {
	for _, s := range []mapping.Stamp{
		{Text: head.Meta.LastUpdated, At: c.bundle + ".meta.lastUpdated"}, {Text: head.Timestamp, At: c.bundle + ".timestamp"},
	} {
		if _, ok := birth.ParseStamp(s.Text, time.UTC); ok {
			if len(all) == 0 {
				c.trace.KeepAt(mapping.SourceStamp, s.At)
			} else {
				c.trace.DropAt(s.At, mapping.Superseded)
			}
			all = append(all, s)
		}
	}
	return all
}

// igVersion returns the version of BFDR that the document uses (decision 28). It is the version
// suffix of the first BFDR profile that has one, on the Bundle, the Composition, the mother or a
// child. Profiles of other resources have their own versions.
func (c *course) igVersion(head fhir.Head) string {
	if version := declaredIn(head.Meta.Profile); version != "" {
		c.trace.KeepAt(mapping.IGVersion, c.bundle+mapping.ProfileMember)
		return version
	}
	if c.composition != nil {
		if version := declaredIn(c.composition.Meta.Profile); version != "" {
			c.trace.Keep(mapping.IGVersion, -1, c.compositionAt, "")
			return version
		}
	}
	for _, providers := range [...][]*patientEntry{c.mothers, c.children} {
		for _, p := range providers {
			if version := declaredIn(p.Meta.Profile); version != "" {
				c.trace.Keep(mapping.IGVersion, -1, p.at, mapping.ProfileMember)
				return version
			}
		}
	}
	return ""
}

// declaredIn returns the version suffix of the first BFDR profile that has one, or "" if there is
// none.
func declaredIn(profiles []string) string {
	for _, profile := range profiles {
		url, version, _ := strings.Cut(profile, "|")
		if version != "" && isVitalRecords(url) {
			return version
		}
	}
	return ""
}

// isVitalRecords reports whether a profile belongs to BFDR, to IHE's equivalent of BFDR, or to the
// Vital Records library. It knows the names that builds of these guides have used since 2020.
func isVitalRecords(url string) bool {
	url = strings.ToLower(url)
	return strings.HasSuffix(fhir.LastSegment(url), "-vr") ||
		slices.ContainsFunc([]string{"bfdr", "vr-common", "vrsandbox"}, func(name string) bool { return strings.Contains(url, name) })
}

// consentOf returns the decision in the document's first Consent. The decision counts as granted
// only under these conditions: The Consent is active, denies nothing, and is no opt-out
// (v3-ActCode). It is about nobody except the mother or a child of the document. It was read
// completely (spec, "Consent rules"; decision 49).
func (c *course) consentOf(consent *fhir.Consent) birth.Consent {
	if consent == nil {
		return birth.Consent{}
	}
	at, _ := birth.ParseDateTime(consent.DateTime)
	whom, _ := c.subjects.whom(consent.Patient)
	doubtful := bool(consent.Decision) || c.consentMarked || consent.Lost.Any("status", "provision", "patient", "policyRule") || !consent.Provision.Permits() ||
		consent.PolicyRule.HasCode("OPTOUT", "OPTOUTE") || whom == stranger || whom == twoPersons
	return birth.Consent{Recorded: true, Granted: consent.Status == "active" && !doubtful, DateTime: at}
}

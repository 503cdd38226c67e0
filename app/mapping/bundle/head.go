package bundle

import (
	"slices"
	"strings"
	"time"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

// stamps are the source system's last changes: meta.lastUpdated, else timestamp.
// What is neither a time nor a date is dropped.
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

// igVersion is the version suffix of the first BFDR profile that carries one,
// of the Bundle, the Composition, the mother and the children (decisions 28).
// The profiles of anybody else have versions of their own.
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

// declaredIn is the version suffix of the first profile of BFDR that carries one.
func declaredIn(profiles []string) string {
	for _, profile := range profiles {
		url, version, _ := strings.Cut(profile, "|")
		if version != "" && isVitalRecords(url) {
			return version
		}
	}
	return ""
}

// isVitalRecords reports whether a profile is one of BFDR, of IHE's twin of it or of
// the Vital Records library, by their names in every build since 2020.
func isVitalRecords(url string) bool {
	url = strings.ToLower(url)
	return strings.HasSuffix(fhir.LastSegment(url), "-vr") ||
		slices.ContainsFunc([]string{"bfdr", "vr-common", "vrsandbox"}, func(name string) bool { return strings.Contains(url, name) })
}

// consentOf records the first Consent: granted only when it says so without doubt,
// that is when it is active, denies nothing, and was read as a whole (spec, "Consent
// rules"; decisions 49). Anything else about it is not granted.
func consentOf(c *fhir.Consent) birth.Consent {
	if c == nil {
		return birth.Consent{}
	}
	at, _ := birth.ParseDateTime(c.DateTime)
	doubtful := bool(c.Decision) || bool(c.ModifierExtension) || c.Lost.Any("status", "provision") || !c.Provision.Permits()
	return birth.Consent{Recorded: true, Granted: c.Status == "active" && !doubtful, DateTime: at}
}

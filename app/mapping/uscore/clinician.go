package uscore

import (
	"slices"
	"strings"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
)

// OfferAttendant suggests the clinician who launched the registry from the EHR, with a hint for the
// name of the first provider. It doesn't fill in the name, because this clinician may be somebody
// who didn't attend the birth. It adds no hint if the clinician's name isn't clear, or if the chart
// has already filled in this clinician.
func (r Reading) OfferAttendant(names []fhir.HumanName) {
	name, credentials := clinicianName(names)
	if name == "" {
		return
	}
	at := birth.Of(birth.ProviderList, 0, "name")
	for role, filled := range r.As {
		known := slices.ContainsFunc(filled.Draft.Providers, func(p birth.Provider) bool {
			rest, ok := strings.CutPrefix(strings.ToLower(p.Name), strings.ToLower(name))
			return ok && (rest == "" || strings.ContainsAny(rest[:1], ", "))
		})
		if known {
			continue
		}
		text := short(strings.Join(append([]string{name}, credentials...), ", "), 80)
		filled.Hints = append(filled.Hints, Hint{
			At: at, Value: &birth.Value{Text: name},
			Text: text + ": launched the registry from the EHR, which does not show who attended the birth",
		})
		r.As[role] = filled
	}
}

// clinicianName returns a clinician's current name and the credentials after it. It returns "" if
// there is no current name, if there are several, or if the name is a placeholder.
func clinicianName(names []fhir.HumanName) (name string, credentials []string) {
	var current []fhir.HumanName
	for _, n := range names {
		if n.Period.End == "" && !slices.Contains([]string{"old", "maiden", "temp", "anonymous", "nickname"}, n.Use) {
			current = append(current, n)
		}
	}
	if len(current) == 0 {
		return "", nil
	}
	best := bestNames(current)
	if len(best) != 1 {
		return "", nil
	}
	name = birth.Tidy(strings.Join(append(slices.Clone(best[0].Given), best[0].Family), " "))
	if best[0].Family == "" {
		name = birth.Tidy(best[0].Text)
	}
	if placeholderProvider.MatchString(saying(name)) {
		return "", nil
	}
	for _, suffix := range best[0].Suffix {
		if suffix = birth.Tidy(suffix); suffix != "" {
			credentials = append(credentials, suffix)
		}
	}
	return name, credentials
}

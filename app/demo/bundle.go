package demo

import (
	"maps"
	"slices"
	"time"
)

// object is a JSON object.
type object = map[string]any

const (
	profiles = "http://hl7.org/fhir/us/vr-common-library/StructureDefinition/"
	spine    = "urn:birthregistry:spine"
)

// bundle returns the birth as a document Bundle. The Bundle's timestamp is 24 hours after the
// birth.
func (c course) bundle() object {
	resources := []object{
		{
			"resourceType": "Composition", "status": "final", "title": "Birth report",
			"type": object{"coding": []object{{"system": "http://loinc.org", "code": "68998-4"}}},
			"meta": object{"profile": []string{"http://hl7.org/fhir/us/bfdr/StructureDefinition/Composition-provider-live-birth-report|2.0.0"}},
		},
		c.motherPatient(), c.childPatient(),
	}
	resources = append(resources, observations("Patient/mother-1", c.mother)...)
	resources = append(resources, observations("Patient/child-1", c.child)...)
	resources = append(resources, c.midwife.practitioner(), c.assistant.practitioner(), c.encounter(), c.consented())
	if c.transfer != "" {
		resources = append(resources, c.transferEncounter())
	}
	entries := make([]object, len(resources))
	for i, r := range resources {
		entries[i] = object{"resource": r}
	}
	return object{
		"resourceType": "Bundle", "type": "document", "timestamp": c.born.Add(24 * time.Hour).Format(time.RFC3339),
		"meta":       object{"profile": []string{"http://hl7.org/fhir/us/bfdr/StructureDefinition/Bundle-document-birth-report|2.0.0"}},
		"identifier": object{"system": "urn:demo:charts", "value": c.chart}, "entry": entries,
	}
}

func (c course) motherPatient() object {
	return object{
		"resourceType": "Patient", "id": "mother-1", "meta": object{"profile": []string{profiles + "Patient-mother-vr"}},
		"name": []object{{"use": "official", "family": c.family, "given": []string{c.given}}}, "gender": "female",
		"birthDate": c.motherBorn.Format(time.DateOnly), "address": []object{{"use": "home", "postalCode": c.postalCode}},
	}
}

func (c course) childPatient() object {
	return object{
		"resourceType": "Patient", "id": "child-1", "meta": object{"profile": []string{profiles + "Patient-child-vr"}},
		"name":      []object{{"use": "official", "family": c.family, "given": []string{c.first}}},
		"extension": []object{{"url": "http://hl7.org/fhir/us/core/StructureDefinition/us-core-birthsex", "valueCode": map[string]string{"female": "F", "male": "M"}[c.sex]}},
		"birthDate": c.born.Format(time.DateOnly), "multipleBirthBoolean": false,
		"_birthDate": object{"extension": []object{{
			"url": "http://hl7.org/fhir/StructureDefinition/patient-birthTime", "valueDateTime": c.born.Format(time.RFC3339),
		}}},
	}
}

// observations returns an Observation for each fact. subject is the reference to the person whom
// the facts are about. The keys of facts are names of fields in the spine.
func observations(subject string, facts map[string]any) (all []object) {
	for _, name := range sorted(facts) {
		o := object{
			"resourceType": "Observation", "status": "final", "subject": object{"reference": subject},
			"code": object{"coding": []object{{"system": spine, "code": name}}},
		}
		switch fact := facts[name].(type) {
		case bool:
			o["valueBoolean"] = fact
		case int:
			o["valueInteger"] = fact
		case float64:
			o["valueQuantity"] = object{"value": fact}
		case time.Time:
			o["valueDateTime"] = fact.Format(time.RFC3339)
		default:
			o["valueCodeableConcept"] = object{"coding": []object{{"system": spine, "code": fact}}}
		}
		all = append(all, o)
	}
	return all
}

func (m midwife) practitioner() object {
	return object{
		"resourceType": "Practitioner", "id": m.id, "identifier": []object{{"system": "urn:demo:staff", "value": m.id}},
		"name":          []object{{"family": m.family, "given": []string{m.given}}},
		"qualification": []object{{"code": object{"text": m.credentials}}},
	}
}

// encounter returns the Encounter for the birth, with the attendant and the assistant.
func (c course) encounter() object {
	participant := func(code string, m midwife) object {
		return object{
			"type":       []object{{"coding": []object{{"system": "http://terminology.hl7.org/CodeSystem/v3-ParticipationType", "code": code}}}},
			"individual": object{"reference": "Practitioner/" + m.id},
		}
	}
	return object{
		"resourceType": "Encounter", "id": "birth", "status": "finished", "subject": object{"reference": "Patient/mother-1"},
		"participant": []object{participant("ATND", c.midwife), participant("PART", c.assistant)},
	}
}

func (c course) transferEncounter() object {
	return object{
		"resourceType": "Encounter", "id": "transfer", "status": "finished", "subject": object{"reference": "Patient/mother-1"},
		"type": []object{{"text": c.transfer + " to hospital"}}, "period": object{"start": c.born.Add(-3 * time.Hour).Format(time.RFC3339)},
	}
}

func (c course) consented() object {
	return object{
		"resourceType": "Consent", "status": "active", "dateTime": c.born.Format(time.DateOnly),
		"provision": object{"type": map[bool]string{true: "permit", false: "deny"}[c.consent]},
	}
}

func sorted(facts map[string]any) []string { return slices.Sorted(maps.Keys(facts)) }

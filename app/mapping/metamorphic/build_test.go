package metamorphic

import "encoding/json"

// The code systems of the documents.
const (
	loinc  = "http://loinc.org"
	snomed = "http://snomed.info/sct"
	ucum   = "http://unitsofmeasure.org"
	own    = "urn:birthregistry:spine"
	omb    = "urn:oid:2.16.840.1.113883.6.238"
	v20136 = "http://terminology.hl7.org/CodeSystem/v2-0136"
	nulls  = "http://terminology.hl7.org/CodeSystem/v3-NullFlavor"
	parts  = "http://terminology.hl7.org/CodeSystem/v3-ParticipationType"

	vrcl = "http://hl7.org/fhir/us/vr-common-library/StructureDefinition/"
	bfdr = "http://hl7.org/fhir/us/bfdr/StructureDefinition/"
	core = "http://hl7.org/fhir/us/core/StructureDefinition/"
	base = "http://hl7.org/fhir/StructureDefinition/"
)

// n returns a number with the digits as written.
func n(digits string) json.Number { return json.Number(digits) }

func ref(to string) object { return object{"reference": to} }

func coding(system, code string) object { return object{"system": system, "code": code} }

func concept(codings ...object) object {
	all := list{}
	for _, c := range codings {
		all = append(all, c)
	}
	return object{"coding": all}
}

// patient returns a Patient with a profile; "" means none.
func patient(id, profile string, more ...object) object {
	p := object{"resourceType": "Patient", "id": id}
	if profile != "" {
		p["meta"] = object{"profile": list{profile}}
	}
	return with(p, more...)
}

// mother and child return the two Patients of the smallest course; child n of several is named
// "child-n".
func mother(more ...object) object {
	return patient("mother", vrcl+"Patient-mother-vr", append([]object{{
		"name": list{object{"use": "official", "family": "Okonkwo", "given": list{"Amara"}}}, "birthDate": "1994-05-17",
	}}, more...)...)
}

func child(more ...object) object {
	return patient("child", vrcl+"Patient-child-vr", append([]object{{"birthDate": "2026-03-02"}}, more...)...)
}

func twin(id string, order int, more ...object) object {
	return child(append([]object{{"id": id, "multipleBirthInteger": order}}, more...)...)
}

// observation returns a final Observation with a LOINC code.
func observation(code string, more ...object) object {
	return with(object{"resourceType": "Observation", "status": "final", "code": concept(coding(loinc, code))}, more...)
}

// ownObservation states a field of the spine by its name.
func ownObservation(field string, more ...object) object {
	return observation("", append([]object{{"code": concept(coding(own, field))}}, more...)...)
}

func about(reference string) object { return object{"subject": ref(reference)} }

func focused(reference string) object { return object{"focus": list{ref(reference)}} }

func effective(at string) object { return object{"effectiveDateTime": at} }

func status(code string) object { return object{"status": code} }

// amount returns a Quantity in UCUM, as most systems write it.
func amount(digits, unit string) object {
	return object{"valueQuantity": object{"value": n(digits), "unit": unit, "system": ucum, "code": unit}}
}

func integer(i int) object { return object{"valueInteger": i} }

func sct(code string) object { return object{"valueCodeableConcept": concept(coding(snomed, code))} }

func extension(url string, more object) object { return with(object{"url": url}, more) }

func extended(all ...object) object {
	extensions := list{}
	for _, e := range all {
		extensions = append(extensions, e)
	}
	return object{"extension": extensions}
}

// birthTime returns a date of birth with the time of day.
func birthTime(date, at string) object {
	return object{"birthDate": date, "_birthDate": extended(extension(base+"patient-birthTime", object{"valueDateTime": at}))}
}

func encounter(more ...object) object {
	return with(object{"resourceType": "Encounter", "status": "finished", "subject": ref("Patient/mother")}, more...)
}

// birthEncounter returns the child's Encounter as BFDR defines it.
func birthEncounter(more ...object) object {
	return encounter(append([]object{{"meta": object{"profile": list{bfdr + "Encounter-birth"}}, "subject": ref("Patient/child")}}, more...)...)
}

func participant(system, code, individual string) object {
	return object{"type": list{concept(coding(system, code))}, "individual": ref(individual)}
}

func participants(all ...object) object {
	providers := list{}
	for _, p := range all {
		providers = append(providers, p)
	}
	return object{"participant": providers}
}

func practitioner(id, key, family, qualification string) object {
	return object{
		"resourceType": "Practitioner", "id": id,
		"identifier":    list{object{"system": "urn:site:staff", "value": key}},
		"name":          list{object{"family": family}},
		"qualification": list{object{"code": object{"text": qualification}}},
	}
}

// bundleOf returns a document with one entry per resource.
func bundleOf(resources ...object) object {
	entries := list{}
	for _, r := range resources {
		entries = append(entries, object{"resource": r})
	}
	return object{"resourceType": "Bundle", "type": "document", "identifier": object{"value": "C-1"}, "entry": entries}
}

// course returns a document with a mother, a child and these resources.
func course(resources ...object) object {
	return bundleOf(append([]object{mother(), child()}, resources...)...)
}

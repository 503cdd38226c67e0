package metamorphic

// The code systems of a chart, in addition to those of a Bundle.
const (
	icd10    = "http://hl7.org/fhir/sid/icd-10-cm"
	verified = "http://terminology.hl7.org/CodeSystem/condition-ver-status"
	clinical = "http://terminology.hl7.org/CodeSystem/condition-clinical"
)

// chart returns an EHR's answer about the patient "p" at a launch.
func chart(at string, resources ...object) object {
	all := list{}
	for _, r := range resources {
		all = append(all, r)
	}
	return object{"at": at, "resources": all}
}

func woman(more ...object) object {
	return with(object{
		"resourceType": "Patient", "id": "p", "birthDate": "1994-05-17", "gender": "female",
		"name": list{object{"use": "official", "family": "Okonkwo", "given": list{"Amara"}}},
	}, more...)
}

func newborn(more ...object) object {
	return with(object{"resourceType": "Patient", "id": "p", "gender": "female"}, append([]object{birthTime("2026-05-01", "2026-05-01T04:18:00-04:00")}, more...)...)
}

// noted returns an Observation about the patient, recorded on a day.
func noted(code, on string, more ...object) object {
	return observation(code, append([]object{about("Patient/p"), effective(on)}, more...)...)
}

func dateOf(at string) object { return object{"valueDateTime": at} }

// dueInMay is the due date of these charts' pregnancy, whose last menstrual period was on
// 2025-07-28, and bornInMay is its birth.
var (
	dueInMay  = noted("11778-8", "2025-10-01", dateOf("2026-05-04"))
	bornInMay = noted("93857-1", "2026-05-01T05:00:00-04:00", dateOf("2026-05-01T04:18:00-04:00"))
)

// expecting returns the chart of a woman two weeks before her due date; delivered, that of one
// two days after the birth.
func expecting(more ...object) object {
	return chart("2026-04-20T12:00:00Z", append([]object{woman(), dueInMay}, more...)...)
}

func delivered(more ...object) object {
	return chart("2026-05-03T12:00:00Z", append([]object{woman(), dueInMay, bornInMay}, more...)...)
}

// condition returns a confirmed, active diagnosis.
func condition(code object, more ...object) object {
	return with(object{
		"resourceType": "Condition", "subject": ref("Patient/p"), "code": code,
		"verificationStatus": concept(coding(verified, "confirmed")), "clinicalStatus": concept(coding(clinical, "active")),
	}, more...)
}

func onset(at string) object { return object{"onsetDateTime": at} }

func recorded(on string) object { return object{"recordedDate": on} }

func resolved(code string) object { return object{"clinicalStatus": concept(coding(clinical, code))} }

// worded returns a concept with a text of its own.
func worded(c object, text string) object { return with(c, object{"text": text}) }

// visit returns an Encounter of the patient.
func visit(class, kind, start, end string, more ...object) object {
	return with(object{
		"resourceType": "Encounter", "status": "finished", "class": object{"code": class}, "subject": ref("Patient/p"),
		"type": list{concept(coding(snomed, kind))},
	}, append([]object{period(start, end)}, more...)...)
}

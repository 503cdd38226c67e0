package metamorphic

// Births with the people present, the place, and transfers of care.
var honestPlaces = []honest{
	{
		says: "a prenatal visit with the obstetrician, the birth with the midwife, a visit after it with the nurse",
		doc: course(
			practitioner("ob", "S-1", "Adler", "Obstetrician"), practitioner("mw", "S-2", "Reyes", "Midwife"), practitioner("rn", "S-3", "Stone", "Nurse"),
			encounter(visitType("Prenatal visit"), period("2025-10-01", "2025-10-01"), participants(participant(parts, "ATND", "Practitioner/ob")), physical("67190003")),
			birthEncounter(period("2026-03-01", "2026-03-03"), participants(participant(parts, "ATND", "Practitioner/mw")), physical("91154008")),
			encounter(visitType("Postpartum visit"), period("2026-03-10", "2026-03-10"), participants(participant(parts, "ATND", "Practitioner/rn")), physical("264362003")),
		),
		want: `birth_setting "birth_center"
			attendant_name "Reyes"
			attendant_credentials "Midwife"
			attendant_type "midwife"
			provider[0] S-2 |  | Reyes | Midwife | midwife | attending
			provider[1] S-1 |  | Adler | Obstetrician | other
			provider[2] S-3 |  | Stone | Nurse | nurse`,
	},
	{
		says: "a prenatal visit is all that is sent: who attended it did not attend the birth",
		doc: course(practitioner("ob", "S-1", "Adler", "Obstetrician"),
			encounter(visitType("Prenatal visit"), period("2025-10-01", "2025-10-01"), participants(participant(parts, "ATND", "Practitioner/ob")), physical("67190003"))),
		want: "provider[0] S-1 |  | Adler | Obstetrician | other",
	},
	{
		says: "a visit weeks before the birth, which does not say what it was for",
		doc: course(practitioner("ob", "S-1", "Adler", "Obstetrician"),
			encounter(period("2025-10-01", "2025-10-01"), participants(participant(parts, "ATND", "Practitioner/ob")), physical("67190003"))),
		want: "provider[0] S-1 |  | Adler | Obstetrician | other",
	},
	{
		says: "a stay that was planned and one that was cancelled did not happen",
		doc: course(practitioner("ob", "S-1", "Adler", "Obstetrician"),
			birthEncounter(status("planned"), participants(participant(parts, "ATND", "Practitioner/ob")), physical("22232009")),
			birthEncounter(status("cancelled"), participants(participant(parts, "ATND", "Practitioner/ob")), physical("22232009"))),
		want: "provider[0] S-1 |  | Adler | Obstetrician | other",
	},
	{
		says: "two attendants: the first attends, the second was present",
		doc: course(practitioner("b", "S-2", "Stone", "Nurse"), practitioner("a", "S-1", "Reyes", "CNM"),
			birthEncounter(participants(participant(parts, "ATND", "Practitioner/a"), participant(parts, "ATND", "Practitioner/b")))),
		want: `attendant_name "Reyes"
			attendant_credentials "CNM"
			attendant_type "midwife"
			provider[0] S-1 |  | Reyes | CNM | midwife | attending
			provider[1] S-2 |  | Stone | Nurse | nurse`,
	},
	{
		says: "a doula takes part and nobody attends",
		doc:  course(practitioner("d", "S-1", "Moon", "Doula"), birthEncounter(participants(participant(parts, "PPRF", "Practitioner/d")))),
		want: `doula_present true
			provider[0] S-1 |  | Moon | Doula | doula`,
	},
	{
		says: "the birth attendant of BFDR proper is present, unless the operator says otherwise",
		doc:  course(practitioner("a", "S-1", "Reyes", "CNM"), birthEncounter(participants(participant(loinc, "87286-1", "Practitioner/a")))),
		want: "provider[0] S-1 |  | Reyes | CNM | midwife",
	},
	{
		says: "the attendant is contained in the stay, or is named by a role, or in words alone",
		doc: course(birthEncounter(object{"contained": list{with(practitioner("in", "S-9", "Within", "CNM"))}}, participants(
			participant(parts, "ATND", "#in"), participant(parts, "ATND", "PractitionerRole/7"),
			object{"type": list{concept(coding(parts, "ATND"))}, "individual": object{"display": "Olive Reyes, CNM"}},
		))),
	},
	{
		says: "a practitioner with nothing but an NPI, and one twice under one number",
		doc: course(
			with(practitioner("", "", "Adler", "MD"), object{"identifier": list{object{"system": "http://hl7.org/fhir/sid/us-npi", "value": "1234567893"}}}),
			practitioner("a", "S-1", "Reyes", "CNM"), practitioner("a2", "S-1", "Reyes", "CNM"),
		),
		want: "provider[0] S-1 |  | Reyes | CNM | midwife",
	},
	{
		says: "what a reference to a place calls itself is not the facility's name",
		doc: course(birthEncounter(object{"location": list{object{
			"location": object{"reference": "Location/1", "display": "Room 4, Labor ward"}, "physicalType": concept(coding(snomed, "22232009")),
		}}})),
		want: `birth_setting "hospital"`,
	},
	{
		says: "the kind of place coded in the hospital's own system",
		doc:  course(birthEncounter(object{"location": list{object{"physicalType": concept(coding("urn:hospital:wards", "22232009"))}}})),
	},
	{
		says: "a home birth that was planned",
		doc:  course(birthEncounter(physical("408839006"))),
		want: "birth_setting \"home_planned\"\nplanned_birth_setting \"home\"",
	},
	{
		says: "no home birth was intended, which does not say what was",
		doc:  course(observation("73765-0", about("Patient/mother"), focused("Patient/child"), object{"valueBoolean": false})),
	},
	{
		says: "no transfer, in words",
		doc:  course(encounter(visitType("No transfer of care")), encounter(visitType("Embryo transfer")), encounter(visitType("Transfer of records"))),
	},
	{
		says: "a transfer in labor to the hospital, an emergency",
		doc:  course(encounter(visitType("Intrapartum transfer to hospital"), period("2026-03-02T01:00:00-05:00", ""), object{"priority": concept(coding("http://terminology.hl7.org/CodeSystem/v3-ActPriority", "EM"))})),
		want: "transfer[0] intrapartum | out | urgent | mother | 2026-03-02T01:00:00-05:00 |",
	},
}

func visitType(text string) object { return object{"type": list{object{"text": text}}} }

func period(start, end string) object {
	p := object{"start": start}
	if end != "" {
		p["end"] = end
	}
	return object{"period": p}
}

// physical returns the kind of place of an Encounter (SNOMED CT).
func physical(code string) object {
	return object{"location": list{object{"location": ref("Location/1"), "physicalType": concept(coding(snomed, code))}}}
}

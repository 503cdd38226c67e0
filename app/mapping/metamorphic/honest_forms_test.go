package metamorphic

// The forms of a Bundle, of its references and of a Consent.
var honestForms = []honest{
	{
		says: "a transaction with urn:uuid references",
		doc: transaction(
			[]string{"m", "c", "w", "p", "e"},
			mother(object{"id": nil}), child(object{"id": nil}), observation("8339-4", about("urn:uuid:c"), amount("3420", "g")),
			with(practitioner("", "S-1", "Reyes", "CNM"), object{"id": nil}), birthEncounter(about("urn:uuid:c"), participants(participant(parts, "ATND", "urn:uuid:p"))),
		),
		want: `child[0].birth_weight_g 3420
			attendant_name "Reyes"
			attendant_credentials "CNM"
			attendant_type "midwife"
			provider[0] S-1 |  | Reyes | CNM | midwife | attending`,
	},
	{
		says: "twins of two servers with the same id, told apart by their addresses",
		doc: served([]string{"http://a.example/Patient/9", "http://a.example/Patient/1", "http://b.example/Patient/1", "http://b.example/Observation/1"},
			mother(object{"id": "9"}), twin("1", 1), twin("1", 2), observation("8339-4", about("http://b.example/Patient/1"), amount("2500", "g"))),
		want: secondChild + `plurality 2
			child[0].birth_order 1
			child[1].birth_order 2
			child[1].birth_weight_g 2500`,
	},
	{
		says: "every resource has the id 1 of its type",
		doc:  bundleOf(mother(object{"id": "2"}), child(object{"id": "1"}), observation("9274-2", object{"id": "1"}, about("Patient/1"), integer(9)), practitioner("1", "S-1", "Reyes", "CNM")),
		want: `child[0].apgar_five_minute 9
			provider[0] S-1 |  | Reyes | CNM | midwife`,
	},
	{
		says: "the profiles of the international fork, of a web page, and with a version",
		doc: bundleOf(
			mother(object{"meta": object{"profile": list{"https://profiles.ihe.net/QRPH/bfdr/StructureDefinition/Patient-mother-vr|1.0.0", core + "us-core-patient"}, "tag": list{coding("urn:x", "child")}}}),
			child(object{"meta": object{"profile": list{"http://build.fhir.org/ig/HL7/vr-common-library/StructureDefinition-Patient-child-vr.html"}}}),
		),
		want:   "ig_version 1.0.0",
		either: "ig_version",
	},
	{
		says: "a patient summary with our profiles added to its Patients",
		doc: bundleOf(
			object{"resourceType": "Composition", "status": "final", "type": concept(coding(loinc, "60591-5")), "subject": ref("Patient/mother")},
			mother(object{"meta": object{"profile": list{"http://hl7.org/fhir/uv/ips/StructureDefinition/Patient-uv-ips", vrcl + "Patient-mother-vr"}}}), child(),
			object{"resourceType": "AllergyIntolerance", "patient": ref("Patient/mother"), "code": concept(coding(snomed, "11687002"))},
			object{"resourceType": "Condition", "subject": ref("Patient/mother"), "code": concept(coding(snomed, "11687002"))},
			object{"resourceType": "MedicationStatement", "status": "completed", "subject": ref("Patient/mother"), "medicationCodeableConcept": concept(coding("http://www.nlm.nih.gov/research/umls/rxnorm", "7824"))},
			observation("82810-3", about("Patient/mother"), sct("77386006")),
			observation("72166-2", about("Patient/mother"), sct("266919005")),
		),
	},
	{
		says: "the route, the payer and the infections of BFDR proper, which the default does not read",
		doc: course(
			object{"resourceType": "Procedure", "status": "completed", "subject": ref("Patient/mother"), "category": concept(coding(loinc, "73762-7")), "code": concept(coding(snomed, "11466000"))},
			object{"resourceType": "Condition", "subject": ref("Patient/mother"), "category": list{concept(coding(loinc, "72519-2"))}, "code": concept(coding(snomed, "15628003"))},
			object{"resourceType": "Coverage", "status": "active", "beneficiary": ref("Patient/mother"), "type": concept(coding("https://nahdo.org/sopt", "2"))},
			object{"resourceType": "Location", "id": "1", "name": "South Hospital"}, birthEncounter(physical("22232009")),
		),
		want: `birth_setting "hospital"`,
	},
	{
		says: "a mother contained in an Observation is not another mother",
		doc:  course(observation("9274-2", about("Patient/child"), integer(9), object{"contained": list{mother(object{"id": "other"})}})),
		want: "child[0].apgar_five_minute 9",
	},
	{
		says: "a message with the document inside",
		doc: object{"resourceType": "Bundle", "type": "message", "entry": list{
			object{"resource": object{"resourceType": "MessageHeader", "eventUri": "http://nchs.cdc.gov/bfdr_submission"}},
			object{"resource": object{"resourceType": "Parameters", "parameter": list{object{"name": "cert_no", "valueUnsignedInt": 9}}}},
			object{"resource": course()},
		}},
	},
	{
		says: "an addendum next to the report",
		doc: course(
			object{"resourceType": "Composition", "status": "final", "type": concept(coding(loinc, "68998-4")), "subject": ref("Patient/child")},
			object{"resourceType": "Composition", "status": "amended", "type": concept(coding(loinc, "86805-9")), "subject": ref("Patient/child")},
		),
	},
	{
		says: "a fetal death: by the profile, with no time and no name",
		doc:  bundleOf(mother(), patient("f", bfdr+"Patient-decedent-fetus", object{"birthDate": "2026-03-02", "deceasedBoolean": true})),
		want: "child[0].live_birth false",
	},
	{
		says: "a fetal death: by the flag on the child",
		doc: bundleOf(mother(), child(object{"deceasedBoolean": true, "_deceasedBoolean": extended(
			extension(vrcl+"Extension-patient-fetal-death-vr", object{"valueBoolean": true}),
		)})),
		want: "child[0].live_birth false",
	},
	{
		says: "a consent that is active and permits, with the time",
		doc:  course(object{"resourceType": "Consent", "status": "active", "dateTime": "2026-03-01T10:00:00-05:00", "provision": object{"type": "permit"}}),
		want: "consent_granted true\nconsent_datetime 2026-03-01T10:00:00-05:00",
	},
	{
		says: "a consent in capitals is not read without doubt",
		doc:  course(object{"resourceType": "Consent", "status": "Active"}),
	},
	{
		says: "a denial in capitals, and one within a permission",
		doc:  course(object{"resourceType": "Consent", "status": "active", "provision": object{"type": "permit", "provision": list{object{"type": "DENY"}}}}),
	},
	{
		says: "a consent as R5 has it: the decision next to the provisions",
		doc:  course(object{"resourceType": "Consent", "status": "active", "decision": "deny", "date": "2026-03-01", "provision": list{object{"purpose": list{coding("urn:x", "HMARKT")}}}}),
	},
	{
		says: "a second consent takes nothing back and gives nothing",
		doc:  course(object{"resourceType": "Consent", "status": "rejected"}, object{"resourceType": "Consent", "status": "active"}),
	},
	{
		says: "wrong types in what nobody reads",
		doc: course(
			observation("2339-0", object{"subject": "Patient/mother", "valueDateTime": 5, "valueQuantity": "x", "component": object{}, "status": 7, "focus": true}),
			object{"resourceType": "Procedure", "code": 5}, object{"resourceType": "Medication", "id": list{}},
		),
	},
	{
		says: "wrong types in values cost those values",
		doc: bundleOf(mother(object{"birthDate": 19940517}), child(object{"gender": 5, "multipleBirthInteger": true}),
			observation("8339-4", about("Patient/child"), object{"valueQuantity": "3420 g"}), observation("8665-2", about("Patient/mother"), object{"valueDateTime": 20250601}),
			observation("9274-2", about("Patient/child"), object{"valueInteger": object{}}),
			object{"resourceType": "Consent", "status": list{"active"}}),
		want: "- mother_birth_date\n- mother_age_years", either: "plurality",
	},
	{
		says: "a chart number with a control character inside",
		doc:  with(course(), object{"identifier": object{"value": "C-\u00011"}}),
		want: "outcome rejected: value" + nothingElse,
	},
	{
		says: "a chart number with blanks around it",
		doc:  with(course(), object{"identifier": object{"value": "  C-1 "}}),
	},
}

// nothingElse removes every line of the smallest course.
const nothingElse = `
	- chart
	- children
	- consent_granted
	- mother_family_name
	- mother_given_names
	- mother_birth_date
	- mother_age_years
	- child[0].birth_date
	- child[0].birth_month
	- child[0].live_birth
	- plurality`

// transaction returns a Bundle whose entries each have a urn:uuid as fullUrl and a request.
func transaction(ids []string, resources ...object) object {
	for i := range ids {
		ids[i] = "urn:uuid:" + ids[i]
	}
	doc := served(ids, resources...)
	doc["type"] = "transaction"
	for i, e := range objectsAt(doc, "entry") {
		e["request"] = object{"method": "POST", "url": textAt(e, "resource", "resourceType")}
		e["search"] = object{"mode": "match", "score": i}
	}
	return doc
}

// served returns a Bundle whose entries have these fullUrls.
func served(urls []string, resources ...object) object {
	doc := bundleOf(resources...)
	for i, e := range objectsAt(doc, "entry") {
		e["fullUrl"] = urls[i]
	}
	return doc
}

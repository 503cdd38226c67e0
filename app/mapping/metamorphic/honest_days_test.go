package metamorphic

// Days, time zones and periods; practitioners and their numbers; the parts of a document
// around them.
var honestDays = []honest{
	{
		says: "twins born on either side of midnight, in two months",
		doc:  bundleOf(mother(), twin("a", 1, birthTime("2026-02-28", "2026-02-28T23:55:00-05:00")), twin("b", 2, birthTime("2026-03-01", "2026-03-01T00:04:00-05:00"))),
		want: twins + `child[0].birth_date "2026-02-28"
			child[0].birth_month "2026-02"
			child[0].birth_datetime "2026-02-28T23:55:00-05:00"
			child[1].birth_date "2026-03-01"
			child[1].birth_datetime "2026-03-01T00:04:00-05:00"`,
	},
	{
		says: "twins of whom one is dated by the year alone",
		doc:  bundleOf(mother(), twin("a", 1), twin("b", 2, object{"birthDate": "2026"})),
		want: twins + "child[1].birth_date \"2026\"\n- child[1].birth_month",
	},
	{
		says: "a time of birth in UTC, which is of the day before where the child was born",
		doc:  bundleOf(mother(), child(birthTime("2026-03-02", "2026-03-03T03:30:00Z"))),
		want: `child[0].birth_datetime "2026-03-03T03:30:00Z"`,
	},
	{
		says: "a time of birth with a day that does not exist, and one with the hour 24",
		doc:  bundleOf(mother(), child(birthTime("2026-03-02", "2026-03-02T24:00:00-05:00"))),
	},
	{
		says: "measures in a period, at an instant, and in a timing",
		doc: course(observation("11884-4", about("Patient/child"), object{"effectivePeriod": object{"start": "2025-08-01", "end": "2025-08-01"}}, amount("12", "wk")),
			observation("69461-2", about("Patient/mother"), object{"effectiveInstant": "2025-08-01T10:00:00Z"}, amount("65", "kg")),
			observation("9274-2", about("Patient/child"), object{"effectiveTiming": object{"event": list{"2026-03-02"}}}, integer(9))),
		want: "child[0].apgar_five_minute 9",
	},
	{
		says: "a corrected weight of an earlier day, and the first one of a later one",
		doc: course(observation("8339-4", about("Patient/child"), effective("2026-03-02T05:00:00-05:00"), amount("3240", "g")),
			observation("8339-4", about("Patient/child"), status("corrected"), effective("2026-03-02"), amount("3420", "g"))),
		want: "child[0].birth_weight_g 3420",
	},
	{
		says: "a weight told anew under its own address",
		doc: served([]string{"", "", "http://a.example/Observation/w", "http://a.example/Observation/w"}, mother(), child(),
			observation("8339-4", about("Patient/child"), object{"meta": object{"lastUpdated": "2026-03-05T10:00:00Z"}}, amount("3420", "g")),
			observation("8339-4", about("Patient/child"), object{"meta": object{"lastUpdated": "2026-03-03T10:00:00Z"}}, amount("2420", "g"))),
		want: "child[0].birth_weight_g 3420",
	},
	{
		says: "a mother who is reported as 33 by her birth date and as 41 by the clerk",
		doc: bundleOf(mother(object{"birthDate": "1992-06-01"}), child(object{"extension": list{extension(vrcl+"Extension-reported-parent-age-at-delivery-vr", extended(
			extension("reportedAge", object{"valueQuantity": object{"value": 41, "code": "a"}}),
			extension("motherOrFather", object{"valueCodeableConcept": concept(coding("http://terminology.hl7.org/CodeSystem/v3-RoleCode", "MTH"))}),
		))}})),
		want: "mother_birth_date \"1992-06-01\"\nmother_age_years 33",
	},
	{
		says: "the father's age as reported, and hers in months",
		doc: bundleOf(mother(object{"birthDate": nil}), child(object{"extension": list{
			extension(vrcl+"Extension-reported-parent-age-at-delivery-vr", extended(
				extension("reportedAge", object{"valueQuantity": object{"value": 41, "code": "a"}}),
				extension("motherOrFather", object{"valueCodeableConcept": concept(coding("http://terminology.hl7.org/CodeSystem/v3-RoleCode", "FTH"))}),
			)),
			extension(vrcl+"Extension-reported-parent-age-at-delivery-vr", extended(
				extension("reportedAge", object{"valueQuantity": object{"value": 396, "code": "mo"}}),
				extension("motherOrFather", object{"valueCodeableConcept": concept(coding("http://terminology.hl7.org/CodeSystem/v3-RoleCode", "MTH"))}),
			)),
		}})),
		want: "- mother_birth_date\n- mother_age_years",
	},
	{
		says: "a practitioner with a medical record number, a license and an NPI, in this order",
		doc: course(object{
			"resourceType": "Practitioner", "id": "p", "name": list{object{"text": "Dr. O. Reyes"}},
			"identifier": list{
				object{"system": "http://hl7.org/fhir/sid/us-npi", "value": "1234567893"},
				object{"type": concept(coding("http://terminology.hl7.org/CodeSystem/v2-0203", "MD")), "value": "LIC-7"},
				object{"system": "urn:site:staff", "value": "S-1"},
			},
		}),
		want: "provider[0] LIC-7 | 1234567893 | Dr. O. Reyes |  | other",
	},
	{
		says: "an attendant who takes part for another day, and one for the birth",
		doc: course(practitioner("a", "S-1", "Adler", "MD"), practitioner("b", "S-2", "Reyes", "CNM"), birthEncounter(period("2026-03-01", "2026-03-03"), participants(
			with(participant(parts, "ATND", "Practitioner/a"), period("2025-11-01", "2025-11-02")), participant(parts, "ATND", "Practitioner/b"),
		))),
		want: `attendant_name "Reyes"
			attendant_credentials "CNM"
			attendant_type "midwife"
			provider[0] S-2 |  | Reyes | CNM | midwife | attending
			provider[1] S-1 |  | Adler | MD | other`,
	},
	{
		says: "a practitioner who is called a doula and is trained as a nurse-midwife, and a Midwifery assistant",
		doc:  course(practitioner("a", "S-1", "Moon", "Midwifery assistant")),
		want: "provider[0] S-1 |  | Moon | Midwifery assistant | midwife", either: "provider[0]",
	},
	{
		says: "an attendant with a hospital's own code ATND-2, and one with attender as a word",
		doc: course(practitioner("a", "S-1", "Adler", "MD"), birthEncounter(participants(participant("urn:x", "ATND-2", "Practitioner/a"),
			object{"type": list{object{"text": "attender"}}, "individual": ref("Practitioner/a")}))),
		want: "provider[0] S-1 |  | Adler | MD | other",
	},
	{
		says: "a stay with a history: at home, then in the hospital, each with its time",
		doc: course(birthEncounter(object{"location": list{
			object{"physicalType": concept(coding(snomed, "408839006")), "period": object{"start": "2026-03-01T01:00:00-05:00", "end": "2026-03-01T20:00:00-05:00"}},
			object{"physicalType": concept(coding(snomed, "22232009")), "period": object{"start": "2026-03-01T21:00:00-05:00", "end": "2026-03-04T09:00:00-05:00"}},
		}})),
		want: "birth_setting \"hospital\"\nplanned_birth_setting \"home\"", either: "birth_setting planned_birth_setting",
	},
	{
		says: "two Compositions, the second entered in error",
		doc: bundleOf(object{"resourceType": "Composition", "status": "final", "type": concept(coding(loinc, "68998-4"))},
			object{"resourceType": "Composition", "status": "entered-in-error", "type": concept(coding(loinc, "11488-4"))}, mother(), child()),
	},
	{
		says: "the Composition of a fetal death whose subject is the mother",
		doc:  bundleOf(object{"resourceType": "Composition", "status": "final", "type": concept(coding(loinc, "69045-3")), "subject": ref("Patient/mother")}, mother(), child()),
		want: "child[0].live_birth false",
	},
	{
		says: "two names of hers of one use in force at once",
		doc:  bundleOf(mother(object{"name": list{object{"use": "official", "family": "Eze", "given": list{"Amara"}}, object{"use": "official", "family": "Okonkwo", "given": list{"Amara"}}}}), child()),
		want: "mother_family_name \"Eze\"", either: "mother_family_name mother_given_names",
	},
	{
		says: "her name with blanks, and the name of a newborn who has none yet",
		doc:  bundleOf(mother(object{"name": list{object{"use": "official", "family": " Okonkwo  ", "given": list{" Amara "}}}}), child(object{"name": list{object{"use": "temp", "family": "Okonkwo", "given": list{"Babyboy"}}}})),
	},
	{
		says: "a gender and a sex at birth that differ",
		doc:  bundleOf(mother(), child(object{"gender": "male", "extension": list{extension(core+"us-core-birthsex", object{"valueCode": "F"})}})),
		want: `child[0].child_sex "female"`,
	},
	{
		says: "a sex at birth that was asked but not known, next to a gender",
		doc:  bundleOf(mother(), child(object{"gender": "male", "extension": list{extension(core+"us-core-birthsex", object{"valueCode": "ASKU"})}})),
		want: `child[0].child_sex "male"`,
	},
	{
		says: "a home address in another country, with its own kind of code",
		doc:  bundleOf(mother(object{"address": list{object{"use": "home", "postalCode": "SW1A 1AA", "country": "GB"}}}), child()),
		want: `mother_postal_code "SW1A 1AA"`,
	},
	{
		says: "an address of use billing and one of use home",
		doc:  bundleOf(mother(object{"address": list{object{"use": "billing", "postalCode": "10001"}, object{"use": "home", "type": "both", "postalCode": "05401"}}}), child()),
		want: `mother_postal_code "05401"`,
	},
	{
		says: "a last live birth after this one, and the date of this birth as that of the last",
		doc:  course(observation("68499-3", about("Patient/mother"), object{"valueDateTime": "2026-03-02"}), observation("11638-4", about("Patient/mother"), integer(1))),
		want: "last_live_birth_date \"2026-03-02\"\nprevious_live_births_living 1", either: "last_live_birth_date",
	},
	{
		says: "counts that contradict each other are each told as they are",
		doc:  course(observation("11996-6", about("Patient/mother"), integer(1)), observation("11977-6", about("Patient/mother"), integer(3))),
		want: "gravida 1\nparity 3",
	},
	{
		says: "no previous cesarean by the count, one by the finding of another Observation",
		doc:  course(observation("68497-7", about("Patient/mother"), integer(0)), observation("73775-9", about("Patient/mother"), sct("200144004"))),
		want: "previous_cesareans 1", either: "previous_cesareans",
	},
	{
		says: "a race in somebody's words, and one of a more detailed kind",
		doc:  bundleOf(mother(extended(extension(core+"us-core-race", extended(extension("detailed", object{"valueCoding": coding(omb, "2039-6")}), extension("text", object{"valueString": "Japanese"}))))), child()),
	},
}

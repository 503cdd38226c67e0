package metamorphic

// Codes, of our systems and of others.
var honestCodes = []honest{
	{
		says: "a hospital's own code that looks like a LOINC code",
		doc: course(
			observation("", about("Patient/child"), object{"code": concept(coding("urn:hospital:flowsheet", "8339-4"))}, amount("3420", "g")),
			observation("", about("Patient/mother"), object{"code": concept(coding(snomed, "11996-6"))}, integer(3)),
		),
	},
	{
		says: "the hospital's code first, LOINC second",
		doc:  course(observation("", about("Patient/child"), object{"code": concept(coding("urn:hospital:flowsheet", "9271-8"), coding(loinc, "9274-2"))}, integer(9))),
		want: "child[0].apgar_five_minute 9",
	},
	{
		says: "a code without its system",
		doc:  course(observation("", about("Patient/child"), object{"code": concept(object{"code": "9274-2"})}, integer(9))),
		want: "child[0].apgar_five_minute 9",
	},
	{
		says: "the name of one of our fields in somebody else's system",
		doc:  course(observation("", about("Patient/mother"), object{"code": concept(coding("urn:hospital:flowsheet", "blood_loss_ml"))}, integer(300))),
	},
	{
		says: "values coded in somebody else's system",
		doc: course(
			observation("73761-9", about("Patient/child"), object{"valueCodeableConcept": concept(coding("urn:hospital:list", "6096002"))}),
			observation("73762-7", about("Patient/mother"), object{"valueCodeableConcept": concept(coding("urn:hospital:list", "11466000"))}),
			observation("73775-9", about("Patient/mother"), object{"valueCodeableConcept": concept(coding("urn:hospital:list", "11687002"))}),
		),
	},
	{
		says: "values coded twice, in the hospital's system and in SNOMED CT",
		doc: course(
			observation("73761-9", about("Patient/child"), object{"valueCodeableConcept": concept(coding("urn:hospital:list", "70028003"), coding(snomed, "6096002"))}),
		),
		want: `child[0].fetal_presentation "breech"`,
	},
	{
		says: "two answers that contradict each other in one value",
		doc:  course(observation("73761-9", about("Patient/child"), object{"valueCodeableConcept": concept(coding(snomed, "70028003"), coding(snomed, "6096002"))})),
	},
	{
		says: "null flavors say nothing, other says other",
		doc: course(
			observation("73761-9", about("Patient/child"), object{"valueCodeableConcept": concept(coding(nulls, "UNK"))}),
			observation("87301-8", about("Patient/mother"), object{"valueCodeableConcept": concept(coding(nulls, "ASKU"))}),
			observation("57712-2", about("Patient/mother"), object{"valueCodeableConcept": concept(coding(nulls, "NA"))}),
			observation("73762-7", about("Patient/mother"), object{"valueCodeableConcept": concept(coding(nulls, "OTH"))}),
		),
		want: `child[0].delivery_method "other"`,
	},
	{
		says: "none of the risk factors, and one of them",
		doc:  course(observation("73775-9", about("Patient/mother"), sct("260413007")), observation("73775-9", about("Patient/mother"), sct("11687002"))),
		want: `risk_factors ["diabetes_gestational"]
			previous_cesareans 0
			previous_preterm_birth false`,
		either: "previous_cesareans previous_preterm_birth",
	},
	{
		says: "a risk factor that was withdrawn",
		doc:  course(observation("73775-9", about("Patient/mother"), sct("11687002"), status("entered-in-error")), observation("73775-9", about("Patient/mother"), sct("15938005"), status("cancelled"))),
	},
	{
		says: "a reason why there is no value, next to a value",
		doc: course(observation("8339-4", about("Patient/child"), amount("3420", "g"), object{
			"dataAbsentReason": concept(coding("http://terminology.hl7.org/CodeSystem/data-absent-reason", "error")),
		})),
	},
	{
		says: "a modifier that the registry does not know may deny what it stands with",
		doc: course(observation("8339-4", about("Patient/child"), amount("3420", "g"), object{
			"modifierExtension": list{extension("http://hospital.example/not-this-patient", object{"valueBoolean": true})},
		})),
	},
	{
		says: "another weight than the one at birth, by its code",
		doc:  course(observation("29463-7", about("Patient/child"), amount("3500", "g")), observation("3141-9", about("Patient/mother"), amount("80", "kg"))),
	},
}

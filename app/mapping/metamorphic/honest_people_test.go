package metamorphic

// Who the mother is: her names, her address, and her answers.
var honestProviders = []honest{
	{
		says: "a name that ended with a marriage comes first; the present one counts",
		doc: bundleOf(mother(object{"name": list{
			object{"use": "official", "family": "Eze", "given": list{"Amara"}, "period": object{"end": "2015-06-01"}},
			object{"use": "official", "family": "Okonkwo", "given": list{"Amara"}, "period": object{"start": "2015-06-01"}},
		}}), child()),
	},
	{
		says: "maiden, old and nickname stand before the official name",
		doc: bundleOf(mother(object{"name": list{
			object{"use": "maiden", "family": "Eze"},
			object{"use": "old", "family": "Obi", "given": list{"A."}},
			object{"use": "nickname", "given": list{"Mara"}},
			object{"use": "official", "family": "Okonkwo", "given": list{"Amara"}},
		}}), child()),
	},
	{
		says: "an anonymous name and a temporary one are no name of hers",
		doc: bundleOf(mother(object{"name": list{
			object{"use": "anonymous", "family": "Confidential"}, object{"use": "temp", "family": "Trauma", "given": list{"Alpha"}},
		}}), child()),
		want: "- mother_family_name\n- mother_given_names",
	},
	{
		says: "a name in one piece does not tell which part is the family name",
		doc:  bundleOf(mother(object{"name": list{object{"use": "official", "text": "Amara Okonkwo"}}}), child()),
		want: "- mother_family_name\n- mother_given_names",
	},
	{
		says: "the old home stands before the present one, both of use home",
		doc: bundleOf(mother(object{"address": list{
			object{"use": "home", "postalCode": "10001", "period": object{"end": "2020-05-01"}},
			object{"use": "home", "postalCode": "05401", "period": object{"start": "2020-05-01"}},
		}}), child()),
		want: `mother_postal_code "05401"`,
	},
	{
		says: "the home address has no postal code and the mailing address has one",
		doc: bundleOf(mother(object{"address": list{
			object{"use": "billing", "postalCode": "10001"}, object{"use": "home", "city": "Nowhere"},
		}}), child()),
	},
	{
		says: "a post box, a place of work and a stay with friends are not the residence",
		doc: bundleOf(mother(object{"address": list{
			object{"use": "home", "type": "postal", "postalCode": "10001"},
			object{"use": "work", "postalCode": "10002"},
			object{"use": "temp", "postalCode": "10003"},
			object{"use": "old", "postalCode": "10004"},
		}}), child()),
	},
	{
		says: "two homes in force at once do not say which is the residence",
		doc: bundleOf(mother(object{"address": list{
			object{"use": "home", "postalCode": "10001"}, object{"use": "home", "postalCode": "05401"},
		}}), child()),
	},
	{
		says: "99999 is the registries' word for a postal code that is not known",
		doc:  bundleOf(mother(object{"address": list{object{"use": "home", "postalCode": "99999"}}}), child()),
	},
	{
		says: "what she answered beats what the desk registered, for race and for ethnicity",
		doc: bundleOf(mother(race("2106-3"), object{"extension": list{raceExtension("2106-3"), ethnicityExtension("2135-2")}}), child(), raceAnswers(
			answered("White", false), answered("BlackOrAfricanAmerican", true), answered("HispanicMexican", false),
			answered("HispanicPuertoRican", false), answered("HispanicCuban", false), answered("HispanicOther", false),
		)),
		want: `mother_race ["black"]
			mother_ethnicity "not_hispanic"`,
	},
	{
		says: "answers that were entered in error leave what the desk registered",
		doc:  bundleOf(mother(race("2106-3")), child(), with(raceAnswers(answered("BlackOrAfricanAmerican", true)), status("entered-in-error"))),
		want: `mother_race ["white"]`,
	},
	{
		says: "the father's answers are not hers",
		doc: bundleOf(mother(race("2106-3")), child(), father, with(raceAnswers(answered("Chinese", true), answered("HispanicCuban", true)), object{
			"code": concept(coding(localCodes, "inputraceandethnicityFather")), "subject": ref("RelatedPerson/father"),
		})),
		want: `mother_race ["white"]`,
	},
	{
		says: "race unknown and asked but not answered are silence",
		doc: bundleOf(mother(object{"extension": list{
			extension(core+"us-core-race", extended(extension("ombCategory", object{"valueCoding": coding(nulls, "UNK")}))),
			extension(core+"us-core-ethnicity", extended(extension("ombCategory", object{"valueCoding": coding(nulls, "ASKU")}))),
		}}), child()),
	},
	{
		says: "the father's height, weight and education are not the mother's",
		doc: course(father,
			observation("8302-2", about("RelatedPerson/father"), amount("183", "cm")),
			observation("87300-0", about("RelatedPerson/father"), object{"valueCodeableConcept": concept(coding("http://terminology.hl7.org/CodeSystem/v3-EducationLevel", "HS"))}),
		),
	},
	{
		says: "a height of the mother whose focus is the father is not hers",
		doc:  course(father, observation("8302-2", about("Patient/mother"), focused("RelatedPerson/father"), amount("183", "cm"))),
	},
	{
		says: "the height of a sister in the same household is not the mother's",
		doc:  course(patient("sister", core+"us-core-patient"), observation("8302-2", about("Patient/sister"), amount("160", "cm"))),
	},
	{
		says: "facts of the mother hang on the child, as the first BFDR had it, with the mother as their focus",
		doc: course(
			observation("57712-2", about("Patient/child"), focused("Patient/mother"), object{"valueCodeableConcept": concept(coding("http://terminology.hl7.org/CodeSystem/v3-EducationLevel", "POSTG"))}),
			observation("87301-8", about("Patient/child"), object{"valueCodeableConcept": concept(coding(v20136, "N"))}),
			observation("64794-1", about("Patient/child"), focused("Patient/mother"), integer(3)),
		),
		want: `mother_education "doctoral"
			mother_married false
			cigarettes_per_day_pre 3`,
	},
	{
		says: "the mother's age as reported stands where her date of birth is not known",
		doc: bundleOf(mother(object{"birthDate": nil}), child(object{"extension": list{extension(vrcl+"Extension-reported-parent-age-at-delivery-vr", extended(
			extension("reportedAge", object{"valueQuantity": object{"value": 33, "code": "a"}}),
			extension("motherOrFather", object{"valueCodeableConcept": concept(coding("http://terminology.hl7.org/CodeSystem/v3-RoleCode", "MTH"))}),
		))}})),
		want: "- mother_birth_date\nmother_age_years 33",
	},
}

const localCodes = "http://hl7.org/fhir/us/vr-common-library/CodeSystem/CodeSystem-local-observation-codes-vr"

var father = object{
	"resourceType": "RelatedPerson", "id": "father", "patient": ref("Patient/child"), "birthDate": "1990-01-01",
	"meta": object{"profile": list{vrcl + "RelatedPerson-father-natural-vr"}},
	"name": list{object{"use": "official", "family": "Brandt", "given": list{"Otto"}}},
}

func raceExtension(code string) object {
	return extension(core+"us-core-race", extended(extension("ombCategory", object{"valueCoding": coding(omb, code)})))
}

func ethnicityExtension(code string) object {
	return extension(core+"us-core-ethnicity", extended(extension("ombCategory", object{"valueCoding": coding(omb, code)})))
}

func race(code string) object { return extended(raceExtension(code)) }

func answered(category string, yes bool) object {
	return object{"code": concept(coding(localCodes, category)), "valueBoolean": yes}
}

// raceAnswers returns the Observation that holds the mother's answers.
func raceAnswers(components ...object) object {
	all := list{}
	for _, c := range components {
		all = append(all, c)
	}
	return observation("", about("Patient/mother"), object{"code": concept(coding(localCodes, "inputraceandethnicityMother")), "component": all})
}

package metamorphic

import (
	"slices"
	"strings"
)

// chartDiagnosisMutations change the Conditions of a chart.
var chartDiagnosisMutations = []mutation{
	withhold("diagnoses are provisional", "Condition", whatever, func(c object) { c["verificationStatus"] = concept(coding(verified, "provisional")) }),
	withhold("diagnoses are differential", "Condition", whatever, func(c object) { c["verificationStatus"] = concept(coding(verified, "differential")) }),
	withhold("diagnoses are unconfirmed", "Condition", whatever, func(c object) { c["verificationStatus"] = concept(coding(verified, "unconfirmed")) }),
	withhold("diagnoses are refuted", "Condition", whatever, func(c object) { c["verificationStatus"] = concept(coding(verified, "refuted")) }),
	withhold("diagnoses were entered in error", "Condition", whatever, func(c object) { c["verificationStatus"] = concept(coding(verified, "entered-in-error")) }),
	withhold("diagnoses are about somebody else", "Condition", whatever, func(c object) { c["subject"] = ref("Patient/somebody-else") }),
	withhold("diagnoses have a modifier that nobody knows", "Condition", whatever, func(c object) { overlay(c, unknownModifier) }),
	withhold("diagnoses are of another code system", "Condition", whatever, func(c object) { systems(c["code"], "urn:hospital:problems") }),
	withhold("diagnoses began at an age", "Condition", whatever, began(object{"onsetAge": object{"value": 12, "code": "a", "system": ucum}})),
	withhold("diagnoses began in words", "Condition", whatever, began(object{"onsetString": "in her last pregnancy"})),
	withhold("diagnoses began within a range of ages", "Condition", whatever, began(object{"onsetRange": object{"low": object{"value": 24}}})),
	withhold("of the onset the end alone is known", "Condition", whatever, began(object{"onsetPeriod": object{"end": "2026-01-15"}})),
	withhold("diagnoses ended in words", "Condition", whatever, func(c object) {
		delete(c, "abatementDateTime")
		c["abatementString"] = "after the birth before"
	}),
	withhold("diagnoses ended at an age", "Condition", whatever, func(c object) {
		delete(c, "abatementDateTime")
		c["abatementAge"] = object{"value": 20, "code": "a"}
	}),
	withhold("diagnoses ended within a range of ages", "Condition", whatever, func(c object) {
		delete(c, "abatementDateTime")
		c["abatementRange"] = object{"low": object{"value": 18}, "high": object{"value": 20}}
	}),
	withhold("diagnoses are resolved, and dated by nothing but the day of the record", "Condition", whatever, onlyRecorded("resolved")),
	withhold("diagnoses are inactive, and dated by nothing but the day of the record", "Condition", whatever, onlyRecorded("inactive")),
	withhold("diagnoses are undated", "Condition", whatever, func(c object) {
		undate(c)
		delete(c, "recordedDate")
	}),
	wording("Family history of diabetes"), wording("FH: hypertension"), wording("Rule out preeclampsia"), wording("R/O preeclampsia"),
	wording("Screening for infection"), wording("Negative for chlamydia"), wording("No evidence of eclampsia"), wording("Suspected preeclampsia"), wording("Mother has diabetes"),
	withhold("the words of the codes say family history", "Condition", whatever, func(c object) {
		for _, coding := range objectsAt(c, "code", "coding") {
			coding["display"] = "Family history of this"
		}
	}),
	stay("diagnoses have words that say the same", "Condition", func(c object) {
		words := map[string]string{
			"11687002": "Gestational diabetes mellitus, diet controlled", "I10": "Essential (primary) hypertension", "A56.02": "Chlamydial vulvovaginitis",
			"O70.1": "Second degree perineal laceration during delivery", "O15.1": "Eclampsia complicating labor", "80281008": "Cleft lip", "91175000": "Seizure",
		}[textAt(c, "code", "coding", 0, "code")]
		if code, ok := c["code"].(object); ok && code["text"] == nil && words != "" {
			code["text"] = words
		}
	}),
	stay("a code of another system stands behind ours, on diagnoses", "Condition", func(c object) {
		if codings, ok := at(c, "code", "coding").(list); ok {
			c["code"].(object)["coding"] = append(codings, coding("urn:hospital:problems", "4711"))
		}
	}),
	same("diagnoses that were over before are added", func(chart object) {
		for _, code := range []string{"11687002", "48194001", "15938005", "76272004"} {
			addTo(chart, condition(concept(coding(snomed, code)), object{"id": "over-" + code}, onset("2011-01-01"), resolved("resolved"), object{"abatementDateTime": "2011-06-01"}))
		}
	}),
	withhold("visits have a modifier that nobody knows", "Encounter", whatever, func(e object) { overlay(e, unknownModifier) }),
	withhold("visits were cancelled", "Encounter", whatever, func(e object) { e["status"] = "cancelled" }),
	withhold("visits were planned", "Encounter", whatever, func(e object) { e["status"] = "planned" }),
	withhold("visits are of somebody else", "Encounter", whatever, func(e object) { e["subject"] = ref("Patient/somebody-else") }),
}

// undate removes the dates on which a diagnosis began and ended.
func undate(c object) {
	for name := range c {
		if strings.HasPrefix(name, "onset") || strings.HasPrefix(name, "abatement") {
			delete(c, name)
		}
	}
}

// began states when a diagnosis began, in addition to the day on which it was recorded.
func began(how object) func(object) {
	return func(c object) {
		on := textAt(c, "onsetDateTime")
		undate(c)
		if on != "" && c["recordedDate"] == nil {
			c["recordedDate"] = on
		}
		overlay(c, how)
	}
}

func onlyRecorded(state string) func(object) {
	return func(c object) {
		began(nil)(c)
		c["clinicalStatus"] = concept(coding(clinical, state))
	}
}

func wording(text string) mutation {
	return withhold("the words of diagnoses say: "+text, "Condition", whatever, func(c object) {
		code, _ := c["code"].(object)
		c["code"] = with(code, object{"text": text})
	})
}

// chartPersonMutations change the Patient of a chart.
var chartPersonMutations = []mutation{
	person("the patient has died", func(p object) *mutant {
		p["deceasedDateTime"] = "2026-05-02"
		return &mutant{now: nil, gone: personal}
	}),
	person("the mother is a man", func(p object) *mutant {
		p["gender"] = "male"
		delete(p, "extension")
		return &mutant{gone: personal}
	}).in("mother"),
	person("the name is a placeholder: Baby Girl", placeholder("Baby Girl")).in("newborn"),
	person("the name is a placeholder: BabyBoy A", placeholder("BabyBoy A")).in("newborn"),
	person("the name is a placeholder: Girl Maria", placeholder("Girl Maria")).in("newborn"),
	person("the name is a placeholder: Newborn", placeholder("Newborn")).in("newborn"),
	person("the name is a placeholder: Male", placeholder("Male")).in("newborn"),
	person("the name is a placeholder: Infant Twin B", placeholder("Infant Twin B")).in("newborn"),
	person("the name is over", func(p object) *mutant {
		for _, name := range objectsAt(p, "name") {
			name["period"] = object{"end": "2011-01-01"}
		}
		return &mutant{gone: []string{"mother_family_name", "mother_given_names", "child_family_name", "child_given_names"}}
	}),
	person("the names are not those that the patient goes by", func(p object) *mutant {
		for _, name := range objectsAt(p, "name") {
			name["use"] = "old"
		}
		return &mutant{gone: []string{"mother_family_name", "mother_given_names", "child_family_name", "child_given_names"}}
	}),
	person("there is another home", func(p object) *mutant {
		addresses, _ := p["address"].(list)
		p["address"] = append(slices.Clone(addresses), object{"use": "home", "postalCode": "99501"}, object{"use": "home", "postalCode": "10001"})
		return &mutant{gone: []string{"mother_postal_code"}}
	}),
	person("the home is a mailing address", func(p object) *mutant {
		for _, a := range objectsAt(p, "address") {
			a["type"] = "postal"
		}
		return &mutant{gone: []string{"mother_postal_code"}}
	}),
	person("race and ethnicity are null flavors", func(p object) *mutant {
		p["extension"] = list{extension(core+"us-core-race", extended(extension("ombCategory", object{"valueCoding": coding(nulls, "UNK")}))), extension(core+"us-core-ethnicity", extended(extension("ombCategory", object{"valueCoding": coding(nulls, "ASKU")})))}
		return &mutant{gone: []string{"mother_race", "mother_ethnicity"}, free: []string{"child_sex"}}
	}),
	person("the sex is contradicted", func(p object) *mutant {
		p["gender"] = "female"
		p["extension"] = list{extension(core+"us-core-birthsex", object{"valueCode": "M"})}
		return &mutant{gone: []string{"child_sex"}}
	}).in("newborn"),
}

// personal are the fields of the Patient that a chart fills in.
var personal = []string{
	"mother_family_name", "mother_given_names", "mother_birth_date", "mother_postal_code", "mother_race", "mother_ethnicity",
	"child_family_name", "child_given_names", "child_sex",
}

func placeholder(given string) func(p object) *mutant {
	return func(p object) *mutant {
		p["name"] = list{object{"use": "official", "family": "Okonkwo", "given": list{given}}}
		return &mutant{gone: []string{"child_given_names"}, free: []string{"child_family_name"}}
	}
}

// person returns a mutation of the Patient: fields are no longer filled in, and any other may
// be left out.
func person(says string, edit func(p object) *mutant) mutation {
	return one(says+": not filled in", func(chart object) *mutant {
		m := edit(ofChart(chart, "Patient")[0])
		m.less = true
		return m
	})
}

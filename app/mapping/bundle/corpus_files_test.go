package bundle

import (
	"maps"
	"slices"
	"strings"

	"birthregistry/app/fhir"
)

const (
	avery = "practitioner-vital-records-avery-jones | Avery Jones | D.O., Osteopath (occupation) | other"
	janet = "practitioner-vital-records-janet-seito | Janet Seito | D.O., Osteopath (occupation) | other"
	seito = "practitioner-vital-records-janet-seito | Seito Janet | D.O., Osteopath (occupation) | other"
	leung = "practitioner-vital-records-jessica-leung | Leung Jessica | Birth Clerk | other"
	went  = "neonatal | out | child | 2019-02-15T10:00:00-07:00"
	came  = " | in | mother | 2019-02-11T10:00:00-07:00"
)

// jada is the mother of Baby G Quinn, in every file that has both.
var jada = spots{
	"mother_family_name": `"Quinn"`, "mother_given_names": `"Jada Ann"`, "mother_birth_date": `"1985-01-15"`,
	"mother_age_years": "34", "mother_postal_code": `"84116"`, "mother_race": `["american_indian_alaska_native"]`,
	"mother_ethnicity": `"not_hispanic"`, "child_family_name": `"Quinn"`, "child_given_names": `"Baby G"`,
	"child_sex": `"female"`, "live_birth": "true", "birth_order": "1",
}

// If the mother was asked, her answer counts, be it about her race alone or about race and
// ethnicity. The builds of 2023 have only the extensions of her Patient.
var (
	raced    = spots{"mother_race": `["american_indian_alaska_native","asian","white"]`}
	answered = spots{"mother_race": `["american_indian_alaska_native","black","white"]`, "mother_ethnicity": `"hispanic"`}
)

var messaged = jada.But(answered).But(spots{
	"birth_date": `"2019-02-25"`, "birth_datetime": `"2019-02-25T13:00:00-07:00"`, "birth_month": `"2019-02"`,
})

var quinn = jada.But(spots{
	"birth_date": `"2019-02-12"`, "birth_datetime": `"2019-02-12T13:00:00-07:00"`, "birth_month": `"2019-02"`,
	"birth_weight_g": "2500", "gestational_age_weeks": "36", "fetal_presentation": `"breech"`, "birth_setting": `"hospital"`,
	"mother_education": `"doctoral"`, "mother_married": "true", "previous_cesareans": "1",
	"previous_live_births_living": "1", "mother_height_in": "67", "prepregnancy_weight_lb": "145", "delivery_weight_lb": "175",
	"prenatal_visit_count": "8", "prenatal_first_visit_date": `"2018-07-20"`, "last_menstrual_period": `"2018-06-05"`,
	"wic_received": "true", "cigarettes_per_day_pre": "20", "trial_of_labor": "true", "infant_living": "true",
	"breastfed_at_discharge": "true", "last_other_outcome_date": `"2015-05"`, "live_births_this_delivery": "2",
})

// Builds of 2023 ask whether a home birth was intended; later ones state antibiotics.
var (
	quinn2023 = quinn.But(spots{"apgar_one_minute": "5", "apgar_five_minute": "7", "planned_birth_setting": `"home"`})
	quinn2024 = quinn.But(raced).But(spots{"apgar_five_minute": "5", "apgar_ten_minute": "7", "antibiotics_in_labor": "true"})
	quinnNET  = quinn.But(raced).But(spots{"apgar_one_minute": "5", "apgar_five_minute": "7", "antibiotics_in_labor": "true"})
)

var lee = spots{
	"mother_family_name": `"Lee"`, "mother_given_names": `"Carmen Teresa"`, "mother_birth_date": `"1986-02-15"`,
	"mother_age_years": "32", "mother_postal_code": `"48103"`, "mother_race": `["black"]`, "mother_ethnicity": `"hispanic"`,
	"child_sex": `"female"`, "birth_date": `"2019-01-09"`, "birth_datetime": `"2019-01-09T18:23:00-07:00"`,
	"birth_month": `"2019-01"`, "birth_weight_g": "1530", "gestational_age_weeks": "20", "fetal_presentation": `"breech"`,
	"birth_setting": `"hospital"`, "live_birth": "false", "birth_order": "3",
	"mother_education": `"some_secondary"`, "previous_cesareans": "1", "previous_live_births_living": "1",
	"mother_height_in": "56", "prepregnancy_weight_lb": "180", "prenatal_first_visit_date": `"2018-05-18"`,
	"last_menstrual_period": `"2018-04-18"`, "wic_received": "false", "cigarettes_per_day_pre": "0",
	"fetal_deaths_this_delivery": "1", "fetal_death_time_point": `"in_labor_after_assessment"`, "autopsy": `"performed"`,
	"placental_histology": `"performed"`, "autopsy_histology_used": "true",
}

// checked are the fields that are compared in every file.
var checked = slices.Sorted(maps.Keys(quinn2023.But(quinn2024).But(lee).But(spots{
	"obstetric_procedures": "", "facility_name": "", "plurality": "",
	"congenital_anomalies": "", "newborn_conditions": "", "infections": "", "risk_factors": "", "delivery_method": "",
	"attendant_type": "", "doula_present": "", "vbac": "", "gestational_age_days": "", "labor_onset_type": "",
})))

// otherMessage returns a message that is not about a birth: an acknowledgment, a status, a
// void, an error, or a report that lost its document.
func otherMessage(reference string) expected {
	return expected{rejected: fhir.NoBirthInMessage, reference: reference}
}

// noBirth returns a file with coded content that has no mother.
func noBirth(reference string) expected {
	return expected{rejected: fhir.NoMother, reference: reference}
}

func quinnFile(chart string, fields spots, providers ...string) expected {
	return expected{
		reference: "Patient/patient-mother-jada-ann-quinn", chart: chart, fields: fields, providers: providers,
		transfers: []string{went, came}, attendant: `"Avery Jones"`,
	}
}

func leeFile(chart string, fields spots, attendant string, providers ...string) expected {
	return expected{
		reference: "Patient/patient-mother-carmen-teresa-lee", chart: chart, fields: fields, providers: providers, attendant: attendant,
	}
}

var corpusFiles = map[string]expected{
	"hl7/2023-11-15.Bundle-bundle-coded-race-and-ethnicity-baby-g-quinn.json":  noBirth("Bundle"),
	"hl7/2024-07-30.Bundle-bundle-coded-industry-occupation-baby-g-quinn.json": noBirth("Bundle"),
	"messaging-ig/Bundle-BirthReportMessage-Example1.json":                     otherMessage("Bundle.entry[2]"),
	"messaging-ig/Bundle-BirthReportUpdateMessage-Example1.json":               otherMessage("Bundle.entry[2]"),
	"messaging-ig/Bundle-DummyBundle.json":                                     noBirth("Bundle"),
	"messaging-ig/Bundle-FetalDeathReportMessage-Example1.json":                otherMessage("Bundle.entry[2]"),
	"messaging-ig/Bundle-FetalDeathReportUpdateMessage-Example1.json":          otherMessage("Bundle.entry[2]"),
	"messaging-ig/Bundle-StatusMessage-Example1.json":                          otherMessage("Bundle"),
	"vital-records-dotnet/BirthRecordErrorMessage.json":                        otherMessage("Bundle"),
	"vital-records-dotnet/BirthRecordSubmissionMessageNoBundle.json":           otherMessage("Bundle"),
	"vital-records-dotnet/BirthRecordVoidMessage.json":                         otherMessage("Bundle"),
	"vital-records-dotnet/FetalDeathCodedRaceAndEthnicity.json":                noBirth("Bundle"),
	"vital-records-dotnet/RaceEthnicityCaseRecord.json":                        noBirth("Bundle"),

	"vital-records-dotnet/BirthRecordSubmissionMessage.json": {reference: "Bundle.entry[2]", chart: "2019UT48858", fields: messaged},
	"vital-records-dotnet/HeadlessMessage.json":              {reference: "Bundle.entry[1]", chart: "2019UT48858", fields: messaged},
	"vital-records-dotnet/InvalidMessage.json":               {reference: "Bundle.entry[2]", chart: "2019UT48858", fields: messaged},

	"hl7/2023-11-15.Bundle-bundle-jurisdiction-live-birth-babyg-quinn.json": quinnFile(
		"urn:uuid:101bec42-b799-4f3d-9188-b9cb376cc094", quinn2023, avery,
	),
	"hl7/2023-11-15.Bundle-bundle-provider-live-birth-babyg-quinn.json": quinnFile(
		"urn:uuid:18825bb1-1acb-48c4-9b45-baa612640ba5", quinn2023, avery,
	),
	"hl7/2024-07-30.Bundle-bundle-jurisdiction-live-birth-babyg-quinn.json": quinnFile("2019NJ15075", quinn2024, avery, janet),
	"hl7/2024-07-30.Bundle-bundle-provider-live-birth-babyg-quinn.json":     quinnFile("2019NJ15075", quinn2024, avery, janet),
	"vital-records-dotnet/BasicBirthRecord.json":                            quinnFile("2019NJ15075", quinnNET.But(answered).But(spots{"plurality": "1", "last_other_outcome_date": `"2015-05-10"`}), avery, janet),
	"vital-records-dotnet/BirthRecordBabyGQuinn.json": quinnFile(
		"2019NJ15075", quinnNET, strings.ReplaceAll(avery, " (occupation)", ""), strings.ReplaceAll(janet, " (occupation)", ""),
	),

	"hl7/2023-11-15.Bundle-bundle-jurisdiction-fetal-death-not-named.json": leeFile(
		"urn:uuid:9eeb1854-dee1-470a-9534-5cb25e18a323", lee, `"Seito Janet"`, seito,
	),
	"hl7/2023-11-15.Bundle-bundle-provider-fetal-death-not-named.json": leeFile(
		"urn:uuid:93bdc9cf-0d97-4b6f-9f11-876d8ea115eb", lee.But(spots{"mother_height_in": "65"}), `"Seito Janet"`, leung, seito,
	),
	"hl7/2024-07-30.Bundle-bundle-jurisdiction-fetal-death-not-named.json": leeFile("2019NJ009876", lee.But(answered), `"Janet Seito"`, janet),
	"hl7/2024-07-30.Bundle-bundle-provider-fetal-death-not-named.json": leeFile(
		"2019NJ009876", lee.But(answered).But(spots{"mother_height_in": "65"}), `"Janet Seito"`, janet, leung,
	),
	"vital-records-dotnet/FetalDeathReport.json": leeFile(
		"2019NJ009876", lee.But(answered).But(spots{"mother_birth_date": `"1990-03-11"`, "mother_age_years": "28", "plurality": "4"}),
		`"Janet Seito"`, janet,
	),
	"vital-records-dotnet/BasicFetalDeathRecord.json": {
		reference: "Patient/18ef120e-0b0b-49d5-85f7-acb8f3a583b7", chart: "2020NY087366",
		fields: spots{
			"mother_birth_date": `"1992-01-12"`, "mother_age_years": "28", "mother_postal_code": `"06460"`, "mother_race": `["black"]`,
			"mother_ethnicity": `"hispanic"`, "child_family_name": `"Quinn"`, "child_given_names": `"Baby G"`, "child_sex": `"male"`,
			"birth_date": `"2020-02-12"`, "birth_month": `"2020-02"`, "birth_weight_g": "3333", "live_birth": "false",
			"autopsy": `"performed"`, "autopsy_histology_used": "true",
		},
		providers: []string{"139fd854-780b-4427-b3cf-6c85f41e6f35 |  |  | other", "348f658f-b005-4136-9831-08c7b197d474 |  |  | other"},
	},
	"vital-records-dotnet/BirthRecordFakeNoRace.json": {
		reference: "Patient/a7ce2988-374e-4b59-8f59-71740e166215", chart: "2023XX000100",
		fields: spots{
			"mother_family_name": `"Adkins"`, "mother_given_names": `"Xenia"`, "mother_birth_date": `"1992-01-12"`,
			"mother_age_years": "30", "child_family_name": `"Adkins"`, "child_given_names": `"Alexander Arlo"`, "child_sex": `"male"`,
			"birth_date": `"2023-01-01"`, "birth_datetime": `"2023-01-01T00:00:00"`, "birth_month": `"2023-01"`, "live_birth": "true",
			"plurality": "1", "mother_education": `"doctoral"`, "congenital_anomalies": `["none"]`, "newborn_conditions": `["none"]`,
			"infections": `["none"]`, "obstetric_procedures": `["none"]`,
		},
		providers: []string{
			"74283f50-0f4b-435b-8362-9e00782222a7 | Janet Seito | Osteopath | other",
			"f29731d6-82a7-4cf8-94a7-867f24265f36 | Avery Jones | Osteopath | other",
		},
	},
}

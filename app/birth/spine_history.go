package birth

// none is SNOMED CT "None". As the value of a category Observation, it means that every
// item of the category is absent (BFDR, "None" convention).
const none = "260413007"

// The codes of BFDR's category Observations. The value of a category Observation is the finding
// itself.
const (
	riskFactors           = "73775-9"
	infections            = "72519-2"
	laborTraits           = "73813-8"
	morbidity             = "73781-7"
	newbornConditionsCode = "73812-0"
	anomalies             = "73780-9"
	route                 = "73762-7"
	obstetric             = "73814-6"
)

// history lists the fields about the pregnancy and about earlier pregnancies (spine rows 16–36).
// Dates are sealed, because together with the birth date they would identify a person.
var history = []Field{
	{Name: "gravida", Label: "Pregnancies, this one included", About: Mother, Kind: Int, Max: 40, Codes: []string{"11996-6"}},
	{Name: "parity", Label: "Births before this one", About: Mother, Kind: Int, Max: 40, Codes: []string{"11977-6"}},
	{
		Name: "previous_live_births_living", Label: "Previous live births, now living", About: Mother, Kind: Int, Max: 40,
		Codes: []string{"11638-4"},
	},
	{
		Name: "previous_live_births_dead", Label: "Previous live births, now dead", About: Mother, Kind: Int, Max: 40,
		Codes: []string{"68496-9"},
	},
	{
		Name: "other_pregnancy_outcomes", Label: "Other pregnancy outcomes (losses)", About: Mother, Kind: Int, Max: 40,
		Codes: []string{"69043-8"},
	},
	{
		Name: "last_live_birth_date", Label: "Date of the last live birth", About: Mother, Kind: Date, Sealed: true,
		Codes: []string{"68499-3"},
	},
	{
		Name: "last_other_outcome_date", Label: "Date of the last other pregnancy outcome", About: Mother, Kind: Date, Sealed: true,
		Codes: []string{"68500-8"},
	},
	{
		Name: "previous_cesareans", Label: "Previous cesareans", About: Mother, Kind: Int, Max: 20,
		Lasting: true, Codes: []string{"68497-7", riskFactors}, Yes: []Coding{sct("200144004")}, No: []Coding{sct(none)},
	},
	{
		Name: "previous_preterm_birth", Label: "Previous preterm birth", About: Mother, Kind: Bool,
		Lasting: true, Codes: []string{riskFactors}, Yes: []Coding{sct("161765003")}, No: []Coding{sct(none)},
	},
	{
		Name: "last_menstrual_period", Label: "Last menstrual period", About: Mother, Kind: Date, Sealed: true,
		Codes: []string{"8665-2"},
	},
	{
		Name: "estimated_due_date", Label: "Estimated due date", About: Mother, Kind: Date, Sealed: true,
		Codes: []string{"11778-8"},
	},
	{
		Name: "prenatal_first_visit_date", Label: "First prenatal visit", About: Mother, Kind: Date, Sealed: true,
		Codes: []string{"69044-6"},
	},
	// Like the mother's weight, the number of visits is stated at the last visit before the birth.
	// Visits are at most four weeks apart.
	{
		Name: "prenatal_visit_count", Label: "Prenatal visits", About: Mother, Kind: Int, Max: 98, Days: 4 * week,
		Codes: []string{"68493-6"},
	},
	{
		Name: "prenatal_care_site", Label: "Place of prenatal care", About: Care, Kind: Code,
		Options: open(
			option("home", "Home", sct("264362003")),
			option("birth_center", "Birth center", sct("91154008")),
			option("clinic_office", "Clinic or office", sct("67190003")),
			option("hospital_clinic", "Hospital clinic", sct("22232009")),
			option("none", "No prenatal care", sct(none)),
		),
	},
	{
		Name: "mother_height_in", Label: "Mother's height", About: Mother, Kind: Decimal, Unit: "[in_i]", Min: 30, Max: 90, Days: anytime,
		Codes: []string{"8302-2", "3137-7"},
	},
	{
		Name: "prepregnancy_weight_lb", Label: "Weight before the pregnancy", About: Mother, Kind: Decimal, Unit: "[lb_av]",
		Min: 50, Max: 900, Days: Pregnancy + 52*week, Codes: []string{"56077-1"},
	},
	{
		Name: "delivery_weight_lb", Label: "Weight at the birth", About: Mother, Kind: Decimal, Unit: "[lb_av]",
		Min: 50, Max: 900, Days: 4 * week, Codes: []string{"69461-2"},
	},
	cigarettes("pre", "in the three months before the pregnancy", "64794-1"),
	cigarettes("t1", "in the first trimester", "87298-6"),
	cigarettes("t2", "in the second trimester", "87299-4"),
	cigarettes("t3", "in the third trimester", "64795-8"),
	{Name: "wic_received", Label: "WIC food received", About: Mother, Kind: Bool, Codes: []string{"87303-4"}},
	{
		Name: "principal_payer", Label: "Principal payer", About: Care, Kind: Code,
		Options: open(
			option("private", "Private insurance", payer("5")),
			option("medicaid", "Medicaid", payer("2")),
			option("self_pay", "Self-pay", payer("81")),
			option("ihs", "Indian Health Service", payer("33")),
			option("tricare", "TRICARE", payer("311")),
			option("other_government", "Other government", payer("38")),
		),
	},
	{
		Name: "risk_factors", Label: "Risk factors", About: Mother, Kind: Codes, Codes: []string{riskFactors},
		Options: []Option{
			option("diabetes_prepregnancy", "Diabetes before the pregnancy", sct("73211009")).lasting(),
			option("diabetes_gestational", "Gestational diabetes", sct("11687002")),
			option("hypertension_prepregnancy", "Hypertension before the pregnancy", sct("38341003")).lasting(),
			option("hypertension_gestational", "Gestational hypertension", sct("48194001")),
			option("eclampsia", "Eclampsia", sct("15938005")),
			option(
				"infertility_treatment", "Infertility treatment",
				sct("773261007"), sct("58533008"), sct("265064001"), sct("445151000124101"), sct("63487001"),
			),
			option("none", "None of these", sct(none)),
		},
	},
	{
		Name: "infections", Label: "Infections in the pregnancy", About: Mother, Kind: Codes, Codes: []string{infections},
		Options: []Option{
			option("gonorrhea", "Gonorrhea", sct("15628003")),
			option("syphilis", "Syphilis", sct("76272004")),
			option("chlamydia", "Chlamydia", sct("105629000")),
			option("hepatitis_b", "Hepatitis B", sct("66071002")),
			option("hepatitis_c", "Hepatitis C", sct("50711007")),
			option("herpes", "Genital herpes", sct("33839006")),
			option("gbs_positive", "Group B streptococcus positive"),
			option("none", "None of these", sct(none)),
		},
	},
	{
		// External version is the turning of the fetus. BFDR states its outcome in the Procedure
		// resource. The procedure's code alone says only that it was tried.
		Name: "obstetric_procedures", Label: "Obstetric procedures", About: Mother, Kind: Codes, Codes: []string{obstetric},
		Options: []Option{
			option("version_successful", "External cephalic version, successful"),
			option("version_failed", "External cephalic version, failed"),
			option("version", "External cephalic version, outcome not stated", sct("240278000")),
			option("none", "None of these", sct(none)),
		},
	},
}

func cigarettes(period, when, loinc string) Field {
	return Field{
		Name: "cigarettes_per_day_" + period, Label: "Cigarettes a day " + when, About: Mother, Kind: Int, Unit: "/d", Max: 98,
		Days: Pregnancy + 13*week, Codes: []string{loinc}, // the first of the periods is before the pregnancy
	}
}

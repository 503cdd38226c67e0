package birth

// newborn lists the fields about the children and their first weeks (spine rows 66–79).
var newborn = []Field{
	{Name: "plurality", Label: "Plurality", About: Care, Kind: Int, Min: 1, Max: 12, Days: Pregnancy, Codes: []string{"57722-1"}},
	// BFDR 2.0.0 also uses 73773-4 for the plurality. A value with that code is always stored in
	// this field, and never taken as the plurality.
	{
		Name: "live_births_this_delivery", Label: "Live births of this delivery", About: Care, Kind: Int, Max: 12, Days: Pregnancy,
		Codes: []string{"73773-4"},
	},
	{
		Name: "fetal_deaths_this_delivery", Label: "Fetal deaths of this delivery", About: Care, Kind: Int, Max: 12, Days: Pregnancy,
		Codes: []string{"73772-6"},
	},
	{Name: "birth_order", Label: "Birth order", About: Child, Kind: Int, Min: 1, Max: 12, Demographic: true},
	{
		Name: "birth_weight_g", Label: "Birth weight", About: Child, Kind: Int, Unit: "g", Min: 100, Max: 9998,
		Days: week, Codes: []string{"8339-4"},
	},
	// A gestational age that was recorded more than 3 days before the birth belongs to a prenatal
	// visit.
	{
		Name: "gestational_age_weeks", Label: "Gestational age, completed weeks", About: Child, Kind: Int, Unit: "wk",
		Min: 10, Max: 50, Days: 3, Shared: true, Codes: []string{"11884-4", "18185-9", "49051-6", "76516-4", "11885-1"},
	},
	{
		Name: "gestational_age_days", Label: "Gestational age, further days", About: Child, Kind: Int, Unit: "d",
		Max: 6, Shared: true,
	},
	measured("newborn_length", "Length at the birth", 10, 80, "89269-5"),
	measured("head_circumference", "Head circumference at the birth", 5, 60, "8290-9"),
	apgar("one", "1", "9272-6"),
	apgar("five", "5", "9274-2"),
	apgar("ten", "10", "9271-8"),
	// The answer is derived from the seconds if they are stated (DelayedClamping).
	{Name: "delayed_cord_clamping", Label: "Cord clamping delayed 60 seconds or more", About: Child, Kind: Bool},
	{Name: "cord_clamping_seconds", Label: "Time to cord clamping", About: Child, Kind: Int, Unit: "s", Max: 9998},
	added(Field{
		Name: "resuscitation_steps", Label: "Steps of resuscitation", About: Child, Kind: Codes,
		Options: open(
			option("stimulation", "Stimulation"),
			option("suction", "Suction"),
			option("oxygen", "Free-flow oxygen"),
			option("cpap", "CPAP"),
			option("ppv", "Positive-pressure ventilation"),
			option("intubation", "Intubation"),
			option("compressions", "Chest compressions"),
			option("epinephrine", "Epinephrine"),
			option("none", "None"),
		),
	}),
	yes("skin_to_skin", "Skin to skin in the first hour", Child),
	yes("breastfeeding_initiated", "Breastfeeding started", Child),
	added(Field{
		Name: "vitamin_k", Label: "Vitamin K", About: Child, Kind: Code,
		Options: open(
			option("intramuscular", "By injection"),
			option("oral", "By mouth"),
			option("declined", "Declined"),
			option("none", "Not given"),
		),
	}),
	choice("eye_prophylaxis", "Eye prophylaxis", Child, option("given", "Given"), option("declined", "Declined"), option("none", "Not given")),
	{Name: "live_birth", Label: "Live birth", About: Child, Kind: Bool, Demographic: true},
	{Name: "infant_living", Label: "Living at the time of the report", About: Child, Kind: Bool, Codes: []string{"73757-7"}},
	choice(
		"perinatal_death", "Death before, in or after the birth", Child,
		option("none", "None"),
		option("antepartum", "Before labor"),
		option("intrapartum", "In labor or at the birth"),
		option("neonatal", "After the birth, within 28 days"),
	),
	added(Field{
		Name: "age_at_death_hours", Label: "Age at death, completed hours", About: Child, Kind: Int, Unit: "h", Max: 8760,
	}),
	{
		Name: "fetal_death_time_point", Label: "Time of fetal death", About: Child, Kind: Code, Days: Pregnancy, Codes: []string{"73811-2"},
		Options: []Option{
			option("before_labor", "Dead at the first assessment, no labor ongoing", sct("434681000124104")),
			option("in_labor_before_assessment", "Dead at the first assessment, labor ongoing", sct("434671000124102")),
			option("in_labor_after_assessment", "Died in labor, after the first assessment", sct("434631000124100")),
			option("unknown", "Unknown", sct("261665006")),
		},
	},
	causes("fetal_death_cause", "Initiating cause of the fetal death", Code, "76060-3"),
	causes("fetal_death_other_causes", "Other causes of the fetal death", Codes, "76061-1"),
	examination("autopsy", "Autopsy", "85699-7", "73768-4"),
	examination("placental_histology", "Histological examination of the placenta", "73767-6"),
	{
		Name: "autopsy_histology_used", Label: "Autopsy or histology used for the cause of fetal death", About: Child, Kind: Bool,
		Codes: []string{"74498-7"},
	},
	{
		Name: "newborn_conditions", Label: "Conditions of the newborn", About: Child, Kind: Codes, Codes: []string{newbornConditionsCode},
		Options: []Option{
			option("ventilation", "Assisted ventilation", vitalRecord("assistedventfollowingdelivery")),
			option("ventilation_6h", "Assisted ventilation for more than 6 hours", vitalRecord("assistedventmorethan6hrs")),
			option("nicu", "Admission to intensive care", sct("830077005")),
			option("surfactant", "Surfactant", sct("434701000124101")),
			option("antibiotics_sepsis", "Antibiotics for suspected sepsis", sct("434621000124103")),
			option("seizure", "Seizure", sct("91175000")),
			option("none", "None of these", sct(none)),
		},
	},
	added(Field{Name: "nicu_days", Label: "Days in intensive care", About: Child, Kind: Int, Unit: "d", Max: 365}),
	screening("blood_spot_screening", "Blood spot screening", Child, option("done", "Done")),
	screening("hearing_screening", "Hearing screening", Child, option("passed", "Passed"), option("referred", "Referred for further tests")),
	screening(
		"heart_screening", "Heart screening (pulse oximetry)", Child,
		option("passed", "Passed"), option("referred", "Referred for further tests"),
	),
	{
		Name: "congenital_anomalies", Label: "Congenital anomalies", About: Child, Kind: Codes, Days: Pregnancy, Codes: []string{anomalies},
		Options: []Option{
			option("anencephaly", "Anencephaly", sct("89369001")),
			option("spina_bifida", "Spina bifida", sct("67531005")),
			option("cyanotic_heart_disease", "Cyanotic congenital heart disease", sct("12770006")),
			option("diaphragmatic_hernia", "Diaphragmatic hernia", sct("17190001")),
			option("omphalocele", "Omphalocele", sct("18735004")),
			option("gastroschisis", "Gastroschisis", sct("72951007")),
			option("limb_reduction", "Limb reduction defect", sct("67341007")),
			option("cleft_lip", "Cleft lip", sct("80281008")),
			option("cleft_palate", "Cleft palate", sct("87979003")),
			option("down_syndrome", "Down syndrome", sct("70156005")),
			option("chromosomal_disorder", "Other chromosomal disorder", sct("409709004")),
			option("hypospadias", "Hypospadias", sct("416010008")),
			option("other", "Other", flavor("OTH")),
			option("none", "None of these", sct(none)),
		},
	},
	{Name: "breastfed_at_discharge", Label: "Breastfed at discharge", About: Child, Kind: Bool, Codes: []string{"73756-9"}},
	{
		Name: "breastfed_six_weeks", Label: "Breastfed at six weeks", About: Child, Kind: Code,
		Options: open(
			option("exclusive", "Exclusively"),
			option("partial", "Partially"),
			option("none", "Not"),
		),
	},
	outcome("newborn_six_weeks", "Newborn at six weeks", Child),
	readmitted("newborn", "Newborn", Child),
	readmission("newborn", "newborn", Child),
}

func apgar(word, minutes, loinc string) Field {
	return Field{
		Name: "apgar_" + word + "_minute", Label: "Apgar score at " + minutes + " min", About: Child, Kind: Int,
		Unit: "{score}", Max: 10, Days: week, Codes: []string{loinc},
	}
}

// examination returns a field that states whether an examination of a fetus or a placenta was
// performed. Documents from earlier versions of BFDR answer with yes or no.
func examination(name, label string, loinc ...string) Field {
	return Field{
		Name: name, Label: label, About: Child, Kind: Code, Codes: loinc,
		Options: []Option{
			option("performed", "Performed", sct("398166005"), yesOrNo("Y"), yesOrNo("true"), sct("373066001")),
			option("planned", "Planned", sct("397943006")),
			option("not_performed", "Not performed", sct("262008008"), yesOrNo("N"), yesOrNo("false"), sct("373067005")),
			option("unknown", "Unknown", sct("261665006")),
		},
	}
}

// measured returns a field for a length in centimeters that was measured at the birth. loinc is a
// code whose display name in LOINC says "at birth".
func measured(name, label string, least, most float64, loinc string) Field {
	return added(Field{
		Name: name + "_cm", Label: label, About: Child, Kind: Decimal, Unit: "cm", Min: least, Max: most, Codes: []string{loinc},
	})
}

// choice returns a field with a few options and "unknown". The field was added in the second
// edition of Spine.
func choice(name, label string, about Subject, options ...Option) Field {
	return added(Field{
		Name: name, Label: label, About: about, Kind: Code, Options: append(options, option("unknown", "Unknown", sct("261665006"))),
	})
}

// screening returns a field for a screening. Its options are the given results, "declined", "not
// done" and "unknown".
func screening(name, label string, about Subject, results ...Option) Field {
	return choice(name, label, about, append(results, option("declined", "Declined"), option("not_done", "Not done"))...)
}

// causes returns a field for the causes of a fetal death. Its options are those causes for which
// BFDR's value set has SNOMED CT codes. BFDR states a cause in a Condition whose category is
// 76060-3 for the initiating cause or 76061-1 for other causes.
func causes(name, label string, kind Kind, loinc string) Field {
	return added(Field{
		Name: name, Label: label, About: Child, Kind: kind, Days: Pregnancy, Codes: []string{loinc},
		Options: open(
			option("membranes_ruptured_early", "Rupture of membranes before labor", sct("44223004")),
			option("placental_abruption", "Placental abruption", sct("415105001")),
			option("placental_insufficiency", "Placental insufficiency", sct("237292005")),
			option("cord_prolapse", "Cord prolapse", sct("270500004")),
			option("chorioamnionitis", "Chorioamnionitis", sct("11612004")),
			option("fetal_anomaly", "Fetal anomaly", sct("702709008")),
			option("fetal_injury", "Fetal injury", sct("277489001")),
			option("fetal_infection", "Fetal infection", sct("128270001")),
		),
	})
}

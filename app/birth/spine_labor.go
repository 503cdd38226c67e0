package birth

// labor lists the fields about labor and birth (spine rows 48–65). Times are sealed, because they
// reveal the birth date. Procedures aren't sealed.
var labor = []Field{
	{Name: "labor_onset_datetime", Label: "Onset of labor", About: Mother, Kind: DateTime, Sealed: true},
	{Name: "membranes_ruptured_datetime", Label: "Membranes ruptured", About: Mother, Kind: DateTime, Sealed: true},
	laborTime("active_labor", "Start of active labor"),
	laborTime("full_dilation", "Full dilation"),
	laborTime("pushing", "Start of pushing"),
	laborTime("placenta", "Birth of the placenta"),
	{
		Name: "labor_onset_type", Label: "How labor began", About: Mother, Kind: Code, Codes: []string{laborTraits},
		Options: open(
			option("spontaneous", "Spontaneously", sct("84457005")),
			option(
				"induced", "Induced",
				sct("236958009"), sct("177135005"), sct("308037008"), sct("177136006"), sct("408818004"), sct("31208007"),
			),
			option("none", "No labor"),
		),
	},
	{
		Name: "induction_agents", Label: "Induction agents", About: Mother, Kind: Codes, Codes: []string{laborTraits},
		Options: open(
			option("oxytocin", "Oxytocin", sct("177135005"), sct("308037008")).drug("7824"),
			option("prostaglandin", "Prostaglandin", sct("177136006")),
			option("misoprostol", "Misoprostol").drug("42331"),
			option("dinoprostone", "Dinoprostone"),
			option("amniotomy", "Amniotomy", sct("408818004")),
			option("balloon", "Balloon catheter"),
			option("membrane_sweep", "Membrane sweep"),
			option("herbal_or_other", "Herbal or other"),
		),
	},
	{
		Name: "induction_indication", Label: "Why labor was induced", About: Mother, Kind: Codes,
		Options: open(
			option("post_dates", "Post dates", sct("90968009")),
			option("prom", "Prelabor rupture of membranes", sct("44223004")),
			option("hypertensive", "Hypertensive disorder", sct("398254007"), sct("48194001")),
			option("diabetes", "Diabetes", sct("11687002")),
			option("fetal_growth_restriction", "Fetal growth restriction", sct("22033007")),
			option("oligohydramnios", "Oligohydramnios", sct("59566000")),
			option("fetal_concern", "Concern for the fetus"),
			option("fetal_death", "Fetal death"),
			option("maternal_request", "Maternal request"),
		),
	},
	{
		Name: "labor_augmented", Label: "Labor augmented", About: Mother, Kind: Bool,
		Codes: []string{laborTraits}, Yes: []Coding{sct("237001001")}, No: []Coding{sct(none)},
	},
	{
		Name: "augmentation_agents", Label: "Augmentation agents", About: Mother, Kind: Codes, Codes: []string{laborTraits},
		Options: open(
			option("oxytocin", "Oxytocin", sct("237002008")).drug("7824"),
			option("amniotomy", "Amniotomy", sct("408816000")),
			option("nipple_stimulation", "Nipple stimulation"),
		),
	},
	{
		Name: "pain_relief", Label: "Pain relief", About: Mother, Kind: Codes, Codes: []string{laborTraits},
		Options: open(
			option("epidural_spinal", "Epidural or spinal", sct("18946005")),
			option("nitrous_oxide", "Nitrous oxide"),
			option("opioid", "Opioid"),
			option("water", "Water"),
			option("none", "None"),
		),
	},
	{
		Name: "antibiotics_in_labor", Label: "Antibiotics in labor", About: Mother, Kind: Bool,
		Codes: []string{laborTraits}, Yes: []Coding{sct("434691000124101")}, No: []Coding{sct(none)},
	},
	{
		Name: "steroids_lung_maturation", Label: "Steroids for lung maturation", About: Mother, Kind: Bool,
		Days: Pregnancy, Codes: []string{laborTraits}, Yes: []Coding{sct("434611000124106")}, No: []Coding{sct(none)},
	},
	{
		Name: "chorioamnionitis", Label: "Chorioamnionitis", About: Mother, Kind: Bool,
		Codes: []string{laborTraits}, Yes: []Coding{sct("11612004")}, No: []Coding{sct(none)},
	},
	added(Field{
		Name: "fetal_monitoring", Label: "Fetal monitoring in labor", About: Mother, Kind: Codes,
		Options: open(
			option("intermittent_auscultation", "Intermittent auscultation"),
			option("intermittent_electronic", "Electronic, at times"),
			option("continuous_electronic", "Electronic, throughout"),
			option("internal", "Internal electrode"),
			option("none", "None"),
		),
	}),
	yes("shoulder_dystocia", "Shoulder dystocia", Child),
	yes("cord_prolapse", "Cord prolapse", Child),
	choice(
		"meconium", "Meconium in the amniotic fluid", Child,
		option("none", "None, the fluid was clear"),
		option("thin", "Thin"),
		option("thick", "Thick"),
		option("present", "Present, thickness not stated"),
	),
	{
		Name: "fetal_presentation", Label: "Presentation", About: Child, Kind: Code, Days: week, Codes: []string{"73761-9"},
		Options: open(
			option("vertex", "Vertex", sct("70028003")),
			option("breech", "Breech", sct("6096002")),
		),
	},
	{
		Name: "birth_position", Label: "Mother's position at the birth", About: Mother, Kind: Code, Days: week, Codes: []string{"8361-8"},
		Options: open(
			option("supine_lithotomy", "On her back", sct("40199007")),
			option("semi_sitting", "Semi-sitting", sct("33586001")),
			option("side_lying", "On her side"),
			option("hands_and_knees", "Hands and knees"),
			option("kneeling", "Kneeling"),
			option("squatting", "Squatting"),
			option("standing", "Standing", sct("10904000")),
			option("birth_stool", "Birth stool"),
			option("water_upright", "Upright in water"),
		),
	},
	{
		Name: "delivery_method", Label: "Method of delivery", About: Child, Kind: Code, Codes: []string{route}, Shared: true,
		Options: open(
			option("vaginal_spontaneous", "Vaginal, spontaneous", sct("700000006")),
			option("vaginal_vacuum", "Vaginal, vacuum", sct("61586001")),
			option("vaginal_forceps", "Vaginal, forceps", sct("302383004")),
			option("cesarean", "Cesarean", sct("11466000"), sct("274130007"), sct("177141003")),
		),
	},
	{
		Name: "trial_of_labor", Label: "Trial of labor before a cesarean", About: Mother, Kind: Bool,
		Codes: []string{"73760-1"},
	},
	{
		Name: "stat_cesarean", Label: "Emergency cesarean", About: Mother, Kind: Bool,
		Codes: []string{route}, Yes: []Coding{sct("274130007")}, No: []Coding{sct("177141003")},
	},
	{Name: "vbac", Label: "Vaginal birth after cesarean", About: Mother, Kind: Bool, Derived: true},
	{
		Name: "perineum", Label: "Perineum", About: Mother, Kind: Code, Codes: []string{morbidity},
		Options: open(
			option("intact", "Intact"),
			option("first", "First-degree tear", sct("57759005")),
			option("second", "Second-degree tear", sct("6234006")),
			option("third", "Third-degree tear", sct("10217006")),
			option("fourth", "Fourth-degree tear", sct("399031001")),
			option("third_or_fourth", "Third- or fourth-degree tear", sct("398019008")),
			option("episiotomy", "Episiotomy", sct("85548006")),
		),
	},
	added(Field{
		Name: "tear_repair", Label: "Repair of tears", About: Mother, Kind: Code,
		Options: open(
			option("sutured", "With stitches"),
			option("glued", "With glue"),
			option("elsewhere", "After a transfer"),
			option("none", "Not repaired"),
		),
	}),
	added(Field{
		Name: "third_stage_management", Label: "Management of the third stage", About: Mother, Kind: Code,
		Options: open(
			option("active", "Active"),
			option("expectant", "Expectant (physiological)"),
			option("mixed", "Mixed"),
		),
	}),
	added(Field{
		Name: "uterotonics", Label: "Uterotonics given after the birth", About: Mother, Kind: Codes,
		Options: open(
			option("oxytocin", "Oxytocin").drug("7824"),
			option("misoprostol", "Misoprostol").drug("42331"),
			option("methylergonovine", "Methylergonovine"),
			option("carboprost", "Carboprost"),
			option("none", "None"),
		),
	}),
	yes("retained_placenta", "Retained placenta", Mother),
	{Name: "blood_loss_ml", Label: "Blood loss", About: Mother, Kind: Int, Unit: "mL", Max: 9998},
	{
		Name: "maternal_morbidity", Label: "Maternal morbidity", About: Mother, Kind: Codes, Codes: []string{morbidity},
		Options: []Option{
			option("transfusion", "Transfusion", sct("116859006")),
			option("uterine_rupture", "Ruptured uterus", sct("34430009")),
			option("hysterectomy", "Unplanned hysterectomy", sct("236987005")),
			option("icu", "Admission to intensive care", sct("309904001")),
			option("hemorrhage", "Postpartum hemorrhage", sct("47821001")),
			option("none", "None of these", sct(none)),
		},
	},
}

// laborTime returns a field for the time of a moment of labor. Its name is the name of the moment
// with "_datetime" added. checks_dates.go and checks_times.go check the order of these times.
func laborTime(moment, label string) Field {
	return added(Field{Name: moment + "_datetime", Label: label, About: Mother, Kind: DateTime, Sealed: true})
}

// yes returns a yes-or-no field that was added in the second edition of Spine.
func yes(name, label string, about Subject) Field {
	return added(Field{Name: name, Label: label, About: about, Kind: Bool})
}

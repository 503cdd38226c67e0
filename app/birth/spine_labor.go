package birth

// labor: labor and birth (spine rows 48–65). Times are sealed, since they
// tell the birth date; what was done is not.
var labor = []Field{
	{Name: "labor_onset_datetime", Label: "Onset of labor", About: Mother, Kind: DateTime, Sealed: true},
	{Name: "membranes_ruptured_datetime", Label: "Membranes ruptured", About: Mother, Kind: DateTime, Sealed: true},
	{
		Name: "labor_onset_type", Label: "How labor began", About: Mother, Kind: Code, Codes: []string{laborTraits},
		Options: open(
			option("spontaneous", "Spontaneously", "84457005"),
			option(
				"induced", "Induced",
				"236958009", "177135005", "308037008", "177136006", "408818004", "31208007",
			),
			option("none", "No labor"),
		),
	},
	{
		Name: "induction_agents", Label: "Induction agents", About: Mother, Kind: Codes, Codes: []string{laborTraits},
		Options: open(
			option("oxytocin", "Oxytocin", "177135005", "308037008").drug("7824"),
			option("prostaglandin", "Prostaglandin", "177136006"),
			option("misoprostol", "Misoprostol").drug("42331"),
			option("dinoprostone", "Dinoprostone"),
			option("amniotomy", "Amniotomy", "408818004"),
			option("balloon", "Balloon catheter"),
			option("membrane_sweep", "Membrane sweep"),
			option("herbal_or_other", "Herbal or other"),
		),
	},
	{
		Name: "induction_indication", Label: "Why labor was induced", About: Mother, Kind: Codes,
		Options: open(
			option("post_dates", "Post dates", "90968009"),
			option("prom", "Prelabor rupture of membranes", "44223004"),
			option("hypertensive", "Hypertensive disorder", "398254007", "48194001"),
			option("diabetes", "Diabetes", "11687002"),
			option("fetal_growth_restriction", "Fetal growth restriction", "22033007"),
			option("oligohydramnios", "Oligohydramnios", "59566000"),
			option("fetal_concern", "Concern for the fetus"),
			option("fetal_death", "Fetal death"),
			option("maternal_request", "Maternal request"),
		),
	},
	{
		Name: "labor_augmented", Label: "Labor augmented", About: Mother, Kind: Bool,
		Codes: []string{laborTraits}, Yes: []string{"237001001"}, No: []string{none},
	},
	{
		Name: "augmentation_agents", Label: "Augmentation agents", About: Mother, Kind: Codes, Codes: []string{laborTraits},
		Options: open(
			option("oxytocin", "Oxytocin", "237002008").drug("7824"),
			option("amniotomy", "Amniotomy", "408816000"),
			option("nipple_stimulation", "Nipple stimulation"),
		),
	},
	{
		Name: "pain_relief", Label: "Pain relief", About: Mother, Kind: Codes, Codes: []string{laborTraits},
		Options: open(
			option("epidural_spinal", "Epidural or spinal", "18946005"),
			option("nitrous_oxide", "Nitrous oxide"),
			option("opioid", "Opioid"),
			option("water", "Water"),
			option("none", "None"),
		),
	},
	{
		Name: "antibiotics_in_labor", Label: "Antibiotics in labor", About: Mother, Kind: Bool,
		Codes: []string{laborTraits}, Yes: []string{"434691000124101"}, No: []string{none},
	},
	{
		Name: "steroids_lung_maturation", Label: "Steroids for lung maturation", About: Mother, Kind: Bool,
		Codes: []string{laborTraits}, Yes: []string{"434611000124106"}, No: []string{none},
	},
	{
		Name: "chorioamnionitis", Label: "Chorioamnionitis", About: Mother, Kind: Bool,
		Codes: []string{laborTraits}, Yes: []string{"11612004"}, No: []string{none},
	},
	{
		Name: "fetal_presentation", Label: "Presentation", About: Child, Kind: Code, Codes: []string{"73761-9"},
		Options: open(
			option("vertex", "Vertex", "70028003"),
			option("breech", "Breech", "6096002"),
		),
	},
	{
		Name: "birth_position", Label: "Mother's position at the birth", About: Mother, Kind: Code, Codes: []string{"8361-8"},
		Options: open(
			option("supine_lithotomy", "On her back", "40199007"),
			option("semi_sitting", "Semi-sitting", "33586001"),
			option("side_lying", "On her side"),
			option("hands_and_knees", "Hands and knees"),
			option("kneeling", "Kneeling"),
			option("squatting", "Squatting"),
			option("standing", "Standing", "10904000"),
			option("birth_stool", "Birth stool"),
			option("water_upright", "Upright in water"),
		),
	},
	{
		Name: "delivery_method", Label: "Method of delivery", About: Child, Kind: Code, Codes: []string{route}, Shared: true,
		Options: open(
			option("vaginal_spontaneous", "Vaginal, spontaneous", "700000006"),
			option("vaginal_vacuum", "Vaginal, vacuum", "61586001"),
			option("vaginal_forceps", "Vaginal, forceps", "302383004"),
			option("cesarean", "Cesarean", "11466000", "274130007", "177141003"),
		),
	},
	{
		Name: "trial_of_labor", Label: "Trial of labor before a cesarean", About: Mother, Kind: Bool,
		Codes: []string{"73760-1"},
	},
	{
		Name: "stat_cesarean", Label: "Emergency cesarean", About: Mother, Kind: Bool,
		Codes: []string{route}, Yes: []string{"274130007"}, No: []string{"177141003"},
	},
	{Name: "vbac", Label: "Vaginal birth after cesarean", About: Mother, Kind: Bool, Derived: true},
	{
		Name: "perineum", Label: "Perineum", About: Mother, Kind: Code, Codes: []string{morbidity},
		Options: open(
			option("intact", "Intact"),
			option("first", "First-degree tear", "57759005"),
			option("second", "Second-degree tear", "6234006"),
			option("third", "Third-degree tear", "10217006"),
			option("fourth", "Fourth-degree tear", "399031001"),
			option("third_or_fourth", "Third- or fourth-degree tear", "398019008"),
			option("episiotomy", "Episiotomy", "85548006"),
		),
	},
	{Name: "blood_loss_ml", Label: "Blood loss", About: Mother, Kind: Int, Unit: "mL", Max: 20000},
	{
		Name: "maternal_morbidity", Label: "Maternal morbidity", About: Mother, Kind: Codes, Codes: []string{morbidity},
		Options: []Option{
			option("transfusion", "Transfusion", "116859006"),
			option("uterine_rupture", "Ruptured uterus", "34430009"),
			option("hysterectomy", "Unplanned hysterectomy", "236987005"),
			option("icu", "Admission to intensive care", "309904001"),
			option("hemorrhage", "Postpartum hemorrhage", "47821001"),
			option("none", "None of these", none),
		},
	},
}

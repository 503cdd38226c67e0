package mapping

// questionWordings has the words for questions that are easily confused with one another. Each
// group maps fields to their words.
var questionWordings = []map[string]wording{
	{
		"apgar_one_minute":  {own: []string{" 1 min", " 1min", " one min", " 1m "}},
		"apgar_five_minute": {own: []string{" 5 min", " 5min", " five min", " 5m "}},
		"apgar_ten_minute":  {own: []string{" 10 min", " 10min", " ten min", " 10m "}},
		"":                  {own: []string{" 15 min", " 20 min", " fifteen min", " twenty min"}},
	},
	{
		"birth_weight_g": {
			own: []string{" birth w", " birthw", " newborn", " infant", " baby", " neonat", " at birth "}, never: []string{" estimated fetal", " efw ", " fetal weight ", " discharge w", " at discharge ", " placent"},
		},
		"prepregnancy_weight_lb": {own: []string{" prepreg", " pregravid", " precurrent pregnancy ", " before pregnancy ", " before the pregnancy ", " before this pregnancy "}, never: goals},
		"delivery_weight_lb":     {own: []string{" at delivery ", " delivery weight ", " at the delivery ", " at birth ", " at the birth "}, never: goals},
		"mother_height_in":       {own: []string{" height ", " stature ", " length ", " tall ", " ht "}},
	},
	{"gestational_age_weeks": {never: []string{" visit", " booking ", " intake "}}},
	{
		"cigarettes_per_day_pre": {own: []string{" 3 months before ", " three months before ", " prepreg", " before pregnancy ", " before you "}},
		"cigarettes_per_day_t1":  {own: []string{" 1st tri", " first tri", " trimester 1 ", " first three months ", " first 3 months "}},
		"cigarettes_per_day_t2":  {own: []string{" 2nd tri", " second tri", " trimester 2 ", " second three months ", " second 3 months "}},
		"cigarettes_per_day_t3":  {own: []string{" 3rd tri", " third tri", " trimester 3 ", " last three months ", " last 3 months ", " third three months "}},
	},
	{
		"gravida":                     {own: []string{" gravid", " pregnancies "}},
		"parity":                      {own: []string{" parity ", " para "}},
		"previous_live_births_living": {own: []string{" living ", " alive "}},
		"previous_live_births_dead":   {own: []string{" dead ", " died ", " deceased ", " death"}},
		"other_pregnancy_outcomes":    {own: []string{" outcome", " other pregnanc", " losses ", " abortion", " miscarr"}},
		"previous_cesareans":          {own: []string{" cesar", " caesar"}},
		"prenatal_visit_count":        {own: []string{" visit"}},
	},
	{
		"last_live_birth_date":      {own: []string{" live birth"}},
		"last_other_outcome_date":   {own: []string{" outcome"}},
		"last_menstrual_period":     {own: []string{" menstr", " lmp "}},
		"estimated_due_date":        {own: []string{" due ", " edd ", " edc ", " delivery date ", " date of delivery "}},
		"prenatal_first_visit_date": {own: []string{" visit", " prenatal "}},
	},
}

// goals lists words for weights that were not measured.
var goals = []string{" goal ", " target ", " ideal "}

// officialNames maps the official names of LOINC codes to the codes. Documents write these names
// next to their codes. Next to another code, such a name contradicts that code.
var officialNames = map[string]string{
	"1 minute Apgar Score":  "9272-6",
	"5 minute Apgar Score":  "9274-2",
	"10 minute Apgar Score": "9271-8",
	"Birth weight Measured": "8339-4",
	"Birth weight":          "8339-4",

	"Body height":                         "8302-2",
	"Body Height":                         "8302-2",
	"Body weight --pre current pregnancy": "56077-1",
	"Mother's body weight --at delivery":  "69461-2",
	"Body weight Mother --at delivery":    "69461-2",
	"Gestational age Estimated":           "11884-4",
	"Gestational age":                     "18185-9",
	"Delivery date Estimated":             "11778-8",
	"Last menstrual period start date":    "8665-2",

	"Highest level of education Mother": "57712-2",
	"Highest level of education Father": "87300-0",

	"Cigarettes smoked per day by Mother--1st trimester":                                                   "87298-6",
	"Cigarettes smoked per day by Mother--2nd trimester":                                                   "87299-4",
	"In the 3 months before you got pregnant, how many cigarettes did you smoke on an average day [PhenX]": "64794-1",
	"In the last 3 months of your pregnancy, how many cigarettes did you smoke on an average day [PhenX]":  "64795-8",

	"[#] Births.still living":              "11638-4",
	"Previous live births now dead #":      "68496-9",
	"Previous cesarean deliveries #":       "68497-7",
	"Other pregnancy outcomes #":           "69043-8",
	"[#] Pregnancies":                      "11996-6",
	"[#] Parity":                           "11977-6",
	"Prenatal visits for this pregnancy #": "68493-6",

	"Date last live birth":                 "68499-3",
	"Date last other pregnancy outcome":    "68500-8",
	"Date first prenatal visit":            "69044-6",
	"Date of last live birth":              "68499-3",
	"Date of last other pregnancy outcome": "68500-8",
	"Date of first prenatal care visit":    "69044-6",

	"Number of infants in this delivery delivered alive":                                  "73773-4",
	"Number of fetal deaths delivered":                                                    "73772-6",
	"Characteristics of labor and delivery [US Standard Certificate of Live Birth]":       "73813-8",
	"Characteristics of labor and delivery":                                               "73813-8",
	"Infant living at time of report [US Standard Certificate of Live Birth]":             "73757-7",
	"If cesarean, a trial of labor was attempted [US Standard Certificate of Live Birth]": "73760-1",
}

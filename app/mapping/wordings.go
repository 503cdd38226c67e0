package mapping

// optionWordings has the words for options, keyed by field and option. The options of all other
// fields are recognized only by their labels.
var optionWordings = map[string]map[string]wording{
	"delivery_method": {
		"vaginal_spontaneous": {own: []string{" spontan", " espont", " normal ", " svd ", " nsvd "}, shared: []string{" vagin"}},
		"vaginal_vacuum":      {own: []string{" vacuum", " ventous", " vacuo "}, shared: []string{" vagin"}},
		"vaginal_forceps":     {own: []string{" forcep"}, shared: []string{" vagin"}},
		"cesarean":            {own: []string{" cesar", " caesar", " cesár", " césar", " c section", " c sect", " c s "}},
	},
	"fetal_presentation": {
		"vertex": {own: []string{" vertex ", " cephal", " cefál", " cefal", " occip"}},
		"breech": {own: []string{" breech", " frank ", " footling ", " podál", " podal"}},
		"other":  {own: []string{" transvers", " shoulder ", " face ", " brow ", " compound "}},
	},
	"labor_onset_type": {
		"spontaneous": {own: []string{" spontan"}},
		"induced":     {own: []string{" induc"}},
	},
	"perineum": {
		"intact":          {own: []string{" intact "}},
		"first":           {own: []string{" first ", " 1st "}, shared: degrees},
		"second":          {own: []string{" second ", " 2nd "}, shared: degrees},
		"third":           {own: []string{" third ", " 3rd "}, shared: degrees},
		"fourth":          {own: []string{" fourth ", " 4th "}, shared: degrees},
		"third_or_fourth": {own: []string{" third ", " 3rd ", " fourth ", " 4th "}, shared: degrees},
		"episiotomy":      {own: []string{" episiot"}},
	},
	"risk_factors": {
		"diabetes_prepregnancy": {
			own: []string{" pregestational diab", " prepregnancy diab", " preexisting diab", " type 1 ", " type 2 ", " type i ", " type ii ", " t1dm ", " t2dm "}, shared: diabetes,
			never: []string{" gestational diab", " gdm "},
		},
		"diabetes_gestational": {own: []string{" gestational diab", " gdm ", " gestational dm "}, shared: diabetes},
		"hypertension_prepregnancy": {
			own: []string{" chronic hyp", " essential hyp", " prepregnancy hyp", " preexisting hyp"}, shared: hypertension,
			never: []string{" gestational hyp", " pregnancy induced hyp", " pih "},
		},
		"hypertension_gestational": {own: []string{" gestational hyp", " pregnancy induced ", " pih ", " preeclam", " gestational htn "}, shared: hypertension},
		"eclampsia":                {own: []string{" eclam"}, never: []string{" preeclam"}},
		"infertility_treatment":    {own: []string{" infertil", " fertil", " inseminat", " ivf ", " reproduct"}},
		"none":                     nothing,
	},
	"infections": {
		"gonorrhea":    {own: []string{" gono"}},
		"syphilis":     {own: []string{" syph", " sífil", " sifil", " lues "}},
		"chlamydia":    {own: []string{" chlam", " clamid"}},
		"hepatitis_b":  {own: []string{" hepatitis b ", " hep b ", " hbv ", " hbsag ", " type b "}, shared: hepatitis},
		"hepatitis_c":  {own: []string{" hepatitis c ", " hep c ", " hcv ", " type c "}, shared: hepatitis},
		"herpes":       {own: []string{" herp", " hsv"}},
		"gbs_positive": {own: []string{" strep", " gbs "}},
		"none":         nothing,
	},
	"maternal_morbidity": {
		"transfusion":     {own: []string{" transfus"}},
		"uterine_rupture": {own: []string{" ruptured uter", " uterine rupt", " rupture of uter", " rupture of the uter", " uterus rupt"}},
		"hysterectomy":    {own: []string{" hysterect"}},
		"icu":             {own: []string{" intensive ", " icu "}},
		"hemorrhage":      {own: []string{" hemorr", " haemorr", " pph "}},
		"none":            nothing,
	},
	"newborn_conditions": {
		"ventilation":        {own: []string{" ventilat"}},
		"ventilation_6h":     {own: []string{" ventilat"}},
		"nicu":               {own: []string{" intensive ", " nicu "}},
		"surfactant":         {own: []string{" surfact"}},
		"antibiotics_sepsis": {own: []string{" antibi", " antibact", " sepsis "}},
		"seizure":            {own: []string{" seiz", " convuls"}},
		"none":               nothing,
	},
	"congenital_anomalies": {
		"anencephaly":            {own: []string{" anenceph"}},
		"spina_bifida":           {own: []string{" spina", " mening", " myelomening"}},
		"cyanotic_heart_disease": {own: []string{" heart ", " cardiac ", " cyanotic "}},
		"diaphragmatic_hernia":   {own: []string{" diaphragm"}},
		"omphalocele":            {own: []string{" omphal", " exomphal"}},
		"gastroschisis":          {own: []string{" gastros"}},
		"limb_reduction":         {own: []string{" limb"}},
		"cleft_lip":              {own: []string{" cleft lip"}, shared: clefts},
		"cleft_palate":           {own: []string{" cleft palate"}, shared: clefts},
		"down_syndrome":          {own: []string{" down ", " downs ", " trisomy 21 ", " pair 21 ", " chromosome 21 "}, shared: chromosomes},
		"chromosomal_disorder":   {own: []string{" chromosom", " trisomy 18 ", " trisomy 13 "}, shared: chromosomes},
		"hypospadias":            {own: []string{" hypospad"}},
		"none":                   nothing,
	},
	"mother_education": {
		"elementary":     {own: []string{" elementary ", " 8th grade or less ", " eighth grade or less "}},
		"some_secondary": {},
		"high_school":    {},
		"some_college":   {own: []string{" some college "}},
		"associate":      {own: []string{" associate"}},
		"bachelor":       {own: []string{" bachelor", " baccalaur"}},
		"master":         {own: []string{" master"}},
		"doctoral":       {own: []string{" doctor", " post graduate ", " postgraduate ", " professional "}},
	},
	"birth_setting": {
		"home_planned":   {own: []string{" planned home "}, shared: []string{" home "}, never: []string{" unplanned home "}},
		"home_unplanned": {own: []string{" unplanned home ", " unintended home "}, shared: []string{" home "}},
		"home_unknown":   {own: []string{" unknown "}, shared: []string{" home "}},
		"birth_center":   {own: []string{" birth center ", " birthing cent", " birth centre ", " birthcenter "}},
		"hospital":       {own: []string{" hospital "}},
		"clinic":         {own: []string{" clinic ", " office "}},
	},
	"principal_payer": {
		"private":  {own: []string{" private ", " commercial ", " blue cross "}},
		"medicaid": {own: []string{" medicaid "}},
		"self_pay": {own: []string{" self pay ", " selfpay ", " uninsured "}},
		"ihs":      {own: []string{" indian "}},
		"tricare":  {own: []string{" tricare ", " champus "}},
	},
	"attendant_title": {
		"md":            {own: []string{" physician ", " medical doctor ", " md ", " doctor of medicine ", " obstetric"}},
		"do":            {own: []string{" osteopath"}, shared: []string{" physician "}},
		"cnm_cm":        {own: []string{" nurse midwife ", " cnm ", " advanced practice midwife "}, shared: []string{" midwife "}},
		"other_midwife": {own: []string{" lay midwife ", " cpm ", " licensed midwife ", " other midwife "}, shared: []string{" midwife "}},
	},
	"stat_cesarean": {
		"yes": {own: []string{" emergen", " stat ", " urgent "}},
		"no":  {own: []string{" elective ", " planned ", " scheduled "}},
	},
	"child_sex": {
		"female": {own: []string{" female ", " girl "}},
		"male":   {own: []string{" male ", " boy "}},
	},
}

// itemized lists the fields whose options are the items of a BFDR category, such as the risk
// factors. nones has words that mean none of the items. laborWords has words for items that are
// fields by themselves, such as chorioamnionitis.
var (
	itemized   = []string{"risk_factors", "infections", "maternal_morbidity", "newborn_conditions", "congenital_anomalies"}
	nones      = []string{" none ", " no ", " not ", " nil ", " absent ", " negative ", " without "}
	laborWords = []string{
		" chorioam", " induc", " augment", " steroid", " antibi", " antibact", " epidural ", " spinal ", " preterm ", " cesar", " caesar", " lacerat", " perine",
	}
)

// Words that several options share.
var (
	nothing      = wording{own: []string{" none "}}
	degrees      = []string{" lacerat", " tear ", " perine"}
	diabetes     = []string{" diabet", " dm "}
	hypertension = []string{" hypert", " htn "}
	hepatitis    = []string{" hepatit"}
	clefts       = []string{" cleft "}
	chromosomes  = []string{" karyot", " trisomy "}
)

// usualAnswers maps the usual text of an answer to the code of the answer. Several texts may have
// the same code.
var usualAnswers = map[string]string{
	"Yes": "Y", "No": "N", "None": "260413007",
	"Breech presentation (finding)": "6096002", "Breech presentation": "6096002", "Vertex presentation": "70028003",
	"Vaginal delivery of fetus (procedure)": "700000006", "Cesarean section": "11466000",
	"Antibacterial administered during labor": "434691000124101", "Antibiotics received during labor": "434691000124101",
	"Doctoral or post graduate education": "POSTG", "Some secondary or high school education": "SEC", "Bachelor's degree": "BA",
	"Performed": "398166005",
}

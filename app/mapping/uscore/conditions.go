package uscore

// timing says when a diagnosis must have been present to set its field.
type timing int

const (
	inPregnancy     timing = iota // it began in the pregnancy, before the birth was over
	sinceKnown                    // like inPregnancy, but not before the pregnancy can have been known
	atBirth                       // it began at the birth, or at most a day before
	beforePregnancy               // it began before the pregnancy and had not ended when the pregnancy began
	before20Weeks                 // like beforePregnancy, or it began in the first 20 weeks
	lasting                       // it was present in the pregnancy, whenever it began
	codedBefore                   // its code means "before the pregnancy"; it was recorded in the pregnancy
	anyTime                       // it began at any time before the birth
)

// inPuerperium lists ICD-10-CM codes for high blood pressure and eclampsia during the puerperium.
// They may have begun after the birth.
var inPuerperium = []string{"O13.5", "O14.05", "O14.15", "O14.25", "O14.95", "O15.2"}

// diagnosisRow maps a diagnosis to the field that it sets (uscore-mapping §4).
type diagnosisRow struct {
	field, option string // if option is "", the answer is yes
	when          timing
	snomed, icd   []string
}

var diagnosisRows = []diagnosisRow{
	{"previous_preterm_birth", "", anyTime, []string{"161765003"}, nil},
	{"risk_factors", "diabetes_prepregnancy", codedBefore, nil, []string{"O24.0", "O24.1", "O24.3", "O24.8"}},
	{
		"risk_factors", "diabetes_prepregnancy", beforePregnancy,
		[]string{"73211009", "44054006", "46635009"},
		[]string{"E08", "E09", "E10", "E11", "E13"},
	},
	{"risk_factors", "diabetes_gestational", sinceKnown, []string{"11687002"}, []string{"O24.4"}},
	{"risk_factors", "hypertension_prepregnancy", codedBefore, nil, []string{"O10", "O11"}},
	{
		"risk_factors", "hypertension_prepregnancy", before20Weeks,
		[]string{"38341003", "59621000"},
		[]string{"I10", "I11", "I12", "I13", "I15", "I16"},
	},
	{
		"risk_factors", "hypertension_gestational", sinceKnown,
		[]string{"48194001", "398254007", "46764007"},
		[]string{"O13", "O14"},
	},
	{"risk_factors", "eclampsia", sinceKnown, []string{"15938005", "198992004"}, []string{"O15"}},
	{"infections", "gonorrhea", inPregnancy, []string{"15628003"}, []string{"O98.2", "A54"}},
	{"infections", "syphilis", inPregnancy, []string{"76272004"}, []string{"O98.1", "A50", "A51", "A52", "A53"}},
	{"infections", "chlamydia", inPregnancy, []string{"105629000"}, []string{"A55", "A56"}},
	{"infections", "hepatitis_b", lasting, []string{"66071002"}, []string{"B18.0", "B18.1"}},
	{"infections", "hepatitis_b", inPregnancy, nil, []string{"B16"}}, // acute
	{"infections", "hepatitis_c", lasting, []string{"50711007"}, []string{"B18.2"}},
	{"infections", "hepatitis_c", inPregnancy, nil, []string{"B17.1"}},
	{"infections", "herpes", inPregnancy, []string{"33839006"}, []string{"A60"}},
	{"infections", "gbs_positive", inPregnancy, nil, []string{"Z22.330", "O99.82"}},
	{"chorioamnionitis", "", atBirth, []string{"11612004"}, []string{"O41.12"}},
	{"perineum", "first", atBirth, []string{"57759005"}, []string{"O70.0"}},
	{"perineum", "second", atBirth, []string{"6234006"}, []string{"O70.1"}},
	{"perineum", "third", atBirth, []string{"10217006"}, []string{"O70.2"}},
	{"perineum", "fourth", atBirth, []string{"399031001"}, []string{"O70.3"}},
	{"perineum", "third_or_fourth", atBirth, []string{"398019008"}, nil},
	{"maternal_morbidity", "uterine_rupture", atBirth, []string{"34430009"}, []string{"O71.0", "O71.1"}},
	{"maternal_morbidity", "hemorrhage", atBirth, []string{"47821001"}, nil},
}

package uscore

// ofHistory matches words about the past. They are normal next to facts about earlier pregnancies.
var ofHistory = alternatives(`history|hx|h o|antecedentes?|previous(ly)?|prior|past|last pregnancy`)

// packs matches words that show that a number counts packs and not cigarettes.
var packs = re(` packs? | pks? | ppd `)

// fieldWords has the words for each field that a finding may be about. The text next to the
// finding's code must have some of them, must not have others, and may have some without
// contradicting the code (wording). The keys are the fields of observationRows, and infections.
var fieldWords = map[string]wording{
	"gravida":                     {own: re(`gravid|pregnan|embaraz`), natural: alternatives(`history|hx|h o`)},
	"parity":                      {own: re(` par(a|ity) |birth|deliver|parto`), natural: ofHistory},
	"previous_live_births_living": {own: re(`live|living|child|birth`), natural: ofHistory},
	"previous_live_births_dead":   {own: re(`dead|death|died|deceased|birth`), natural: ofHistory},
	"other_pregnancy_outcomes":    {own: re(`outcome|abort|loss|miscarr|ectopic`), natural: ofHistory},
	"last_live_birth_date":        {own: re(`birth|deliver`), natural: ofHistory},
	"previous_cesareans":          {own: re(`ces|caes| cs | c s| c section`), natural: ofHistory},
	"last_menstrual_period":       {own: re(`menstr| lmp |period`), natural: alternatives(`history|hx`)},
	"estimated_due_date":          {own: re(` due|deliver| edd | edc |confinement`), natural: alternatives(`expected|estimated|probable|fetal`)},
	"prenatal_first_visit_date":   {own: re(`visit|prenatal|antenatal`), natural: alternatives(`history|hx`)},
	"prenatal_visit_count":        {own: re(`visit|prenatal|antenatal`), natural: alternatives(`history|hx`)},
	"mother_height_in":            {own: re(`height| ht |length|stature|tall`)},
	"prepregnancy_weight_lb":      {own: re(`weight| wt |mass`), natural: alternatives(`prior|usual|previous`)},
	"delivery_weight_lb":          {own: re(`weight| wt |mass`)},
	"cigarettes_per_day_pre":      {own: re(`cigar|smok|tobac`), never: packs, natural: alternatives(`prior|previous|history|past|expos(ed|ure)|risks?`)},
	"cigarettes_per_day_t1":       {own: re(`cigar|smok|tobac`), never: packs, natural: alternatives(`history|expos(ed|ure)|risks?`)},
	"cigarettes_per_day_t2":       {own: re(`cigar|smok|tobac`), never: packs, natural: alternatives(`history|expos(ed|ure)|risks?`)},
	"cigarettes_per_day_t3":       {own: re(`cigar|smok|tobac`), never: packs, natural: alternatives(`history|expos(ed|ure)|risks?`)},
	"birth_date":                  {own: re(`birth|deliver`), natural: alternatives(`fetal|fetus`)},
	"delivery_method":             {own: re(`deliver|route|method|mode|birth`)},
	"fetal_presentation":          {own: re(`present|position`), natural: alternatives(`fetal|fetus`)},
	"birth_weight_g":              {own: re(`weight| wt |mass`)},
	"gestational_age_weeks":       {own: re(`gestation| ga | ega |weeks`), natural: alternatives(`fetal|fetus|estimated|expected`)},
	"apgar_one_minute":            {own: re(`apgar`)},
	"apgar_five_minute":           {own: re(`apgar`)},
	"apgar_ten_minute":            {own: re(`apgar`)},
	"infections":                  {own: re(`strep|gbs|group b`), natural: alternatives(`screen(ing|ed)?`)}, // a culture for group B streptococci
}

// answerWords has the words for each row of diagnosisRows. The key is the option of the row. If the
// row has no option because the answer is yes, the key is its field.
var answerWords = map[string]wording{
	"previous_preterm_birth":    {own: re(`pre ?term|prematur| ptb `), natural: ofHistory},
	"diabetes_prepregnancy":     {own: re(`diabet| dm |t[12]dm| mody |niddm|iddm`), never: re(` gestational| gdm `), natural: alternatives(`pre gestational`)},
	"diabetes_gestational":      {own: re(`gdm|(gesta[ct]ional|pregnan|embaraz).*(diabet| dm )|(diabet| dm ).*(gesta[ct]ional|pregnan|embaraz)`)},
	"hypertension_prepregnancy": {own: re(`hypertens|hipertens| c?htn |blood pressure| hta `), never: re(`gestational|pregnancy induced| pih `)},
	"hypertension_gestational": {
		own:   re(`pre ?eclamp| pre e |(gesta[ct]ional|pregnancy induced|embarazo).*(hypertens|hipertens|htn)|(hypertens|hipertens|htn).*(pregnan|gesta[ct]|embaraz)| pih | ghtn |hellp`),
		never: re(`chronic|pre ?existing|essential|cronica|superimposed`),
	},
	"eclampsia":        {own: re(`eclamp`), natural: alternatives(`pre eclampsia|preeclampsia`)},
	"gonorrhea":        {own: re(`gono| gc `)},
	"syphilis":         {own: re(`syph|sifilis|treponem| lues `)},
	"chlamydia":        {own: re(`chlam|clamid|lymphogranuloma`)},
	"hepatitis_b":      {own: re(`hep(atitis)? .*b | hbv |hbsag`)},
	"hepatitis_c":      {own: re(`hep(atitis)? .*c | hcv `)},
	"herpes":           {own: re(`herp| hsv`)},
	"gbs_positive":     {own: re(`strep| gbs |group b`)},
	"chorioamnionitis": {own: re(`corioamn|chorioamn|intra ?amni|amnionitis|triple i`)},
	"first":            {own: re(`lacerat|tear|perine|desgarr`), never: re(` (2nd|second|3rd|third|4th|fourth) `)},
	"second":           {own: re(`lacerat|tear|perine|desgarr`), never: re(` (1st|first|3rd|third|4th|fourth) `)},
	"third":            {own: re(`lacerat|tear|perine|desgarr`), never: re(` (1st|first|2nd|second|4th|fourth) `)},
	"fourth":           {own: re(`lacerat|tear|perine|desgarr`), never: re(` (1st|first|2nd|second|3rd|third) `)},
	"third_or_fourth":  {own: re(`lacerat|tear|perine|desgarr`), never: re(` (1st|first|2nd|second) `)},
	"uterine_rupture":  {own: re(`rupt|dehisc`)},
	"hemorrhage":       {own: re(`h(a?e)?morr|bleed| pph |aton`)},
}

// nearValues matches words that are normal next to a coded value. Examples are "fetus" in "Vaginal
// delivery of fetus", and words for earlier births.
var nearValues = alternatives(`fetal`, `fetus`, `old`, `previous`, `prior`, `after (a )?((previous|prior) )?(cesarean|caesarean|c) ?(section|delivery)?`)

// valueWords has the words for each option that a code may mean. The text next to the code must not
// have some of them, and may have others without contradicting the code (wording).
var valueWords = map[string]wording{
	"vertex":              {never: re(`breech|transverse|shoulder`), natural: nearValues},
	"breech":              {never: re(`vertex|cephalic|transverse`), natural: nearValues},
	"vaginal_spontaneous": {never: re(`ces|caes|section|vacuum|forceps`), natural: nearValues},
	"vaginal_vacuum":      {never: re(`ces|caes|section|forceps`), natural: nearValues},
	"vaginal_forceps":     {never: re(`ces|caes|section|vacuum`), natural: nearValues},
	"cesarean":            {never: re(`vaginal|spontaneous|vacuum|forceps`), natural: nearValues},
	"gbs_found":           {never: re(`negative|not detected|no growth|absent`)},
}

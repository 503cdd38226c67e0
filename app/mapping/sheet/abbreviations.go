package sheet

import (
	"slices"
	"strings"

	"birthregistry/app/birth"
)

// abbreviations maps each value of a field to the texts, in lower case, that clinicians write for
// it. A text that could mean two values isn't listed.
var abbreviations = map[string]map[string]string{
	"delivery_method": {
		"vaginal_spontaneous": "svd|nsvd|nsvb|svb|nsd|nvd|nvb|spont vag|spontaneous vaginal|spontaneous vaginal delivery|spontaneous vaginal birth|" +
			"normal spontaneous vaginal delivery|normal spontaneous vaginal birth|vag spont|svd/wb|vbac|nsvd/vbac|svd vbac|vbac svd",
		"vaginal_vacuum":  "vavd|vavb|vacuum|vacuum assisted|vacuum-assisted|vacuum assisted vaginal delivery|vac|ventouse|kiwi",
		"vaginal_forceps": "favd|favb|forceps|forceps assisted|forceps-assisted",
		"cesarean": "cs|c/s|c-s|c section|c-section|c sec|csection|cesarean section|caesarean|caesarean section|caesarian|cesarian|ltcs|lscs|pltcs|" +
			"rltcs|pcs|rcs|primary c/s|repeat c/s|primary cs|repeat cs|primary cesarean|repeat cesarean|ecs|emcs|elcs|sectio",
	},
	"child_sex": {"female": "girl|fem|f.|g|baby girl", "male": "boy|m.|b|baby boy|masc", "unknown": "?|undetermined|ambiguous|not known"},
	"birth_setting": {
		"birth_center": "bc|fsbc|birthcenter|birthing center|birth ctr|freestanding birth center",
		"hospital":     "hosp|hosp.|hospital birth|l&d",
		"home_planned": "planned home|planned home birth|home birth (planned)|phb",
		"clinic":       "clinic|office",
	},
	"planned_birth_setting": {
		"birth_center": "bc|fsbc|birthing center|birth ctr", "hospital": "hosp|hosp.", "home": "hb|home birth",
	},
	"fetal_presentation": {"vertex": "vtx|vx|cephalic|ceph|oa|op|loa|roa|lop|rop", "breech": "br|frank breech|complete breech|footling breech|footling"},
	"labor_onset_type": {
		"spontaneous": "spont|spon|sol|spontaneous labor|s", "induced": "iol|ind|induction|induced labor", "none": "no labor",
	},
	"perineum": {
		"intact": "int|no tear|no lac|no laceration", "first": "1|1st|1st degree|1°|first degree|1st deg|1 degree|i",
		"second": "2|2nd|2nd degree|2°|second degree|2nd deg|2 degree|ii", "third": "3|3rd|3rd degree|3°|third degree|3rd deg|iii",
		"fourth": "4|4th|4th degree|4°|fourth degree|4th deg|iv", "episiotomy": "epis|mle|epi|episiotomy",
	},
	"principal_payer": {"medicaid": "mcd|medi-cal|title xix", "private": "private|commercial|bcbs", "self_pay": "cash|self|out of pocket"},
	"mother_ethnicity": {
		"hispanic": "latina|latino|hispanic|hisp", "not_hispanic": "non-hispanic|non hispanic|nh|not hispanic",
	},
	"attendant_title": {"md": "m.d.|physician", "do": "d.o.", "cnm_cm": "cnm|cm|nurse midwife|nurse-midwife", "other_midwife": "cpm|lm|cpm, lm|cpm/lm|dem"},
}

// yesWords and noWords list what people write instead of "yes" and "no".
const (
	yesWords = "x|✓|✔|yes.|ja|si|sí|checked|+|pos|positive|done|given|present"
	noWords  = "none|neg|negative|not done|not given|absent|declined"
)

// notes maps an abbreviation to a note for the user. The note says what the abbreviation leaves
// open.
var notes = map[string]string{
	"vbac": "VBAC says vaginal, after a cesarean. If a vacuum or forceps was used, choose that.",
}

// meaning returns the only value that a text can mean in a column. It also returns the note about
// the text (notes), if there is one. The text must come from the function fold. The result code is
// "" if the text isn't a known abbreviation.
func meaning(t *knownColumn, text string) (code, note string) {
	has := func(list string) bool { return slices.Contains(strings.Split(strings.ToLower(list), "|"), text) }
	if t.field == nil || t.field.Kind == birth.Bool {
		switch {
		case t.custom != nil && len(t.custom.Options) > 0:
		case has(yesWords):
			return "yes", ""
		case has(noWords):
			return "no", ""
		}
		return "", ""
	}
	for code, list := range abbreviations[t.field.Name] {
		if has(list) && t.field.HasOption(code) {
			return code, notes[text]
		}
	}
	return "", ""
}

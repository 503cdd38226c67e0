package sheet

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"birthregistry/app/birth"
)

// words maps words in headers to the words that replace them before headers are compared, because
// people abbreviate differently. A word without meaning is replaced by "".
var words = func() map[string]string {
	all := map[string]string{}
	for to, from := range map[string]string{
		"mother":    "mothers mom moms mum mums maternal mat client clients patient patients pt parent woman",
		"child":     "childs baby babys babies bb infant infants inf newborn newborns nb neonate neonatal",
		"last":      "family surname lname",
		"first":     "given forename fname firstname names",
		"dob":       "birthdate birthday born",
		"weight":    "wt weights wgt",
		"ga":        "gest gestation gestational ega",
		"edd":       "edc edb",
		"number":    "no num nr nbr id",
		"week":      "weeks wk wks completed",
		"day":       "days further",
		"minute":    "min mins minutes",
		"apgar":     "apgars",
		"1":         "one",
		"5":         "five",
		"10":        "ten",
		"sex":       "gender",
		"place":     "location site setting",
		"method":    "mode route type",
		"loss":      "ebl qbl",
		"tear":      "laceration lacerations tears lac",
		"lmp":       "lnmp",
		"zip":       "zipcode postal postcode",
		"birth":     "delivery deliveries deliv del delivering",
		"date":      "dt",
		"provider":  "clinician practitioner",
		"length":    "len lgth",
		"pregnancy": "preg",
		"payer":     "payor",
		"residence": "res residential",
		"cesarean":  "caesarean csection",
		"blood":     "bld",
		"head":      "hc",
		"":          "your of the at in by for and a is was s score scores please",
	} {
		for _, word := range strings.Fields(from) {
			all[word] = to
		}
	}
	return all
}()

// phrases replaces phrases in headers, such as "date of birth", with the words that are used to
// compare headers. It is used before the map words.
var phrases = strings.NewReplacer(
	"d.o.b.", "dob", "d.o.b", "dob", "date of birth", "dob", "birth date", "dob", "birth dt", "dob", "date/time", "date time", "date & time", "date time",
	"time of birth", "birth time", "tob", "birth time", "last menstrual period", "lmp", "l.m.p.", "lmp",
	"last normal menstrual period", "lmp", "expected date of delivery", "edd", "estimated date of delivery", "edd",
	"estimated date of confinement", "edd", "estimated due date", "edd", "est. due date", "edd", "est due date", "edd", "due date", "edd", "delivered by", "attendant",
	"birthweight", "birth weight", "bwt", "birth weight", "bw", "birth weight", "birthplace", "birth place", "zip code", "zip",
	"postal code", "zip", "first name", "first", "last name", "last", "given name", "first", "family name", "last",
	"mother's mother", "grandmother", "mothers mother", "grandmother", "medical record number", "chart number", "mrn", "chart number", "m.r.n.", "chart number", "#", " number ", "c/s", "cesarean", "'", "", "’", "",
)

// remarks has the words in parentheses that say how a column is written. Any other word in
// parentheses may say whose column it is, as in "Weight (mother)".
var remarks = func() map[string]bool {
	all := map[string]bool{}
	for _, word := range append(unitTokens, strings.Fields(`m f male female boy girl u y n yes no mm dd yy yyyy hh ss am pm h hr hrs hour
		hours min mins minutes military local time date week weeks wk wks day days d w pound pounds ounce ounces inch in milliliters
		centimeters kilograms completed optional required if known or and to code codes text number whole decimal format e eg ex example`)...) {
		all[word] = true
	}
	return all
}()

// ages lists words that, after a number, mean a time after the birth.
var ages = strings.Fields("h hr hrs hour hours min mins minutes day days d week weeks wk wks w")

// isRemark reports whether the words in parentheses after a header say only how the column is
// written, as in "Time of birth (24 h)" and "(M/F)". It returns false for "(6 weeks)", which says
// when something was measured. It also returns false for "(F)", which may say whose column it is.
func isRemark(text, header string) bool {
	all := strings.FieldsFunc(split(text), notWord)
	has := func(word string) bool { return slices.Contains(all, word) }
	if has("m") != has("f") || strings.ContainsFunc(text, unicode.IsDigit) && slices.ContainsFunc(ages, has) && !strings.Contains(header, "time") {
		return false
	}
	return !slices.ContainsFunc(all, func(word string) bool {
		return !remarks[word] && strings.ContainsFunc(word, unicode.IsLetter)
	})
}

// isPart reports whether the words in parentheses after a header may mean that the column contains
// only part of a weight, as in "Weight (lb)" next to "Weight (oz)".
func isPart(text string) bool {
	return slices.Contains([]string{"lb", "lbs", "pounds", "oz", "ounces"}, strings.Trim(text, " ."))
}

func notWord(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// tokens returns the words that are used to compare a header, in alphabetical order. It leaves out
// a remark in parentheses.
func tokens(header string) []string {
	text := strings.ToLower(splitCapitals(header))
	if at := strings.IndexAny(text, "(["); at > 0 {
		if end := strings.IndexAny(text[at:], ")]"); end > 0 && isRemark(text[at:at+end], text[:at]) && !isPart(text[at+1:at+end]) {
			text = text[:at] + " " + text[at+end+1:]
		}
	}
	text = phrases.Replace(splitWords(text))
	var all []string
	for _, word := range strings.FieldsFunc(split(text), notWord) {
		to, known := words[word]
		if !known {
			to = word
		}
		if to != "" && !slices.Contains(all, to) {
			all = append(all, to)
		}
	}
	if slices.Contains(all, "ga") {
		all = slices.DeleteFunc(all, func(w string) bool { return w == "age" })
	}
	slices.Sort(all)
	return all
}

// synonyms lists further headers for each target, which is what a column may contain. If several
// targets have the same header, the cells of the column show which one is meant. If they don't, the
// user decides.
var synonyms = map[string]string{
	"chart_number":                "chart|chart number|record number|file number|case number|mother number|mother chart number|mr number|birth number",
	"mother_family_name":          "mother last|last",
	"mother_given_names":          "mother first|first",
	motherName:                    "mother name|mother|name|mother last first|last first|mother full name|full name",
	"mother_birth_date":           "mother dob|dob",
	"child_family_name":           "child last|last",
	"child_given_names":           "child first|first|child name",
	childName:                     "child name|child last first|child full name",
	"child_sex":                   "sex|child sex|child|boy girl|girl boy|m f|f m",
	"birth_datetime":              "date delivery|date time delivery|dob time|child dob time|birth date time|date time birth|dob|child dob",
	"birth_date":                  "date delivery|dob|child dob|birth day",
	birthTime:                     "birth time|time|child birth time",
	"birth_weight_g":              "birth weight|weight|child weight|child birth weight|grams",
	weightPounds:                  "lb|lbs|pounds|weight lb|weight lbs|birth weight lb|birth weight lbs|birth weight pounds",
	weightOunces:                  "oz|ounces|weight oz|birth weight oz|birth weight ounces",
	gestation:                     "ga|ga birth|child ga|week|week birth|ga week day|ga w d",
	"gestational_age_weeks":       "ga week|ga birth week|week ga",
	"gestational_age_days":        "ga day|day ga",
	"apgar_one_minute":            "1 apgar|1 apgar minute|1 apgar m",
	"apgar_five_minute":           "5 apgar|5 apgar minute|5 apgar m",
	"apgar_ten_minute":            "10 apgar|10 apgar minute|10 apgar m",
	apgarScores:                   "apgar|1 5 apgar|1 5 apgar minute|1 5 10 apgar|1 5 10 apgar minute",
	"delivery_method":             "birth method|method|birth|birth kind|vaginal cesarean|how was baby born",
	"birth_setting":               "birth place|place|actual birth place|where|where was baby born",
	"planned_birth_setting":       "planned birth place|intended birth place|planned place",
	"facility_name":               "facility|facility name|birth facility|hospital name|hospital",
	"attendant_name":              "attending provider|attending|attendant|attendant name|midwife|attending midwife|provider|birth attendant|attended|midwife name|primary midwife|caught|birth provider|lead midwife|who attended|who attended birth",
	attendant:                     "attending provider|attending|attendant|midwife|provider|birth provider|attending midwife|birth attendant|attended|midwife name|primary midwife|lead midwife|caught|who attended|who attended birth",
	"attendant_credentials":       "credentials|attendant credentials|midwife credentials|creds",
	"mother_postal_code":          "zip|mother zip|zip residence|mother zip residence",
	"estimated_due_date":          "edd|due",
	"last_menstrual_period":       "lmp",
	"gravida":                     "gravida|g|grav|gravidity",
	parity:                        "parity|para|p",
	"blood_loss_ml":               "loss|blood loss|blood estimated loss|est blood loss|blood quantitative loss",
	"perineum":                    "perineum|tear|perineal tear|perineum tear|perineal",
	"fetal_presentation":          "presentation",
	"newborn_length_cm":           "length|child length|birth length",
	"head_circumference_cm":       "head circ|child head circ|head circumference|head|child head circumference|circumference head|ofc",
	"mother_height_in":            "height mother|height|ht mother",
	"delivery_weight_lb":          "mother birth weight",
	"prepregnancy_weight_lb":      "prepregnancy weight|pre pregnancy weight|mother prepregnancy weight|mother pre pregnancy weight",
	"prenatal_visit_count":        "prenatal visits|number prenatal visits|pnv|pnv number|prenatal visits number|visits",
	"labor_onset_datetime":        "labor onset|labor onset time|onset labor date time",
	"labor_onset_type":            "labor onset|labor onset method|labor method|labor",
	"membranes_ruptured_datetime": "rom|rom date time|membranes ruptured|rupture membranes|rupture membranes date time",
	"principal_payer":             "payer|insurance|payment|birth payment|primary payer|primary insurance|payer type|insurance type",
	"mother_race":                 "race|mother race",
	"mother_ethnicity":            "ethnicity|mother ethnicity",
	"mother_education":            "education|mother education",
	"water_immersion":             "water immersion",
	"birth_order":                 "birth order",
	"plurality":                   "plurality",
	"previous_cesareans":          "previous cesareans|prior cesareans|prior cesarean number",
}

// guesser finds the possible targets for a header, which are what a column with this header may
// contain.
type guesser struct {
	exact  map[string]*knownColumn
	byName map[string]*knownColumn
	tokens map[string][]*knownColumn // by the tokens of a header, the best target first
}

func (c Format) guesser() *guesser {
	g := &guesser{exact: c.index(), byName: map[string]*knownColumn{}, tokens: map[string][]*knownColumn{}}
	all := c.targets()
	for i := range all {
		g.byName[all[i].name] = &all[i]
	}
	for name, list := range synonyms {
		for header := range strings.SplitSeq(list, "|") {
			g.add(header, g.byName[name])
		}
	}
	stated := maps.Clone(g.tokens)
	for i := range all {
		if t := &all[i]; t.read == nil && stated[strings.Join(tokens(t.label), " ")] == nil {
			g.add(t.label, t)
		}
	}
	order := map[*knownColumn]int{}
	for i := range all {
		order[&all[i]] = i
	}
	for _, list := range g.tokens { // sorted, because a map has no order
		slices.SortFunc(list, func(a, b *knownColumn) int { return order[a] - order[b] })
	}
	return g
}

func (g *guesser) add(header string, t *knownColumn) {
	key := strings.Join(tokens(header), " ")
	if key != "" && !slices.Contains(g.tokens[key], t) {
		g.tokens[key] = append(g.tokens[key], t)
	}
}

// candidates returns the possible targets for a header, best first. The result exact is true if the
// header is one of the registry's names.
func (g *guesser) candidates(header string) (all []*knownColumn, exact bool) {
	if t := g.exact[plain(header)]; t != nil && (t.name != "birth_date" || strings.EqualFold(strings.TrimSpace(header), t.name)) { // except a date of birth, which may be the mother's or the child's
		return []*knownColumn{t}, true
	}
	return g.loose(header), false
}

// loose returns the targets that a header may stand for, best first. It looks only at the header's
// words and ignores their order.
func (g *guesser) loose(header string) []*knownColumn {
	if group, name, both := strings.Cut(header, groupMark); both {
		name = strings.ReplaceAll(name, groupMark, " ") // a cell may hold the mark itself, and each mark would double the work
		if found := g.loose(group + " " + name); len(found) > 0 || namesPerson(group) {
			return found
		}
		return g.loose(name)
	}
	own := tokens(header)
	for _, without := range [][]string{nil, {"child"}, {"mother"}, {"birth"}, {"child", "birth"}, {"name"}, {"date"}, unitTokens} {
		rest := slices.DeleteFunc(slices.Clone(own), func(w string) bool { return slices.Contains(without, w) })
		if len(rest) == 0 || without != nil && len(rest) == len(own) || len(without) == 2 && len(rest)+2 != len(own) {
			continue
		}
		found := slices.DeleteFunc(slices.Clone(g.tokens[strings.Join(rest, " ")]), func(t *knownColumn) bool {
			return slices.Contains(without, "child") && t.subject() != birth.Child || slices.Contains(without, "mother") && t.subject() != birth.Mother ||
				slices.Contains(without, "birth") && (t.subject() == birth.Mother || t.names()) || // "First birth" names nobody
				slices.Contains(without, "g") && t.field != nil && t.field.Unit == "" // in "G/P", the g isn't a gram
		})
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

// unitTokens lists words for units in headers. Pounds and ounces may each have their own column.
var unitTokens = []string{"g", "gm", "gms", "gram", "grams", "kg", "kgs", "lb", "lbs", "oz", "cm", "cms", "ml", "cc", "inches"}

// namesPerson reports whether a header names a person. If a group's header names a person, a column
// in this group is never matched by its own header alone.
func namesPerson(header string) bool {
	return slices.ContainsFunc(tokens(header), func(w string) bool {
		return slices.Contains([]string{"mother", "child", "father", "fathers", "dad", "partner", "partners", "husband", "spouse"}, w)
	})
}

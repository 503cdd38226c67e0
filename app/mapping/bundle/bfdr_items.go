package bundle

import (
	"maps"
	"slices"
	"strings"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

// BFDRItem is an item on a certificate of birth or fetal death, such as gestational diabetes. In
// BFDR 2.0.0, it is a code within a category, usually in a Procedure or a Condition. It may also be
// in an Observation, whose code is then the category and whose value is the item. Such Observations
// are always read. The spine says which fields and values belong to an item.
type BFDRItem struct {
	// Profile is the last part of the canonical URL of the item's profile. It begins with
	// the resource type.
	Profile  string
	Category string // LOINC
	System   string
	Code     string
}

const (
	nullFlavor = "http://terminology.hl7.org/CodeSystem/v3-NullFlavor"
	// bfdrCodes is the current name of BFDR's own code system.
	bfdrCodes = "http://hl7.org/fhir/us/bfdr/CodeSystem/CodeSystem-local-bfdr-codes"

	// NoneOfThese is the SNOMED CT code "None". It means that no item of the category applies.
	NoneOfThese = "260413007"
)

// BFDRItems lists the items of BFDR 2.0.0 that are also in the spine, grouped by category. For some
// of them, BFDR itself uses an Observation.
var BFDRItems = slices.Concat(
	itemsOf(riskCategory, mapping.SNOMEDURL, [][]string{
		{"Condition-prepregnancy-diabetes", "73211009"},
		{"Condition-gestational-diabetes", "11687002"},
		{"Condition-prepregnancy-hypertension", "38341003"},
		{"Condition-gestational-hypertension", "48194001"},
		{"Condition-eclampsia-hypertension", "15938005"},
		{"Procedure-infertility-treatment", "773261007"},
		{"Procedure-fertility-enhancing-drug-therapy-artificial-insem", "445151000124101", "58533008", "265064001"},
		{"Procedure-assisted-reproductive-technology", "63487001"},
		{"Observation-previous-preterm-birth", "161765003"},
		{"Observation-previous-cesarean", "200144004"},
	}),
	itemsOf(infectionCategory, mapping.SNOMEDURL, [][]string{
		{"Condition-infection-present-during-pregnancy", "15628003", "76272004", "105629000", "66071002", "50711007", "33839006"},
	}),
	itemsOf(ObstetricProcedures, mapping.SNOMEDURL, [][]string{{"Procedure-obstetric", "240278000"}}),
	itemsOf("73813-8", mapping.SNOMEDURL, [][]string{
		{"Procedure-induction-of-labor", "236958009"},
		{"Procedure-augmentation-of-labor", "237001001"},
		{"Observation-steroids-fetal-lung-maturation", "434611000124106"},
		{"Observation-antibiotics-during-labor", "434691000124101"},
		{"Condition-chorioamnionitis", "11612004"},
		{"Procedure-epidural-or-spinal-anesthesia", "18946005"},
	}),
	itemsOf("73762-7", mapping.SNOMEDURL, [][]string{
		{"Procedure-final-route-method-delivery", "700000006", "302383004", "61586001", "11466000"},
	}),
	itemsOf("73781-7", mapping.SNOMEDURL, [][]string{
		{"Procedure-blood-transfusion", "116859006"},
		{"Condition-perineal-laceration", "398019008"},
		{"Condition-ruptured-uterus", "34430009"},
		{"Procedure-unplanned-hysterectomy", "236987005"},
		{"Observation-icu-admission", "309904001"},
	}),
	itemsOf("73812-0", bfdrCodes, [][]string{
		{"Procedure-assisted-ventilation-following-delivery", "assistedventfollowingdelivery"},
		{"Procedure-assisted-ventilation-more-than-six-hours", "assistedventmorethan6hrs"},
	}),
	itemsOf("73812-0", mapping.SNOMEDURL, [][]string{
		{"Observation-nicu-admission", "830077005"},
		{"Procedure-surfactant-replacement-therapy", "434701000124101"},
		{"Procedure-antibiotic-suspected-neonatal-sepsis", "434621000124103"},
		{"Condition-seizure", "91175000"},
	}),
	itemsOf("73780-9", mapping.SNOMEDURL, [][]string{
		{
			"Condition-congenital-anomaly-of-newborn",
			"89369001", "67531005", "12770006", "17190001", "18735004", "72951007", "67341007", "80281008",
			"87979003", "70156005", "409709004", "416010008",
		},
	}),
	itemsOf("73780-9", nullFlavor, [][]string{{"Condition-congenital-anomaly-of-newborn", "OTH"}}),
	itemsOf("76060-3", mapping.SNOMEDURL, [][]string{
		append([]string{"Condition-fetal-death-initiating-cause-or-condition"}, fetalDeathCauses...),
	}),
	itemsOf("76061-1", mapping.SNOMEDURL, [][]string{
		append([]string{"Condition-fetal-death-other-cause-or-condition"}, fetalDeathCauses...),
	}),
)

// fetalDeathCauses lists the codes for causes of a fetal death. They are used both for the
// initiating cause and for any other cause.
var fetalDeathCauses = []string{
	"44223004", "415105001", "237292005", "270500004", "11612004", "702709008", "277489001", "128270001",
}

// LOINC codes of categories that this package treats in a special way.
const (
	riskCategory        = "73775-9"
	infectionCategory   = "72519-2"
	routeCategory       = "73762-7"
	anomalyCategory     = "73780-9"
	ObstetricProcedures = "73814-6"
)

// SNOMED CT codes for the outcomes of a Procedure, and for a cesarean as the route of delivery.
const (
	successful    = "385669000"
	unsuccessful  = "385671000"
	cesareanRoute = "11466000"
)

// gestational lists the risk factors that begin during the pregnancy. ofEarlierBirth lists the risk
// factors that are about an earlier birth.
var (
	gestational    = []string{"11687002", "48194001", "15938005"}
	ofEarlierBirth = []string{"161765003", "200144004"}
)

// itemsOf returns the items of a category. Each row has a profile, followed by the codes for which
// it is used.
func itemsOf(category, system string, rows [][]string) (items []BFDRItem) {
	for _, row := range rows {
		for _, code := range row[1:] {
			items = append(items, BFDRItem{Profile: row[0], Category: category, System: system, Code: code})
		}
	}
	return items
}

// Resource returns the type of resource that BFDR uses for the item.
func (i BFDRItem) Resource() string {
	kind, _, _ := strings.Cut(i.Profile, "-")
	return kind
}

// States returns the fields of the spine that the item sets, with their values.
func (i BFDRItem) States() (all []birth.Stated) {
	for _, s := range statedBy(i.Category, i.Code) {
		all = append(all, birth.Stated{Field: s.Field, Value: s.Value})
	}
	return all
}

// HasNone reports whether a category allows the answer "none of these".
func HasNone(category string) bool { return len(statedBy(category, NoneOfThese)) > 0 }

// earlierProfiles maps names of profiles to the categories of their items. These names were used in
// BFDR builds before 2.0.0.
var earlierProfiles = map[string]string{
	"procedure-artificial-insemination":                 "73775-9",
	"procedure-assisted-fertilization":                  "73775-9",
	"procedure-fertility-enhancing-drug-therapy":        "73775-9",
	"condition-fetal-death-cause-or-condition":          "76060-3",
	"observation-antibiotics-administered-during-labor": "73813-8",
}

// profileCategories maps the name of a profile, in lower case, to the category of its items.
var profileCategories = func() map[string]string {
	all := maps.Clone(earlierProfiles)
	for _, i := range BFDRItems {
		all[strings.ToLower(i.Profile)] = i.Category
	}
	return all
}()

// knownItems maps a category and a code to the item. It also has "none of these" for every
// category.
var knownItems = func() map[[2]string]BFDRItem {
	all := map[[2]string]BFDRItem{}
	for _, i := range BFDRItems {
		all[[2]string{i.Category, i.Code}] = i
		all[[2]string{i.Category, NoneOfThese}] = BFDRItem{Category: i.Category, System: mapping.SNOMEDURL, Code: NoneOfThese}
	}
	return all
}()

// itemIn returns the item of a category that a concept's codes stand for. A code must have the
// item's system or no system. itemIn returns false if the codes stand for no item, or for several.
func itemIn(category string, c fhir.CodeableConcept) (found BFDRItem, ok bool) {
	for _, coding := range c.Coding {
		i, known := knownItems[[2]string{category, coding.Code}]
		if !known || !ofSystem(coding.System, i.System) {
			continue
		}
		if ok && found.Code != i.Code {
			return BFDRItem{}, false
		}
		found, ok = i, true
	}
	return found, ok
}

// ofSystem reports whether the system of a coding is the wanted one, by any of its names. It also
// returns true if the coding has no system.
func ofSystem(system, want string) bool {
	return system == "" || birth.SystemOf(system) == birth.SystemOf(want)
}

// means reports whether a concept has this code, with this system or without a system.
func means(c fhir.CodeableConcept, system, code string) bool {
	return slices.ContainsFunc(c.Coding, func(coding fhir.Coding) bool {
		return coding.Code == code && ofSystem(coding.System, system)
	})
}

// statedBy returns the fields of the spine that an item of a category sets, with their values.
func statedBy(category, code string) (all []mapping.FieldValue) {
	is := func(c birth.Coding) bool { return c.Code == code }
	for _, f := range birth.Spine {
		if !slices.Contains(f.Codes, category) {
			continue
		}
		option := f.OptionFor("", code, false)
		switch {
		case slices.ContainsFunc(f.Yes, is) && f.Kind == birth.Int:
			all = append(all, mapping.FieldValue{Field: f, Value: birth.Value{Number: 1}})
		case slices.ContainsFunc(f.Yes, is):
			all = append(all, mapping.FieldValue{Field: f, Value: birth.Value{Flag: true}})
		case slices.ContainsFunc(f.No, is):
			all = append(all, mapping.FieldValue{Field: f, Value: birth.Value{}})
		case option != "" && f.Kind == birth.Codes:
			all = append(all, mapping.FieldValue{Field: f, Value: birth.Value{Set: []string{option}}})
		case option != "":
			all = append(all, mapping.FieldValue{Field: f, Value: birth.Value{Text: option}})
		}
	}
	return all
}

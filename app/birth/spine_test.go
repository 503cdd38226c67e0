package birth_test

import (
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
)

// Whether a field is sealed is a decision about each field. This test fails for a field that
// is new, renamed or moved from one list to the other, so that nobody makes that decision by
// accident.
var sealed = []string{
	"mother_family_name", "mother_given_names", "mother_birth_date", "mother_postal_code", "mother_race", "mother_ethnicity",
	"mother_education", "mother_married", "child_family_name", "child_given_names", "child_sex", "birth_datetime", "birth_date",
	"last_live_birth_date", "last_other_outcome_date", "last_menstrual_period", "estimated_due_date", "prenatal_first_visit_date", "facility_name",
	"labor_onset_datetime", "membranes_ruptured_datetime", "active_labor_datetime", "full_dilation_datetime", "pushing_datetime",
	"placenta_datetime", "mother_readmission_date", "newborn_readmission_date",
}

var readable = []string{
	// derived from sealed values, so that statistics need no unsealing
	"mother_age_years", "birth_month",
	// history
	"gravida", "parity", "previous_live_births_living", "previous_live_births_dead", "other_pregnancy_outcomes",
	"previous_cesareans", "previous_preterm_birth", "prenatal_visit_count", "prenatal_care_site", "mother_height_in",
	"prepregnancy_weight_lb", "delivery_weight_lb", "cigarettes_per_day_pre", "cigarettes_per_day_t1", "cigarettes_per_day_t2",
	"cigarettes_per_day_t3", "wic_received", "principal_payer", "risk_factors", "infections", "obstetric_procedures",
	// place and people
	"planned_birth_setting", "planned_birth_setting_booking", "planned_birth_setting_admission", "birth_setting", "attendant_type", "attendant_title", "attendant_name", "attendant_credentials",
	"doula_present", "water_immersion",
	// labor and birth
	"labor_onset_type", "induction_agents", "induction_indication", "labor_augmented", "augmentation_agents", "pain_relief",
	"antibiotics_in_labor", "steroids_lung_maturation", "chorioamnionitis", "fetal_presentation", "birth_position",
	"delivery_method", "trial_of_labor", "stat_cesarean", "vbac", "perineum", "blood_loss_ml", "maternal_morbidity",
	"fetal_monitoring", "shoulder_dystocia", "cord_prolapse", "meconium", "tear_repair", "third_stage_management", "uterotonics",
	"retained_placenta",
	"newborn_length_cm", "head_circumference_cm", "resuscitation_steps", "skin_to_skin", "breastfeeding_initiated", "vitamin_k",
	"eye_prophylaxis", "perinatal_death", "age_at_death_hours", "fetal_death_cause", "fetal_death_other_causes", "nicu_days",
	"blood_spot_screening", "hearing_screening", "heart_screening",
	// after the birth
	"mother_six_weeks", "mother_readmitted", "maternal_death", "maternal_death_days", "depression_screening", "newborn_six_weeks",
	"newborn_readmitted",
	// newborn
	"plurality", "live_births_this_delivery", "fetal_deaths_this_delivery", "birth_order", "birth_weight_g", "gestational_age_weeks", "gestational_age_days", "apgar_one_minute",
	"apgar_five_minute", "apgar_ten_minute", "delayed_cord_clamping", "cord_clamping_seconds", "live_birth", "infant_living",
	"fetal_death_time_point", "autopsy", "placental_histology", "autopsy_histology_used", "newborn_conditions", "congenital_anomalies", "breastfed_at_discharge", "breastfed_six_weeks",
}

func TestEachFieldDecidesWhetherItIsSealed(t *testing.T) {
	var isSealed, isReadable []string
	for _, f := range birth.Spine {
		if f.Sealed {
			isSealed = append(isSealed, f.Name)
		} else {
			isReadable = append(isReadable, f.Name)
		}
	}
	require.ElementsMatch(t, sealed, isSealed)
	require.ElementsMatch(t, readable, isReadable)
}

func TestEveryFieldNameIsUniqueAndCanBeAColumnAnAttributeAndACode(t *testing.T) {
	names := map[string]bool{}
	for _, f := range birth.Spine {
		require.False(t, names[f.Name], "%s is declared twice", f.Name)
		names[f.Name] = true
		require.Regexp(t, regexp.MustCompile(`^[a-z][a-z0-9_]{2,40}$`), f.Name)
		require.NotEmpty(t, f.Label, f.Name)
		require.Same(t, f, birth.Lookup(f.Name))
		require.Same(t, f, birth.Must(f.Name))
	}
	require.Nil(t, birth.Lookup("no_such_field"))
	require.Panics(t, func() { birth.Must("no_such_field") })
}

// The codes that several fields share; the value says which field is meant (bfdr-mapping,
// "category").
var categories = []string{"73775-9", "73813-8", "73781-7", "73762-7", "inputraceandethnicityMother"}

func TestOnlyCodesOfACategoryAreReadAsSeveralFields(t *testing.T) {
	reader := map[string]string{}
	for _, f := range birth.Spine {
		require.NotContains(t, reader, f.Name, "a code is the name of a field")
		for _, code := range f.Codes {
			if slices.Contains(categories, code) {
				continue
			}
			require.Empty(t, reader[code], "%s and %s are both read from %s", f.Name, reader[code], code)
			reader[code] = f.Name
			require.Regexp(t, regexp.MustCompile(`^\d{1,7}-\d$`), code, "%s: no LOINC code", f.Name)
		}
	}
}

// A number or text that registries use for "unknown" isn't a value, whichever reader it comes from:
// all values pass through Accept.
func TestTheSpineReadsRegistryCodesForUnknownAsNull(t *testing.T) {
	for field, codes := range map[string][]float64{
		"birth_weight_g": {9999, 0}, "gestational_age_weeks": {99, 88, 0}, "gestational_age_days": {9, 99}, "apgar_one_minute": {99, 88},
		"apgar_five_minute": {99, 88}, "apgar_ten_minute": {99, 88}, "mother_height_in": {99, 999}, "prepregnancy_weight_lb": {999, 9999},
		"delivery_weight_lb": {999, 9999}, "cigarettes_per_day_pre": {99, 999}, "cigarettes_per_day_t1": {99}, "cigarettes_per_day_t2": {99},
		"cigarettes_per_day_t3": {99}, "prenatal_visit_count": {99}, "previous_live_births_living": {99, 88},
		"previous_live_births_dead": {99, 88}, "other_pregnancy_outcomes": {99, 88}, "previous_cesareans": {99, 88}, "gravida": {99},
		"parity": {99}, "plurality": {99, 88, 0}, "birth_order": {99, 88, 0}, "live_births_this_delivery": {99, 88},
		"fetal_deaths_this_delivery": {99, 88}, "mother_age_years": {99, 999}, "blood_loss_ml": {9999, 99999},
		"cord_clamping_seconds": {9999, 99999}, "newborn_length_cm": {99, 999}, "head_circumference_cm": {99, 999},
		"age_at_death_hours": {9999}, "nicu_days": {999, 9999}, "maternal_death_days": {999, 9999},
	} {
		for _, n := range append(codes, -1) {
			_, ok := birth.Must(field).Accept(birth.Value{Number: n})
			require.False(t, ok, "%s %v", field, n)
		}
	}
	for _, f := range birth.Spine {
		if f.Kind == birth.Int || f.Kind == birth.Decimal {
			require.Less(t, f.Max, 9999.0, f.Name)
		}
		texts := f.Unknown
		if f.Kind == birth.Date || f.Kind == birth.DateTime {
			texts = []string{"9999-09-09", "9999", "99999999", "1900-01-01"}
		}
		for _, text := range texts {
			_, ok := f.Accept(birth.Value{Text: text})
			require.False(t, ok, "%s %s", f.Name, text)
			require.NotEmpty(t, f.Fault(birth.Value{Text: text}), "a person is told")
		}
	}
	for field, text := range map[string]string{"mother_postal_code": " 99999 ", "mother_family_name": "Unknown", "child_given_names": "UNK"} {
		_, ok := birth.Must(field).Accept(birth.Value{Text: text})
		require.False(t, ok, "%s %s", field, text)
	}
}

// luhn checks the check digit of a LOINC code (mod 10), so that a typing error is noticed.
func luhn(code string) bool {
	sum, double := 0, true
	for i := len(code) - 3; i >= 0; i-- {
		n := int(code[i] - '0')
		if double {
			if n *= 2; n > 9 {
				n -= 9
			}
		}
		sum, double = sum+n, !double
	}
	return (10-sum%10)%10 == int(code[len(code)-1]-'0')
}

func TestEveryLOINCCodeHasItsCheckDigit(t *testing.T) {
	require.False(t, luhn("8339-5"))
	for _, f := range birth.Spine {
		for _, code := range f.Codes {
			if code != "inputraceandethnicityMother" {
				require.True(t, luhn(code), "%s: %s", f.Name, code)
			}
		}
	}
}

func TestEveryOptionCodeIsUniqueInItsField(t *testing.T) {
	for _, f := range birth.Spine {
		means := map[string]string{}
		for _, o := range f.Options {
			require.NotEmpty(t, o.Label, "%s %s", f.Name, o.Code)
			for _, c := range slices.Concat([]birth.Coding{{System: birth.Own, Code: o.Code}}, o.Codings, o.Drugs) {
				require.NotEmpty(t, c.Code, "%s %s", f.Name, o.Code)
				require.Empty(t, means[c.Code], "%s: %s means %s and %s", f.Name, c.Code, o.Code, means[c.Code])
				means[c.Code] = o.Code
				require.Equal(t, o.Code, f.OptionFor("", c.Code, true))
			}
			require.Equal(t, o.Label, f.LabelOf(o.Code))
		}
		require.Empty(t, f.OptionFor("", "", true), f.Name)
		require.Empty(t, f.OptionFor("", "no such code", true), f.Name)
	}
}

func TestADrugNameAloneMeansNothing(t *testing.T) {
	require.Equal(t, "oxytocin", birth.Must("induction_agents").OptionFor("", "7824", true))
	require.Empty(t, birth.Must("induction_agents").OptionFor("", "7824", false))
}

// addresses are the URIs and OIDs by which documents name each system.
var addresses = map[birth.System][]string{
	birth.Own:   {"urn:birthregistry:spine"},
	birth.LOINC: {"http://loinc.org", "http://loinc.org/", "https://loinc.org", "http://www.loinc.org", "urn:oid:2.16.840.1.113883.6.1"},
	birth.SNOMED: {
		"http://snomed.info/sct", "http://snomed.info/sct/731000124108", "http://snomed.info/sct|http://snomed.info/sct/731000124108",
		"urn:oid:2.16.840.1.113883.6.96",
	},
	birth.RxNorm:     {"http://www.nlm.nih.gov/research/umls/rxnorm"},
	birth.NUCC:       {"http://nucc.org/provider-taxonomy"},
	birth.NullFlavor: {"http://terminology.hl7.org/CodeSystem/v3-NullFlavor", "http://hl7.org/fhir/v3/NullFlavor"},
	birth.YesNo:      {"http://terminology.hl7.org/CodeSystem/v2-0136", "http://terminology.hl7.org/CodeSystem/v2-0532", "http://hl7.org/fhir/v2/0136"},
	birth.Education: {
		"http://terminology.hl7.org/CodeSystem/v3-EducationLevel", "http://terminology.hl7.org/CodeSystem/v2-0360", "urn:oid:2.16.840.1.114222.4.5.274",
	},
	birth.Sex:   {"http://hl7.org/fhir/administrative-gender", "http://terminology.hl7.org/CodeSystem/v3-AdministrativeGender"},
	birth.Race:  {"urn:oid:2.16.840.1.113883.6.238"},
	birth.Payer: {"https://nahdo.org/sopt"},
	birth.VitalRecords: {
		"http://hl7.org/fhir/us/vr-common-library/CodeSystem/codesystem-vr-component",
		"http://hl7.org/fhir/us/vr-common-library/CodeSystem/CodeSystem-local-observation-codes-vr",
		"http://hl7.org/fhir/us/bfdr/CodeSystem/CodeSystem-local-bfdr-codes", "https://profiles.ihe.net/QRPH/bfdr/CodeSystem/CodeSystem-local-bfdr-codes",
		"https://build.fhir.org/ig/HL7/vr-common-library/CodeSystem-CodeSystem-local-observation-codes-vr.html",
		"http://hl7.org/fhir/us/vr-common-library/2024Jan/CodeSystem-codesystem-vr-component",
		"http://hl7.org/fhir/us/bfdr/CodeSystem/CodeSystem-vr-birth-delivery-occurred", "http://hl7.org/fhir/us/vrdr/CodeSystem/vrdr-component-cs",
	},
	birth.HL7:     {"http://terminology.hl7.org/CodeSystem/v3-RoleCode", "http://terminology.hl7.org/CodeSystem/admit-source", "http://hl7.org/fhir/admit-source"},
	birth.Foreign: {"urn:any", "http://example.org/loinc.org", "http://hl7.org/fhir/us/other/CodeSystem/x", "motherOrFather"},
}

func TestACodeSystemIsKnownByEveryURLThatDocumentsUse(t *testing.T) {
	for system, all := range addresses {
		for _, address := range all {
			require.Equal(t, system, birth.SystemOf(address), address)
		}
	}
}

func TestACodingCountsWithItsOwnSystemOrNoneNeverWithAnothers(t *testing.T) {
	for _, f := range birth.Spine {
		for _, o := range f.Options {
			for _, c := range slices.Concat([]birth.Coding{{System: birth.Own, Code: o.Code}}, o.Codings, o.Drugs) {
				require.NotEqual(t, birth.Foreign, c.System, "%s %s", f.Name, c.Code)
				for system, all := range addresses {
					for _, address := range all {
						want := map[bool]string{true: o.Code}[system == c.System]
						require.Equal(t, want, f.OptionFor(address, c.Code, true), "%s %s %s", f.Name, address, c.Code)
					}
				}
			}
		}
	}
}

func TestEveryFieldHasWhatItsKindNeeds(t *testing.T) {
	for _, f := range birth.Spine {
		coded := f.Kind == birth.Code || f.Kind == birth.Codes
		number := f.Kind == birth.Int || f.Kind == birth.Decimal
		require.Equal(t, coded, len(f.Options) > 0, "%s: options", f.Name)
		require.Equal(t, number, f.Max > 0, "%s: a number needs a range", f.Name)
		require.LessOrEqual(t, f.Min, f.Max, f.Name)
		require.False(t, f.Unit != "" && !number, "%s: a unit without a number", f.Name)
		require.False(t, f.Shared && f.About != birth.Child, "%s: only a child's field is shared", f.Name)
		require.Equal(t, len(f.Yes) > 0, len(f.No) > 0, "%s: a finding that says yes and none that says no", f.Name)
		require.False(t, len(f.Yes) > 0 && f.Kind != birth.Bool && f.Kind != birth.Int, f.Name)
		require.False(t, f.Derived && len(f.Codes) > 0, "%s: derived values are not read", f.Name)
		require.NotEmpty(t, f.Kind.String())
		require.NotEmpty(t, f.About.String())
		require.Equal(t, f.Unit == "" || f.Unit == "{score}", f.UnitLabel() == "", f.Name)
	}
}

// The fields that the spec names as added most recently are all there.
func TestTheSpecsOwnFieldsAreOnTheSpine(t *testing.T) {
	for _, name := range []string{
		"birth_position", "induction_indication", "doula_present", "delayed_cord_clamping", "stat_cesarean", "induction_agents",
		"augmentation_agents", "prenatal_care_site", "apgar_ten_minute",
	} {
		require.NotNil(t, birth.Lookup(name), name)
	}
}

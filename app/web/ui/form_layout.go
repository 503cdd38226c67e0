package ui

import (
	"birthregistry/app/birth"
)

// formPart is a section of the form "Record a birth". It lists the section's fields, which are
// fields of the spine. The spine lists all fields of a record. first has the fields that most
// births need, in the order in which a midwife recounts a birth. more has the fields that are
// hidden until the user opens them. A test verifies that every field of the form is in a section.
type formPart struct {
	id, title   string
	intro       string
	about       birth.Subject
	first, more []string
}

var (
	partMother = formPart{
		id: "mother", title: "Mother", about: birth.Mother,
		first: []string{"mother_family_name", "mother_given_names", "mother_birth_date", "mother_postal_code"},
		more:  []string{"mother_age_years", "mother_race", "mother_ethnicity", "mother_education", "mother_married", "principal_payer"},
	}
	partPregnancy = formPart{
		id: "pregnancy", title: "Pregnancy", about: birth.Mother,
		first: []string{"gravida", "parity", "estimated_due_date", "prenatal_visit_count", "previous_cesareans", "risk_factors"},
		more: []string{
			"last_menstrual_period", "prenatal_first_visit_date", "prenatal_care_site", "previous_live_births_living",
			"previous_live_births_dead", "other_pregnancy_outcomes", "last_live_birth_date", "last_other_outcome_date", "previous_preterm_birth",
			"infections", "obstetric_procedures", "planned_birth_setting_booking",
			"mother_height_in", "prepregnancy_weight_lb", "delivery_weight_lb", "cigarettes_per_day_pre", "cigarettes_per_day_t1",
			"cigarettes_per_day_t2", "cigarettes_per_day_t3", "wic_received",
		},
	}
	partLabor = formPart{
		id: "labor", title: "Labor", about: birth.Mother,
		first: []string{"planned_birth_setting", "labor_onset_type", "labor_onset_datetime", "membranes_ruptured_datetime"},
		more: []string{
			"induction_agents", "induction_indication", "labor_augmented", "augmentation_agents", "pain_relief",
			"antibiotics_in_labor", "steroids_lung_maturation", "chorioamnionitis", "planned_birth_setting_admission",
			"active_labor_datetime", "full_dilation_datetime", "pushing_datetime", "fetal_monitoring",
		},
	}
	partBirth = formPart{
		id: "birth", title: "Birth", about: birth.Mother,
		first: []string{"birth_setting", "birth_position", "water_immersion", "perineum", "blood_loss_ml"},
		more: []string{
			"facility_name", "plurality", "live_births_this_delivery", "fetal_deaths_this_delivery", "trial_of_labor", "stat_cesarean",
			"placenta_datetime", "third_stage_management", "uterotonics", "retained_placenta", "tear_repair",
		},
	}
	partNewborn = formPart{
		id: "newborns", title: "Newborn", about: birth.Child,
		first: []string{
			"birth_date", "birth_datetime", "child_sex", "live_birth", "delivery_method", "birth_weight_g",
			"gestational_age_weeks", "gestational_age_days", "apgar_one_minute", "apgar_five_minute", "delayed_cord_clamping",
		},
		more: []string{
			"child_family_name", "child_given_names", "birth_order", "fetal_presentation", "apgar_ten_minute", "cord_clamping_seconds",
			"shoulder_dystocia", "cord_prolapse", "meconium", "newborn_length_cm", "head_circumference_cm", "resuscitation_steps",
			"skin_to_skin", "breastfeeding_initiated", "vitamin_k", "eye_prophylaxis",
			"newborn_conditions", "congenital_anomalies", "fetal_death_time_point", "fetal_death_cause", "fetal_death_other_causes",
			"autopsy", "placental_histology",
			"autopsy_histology_used",
		},
	}
	partProviders = formPart{
		id: "people", title: "People present", about: birth.Care,
		intro: "Who attended the birth, and who else was there.",
		first: []string{"doula_present"},
		more:  []string{"attendant_title"},
	}
	partAfter = formPart{
		id: "after", title: "After the birth", about: birth.Mother,
		first: []string{"maternal_morbidity"},
		more: []string{
			"mother_six_weeks", "mother_readmitted", "mother_readmission_date", "maternal_death", "maternal_death_days",
			"depression_screening",
		},
	}
	// partAfterChild comes after the part about the mother. It is repeated for each newborn.
	partAfterChild = formPart{
		about: birth.Child,
		first: []string{"infant_living", "breastfed_at_discharge", "breastfed_six_weeks"},
		more: []string{
			"nicu_days", "blood_spot_screening", "hearing_screening", "heart_screening", "perinatal_death", "age_at_death_hours",
			"newborn_six_weeks", "newborn_readmitted", "newborn_readmission_date",
		},
	}
)

// formParts lists the sections that have fields of the spine. The page adds the other sections:
// transfers, consent, and the practice's custom fields.
var formParts = []formPart{partMother, partPregnancy, partLabor, partBirth, partNewborn, partProviders, partAfter, partAfterChild}

// gestationDays is a field that usually has no box, because users type weeks and days together
// (39+4). It gets a box only if the days can't be shown with the weeks, for example because only
// the days are known.
const gestationDays = "gestational_age_days"

// formHints maps fields to hints. A field has a hint if its label and unit don't suffice to explain
// what to type.
var formHints = map[string]string{
	"mother_age_years":           "Only if her date of birth is not known.",
	"birth_weight_g":             "In grams, or write 7 lb 9 oz.",
	"mother_height_in":           "In inches, or write 5 ft 6 in.",
	"prepregnancy_weight_lb":     "In pounds, or write 60 kg.",
	"delivery_weight_lb":         "In pounds, or write 60 kg.",
	"plurality":                  "If empty on a new record, it is the number of newborns on this form.",
	"birth_datetime":             "Such as 1618 or 4:18 pm.",
	"gestational_age_weeks":      "Weeks and days, such as 39+4.",
	"consent.granted":            "Consent to count this birth in figures across practices and in the file of the yearly report. If nothing is stated, consent counts as not granted.",
	"chart_number":               "If empty, the registry assigns a number.",
	"person.role":                "If empty, the registry derives it from the credentials.",
	"live_births_this_delivery":  "If it was not a single birth.",
	"fetal_deaths_this_delivery": "If it was not a single birth.",
	"fetal_death_time_point":     "For a fetal death.",
	"fetal_death_cause":          "For a fetal death.",
	"fetal_death_other_causes":   "For a fetal death.",
	"newborn_length_cm":          "In centimeters, or write 20 in.",
	"head_circumference_cm":      "In centimeters, or write 14 in.",
	"age_at_death_hours":         "In hours, or write 3 days.",
	"autopsy":                    "For a fetal death.",
	"placental_histology":        "For a fetal death.",
	"autopsy_histology_used":     "For a fetal death.",
	"stat_cesarean":              "If a newborn was born by cesarean.",
	"trial_of_labor":             "If a newborn was born by cesarean.",
	"planned_birth_setting":      "At the onset of labor.",
	"previous_cesareans":         "0 if none.",
	"prenatal_visit_count":       "0 if none.",
	"induction_agents":           "If labor was induced.",
	"induction_indication":       "If labor was induced.",
	"augmentation_agents":        "If labor was augmented.",
	"fetal_presentation":         "At the birth.",
	"cigarettes_per_day_pre":     "0 if none.",
}

// formLabels maps fields to labels that replace the spine's labels in the form, where the section
// already gives the context.
var formLabels = map[string]string{
	"birth_datetime":        "Time of birth",
	"gestational_age_weeks": "Gestational age",
	"gestational_age_days":  "Gestational age, further days",
}

package mapping

// chartRow says by which Observation codes (LOINC) a chart states a field, best
// first (uscore-mapping §3).
type chartRow struct {
	field string
	codes []string
}

var chartRows = []chartRow{
	{field: "gravida", codes: []string{"11996-6"}},
	{field: "parity", codes: []string{"11977-6", "11640-0"}},
	{field: "previous_live_births_living", codes: []string{"11638-4"}},
	{field: "previous_live_births_dead", codes: []string{"68496-9"}},
	{field: "other_pregnancy_outcomes", codes: []string{"69043-8"}},
	{field: "last_live_birth_date", codes: []string{"68499-3"}},
	{field: "previous_cesareans", codes: []string{"68497-7"}},
	{field: "last_menstrual_period", codes: []string{"8665-2"}},
	{field: "estimated_due_date", codes: []string{"11778-8", "11780-4", "11779-6"}},
	{field: "prenatal_first_visit_date", codes: []string{"69044-6"}},
	{field: "prenatal_visit_count", codes: []string{"68493-6"}},
	{field: "mother_height_in", codes: []string{"8302-2", "3137-7"}},
	{field: "prepregnancy_weight_lb", codes: []string{"56077-1", "8348-5"}},
	{field: "delivery_weight_lb", codes: []string{"69461-2"}},
	{field: "cigarettes_per_day_pre", codes: []string{"64794-1"}},
	{field: "cigarettes_per_day_t1", codes: []string{"87298-6"}},
	{field: "cigarettes_per_day_t2", codes: []string{"87299-4"}},
	{field: "cigarettes_per_day_t3", codes: []string{"64795-8"}},
	{field: "plurality", codes: []string{"57722-1"}},
	{field: "delivery_method", codes: []string{"73762-7"}},
	{field: "fetal_presentation", codes: []string{"73761-9"}},
	{field: "birth_weight_g", codes: []string{"8339-4"}},
	{field: "gestational_age_weeks", codes: []string{"11884-4", "18185-9", "49051-6", "11885-1", "76516-4"}},
	{field: "apgar_one_minute", codes: []string{"9272-6"}},
	{field: "apgar_five_minute", codes: []string{"9274-2"}},
	{field: "apgar_ten_minute", codes: []string{"9271-8"}},
}

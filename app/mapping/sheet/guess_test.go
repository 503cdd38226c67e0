package sheet

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// guessedHeaders are headers as people write them, each with the columns that it may mean, the
// best first; none if only a person can tell.
var guessedHeaders = map[string]string{
	"Chart #": "chart_number", "MRN": "chart_number", "M.R.N.": "chart_number", "Patient ID": "chart_number",
	"Mother\u00a0last\u00a0name": "mother_family_name", "PATIENT_LAST_NAME": "mother_family_name", "mat. surname": "mother_family_name",
	"DOB": "mother_birth_date birth_datetime birth_date", "D.O.B.": "mother_birth_date birth_datetime birth_date",
	"\u202eDOB": "mother_birth_date birth_datetime birth_date",
	"DOB (mom)": "mother_birth_date", "DOB (baby)": "birth_datetime birth_date", "Baby's DOB [mm/dd/yyyy]": "birth_datetime birth_date",
	"Sex?": "child_sex", "Sex (M/F)": "child_sex", "Boy/Girl": "child_sex",
	"BABY’S WEIGHT": "birth_weight_g", "Birth weight (grams, if known)": "birth_weight_g", "Weight\nlbs": "birth_weight_lb",
	"Wt (lb)": "birth_weight_lb", "Weight (oz)": "birth_weight_oz", "Birth Wt (lb oz)": "birth_weight_g", "Pre-pregnancy weight (lbs)": "prepregnancy_weight_lb", "GA weeks days": "gestational_age", "Gest. age (wks)": "gestational_age",
	"Apgar (5 min)": "apgar_five_minute", "Time of birth (24h)": "birth_time", "Sex (m or f)": "child_sex",
	"Date of LMP": "last_menstrual_period", "Apgar @ 5 min": "apgar_five_minute", "APGAR1": "apgar_one_minute",

	// run together, or apart only by capitals
	"MotherLast": "mother_family_name", "MomDOB": "mother_birth_date", "momdob": "mother_birth_date", "MatDOB": "mother_birth_date",
	"InfantFirstName": "child_given_names", "BabyLast": "child_family_name", "InfantSex": "child_sex", "BabyDOB": "birth_datetime birth_date",
	"DeliveryDateTime": "birth_datetime", "Delivery Date/Time": "birth_datetime", "TimeOfBirth": "birth_time", "dateofbirth": "mother_birth_date birth_datetime birth_date",
	"del_dt": "birth_datetime birth_date", "BirthDt": "mother_birth_date birth_datetime birth_date", "BirthWt_g": "birth_weight_g", "birthwt": "birth_weight_g",
	"EBLmL": "blood_loss_ml", "EBL (mL)": "blood_loss_ml", "GAWeeks": "gestational_age_weeks", "gaweeks": "gestational_age_weeks", "GA_Days": "gestational_age_days",
	"GA (w+d)": "gestational_age", "GA w+d": "gestational_age", "Apgar 1m": "apgar_one_minute", "APGAR_5M": "apgar_five_minute", "Apgar 1/5/10": "apgar_scores",
	"Len (in)": "newborn_length_cm", "HeadCirc": "head_circumference_cm", "DelMethod": "delivery_method", "Delivered by": "attendant_name attendant",
	"Delivering Provider": "attendant_name attendant", "MomMRN": "chart_number", "PrePregWt": "prepregnancy_weight_lb", "PrimaryPayer": "principal_payer",
	"How was baby born?": "delivery_method", "Where was your baby born?": "birth_setting", "Who attended?": "attendant_name attendant", "Baby's full name": "child_name",
	"RomDateTime": "membranes_ruptured_datetime", "EstimatedDueDate": "estimated_due_date",
	"P": "parity", "G/P": "", "GP": "", "Para": "parity", "PARITY": "parity",
	"FatherLast": "", "DadDOB": "", "PlacentaWt": "", "stepmother": "", "momage": "", "PriorBirthWeight": "", "LastBirthWeight": "", "InfantMRN": "", "ROMTime": "",

	// whose it is, or of when, isn't what the registry asks for
	"Father's DOB": "", "Partner last name": "", "Husband's name": "", "Name of baby's father": "", "Mother's mother": "",
	"Mother in law name": "", "Maternal grandmother name": "", "Midwife DOB": "", "Backup midwife": "", "Doctor's name": "",
	"Emergency contact name": "", "Mom's weight": "", "Weight (mom)": "", "Weight (pre-pregnancy)": "prepregnancy_weight_lb",
	"Weight (placenta)": "", "Sex (previous child)": "", "Birth weight (last baby)": "", "Placenta weight": "", "Discharge weight": "",
	"Weight at 6 weeks": "", "Birth weight of previous": "", "GA at booking": "", "Weeks postpartum": "", "Prior delivery method": "",
	"Last delivery date": "", "Last delivery": "", "LastDelivery": "", "First birth": "", "Birth last name": "", "Apgar 15": "", "Apgar 7": "", "Baby 2 DOB": "", "Twin B weight": "", "Zip of facility": "",
	"Weight (6 weeks)": "", "Weight (day 3)": "", "Weight (24h)": "", "Head circumference (6 wk)": "", "Length (2 weeks)": "",
	"Name (F)": "", "DOB (F)": "", "Weight (M)": "", "Transfer hospital": "", "Birth certificate number": "", "Number of children": "", "Date of discharge": "", "Date entered": "",

	// not words
	"": "", "  ": "", "()": "", "(": "", ")(": "", "#": "", "?!": "", "\x00": "", "=cmd|' /C calc'!A0": "", "<script>alert(1)</script>": "",
}

func TestAHeaderMeansAColumnOnlyIfAllItsWordsDo(t *testing.T) {
	g := (Format{}).guesser()
	for header, want := range guessedHeaders {
		t.Run(fmt.Sprintf("%q", header), func(t *testing.T) {
			all, _ := g.candidates(header)
			names := make([]string, len(all))
			for i, c := range all {
				names[i] = c.name
			}
			require.Equal(t, want, strings.Join(names, " "))
		})
	}
}

func TestALongHeaderAndOneWithManyMarksAreComparedInOneStep(t *testing.T) {
	g := (Format{}).guesser()
	for _, part := range []string{"(", "weight (mom ", "mother's mother's ", "é", "#1", groupMark} {
		all, exact := g.candidates(strings.Repeat(part, 20_000))
		require.Empty(t, all, part)
		require.False(t, exact)
	}
}

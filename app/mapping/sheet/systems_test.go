package sheet

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// systems are files as other systems and people write them, with what a person reads in the last
// row, and how many questions are asked before that (with a column's texts as one question).
var systems = map[string]struct {
	file  string
	asked int
	want  string
}{
	"a hospital's report": {`Delivery Log Report - Labor & Delivery,,,,,,,,,,,
Generated 11/20/2026 0715,,,,,,,,,,,
Mother MRN,Mother Name,Mother DOB,Mother Age,G/P,Delivery Date/Time,Delivery Type,Infant Sex,Birth Wt (g),Apgar 1m,Apgar 5m,GA (w+d),Delivering Clinician,Infant MRN,Len (in),EBL/QBL (mL)
E1002,"OKAFOR, NGOZI",11/30/1989,36,G4P2,2026-03-05 2231,LTCS,Male,2910,7,8,37w6d,"Patel, Ravi, MD",E2002,19,750
E1001,"RIVERA, MARISOL",05/14/1994,31,G2P1,2026-03-02 0418,NSVD,Female,3232,8,9,39w2d,"LINDQVIST, ANNA, CNM",E2001,20,300
`, 1, `mother_family_name="RIVERA" | mother_given_names="MARISOL" | mother_birth_date="1994-05-14"
birth_datetime="2026-03-02T04:18:00" | delivery_method="vaginal_spontaneous" | child_sex="female"
birth_weight_g=3232 | apgar_one_minute=8 | apgar_five_minute=9 | gestational_age_weeks=39
gestational_age_days=2 | attendant_name="LINDQVIST, ANNA" | attendant_credentials="CNM" | newborn_length_cm=50.8
blood_loss_ml=300`},
	"a database's export": {`PatID;MotherLast;MotherFirst;MotherDOB;DelDate;DelTime;InfantSex;BirthWt_g;GAWeeks;GADays;Apgar1;Apgar5;DelMode;Midwife;EBLmL;MotherZip;FatherLast
102;Diaz;Elena;12/13/1988 0:00:00;4/21/2026 0:00:00;12/30/1899 16:45:00;M;3890;41;0;9;9;SVD;Jo March CPM LM;300;53704;Roth
101;Berg;Hannah;3/4/1991 0:00:00;3/14/2026 0:00:00;12/30/1899 4:18:00;F;3410;39;4;8;9;SVD;Jo March CPM LM;250;53703;Berg
`, 1, `mother_family_name="Berg" | mother_given_names="Hannah" | mother_birth_date="1991-03-04"
birth_datetime="2026-03-14T04:18:00" | child_sex="female" | birth_weight_g=3410 | gestational_age_weeks=39
gestational_age_days=4 | apgar_one_minute=8 | apgar_five_minute=9 | delivery_method="vaginal_spontaneous"
attendant_name="Jo March" | attendant_credentials="CPM, LM" | blood_loss_ml=250 | mother_postal_code="53703"`},
	"pounds and ounces in columns of their own": {`Client DOB,EDD,Baby First,Birth Date,Birth Time,Gender,Weight (lbs),Weight (oz),Length (in),Primary Midwife,First baby?
2/14/1992,3/20/2026,Theo,3/18/2026,4:12 AM,M,7,9,20.5,"Sara Kline, CPM, LM",Yes
10/21/1985,4/22/2026,June,4/21/2026,11:47 PM,F,8,2,21,"Sara Kline, CPM, LM",No
Total: 2
`, 0, `mother_birth_date="1985-10-21" | estimated_due_date="2026-04-22" | child_given_names="June"
birth_datetime="2026-04-21T23:47:00" | child_sex="female" | birth_weight_g=3685 | newborn_length_cm=53.3
attendant_name="Sara Kline" | attendant_credentials="CPM, LM"`},
}

func TestFilesOfOtherSystemsAreReadAsAPersonReadsThem(t *testing.T) {
	for name, c := range systems {
		t.Run(name, func(t *testing.T) {
			format := Format{Encoding: UTF8}
			s, err := format.Survey(strings.NewReader(c.file))
			require.NoError(t, err)
			require.True(t, format.Questions(s, &s.Layout).None(), "%+v", format.Questions(s, &s.Layout))
			format.Layout = &s.Layout
			groups, _, err := format.Unknown(strings.NewReader(c.file))
			require.NoError(t, err)
			asked := map[int]bool{}
			for _, g := range groups {
				asked[g.Column] = true
				column := &s.Layout.Columns[g.Column]
				if column.Values == nil {
					column.Values = map[string]string{}
				}
				column.Values[g.Text] = g.Guess
			}
			require.Len(t, asked, c.asked)
			last := ""
			require.NoError(t, format.Read(strings.NewReader(c.file), func(Header) error { return nil }, func(course *Course) error {
				last = described(course)
				return nil
			}))
			for fact := range strings.FieldsFuncSeq(c.want, func(r rune) bool { return r == '|' || r == '\n' }) {
				require.Contains(t, last, strings.TrimSpace(fact)+" csv")
			}
			require.NotContains(t, last, "Roth")
		})
	}
}

func TestOuncesWithoutTheirPoundsAreNoWeight(t *testing.T) {
	for cells, want := range map[string]string{"9\n2": weightOunces, "118\n104": "birth_weight_g"} {
		rows := strings.Split(cells, "\n")
		s, err := Format{Encoding: UTF8}.Survey(strings.NewReader("Mom last,Mom first,Date of delivery,Wt (oz)\nLee,Ann,2026-03-02," + rows[0] + "\nRay,Beth,2026-03-04," + rows[1] + "\n"))
		require.NoError(t, err)
		require.Equal(t, want, s.Layout.Columns[3].Name)
	}
}

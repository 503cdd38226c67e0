package sheet

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const twins = "chart_number,mother_family_name,birth_datetime,child_sex,birth_weight_g,apgar_five_minute\n" +
	"T,Lee,2026-03-02 03:10,female,2400,9\n" +
	"T,Lee,2026-03-02 03:31,male,2300,8\n"

func TestNewbornsAreFoundOnFileWhateverTheOrderOfTheirRows(t *testing.T) {
	for name, c := range map[string]struct{ file, want string }{
		"by the time of birth":        {"birth_datetime,apgar_one_minute\nT,2026-03-02 03:31,5\nT,2026-03-02 03:10,7\n", "female 2400 9 7, male 2300 8 5"},
		"by the sex":                  {"child_sex,apgar_one_minute\nT,m,5\nT,f,7\n", "female 2400 9 7, male 2300 8 5"},
		"by the weight":               {"birth_weight_g,apgar_one_minute\nT,2300,5\nT,2400,7\n", "female 2400 9 7, male 2300 8 5"},
		"with a corrected weight":     {"child_sex,birth_weight_g,apgar_one_minute\nT,m,2310,5\nT,f,2400,7\n", "female 2400 9 7, male 2310 8 5"},
		"with sexes that were wrong":  {"birth_datetime,child_sex,apgar_one_minute\nT,2026-03-02 03:10,m,7\nT,2026-03-02 03:31,f,5\n", "male 2400 9 7, female 2300 8 5"},
		"by the birth order":          {"birth_order,apgar_one_minute\nT,2,5\nT,1,7\n", "female 2400 9 7, male 2300 8 5"},
		"with rows that are the same": {"apgar_one_minute\nT,7\nT,7\n", "female 2400 9 7, male 2300 8 7"},
		"with the best of all pairs":  {"child_sex,birth_weight_g,apgar_one_minute\nT,m,2400,7\nT,m,2300,5\n", "male 2400 9 7, male 2300 8 5"},
		"with a new one between them": {"child_sex,birth_weight_g,apgar_one_minute\nT,m,2300,5\nT,m,1900,6\nT,f,2400,7\n", "female 2400 9 7, male 2300 8 5, male 1900 0 6"},
	} {
		t.Run(name, func(t *testing.T) {
			on := mustRead(t, twins)[0].Readable()
			d, problem := mustRead(t, "chart_number,"+c.file)[0].Amend(on)
			require.Nil(t, problem)
			got := ""
			for i, child := range d.Children {
				weight, _ := child.Get("birth_weight_g")
				five, _ := child.Get("apgar_five_minute")
				one, _ := child.Get("apgar_one_minute")
				if i > 0 {
					got += ", "
				}
				got += fmt.Sprint(child.Text("child_sex"), " ", weight.Number, " ", five.Number, " ", one.Number)
			}
			require.Equal(t, c.want, got)
		})
	}
}

func TestRowsThatMayBeAboutEitherTwinAreRejected(t *testing.T) {
	const girls = "chart_number,mother_family_name,child_sex,birth_weight_g,apgar_five_minute\nT,Lee,f,2400,9\nT,Lee,f,2300,4\n"
	for name, c := range map[string]struct {
		onFile, file string
		sure         bool
	}{
		"two corrected weights":          {girls, "child_sex,birth_weight_g\nT,f,2310\nT,f,2410\n", false},
		"nothing in common":              {girls, "apgar_one_minute\nT,7\nT,5\n", false},
		"a new twin as like the one":     {"chart_number,child_sex,birth_weight_g,apgar_five_minute\nT,f,2400,9\n", "child_sex,birth_weight_g\nT,f,2310\nT,f,2410\n", false},
		"their birth order":              {girls, "child_sex,birth_weight_g,birth_order\nT,f,2310,2\nT,f,2410,1\n", true},
		"one corrected weight":           {girls, "child_sex,birth_weight_g\nT,f,2310\nT,f,2400\n", true},
		"the same rows":                  {girls, "child_sex,birth_weight_g\nT,f,2310\nT,f,2310\n", true},
		"the file again":                 {girls, strings.TrimPrefix(girls, "chart_number,"), true},
		"values that both have":          {girls, "child_sex,mother_family_name\nT,f,Lee\nT,f,\n", true},
		"a new twin, with the first one": {"chart_number,child_sex,birth_weight_g\nT,f,2400\n", "child_sex,birth_weight_g\nT,f,2310\nT,f,2400\n", true},
	} {
		t.Run(name, func(t *testing.T) {
			on := mustRead(t, c.onFile)[0].Readable()
			_, problem := mustRead(t, "chart_number,"+c.file)[0].Amend(on)
			if c.sure {
				require.Nil(t, problem)
				return
			}
			require.Equal(t, UnclearNewborns, problem)
		})
	}
}

func TestTheBirthOrderFollowsTheTimesOfBirth(t *testing.T) {
	const head = "chart_number,mother_family_name,birth_datetime,child_sex\n"
	sorted := mustRead(t, head+"T,Lee,2026-03-02 03:31,m\nT,Lee,2026-03-02 03:10,f\n")[0].Readable()
	require.Equal(t, "female", sorted.Children[0].Text("child_sex"))
	require.InDelta(t, 1, order(sorted.Children[0]), 0)

	single := mustRead(t, head+"T,Lee,2026-03-02 03:10,f\n")[0].Readable()
	both := mustRead(t, head+"T,Lee,2026-03-02 03:05,m\nT,Lee,2026-03-02 03:10,f\n")[0]
	d, problem := both.Amend(single)
	require.Nil(t, problem)
	require.Equal(t, "female", d.Children[0].Text("child_sex"), "she is on file")
	require.Equal(t, "male", d.Children[1].Text("child_sex"))
	require.Zero(t, order(d.Children[0]), "the order of the record isn't that of the births")
}

func TestABirthOrderIsFilledOnlyIfTheStatedOnesLeaveIt(t *testing.T) {
	const head = "chart_number,child_sex,birth_order\n"
	for file, want := range map[string]string{
		"T,f,\nT,m,\n":        "1 2",
		"T,f,1\nT,m,\n":       "1 2",
		"T,f,\nT,m,2\n":       "1 2",
		"T,f,2\nT,m,\n":       "2 0",
		"T,f,\nT,m,1\n":       "0 1",
		"T,f,3\nT,m,\nT,f,\n": "3 0 0",
	} {
		got := ""
		for _, child := range mustRead(t, head+file)[0].Readable().Children {
			got += fmt.Sprint(" ", order(child))
		}
		require.Equal(t, " "+want, got, file)
	}

	second := mustRead(t, head+"T,f,2\n")[0].Readable()
	both := mustRead(t, "chart_number,child_sex\nT,f\nT,m\n")[0]
	d, problem := both.Amend(second)
	require.Nil(t, problem)
	require.InDelta(t, 2, order(d.Children[0]), 0)
	require.Zero(t, order(d.Children[1]), "the record has a second newborn already")
}

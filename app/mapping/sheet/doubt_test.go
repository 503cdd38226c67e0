package sheet

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
)

// stated reads the one birth of a file whose column Value holds a target with a habit, and
// returns what its fields state, or "".
func stated(t *testing.T, target, as, cell string, fields ...string) (texts []string, wrong int) {
	t.Helper()
	file := "Mom last;Born;Value\nLee;2026-03-02;" + cell + "\n"
	l := &Layout{Delimiter: ';', Row: 1, Columns: []Column{
		{Header: "Mom last", Name: "mother_family_name"}, {Header: "Born", Name: "birth_date"}, {Header: "Value", Name: target, As: as},
	}}
	if target == "birth_datetime" {
		l.Columns[1].Name = ""
	}
	var one *Course
	require.NoError(t, Format{Encoding: UTF8, Layout: l}.Read(strings.NewReader(file),
		func(Header) error { return nil }, func(c *Course) error { one = c; return nil }))
	d := one.Readable()
	for _, name := range fields {
		f := birth.Must(name)
		from := map[birth.Subject]birth.Values{birth.Mother: d.Mother, birth.Care: d.Care, birth.Child: d.Children[0]}[f.About]
		text := ""
		if v, ok := from.Get(name); ok {
			text = Written(f, v)
		}
		texts = append(texts, text)
	}
	return texts, len(one.Wrong)
}

func TestAmountsThatContradictThemselvesAreErrorsAndLeaveNoValue(t *testing.T) {
	for _, c := range []struct{ as, cell, want string }{
		{"lb", "7.12", "3230"},
		{dotOunces, "7.12", "3515"},
		{dotOunces, "7,8", "3402"},
		{dotOunces, "7", "3175"},
		{dotOunces, "7.0", "3175"},
		{dotOunces, "7.05", ""},
		{dotOunces, "7.1", ""}, // 7.10 in a spreadsheet, too
		{dotOunces, "7.10", "3459"},
		{dotOunces, "7.16", ""},
		{poundsOunces, "7-8", "3402"},
		{poundsOunces, "7-16", ""},
		{poundsOunces, "7 17", ""},
		{"", "7 lb 17 oz", ""},
		{"", "7.5 lb 3 oz", ""},
		{"", "7 lb 7 lb", ""},
		{"", "3 oz 7 lb", ""},
		{"", "3 kg 400 g", "3400"},
		{"", "3 kg 1400 g", ""},
	} {
		texts, wrong := stated(t, "birth_weight_g", c.as, c.cell, "birth_weight_g")
		require.Equal(t, []string{c.want}, texts, c)
		require.Equal(t, c.want == "", wrong == 1, c)
	}
}

func TestPoundsAndOuncesOfTwoColumnsThatContradictThemselvesLeaveNoValue(t *testing.T) {
	for row, want := range map[string]string{"7;3": "3260", "7;0": "3175", "7.5;3": "", "7;17": "", "7 lb 3 oz;4": "", "7;": "", "-7;3": ""} {
		l := &Layout{Delimiter: ';', Row: 1, Columns: []Column{{Name: "mother_family_name"}, {Name: weightPounds}, {Name: weightOunces}}}
		var one *Course
		require.NoError(t, Format{Encoding: UTF8, Layout: l}.Read(strings.NewReader("Mom;Pounds;Ounces\nLee;"+row+"\n"),
			func(Header) error { return nil }, func(c *Course) error { one = c; return nil }))
		value, ok := one.Readable().Children[0].Get("birth_weight_g")
		require.Equal(t, want != "", ok, row)
		require.Equal(t, want == "", len(one.Wrong) == 1, row)
		if ok {
			require.Equal(t, want, Written(birth.Must("birth_weight_g"), value), row)
		}
	}
}

func TestATimeThatMayBeAMOrPMIsAskedAbout(t *testing.T) {
	for name, c := range map[string]struct {
		header, cells string
		want          []string // the habits
	}{
		"a time after noon proves the clock":         {"Date of birth;Time of birth", "2026-03-02;4:18\n2026-03-03;16:30", []string{clock24}},
		"so does one without a colon":                {"Date of birth;Time of birth", "2026-03-02;0418\n2026-03-03;1130", []string{clock24}},
		"a zero before the hour proves nothing":      {"Date of birth;Time of birth", "2026-03-02;04:18\n2026-03-03;11:30", []string{clock24, noClock}},
		"AM and PM in every cell":                    {"Date of birth;Time of birth", "2026-03-02;4:18 PM\n2026-03-03;11:30a", nil},
		"AM and PM next to a date in some cells":     {"x;Date/time of birth", ";3/13/2026 4:18 PM\n;3/14/2026 5:10", []string{clock24, noClock}},
		"AM and PM next to a date in every cell":     {"x;Date/time of birth", ";3/13/2026 4:18 PM\n;3/14/2026 5:10 AM", nil},
		"no AM and PM next to a date in any cell":    {"x;Date/time of birth", ";3/13/2026 4:18\n;3/14/2026 5:10", nil},
		"a time after noon next to AM and PM, dated": {"x;Date/time of birth", ";3/13/2026 4:18 PM\n;3/14/2026 17:10", nil},
	} {
		t.Run(name, func(t *testing.T) {
			format := Format{Encoding: UTF8}
			s, err := format.Survey(strings.NewReader("Mom last;Mom first;" + c.header + "\nLee;Ann;" + strings.ReplaceAll(c.cells, "\n", "\nOsei;Ada;") + "\n"))
			require.NoError(t, err)
			target := birthTime
			if strings.HasPrefix(c.header, "x") {
				target = "birth_datetime"
			}
			var ways []string
			for _, way := range format.Habits(s, 3, target) {
				ways = append(ways, way.Value)
			}
			require.Equal(t, c.want, ways)
		})
	}
	texts, _ := stated(t, "birth_datetime", noClock, "2026-03-14 5:10", "birth_datetime", "birth_date")
	require.Equal(t, []string{"2026-03-14", "2026-03-14"}, texts)
	texts, _ = stated(t, "birth_datetime", noClock, "2026-03-14 5:10 PM", "birth_datetime", "birth_date")
	require.Equal(t, []string{"2026-03-14T17:10:00", "2026-03-14"}, texts)
}

func TestAPointBetweenPoundsAndOuncesIsAskedAbout(t *testing.T) {
	for cells, want := range map[string][]string{
		"7.12 6.8":  {"lb", dotOunces},
		"7.25 6.8":  {"lb"},
		"7.05 6.12": {"lb"},
		"7 8":       {"lb"},
	} {
		format := Format{Encoding: UTF8}
		one, two, _ := strings.Cut(cells, " ")
		s, err := format.Survey(strings.NewReader("Mom last,Mom first,Birth weight (lb)\nLee,Ann," + one + "\nOsei,Ada," + two + "\n"))
		require.NoError(t, err)
		var ways []string
		for _, way := range format.Habits(s, 2, "birth_weight_g") {
			ways = append(ways, way.Value)
		}
		require.Equal(t, want, ways, cells)
	}
}

func TestTwoLongTextsWithTheSameBeginningAreNeverTakenForOneAnother(t *testing.T) {
	long := strings.Repeat("preeclampsia and ", MaxText/10)
	l := &Layout{Delimiter: ',', Row: 1, Columns: []Column{{Name: "mother_family_name"}, {Name: "delivery_method"}}}
	format := Format{Encoding: UTF8, Layout: l}
	file := "Mom,Mode\nLee," + long + "one\nOsei," + long + "two\n"
	groups, _, err := format.Unknown(strings.NewReader(file))
	require.NoError(t, err)
	require.Empty(t, groups, "each stays an error of its row")
	l.Columns[1].Values = map[string]string{cut(fold(long+"one"), MaxText): "cesarean"}
	require.NoError(t, format.Read(strings.NewReader(file), func(Header) error { return nil }, func(c *Course) error {
		require.Len(t, c.Wrong, 1)
		return nil
	}))
}

func TestAnAttendantWhoseNameHasItsWordsInAnotherOrderIsSomebodyElse(t *testing.T) {
	basis := birth.Draft{
		Children:  []birth.Values{nil},
		Providers: []birth.Provider{{Name: "Kim Lee", Credentials: "CNM", Role: birth.RoleMidwife, Attending: true}},
	}
	basis.Care.Set(birth.Must("attendant_name"), birth.Value{Text: "Kim Lee", Source: birth.FHIRPush})
	for name, same := range map[string]bool{"kim  lee": true, `"Lee, Kim"`: true, "Lee Kim": false} {
		d, problem := mustRead(t, "mother_given_names,attendant_name,attendant_credentials\nZora,"+name+",RN\n")[0].Amend(basis)
		require.Nil(t, problem)
		require.Equal(t, same, d.Providers[0].Attending, name)
	}
}

func TestASingleOddNumberProvesNoUnit(t *testing.T) {
	for cells, want := range map[string][]string{
		"150 210 48": {"lb", "kg"}, // a typing error among pounds
		"150 210":    {"lb", "kg"},
		"410 48":     {"lb", "kg"},
		"45 40":      {"kg"}, // no mother weighs 45 lb
	} {
		format := Format{Encoding: UTF8}
		var file strings.Builder
		file.WriteString("Mom last,Mom first,Mother weight\n")
		for n, cell := range strings.Fields(cells) {
			file.WriteString("Lee,Ann" + strings.Repeat("a", n) + "," + cell + "\n")
		}
		s, err := format.Survey(strings.NewReader(file.String()))
		require.NoError(t, err)
		var ways []string
		for _, way := range format.Habits(s, 2, "prepregnancy_weight_lb") {
			ways = append(ways, way.Value)
		}
		require.Equal(t, want, ways, cells)
	}
}

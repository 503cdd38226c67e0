package birth_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
)

// accept masks one value of a field.
func accept(field string, v birth.Value) (birth.Value, bool) { return birth.Must(field).Accept(v) }

func TestNumbersOutOfRangeAreDropped(t *testing.T) {
	for _, f := range birth.Spine {
		if f.Kind != birth.Int && f.Kind != birth.Decimal {
			continue
		}
		for _, good := range []float64{f.Min, f.Max} {
			_, ok := f.Accept(birth.Value{Number: good})
			require.True(t, ok, "%s takes %v", f.Name, good)
		}
		for _, bad := range []float64{f.Min - 1, f.Max + 1, -1, math.NaN(), math.Inf(1), math.Inf(-1), 1e300} {
			_, ok := f.Accept(birth.Value{Number: bad})
			require.False(t, ok, "%s takes %v", f.Name, bad)
		}
		if f.Kind == birth.Int {
			_, ok := f.Accept(birth.Value{Number: f.Max - 0.5})
			require.False(t, ok, "%s takes a fraction", f.Name)
		}
	}
}

func TestEveryMeasureHasItsRange(t *testing.T) {
	for _, c := range []struct {
		field     string
		low, high float64
	}{
		{"birth_weight_g", 100, 9998},
		{"gestational_age_weeks", 10, 50},
		{"gestational_age_days", 0, 6},
		{"apgar_one_minute", 0, 10},
		{"apgar_five_minute", 0, 10},
		{"apgar_ten_minute", 0, 10},
		{"plurality", 1, 12},
	} {
		f := birth.Must(c.field)
		require.Equal(t, [2]float64{c.low, c.high}, [2]float64{f.Min, f.Max}, c.field)
	}
}

func TestNumbersAreKeptAsTheSpineHasThem(t *testing.T) {
	v, ok := accept("mother_height_in", birth.Value{Number: 66.14173})
	require.True(t, ok)
	require.Equal(t, 66.1, v.Number, "one decimal")
	v, ok = accept("apgar_one_minute", birth.Value{Number: math.Copysign(0, -1)})
	require.True(t, ok)
	require.False(t, math.Signbit(v.Number), "-0 is 0")
}

func TestValuesOfTheWrongKindAreDropped(t *testing.T) {
	for _, c := range []struct {
		name, field string
		value       birth.Value
	}{
		{"a text in a number", "birth_weight_g", birth.Value{Text: "3400"}},
		{"a number in a text", "mother_family_name", birth.Value{Number: 7}},
		{"a text that is no date", "birth_date", birth.Value{Text: "12 Feb 2019"}},
		{"a time in a date", "birth_date", birth.Value{Text: "2019-02-12T13:00:00Z"}},
		{"a text that is no time", "birth_datetime", birth.Value{Text: "noon"}},
		{"a code off the value set", "birth_setting", birth.Value{Text: "spaceship"}},
		{"a label for a code", "birth_setting", birth.Value{Text: "Hospital"}},
		{"a code of another system", "birth_setting", birth.Value{Text: "22232009"}},
		{"a single code in a set", "risk_factors", birth.Value{Text: "eclampsia"}},
		{"a set without a known code", "risk_factors", birth.Value{Set: []string{"x", ""}}},
		{"an empty set", "risk_factors", birth.Value{}},
		{"an empty text", "mother_family_name", birth.Value{Text: " \t\n"}},
		{"an empty code", "birth_setting", birth.Value{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, ok := accept(c.field, c.value)
			require.False(t, ok)
		})
	}
}

func TestAValueKeepsOnlyTheMemberOfItsKind(t *testing.T) {
	everything := birth.Value{
		Text: "2019-02-12", Number: 30, Flag: true, Set: []string{"none", "other", "white"}, Source: birth.CSV,
	}
	for _, f := range birth.Spine {
		v, ok := f.Accept(everything)
		if !ok {
			continue
		}
		want := birth.Value{Source: birth.CSV}
		switch f.Kind {
		case birth.Int, birth.Decimal:
			want.Number = v.Number
		case birth.Bool:
			want.Flag = v.Flag
		case birth.Codes:
			want.Set = v.Set
		default:
			want.Text = v.Text
		}
		require.Equal(t, want, v, f.Name)
	}
}

func TestSetsKeepKnownCodesInTheOrderOfTheSpineEachOnce(t *testing.T) {
	v, ok := accept("risk_factors", birth.Value{Set: []string{"eclampsia", "x", "diabetes_gestational", "eclampsia"}})
	require.True(t, ok)
	require.Equal(t, []string{"diabetes_gestational", "eclampsia"}, v.Set)
}

func TestNoneIsDroppedNextToAFinding(t *testing.T) {
	v, _ := accept("risk_factors", birth.Value{Set: []string{"none", "eclampsia"}})
	require.Equal(t, []string{"eclampsia"}, v.Set)
	v, _ = accept("mother_race", birth.Value{Set: []string{"unknown", "white", "asian"}})
	require.Equal(t, []string{"asian", "white"}, v.Set)
	v, _ = accept("risk_factors", birth.Value{Set: []string{"none"}})
	require.Equal(t, []string{"none"}, v.Set, "by itself it stands")
}

func TestTextsAreTidied(t *testing.T) {
	for _, c := range []struct{ name, stated, want string }{
		{"white space", "  de \t la\u00a0 Cruz\n", "de la Cruz"},
		{"control characters", "Zo\x00e\x1b[31m\u0085", "Zo e [31m"},
		{"invalid UTF-8", "Zo\xffe", "Zo\ufffde"},
		{"markup is a text like any other", "<b>O'Brien</b> & Co", "<b>O'Brien</b> & Co"},
		{"what is too long is cut", strings.Repeat("x", 201), strings.Repeat("x", 200)},
		{"a character is not split", strings.Repeat("x", 199) + "é", strings.Repeat("x", 199)},
		{"no white space is left at the cut", strings.Repeat("x", 199) + " y", strings.Repeat("x", 199)},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, ok := accept("mother_family_name", birth.Value{Text: c.stated})
			require.True(t, ok)
			require.Equal(t, c.want, v.Text)
			again, _ := accept("mother_family_name", v)
			require.Equal(t, v, again)
		})
	}
}

func TestAFieldAboutAnotherSubjectIsDropped(t *testing.T) {
	var all birth.Values
	for _, f := range birth.Spine {
		all.Set(f, birth.Value{Text: "x", Number: 30, Set: []string{"none", "other", "unknown"}})
	}
	d := birth.Mask(birth.Draft{Mother: all, Care: all, Children: []birth.Values{all}}).Draft()
	require.NotEmpty(t, d.Mother)
	require.NotEmpty(t, d.Care)
	require.NotEmpty(t, d.Children[0])
	for about, values := range map[birth.Subject]birth.Values{birth.Mother: d.Mother, birth.Care: d.Care, birth.Child: d.Children[0]} {
		for _, s := range values {
			require.Equal(t, about, s.Field.About, s.Field.Name)
		}
	}
}

func TestTheIGVersionIsKeptOnlyWhenItLooksLikeOne(t *testing.T) {
	for stated, want := range map[string]string{
		"2.0.0": "2.0.0", "2.0.0-ballot": "2.0.0-ballot", "1": "1", "3.0.0-cibuild": "3.0.0-cibuild", "0.9.0": "0.9.0",
		"9.0.9-azAZ": "9.0.9-azAZ", "/1": "", ":1": "", "1/": "", "1:": "", "1@": "", "1[": "", "1`": "", "1{": "",
		"": "", "latest": "", "v2": "", "2.0 0": "", "2.0.0\n": "", "2.0.0<script>": "", "2.0.0/../x": "", "２": "",
		strings.Repeat("2", 33): "", strings.Repeat("2", 32): strings.Repeat("2", 32),
	} {
		require.Equal(t, want, birth.Mask(birth.Draft{IGVersion: stated}).Draft().IGVersion, "%q", stated)
	}
}

func TestAChartNumberIsTrimmedAndOtherwiseExact(t *testing.T) {
	long := strings.Repeat("9", 500)
	for stated, want := range map[string]string{
		" A-1\t": "A-1", "A-1\u0085\r\n": "A-1", "a-1": "a-1", "A 1": "A 1", "": "", "  ": "", long: long,
		"A\u200b-1": "A\u200b-1", "\u200eA-1": "\u200eA-1",
	} {
		chart, ok := birth.Chart(stated)
		require.True(t, ok)
		require.Equal(t, want, chart)
		require.Equal(t, want, birth.Mask(birth.Draft{Chart: stated}).Chart())
	}
}

func TestAChartNumberWithAControlCharacterInsideIsNone(t *testing.T) {
	for _, stated := range []string{"A\x00-\x1b1", "\x01 \x02", "A\u0085-1", "A\x7f", "A\n1"} {
		chart, ok := birth.Chart(stated)
		require.False(t, ok, "%q", stated)
		require.Empty(t, chart)
		require.Empty(t, birth.Mask(birth.Draft{Chart: stated}).Chart())
	}
}

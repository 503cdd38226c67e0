package metamorphic

import (
	"encoding/json"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
)

// sayings are the values in a document: its texts, joined, and its numbers.
type sayings struct {
	text    string
	numbers []float64
	// loose is set for a spreadsheet: its text has no quotation marks, and numbers are
	// not compared.
	loose bool
}

func sayingsOf(body string) (s sayings) {
	var texts strings.Builder
	var gather func(value any)
	gather = func(value any) {
		switch v := value.(type) {
		case object:
			everyName(v, func(name string) { gather(v[name]) })
		case list:
			for _, element := range v {
				gather(element)
			}
		case string:
			texts.WriteString(v + "\n")
			if len(v) <= len("39 weeks 2 days") {
				for _, digits := range number.FindAllString(v, -1) {
					f, _ := strconv.ParseFloat(digits, 64)
					s.numbers = append(s.numbers, f)
				}
			}
		case json.Number:
			texts.WriteString(string(v) + "\n")
			if f, err := v.Float64(); err == nil {
				s.numbers = append(s.numbers, f)
			}
		}
	}
	gather(decoded(body))
	s.text = plainText(texts.String())
	return s
}

// number matches a number inside a short text: 3420, 39.5, 36w2d.
var number = regexp.MustCompile(`[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?`)

func everyName(o object, visit func(name string)) {
	for _, name := range slices.Sorted(maps.Keys(o)) {
		visit(name)
	}
}

// plainText returns a text without the characters that are never kept.
func plainText(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
}

// factors are the sizes of the units in which an amount may be stated, relative to the unit of
// its field. A field without factors is a count or a score.
var factors = map[string][]float64{
	"":        {1},
	"g":       {1, 1000, 0.001, 453.59237, 28.349523125},
	"[lb_av]": {1, 1 / 453.59237, 1000 / 453.59237, 0.001 / 453.59237, 1.0 / 16},
	"[in_i]":  {1, 12, 1 / 2.54, 100 / 2.54, 0.1 / 2.54},
	"mL":      {1, 1000, 100, 10},
	"s":       {1, 60, 3600, 86400, 7 * 86400},
	"wk":      {1, 1.0 / 7, 1.0 / 168, 60.0 / (7 * 86400), 1.0 / (7 * 86400)},
}

// sums are the sizes of two units in which an amount may be stated together: pounds and
// ounces, feet and inches, weeks and days.
var sums = map[string][2]float64{
	"g": {453.59237, 28.349523125}, "[lb_av]": {1, 1.0 / 16}, "[in_i]": {12, 1}, "wk": {1, 1.0 / 7},
}

// says reports whether the document contains a number, in one unit or in two.
func (s sayings) says(n float64, unit string) bool {
	is := func(x float64) bool { return math.Abs(x-n) <= 0.5 || math.Floor(x+1e-6) == n }
	sizes, known := factors[unit]
	if !known {
		sizes = factors[""]
	}
	both, summed := sums[unit]
	return s.loose || slices.ContainsFunc(s.numbers, func(m float64) bool {
		return slices.ContainsFunc(sizes, func(size float64) bool { return is(m * size) }) ||
			summed && slices.ContainsFunc(s.numbers, func(rest float64) bool { return is(m*both[0] + rest*both[1]) })
	})
}

// computed are fields whose value need not be in the document, because it is counted or
// derived.
var computed = []string{"mother_age_years", "plurality", "gestational_age_days", "birth_order", "previous_cesareans"}

// requireSound checks the rules that hold for every course that is kept.
func requireSound(t require.TestingT, course birth.Course, stated sayings) {
	d := course.Draft()
	each := func(values birth.Values, about birth.Subject) {
		for _, s := range values {
			require.Equal(t, about, s.Field.About, "%s is about somebody else", s.Field.Name)
			kept, ok := s.Field.Accept(s.Value)
			require.True(t, ok && kept.Equal(s.Value), "%s is not a value of its field", s.Field.Name)
			requireStated(t, s, stated)
			if s.Field.Sealed {
				require.NotContains(t, string(course.Clinical()), `"`+s.Field.Name+`"`, "it is sealed")
			}
		}
	}
	each(d.Mother, birth.Mother)
	each(d.Care, birth.Care)
	for _, child := range d.Children {
		each(child, birth.Child)
	}
	for _, p := range d.Providers {
		requireWords(t, "the name of a provider", p.Name, stated)
		requireWords(t, "the credentials of a provider", p.Credentials, stated)
	}
	for _, tr := range d.Transfers {
		requireWords(t, "the reason of a transfer", tr.Reason, stated)
		requireYear(t, "the time of a transfer", tr.DateTime, stated)
	}
	restored, err := birth.Restore(course.Clinical(), course.Patient())
	require.NoError(t, err)
	require.Len(t, restored.Draft().Children, len(d.Children))
}

// requireStated checks that a value is in the document.
func requireStated(t require.TestingT, s birth.Stated, stated sayings) {
	switch s.Field.Kind {
	case birth.Text:
		requireWords(t, s.Field.Name, s.Value.Text, stated)
	case birth.Date, birth.DateTime:
		requireYear(t, s.Field.Name, s.Value.Text, stated)
	case birth.Int, birth.Decimal:
		if !slices.Contains(computed, s.Field.Name) {
			require.True(t, stated.says(s.Value.Number, s.Field.Unit), "%s: %v stands nowhere", s.Field.Name, s.Value.Number)
		}
	}
}

func requireWords(t require.TestingT, what, text string, stated sayings) {
	for _, word := range strings.Fields(text) {
		word = strings.Trim(word, ",")
		if stated.loose {
			word = unquoted(word)
		}
		require.True(t, strings.Contains(stated.text, word), "%s: a word stands nowhere", what)
	}
}

func unquoted(text string) string { return strings.ReplaceAll(text, `"`, "") }

func requireYear(t require.TestingT, what, text string, stated sayings) {
	if len(text) >= len("2006") {
		year, err := strconv.Atoi(text[:4])
		require.NoError(t, err)
		require.True(t, strings.Contains(stated.text, text[:4]) || stated.says(float64(year), ""), "%s: the year stands nowhere", what)
	}
}

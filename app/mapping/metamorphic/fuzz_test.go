package metamorphic

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
	"birthregistry/app/mapping/bundle"
	"birthregistry/app/mapping/sheet"
	"birthregistry/app/mapping/uscore"
	"birthregistry/assets"
)

// FuzzBundles checks that, whatever a Bundle states, the reader does not fail, every value is
// one that its field accepts and that survives being stored, and every name, date and number
// in the result occurs in the Bundle.
func FuzzBundles(f *testing.F) {
	for _, doc := range []object{single(), pair(), unborn(), firstOfTwo(), batch(), fullBFDR()} {
		seed(f, write(doc, nil))
	}
	samples, err := assets.Samples.ReadDir("samples")
	require.NoError(f, err)
	for _, e := range samples {
		body, err := assets.Samples.ReadFile("samples/" + e.Name())
		require.NoError(f, err)
		seed(f, string(body))
	}
	f.Fuzz(func(t *testing.T, body string, chance uint64) {
		body = crossed(body, chance)
		if fhir.Scan(strings.NewReader(body)) != nil {
			return
		}
		stated := sayingsOf(body)
		for _, mapper := range []bundle.Reader{{}, wide} {
			require.NoError(t, mapper.ReadWhole([]byte(body), func(i mapping.Item) error {
				require.Empty(t, i.Panic, "the mapper failed")
				if i.Draft != nil {
					requireSound(t, birth.Mask(*i.Draft), stated)
				}
				return nil
			}))
		}
	})
}

// FuzzCharts checks the same for charts, under every role.
func FuzzCharts(f *testing.F) {
	for _, chart := range []object{fullExpecting(), fullDelivered(), fullNewborn()} {
		seed(f, write(chart, nil))
	}
	files, err := filepath.Glob(filepath.Join("..", "uscore", "testdata", "*.chart.json"))
	require.NoError(f, err)
	require.NotEmpty(f, files)
	for _, file := range files {
		body, err := os.ReadFile(file)
		require.NoError(f, err)
		seed(f, string(body))
	}
	f.Fuzz(func(t *testing.T, body string, chance uint64) {
		body = crossed(body, chance)
		doc, ok := decoded(body).(object)
		if !ok {
			return
		}
		at, err := time.Parse(time.RFC3339, textAt(doc, "at"))
		if err != nil {
			at = time.Date(2026, 5, 3, 12, 0, 0, 0, time.UTC)
		}
		var c fhir.Chart
		for _, resource := range objectsAt(doc, "resources") {
			_ = c.Add(jsontext.Value(write(resource, nil)))
		}
		got := uscore.Read(c, uscore.Launch{At: at, Encounter: textAt(doc, "encounter"), Base: textAt(doc, "base")})
		for _, filled := range got.As {
			requireSound(t, birth.Mask(filled.Draft), sayingsOf(body))
		}
	})
}

// FuzzRows checks the same for the rows of a spreadsheet, except for numbers, since a cell may
// hold pounds and ounces.
func FuzzRows(f *testing.F) {
	file, err := os.ReadFile(filepath.Join("..", "sheet", "testdata", "spreadsheet.csv"))
	require.NoError(f, err)
	f.Add(string(file), uint64(0))
	f.Add("chart_number,mother_family_name,birth_date,birth_weight_g,cigarettes_per_day_pre\nA-1,Okonkwo,2026-03-02,7 lb 2 oz,99\nA-1,,9999-09-09,9999,\n", uint64(0))
	f.Add("Mother's family name;birth_datetime;gestational_age_weeks;plurality\nO'Brien;3/2/2026 4:18 AM;39;2\n", uint64(0))
	f.Fuzz(func(t *testing.T, file string, chance uint64) {
		file = shuffled(file, chance)
		stated := sayings{text: unquoted(plainText(file)), loose: true}
		_ = sheet.Format{}.Read(strings.NewReader(file), func(sheet.Header) error { return nil }, func(c *sheet.Course) error {
			if c.Draft != nil && c.Problem == nil {
				requireSound(t, birth.Mask(*c.Draft), stated)
			}
			return nil
		})
	})
}

// A test of the check itself: it notices a value that is not in the document.
func TestAValueThatIsNowhereInADocumentIsDetected(t *testing.T) {
	body := write(single(), nil)
	course := func(field string, v birth.Value) birth.Course {
		v.Source = birth.FHIRPush
		d := birth.Draft{Children: []birth.Values{nil}}
		d.Mother.Set(birth.Must(field), v)
		return birth.Mask(d)
	}
	for field, values := range map[string][2]birth.Value{
		"mother_family_name":    {{Text: "Okonkwo"}, {Text: "Brandt"}},
		"mother_birth_date":     {{Text: "1994-05-17"}, {Text: "1971-05-17"}},
		"delivery_weight_lb":    {{Number: 175}, {Number: 333}},
		"labor_onset_datetime":  {{Text: "2026-03-01T22:10:00-05:00"}, {Text: "1987-03-01T22:10:00-05:00"}},
		"prenatal_visit_count":  {{Number: 11}, {Number: 83}},
		"mother_postal_code":    {{Text: "05401"}, {Text: "99501"}},
		"last_menstrual_period": {{Text: "2025-05-26"}, {Text: "1999-05-26"}},
	} {
		right, wrong := &recorder{}, &recorder{}
		requireSound(right, course(field, values[0]), sayingsOf(body))
		requireSound(wrong, course(field, values[1]), sayingsOf(body))
		require.False(t, right.failed, field)
		require.True(t, wrong.failed, field)
	}
}

// recorder records whether a requirement failed, and goes on.
type recorder struct{ failed bool }

func (r *recorder) Errorf(string, ...any) { r.failed = true }
func (r *recorder) FailNow()              { r.failed = true }

func seed(f *testing.F, body string) {
	for chance := range uint64(4) {
		f.Add(body, chance)
	}
}

// crossed changes a JSON document at random places: it replaces values, drops members and
// elements, and inserts words that documents use. The result is JSON. Text that isn't JSON
// stays unchanged, and so does every document for chance 0.
func crossed(body string, chance uint64) string {
	doc := decoded(body)
	if doc == nil || chance == 0 {
		return body
	}
	random := rand.New(rand.NewPCG(chance, 7))
	for range 1 + random.IntN(6) {
		var places []place
		collect(doc, &places)
		if len(places) == 0 {
			break
		}
		to, from := places[random.IntN(len(places))], places[random.IntN(len(places))]
		switch random.IntN(4) {
		case 0:
			to.set(nil)
		case 1:
			to.set(words[random.IntN(len(words))])
		default:
			to.set(cloneAny(from.get()))
		}
	}
	return write(doc, nil)
}

// words have a meaning for the mapping, or should have none.
var words = []any{
	"", "x", "UNK", "final", "corrected", "entered-in-error", "2026-02-30", "2026-03-02", "9999-09-09", "2026-03", "g", "kg", "[lb_av]", "wk", "mother", "Patient/child",
	"Patient/mother", "urn:uuid:x", loinc, snomed, own, "8339-4", "11884-4", "260413007", "ATND", "home", "official", true, false, json.Number("1"), json.Number("-1"),
	json.Number("39"), json.Number("9999"), json.Number("1e300"), json.Number("0.1"),
	object{},
	list{},
}

// place is a member of an object or an element of a list.
type place struct {
	in    any
	name  string
	index int
}

func (p place) get() any {
	if in, ok := p.in.(object); ok {
		return in[p.name]
	}
	return p.in.(list)[p.index]
}

func (p place) set(value any) {
	if in, ok := p.in.(object); ok {
		in[p.name] = value
		return
	}
	p.in.(list)[p.index] = value
}

func collect(value any, places *[]place) {
	const most = 20_000
	if len(*places) > most {
		return
	}
	switch v := value.(type) {
	case object:
		everyName(v, func(name string) {
			*places = append(*places, place{in: v, name: name})
			collect(v[name], places)
		})
	case list:
		for i := range v {
			*places = append(*places, place{in: v, index: i})
			collect(v[i], places)
		}
	}
}

// shuffled moves cells of a spreadsheet to other places.
func shuffled(file string, chance uint64) string {
	if chance == 0 || len(file) > 1<<16 {
		return file
	}
	random := rand.New(rand.NewPCG(chance, 9))
	lines := strings.Split(file, "\n")
	for i := 1; i < len(lines); i++ {
		cells := strings.FieldsFunc(lines[i], func(r rune) bool { return r == ';' || r == ',' })
		random.Shuffle(len(cells), func(i, j int) { cells[i], cells[j] = cells[j], cells[i] })
		lines[i] = strings.Join(cells, map[bool]string{true: ";", false: ","}[strings.Contains(lines[0], ";")])
	}
	return strings.Join(lines, "\n")
}

// decoded returns a body as JSON, or nil if it isn't JSON.
func decoded(body string) (value any) {
	dec := json.NewDecoder(bytes.NewReader([]byte(body)))
	dec.UseNumber()
	if len(body) > 1<<20 || dec.Decode(&value) != nil || dec.More() {
		return nil
	}
	return value
}

package uscore

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/mapping/mappingtest"
)

// storedChart is a chart as the tests store it: when it was launched and what was read.
type storedChart struct {
	At        time.Time        `json:"at"`
	Encounter string           `json:"encounter"`
	Base      string           `json:"base"`
	Resources []jsontext.Value `json:"resources"`
}

func readStored(t testing.TB, body []byte) (fhir.Chart, Launch) {
	t.Helper()
	var s storedChart
	require.NoError(t, json.Unmarshal(body, &s))
	var c fhir.Chart
	for _, resource := range s.Resources {
		require.NoError(t, c.Add(resource))
	}
	return c, Launch{At: s.At, Encounter: s.Encounter, Base: s.Base}
}

// goldenReading is a reading in a form that a person can check.
type goldenReading struct {
	Patient Patient                 `json:"patient"`
	Role    Role                    `json:"role"`
	Why     string                  `json:"why"`
	As      map[string]goldenFilled `json:"as"`
}

type goldenFilled struct {
	Filled    []string         `json:"filled"`
	Providers []birth.Provider `json:"providers,omitempty"`
	Hints     []string         `json:"hints"`
	Notices   []string         `json:"notices"`
	Unused    []string         `json:"unused"`
}

func goldenReadingOf(r Reading) goldenReading {
	g := goldenReading{Patient: r.Patient, Role: r.Role, Why: r.Why, As: map[string]goldenFilled{}}
	for role, f := range r.As {
		out := goldenFilled{Providers: f.Draft.Providers, Notices: f.Notices, Unused: f.Unused}
		for _, o := range f.Origins {
			line := o.At.String() + " = " + valueAt(f.Draft, o.At) + " <- " + o.Text
			if len(o.Others) > 0 {
				line += " (others: " + strings.Join(o.Others, "; ") + ")"
			}
			out.Filled = append(out.Filled, line)
		}
		for _, h := range f.Hints {
			line := h.At.String() + " ? " + h.Text
			if h.Value != nil {
				line += " [" + valueText(h.At, *h.Value) + "]"
			}
			out.Hints = append(out.Hints, line)
		}
		g.As[string(role)] = out
	}
	return g
}

// valueAt returns a draft's value at a place, as JSON.
func valueAt(d birth.Draft, at birth.Path) string {
	if at.List == birth.ProviderList {
		return d.Providers[at.Index].Name
	}
	f := birth.Must(at.Field)
	values := map[birth.Subject]birth.Values{birth.Mother: d.Mother, birth.Care: d.Care, birth.Child: d.Children[0]}[f.About]
	return mappingtest.Stated(values, at.Field)
}

func valueText(at birth.Path, v birth.Value) string {
	if f := birth.Lookup(at.Field); f != nil {
		return string(v.JSON(f.Kind))
	}
	return v.Text
}

const chartEnding = ".chart.json"

func chartFiles(t testing.TB) []string {
	files, err := filepath.Glob(filepath.Join("testdata", "*"+chartEnding))
	require.NoError(t, err)
	require.Greater(t, len(files), 10)
	return files
}

// Every chart in testdata gives exactly the reading of its golden file.
func TestTheChartsMapToTheirGoldenReadings(t *testing.T) {
	for _, file := range chartFiles(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			body, err := os.ReadFile(file)
			require.NoError(t, err)
			c, launch := readStored(t, body)
			reading := Read(c, launch)
			requireSoundReading(t, reading)
			got, err := json.Marshal(goldenReadingOf(reading), jsontext.Multiline(true), jsontext.WithIndent(" "), json.Deterministic(true))
			require.NoError(t, err)
			got = append(got, '\n')
			kept := strings.TrimSuffix(file, chartEnding) + ".reading.json"
			if *mappingtest.Update {
				require.NoError(t, os.WriteFile(kept, got, 0o644))
			}
			want, err := os.ReadFile(kept)
			require.NoError(t, err, "make it with: go test ./app/mapping/uscore -run GoldenReadings -update, and check every line of it")
			require.Equal(t, string(want), string(got))
		})
	}
}

// requireSoundReading checks the rules that hold for every reading, whatever the chart.
func requireSoundReading(t require.TestingT, r Reading) {
	require.Contains(t, []Role{Mother, Newborn, Unknown}, r.Role)
	require.NotEmpty(t, r.Why)
	require.Len(t, r.As, 3)
	require.Empty(t, r.As[Unknown].Origins, "what is not known to be whose is nobody's")
	for role, f := range r.As {
		d := f.Draft
		require.Empty(t, d.Chart, "the chart number is the practice's to choose")
		require.Len(t, d.Children, 1)
		require.Zero(t, d.Consent)
		require.Empty(t, d.Transfers)
		stated := map[string]bool{}
		each := func(values birth.Values, about birth.Subject) {
			for _, s := range values {
				require.Equal(t, about, s.Field.About, s.Field.Name)
				require.Equal(t, birth.EHRPull, s.Value.Source, s.Field.Name)
				kept, ok := s.Field.Accept(s.Value)
				require.True(t, ok, "%s is out of range", s.Field.Name)
				require.True(t, kept.Equal(s.Value), s.Field.Name)
				stated[placeOfField(s.Field).String()] = true
				require.NotContains(t, []string{"none", "unknown"}, s.Value.Text, "the chart's silence is no answer")
			}
		}
		each(d.Mother, birth.Mother)
		each(d.Care, birth.Care)
		each(d.Children[0], birth.Child)
		for i, p := range d.Providers {
			require.Equal(t, birth.EHRPull, p.Source)
			stated[birth.Of(birth.ProviderList, i, "name").String()] = true
		}
		for _, o := range f.Origins {
			require.True(t, stated[o.At.String()], "%s has an origin and no value", o.At)
			delete(stated, o.At.String())
			require.NotEmpty(t, o.Text)
			require.LessOrEqual(t, len(o.Others), mostOthers+1)
		}
		require.Empty(t, stated, "%s: a value without an origin", role)
		if role == Newborn {
			require.Empty(t, d.Mother, "a newborn's chart tells nothing of the mother")
		}
		for _, h := range f.Hints {
			require.NotEmpty(t, h.Text)
			require.LessOrEqual(t, len(h.Text), 1200)
			requirePlain(t, h.Text)
			if field := birth.Lookup(h.At.Field); field != nil && h.Value != nil {
				_, ok := field.Accept(*h.Value)
				require.True(t, ok, "%s: a hint that the field does not take", h.At)
			}
		}
		for _, o := range f.Origins {
			requirePlain(t, append([]string{o.Text}, o.Others...)...)
		}
		course := birth.Mask(d)
		_, err := birth.Restore(course.Clinical(), course.Patient())
		require.NoError(t, err)
	}
}

func requirePlain(t require.TestingT, texts ...string) {
	for _, text := range texts {
		require.Equal(t, birth.Plain(text), text, "a control character")
		require.NotContains(t, text, "\n")
	}
}

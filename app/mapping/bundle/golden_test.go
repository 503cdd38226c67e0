package bundle

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
	"birthregistry/app/mapping"
	"birthregistry/app/mapping/mappingtest"
)

// golden holds the part of an item that is kept: everything that the receipt and the store see.
type golden struct {
	Accepted   string           `json:"accepted,omitzero"`
	Rejected   string           `json:"rejected"`
	Problem    string           `json:"problem,omitzero"`
	Expression string           `json:"expression,omitzero"`
	Retraction bool             `json:"retraction,omitzero"`
	Chart      string           `json:"chart,omitzero"`
	Stamp      time.Time        `json:"stamp,omitzero"`
	IGVersion  string           `json:"ig_version,omitzero"`
	Clinical   jsontext.Value   `json:"clinical,omitempty"`
	Patient    jsontext.Value   `json:"patient,omitempty"`
	Providers  []birth.Provider `json:"providers,omitempty"`
}

func goldenOf(i mapping.Item) golden {
	g := golden{
		Accepted: i.Accepted, Rejected: i.Rejected, Expression: i.Expression, Retraction: i.Retraction, Chart: i.Chart,
	}
	if i.Problem != nil {
		g.Problem = i.Problem.Name
	}
	if i.Draft != nil {
		c := birth.Mask(*i.Draft)
		d := c.Draft()
		g.Stamp, g.IGVersion, g.Providers = d.Stamp, d.IGVersion, d.Providers
		g.Clinical, g.Patient = c.Clinical(), c.Patient()
	}
	return g
}

// Every sample Bundle gives exactly the items of its golden file.
func TestTheSamplesMapToTheirGoldenFiles(t *testing.T) {
	all := mappingtest.Samples(t)
	for name, body := range all {
		t.Run(name, func(t *testing.T) {
			var items []golden
			require.NoError(t, Reader{}.Read(bytes.NewReader(body), func(i mapping.Item) error {
				items = append(items, goldenOf(i))
				return nil
			}))
			got, err := json.Marshal(items, jsontext.Multiline(true), jsontext.WithIndent(" "))
			require.NoError(t, err)
			got = append(got, '\n')
			file := filepath.Join("testdata", name+".course.json")
			if *mappingtest.Update {
				require.NoError(t, os.MkdirAll("testdata", 0o755))
				require.NoError(t, os.WriteFile(file, got, 0o644))
			}
			want, err := os.ReadFile(file)
			require.NoError(t, err, "make it with: go test ./app/mapping/bundle -update")
			require.Equal(t, string(want), string(got))
		})
	}
	files, err := filepath.Glob(filepath.Join("testdata", "*.course.json"))
	require.NoError(t, err)
	for _, file := range files {
		require.Contains(t, all, strings.TrimSuffix(filepath.Base(file), ".course.json"), "a golden file without its sample")
	}
}

// Personal data in the samples that isn't on the allow-list appears nowhere.
func TestNothingOffTheAllowListIsLeftOfTheSamples(t *testing.T) {
	for name, body := range mappingtest.Samples(t) {
		require.NoError(t, Reader{}.Read(bytes.NewReader(body), func(i mapping.Item) error {
			if i.Draft == nil {
				return nil
			}
			c := birth.Mask(*i.Draft)
			for _, doc := range []string{string(c.Clinical()), string(c.Patient())} {
				for _, word := range []string{"Invented Lane", "Nowhere", "555-0100", "Demo EHR", "demo.example", "as stated", "urn:demo"} {
					require.NotContains(t, doc, word, name)
				}
			}
			for _, word := range []string{"Okonkwo", "Amara", "Zora", "05401", "1994-05-17", "04:18", "2054-5"} {
				require.NotContains(t, string(c.Clinical()), word, "%s: patient data is sealed", name)
			}
			return nil
		}))
	}
}

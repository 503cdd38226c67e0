package app_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app"
	"birthregistry/app/apptest"
	"birthregistry/assets"
	"birthregistry/store"
)

// canary replaces every string of a Bundle with a token of its own, which is recognized
// wherever it appears.
type canary struct {
	structure []string // members whose strings are left as they are
	tokens    map[string]string
	ids       map[string]string
}

// The strings that a Bundle needs to be read at all; everything else becomes a token.
// "nothing" keeps only the types and profiles.
var (
	readable = []string{
		"resourceType", "type", "profile", "status", "system", "url", "method", "use", "code", "unit", "gender",
		"valueCode", "valueString", "valueDateTime", "birthDate", "lastUpdated", "timestamp", "dateTime", "start",
	}
	nothing = []string{"resourceType", "profile"}
)

func (c *canary) token(path string) string {
	token := fmt.Sprintf("CNRY%04dx", len(c.tokens))
	c.tokens[token] = path
	return token
}

func (c *canary) walk(path, member string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		if kind, ok := v["resourceType"].(string); ok {
			path = kind
		}
		for _, name := range sorted(v) {
			v[name] = c.walk(path+"."+name, name, v[name])
		}
	case []any:
		for i := range v {
			v[i] = c.walk(path, member, v[i])
		}
	case string:
		switch {
		case slices.Contains(c.structure, member):
			return v
		case member == "id":
			if c.ids[v] == "" {
				c.ids[v] = c.token(path)
			}
			return c.ids[v]
		case member == "reference" || member == "fullUrl":
			id := v[strings.LastIndexByte(v, '/')+1:]
			if c.ids[id] == "" {
				c.ids[id] = c.token(path)
			}
			return strings.TrimSuffix(v, id) + c.ids[id]
		}
		return c.token(path)
	}
	return v
}

func sorted(m map[string]any) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (c *canary) bundle(t *testing.T, sample string) string {
	t.Helper()
	text, err := assets.Samples.ReadFile(sample)
	require.NoError(t, err)
	var doc any
	require.NoError(t, json.Unmarshal(text, &doc))
	out, err := json.Marshal(c.walk("", "", doc))
	require.NoError(t, err)
	return string(out)
}

// kept reports whether the value at a path may be stored in clear: the chart number, and the
// provider's name and credentials.
func kept(path string) bool {
	return path == "Bundle.identifier.value" ||
		strings.HasPrefix(path, "Practitioner.name") || strings.HasPrefix(path, "Practitioner.qualification")
}

// PHI-1 for each single value of a Bundle. canary_everything_test.go runs through everything
// else.
func TestPHI_1_NoSubmittedStringIsReadableAnywhere(t *testing.T) {
	t.Parallel()
	samples, err := fs.Glob(assets.Samples, "samples/*.json")
	require.NoError(t, err)
	for _, way := range []struct {
		name      string
		structure []string
	}{{"as far as it can be read", readable}, {"every value a token", nothing}} {
		t.Run(way.name, func(t *testing.T) {
			i := apptest.Start(t)
			c := &canary{structure: way.structure, tokens: map[string]string{}, ids: map[string]string{}}
			var seen strings.Builder
			for _, sample := range samples {
				accepted := i.Post(c.bundle(t, sample), "Idempotency-Key", c.token("key"))
				seen.Write(accepted.Body)
				fmt.Fprint(&seen, accepted.Header)
				r := i.Receipt(accepted)
				require.Equal(t, store.Completed, r.Status)
				out, err := r.ParseOutcome()
				require.NoError(t, err)
				for _, a := range out.Accepted { // the reference contains the mother's ID, as the spec says
					require.Regexp(t, `^(Patient/CNRY\d+x|Bundle\.entry\[\d+\])$`, a.Reference)
				}
				for _, rejected := range out.Rejected {
					fmt.Fprint(&seen, rejected)
				}
			}
			for _, refused := range []string{
				`{"resourceType":"` + c.token("refused") + `"}`, `{"` + c.token("refused") + `":`, c.token("refused"),
			} {
				answer := i.Post(refused)
				require.Equal(t, 400, answer.StatusCode)
				seen.Write(answer.Body)
			}
			seen.WriteString(i.Log.String())
			for token, path := range c.tokens {
				require.NotContains(t, seen.String(), token, "a response or the log shows %s", path)
			}
			searchFiles(t, i, c)
		})
	}
}

// searchFiles requires that no file of the installation contains a token, except those that may be
// stored in clear; it must find some of these.
func searchFiles(t *testing.T, i *apptest.Installation, c *canary) {
	t.Helper()
	files, err := filepath.Glob(i.Config.DB + "*")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 3, "the database, its log and its index")
	found := 0
	for _, file := range files {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		for token, path := range c.tokens {
			if strings.Contains(string(content), token) {
				found++
				require.True(t, kept(path), "%s holds %s in clear", filepath.Base(file), path)
			}
		}
	}
	require.Positive(t, found, "the search itself finds nothing")
}

func TestPHI_1_PatientValuesAreSealedWhereTheyAreKept(t *testing.T) {
	t.Parallel()
	i := apptest.Start(t)
	body, err := assets.Samples.ReadFile("samples/01-single-birth.json")
	require.NoError(t, err)
	i.Push(string(body))
	require.Contains(t, fmt.Sprint(i.Record("SAMPLE-0001").Mother), "Okonkwo")
	i.Stop()
	content, err := os.ReadFile(i.Config.DB)
	require.NoError(t, err)
	for _, value := range []string{"Okonkwo", "Amara", "Zora", "1994-05-17", "2026-03-02T04:18", "05401", "Invented", "555-0100", "staff-17", "1999999999"} {
		require.NotContains(t, string(content), value)
	}
	require.Contains(t, string(content), "Lindqvist", "a provider's name is not patient data")
}

// FILE-1.
func TestFILE_1_EveryFileIsForItsOwnerOnly(t *testing.T) {
	t.Parallel()
	i := apptest.Start(t, func(c *app.Config) { require.NoError(t, os.Chmod(filepath.Dir(c.DB), 0o755)) })
	i.Push(apptest.Course{Chart: "1"}.Bundle())
	files, err := filepath.Glob(filepath.Join(filepath.Dir(i.Config.DB), "*"))
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 5)
	for _, file := range files {
		info, err := os.Stat(file)
		require.NoError(t, err)
		require.Zero(t, info.Mode().Perm()&0o077, "%s: %s", filepath.Base(file), info.Mode())
	}
}

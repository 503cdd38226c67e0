package bundle

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
	"birthregistry/app/corpus"
	"birthregistry/app/mapping"
	"birthregistry/assets"
)

// tracedDocuments returns the project's samples and the documents of the corpus, by name.
func tracedDocuments(t *testing.T) map[string][]byte {
	docs := map[string][]byte{}
	names, err := fs.Glob(assets.Samples, "samples/*.json")
	require.NoError(t, err)
	for _, name := range names {
		docs[name], err = fs.ReadFile(assets.Samples, name)
		require.NoError(t, err)
	}
	folder, files := corpus.Folder(t, corpus.Bundles)
	for _, file := range files {
		docs[file] = corpus.Read(t, folder, file)
	}
	return docs
}

func TestEverythingThatACorpusDocumentCarriesIsKeptOrDroppedForAReason(t *testing.T) {
	for name, doc := range tracedDocuments(t) {
		for _, reading := range []birth.Reading{birth.SpecReading, birth.BFDRReading} {
			t.Run(name+" "+string(reading), func(t *testing.T) {
				plain := readAll(t, Reader{Reading: reading}, doc)
				traced := readAll(t, Reader{Reading: reading, Traced: true}, doc)
				seen := map[string]bool{}
				for i, item := range traced {
					if item.Trace == nil {
						require.True(t, item.Retraction)
						continue
					}
					holdTrace(t, item, seen)
					item.Trace, traced[i].Trace = nil, nil
				}
				traced = slices.DeleteFunc(traced, func(i mapping.Item) bool { return i.Rejected == "" })
				require.Equal(t, plain, traced, "a trace changes nothing")
				for _, at := range resourcesIn(t, doc) {
					stated := func(place string) bool { return place == at || strings.HasPrefix(place, at+".") }
					require.True(t, slices.ContainsFunc(slices.Collect(maps.Keys(seen)), stated), "nothing is said of %s", at)
				}
			})
		}
	}
}

func readAll(t *testing.T, m Reader, doc []byte) (all []mapping.Item) {
	t.Helper()
	require.NoError(t, m.Read(bytes.NewReader(doc), func(i mapping.Item) error { all = append(all, i); return nil }))
	return all
}

// holdTrace compares the trace of an item with its record, and notes the places that the trace
// names.
func holdTrace(t *testing.T, item mapping.Item, seen map[string]bool) {
	kept, dropped := item.Trace.Report(item.Draft)
	facts := map[mapping.Fact]bool{}
	used := map[*mapping.Element]bool{}
	for _, k := range kept {
		facts[k.Fact] = true
		require.True(t, len(k.From) > 0 || len(k.Computed) > 0, "%v comes from nowhere", k.Fact)
		for _, e := range k.From {
			used[e] = true
			seen[e.At] = true
		}
	}
	if item.Draft != nil {
		require.Equal(t, factsOf(birth.Mask(*item.Draft).Draft()), facts)
	}
	known := map[mapping.Reason]bool{}
	for _, r := range mapping.Reasons {
		known[r.Reason] = true
	}
	for _, e := range dropped {
		require.False(t, used[e], "%s is kept and dropped", e.At)
		require.True(t, known[e.Why], "%s is dropped for no reason of the list: %q", e.At, e.Why)
		seen[e.At] = true
	}
}

// factsOf returns the facts that a record holds.
func factsOf(d birth.Draft) map[mapping.Fact]bool {
	facts := map[mapping.Fact]bool{}
	add := func(values birth.Values, child int) {
		for _, s := range values {
			facts[mapping.Fact{Name: s.Field.Name, Child: child}] = true
		}
	}
	add(d.Mother, -1)
	add(d.Care, -1)
	for i, child := range d.Children {
		add(child, i)
	}
	maps.DeleteFunc(map[string]bool{
		mapping.ChartNumber: d.Chart != "", mapping.SourceStamp: !d.Stamp.IsZero(), mapping.IGVersion: d.IGVersion != "",
		mapping.ConsentFact: d.Consent.Recorded, mapping.Providers: len(d.Providers) > 0, mapping.Transfers: len(d.Transfers) > 0,
	}, func(name string, there bool) bool {
		if there {
			facts[mapping.Fact{Name: name, Child: -1}] = true
		}
		return true
	})
	return facts
}

// resourcesIn returns the places of a document's resources, except Bundles and the resources
// of a DELETE.
func resourcesIn(t *testing.T, doc []byte) []string {
	var bundle map[string]any
	require.NoError(t, json.Unmarshal(bytes.TrimPrefix(doc, []byte("\ufeff")), &bundle))
	var places []string
	var walk func(bundle map[string]any, at string)
	walk = func(bundle map[string]any, at string) {
		entries, _ := bundle["entry"].([]any)
		for i, e := range entries {
			entry, _ := e.(map[string]any)
			resource, _ := entry["resource"].(map[string]any)
			request, _ := entry["request"].(map[string]any)
			place := fmt.Sprintf("%s.entry[%d].resource", at, i)
			switch kind, _ := resource["resourceType"].(string); {
			case resource == nil || request["method"] == "DELETE":
			case kind == "Bundle":
				walk(resource, place)
			case kind == "Patient" && len(resource) <= 3:
				// It may have no members except those that identify it.
			case strings.TrimSpace(kind) != "":
				places = append(places, place)
			}
		}
	}
	walk(bundle, "Bundle")
	return places
}

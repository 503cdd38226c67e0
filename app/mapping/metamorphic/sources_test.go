package metamorphic

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/corpus"
	"birthregistry/app/mapping/bundle"
	"birthregistry/app/mapping/uscore"
	"birthregistry/assets"
)

// bundleSources returns the documents to which mutations are applied: those of this project,
// and real ones from the folder that BUNDLE_CORPUS names.
func bundleSources(t *testing.T, mapper bundle.Reader) (all []source) {
	t.Helper()
	add := func(name string, doc object, foreign bool) {
		// Narratives make real documents four times as large and carry no data.
		everyObject(doc, func(o object) {
			if _, narrative := o["text"].(object); narrative {
				delete(o, "text")
			}
		})
		body := write(doc, nil)
		all = append(all, source{name, doc, body, readBundle(t, mapper, body), foreign})
	}
	for name, doc := range map[string]object{
		"one child": single(), "twins": pair(), "a fetal death": unborn(), "one of two": firstOfTwo(), "a batch": batch(),
		"BFDR proper": proper(),
	} {
		add(name, parse(t, []byte(write(doc, nil))), false)
	}
	samples, err := assets.Samples.ReadDir("samples")
	require.NoError(t, err)
	for _, e := range samples {
		body, err := assets.Samples.ReadFile("samples/" + e.Name())
		require.NoError(t, err)
		add(e.Name(), parse(t, body), false)
	}
	for name, body := range corpusOf(t, corpus.Bundles) {
		add(name, parse(t, body), true)
	}
	slices.SortFunc(all, func(a, b source) int { return strings.Compare(a.name, b.name) })
	return all
}

// corpusOf returns the documents of a corpus by their paths, or none if the variable is not
// set.
func corpusOf(t *testing.T, variable string) map[string][]byte {
	t.Helper()
	folder, files := corpus.Folder(t, variable)
	all := map[string][]byte{}
	for _, file := range files {
		all[file] = corpus.Read(t, folder, file)
	}
	return all
}

// chartSources returns the charts to which mutations are applied: the honest ones, those of
// the mapping's tests, and those in the folder that CHART_CORPUS names. If it isn't clear
// whose chart one is, it is read both as a mother's and as a newborn's.
func chartSources(t *testing.T) (all []source) {
	t.Helper()
	add := func(name string, chart object, foreign bool) {
		chart = parse(t, []byte(write(chart, nil)))
		roles := []uscore.Role{uscore.Role(readChart(t, chart, "")["role"])}
		if roles[0] == uscore.Unknown {
			roles = []uscore.Role{uscore.Mother, uscore.Newborn}
		}
		for _, role := range roles {
			with := with(chart, object{"as": string(role)})
			all = append(all, source{name + " as " + string(role), with, write(with, nil), filledIn(t, with, role), foreign})
		}
	}
	add("a full chart before the birth", fullExpecting(), false)
	add("a full chart after the birth", fullDelivered(), false)
	add("a full chart of a newborn", fullNewborn(), false)
	add("a chart without a date of birth", chart("2026-04-20T12:00:00Z", woman(object{"birthDate": nil}), dueInMay), false)
	files, err := filepath.Glob(filepath.Join("..", "uscore", "testdata", "*.chart.json"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		body, err := os.ReadFile(file)
		require.NoError(t, err)
		add(filepath.Base(file), parse(t, body), false)
	}
	for name, chart := range chartCorpus(t) {
		add(name, chart, true)
	}
	slices.SortFunc(all, func(a, b source) int { return strings.Compare(a.name, b.name) })
	return all
}

// chartCorpus returns the charts of the corpus. A file or folder is one chart for each Patient
// in it, read on the day after its latest date.
func chartCorpus(t *testing.T) map[string]object {
	t.Helper()
	folders := map[string]list{}
	for name, body := range corpusOf(t, corpus.Charts) {
		doc := parse(t, body)
		key := name
		found := list{doc}
		if textAt(doc, "resourceType") == "Bundle" {
			found = nil
			for _, r := range resources(doc, "") {
				found = append(found, r)
			}
		} else {
			key = filepath.Dir(name) // single resources of one folder belong together
		}
		folders[key] = append(folders[key], found...)
	}
	charts := map[string]object{}
	for key, all := range folders {
		for _, r := range all {
			p, _ := r.(object)
			if textAt(p, "resourceType") != "Patient" {
				continue
			}
			one := slices.DeleteFunc(slices.Clone(all), func(other any) bool {
				return textAt(other, "resourceType") == "Patient" && textAt(other, "id") != textAt(p, "id")
			})
			charts[key+" "+textAt(p, "id")] = object{"at": newest(one), "resources": one}
		}
	}
	return charts
}

// newest returns noon of the latest day in a chart.
func newest(all list) string {
	last := ""
	everyObject(all, func(o object) {
		for _, name := range []string{"effectiveDateTime", "birthDate", "start", "end", "onsetDateTime", "recordedDate"} {
			on := textAt(o, name)
			on = on[:min(len(on), len(time.DateOnly))]
			if _, err := time.Parse(time.DateOnly, on); err == nil {
				last = max(last, on)
			}
		}
	})
	return cmp.Or(last, "2026-11-21") + "T23:00:00Z"
}

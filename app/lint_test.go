package app_test

import (
	"io/fs"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"birthregistry/app"
	"birthregistry/app/apptest"
	"birthregistry/app/birth"
	"birthregistry/app/corpus"
	"birthregistry/app/ingest"
	"birthregistry/app/lint"
	"birthregistry/app/records"
	"birthregistry/assets"
	"birthregistry/store"
)

const bodyLimit = 1 << 20

// lintDocuments returns Bundles of every kind, in an order in which some of them amend or
// retract others, or look like them.
func lintDocuments(t *testing.T) (names []string, docs map[string]string) {
	docs = map[string]string{}
	add := func(name, doc string) {
		names = append(names, name)
		docs[name] = doc
	}
	samples, err := fs.Glob(assets.Samples, "samples/*.json")
	require.NoError(t, err)
	for _, name := range samples {
		doc, err := fs.ReadFile(assets.Samples, name)
		require.NoError(t, err)
		add(name, string(doc))
	}
	folder, files := corpus.Folder(t, corpus.Bundles)
	for _, file := range files {
		add(file, string(corpus.Read(t, folder, file)))
	}
	course := func(c apptest.Course) string { return c.Bundle() }
	retract := func(url string) string {
		return `{"resourceType":"Bundle","type":"transaction","entry":[{"request":{"method":"DELETE","url":"` + url + `"}}]}`
	}
	batch := func(inner ...string) string {
		return `{"resourceType":"Bundle","type":"batch","entry":[{"resource":` + strings.Join(inner, `},{"resource":`) + `}]}`
	}
	for i, doc := range []string{
		course(apptest.Course{Chart: "L1", Stamp: "2026-03-03T10:00:00Z"}),
		course(apptest.Course{Chart: "L1", Stamp: "2026-03-03T09:00:00Z"}), // stale
		course(apptest.Course{Chart: "L1", Stamp: "2026-03-03"}),           // of the same day
		course(apptest.Course{Chart: "L1", Stamp: "2099-01-01T00:00:00Z"}), // too far ahead
		course(apptest.Course{Chart: "L2"}),                                // looks like L1
		course(apptest.Course{Chart: "L3", Mother: "Hale"}),
		course(apptest.Course{Chart: "L3"}), // would be a duplicate
		course(apptest.Course{}),
		retract("Bundle/L2"), retract("Bundle/L2"), retract("Observation/4711"), retract("Bundle/nobody"),
		course(apptest.Course{Chart: "L2"}), // revives
		course(apptest.Course{Chart: "L4", Kids: -1}),
		course(apptest.Course{Chart: "a\x07b"}),
		batch(course(apptest.Course{Chart: "L5", Mother: "Osei"}), course(apptest.Course{Chart: "L5", Mother: "Osei"}),
			course(apptest.Course{Chart: "L6", Kids: -1}), `{"resourceType":"Patient","id":"beside"}`),
		batch(batch(batch(batch(batch(course(apptest.Course{Chart: "deep"})))))),
		`{"resourceType":"Bundle"}`, `{"resourceType":"Bundle","entry":7}`, `{"resourceType":"Patient"}`, `{`, ``, `[]`,
		`{"resourceType":"Bundle","entry":[{"resource":{"resourceType":"Patient","meta":{"profile":"Patient-mother-vr"}}}]}`,
		`{"resourceType":"Bundle","a":1,"a":2}`,
		`{"resourceType":"Bundle","x":"` + strings.Repeat("x", bodyLimit) + `"}`,
	} {
		add("made "+strconv.Itoa(i), doc)
	}
	return names, docs
}

func TestLintReportsForTheCorpusWhatTheServerAnswers(t *testing.T) {
	t.Parallel()
	for _, reading := range []birth.Reading{birth.SpecReading, birth.BFDRReading} {
		t.Run(string(reading), func(t *testing.T) {
			i := apptest.Start(t, func(c *app.Config) { c.Ingest.Reading, c.Web.MaxBody = reading, bodyLimit })
			together := lint.New(lint.Settings{Reading: reading, MaxBody: bodyLimit, Reveal: true}, time.Now())
			names, docs := lintDocuments(t)
			for _, name := range slices.Concat(names, names) { // the second time they amend
				t.Run(name, func(t *testing.T) { holdLint(t, i, i.Practice, i.Key, together, docs[name]) })
			}
			for _, name := range names {
				alone := lint.New(lint.Settings{Reading: reading, MaxBody: bodyLimit, Reveal: true}, time.Now())
				practice := i.AddPractice(name)
				key := i.Mint(practice, "ingest:write", "ingest:read")
				t.Run("alone "+name, func(t *testing.T) { holdLint(t, i, practice, key, alone, docs[name]) })
			}
		})
	}
}

// holdLint pushes a document and compares lint's output with the answer, the receipt and the
// records.
func holdLint(t *testing.T, i *apptest.Installation, p store.PracticeID, key string, linter *lint.Linter, doc string) {
	linted, err := linter.Read(strings.NewReader(doc))
	require.NoError(t, err)
	auth := []string{"Authorization", "Bearer " + key}
	answer := i.Post(doc, auth...)
	require.Equal(t, answer.StatusCode, linted.HTTP)
	if answer.StatusCode != http.StatusAccepted {
		require.Equal(t, lint.Refused, linted.Status)
		problem, err := json.Marshal(linted.Problem)
		require.NoError(t, err)
		require.JSONEq(t, string(answer.Body), string(problem))
		return
	}
	receipt := i.Receipt(answer, auth...)
	require.Equal(t, string(receipt.Status), linted.Status)
	out, err := receipt.ParseOutcome()
	require.NoError(t, err)
	require.Equal(t, *receipt.Accepted, linted.Accepted)
	require.Equal(t, *receipt.Rejected, linted.Rejected)
	require.Equal(t, outcomeAsLinted(out), linted.Outcome)
	latest := map[string]lint.Course{} // by record, the last of its courses
	n := 0
	for _, c := range linted.Courses {
		if c.Result == "accepted" {
			if out.Accepted[n].Retracted {
				delete(latest, out.Accepted[n].Submission)
			} else {
				latest[out.Accepted[n].Submission] = c
			}
			n++
		}
	}
	for id, c := range latest {
		r, err := records.New(i.App.DB, i.App.Vault).Show(t.Context(), p, id, 0, true)
		require.NoError(t, err)
		require.Equal(t, factsOnFile(r), factsLinted(c))
	}
}

// outcomeAsLinted returns a receipt's outcome without the parts that only a server has.
func outcomeAsLinted(out ingest.Outcome) lint.Outcome {
	o := lint.Outcome{Accepted: []lint.Accepted{}, Rejected: []lint.Rejected{}}
	for _, a := range out.Accepted {
		o.Accepted = append(o.Accepted, lint.Accepted{
			Reference: a.Reference, Suspected: a.Suspected, Amended: a.Amended, Retracted: a.Retracted, Version: a.Version,
		})
	}
	for _, r := range out.Rejected {
		o.Rejected = append(o.Rejected, lint.Rejected(r))
	}
	return o
}

// factsOnFile returns the fields that a record holds, with their values.
func factsOnFile(r records.Record) map[string]string {
	facts := map[string]string{}
	add := func(values records.Values, child string) {
		for _, v := range values {
			facts[v.Field.Name+child] = string(v.Value.JSON(v.Field.Kind))
		}
	}
	add(r.Mother, "")
	add(r.Care, "")
	for n, child := range r.Children {
		add(child, strconv.Itoa(n+1))
	}
	maps.Copy(facts, present(map[string]bool{
		"chart_number": r.ChartNumber != "", "ig_version": r.IGVersion != "", "consent": r.Consent.Recorded,
		"providers": len(r.Providers) > 0, "transfers": len(r.Transfers) > 0,
	}))
	return facts
}

func present(facts map[string]bool) map[string]string {
	all := map[string]string{}
	for name, there := range facts {
		if there {
			all[name] = ""
		}
	}
	return all
}

// factsLinted returns the fields that lint reports as kept, with their values. The stamp of an
// amendment may be an earlier one's.
func factsLinted(c lint.Course) map[string]string {
	facts := map[string]string{}
	for _, k := range c.Kept {
		child, value := "", string(k.Value)
		if k.Child > 0 {
			child = strconv.Itoa(k.Child)
		}
		if field, _ := k.Spine(); field == nil {
			value = ""
		}
		facts[k.Field+child] = value
	}
	delete(facts, "source_stamp")
	return facts
}

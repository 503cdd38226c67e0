package intake

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
	"birthregistry/store"
)

// told is a course of care that says enough to be compared with others.
func told(chart, family, born string) string {
	identifier := ""
	if chart != "" {
		identifier = `"identifier":{"value":"` + chart + `"},`
	}
	return strings.NewReplacer("IDENTIFIER", identifier, "FAMILY", family, "DAY", born[:10], "BORN", born).Replace(
		`{"resourceType":"Bundle",IDENTIFIER"type":"document","entry":[
		{"resource":{"resourceType":"Patient","id":"m","meta":{"profile":["x/Patient-mother-vr"]},"name":[{"family":"FAMILY"}]}},
		{"resource":{"resourceType":"Patient","id":"c","meta":{"profile":["x/Patient-child-vr"]},"birthDate":"DAY",
		"_birthDate":{"extension":[{"url":"x/patient-birthTime","valueDateTime":"BORN"}]}}}]}`)
}

const evening, night = "2026-03-02T20:18:00-05:00", "2026-03-03T02:00:00-05:00"

// retract is a document that retracts: unlike a deletion it has its turn among
// the courses of a batch.
func retract(chart string) string {
	return `{"resourceType":"Bundle","identifier":{"value":"` + chart + `"},"entry":[
		{"resource":{"resourceType":"Composition","status":"entered-in-error"}}]}`
}

func deletion(url string) string { return `{"request":{"method":"DELETE","url":"` + url + `"}}` }

// batch writes entries: Bundles are wrapped, deletions stand as they are.
func batch(entries ...string) string {
	for i, e := range entries {
		if strings.HasPrefix(e, `{"resourceType"`) {
			entries[i] = `{"resource":` + e + `}`
		}
	}
	return `{"resourceType":"Bundle","type":"transaction","entry":[` + strings.Join(entries, ",") + `]}`
}

func TestSubmissionsOfOneBatchSeeEachOther(t *testing.T) {
	for _, way := range []string{"in one batch", "one after the other"} {
		t.Run(way, func(t *testing.T) {
			b := newBed(t)
			steps := []string{
				told("a", "Okonkwo", evening),   // created
				told("a", "Okonkwo", evening),   // amended
				told("b", " OKONKWO ", evening), // created, flagged: same birth as a
				told("c", "Hale", night),        // created
				told("c", "Okonkwo", evening),   // conflict: would become a's birth
				retract("a"),                    // voided
				retract("a"),                    // again: no-op
				retract("nobody"),               // unknown
				told("c", "Okonkwo", evening),   // still a conflict: b is live
				retract("b"),                    // voided
				told("c", "Okonkwo", evening),   // amended: nobody lives there now
				told("a", "Okonkwo", evening),   // revived and flagged: c is live
				told("", "Okonkwo", evening),    // no chart number: created, flagged
			}
			var out Outcome
			if way == "in one batch" {
				id := b.accept(batch(steps...))
				b.drain()
				out = b.outcome(id)
			} else {
				out = newOutcome()
				for _, step := range steps {
					id := b.accept(batch(step))
					b.drain()
					out.add(b.outcome(id))
				}
			}
			said := make([]Accepted, len(out.Accepted))
			for i, a := range out.Accepted {
				said[i] = Accepted{Suspected: a.Suspected, Amended: a.Amended, Retracted: a.Retracted, Version: a.Version}
			}
			require.Equal(t, []Accepted{
				{},
				{Amended: true, Version: 2},
				{Suspected: true},
				{},
				{Retracted: true, Version: 3},
				{Retracted: true, Version: 3},
				{Retracted: true, Version: 2},
				{Amended: true, Version: 2},
				{Amended: true, Suspected: true, Version: 4},
				{Suspected: true},
			}, said)
			codes := make([]string, len(out.Rejected))
			for i, r := range out.Rejected {
				codes[i] = r.Outcome.Issue[0].Code
			}
			require.Equal(t, []string{"conflict", "not-found", "conflict"}, codes)
			states := map[string]birth.State{}
			for _, r := range b.records() {
				states[r.Chart] = r.State
			}
			require.Equal(t, map[string]birth.State{"a": birth.Active, "b": birth.Voided, "c": birth.Active, "": birth.Active}, states)
			b.clean()
		})
	}
}

func TestRecordsOfOtherPracticesAreNeverCompared(t *testing.T) {
	b := newBed(t)
	id := b.accept(told("a", "Okonkwo", evening))
	b.drain()
	first := b.outcome(id).Accepted[0].Submission
	require.NoError(t, b.db.Update(func(tx *store.Tx) (err error) {
		b.caller.Practice, err = tx.AddPractice("Elsewhere", false, true)
		return err
	}))
	id = b.accept(told("a", "Okonkwo", evening))
	b.drain()
	require.Equal(t, Accepted{Reference: "Patient/m", Submission: b.outcome(id).Accepted[0].Submission}, b.outcome(id).Accepted[0])
	require.NotEqual(t, first, b.outcome(id).Accepted[0].Submission)
}

// attended is a course with a practitioner of the given key and text.
func attended(chart, key, npi, family, qualification string) string {
	return strings.NewReplacer("CHART", chart, "KEY", key, "NPI", npi, "FAMILY", family, "QUALIFICATION", qualification).Replace(
		`{"resourceType":"Bundle","identifier":{"value":"CHART"},"type":"document","entry":[
		{"resource":{"resourceType":"Patient","id":"m","meta":{"profile":["x/Patient-mother-vr"]}}},
		{"resource":{"resourceType":"Patient","id":"c","meta":{"profile":["x/Patient-child-vr"]}}},
		{"resource":{"resourceType":"Practitioner","id":"p","identifier":[{"system":"http://hl7.org/fhir/sid/us-npi","value":"NPI"},{"value":"KEY"}],
		"name":[{"family":"FAMILY"}],"qualification":[{"code":{"text":"QUALIFICATION"}}]}},
		{"resource":{"resourceType":"Encounter","participant":[{"type":[{"coding":[{"code":"ATND"}]}],"individual":{"reference":"Practitioner/p"}}]}}]}`)
}

func TestAProviderIsOnePersonWhateverTheNPISays(t *testing.T) {
	b := newBed(t)
	b.accept(attended("1", "staff-1", "111", "Lindqvist", "CPM"))
	b.accept(attended("2", "staff-1", "222", "Lindqvist", "CPM"))
	b.accept(attended("3", "staff-2", "111", "Lindqvist", "CPM"))
	b.accept(attended("4", "staff-1", "111", "Lindqvist-Mora", "Certified Nurse-Midwife"))
	b.drain()
	providers := map[string]int64{}
	require.NoError(t, b.db.View(t.Context(), func(v *store.View) error {
		for _, r := range b.records() {
			of, err := v.ProvidersOf(b.caller.Practice, r.ID, r.Content)
			require.NoError(t, err)
			require.Len(t, of, 1)
			require.True(t, of[0].Attending)
			providers[r.Chart] = of[0].ID
			if r.Chart != "3" {
				require.Equal(t, "Lindqvist-Mora", of[0].Name, "the present name of one identity")
				require.Equal(t, "Certified Nurse-Midwife", of[0].Credentials)
			}
		}
		return nil
	}))
	require.Equal(t, providers["1"], providers["2"])
	require.Equal(t, providers["1"], providers["4"])
	require.NotEqual(t, providers["1"], providers["3"])
}

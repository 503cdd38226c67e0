package changes_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
	"birthregistry/app/fixture"
	"birthregistry/app/ingest"
	"birthregistry/store"
)

func TestChangesOfOneBatchSeeEachOther(t *testing.T) {
	for _, way := range []string{"in one batch", "one after the other"} {
		t.Run(way, func(t *testing.T) {
			b := fixture.New(t)
			steps := []string{
				fixture.Birth("a", "Okonkwo", fixture.Evening),   // created
				fixture.Birth("a", "Okonkwo", fixture.Evening),   // amended
				fixture.Birth("b", " OKONKWO ", fixture.Evening), // created and flagged: the same birth as a
				fixture.Birth("c", "Hale", fixture.Night),        // created
				fixture.Birth("c", "Okonkwo", fixture.Evening),   // conflict: would become a's birth
				fixture.Retraction("a"),                          // voided
				fixture.Retraction("a"),                          // no-op, since it is voided already
				fixture.Retraction("nobody"),                     // unknown
				fixture.Birth("c", "Okonkwo", fixture.Evening),   // still a conflict: b is active
				fixture.Retraction("b"),                          // voided
				fixture.Birth("c", "Okonkwo", fixture.Evening),   // amended: nobody has that birth now
				fixture.Birth("a", "Okonkwo", fixture.Evening),   // revived and flagged: c is active
				fixture.Birth("", "Okonkwo", fixture.Evening),    // no chart number: created and flagged
			}
			var out ingest.Outcome
			if way == "in one batch" {
				id := b.Accept(fixture.Batch(steps...))
				b.Drain()
				out = b.Outcome(id)
			} else {
				for _, step := range steps {
					id := b.Accept(fixture.Batch(step))
					b.Drain()
					one := b.Outcome(id)
					out.Accepted, out.Rejected = append(out.Accepted, one.Accepted...), append(out.Rejected, one.Rejected...)
				}
			}
			reported := make([]ingest.Accepted, len(out.Accepted))
			for i, a := range out.Accepted {
				reported[i] = ingest.Accepted{Suspected: a.Suspected, Amended: a.Amended, Retracted: a.Retracted, Version: a.Version}
			}
			require.Equal(t, []ingest.Accepted{
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
			}, reported)
			codes := make([]string, len(out.Rejected))
			for i, r := range out.Rejected {
				codes[i] = r.Outcome.Issue[0].Code
			}
			require.Equal(t, []string{"conflict", "not-found", "conflict"}, codes)
			states := map[string]birth.State{}
			for _, r := range b.Records() {
				states[r.Chart] = r.State
			}
			require.Equal(t, map[string]birth.State{"a": birth.Active, "b": birth.Voided, "c": birth.Active, "": birth.Active}, states)
			b.Clean()
		})
	}
}

func TestRecordsOfOtherPracticesAreNeverCompared(t *testing.T) {
	b := fixture.New(t)
	id := b.Accept(fixture.Birth("a", "Okonkwo", fixture.Evening))
	b.Drain()
	first := b.Outcome(id).Accepted[0].Submission
	require.NoError(t, b.DB.Update(func(tx *store.Tx) (err error) {
		b.Caller.Practice, err = tx.AddPractice("Elsewhere", false, true)
		return err
	}))
	id = b.Accept(fixture.Birth("a", "Okonkwo", fixture.Evening))
	b.Drain()
	require.Equal(t, ingest.Accepted{Reference: "Patient/m", Submission: b.Outcome(id).Accepted[0].Submission}, b.Outcome(id).Accepted[0])
	require.NotEqual(t, first, b.Outcome(id).Accepted[0].Submission)
}

func TestAProviderIsIdentifiedByTheStaffIDWhateverTheNPI(t *testing.T) {
	b := fixture.New(t)
	b.Accept(fixture.BirthBy("1", "", "", "staff-1", "111", "Lindqvist", "CPM"))
	b.Accept(fixture.BirthBy("2", "", "", "staff-1", "222", "Lindqvist", "CPM"))
	b.Accept(fixture.BirthBy("3", "", "", "staff-2", "111", "Lindqvist", "CPM"))
	b.Accept(fixture.BirthBy("4", "", "", "staff-1", "111", "Lindqvist-Mora", "Certified Nurse-Midwife"))
	b.Drain()
	providers := map[string]int64{}
	require.NoError(t, b.DB.View(t.Context(), func(v *store.View) error {
		for _, r := range b.Records() {
			of, err := v.ProvidersOf(b.Caller.Practice, r.ID, r.Content)
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

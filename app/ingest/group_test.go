package ingest_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"birthregistry/app/auth"
	"birthregistry/app/fixture"
	"birthregistry/app/ingest"
	"birthregistry/app/review"
	"birthregistry/store"
)

// submissions makes random Bundles with few charts, mothers and providers, so that they amend,
// retract, revive and resemble each other.
func submissions(random *rand.Rand, n int) (all []string) {
	one := func(of ...string) string { return of[random.IntN(len(of))] }
	for range n {
		chart := one("1", "2", "3", "4", "")
		report := fixture.Birth(chart, one("Okonkwo", "Hale", "Quinn"), one(fixture.Evening, fixture.Night))
		attended := fixture.BirthBy("p"+one("1", "2", "3"), "", "", one("a", "b"), "", one("Lindqvist", "Mora"), one("CPM", "RN", "Doula"))
		all = append(all, one(
			report, report, report, attended, attended, fixture.Retraction(one("1", "2", "3", "p1", "nobody")),
			fixture.Batch(report, fixture.Deletion("Bundle/"+one("1", "2"))), fixture.Batch(attended, report, fixture.Retraction("p2")),
			`{"resourceType":"Bundle","entry":[]}`,
		))
	}
	return all
}

// processed returns the results of submissions; each record's ID is replaced by the number of
// its first appearance.
func processed(b *fixture.Fixture, ids []string) (all []string) {
	met := map[string]int{}
	name := func(uuid string) int {
		if met[uuid] == 0 {
			met[uuid] = len(met) + 1
		}
		return met[uuid]
	}
	for _, id := range ids {
		out := b.Outcome(id)
		for i := range out.Accepted {
			out.Accepted[i].Submission = fmt.Sprint(name(out.Accepted[i].Submission))
		}
		doc, err := json.Marshal(out)
		require.NoError(b, err)
		all = append(all, string(doc))
	}
	records := b.Records()
	slices.Reverse(records) // oldest first
	require.NoError(b, b.DB.View(context.Background(), func(v *store.View) error {
		for _, r := range records {
			content, err := v.VersionOf(b.Caller.Practice, r.ID, r.Version)
			require.NoError(b, err)
			all = append(all, fmt.Sprint(
				name(r.UUID), r.Chart, r.State, r.Version, r.Content, r.Suspected, r.Facts, content.Change, string(content.Clinical),
			))
			for version := 1; version <= r.Version; version++ {
				of, err := v.ProvidersOf(b.Caller.Practice, r.ID, version)
				require.NoError(b, err)
				for _, p := range of {
					all = append(all, fmt.Sprint(version, p.Name, p.Credentials, p.Role, p.Attending))
				}
			}
		}
		return nil
	}))
	return all
}

// markTwins stores charts 1 and 2, which look the same, and marks them as not duplicates.
func markTwins(b *fixture.Fixture) {
	b.Accept(fixture.Birth("1", "Okonkwo", fixture.Evening))
	b.Accept(fixture.Birth("2", "Okonkwo", fixture.Evening))
	b.Drain()
	of := b.Records()
	var practice store.Practice
	require.NoError(b, b.DB.View(context.Background(), func(v *store.View) (err error) {
		practice, err = v.Practice(b.Caller.Practice)
		return err
	}))
	_, err := b.Review.MarkNotDuplicates(auth.Operator(practice), review.Pair{Stays: of[1].UUID, Goes: of[0].UUID, StaysVersion: 1, GoesVersion: 1})
	require.NoError(b, err)
}

// The receipts and the records are the same whether a backlog is processed many Bundles at a
// time or one by one.
func TestAGroupIsProcessedAsItsBundlesWouldBeOneByOne(t *testing.T) {
	t.Parallel()
	for seed := range uint64(8) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			bodies := submissions(rand.New(rand.NewPCG(seed, 7)), ingest.GroupCount)
			together, apart := fixture.New(t), fixture.New(t)
			var ids [2][]string
			if seed%2 == 1 { // births that a person marked as not duplicates
				markTwins(together)
				markTwins(apart)
			}
			for _, body := range bodies {
				ids[0] = append(ids[0], together.Accept(body))
				ids[1] = append(ids[1], apart.Accept(body))
				apart.Drain()
			}
			group, err := together.Ingest.NextGroup(together.Caller.Practice)
			require.NoError(t, err)
			require.Len(t, group, ingest.GroupCount, "all of them are one group")
			together.Drain()
			require.Equal(t, processed(apart, ids[1]), processed(together, ids[0]))
			together.Clean()
		})
	}
}

// A person's mark that two similar births are not duplicates also holds within a group, even
// if one or both of them were retracted and sent again.
func TestTwoBirthsMarkedAsNotDuplicatesStayUnflaggedInAGroup(t *testing.T) {
	one, two := fixture.Birth("1", "Okonkwo", fixture.Evening), fixture.Birth("2", "Okonkwo", fixture.Evening)
	for _, c := range []struct {
		name          string
		before, group []string
	}{
		{"one comes again, the other is amended", []string{fixture.Retraction("2")}, []string{two, one}},
		{"both come again", []string{fixture.Retraction("1"), fixture.Retraction("2")}, []string{one, two}},
		{"both go and come again", nil, []string{fixture.Retraction("1"), fixture.Retraction("2"), one, two}},
	} {
		t.Run(c.name, func(t *testing.T) {
			together, apart := fixture.New(t), fixture.New(t)
			for _, b := range []*fixture.Fixture{together, apart} {
				markTwins(b)
				for _, body := range c.before {
					b.Accept(body)
					b.Drain()
				}
			}
			var ids [2][]string
			for _, body := range c.group {
				ids[0] = append(ids[0], together.Accept(body))
				ids[1] = append(ids[1], apart.Accept(body))
				apart.Drain()
			}
			together.Drain()
			require.Equal(t, processed(apart, ids[1]), processed(together, ids[0]))
			for _, id := range ids[0] {
				require.False(t, together.Outcome(id).Accepted[0].Suspected)
			}
		})
	}
}

// The mark ends as soon as one of the records becomes another birth, even in the middle of a
// batch.
func TestAMarkAsNotDuplicatesEndsOnceOneRecordBecameAnotherBirth(t *testing.T) {
	one, two := fixture.Birth("1", "Okonkwo", fixture.Evening), fixture.Birth("2", "Okonkwo", fixture.Evening)
	steps := []string{fixture.Birth("1", "Quinn", fixture.Evening), fixture.Retraction("1"), one, one, two}
	together, apart := fixture.New(t), fixture.New(t)
	var want []ingest.Accepted
	for _, b := range []*fixture.Fixture{together, apart} {
		markTwins(b)
	}
	for _, body := range steps {
		id := apart.Accept(body)
		apart.Drain()
		want = append(want, apart.Outcome(id).Accepted...)
	}
	id := together.Accept(fixture.Batch(steps...))
	together.Drain()
	got := together.Outcome(id).Accepted
	require.Len(t, got, len(steps))
	for i, a := range got {
		require.Equal(t, want[i].Suspected, a.Suspected, "step %d", i)
		require.Equal(t, i >= 2, a.Suspected, "step %d", i)
	}
}

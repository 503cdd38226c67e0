package intake

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"birthregistry/store"
)

// submissions makes Bundles of few charts, mothers and providers, so that they
// amend, retract, revive and resemble each other.
func submissions(random *rand.Rand, n int) (all []string) {
	one := func(of ...string) string { return of[random.IntN(len(of))] }
	for range n {
		chart := one("1", "2", "3", "4", "")
		told := told(chart, one("Okonkwo", "Hale", "Quinn"), one(evening, night))
		attended := attended("p"+one("1", "2", "3"), one("a", "b"), "", one("Lindqvist", "Mora"), one("CPM", "RN", "Doula"))
		all = append(all, one(
			told, told, told, attended, attended, retract(one("1", "2", "3", "p1", "nobody")),
			batch(told, deletion("Bundle/"+one("1", "2"))), batch(attended, told, retract("p2")),
			`{"resourceType":"Bundle","entry":[]}`,
		))
	}
	return all
}

// worked is what became of submissions, with the ids of records by the order in
// which they were met.
func (b *bed) worked(ids []string) (all []string) {
	met := map[string]int{}
	name := func(uuid string) int {
		if met[uuid] == 0 {
			met[uuid] = len(met) + 1
		}
		return met[uuid]
	}
	for _, id := range ids {
		out := b.outcome(id)
		for i := range out.Accepted {
			out.Accepted[i].Submission = fmt.Sprint(name(out.Accepted[i].Submission))
		}
		doc, err := json.Marshal(out)
		require.NoError(b, err)
		all = append(all, string(doc))
	}
	records := b.records()
	slices.Reverse(records) // oldest first
	require.NoError(b, b.db.View(func(v *store.View) error {
		for _, r := range records {
			content, err := v.VersionOf(b.caller.Practice, r.ID, r.Version)
			require.NoError(b, err)
			all = append(all, fmt.Sprint(
				name(r.UUID), r.Chart, r.State, r.Version, r.Content, r.Suspected, r.Facts, content.Change, string(content.Clinical),
			))
			for version := 1; version <= r.Version; version++ {
				of, err := v.ProvidersOf(b.caller.Practice, r.ID, version)
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

// Whether a backlog is worked many Bundles at a time or each by itself, the
// receipts and the records are the same.
func TestAGroupIsWorkedAsItsBundlesWouldBeOneByOne(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			bodies := submissions(rand.New(rand.NewPCG(seed, 7)), groupCount)
			together, apart := newBed(t), newBed(t)
			var ids [2][]string
			for _, body := range bodies {
				ids[0] = append(ids[0], together.accept(body))
				ids[1] = append(ids[1], apart.accept(body))
				apart.drain()
			}
			group, err := together.nextGroup(together.caller.Practice)
			require.NoError(t, err)
			require.Len(t, group, groupCount, "all of them are one group")
			together.drain()
			require.Equal(t, apart.worked(ids[1]), together.worked(ids[0]))
			together.clean()
		})
	}
}

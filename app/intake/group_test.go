package intake

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"birthregistry/app/auth"
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
	require.NoError(b, b.db.View(context.Background(), func(v *store.View) error {
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

// keepTwins puts charts 1 and 2 on file, alike and kept: they are two births.
func (b *bed) keepTwins() {
	b.accept(told("1", "Okonkwo", evening))
	b.accept(told("2", "Okonkwo", evening))
	b.drain()
	of := b.records()
	var practice store.Practice
	require.NoError(b, b.db.View(context.Background(), func(v *store.View) (err error) {
		practice, err = v.Practice(b.caller.Practice)
		return err
	}))
	_, err := b.KeepBoth(auth.Operator(practice), Pairing{Stays: of[1].UUID, Goes: of[0].UUID, StaysBasis: 1, GoesBasis: 1})
	require.NoError(b, err)
}

// Whether a backlog is worked many Bundles at a time or each by itself, the
// receipts and the records are the same.
func TestAGroupIsWorkedAsItsBundlesWouldBeOneByOne(t *testing.T) {
	for seed := range uint64(8) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			bodies := submissions(rand.New(rand.NewPCG(seed, 7)), groupCount)
			together, apart := newBed(t), newBed(t)
			var ids [2][]string
			if seed%2 == 1 { // of births that a person kept beside each other
				together.keepTwins()
				apart.keepTwins()
			}
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

// What a person has said of two births that look alike holds in a group as well: also
// where one of them, or both, had been retracted and come again.
func TestTwoBirthsThatAreKeptStayUnflaggedInAGroup(t *testing.T) {
	one, two := told("1", "Okonkwo", evening), told("2", "Okonkwo", evening)
	for _, c := range []struct {
		name          string
		before, group []string
	}{
		{"one comes again, the other is amended", []string{retract("2")}, []string{two, one}},
		{"both come again", []string{retract("1"), retract("2")}, []string{one, two}},
		{"both go and come again", nil, []string{retract("1"), retract("2"), one, two}},
	} {
		t.Run(c.name, func(t *testing.T) {
			together, apart := newBed(t), newBed(t)
			for _, b := range []*bed{together, apart} {
				b.keepTwins()
				for _, body := range c.before {
					b.accept(body)
					b.drain()
				}
			}
			var ids [2][]string
			for _, body := range c.group {
				ids[0] = append(ids[0], together.accept(body))
				ids[1] = append(ids[1], apart.accept(body))
				apart.drain()
			}
			together.drain()
			require.Equal(t, apart.worked(ids[1]), together.worked(ids[0]))
			for _, id := range ids[0] {
				require.False(t, together.outcome(id).Accepted[0].Suspected)
			}
		})
	}
}

// It is forgotten as soon as one of them has been another birth, in the midst of a
// batch as well.
func TestTwoBirthsThatWereKeptAreFlaggedOnceOneOfThemWasAnotherBirth(t *testing.T) {
	one, two := told("1", "Okonkwo", evening), told("2", "Okonkwo", evening)
	steps := []string{told("1", "Quinn", evening), retract("1"), one, one, two}
	together, apart := newBed(t), newBed(t)
	var want []Accepted
	for _, b := range []*bed{together, apart} {
		b.keepTwins()
	}
	for _, body := range steps {
		id := apart.accept(body)
		apart.drain()
		want = append(want, apart.outcome(id).Accepted...)
	}
	id := together.accept(batch(steps...))
	together.drain()
	got := together.outcome(id).Accepted
	require.Len(t, got, len(steps))
	for i, a := range got {
		require.Equal(t, want[i].Suspected, a.Suspected, "step %d", i)
		require.Equal(t, i >= 2, a.Suspected, "step %d", i)
	}
}

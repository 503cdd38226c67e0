package stats

import (
	"crypto/sha256"
	"math/rand/v2"
	"sync"

	"birthregistry/app/birth"
)

// headSize is the length of countsHead, in bytes.
const headSize = 8

// countsHead returns the bytes with which encoded counts begin. They depend on how this program
// counts, so they differ if a definition has changed. This program doesn't use stored counts that
// begin with other bytes. It counts the births again.
var countsHead = sync.OnceValue(newCountsHead)

// newCountsHead returns the first bytes of a hash of the groups, the measures, and the counts of
// sampleOutcomes.
func newCountsHead() string {
	hash := sha256.New()
	for _, names := range splitGroups {
		for _, name := range names {
			hash.Write([]byte(name.key + "\n"))
		}
	}
	for i := range Measures {
		hash.Write([]byte(Measures[i].ID + "\n"))
	}
	var counts MonthCounts
	for n, text := range sampleOutcomes() {
		counts.Add(birth.Active, attendantGroups[n%len(attendantGroups)].key, text)
	}
	hash.Write(counts.body(nil))
	return string(hash.Sum(nil)[:headSize])
}

// samples is how many outcomes newCountsHead counts. Counting so many takes a few milliseconds, and
// is enough to detect that a definition has changed by a single week of gestation.
const samples = 4000

// sampleOutcomes returns sample outcomes in their text form. It always returns the same outcomes.
// Together, they have every value of every field.
func sampleOutcomes() (all []string) {
	s := sampler{rand.NewPCG(20, 26)}
	for range samples {
		o := s.outcome()
		all = append(all, o.Text())
	}
	return all
}

// sampler chooses pseudorandom values for fields. It uses only Uint64, whose results no version of
// Go may change.
type sampler struct{ *rand.PCG }

func (s sampler) below(n int) int { return int(s.Uint64() % uint64(n)) }
func (s sampler) yes() bool       { return s.below(2) == 1 }
func (s sampler) tri() birth.Tri  { return birth.Tri(s.below(3)) }

// weeks returns a number of weeks of gestation from 20 to 44, or 0.
func (s sampler) weeks() int {
	if n := s.below(26); n > 0 {
		return 19 + n
	}
	return 0
}

func (s sampler) outcome() birth.Outcome {
	positions := birth.Must("birth_position").Options
	o := birth.Outcome{
		Consent: s.yes(), Planned: birth.Where(s.below(5)), Born: birth.Where(s.below(5)), Multiple: s.tri(),
		Parous: s.tri(), Scarred: s.tri(), Onset: birth.Onset(s.below(4)), Elective: s.tri(), Augmented: s.tri(),
		Doula: s.tri(), Labored: s.tri(), Stat: s.tri(), Perineum: birth.Perineum(s.below(5)), Loss: birth.Loss(s.below(4)),
		InWater: s.tri(), BeforeLabor: s.yes(), InLabor: s.yes(), AfterBirth: s.yes(), Newborns: s.below(3), Urgent: s.tri(),
	}
	if p := s.below(len(positions) + 1); p > 0 {
		o.Position = positions[p-1].Code
	}
	for range s.below(4) {
		o.Children = append(o.Children, birth.Newborn{
			Method: birth.Method(s.below(4)), Weeks: s.weeks(), Weight: birth.Weight(s.below(4)),
			Five: s.tri(), Ten: s.tri(), Delayed: s.tri(), Alive: s.tri(), Living: s.tri(), Intensive: s.tri(),
			Breastfed: s.tri(), Exclusive: s.tri(), HeadFirst: s.tri(),
		})
	}
	return o
}

package metamorphic

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// mutation is a meaningful change to a document, with the effect that it must have on the
// reading.
type mutation struct {
	says string // what it does, and what must follow
	// make returns the mutants of a document, or none if it has nothing to change.
	make func(doc object) []mutant
	// harmless edits a document so that it reads as before; nil for other kinds of mutation.
	harmless func(doc object)
}

// mutant is a changed document, and how its reading differs from that of the original: in the
// fields named, and in nothing else. So no mutant can yield a value that neither the original
// nor the mutation states.
type mutant struct {
	what string // which part was changed, for the report
	doc  object
	body string // the document's text, if that is what was changed
	// like is a document that reads the same as the mutant; nil means the original.
	like object
	gone []string          // fields that are no longer stated for anybody
	now  map[string]string // fields that are stated so; "outcome" alone ends the comparison
	may  []string          // fields that may be left out
	less bool              // any field may be left out
	lost bool              // like lacks something that the original states
	free []string          // fields that follow from others, or that the spec leaves open
}

// follows are fields that are computed from others and may change with them.
var follows = map[string][]string{
	"birth_month":           {"birth_date"},
	"mother_age_years":      {"mother_birth_date", "birth_date"},
	"vbac":                  {"delivery_method", "previous_cesareans"},
	"attendant_type":        {"provider"},
	"attendant_name":        {"provider"},
	"attendant_credentials": {"provider"},
	"doula_present":         {"provider"},
	"gestational_age_days":  {"gestational_age_weeks"},
	"delayed_cord_clamping": {"cord_clamping_seconds"},
	"cord_clamping_seconds": {"delayed_cord_clamping"},
}

func (m mutant) text() string {
	if m.body != "" {
		return m.body
	}
	return write(m.doc, nil)
}

// differs reports whether the mutant can be wrong, that is, whether the original stated what
// the mutant loses.
func (m mutant) differs(original, before reading) bool {
	switch {
	case m.lost:
		return len(differences(original, before, nil)) > 0
	case len(m.gone) > 0:
		return slices.ContainsFunc(m.gone, original.states)
	}
	return true
}

// wrong compares the reading of a mutant with before, the reading that it must have. original
// is the reading of the unchanged document.
func (m mutant) wrong(original, before, after reading) []string {
	if want, only := m.now["outcome"]; only {
		for line, stated := range after {
			if fieldOf(line) == "outcome" && stated != want {
				return []string{line + ": " + want + " → " + stated}
			}
		}
		return nil
	}
	var wrong []string
	for field, want := range m.now {
		if before.accepts() && !after.states(field) {
			wrong = append(wrong, field+": "+want+" → (nothing)")
		}
	}
	if m.like == nil {
		for _, line := range slices.Sorted(maps.Keys(after)) {
			if slices.Contains(m.gone, fieldOf(line)) && before[line] == after[line] {
				wrong = append(wrong, line+": (nothing) → "+after[line])
			}
		}
	}
	changed := func(field string) bool {
		_, now := m.now[field]
		return now || slices.Contains(m.gone, field) || slices.Contains(m.free, field) || slices.Contains(m.may, field)
	}
	return append(wrong, differences(before, after, func(line string) bool {
		field := fieldOf(line)
		want, now := m.now[field]
		switch {
		case now:
			return after[line] == want || after[line] == "" // stated for somebody, as above
		case m.less && (after[line] == "" || after[line] == original[line] && !slices.Contains(m.gone, field)):
			return true
		case m.like != nil && slices.Contains(m.gone, field):
			return false
		case slices.Contains(m.gone, field), slices.Contains(m.may, field):
			return after[line] == ""
		case slices.Contains(m.free, field), slices.ContainsFunc(follows[field], changed):
			return true
		}
		return false
	})...)
}

// togetherHarmless applies several random harmless mutations at a time to the sources of this
// project. Mutations that change nothing by themselves must change nothing together.
func togetherHarmless(t *testing.T, mutations []mutation, sources []source, read func(testing.TB, source, object, string) reading) {
	t.Helper()
	var harmless []mutation
	for _, m := range mutations {
		if m.harmless != nil {
			harmless = append(harmless, m)
		}
	}
	require.Greater(t, len(harmless), 10)
	random := rand.New(rand.NewPCG(11, 12))
	for round := range 300 {
		s := sources[random.IntN(len(sources))]
		doc := clone(s.doc)
		var names []string
		for _, i := range random.Perm(len(harmless))[:2+random.IntN(4)] {
			m := harmless[i]
			m.harmless(doc)
			doc = parse(t, []byte(write(doc, nil)))
			names = append(names, m.says)
		}
		if wrong := differences(s.before, read(t, s, doc, write(doc, nil)), nil); len(wrong) > 0 {
			t.Errorf("round %d, %s, %s: %s", round, s.name, strings.Join(names, "; "), strings.Join(wrong, "; "))
		}
	}
}

// source is a document or a chart to which mutations are applied.
type source struct {
	name    string
	doc     object
	body    string // as it is written
	before  reading
	foreign bool // from a corpus, not from this project
}

// apply applies every mutation to every source. Each mutation must find something to change in
// the documents of this project.
func apply(t *testing.T, mutations []mutation, sources []source, read func(testing.TB, source, object, string) reading) {
	t.Helper()
	names, applied := map[string]bool{}, 0
	for _, m := range mutations {
		t.Run(m.says, func(t *testing.T) {
			require.False(t, names[m.says], "named twice")
			names[m.says] = true
			var wrong []string
			here := 0
			for _, s := range sources {
				for _, mutated := range m.make(clone(s.doc)) {
					text := mutated.text()
					if text == s.body {
						continue // the source has nothing that this mutation changes
					}
					applied++
					before := s.before
					if mutated.like != nil {
						before = read(t, s, mutated.like, write(mutated.like, nil))
					}
					if !s.foreign && mutated.differs(s.before, before) {
						here++
					}
					if lines := mutated.wrong(s.before, before, read(t, s, mutated.doc, text)); len(lines) > 0 {
						wrong = append(wrong, strings.TrimSpace(s.name+" "+mutated.what)+": "+strings.Join(lines, "; "))
					}
				}
			}
			require.Positive(t, here, "it changes nothing in any document of this project")
			assert.Empty(t, strings.Join(capped(wrong), "\n"))
		})
	}
	require.GreaterOrEqual(t, len(names), 30)
	t.Logf("%d mutations of %d documents: %d mutants", len(names), len(sources), applied)
}

// capped shortens a list that repeats the same failure over and over.
func capped(wrong []string) []string {
	const most = 5
	if len(wrong) > most {
		return append(wrong[:most:most], fmt.Sprintf("and %d more", len(wrong)-most))
	}
	return wrong
}

// same returns a mutation after which everything reads as before.
func same(says string, edit func(doc object)) mutation {
	return mutation{says: says + ": the same", make: func(doc object) []mutant {
		edit(doc)
		return []mutant{{doc: doc}}
	}, harmless: edit}
}

// one returns a mutation that makes one mutant, or none if edit returns nil.
func one(says string, edit func(doc object) *mutant) mutation {
	return mutation{says: says, make: func(doc object) []mutant {
		m := edit(doc)
		if m == nil {
			return nil
		}
		if m.doc == nil {
			m.doc = doc
		}
		return []mutant{*m}
	}}
}

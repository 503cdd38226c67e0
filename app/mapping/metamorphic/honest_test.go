package metamorphic

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"birthregistry/app/mapping/bundle"
)

// honest is a document as some system would write it in good faith, with the whole course that
// a careful midwife reads from it.
type honest struct {
	says string
	doc  object
	// want are the lines of the reading besides those of the smallest course, each "line
	// value"; "- line" removes one of those.
	want string
	// either are lines that may also be missing: the spec leaves that open.
	either string
}

// smallest is the reading of only a mother and a child.
var smallest = reading{
	"outcome": "accepted", "chart": "C-1", "children": "1", "consent_granted": "false",
	"mother_family_name": `"Okonkwo"`, "mother_given_names": `"Amara"`, "mother_birth_date": `"1994-05-17"`, "mother_age_years": "31",
	"child[0].birth_date": `"2026-03-02"`, "child[0].birth_month": `"2026-03"`, "child[0].live_birth": "true",
}

func (h honest) expected() reading { return h.over(smallest) }

// over returns a smaller reading with the document's lines added and removed.
func (h honest) over(smaller reading) reading {
	want := maps.Clone(smaller)
	for line := range strings.Lines(h.want) {
		switch name, stated, _ := strings.Cut(strings.TrimSpace(line), " "); name {
		case "":
		case "-":
			delete(want, stated)
		default:
			want[name] = stated
		}
	}
	return want
}

// differences compares two readings line by line: "field: before → after".
func differences(before, after reading, ignore func(line string) bool) (all []string) {
	lines := slices.Sorted(maps.Keys(before))
	for line := range after {
		if _, known := before[line]; !known {
			lines = append(lines, line)
		}
	}
	slices.Sort(lines)
	for _, line := range slices.Compact(lines) {
		course, _, _ := strings.Cut(line, "/")
		if course == line {
			course = ""
		} else {
			course += "/"
		}
		if line != course+"outcome" && before[course+"outcome"] != after[course+"outcome"] {
			continue // everything else follows
		}
		if before[line] != after[line] && (ignore == nil || !ignore(line)) {
			all = append(all, line+": "+orNothing(before[line])+" → "+orNothing(after[line]))
		}
	}
	return all
}

func orNothing(stated string) string {
	if stated == "" {
		return "(nothing)"
	}
	return stated
}

func TestHonestDocumentsGiveTheCourseThatAMidwifeReadsInThem(t *testing.T) {
	names := map[string]bool{}
	for _, h := range allHonest() {
		t.Run(h.says, func(t *testing.T) {
			require.False(t, names[h.says], "named twice")
			names[h.says] = true
			wrong := h.wrong(t)
			if len(wrong) > 0 {
				wrong = append(wrong, write(h.doc, nil))
			}
			assert.Empty(t, strings.Join(wrong, "\n"))
		})
	}
	require.GreaterOrEqual(t, len(names), 40)
}

func allHonest() []honest {
	return slices.Concat(honestProviders, honestChildren, honestAmounts, honestCodes, honestTimes, honestPlaces, honestForms, honestDoubts, honestVisits, honestKin, honestMeasures, honestDays, honestSenders, honestVersions)
}

// wrong returns the lines that are read differently from what the document states.
func (h honest) wrong(t testing.TB) []string { return h.wrongFor(t, bundle.Reader{}) }

func (h honest) wrongFor(t testing.TB, mapper bundle.Reader) []string {
	got := readBundle(t, mapper, write(h.doc, nil))
	return differences(h.expected(), got, func(line string) bool {
		_, left := got[line]
		return !left && (slices.Contains(strings.Fields(h.either), line) || line == "plurality" && !strings.Contains(h.want, "plurality"))
	})
}

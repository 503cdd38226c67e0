package metamorphic

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// honestChart is a chart as some EHR would return it, with everything that may be filled in
// from it.
type honestChart struct {
	says  string
	chart object
	// want are the lines filled in besides those of kind; "- line" removes one of those. hints
	// are the fields next to which the doubtful value is shown.
	want, hints string
	// either are fields that may also be left out: the rules allow both.
	either string
	// notice is a text that one of the notices must contain.
	notice string
}

// The lines that the smallest charts of a woman and of a newborn fill in.
var (
	ofExpecting = reading{
		"role": "mother", "mother_family_name": `"Okonkwo"`, "mother_given_names": `"Amara"`, "mother_birth_date": `"1994-05-17"`,
		"estimated_due_date": `"2026-05-04"`,
	}
	ofDelivered = joined(ofExpecting, reading{
		"child[0].birth_date": `"2026-05-01"`, "child[0].birth_datetime": `"2026-05-01T04:18:00-04:00"`,
	})
	ofNewborn = reading{
		"role": "newborn", "child[0].birth_date": `"2026-05-01"`, "child[0].birth_datetime": `"2026-05-01T04:18:00-04:00"`, "child[0].child_sex": `"female"`,
	}
)

func joined(r, more reading) reading {
	r = maps.Clone(r)
	maps.Copy(r, more)
	return r
}

func allHonestCharts() map[string][]honestChart {
	return map[string][]honestChart{"expecting": append(expectingCharts, wordedCharts...), "delivered": deliveredCharts, "newborn": newbornCharts}
}

func TestHonestChartsFillInWhatAMidwifeReadsInThem(t *testing.T) {
	names := map[string]bool{}
	for kind, charts := range allHonestCharts() {
		for _, h := range charts {
			t.Run(h.says, func(t *testing.T) {
				require.False(t, names[h.says], "named twice")
				names[h.says] = true
				wrong := h.wrong(t, kind)
				if len(wrong) > 0 {
					wrong = append(wrong, write(h.chart, nil))
				}
				assert.Empty(t, strings.Join(wrong, "\n"))
			})
		}
	}
	require.GreaterOrEqual(t, len(names), 40)
}

func (h honestChart) wrong(t testing.TB, kind string) (wrong []string) {
	want := map[string]reading{"expecting": ofExpecting, "delivered": ofDelivered, "newborn": ofNewborn}[kind]
	want = honest{want: h.want}.over(want)
	got := readChart(t, h.chart, "")
	for _, field := range strings.Fields(h.hints) {
		if got["hint "+field] == "" {
			wrong = append(wrong, "hint "+field+": expected → (nothing)")
		}
	}
	if !strings.Contains(strings.ToLower(got["notices"]), h.notice) {
		wrong = append(wrong, "notices: one of "+h.notice+" → "+got["notices"])
	}
	return append(wrong, differences(want, got, func(line string) bool {
		_, left := got[line]
		return line == "notices" || strings.HasPrefix(line, "hint ") || !left && slices.Contains(strings.Fields(h.either), fieldOf(line))
	})...)
}

package stats_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
	"birthregistry/app/birth/birthtest"
	"birthregistry/app/stats"
)

// The golden set consists of synthetic courses from a seeded random source. The test computes
// the expected result of each measure from the plain facts, by the definitions and without any
// of the code under test.

const goldenCourses = 600

// shown is a synthetic course with its month.
type shown struct {
	birthtest.Invented
	month string
}

func golden() (all []shown) {
	r := rand.New(rand.NewPCG(2026, 5))
	for range goldenCourses {
		born := time.Date(2025, time.Month(1+r.IntN(18)), 1+r.IntN(28), 0, 0, 0, 0, time.UTC)
		all = append(all, shown{birthtest.Invent(r, born), born.Format("2006-01")})
	}
	return all
}

// report has the program count the courses in the same way as records.
func report(period stats.Period, courses []shown) *stats.Report {
	r := stats.NewReport(period)
	for _, c := range courses {
		facts := birth.Mask(c.Draft()).Facts()
		r.Add(facts.BirthMonth, facts.Attendant, facts.Outcome)
	}
	return r
}

// The answers of the independent computation.
const (
	out     = "does not apply"
	unknown = "not known"
	nay     = "no"
	yea     = "yes"
)

func answered(flag string) string {
	if flag == "" {
		return unknown
	}
	return flag
}

func when(yes bool) string {
	if yes {
		return yea
	}
	return nay
}

// only puts conditions before an answer. If a condition is not met, the course is left out.
// Otherwise, if a condition or the answer is unknown, the result is missing.
func only(answer string, conditions ...string) string {
	if slices.Contains(conditions, nay) || answer == out {
		return out
	}
	if slices.Contains(conditions, unknown) {
		return unknown
	}
	return answer
}

func not(answer string) string {
	return map[string]string{yea: nay, nay: yea}[answer] + map[string]string{unknown: unknown, out: out}[answer]
}

// births are the measures that count courses.
var births = map[string]func(t shown) string{
	"cesarean":         func(t shown) string { return endedBy(t, "cesarean") },
	"cesarean_primary": func(t shown) string { return only(endedBy(t, "cesarean"), not(scarred(t))) },
	"ntsv_cesarean": func(t shown) string {
		return only(endedBy(t, "cesarean"), nulliparous(t), single(t), atLeast(courseWeeks(t), 37), headFirst(t))
	},
	"svb":          func(t shown) string { return endedBy(t, "vaginal_spontaneous") },
	"avb":          func(t shown) string { return endedBy(t, "vaginal_vacuum", "vaginal_forceps") },
	"vbac_rate":    func(t shown) string { return only(vaginal(t), scarred(t)) },
	"tolac_rate":   func(t shown) string { return only(labored(t), scarred(t)) },
	"vbac_success": func(t shown) string { return only(vaginal(t), scarred(t), labored(t)) },
	"stat_cesarean": func(t shown) string {
		return only(answered(t.Stat), endedBy(t, "cesarean"))
	},
	"induction": func(t shown) string {
		return only(onsetIs(t, "induced"), single(t), weeksKnown(t))
	},
	"induction_labors": func(t shown) string {
		if onset(t) == "none" {
			return out
		}
		return only(onsetIs(t, "induced"), single(t), weeksKnown(t))
	},
	"induction_39": func(t shown) string {
		wish := unknown
		if len(t.Indications) > 0 && t.Indications[0] != "unknown" {
			wish = when(slices.Equal(t.Indications, []string{"maternal_request"}))
		}
		return only(wish, onsetIs(t, "induced"), not(atLeast(courseWeeks(t), 39)))
	},
	"augmentation": func(t shown) string {
		was := answered(t.Augmented)
		if len(t.AugmentationAgents) > 0 && t.AugmentationAgents[0] != "unknown" {
			was = yea
		}
		return only(was, onsetIs(t, "spontaneous"))
	},
	"doula":      func(t shown) string { return answered(t.Doula) },
	"episiotomy": func(t shown) string { return perineum(t, "episiotomy") },
	"oasi":       func(t shown) string { return perineum(t, "third", "fourth", "third_or_fourth") },
	"intact":     func(t shown) string { return perineum(t, "intact") },
	"pph_1000":   func(t shown) string { return atLeast(t.Loss, 1000) },
	"pph_500v":   func(t shown) string { return only(atLeast(t.Loss, 500), vaginal(t)) },
	"tx_antepartum": func(t shown) string {
		if transfers(t, "antepartum", "") > 0 {
			return yea
		}
		return only(nay, community(t.Planned))
	},
	"tx_intrapartum": func(t shown) string {
		switch {
		case transfers(t, "intrapartum", "") > 0:
			return only(yea, community(t.Planned))
		case transfers(t, "antepartum", "") > 0:
			return out
		case community(t.Setting) == yea:
			return only(nay, community(t.Planned))
		}
		return only(unknown, community(t.Planned))
	},
	"tx_postpartum": func(t shown) string {
		return only(when(transfers(t, "postpartum", "")-transfers(t, "postpartum", "child") > 0), community(t.Setting))
	},
	"tx_urgent": func(t shown) string {
		answer := out
		for _, x := range t.Transfers {
			if x.Direction == "in" || x.Type == "antepartum" || x.Type == "" {
				continue
			}
			switch {
			case x.Urgency == "urgent":
				answer = yea
			case x.Urgency == "non_urgent" && answer != yea:
				answer = nay
			case answer == out:
				answer = unknown
			}
		}
		if community(t.Planned) != yea && community(t.Setting) != yea {
			return out
		}
		return answer
	},
}

// newborns are the measures that count newborns.
var newborns = map[string]func(t shown, n int) string{
	"preterm":       func(t shown, n int) string { return only(not(atLeast(t.Children[n].Weeks, 37)), live(t, n)) },
	"preterm_early": func(t shown, n int) string { return only(not(atLeast(t.Children[n].Weeks, 34)), live(t, n)) },
	"lbw":           func(t shown, n int) string { return only(not(atLeast(t.Children[n].Weight, 2500)), live(t, n)) },
	"macrosomia":    func(t shown, n int) string { return only(atLeast(t.Children[n].Weight, 4000), live(t, n)) },
	"lbw_term": func(t shown, n int) string {
		c := t.Children[n]
		return only(not(atLeast(c.Weight, 2500)), live(t, n), single(t), atLeast(c.Weeks, 37))
	},
	"apgar5_lt7": func(t shown, n int) string { return only(not(atLeast(t.Children[n].Five, 7)), live(t, n)) },
	"apgar10_lt7": func(t shown, n int) string {
		return only(not(atLeast(t.Children[n].Ten, 7)), live(t, n), not(atLeast(t.Children[n].Five, 7)))
	},
	"dcc": func(t shown, n int) string {
		if t.Children[n].Seconds >= 0 {
			return only(when(t.Children[n].Seconds >= 60), live(t, n))
		}
		return only(answered(t.Children[n].Delayed), live(t, n))
	},
	"nicu": func(t shown, n int) string {
		conditions := t.Children[n].Conditions
		if len(conditions) == 0 {
			return only(unknown, live(t, n))
		}
		return only(when(slices.Contains(conditions, "nicu")), live(t, n))
	},
	"bf_init": func(t shown, n int) string {
		return only(answered(t.Children[n].Breastfed), live(t, n), when(t.Children[n].Living != "no"))
	},
	"bf_excl_6w": func(t shown, n int) string {
		fed := t.Children[n].SixWeeks
		if fed == "" || fed == "unknown" {
			fed = unknown
		} else {
			fed = when(fed == "exclusive")
		}
		return only(fed, live(t, n), when(t.Children[n].Living != "no"))
	},
	"water_birth": func(t shown, n int) string {
		water := map[string]string{"none": nay, "labor": nay, "birth": yea, "both": yea}[t.Water]
		if water == "" {
			water = unknown
		}
		return only(water, byTheVagina(t.Children[n].Method))
	},
	"fetal_20": func(t shown, n int) string {
		c := t.Children[n]
		switch {
		case c.Alive == "no":
			return only(yea, atLeast(c.Weeks, 20))
		case c.Alive == "yes" || c.Living == "yes" || c.Breastfed != "":
			return nay
		}
		return unknown
	},
	"infant_death": func(t shown, n int) string {
		c := t.Children[n]
		if c.Alive == "" && c.Living != "yes" && c.Breastfed == "" { // it may have been stillborn
			return unknown
		}
		return only(not(answered(c.Living)), live(t, n))
	},
}

func init() {
	for _, position := range []string{
		"supine_lithotomy", "semi_sitting", "side_lying", "hands_and_knees", "kneeling", "squatting", "standing", "birth_stool",
		"water_upright", "other",
	} {
		newborns["position_"+position] = func(t shown, n int) string {
			was := unknown
			if t.Position != "" && t.Position != "unknown" {
				was = when(t.Position == position)
			}
			return only(was, byTheVagina(t.Children[n].Method))
		}
	}
}

func byTheVagina(method string) string {
	switch method {
	case "", "other", "unknown":
		return unknown
	}
	return when(method != "cesarean")
}

// endedBy answers how a birth ended: any cesarean makes it a cesarean; otherwise any
// instrument makes it assisted.
func endedBy(t shown, methods ...string) string {
	worst := ""
	rank := map[string]int{"vaginal_spontaneous": 1, "vaginal_vacuum": 2, "vaginal_forceps": 2, "cesarean": 3}
	for _, c := range t.Children {
		if rank[c.Method] == 0 {
			return unknown
		}
		if rank[c.Method] > rank[worst] {
			worst = c.Method
		}
	}
	return when(slices.Contains(methods, worst))
}

func vaginal(t shown) string { return not(endedBy(t, "cesarean")) }

// single is known only if it is stated. One child on record does not show it, and a birth that
// is counted as single but has a second child is neither. No child of these courses is known
// to be stillborn, so a death does not show it either.
func single(t shown) string {
	switch {
	case t.Plurality > 1, t.Plurality < 0 && len(t.Children) > 1:
		return nay
	case t.Plurality == 1 && len(t.Children) == 1:
		return yea
	}
	return unknown
}

func nulliparous(t shown) string {
	switch {
	case t.Parity >= 0:
		return when(t.Parity == 0)
	case t.Gravida == 1:
		return yea
	case t.LivingBefore > 0 || t.DeadBefore > 0 || t.Cesareans > 0 || t.PretermBefore == "yes":
		return nay
	case t.LivingBefore == 0 && t.DeadBefore == 0:
		return yea
	}
	return unknown
}

func scarred(t shown) string {
	switch {
	case t.Cesareans >= 0:
		return when(t.Cesareans > 0)
	case nulliparous(t) == yea:
		return nay
	}
	return unknown
}

func onset(t shown) string {
	if t.Onset == "" && len(t.InductionAgents) > 0 && t.InductionAgents[0] != "unknown" {
		return "induced"
	}
	return t.Onset
}

func onsetIs(t shown, wanted string) string {
	switch o := onset(t); o {
	case "spontaneous", "induced", "none":
		return when(o == wanted)
	}
	return unknown
}

func labored(t shown) string {
	switch {
	case vaginal(t) == yea:
		return yea
	case t.Trial != "":
		return t.Trial
	}
	return not(onsetIs(t, "none"))
}

func courseWeeks(t shown) int {
	for _, c := range t.Children {
		if c.Weeks >= 0 {
			return c.Weeks
		}
	}
	return -1
}

func weeksKnown(t shown) string {
	if courseWeeks(t) < 0 {
		return unknown
	}
	return yea
}

// atLeast compares a number; it ignores days of gestation, so 36 weeks 6 days are not 37.
func atLeast(n, limit int) string {
	if n < 0 {
		return unknown
	}
	return when(n >= limit)
}

func headFirst(t shown) string {
	switch lay := t.Children[0].LayBy; lay {
	case "", "unknown":
		return unknown
	default:
		return when(lay == "vertex")
	}
}

func perineum(t shown, wanted ...string) string {
	if t.Perineum == "" || t.Perineum == "unknown" {
		return only(unknown, vaginal(t))
	}
	return only(when(slices.Contains(wanted, t.Perineum)), vaginal(t))
}

func community(place string) string {
	switch place {
	case "", "unknown":
		return unknown
	}
	return when(slices.Contains([]string{"home", "birth_center", "home_planned", "home_unplanned", "home_unknown"}, place))
}

// transfers counts the transfers out of the practice's care, of one person or of all.
func transfers(t shown, kind, who string) (n int) {
	for _, x := range t.Transfers {
		if x.Direction != "in" && x.Type == kind && (who == "" || x.Who == who) {
			n++
		}
	}
	return n
}

func live(t shown, n int) string { return when(t.Children[n].Alive != "no") }

func init() {
	newborns["tx_newborn"] = func(t shown, n int) string {
		alive := 0
		for _, c := range t.Children[:n] {
			if c.Alive != "no" {
				alive++
			}
		}
		moved := transfers(t, "neonatal", "") + transfers(t, "postpartum", "child")
		return only(when(alive < moved), live(t, n), community(t.Setting))
	}
}

// want counts independently.
func want(id string, courses []shown) (t stats.Tally) {
	enter := func(answer string) {
		t.Base++
		switch answer {
		case unknown:
			t.Missing++
		case yea:
			t.Yes++
			t.Known++
		case nay:
			t.Known++
		case out:
		default:
			panic("no answer: " + answer)
		}
	}
	for _, c := range courses {
		if ask := births[id]; ask != nil {
			enter(ask(c))
			continue
		}
		for n := range c.Children {
			enter(newborns[id](c, n))
		}
	}
	return t
}

func TestTheGoldenRecordsGiveEveryMeasureAndGroupExactly(t *testing.T) {
	all := golden()
	period := stats.Period{First: month(t, "2025-04"), Last: month(t, "2026-03")}
	r := report(period, all)
	var inside []shown
	for _, c := range all {
		if c.month >= "2025-04" && c.month <= "2026-03" {
			inside = append(inside, c)
		}
	}
	require.Greater(t, len(inside), 300)
	require.Len(t, stats.Measures, len(births)+len(newborns), "every measure is worked out here, too")
	strata := map[string]func(c shown) string{
		stats.ByAttendant: func(c shown) string { return orUnstated(c.Attendant) },
		stats.ByPlace: func(c shown) string {
			if c.Planned == "unknown" {
				return stats.Unstated
			}
			return orUnstated(c.Planned)
		},
		stats.ByParity: func(c shown) string {
			return map[string]string{yea: "nulliparous", nay: "parous", unknown: stats.Unstated}[nulliparous(c)]
		},
	}
	for i := range stats.Measures {
		m := &stats.Measures[i]
		total := want(m.ID, inside)
		require.Equal(t, total, r.Total.Tally(m), m.ID)
		if m.ID != "apgar10_lt7" && m.ID != "induction_39" { // the golden set has results for each of the others
			require.Greater(t, total.Yes, 0, m.ID)
			require.Greater(t, total.Known-total.Yes, 0, m.ID)
		}
		for _, split := range r.Splits {
			sum := stats.Tally{}
			for g := range split.Groups {
				group := &split.Groups[g]
				var members []shown
				for _, c := range inside {
					if strata[split.Key](c) == group.Key {
						members = append(members, c)
					}
				}
				got := group.Tally(m)
				require.Equal(t, want(m.ID, members), got, "%s by %s: %s", m.ID, split.Key, group.Key)
				sum = stats.Tally{
					Yes: sum.Yes + got.Yes, Known: sum.Known + got.Known, Missing: sum.Missing + got.Missing, Base: sum.Base + got.Base,
				}
			}
			require.Equal(t, total, sum, "the groups by %s, those not compared included, are the total", split.Key)
		}
		for _, group := range r.Months {
			var members []shown
			for _, c := range all {
				if c.month == group.Key {
					members = append(members, c)
				}
			}
			require.Equal(t, want(m.ID, members), group.Tally(m), "%s in %s", m.ID, group.Key)
		}
	}
}

func orUnstated(code string) string {
	if code == "" {
		return stats.Unstated
	}
	return code
}

func month(t *testing.T, text string) stats.Month {
	t.Helper()
	m, ok := stats.ParseMonth(text)
	require.True(t, ok, text)
	require.Equal(t, text, m.String())
	return m
}

func TestAnOutcomeReadsBackAsItWasWritten(t *testing.T) {
	for n, c := range golden() {
		o := birth.Mask(c.Draft()).Outcome()
		require.Equal(t, o, read(o.Text()), fmt.Sprint(n))
		require.Regexp(t, `^[0-b]+$`, o.Text(), "plain characters only")
	}
	require.Equal(t, birth.Outcome{}, read(""))
	require.Equal(t, birth.Outcome{}, read("0101"))
}

func read(text string) (o birth.Outcome) {
	o.Read(text)
	return o
}

func TestAnOutcomeIsDerivedFromWhatIsReadableAlone(t *testing.T) {
	for _, c := range golden()[:100] {
		course := birth.Mask(c.Draft())
		again, err := birth.Restore(course.Clinical(), nil)
		require.NoError(t, err)
		require.Equal(t, course.Facts(), again.Facts())
	}
}

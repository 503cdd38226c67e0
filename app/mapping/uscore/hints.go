package uscore

import (
	"slices"
	"strconv"

	"birthregistry/app/birth"
	"birthregistry/app/mapping"
)

// smoked adds the smoking status as a hint. It fills in nothing, because the status doesn't say how
// many cigarettes the mother smoked.
func (f *filler) smoked() {
	shown, now := 0, slices.ContainsFunc(f.findings, func(o *finding) bool { return o.smoking() && f.preg.holds(o.when) })
	for _, o := range f.findings {
		if !o.smoking() || now && !f.preg.holds(o.when) || !now && shown > 0 {
			continue // keeps the findings of the pregnancy or, if there are none, the last one
		}
		f.used["o"+o.id] = true
		if shown++; shown <= mostHints {
			f.hint("cigarettes_per_day_pre", nil, o.origin(smokingStatus), "a smoking status does not state how many cigarettes")
		}
	}
}

func (o *finding) smoking() bool { return o.has(smokingStatus) && !o.another && o.says() != "" }

// weighed adds general body weights as hints if the mother's weight before the pregnancy or at
// delivery isn't filled in. For the weight before the pregnancy, it uses the weight that was
// measured nearest to the beginning of the pregnancy. For the weight at delivery, it uses the last
// weight in the pregnancy, unless that is from too long before the birth.
func (f *filler) weighed() {
	if f.preg == nil {
		return
	}
	begun, known := f.preg.lastPeriod()
	var before, last *finding
	for _, o := range f.findings {
		if !o.has(bodyWeight, measuredWeight) || o.another || !o.when.Exact() {
			continue
		}
		if on := o.when.First; known && on >= begun-365 && on <= begun+90 && (before == nil || away(on, begun) < away(before.when.First, begun)) {
			before = o
		}
		if last == nil && f.preg.holds(o.when) && o.when.First > begun+90 && (!f.preg.born || o.when.First <= f.preg.last && o.when.First >= f.preg.first-longestPuerperium) {
			last = o
		}
	}
	f.weight("prepregnancy_weight_lb", before, "a body weight about when the pregnancy began")
	f.weight("delivery_weight_lb", last, "the last body weight in the pregnancy")
}

func (f *filler) weight(name string, o *finding, why string) {
	row := rowOf(name)
	if o == nil || f.out.Draft.Mother.Has(name) {
		return
	}
	code, _ := codeIn(o.Code, mapping.LOINCURL, []string{bodyWeight, measuredWeight})
	values, ok := o.readAs(birth.Must(name))
	if !ok || f.beyond(row, &candidate{values: values}) {
		return
	}
	f.used["o"+o.id] = true
	if o.draft {
		why += ", preliminary"
	}
	f.hint(name, &values[0].Value, o.origin(code), why)
}

// disagreeing adds a notice if two dates of the pregnancy contradict each other.
func (f *filler) disagreeing() {
	if f.preg.clash() {
		f.notice("The due date and the last menstrual period in the chart do not match. Enter the right ones.")
	}
	var dues []mapping.Day
	for _, c := range f.candidates(rowOf("estimated_due_date")) {
		if c.why == "" {
			dues = append(dues, mapping.MomentOf(c.values[0].Value.Text).First)
		}
	}
	if len(dues) > 0 && slices.Max(dues)-slices.Min(dues) > datesApart {
		f.notice("The chart holds due dates of this pregnancy that are more than a week apart. Check which one is right.")
	}
}

// tally records in plain words what was read but not used.
func (f *filler) tally() {
	count := func(n int, one, many string) {
		if n > 0 {
			f.out.Unused = append(f.out.Unused, plural(n, one, many))
		}
	}
	used := map[byte]int{}
	for key := range f.used {
		used[key[0]]++
	}
	count(f.observations-used['o'], "measurement that this record does not use", "measurements that this record does not use")
	count(len(f.diagnoses)-used['c'], "diagnosis that this record does not use", "diagnoses that this record does not use")
	count(len(f.visits)-used['e'], "visit that this record does not use", "visits that this record does not use")
	count(f.withdrawn, "entry that was canceled, not done or entered in error", "entries that were canceled, not done or entered in error")
	count(f.later, "entry dated after the launch", "entries dated after the launch")
	count(f.foreign, "entry about somebody else", "entries about somebody else")
	count(f.marked, "entry with a mark that the registry does not know", "entries with a mark that the registry does not know")
	count(f.several, "entry whose latest version is not clear", "entries whose latest version is not clear")
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

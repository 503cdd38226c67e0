package birth

import (
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"
)

// Distinct removes findings that follow from a mistake that is already reported. If a value is
// unreadable or impossible by itself, Distinct drops all other findings about it. If a value is
// part of an error, Distinct drops the warnings about it. It also drops warnings that follow from
// another warning. If one date contradicts several others, Distinct joins these findings into one.
// If a dropped finding still holds after the corrections, the next check reports it.
func Distinct(found []CheckFinding) []CheckFinding {
	impossible, wrong := pathSet{}, pathSet{}
	var rest []CheckFinding
	for _, f := range found {
		if f.alone() && !impossible.hold(f) {
			impossible.add(f)
			rest = append(rest, f)
		}
	}
	for _, f := range found {
		if !f.alone() && !impossible.hold(f) {
			rest = append(rest, f)
		}
	}
	rest = joined(rest, true)
	for _, f := range rest {
		if f.Blocks {
			wrong.add(f)
		}
	}
	rest = slices.DeleteFunc(rest, func(f CheckFinding) bool { return !f.Blocks && wrong.hold(f) })
	return joined(withoutConsequences(rest), false)
}

// consequences maps the rule of a warning to the rules of the warnings that follow from the same
// mistake if they concern the same value.
var consequences = map[string][]string{
	"weight":        {"weight-gestation"},
	"gestation":     {"weight-gestation", "gestation-date"},
	"plurality":     {"counted"},
	"signs-of-life": {"counted"},
}

// withoutConsequences leaves out warnings that follow from a mistake that another warning reports.
func withoutConsequences(found []CheckFinding) []CheckFinding {
	doubtful := map[string]pathSet{}
	for _, f := range found {
		for _, rule := range consequences[f.Rule] {
			if doubtful[rule] == nil {
				doubtful[rule] = pathSet{}
			}
			doubtful[rule].add(f)
		}
	}
	return slices.DeleteFunc(found, func(f CheckFinding) bool { return doubtful[f.Rule].hold(f) })
}

// alone reports whether the finding says that one value is wrong regardless of all other values, or
// that a list has too many members.
func (f CheckFinding) alone() bool {
	return f.Blocks && slices.Contains([]string{"unread", "value", "future", "too-many"}, f.Rule)
}

// pathSet is a set of paths of values. It treats the date and the time of a birth as the same
// value.
type pathSet map[Path]bool

func (p pathSet) add(f CheckFinding) {
	for _, at := range f.About {
		p[at.dated()] = true
	}
}

// hold reports whether the set contains a value that the finding concerns or depends on.
func (p pathSet) hold(f CheckFinding) bool {
	in := func(at Path) bool { return p[at.dated()] }
	return slices.ContainsFunc(f.About, in) || slices.ContainsFunc(f.depends, in)
}

// dated returns the path of the date of birth if p is the path of the time of birth. Otherwise it
// returns p.
func (p Path) dated() Path {
	if p.Field == "birth_datetime" {
		p.Field = "birth_date"
	}
	return p
}

// joined joins findings about dates that contradict one common date into one finding. It joins the
// errors if blocks is set, and the warnings otherwise.
func joined(found []CheckFinding, blocks bool) []CheckFinding {
	for {
		of := map[Path][]CheckFinding{}
		var common Path
		for _, f := range found {
			if f.Blocks != blocks || len(f.About) != 2 || !slices.Contains([]string{"order", "long", "gestation-date"}, f.Rule) {
				continue
			}
			for _, at := range f.About {
				at = at.dated()
				if of[at] = append(of[at], f); len(of[at]) > len(of[common]) {
					common = at
				}
			}
		}
		if len(of[common]) < 2 {
			return found
		}
		at := slices.IndexFunc(found, func(f CheckFinding) bool { return f.ID() == of[common][0].ID() })
		found = slices.DeleteFunc(slices.Clone(found), func(f CheckFinding) bool {
			return slices.ContainsFunc(of[common], func(g CheckFinding) bool { return g.ID() == f.ID() && g.Text == f.Text })
		})
		found = slices.Insert(found, at, contradictions(common, of[common]))
	}
}

// contradictions returns one finding for several pairs of contradictory dates. common is the date
// that all pairs contain.
func contradictions(common Path, pairs []CheckFinding) CheckFinding {
	all := CheckFinding{Rule: "dates", About: []Path{common}, Blocks: pairs[0].Blocks}
	var labels []string
	for _, f := range pairs {
		for _, at := range f.About {
			if at = at.dated(); slices.Contains(all.About, at) {
				continue
			}
			all.About = append(all.About, at)
			all.Rule += "+" + at.Field // so that a confirmation of these dates doesn't confirm others
			labels = append(labels, quoted(at))
		}
	}
	for _, f := range pairs {
		for _, at := range f.depends {
			if !slices.Contains(all.Values(), at) {
				all.depends = append(all.depends, at)
			}
		}
	}
	what := []string{"may not fit", "Check all of them"}
	if all.Blocks {
		what = []string{"contradicts", "Correct the first, or the others"}
	}
	all.Text = strings.Join([]string{quoted(common), what[0], english.OxfordWordSeries(labels, "and") + ".", what[1]}, " ")
	return all
}

// quoted returns the label of a value in quotation marks, as far as the label's first comma: what
// follows doesn't tell values apart ("Gestational age, completed weeks").
func quoted(at Path) string {
	label, _, _ := strings.Cut(Must(at.Field).Label, ",")
	return "“" + label + "”"
}

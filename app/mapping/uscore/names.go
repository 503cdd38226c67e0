package uscore

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

// names returns the patient's present names. Names in parted have separate family and given names.
// Names in plain are a single text.
func (r *reader) names() (parted []fhir.HumanName, plain []string) {
	for _, n := range r.patient.Name {
		start, end := mapping.MomentOf(n.Period.Start), mapping.MomentOf(n.Period.End)
		switch {
		case slices.Contains([]string{"old", "maiden", "temp", "anonymous", "nickname"}, n.Use) || mapping.OutsidePeriod(start, end, r.today):
		case n.Family != "" || len(n.Given) > 0:
			parted = append(parted, n.HumanName)
		case mapping.KnownName(n.Text) != "":
			plain = append(plain, n.Text)
		}
	}
	return parted, plain
}

// name fills in the patient's name. If names have different uses, it chooses the names with the
// best use (bestNames). If there are still several names, they become hints, because the chart
// doesn't show which one is right. A placeholder also becomes a hint. A name that is a single text
// becomes a hint if there are no other names.
func (f *filler) name(family, given string) {
	parted, plain := f.names()
	if len(parted) == 0 {
		for _, text := range plain {
			f.hint(family, nil, short(text, 80), "the chart does not say which part is the family name")
		}
		return
	}
	best := bestNames(parted)
	for i, n := range best {
		familyName, givenNames := mapping.NameOf([]fhir.HumanName{n})
		why := ""
		switch {
		case len(best) > 1:
			why = severalNames
		case standsIn(n.Family, strings.Join(n.Given, " ")):
			why = placeholderName
		}
		for _, part := range [][2]string{{family, familyName}, {given, givenNames}} {
			v := birth.Value{Text: part[1]}
			switch {
			case why == "":
				f.personal(part[0], v, "the patient's name")
			case v.Text != "" && i < mostHints:
				f.hint(part[0], &v, short(v.Text, 80), why)
			}
		}
	}
}

// bestNames returns the different names with the best use in the chart. An official name is best,
// followed by a usual name, a name without a use, and any other name.
func bestNames(parted []fhir.HumanName) (best []fhir.HumanName) {
	rank := func(n fhir.HumanName) int {
		if i := slices.Index([]string{"official", "usual", ""}, n.Use); i >= 0 {
			return i
		}
		return 3
	}
	first := rank(slices.MinFunc(parted, func(a, b fhir.HumanName) int { return rank(a) - rank(b) }))
	stated := func(n fhir.HumanName) string {
		family, given := mapping.NameOf([]fhir.HumanName{n})
		return saying(family + " / " + given)
	}
	for _, n := range parted {
		if rank(n) == first && !slices.ContainsFunc(best, func(b fhir.HumanName) bool { return stated(b) == stated(n) }) {
			best = append(best, n)
		}
	}
	slices.SortFunc(best, func(a, b fhir.HumanName) int { return cmp.Compare(stated(a), stated(b)) })
	return best
}

// The reasons why a name is only a hint.
const (
	placeholderName = "the name in the chart is a placeholder"
	severalNames    = "the chart states several names for the same use"
)

// placeholder matches a word that is used instead of a name. It may be what a hospital calls a
// newborn who has no name yet (Baby Girl, BB2, TwinA, 1Wendysgirl), or an unknown person.
var placeholder = regexp.MustCompile(`^(` + strings.Join([]string{
	`(baby|babies|infant|newborn|neonate?|twin|triplet|quadruplet|fetus|foetus|male|female|boy|girl|bg|bb|nb)(boy|girl|male|female|twin)?[abc]?[0-9]?`,
	`\d?\pL+s(girl|boy|baby|twin|twins)[abc]?[0-9]?`,
	`unnamed|unknown|unk|noname|nfn|nmn|nln|fnu|lnu|child|anonymous|unidentified|pending|tbd|none|test|xx+`,
	`beb[eé]|niñ[oa]|hij[oa]|var[oó]n|hembra|recien`,
}, `|`) + `)$`)

// joinedStandIn matches a placeholder that is joined to the mother's name, such as GirlMaria.
var joinedStandIn = regexp.MustCompile(`\b(Baby|Girl|Boy|Twin|Newborn|Infant)[A-Z]\pL+`)

// standsIn reports whether a name or any word in it is a placeholder.
func standsIn(family, given string) bool {
	words := strings.Fields(saying(given + " / " + family))
	first := strings.Fields(saying(given))
	whole := strings.Join(first, " ")
	return slices.ContainsFunc(words, placeholder.MatchString) || joinedStandIn.MatchString(given+" "+family) ||
		slices.Contains([]string{"b g", "b b", "g b", "no name", "n n"}, whole) ||
		slices.Contains(words, "doe") && len(first) > 0 && slices.Contains([]string{"jane", "john"}, first[0])
}

package ui

import (
	"slices"
	"strconv"
	"strings"

	"birthregistry/app/birth"
	"birthregistry/app/mapping/form"
	"birthregistry/app/mapping/uscore"
)

// unfold is the beginning of the value of a button that fetches hidden fields. The rest of the
// value, such as "child.0", is the ID of the group to which the fields belong.
const unfold = "unfold-"

// askRemoval is how the value of a button begins that leads to the button that removes a newborn. A
// newborn for whom something was typed is only removed by the second, because a wrong tap on a phone
// would lose it all.
const askRemoval = "ask-"

// edit tidies the submitted values. If the pressed button changes the form, edit does what the
// button asks: it adds or removes an entry of a list, fetches hidden fields, or uses a value from
// the chart. For any other button, such as Save, it returns false.
func (f *birthForm) edit() bool {
	do := f.typed.Get("do")
	taken := f.takeTip(do) // must come before the lists are renumbered
	raw := f.typed
	f.typed = form.Tidy(raw)
	verb, object, found := strings.Cut(do, "-")
	name, use := strings.CutPrefix(do, "use.")
	if use = use && f.base != nil; use {
		filled := form.Values(*f.base)
		f.typed[name], f.typed[name+".time"] = filled[name], filled[name+".time"]
		if person, is := strings.CutSuffix(name, ".name"); is {
			f.typed.Del(person + ".provider") // use the chart's value, and not the chosen provider
			for _, field := range []string{".credentials", ".role", ".attending"} {
				f.typed[person+field] = filled[person+field]
			}
		}
	}
	group, folded := strings.CutPrefix(do, unfold)
	if folded {
		f.unfolded = group
	}
	newborn, asks := strings.CutPrefix(do, askRemoval)
	if asks {
		f.removing = newborn
	}
	if taken || use || folded || asks {
		f.parse()
		return true
	}
	list, index, _ := strings.Cut(object, ".")
	if !found || listSections[list] == "" {
		return false
	}
	switch verb {
	case "add":
		if form.Count(f.typed, list) >= form.MostRows(list, f.base) {
			f.found = append(f.found, form.TooMany(list, f.base))
			break
		}
		form.Add(f.typed, list)
	case "remove":
		n, err := strconv.Atoi(index)
		if err != nil {
			return false
		}
		f.typed = form.Remove(raw, list, n) // uses the numbers that the page showed
	default:
		return false
	}
	f.parse()
	return true
}

func (f *birthForm) tip(do string) (hint uscore.Hint, found bool) {
	number, take := strings.CutPrefix(do, "take.")
	n, err := strconv.Atoi(number)
	if !take || err != nil || f.pulled == nil || n < 0 || n >= len(f.pulled.filled().Hints) {
		return hint, false
	}
	hint = f.pulled.filled().Hints[n]
	return hint, hint.Value != nil
}

// takeTip handles the button do. If it is the button of a hint from the chart, takeTip copies the
// hint's value into the form and returns true. If the field allows several choices, takeTip adds
// the value to the choices that are already made. If the value is the name of another person, the role
// and the credentials of the person before are removed.
func (f *birthForm) takeTip(do string) bool {
	tip, found := f.tip(do)
	if !found {
		return false
	}
	if tip.At.List == birth.ProviderList && tip.At.Field == "name" {
		form.Replace(f.typed, tip.At.Index)
	}
	for name, texts := range form.ValueAt(tip.At, *tip.Value) {
		if field := birth.Lookup(tip.At.Field); field != nil && field.Kind == birth.Codes {
			both, _ := field.Accept(birth.Value{Set: slices.Concat(f.typed[name], texts)}) // choosing a value removes "none"
			texts = both.Set
		}
		f.typed[name] = texts
	}
	return true
}

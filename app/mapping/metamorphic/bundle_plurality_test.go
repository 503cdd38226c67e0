package metamorphic

import "slices"

// pluralityMutations change the number of children born, in courses with one child.
var pluralityMutations = []mutation{
	plural("one of several, no more is said: unknown", object{"multipleBirthBoolean": true}, ""),
	plural("a single birth: one", object{"multipleBirthBoolean": false}, "1"),
	plural("nothing: unknown", nil, ""),
	plural("first in order, no more is said: unknown", object{"multipleBirthInteger": n("1")}, ""),
	plural("second in order: unknown", object{"multipleBirthInteger": n("2")}, ""),
	plural("how many is absent for a reason: unknown", object{"_multipleBirthInteger": absent("unknown")}, ""),
	plural("whether several is absent for a reason: unknown", object{"_multipleBirthBoolean": absent("asked-unknown")}, ""),
	plural("99th in order: unknown", object{"multipleBirthInteger": n("99")}, ""),
	plural("an order of a wrong type: unknown", object{"multipleBirthInteger": list{}}, ""),
	plural("first of three: three", object{"multipleBirthInteger": n("1"), "_multipleBirthInteger": total("3")}, "3"),
	plural("first of 99: unknown", object{"multipleBirthInteger": n("1"), "_multipleBirthInteger": total("99")}, ""),
	plural("a fetal death in this delivery: unknown", nil, "", observation("73772-6", about("Patient/mother"), integer(1))),
	plural("two born alive in this delivery: unknown", nil, "", observation("73773-4", about("Patient/mother"), integer(2))),
	plural("a plurality that is stated: that", nil, "2", observation("57722-1", about("Patient/mother"), integer(2))),
}

func total(digits string) object {
	return extended(extension(base+"patient-multipleBirthTotal", object{"valuePositiveInt": n(digits)}))
}

func plural(says string, members object, want string, more ...object) mutation {
	return one("the child is said to be "+says, func(doc object) *mutant {
		all := courses(doc)
		for _, b := range all {
			children := childrenOf(b)
			if len(mothersOf(b)) != 1 || len(children) != 1 {
				return nil
			}
			for _, name := range []string{"multipleBirthInteger", "multipleBirthBoolean", "_multipleBirthInteger", "_multipleBirthBoolean"} {
				delete(children[0], name)
			}
			overlay(children[0], members)
			counts := []string{"73773-4", "73772-6", "57722-1", "plurality", "live_births_this_delivery", "fetal_deaths_this_delivery"}
			b["entry"] = slices.DeleteFunc(b["entry"].(list), func(e any) bool {
				return slices.Contains(counts, textAt(e, "resource", "code", "coding", 0, "code"))
			})
			add(b, more...)
		}
		if len(all) == 0 {
			return nil
		}
		m := &mutant{free: []string{"birth_order", "live_births_this_delivery", "fetal_deaths_this_delivery"}}
		if want == "" {
			m.gone = []string{"plurality"}
		} else {
			m.now = map[string]string{"plurality": want}
		}
		return m
	})
}

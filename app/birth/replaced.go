package birth

import "slices"

// Replaced returns the parts that a person stated or removed, and that new content (now) states
// differently. Unless the new content is certainly newer, the practice reviews these parts
// (decision 20). onFile is the version that the person saved. before is the last pushed version
// before onFile, or nil if there is none. Replaced leaves out a part that the person didn't state
// and that the new content adds.
func Replaced(onFile Draft, before *Draft, now Draft) (parts []Part) {
	changed := map[string]bool{}
	if before != nil {
		for _, p := range Parts(onFile, *before) {
			changed[p.Key] = !p.Same
		}
	}
	for _, p := range Parts(onFile, now) {
		if !p.Same && (changed[p.Key] || onFile.byPerson(p, before == nil)) {
			parts = append(parts, p)
		}
	}
	return parts
}

// byPerson reports whether a person stated a part of the draft, that is, whether at least one of
// the part's values wasn't pushed. The sources of the providers and of the consent aren't known.
// byPerson counts them as a person's if whole is set, which means that a person wrote the whole
// draft.
func (d Draft) byPerson(p Part, whole bool) bool {
	switch p.Key {
	case NewbornsPart:
		return slices.ContainsFunc(d.Children, func(child Values) bool { return child.byPerson(child.fields()...) })
	case ProvidersPart:
		return whole && p.InStays
	case TransfersPart:
		return slices.ContainsFunc(d.Transfers, func(t Transfer) bool { return t.Source != FHIRPush })
	case ConsentPart:
		return whole && d.Consent != (Consent{})
	}
	switch p.Fields[0].About {
	case Mother:
		return d.Mother.byPerson(p.Fields...)
	case Care:
		return d.Care.byPerson(p.Fields...)
	default:
		return d.Children[p.Stays].byPerson(p.Fields...)
	}
}

func (v Values) byPerson(fields ...*Field) bool {
	return slices.ContainsFunc(fields, func(f *Field) bool {
		value, stated := v.Get(f.Name)
		return stated && value.Source != FHIRPush
	})
}

func (v Values) fields() (all []*Field) {
	for _, s := range v {
		all = append(all, s.Field)
	}
	return all
}

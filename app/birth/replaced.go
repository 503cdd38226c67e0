package birth

import "slices"

// Replaced lists the parts that a person had stated, or had taken away, and that
// new content states otherwise (decision 20: what the practice is to be shown when
// nothing tells whether the new content is newer). onFile is what the person left,
// before what another system had sent until then, nil for nothing. What the new
// content adds where the person had stated nothing is not among them.
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

// byPerson reports whether a draft states a part by a person's word: by the source
// of its values, and where a part has none, when a person has written the whole.
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

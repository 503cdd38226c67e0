package uscore

import (
	"slices"

	"birthregistry/app/birth"
	"birthregistry/app/mapping"
)

// filler collects what is filled in from a chart, with the patient in one role.
type filler struct {
	*reader
	dating  bool       // set while the dates of the pregnancy itself are read
	mothers bool       // set for the chart of a mother, not of a newborn
	preg    *pregnancy // the index pregnancy, or nil if none was found
	births  plurality
	earlier []mapping.Day // the days of earlier births in the chart, oldest first
	out     Filled
	used    map[string]bool // the resources that were used; each key is "o", "c" or "e" and the ID
	own     []string        // the fields that were filled in from the Patient itself
}

func (r *reader) filler(mothers bool, p *pregnancy) *filler {
	f := &filler{
		reader: r, mothers: mothers, preg: p, used: map[string]bool{},
		out: Filled{Draft: birth.Draft{Children: []birth.Values{nil}}},
	}
	f.births = f.plurality()
	if mothers {
		f.earlier = r.earlierBirths(p)
	}
	return f
}

func placeOfField(f *birth.Field) birth.Path {
	if f.About == birth.Child {
		return birth.Of(birth.ChildList, 0, f.Name)
	}
	return birth.At(f.Name)
}

// values returns the values in the draft for the subject of a field.
func (f *filler) values(field *birth.Field) *birth.Values {
	switch field.About {
	case birth.Mother:
		return &f.out.Draft.Mother
	case birth.Care:
		return &f.out.Draft.Care
	default:
		return &f.out.Draft.Children[0]
	}
}

// state fills in a value, with its origin. It does nothing if the field doesn't accept the value.
func (f *filler) state(name string, v birth.Value, text string, others ...string) {
	field := birth.Must(name)
	if kept, ok := field.Accept(v); ok {
		f.values(field).Set(field, sourced(kept))
		f.out.Origins = append(f.out.Origins, Origin{At: placeOfField(field), Text: text, Others: capped(others)})
	}
}

// personal fills in a value from the Patient resource.
func (f *filler) personal(name string, v birth.Value, what string) {
	field := birth.Must(name)
	if kept, ok := field.Accept(v); ok {
		f.own = append(f.own, name)
		f.state(name, kept, labelOf(field, kept)+", "+what)
	}
}

// hint adds a hint next to a field. It has a value, which may be nil, and the reason why the value
// isn't filled in.
func (f *filler) hint(name string, v *birth.Value, text, why string) {
	field := birth.Must(name)
	if v != nil {
		if kept, ok := field.Accept(*v); ok {
			v = &kept
		} else {
			v = nil
		}
	}
	f.hintAt(placeOfField(field), v, text, why)
}

func (f *filler) hintAt(at birth.Path, v *birth.Value, text, why string) {
	f.out.Hints = append(f.out.Hints, Hint{At: at, Text: text + ": " + why, Value: v})
}

func (f *filler) notice(text string) { f.out.Notices = append(f.out.Notices, text) }

const (
	mostOthers = 10 // further values shown for a field
	mostHints  = 3  // values that do not fit a field, but are shown as hints
)

func capped(others []string) []string {
	others = slices.Compact(others)
	if len(others) > mostOthers {
		return append(slices.Clone(others[:mostOthers]), "and more")
	}
	return others
}

// withhold turns all values that were filled in into hints. The values may be right, but the chart
// as a whole is doubtful.
func (f *filler) withhold(why string) {
	f.withholdAt(why, func(birth.Path) bool { return true })
}

// retreat turns the values of the named fields into hints.
func (f *filler) retreat(why string, names ...string) {
	f.withholdAt(why, func(at birth.Path) bool { return slices.Contains(names, at.Field) && at.List != birth.ProviderList })
}

// withholdAt turns values into hints, at all places that the given function accepts.
func (f *filler) withholdAt(why string, where func(birth.Path) bool) {
	var kept []Origin
	for _, o := range f.out.Origins {
		switch {
		case !where(o.At):
			kept = append(kept, o)
		case o.At.List == birth.ProviderList:
			f.hintAt(o.At, &birth.Value{Text: f.out.Draft.Providers[o.At.Index].Name}, o.Text, why)
			f.out.Draft.Providers = nil
		default:
			values := f.values(birth.Must(o.At.Field))
			v, _ := values.Get(o.At.Field)
			v.Source = ""
			f.hintAt(o.At, &v, o.Text, why)
			values.Drop(o.At.Field)
		}
	}
	f.out.Origins = kept
}

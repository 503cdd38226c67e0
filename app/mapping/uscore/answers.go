package uscore

import (
	"birthregistry/app/birth"
	"birthregistry/app/mapping"
)

func answerOf(field, option string) *birth.Value {
	switch birth.Must(field).Kind {
	case birth.Bool:
		return &birth.Value{Flag: true}
	case birth.Codes:
		return &birth.Value{Set: []string{option}}
	default:
		return &birth.Value{Text: option}
	}
}

// answer sets a field to an answer from a diagnosis or a culture. If the field has a set of
// options, the answer is added to it. If the field has one option, the more informative answer is
// kept, such as the worse of two perineal tears ([mapping.Outranks]).
func (f *filler) answer(name, option string, texts []string) {
	field, v := birth.Must(name), answerOf(name, option)
	before, stated := f.values(field).Get(name)
	if stated && field.Kind == birth.Codes {
		v.Set = mapping.Union(before.Set, v.Set)
	}
	for i := range f.out.Origins {
		o := &f.out.Origins[i]
		if stated && o.At == placeOfField(field) {
			if field.Kind == birth.Code && !mapping.Outranks(field, *v, before, true) {
				o.Others = capped(append(o.Others, texts...))
				return
			}
			if field.Kind == birth.Code {
				f.values(field).Set(field, sourced(*v))
				o.Text, o.Others = texts[0], capped(append([]string{o.Text}, o.Others...))
				return
			}
			f.values(field).Set(field, sourced(mustAccept(field, *v)))
			o.Text += "; " + texts[0]
			o.Others = capped(append(o.Others, texts[1:]...))
			return
		}
	}
	f.state(name, *v, texts[0], texts[1:]...)
}

func mustAccept(field *birth.Field, v birth.Value) birth.Value {
	v, _ = field.Accept(v)
	return v
}

func sourced(v birth.Value) birth.Value {
	v.Source = birth.EHRPull
	return v
}

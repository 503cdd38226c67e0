package birth

import "slices"

// Value is one stated fact. The field's Kind determines which member holds it: Text for
// text, date, datetime and code; Number for int and decimal; Flag for bool; Set for codes.
type Value struct {
	Text   string
	Number float64
	Flag   bool
	Set    []string
	Source Source
}

// Stated pairs a value with the spine field to which it belongs.
type Stated struct {
	Field *Field
	Value Value
}

// Values holds the facts stated about one subject. A missing field was not stated, which never
// means "no" (decision 34).
type Values []Stated

// Get returns the value of the named field and whether it was stated.
func (v Values) Get(name string) (Value, bool) {
	for i := range v {
		if v[i].Field.Name == name {
			return v[i].Value, true
		}
	}
	return Value{}, false
}

// Has reports whether the named field was stated.
func (v Values) Has(name string) bool {
	_, ok := v.Get(name)
	return ok
}

// Text returns the text of the named field, or "" if it was not stated.
func (v Values) Text(name string) string {
	value, _ := v.Get(name)
	return value.Text
}

// usualValues is the initial capacity of Values. Most subjects have at least as many facts.
const usualValues = 8

// Set states a field, replacing what was stated before.
func (v *Values) Set(field *Field, value Value) {
	for i := range *v {
		if (*v)[i].Field == field {
			(*v)[i].Value = value
			return
		}
	}
	if *v == nil {
		*v = make(Values, 0, usualValues)
	}
	*v = append(*v, Stated{field, value})
}

// Drop removes a field.
func (v *Values) Drop(name string) {
	*v = slices.DeleteFunc(*v, func(s Stated) bool { return s.Field.Name == name })
}

// subjects returns the values about each subject of a draft.
func (d *Draft) subjects() []Values { return append([]Values{d.Mother, d.Care}, d.Children...) }

// sort puts the values of a draft into the order of the spine.
func (d *Draft) sort() {
	for _, values := range d.subjects() {
		values.sort()
	}
}

func (v Values) sort() {
	slices.SortFunc(v, func(a, b Stated) int { return a.Field.index - b.Field.index })
}

// Equal reports whether two values are the same, whatever their source.
func (v Value) Equal(w Value) bool {
	return v.Text == w.Text && v.Number == w.Number && v.Flag == w.Flag && slices.Equal(v.Set, w.Set)
}

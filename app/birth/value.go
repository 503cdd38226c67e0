package birth

import "slices"

// Value is one stated fact. The Kind of its field determines which member holds it: Text for the
// kinds Text, Date, DateTime and Code; Number for Int and Decimal; Flag for Bool; Set for Codes.
type Value struct {
	Text   string
	Number float64
	Flag   bool
	Set    []string
	Source Source
}

// Stated pairs a value with its field.
type Stated struct {
	Field *Field
	Value Value
}

// Values holds the facts that are stated about one subject, such as the mother. A missing field
// wasn't stated, which never means no (decision 34).
type Values []Stated

// Get returns the value of the field with the given name, and whether it was stated.
func (v Values) Get(name string) (Value, bool) {
	for i := range v {
		if v[i].Field.Name == name {
			return v[i].Value, true
		}
	}
	return Value{}, false
}

// Has reports whether the field with the given name was stated.
func (v Values) Has(name string) bool {
	_, ok := v.Get(name)
	return ok
}

// Text returns the text of the field with the given name, or "" if the field wasn't stated.
func (v Values) Text(name string) string {
	value, _ := v.Get(name)
	return value.Text
}

// usualValues is the initial capacity of Values. Most subjects have at least this many facts.
const usualValues = 8

// Set sets the value of a field, and replaces the value that was stated before.
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

// subjects returns the values of a draft, separately for the mother, the care and each newborn.
func (d *Draft) subjects() []Values { return append([]Values{d.Mother, d.Care}, d.Children...) }

// sort sorts the values about each subject of a draft into the order of Spine.
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

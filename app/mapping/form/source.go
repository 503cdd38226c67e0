package form

import (
	"cmp"
	"net/url"
	"slices"

	"birthregistry/app/birth"
)

// stamped sets the source of every value in a draft that was read from a form. The argument basis
// is the draft with which the form was filled in, or nil. An unchanged value has the source that it
// has in basis, and any other value is manual. The source never comes from the browser. The draft
// also gets the IG version and the reading of basis.
func stamped(d *birth.Draft, basis *birth.Draft) {
	if basis == nil {
		basis = &birth.Draft{}
	} else {
		d.IGVersion, d.Reading = basis.IGVersion, basis.Reading
	}
	stampValues(d.Mother, basis.Mother)
	stampValues(d.Care, basis.Care)
	taken := make([]bool, len(basis.Children))
	for n, child := range d.Children {
		stampValues(child, likest(child, n, len(d.Children), basis.Children, taken))
	}
	known := make([]bool, len(basis.Providers))
	for i := range d.Providers {
		stampProvider(&d.Providers[i], basis, known)
	}
	for i := range d.Transfers {
		t := &d.Transfers[i]
		t.Source = birth.Manual
		for _, old := range basis.Transfers {
			same := *t
			same.Source = old.Source
			if same == old && old.Source != "" {
				t.Source = old.Source
			}
		}
	}
}

// Filled returns the draft for a form that was filled in from another source, such as a row in a
// CSV file. All its values have this source. With this draft as its basis, Read keeps the source of
// values that the user left unchanged.
func Filled(typed url.Values, source birth.Source) *birth.Draft {
	d := Read(typed, nil).Draft
	for _, values := range append(slices.Clone(d.Children), d.Mother, d.Care) {
		for i := range values {
			values[i].Value.Source = source
		}
	}
	for i := range d.Providers {
		d.Providers[i].Source = source
	}
	for i := range d.Transfers {
		d.Transfers[i].Source = source
	}
	return &d
}

func stampValues(values, basis birth.Values) {
	for i := range values {
		s := &values[i]
		s.Value.Source = birth.Manual
		old, stated := basis.Get(s.Field.Name)
		if kept, ok := s.Field.Accept(s.Value); stated && ok && kept.Equal(old) && old.Source != "" {
			s.Value.Source = old.Source
		}
	}
}

// likest returns the newborn in basis that most likely became the nth newborn on the form. The
// argument basis is from the draft with which the form was filled in, and count is the number of
// newborns on the form. If no newborn was added or removed, likest returns the nth of basis.
//
// Otherwise, it returns the newborn that has the most values in common with the one on the form. It
// skips newborns that are already taken. It returns nil if no newborn has a value in common.
func likest(child birth.Values, n, count int, basis []birth.Values, taken []bool) birth.Values {
	if count == len(basis) {
		return basis[n]
	}
	best, most := -1, 0
	for i, old := range basis {
		if shared := birth.Agreeing(child, old); !taken[i] && shared > most {
			best, most = i, shared
		}
	}
	if best < 0 {
		return nil
	}
	taken[best] = true
	return basis[best]
}

// stampProvider looks for a person of the form among the people in basis, the draft with which the
// form was filled in. If it finds the same person (samePerson), it copies the key and the NPI to
// the person of the form. It also copies the source, unless the form has changed the person. The
// argument known marks the people in basis who have already been found.
func stampProvider(p *birth.Provider, basis *birth.Draft, known []bool) {
	p.Source = birth.Manual
	i := 0 // the first match that hasn't been found yet counts, because people usually stay in order
	for i < len(basis.Providers) && (known[i] || !samePerson(&basis.Providers[i], p)) {
		i++
	}
	if i == len(basis.Providers) {
		return
	}
	known[i] = true
	old := basis.Providers[i]
	p.Key, p.NPI = old.Key, old.NPI
	if attendant, stated := basis.Care.Get("attendant_type"); stated && old.Attending {
		old.Source = attendant.Source // for a record on file, attendant_type has the source
	}
	if old.Source != "" && p.Name == old.Name && p.Credentials == old.Credentials && p.Attending == old.Attending {
		p.Source = old.Source
	}
}

// samePerson reports whether a person on the form (p) is the same as a person in the draft with
// which the form was filled in (old). A provider who was chosen must be the same provider. A person
// whose name was typed must have the same name and role.
func samePerson(old, p *birth.Provider) bool {
	if p.Key != "" && !birth.IsTyped(p.Key) { // chosen, not typed
		return old.Key == p.Key
	}
	role := cmp.Or(old.Role, birth.RoleOf(old.Credentials)) // a chart may not state the role
	if role != p.Role {
		return false
	}
	stated := *old
	stated.Role = role
	return stated.MayBe(*p) || birth.TypedKey(old.Name, "") == birth.TypedKey(p.Name, "")
}

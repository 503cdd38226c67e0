package form

import (
	"cmp"
	"net/url"
	"slices"

	"birthregistry/app/birth"
)

// stamped gives every value of a form its source. The basis is the draft with which the form was
// filled, or nil. An unchanged value keeps the source that it has in the basis, and any other value
// is manual. The source never comes from the browser. The IG version and the reading are those of
// the basis.
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

// Filled returns the draft of a form that was filled from another source, such as a row of a CSV
// file. Every value of the draft has this source. Read takes the draft as its basis, so values that
// the user leaves unchanged keep the source.
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

// likest returns the newborn of the basis (the draft with which the form was filled) that most
// likely became the nth of count newborns on the form. If no newborn was added or removed, it is
// the nth of the basis. Otherwise it is the one that shares the most values among those not taken
// yet, or nil if none shares any.
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

// stampProvider looks for a person of the form among those of the basis, the draft with which the
// form was filled. If one is the same (samePerson), the person on the form gets the key and the NPI
// of that one, and also the source unless the form changes the person. known marks the people of
// the basis who were recognized already.
func stampProvider(p *birth.Provider, basis *birth.Draft, known []bool) {
	p.Source = birth.Manual
	i := 0 // the first match not recognized yet counts, because people usually stay in order
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

// samePerson reports whether old, a person of the draft with which the form was filled, is the
// person p on the form: the provider who was chosen or, for a typed name, a person with the same
// name and role.
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

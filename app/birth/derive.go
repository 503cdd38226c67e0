package birth

import "slices"

// derive computes the values that follow from other values: age, month of birth, delayed cord
// clamping, vaginal birth after cesarean, and the attendant. The age and the month are not sealed,
// so statistics don't need the sealed dates.
func (d *Draft) derive() {
	d.deriveAge()
	for i := range d.Children {
		d.Children[i].Drop("birth_month")
		date, _ := d.Children[i].Get("birth_date")
		if len(date.Text) >= len("2006-01") {
			d.Children[i].Set(Must("birth_month"), Value{Text: date.Text[:len("2006-01")], Source: date.Source})
		}
		deriveClamping(&d.Children[i])
	}
	d.deriveVBAC()
	d.deriveProviders()
	d.sort()
}

// DelayedClamping is the threshold in seconds from which cord clamping counts as delayed.
const DelayedClamping = 60

// deriveClamping derives from the seconds whether cord clamping was delayed. The seconds
// were measured, so they outrank a yes or no that contradicts them.
func deriveClamping(child *Values) {
	seconds, ok := child.Get("cord_clamping_seconds")
	if !ok {
		return
	}
	delayed := Value{Flag: seconds.Number >= DelayedClamping, Source: seconds.Source}
	if answer, ok := child.Get("delayed_cord_clamping"); !ok || answer.Flag != delayed.Flag {
		child.Set(Must("delayed_cord_clamping"), delayed)
	}
}

// deriveVBAC derives whether there was a vaginal birth after a cesarean: no if any child was born
// by cesarean, yes if every child was born vaginally. Otherwise, or if no earlier cesarean is
// stated, it derives nothing.
func (d *Draft) deriveVBAC() {
	d.Mother.Drop("vbac")
	before, ok := d.Mother.Get("previous_cesareans")
	if !ok || before.Number < 1 || len(d.Children) == 0 {
		return
	}
	vaginal := Value{Flag: true}
	known := true
	for _, child := range d.Children {
		method, ok := child.Get("delivery_method")
		switch {
		case !ok || method.Text == "other" || method.Text == "unknown":
			known = false
		case method.Text == "cesarean":
			d.Mother.Set(Must("vbac"), Value{Source: method.Source})
			return
		default:
			vaginal.Source = method.Source
		}
	}
	if known {
		d.Mother.Set(Must("vbac"), vaginal)
	}
}

// deriveProviders makes the values about the attendant agree, whichever source stated them. The
// care's values about the attendant are taken from the provider who attends. If no provider
// attends, the attendant whom the care names becomes one of the providers; spreadsheets name the
// attendant in this way. If a provider is a doula and the care doesn't state whether a doula was
// present, deriveProviders states that one was.
func (d *Draft) deriveProviders() {
	by := slices.IndexFunc(d.Providers, func(p Provider) bool { return p.Attending })
	if by < 0 {
		by = d.addAttendant()
	}
	if by >= 0 {
		d.AttendedBy(d.Providers[by])
	}
	for _, p := range d.Providers {
		if p.Role == RoleDoula && !d.Care.Has("doula_present") {
			d.Care.Set(Must("doula_present"), Value{Flag: true, Source: p.Source})
		}
	}
}

// AttendedBy sets the care's values about the attendant to those of the provider.
func (d *Draft) AttendedBy(p Provider) {
	d.follow("attendant_type", string(p.Role), p.Source)
	d.follow("attendant_name", p.Name, p.Source)
	d.follow("attendant_credentials", p.Credentials, p.Source)
}

// addAttendant adds the attendant whom the care names to the providers, or marks a provider
// already listed who may be the same person. It returns that provider's index, or -1 if the
// care names no attendant.
func (d *Draft) addAttendant() int {
	name, named := d.Care.Get("attendant_name")
	if !named {
		return -1
	}
	credentials, role := d.Care.Text("attendant_credentials"), Role(d.Care.Text("attendant_type"))
	if role == "" {
		role = RoleOf(credentials)
	}
	attendant := Provider{
		Key: TypedKey(name.Text, role), Name: name.Text, Credentials: credentials, Role: role, Attending: true, Source: name.Source,
	}
	if i := slices.IndexFunc(d.Providers, attendant.MayBe); i >= 0 {
		d.Providers[i].Attending = true
		return i
	}
	d.Providers = append(d.Providers, attendant)
	return len(d.Providers) - 1
}

// follow sets one of the care's values about the attendant to text. A value that is already equal
// to text keeps its source. An empty text removes the value.
func (d *Draft) follow(field, text string, source Source) {
	was, stated := d.Care.Get(field)
	switch {
	case text == "":
		d.Care.Drop(field)
	case !stated || was.Text != text:
		d.Care.Set(Must(field), Value{Text: text, Source: source})
	}
}

// deriveAge computes the mother's age at the birth. If the dates aren't known, an age reported in
// years stays.
func (d *Draft) deriveAge() {
	if len(d.Children) == 0 {
		return
	}
	born, _ := d.Mother.Get("mother_birth_date")
	years, ok := age(born.Text, d.Children[0].Text("birth_date"))
	if !ok {
		return
	}
	if value, ok := Must("mother_age_years").Accept(Value{Number: float64(years), Source: born.Source}); ok {
		d.Mother.Set(Must("mother_age_years"), value)
	}
}

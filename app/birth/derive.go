package birth

import "slices"

// derive computes the values that follow from other values: the mother's age, the month of birth,
// delayed cord clamping, vaginal birth after cesarean, and the attendant. The age and the month
// aren't sealed, so statistics don't need the sealed dates.
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

// DelayedClamping is the smallest number of seconds at which cord clamping counts as delayed.
const DelayedClamping = 60

// deriveClamping determines, from the seconds until cord clamping, whether clamping was delayed.
// The seconds were measured, so they override a stated yes or no.
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

// deriveVBAC determines whether there was a vaginal birth after a cesarean. The answer is no if any
// child was born by cesarean, and yes if every child was born vaginally. If a child's method isn't
// known, or if no earlier cesarean is stated, the value is left out.
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

// deriveProviders makes the values about the attendant agree, whichever source stated them. If a
// provider is marked as attending, the care's values about the attendant are taken from that
// provider. Otherwise the attendant whom the care names is added to the providers. (Spreadsheets
// name the attendant in this way.) If a provider is a doula and the care doesn't state whether a
// doula was present, deriveProviders states that a doula was present.
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

// AttendedBy sets the care's values about the attendant to those of p.
func (d *Draft) AttendedBy(p Provider) {
	d.follow("attendant_type", string(p.Role), p.Source)
	d.follow("attendant_name", p.Name, p.Source)
	d.follow("attendant_credentials", p.Credentials, p.Source)
}

// addAttendant adds the attendant whom the care names to the list of providers. If a listed
// provider may be the same person, addAttendant marks that provider as attending instead. It
// returns the attendant's index, or -1 if the care names no attendant.
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

// follow sets one of the care's values about the attendant to text. If the value already equals
// text, it keeps its source. An empty text removes the value.
func (d *Draft) follow(field, text string, source Source) {
	was, stated := d.Care.Get(field)
	switch {
	case text == "":
		d.Care.Drop(field)
	case !stated || was.Text != text:
		d.Care.Set(Must(field), Value{Text: text, Source: source})
	}
}

// deriveAge computes the mother's age at the birth from the two dates of birth. If one of these
// dates isn't known, deriveAge leaves a reported age unchanged.
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

package birth

import (
	"slices"
	"strconv"
)

// Part is a piece of a record that a merge takes as a whole from one of the two records: a value,
// several values that belong together, or a list. In a merge, one record stays, and the other
// record goes.
type Part struct {
	// Key is the name of the part in forms: mother.FIELD, care.FIELD, child.N.FIELD (N is the
	// newborn's index in the record that stays), own.KEY (a custom field), newborns, people,
	// transfers or consent.
	Key    string
	Fields []*Field // the fields of the part; the part is named after the first one
	// Stays and Goes are the newborn's index in the record that stays and in the record that goes.
	Stays, Goes int
	// InStays reports whether the record that stays states any value of the part. InGoes reports
	// the same of the record that goes. Same is set if both records state the same values,
	// regardless of the sources.
	InStays, InGoes, Same bool
}

// The keys of the parts that aren't fields of the spine.
const (
	NewbornsPart  = "newborns" // all newborns, if the two records have different numbers of them
	ProvidersPart = "people"   // the providers, together with the care's values about the attendant
	TransfersPart = "transfers"
	ConsentPart   = "consent"
	// CustomPart is the beginning of a part's key if the part is a custom field. The custom field's
	// key follows.
	CustomPart = "own."
)

// together maps a field to other fields that a merge must take from the same record. Examples are
// the date and the time of one birth, or a derived value and the value from which it is derived.
var together = map[string][]string{
	"birth_date":            {"birth_datetime"},
	"mother_birth_date":     {"mother_age_years"},
	"gestational_age_weeks": {"gestational_age_days"},
	"cord_clamping_seconds": {"delayed_cord_clamping"},
}

// ofAttendant lists the fields of the care that are about the attendant.
var ofAttendant = []string{"attendant_type", "attendant_title", "attendant_name", "attendant_credentials"}

// apart reports whether a merge can take the field by itself, rather than with another field.
func (f *Field) apart() bool {
	if f.Name == "birth_month" || f.Name == "vbac" || slices.Contains(ofAttendant, f.Name) {
		return false
	}
	for _, others := range together {
		if slices.Contains(others, f.Name) {
			return false
		}
	}
	return true
}

// Parts returns the parts of two records that may be merged. It leaves out a part that neither
// record states, except the consent, which is always included. Values about one subject are in the
// order of Spine.
func Parts(stays, goes Draft) (parts []Part) {
	values := func(prefix string, about Subject, s, g Values, i, j int) {
		for _, f := range Spine {
			if f.About != about || !f.apart() {
				continue
			}
			p := Part{Key: prefix + f.Name, Fields: []*Field{f}, Stays: i, Goes: j, Same: true}
			for _, name := range together[f.Name] {
				p.Fields = append(p.Fields, Must(name))
			}
			for _, f := range p.Fields {
				a, inStays := s.Get(f.Name)
				b, inGoes := g.Get(f.Name)
				p.InStays, p.InGoes = p.InStays || inStays, p.InGoes || inGoes
				p.Same = p.Same && inStays == inGoes && a.Equal(b)
			}
			if p.InStays || p.InGoes {
				parts = append(parts, p)
			}
		}
	}
	list := func(key string, inStays, inGoes, same bool) {
		if inStays || inGoes {
			parts = append(parts, Part{Key: key, InStays: inStays, InGoes: inGoes, Same: same})
		}
	}
	values("mother.", Mother, stays.Mother, goes.Mother, 0, 0)
	values("care.", Care, stays.Care, goes.Care, 0, 0)
	if len(stays.Children) == len(goes.Children) {
		for i, j := range align(stays.Children, goes.Children) {
			values("child."+strconv.Itoa(i)+".", Child, stays.Children[i], goes.Children[j], i, j)
		}
	} else {
		list(NewbornsPart, len(stays.Children) > 0, len(goes.Children) > 0, false)
	}
	list(ProvidersPart, len(stays.Providers) > 0, len(goes.Providers) > 0, sameProviders(stays, goes))
	list(TransfersPart, len(stays.Transfers) > 0, len(goes.Transfers) > 0, sameTransfers(stays.Transfers, goes.Transfers))
	list(ConsentPart, true, true, stays.Consent == goes.Consent)
	return parts
}

// align pairs the newborns of two records that have the same number of newborns. Newborns that have
// the most values in common are paired first. In a tie, newborns with the same index are preferred.
// For each newborn of stays, align returns the index of the paired newborn in goes.
func align(stays, goes []Values) []int {
	at, taken := make([]int, len(stays)), make([]bool, len(goes))
	for i := range at {
		at[i] = -1
	}
	for range stays { // assigns the best match first
		best, from, to := -1, 0, 0
		for i, s := range stays {
			for j, g := range goes {
				if at[i] >= 0 || taken[j] {
					continue
				}
				score := 2 * Agreeing(s, g)
				if i == j {
					score++
				}
				if score > best {
					best, from, to = score, i, j
				}
			}
		}
		at[from], taken[to] = to, true
	}
	return at
}

// Agreeing returns how many values of a are the same in b.
func Agreeing(a, b Values) (n int) {
	for _, s := range a {
		if other, ok := b.Get(s.Field.Name); ok && other.Equal(s.Value) {
			n++
		}
	}
	return n
}

func sameProviders(a, b Draft) bool {
	describe := func(d Draft) (all []string) {
		for _, p := range d.Providers {
			all = append(all, fold(p.Name)+"\x00"+string(p.Role)+"\x00"+p.Credentials+"\x00"+strconv.FormatBool(p.Attending))
		}
		slices.Sort(all)
		return all
	}
	return slices.Equal(describe(a), describe(b))
}

func sameTransfers(a, b []Transfer) bool {
	return slices.EqualFunc(a, b, func(a, b Transfer) bool {
		a.Source, b.Source = "", ""
		return a == b
	})
}

// Combine returns the draft of the record that stays, with some parts replaced by those of the
// record that goes. The argument take holds the keys of the parts to replace. Every value keeps its
// source. Derived values are computed again when the draft is masked.
func Combine(stays, goes Draft, take map[string]bool) Draft {
	d := stays
	d.Mother, d.Care = slices.Clone(stays.Mother), slices.Clone(stays.Care)
	d.Children = make([]Values, len(stays.Children))
	for i, child := range stays.Children {
		d.Children[i] = slices.Clone(child)
	}
	for _, p := range Parts(stays, goes) {
		if !take[p.Key] {
			continue
		}
		switch {
		case p.Key == NewbornsPart:
			d.Children = goes.Children
			d.Care.put(goes.Care, Must("plurality"))
		case p.Key == ProvidersPart:
			d.Providers = goes.Providers
			for _, name := range ofAttendant {
				d.Care.put(goes.Care, Must(name))
			}
		case p.Key == TransfersPart:
			d.Transfers = goes.Transfers
		case p.Key == ConsentPart:
			d.Consent = goes.Consent
		case p.Fields[0].About == Mother:
			d.Mother.put(goes.Mother, p.Fields...)
		case p.Fields[0].About == Care:
			d.Care.put(goes.Care, p.Fields...)
		default:
			d.Children[p.Stays].put(goes.Children[p.Goes], p.Fields...)
		}
	}
	d.Mother.Drop("vbac")
	return d
}

// put copies the values of some fields from another set of values. It drops a field that isn't
// stated there.
func (v *Values) put(from Values, fields ...*Field) {
	for _, f := range fields {
		if value, ok := from.Get(f.Name); ok {
			v.Set(f, value)
		} else {
			v.Drop(f.Name)
		}
	}
}

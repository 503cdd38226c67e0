package sheet

import (
	"cmp"
	"slices"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
)

// FewerNewborns is the problem if the file has fewer newborns for a birth than the record. In that
// case, it isn't clear which newborns of the record the rows are about.
var FewerNewborns = &fhir.Problem{
	Name: "fewer-newborns", Code: "conflict",
	Text: "The record on file has more newborns than the file has rows for its chart number.",
	Hint: "Give every newborn of the birth a row; rows of one birth follow each other.",
}

// UnclearNewborns is the problem if two rows may each be about either of two newborns on file. If
// the rows were matched in their order, one newborn could get the other's values.
var UnclearNewborns = &fhir.Problem{
	Name: "unclear-newborns", Code: "conflict",
	Text: "The rows with this chart number do not show which newborn on file each of them is about.",
	Hint: "Give each row its birth_order as on file, or the values that tell the newborns apart. If the record has no birth order, open it and enter the birth order there.",
}

// amend returns the record on file, changed by what the file states. Blank cells and missing
// columns change nothing, because a file with a few columns must not erase a record that an
// EHR has sent. But if the file names another attendant, the previous one's type, title and
// credentials are removed. A value that equals the one on file keeps its source. amend fails if the
// record is of another mother or birth (another), has more newborns than the file, or doesn't show which of
// them the rows are about.
func (c *Course) amend(basis birth.Draft) (*birth.Draft, *fhir.Problem) {
	if problem := c.another(basis); problem != nil {
		return nil, problem
	}
	if len(c.stated.Children) < len(basis.Children) {
		return nil, FewerNewborns
	}
	d := basis
	places, sure := c.places(basis.Children)
	if c.repeats(basis, places) { // the file is an export that is imported again
		return &d, nil
	}
	if !sure {
		return nil, UnclearNewborns
	}
	stated := inferred(c.stated)
	d.Mother, d.Care = lay(basis.Mother, stated.Mother), lay(basis.Care, stated.Care)
	d.Children = cloneAll(basis.Children)
	for i, at := range places {
		if at == len(d.Children) {
			d.Children = append(d.Children, nil)
		}
		d.Children[at] = lay(d.Children[at], stated.Children[i])
	}
	switch {
	case c.attendantChanges(basis):
		for _, name := range []string{"attendant_type", "attendant_title", "attendant_credentials"} {
			if !stated.Care.Has(name) {
				d.Care.Drop(name)
			}
		}
		d.Providers = slices.Clone(basis.Providers)
		for i := range d.Providers {
			d.Providers[i].Attending = false
		}
	default:
		d.Providers = corrected(basis.Providers, stated.Care)
	}
	d.Transfers = transferred(basis.Transfers, stated.Transfers)
	if c.consent {
		d.Consent.Granted, d.Consent.Recorded = c.stated.Consent.Granted, true
	}
	if at := c.stated.Consent.DateTime; at != "" {
		d.Consent.DateTime = at
	}
	count(&d)
	return &d, nil
}

// corrected returns the providers of a record with the changes that a file makes to the attendant.
func corrected(onFile []birth.Provider, care birth.Values) []birth.Provider {
	all := slices.Clone(onFile)
	for i := range all {
		p := &all[i]
		if !p.Attending {
			continue
		}
		if p.Name == "" {
			p.Name = care.Text("attendant_name")
		}
		p.Credentials = cmp.Or(care.Text("attendant_credentials"), p.Credentials)
		p.Role = cmp.Or(birth.Role(care.Text("attendant_type")), p.Role)
	}
	return all
}

// repeats reports whether the spreadsheet has only values that the record already has. places is the
// result of the method places.
func (c *Course) repeats(basis birth.Draft, places []int) bool {
	now, before := c.stated, basis
	if len(now.Children) > len(before.Children) || c.consent && (!before.Consent.Recorded || now.Consent.Granted != before.Consent.Granted) ||
		now.Consent.DateTime != "" && now.Consent.DateTime != before.Consent.DateTime {
		return false
	}
	for i, at := range places {
		if !holds(before.Children[at], now.Children[i]) {
			return false
		}
	}
	return holds(before.Mother, now.Mother) && holds(before.Care, now.Care) &&
		slices.Equal(before.Transfers, transferred(before.Transfers, now.Transfers))
}

// transferred returns the transfers of a record with the transfer in the spreadsheet, if there is
// one. It changes the first existing transfer that may belong to the same stage of care. If there
// is no such transfer, it adds the one in the spreadsheet.
func transferred(onFile, stated []birth.Transfer) []birth.Transfer {
	if len(stated) == 0 {
		return onFile
	}
	now := stated[0]
	at := slices.IndexFunc(onFile, func(t birth.Transfer) bool { return t.Type == now.Type || t.Type == "" || now.Type == "" })
	if at < 0 {
		return append(slices.Clone(onFile), now)
	}
	all := slices.Clone(onFile)
	for _, m := range birth.TransferMembers {
		if text := *m.Of(&now); text != "" && text != *m.Of(&all[at]) {
			*m.Of(&all[at]) = text
			all[at].Source = now.Source
		}
	}
	return all
}

// holds reports whether the first list contains every value in the second list.
func holds(all, some birth.Values) bool {
	return !slices.ContainsFunc(some, func(s birth.Stated) bool {
		value, stated := all.Get(s.Field.Name)
		return !stated || !value.Equal(s.Value)
	})
}

// lay returns the values of the first list, replaced and extended by the values of the second list.
func lay(below, above birth.Values) birth.Values {
	all := slices.Clone(below)
	for _, s := range above {
		if before, stated := all.Get(s.Field.Name); !stated || !before.Equal(s.Value) {
			all.Set(s.Field, s.Value)
		}
	}
	return all
}

// attendantChanges reports whether the file names another attendant than the record. The record's
// values about the attendant then belong to the previous attendant.
func (c *Course) attendantChanges(basis birth.Draft) bool {
	now, before := c.stated.Care.Text("attendant_name"), basis.Care.Text("attendant_name")
	return now != "" && before != "" && birth.SpokenName(now) != birth.SpokenName(before)
}

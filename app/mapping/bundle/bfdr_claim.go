package bundle

import (
	"slices"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

// bfdrClaim is what Procedures and Conditions say about one field of one subject.
type bfdrClaim struct {
	slot
	stated, differs bool
	value           birth.Value
	denied          []birth.Value
	from            []fhir.Place // the resources from which the claim comes
}

// add adds one value to the claim. If denied is set, the value is absent. For a field with yes or
// no, the absence of a yes is a no. For a field with options, the absence of one option says
// nothing about the others.
func (c *bfdrClaim) add(value birth.Value, denied bool) {
	switch kind := c.field.Kind; {
	case denied && kind == birth.Bool:
		value.Flag = !value.Flag
	case denied && kind == birth.Int:
		value.Number = 1 - value.Number
	case denied:
		c.denied = append(c.denied, value)
		return
	}
	switch {
	case !c.stated:
		c.value = value
	case c.field.Kind == birth.Codes:
		c.value.Set = mapping.Union(c.value.Set, value.Set)
	case c.value.Equal(value) || mapping.Outranks(c.field, c.value, value, true):
	case mapping.Outranks(c.field, value, c.value, true):
		c.value = value
	default:
		c.differs = true
	}
	c.stated = true
}

// near combines the claim with the value that Observations have for the field. It is called with
// this value, and with stated set if there is one. near returns the field's value, or false if the
// field must be left out.
func (c *bfdrClaim) near(had birth.Value, stated bool) (birth.Value, bool) {
	switch {
	case c.differs:
		return had, false
	case c.field.Kind == birth.Codes:
		return c.listed(had)
	case c.field.Kind == birth.Code:
		return c.chosen(had, stated)
	case c.field.Kind == birth.Int && stated && (had.Number > 0) == (c.value.Number > 0):
		return had, true // a count is more informative than a yes
	}
	return c.value, !stated || had.Equal(c.value)
}

// listed returns the items that Observations or the claim record as present, without the items that
// the claim records as absent. It is called with the items from Observations. It returns false if
// no item remains, or if "none" remains together with another item.
func (c *bfdrClaim) listed(had birth.Value) (birth.Value, bool) {
	all := mapping.Union(had.Set, c.value.Set)
	for _, denied := range c.denied {
		all = slices.DeleteFunc(all, func(option string) bool { return slices.Contains(denied.Set, option) })
	}
	if len(all) > 1 && slices.Contains(all, "none") {
		return had, false
	}
	return birth.Value{Set: all}, len(all) > 0
}

// chosen returns the field's option. It may come from Observations (had) or from the claim. If both
// have an option and the two can occur together, chosen returns the more informative one
// ([mapping.Outranks]). It returns false if there is no option, if the two exclude each other, or
// if the claim denies the option.
func (c *bfdrClaim) chosen(had birth.Value, stated bool) (birth.Value, bool) {
	value := c.value
	switch {
	case !c.stated:
		value = had
	case stated && mapping.Outranks(c.field, had, value, true):
		value = had
	case stated && had.Text != value.Text && !mapping.Outranks(c.field, value, had, true):
		return had, false
	}
	denied := slices.ContainsFunc(c.denied, func(d birth.Value) bool { return d.Text == value.Text })
	return value, !denied && value.Text != ""
}

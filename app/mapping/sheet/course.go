package sheet

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"birthregistry/app/birth"
	"birthregistry/app/mapping"
)

// courseRows collects the rows of one course of care. Each row is one newborn.
type courseRows struct {
	chart   string
	ordered bool // the file has a column for the order of birth
	first   *newborn
	rows    []*newborn
	cells   []Cell
}

func (r *reader) newCourse(n *newborn) *courseRows {
	ordered := slices.ContainsFunc(r.columns, func(c *knownColumn) bool { return c != nil && c.name == "birth_order" })
	return &courseRows{chart: n.chart, ordered: ordered, first: n, rows: []*newborn{n}, cells: n.wrong}
}

func (c *courseRows) wrong(n *newborn, column, format string, args ...any) {
	c.cells = append(c.cells, Cell{Row: n.Number, Column: column, Text: fmt.Sprintf(format, args...)})
}

// join adds another newborn. What its row states about the mother, the care and the date of birth
// must not contradict the rows before.
func (c *courseRows) join(n *newborn) {
	if closest(daysOfBirth([]birth.Values{c.first.child}), daysOfBirth([]birth.Values{n.child})) >= birth.BetweenBirths {
		c.wrong(n, chartColumn, "This birth is at least 22 weeks from the one in row %d with the same chart number. Give each birth a chart number of its own, such as the number with the year.", c.first.Number)
	}
	if before := c.copied(n); before != nil {
		c.wrong(n, chartColumn, "Row %d seems to be about the same newborn. If they are twins, give each row its own birth_order. If not, delete one of them.", before.Number)
	}
	c.rows = append(c.rows, n)
	c.cells = append(c.cells, n.wrong...)
	if len(c.rows) == mapping.MaxSiblings+1 {
		c.wrong(n, chartColumn, "More than %d rows have this chart number. Give every birth a chart number of its own.", mapping.MaxSiblings)
	}
	c.agree(n, &c.first.mother, n.mother)
	c.agree(n, &c.first.care, n.care)
	c.agreeOnTransfer(n)
	for key, text := range n.custom {
		switch before, stated := c.first.custom[key]; {
		case stated && before != text:
			c.contradicts(n, "x_"+key)
		case !stated:
			if c.first.custom == nil {
				c.first.custom = map[string]string{}
			}
			c.first.custom[key] = text
		}
	}
	if n.hasConsent {
		if c.first.hasConsent && c.first.consent.Granted != n.consent.Granted {
			c.contradicts(n, consentColumn)
		}
		c.first.consent.Granted, c.first.consent.Recorded, c.first.hasConsent = n.consent.Granted, true, true
	}
	if at := n.consent.DateTime; at != "" {
		if before := c.first.consent.DateTime; before != "" && before != at {
			c.contradicts(n, consentTimeColumn)
		}
		c.first.consent.DateTime = at
	}
}

// copied returns a row before n that may be about the same newborn, or nil if there is none. It may
// be the same row, or one that a later row corrects. Rows that say nothing more about their newborns
// than the date and the sex are twins. If the file has a column for the order of birth, its rows are
// twins, too, unless they state the same order: in an export of the registry, twins whose order
// nobody stated may have equal rows.
func (c *courseRows) copied(n *newborn) *newborn {
	if c.ordered && order(n.child) == 0 {
		return nil
	}
	for _, other := range c.rows {
		at := n.child.Text("birth_datetime")
		sameMoment := len(at) > len(time.DateOnly) && at == other.child.Text("birth_datetime") &&
			n.child.Text("child_sex") == other.child.Text("child_sex") && n.child.Text("child_given_names") == other.child.Text("child_given_names") &&
			!c.another(n, other)
		sameRow := n.child.Has("birth_weight_g") && birth.Born(n.child) != "" && slices.EqualFunc(trimmed(n.Cells), trimmed(other.Cells), func(a, b string) bool { return a == b || fold(TextOf(a)) == fold(TextOf(b)) })
		if (sameMoment || sameRow) && (order(n.child) == 0 || order(n.child) == order(other.child)) {
			return other
		}
	}
	return nil
}

// another reports whether a row is certainly about another newborn than a row before it, although
// the time is the same: the weights differ, and the plurality says that there are as many newborns.
func (c *courseRows) another(n, other *newborn) bool {
	before, stated := c.first.care.Get("plurality")
	if now, again := n.care.Get("plurality"); !stated && again {
		before = now
	}
	a, weighed := n.child.Get("birth_weight_g")
	b, both := other.child.Get("birth_weight_g")
	return int(before.Number) > len(c.rows) && weighed && both && a.Number != b.Number
}

func (c *courseRows) agree(n *newborn, before *birth.Values, now birth.Values) {
	for _, s := range now {
		value, stated := before.Get(s.Field.Name)
		if stated && !value.Equal(s.Value) {
			c.contradicts(n, s.Field.Name)
			continue
		}
		before.Set(s.Field, s.Value)
	}
}

// agreeOnTransfer adds a row's values about the transfer to the course of care. If a value
// contradicts the rows before it, agreeOnTransfer marks it as an error.
func (c *courseRows) agreeOnTransfer(n *newborn) {
	for _, m := range birth.TransferMembers {
		now, before := *m.Of(&n.transfer), m.Of(&c.first.transfer)
		switch {
		case now == "" || now == *before:
		case *before == "":
			*before = now
		default:
			c.contradicts(n, m.Name)
		}
	}
}

func (c *courseRows) contradicts(n *newborn, column string) {
	c.wrong(n, column, "It contradicts the row above with the same chart number. Correct it, or leave it blank.")
}

// done returns the course of care with all its rows.
func (c *courseRows) done() *Course {
	at := fmt.Sprintf("Row %d", c.first.Number)
	course := &Course{Item: mapping.Item{Accepted: at, Rejected: at, Chart: c.chart}, Wrong: c.cells}
	course.Born = cmp.Or(c.first.child.Text("birth_datetime"), c.first.child.Text("birth_date"))
	for _, n := range c.rows {
		course.Rows = append(course.Rows, n.Row)
	}
	course.stated, course.consent, course.Custom = c.draft(), c.first.hasConsent, c.first.custom
	if len(c.cells) > 0 {
		slices.SortStableFunc(course.Wrong, func(a, b Cell) int { return cmp.Compare(a.Row, b.Row) })
		course.Problem = UnreadableRow
		course.Expression = fmt.Sprintf("Row %d", course.Wrong[0].Row)
		course.unread(c.rows)
		return course
	}
	whole := course.Readable()
	course.Draft, course.Amend, course.States = &whole, course.amend, course.states
	return course
}

// Readable returns the part of the course that can be read. This is the whole course unless a cell
// is wrong.
func (c *Course) Readable() birth.Draft {
	d := inferred(c.stated)
	count(&d)
	return d
}

// states reports whether the file has a value at a place. For a value of a newborn, it looks in
// every row, because the newborns in the record may be in another order.
func (c *Course) states(at birth.Path) bool {
	d := inferred(c.stated)
	return d.Mother.Has(at.Field) || d.Care.Has(at.Field) ||
		slices.ContainsFunc(d.Children, func(child birth.Values) bool { return child.Has(at.Field) })
}

// unread sets Unread to the texts of wrong cells whose column is a field of the spine. The key is
// the place of the value in the draft. The rows must be in the order of the draft's newborns.
func (c *Course) unread(rows []*newborn) {
	c.Unread = map[birth.Path]string{}
	for _, cell := range c.Wrong {
		f := birth.Lookup(cell.Column)
		if f == nil || cell.Value == "" {
			continue
		}
		at := birth.At(f.Name)
		if f.About == birth.Child {
			at = birth.Of(birth.ChildList, slices.IndexFunc(rows, func(n *newborn) bool { return n.Number == cell.Row }), f.Name)
		}
		c.Unread[at] = cell.Value
	}
}

// inferred returns a draft with values that follow from the values in the file. These are the date
// of birth, from the time of birth, and the attendant's role, from the credentials.
func inferred(d birth.Draft) birth.Draft {
	d.Mother, d.Care, d.Children = slices.Clone(d.Mother), slices.Clone(d.Care), cloneAll(d.Children)
	for i := range d.Children {
		at := d.Children[i].Text("birth_datetime")
		if len(at) >= len(time.DateOnly) && !d.Children[i].Has("birth_date") && !mapping.InUTC(at) {
			d.Children[i].Set(birth.Must("birth_date"), birth.Value{Text: at[:len(time.DateOnly)], Source: birth.CSV})
		}
	}
	credentials := d.Care.Text("attendant_credentials")
	if role := birth.RoleOf(credentials); credentials != "" && !d.Care.Has("attendant_type") && role != birth.RoleOther {
		d.Care.Set(birth.Must("attendant_type"), birth.Value{Text: string(role), Source: birth.CSV})
	}
	return d
}

// draft returns a draft with the values in the file.
func (c *courseRows) draft() birth.Draft {
	c.sort()
	d := birth.Draft{Chart: c.chart, Mother: c.first.mother, Care: c.first.care, Consent: c.first.consent}
	if t := c.first.transfer; t != (birth.Transfer{}) {
		t.Source = birth.CSV
		d.Transfers = []birth.Transfer{t}
	}
	for _, n := range c.rows {
		d.Children = append(d.Children, n.child)
	}
	return d
}

// count sets the plurality if it isn't stated or is less than the number of newborns, and the birth
// order if it isn't stated and neither the times of birth nor the orders that are stated contradict
// it. It sets neither for a single newborn, because there may have been newborns that the file doesn't
// list.
func count(d *birth.Draft) {
	if stated, _ := d.Care.Get("plurality"); len(d.Children) > 1 && int(stated.Number) < len(d.Children) {
		d.Care.Set(birth.Must("plurality"), birth.Value{Number: float64(len(d.Children)), Source: birth.CSV})
	}
	inOrder := slices.IsSortedFunc(d.Children, byTime)
	for i, child := range d.Children {
		if n := order(child); n > 0 && n != float64(i+1) {
			inOrder = false
		}
	}
	for i := range d.Children {
		if len(d.Children) > 1 && inOrder && !d.Children[i].Has("birth_order") {
			d.Children[i].Set(birth.Must("birth_order"), birth.Value{Number: float64(i + 1), Source: birth.CSV})
		}
	}
}

func cloneAll(children []birth.Values) []birth.Values {
	all := make([]birth.Values, len(children))
	for i, child := range children {
		all[i] = slices.Clone(child)
	}
	return all
}

// sort sorts the newborns by birth order if every one states it, or by the time of birth if every one
// states only that. Otherwise they keep the order of their rows.
func (c *courseRows) sort() {
	ordered, timed := 0, 0
	for _, n := range c.rows {
		if order(n.child) > 0 {
			ordered++
		}
		if len(n.child.Text("birth_datetime")) > len(time.DateOnly) {
			timed++
		}
	}
	switch {
	case ordered == len(c.rows):
		slices.SortStableFunc(c.rows, func(a, b *newborn) int { return cmp.Compare(order(a.child), order(b.child)) })
	case ordered == 0 && timed == len(c.rows):
		slices.SortStableFunc(c.rows, func(a, b *newborn) int { return byTime(a.child, b.child) })
	}
}

// order returns a newborn's birth order, or 0 if it isn't stated.
func order(child birth.Values) float64 {
	value, _ := child.Get("birth_order")
	return value.Number
}

// byTime compares the times of two births, as far as one is certainly after the other.
func byTime(a, b birth.Values) int {
	x, y := birth.Born(a), birth.Born(b)
	switch {
	case x == "" || y == "":
		return 0
	case birth.After(x, y):
		return 1
	case birth.After(y, x):
		return -1
	}
	return 0
}

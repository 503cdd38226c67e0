package bundle

import (
	"cmp"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

// item maps the course of care to an item. The argument whole is the receipt's reference for a
// course that fails as a whole. The argument entry is the place of the course's entry in a batch.
// It is "" if the Bundle is a single course of care.
func (c *course) item(head fhir.Head, whole, entry string) (item mapping.Item) {
	defer func() {
		if recover() != nil { // the panic value may quote the document, so it is dropped
			item = rejection(whole, fhir.NotProcessed, "")
			item.Panic = string(debug.Stack())
		}
		if item.Problem != nil {
			c.trace.Reject(mapping.InRejectedCourse)
		}
		item.Trace = c.trace
	}()
	if c.reader.beforeCourse != nil {
		c.reader.beforeCourse()
	}
	c.dropReplaced(head)
	c.trace.Head(head, c.bundle)
	retracts := c.composition != nil && c.composition.Status == "entered-in-error"
	if problem, expression := c.problem(head, retracts); problem != nil {
		if expression == "" {
			expression = c.bundle + ".entry"
		}
		item = rejection(whole, problem, expression)
		item.RejectedChart, _ = birth.Chart(head.Identifier.Value)
		return item
	}
	item.Accepted, item.Rejected = c.references(entry)
	item.ChartAt = c.bundle + mapping.ChartMember
	var ok bool
	if item.Chart, ok = birth.Chart(head.Identifier.Value); !ok {
		return rejection(item.Rejected, fhir.BadChartNumber, item.ChartAt)
	}
	if retracts {
		item.Retraction = true
		c.trace.Reject(mapping.InRetraction)
		c.trace.KeepAt(mapping.ChartNumber, item.ChartAt)
		return item
	}
	if len(item.Chart) > birth.MaxIdentifier {
		// The limits for a course of care would also reject it, but wouldn't name the chart number
		// as the cause.
		return rejection(item.Rejected, fhir.BadChartNumber, item.ChartAt)
	}
	if item.Chart != "" {
		c.trace.KeepAt(mapping.ChartNumber, item.ChartAt)
	}
	item.Stamps = c.stamps(head)
	item.Draft = c.draft(head)
	if len(item.Stamps) > 0 {
		stated, _ := birth.ParseStamp(item.Stamps[0].Text, time.UTC)
		item.Draft.Stamp = stated.First
	}
	return item
}

// problem returns the problem that makes the course of care invalid, and its place, or nil (spec,
// POST). A retraction "need not carry a full course of care". Only the Bundle's own members and the
// Composition can make it invalid.
func (c *course) problem(head fhir.Head, retracts bool) (*fhir.Problem, string) {
	shape := c.shape
	if shape == nil {
		shape = c.unfit
	}
	if retracts {
		shape = c.unfit
	}
	if shape == nil {
		shape = head.Shape
	}
	switch {
	case shape != nil:
		bad := misshapen("", shape)
		return bad.Problem, bad.Expression
	case retracts:
		return nil, ""
	case c.weight > maxElements:
		return fhir.TooManyElements, ""
	case c.isOtherMessage(head):
		return fhir.NoBirthInMessage, ""
	case len(c.mothers) == 0:
		return fhir.NoMother, ""
	case len(c.mothers) > 1:
		return fhir.SeveralMothers, c.mothers[1].at.Resource() + ".meta.profile"
	case len(c.children) == 0:
		return fhir.NoChild, ""
	case len(c.children) > birth.MaxChildren:
		return fhir.TooManyElements, ""
	}
	return nil, ""
}

// isOtherMessage reports whether the Bundle is a message that isn't about a birth. Examples are a
// void, a status, an acknowledgement, and codes for a birth that is on file elsewhere.
func (c *course) isOtherMessage(head fhir.Head) bool {
	return (c.message || head.Type == "message") && len(c.mothers) == 0 && len(c.children) == 0
}

// references returns the receipt's references for the course of care, if it is accepted and if it
// is rejected (decision 18).
func (c *course) references(entry string) (accepted, rejected string) {
	if entry != "" {
		return entry, entry
	}
	if len(c.mothers) == 0 {
		return c.compositionAt.String(), c.compositionAt.String()
	}
	mother := c.mothers[0]
	if !isID(mother.ID) {
		return mother.at.String(), mother.at.String()
	}
	return "Patient/" + mother.ID, mother.at.String()
}

// isID reports whether an id may be repeated in a receipt. Like FHIR, it allows at most 64
// characters. Unlike FHIR, it allows all visible ASCII characters.
func isID(id string) bool {
	unfit := func(r rune) bool { return r <= ' ' || r > '~' }
	return id != "" && len(id) <= 64 && !strings.ContainsFunc(id, unfit)
}

// draft returns the draft for a valid course of care. The argument head belongs to the course's
// Bundle.
func (c *course) draft(head fhir.Head) *birth.Draft {
	slices.SortStableFunc(c.children, c.byBirthOrder())
	for i, child := range c.children {
		c.subjects.children.recognize(i, child)
	}
	c.subjects.mother.recognize(0, c.mothers[0])
	c.subjects.motherBorn = c.mothers[0].BirthDate
	d := &birth.Draft{
		Chart:     head.Identifier.Value,
		IGVersion: c.igVersion(head),
		Reading:   cmp.Or(c.reader.Reading, birth.SpecReading),
		Children:  make([]birth.Values, len(c.children)),
		Consent:   c.consentOf(c.consent),
	}
	for i, child := range c.children {
		d.Children[i] = c.childValues(i, child)
	}
	c.dropSharedOrders(d.Children)
	for _, child := range d.Children {
		at := child.Text("birth_datetime")
		c.bornAt = append(c.bornAt, mapping.MomentOf(at))
		c.births = append(c.births, mapping.MomentOf(cmp.Or(at, child.Text("birth_date"))))
	}
	c.severalBirths = !ofOneDelivery(d.Children)
	c.born = dayOfBirth(d)
	d.Mother = c.motherValues(c.mothers[0])
	c.mapReportedAge(d)
	c.mapObservations(d)
	c.mapFacts(d)
	c.mapPayer(d)
	c.mapProviders(d)
	c.dropDeniedLiveBirths(d)
	c.mapPlurality(d)
	c.dropUncountedLiveBirths(d)
	if impossiblyBorn(d) {
		d.Mother.Drop("mother_birth_date")
		c.trace.Lose("mother_birth_date", -1, mapping.Contradicted)
	}
	for _, field := range d.ImpossibleDates() {
		d.Mother.Drop(field)
		c.trace.Lose(field, -1, mapping.Contradicted)
	}
	return d
}

// impossiblyBorn reports whether the mother's date of birth can't be hers. It can't be if she would
// certainly have been younger or older at the birth than any mother. The date may be the child's.
func impossiblyBorn(d *birth.Draft) bool {
	age := birth.Must("mother_age_years")
	hers, born := mapping.MomentOf(d.Mother.Text("mother_birth_date")), mapping.MomentOf(dayOfBirth(d))
	if !hers.Known() || !born.Exact() {
		return false
	}
	years := func(from mapping.Day, n float64) mapping.Day { return mapping.DayOf(from.Time().AddDate(int(n), 0, 0)) }
	return born.First < years(hers.First, age.Min) || born.First >= years(hers.Last, age.Max+1)
}

// dayOfBirth returns the day on which the first child was born. It returns "" if the day isn't
// known, or if the children belong to different deliveries.
func dayOfBirth(d *birth.Draft) string {
	if day := d.Children[0].Text("birth_date"); len(day) == len("2006-01-02") && ofOneDelivery(d.Children) {
		return day
	}
	return ""
}

// dropSharedOrders removes a birth order if several children have it.
func (c *course) dropSharedOrders(children []birth.Values) {
	claimed := map[float64]int{}
	for _, child := range children {
		if order, ok := child.Get("birth_order"); ok {
			claimed[order.Number]++
		}
	}
	for i := range children {
		if order, _ := children[i].Get("birth_order"); claimed[order.Number] > 1 {
			children[i].Drop("birth_order")
			c.trace.Lose("birth_order", i, mapping.Contradicted)
		}
	}
}

// byBirthOrder returns a comparison for sorting children by birth order. If any child has no birth
// order, the comparison keeps the order of the entries.
func (c *course) byBirthOrder() func(a, b *patientEntry) int {
	order := birth.Must("birth_order")
	for _, child := range c.children {
		if n := child.MultipleBirth; !n.Set || !order.InRange(n.Float) {
			return func(a, b *patientEntry) int { return 0 }
		}
	}
	return func(a, b *patientEntry) int { return cmp.Compare(a.MultipleBirth.Float, b.MultipleBirth.Float) }
}

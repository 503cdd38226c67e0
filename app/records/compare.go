package records

import (
	"context"
	"fmt"

	"birthregistry/app/birth"
	"birthregistry/store"
)

// Comparison holds the differences between two versions of a record.
type Comparison struct {
	Head          store.Record
	Before, After Event
	Rows          []Difference // the differences, grouped by subject
	Same          int          // how many values are the same in both versions
}

// Difference is a field for which two versions have different values. Before or After is "" if that
// version doesn't state the field. If only the sources of two values differ, that isn't a
// difference.
type Difference struct {
	Subject, Field            string
	Before, After             string
	SourceBefore, SourceAfter birth.Source
}

// Compare compares two versions of a record. Before is the one with the lower number.
func (r *Records) Compare(ctx context.Context, p store.PracticeID, id string, a, b int) (Comparison, error) {
	if a > b {
		a, b = b, a
	}
	before, err := r.Show(ctx, p, id, a, true)
	if err != nil {
		return Comparison{}, err
	}
	after, err := r.Show(ctx, p, id, b, true)
	if err != nil {
		return Comparison{}, err
	}
	out := Comparison{Head: after.head, Before: before.Event, After: after.Event}
	out.values("Mother", before.Mother, after.Mother)
	out.values("Birth", before.Care, after.Care)
	for n := range max(len(before.Children), len(after.Children)) {
		out.values(fmt.Sprintf("Newborn %d", n+1), nth(before.Children, n), nth(after.Children, n))
	}
	for n := range max(len(before.Providers), len(after.Providers)) {
		out.text("Providers", fmt.Sprintf("Provider %d", n+1), nth(before.Providers, n).Text(), nth(after.Providers, n).Text())
	}
	for n := range max(len(before.Transfers), len(after.Transfers)) {
		out.text("Transfers", fmt.Sprintf("Transfer %d", n+1), nth(before.Transfers, n).Text(), nth(after.Transfers, n).Text())
	}
	out.text("Consent", "Consent", ConsentText(before.Consent), ConsentText(after.Consent))
	out.text("Technical", "Version of the BFDR guide", before.IGVersion, after.IGVersion)
	out.text("Technical", "Read as", string(before.Reading), string(after.Reading))
	out.custom(before.CustomFields, after.CustomFields)
	return out, nil
}

func nth[T any](all []T, n int) (zero T) {
	if n < len(all) {
		return all[n]
	}
	return zero
}

// values compares the values about one subject. Both lists of values are in the order of
// birth.Spine.
func (c *Comparison) values(subject string, before, after Values) {
	for _, f := range birth.Spine {
		a, hadIt := before.Get(f.Name)
		b, hasIt := after.Get(f.Name)
		if !hadIt && !hasIt {
			continue
		}
		if hadIt && hasIt && a.Value.Equal(b.Value) {
			c.Same++
			continue
		}
		d := Difference{Subject: subject, Field: f.Label}
		if hadIt {
			d.Before, d.SourceBefore = a.Text(), a.Value.Source
		}
		if hasIt {
			d.After, d.SourceAfter = b.Text(), b.Value.Source
		}
		c.Rows = append(c.Rows, d)
	}
}

func (c *Comparison) text(subject, field, before, after string) {
	switch {
	case before != after:
		c.Rows = append(c.Rows, Difference{Subject: subject, Field: field, Before: before, After: after})
	case before != "":
		c.Same++
	}
}

func (c *Comparison) custom(before, after []CustomField) {
	was := map[string]string{}
	for _, o := range before {
		was[o.Field.Key] = o.Text
	}
	for _, o := range after {
		c.text("Custom fields", o.Field.Label, was[o.Field.Key], o.Text)
		delete(was, o.Field.Key)
	}
	for _, o := range before {
		if was[o.Field.Key] != "" {
			c.text("Custom fields", o.Field.Label, o.Text, "")
		}
	}
}

// ConsentText returns a decision on consent in words, such as "Granted".
func ConsentText(c birth.Consent) string {
	text := "Not recorded"
	switch {
	case c.Granted:
		text = "Granted"
	case c.Recorded:
		text = "Not granted"
	}
	if c.DateTime != "" {
		text += ", " + birth.When(c.DateTime)
	}
	return text
}

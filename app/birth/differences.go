package birth

import "slices"

// Differences returns the labels of the fields whose values differ between two drafts of a record,
// each once.
func Differences(before, after Draft) (labels []string) {
	add := func(label string) {
		if !slices.Contains(labels, label) {
			labels = append(labels, label)
		}
	}
	compare := func(before, after Values) {
		for _, s := range after {
			if value, stated := before.Get(s.Field.Name); !stated || !value.Equal(s.Value) {
				add(s.Field.Label)
			}
		}
		for _, s := range before {
			if !after.Has(s.Field.Name) {
				add(s.Field.Label)
			}
		}
	}
	compare(before.Mother, after.Mother)
	compare(before.Care, after.Care)
	for i, child := range after.Children {
		if i >= len(before.Children) {
			add("Another newborn")
			break
		}
		compare(before.Children[i], child)
	}
	if !slices.Equal(before.Transfers, after.Transfers) {
		add("Transfer of care")
	}
	if before.Consent != after.Consent {
		add("Consent")
	}
	return labels
}

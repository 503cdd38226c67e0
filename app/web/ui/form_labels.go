package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"birthregistry/app/birth"
)

// labelOf returns the label of a form field for the list of changes.
func (f *birthForm) labelOf(name string) string {
	base, isTime := strings.CutSuffix(name, ".time")
	list, n, field := "", "", base
	if parts := strings.SplitN(base, ".", 3); len(parts) == 3 {
		list, n, field = parts[0], parts[1], parts[2]
	}
	label := strings.ReplaceAll(field, "_", " ")
	if f := birth.Lookup(field); f != nil {
		label = cmp.Or(formLabels[field], f.Label)
	}
	for _, own := range f.fields {
		if own.Name() == field {
			label = own.Label
		}
	}
	if isTime && field != "birth_datetime" {
		label += " (time)"
	}
	if list != "" {
		words := map[string]string{birth.ChildList: "Newborn", birth.ProviderList: "Person", birth.TransferList: "Transfer"}
		number := 0
		_, _ = fmt.Sscan(n, &number)
		label = fmt.Sprintf("%s %d: %s", words[list], number+1, label)
	}
	return label
}

// shown returns the value of a form field as people read it.
func (f *birthForm) shown(name string, texts []string) string {
	if strings.HasPrefix(name, birth.ProviderList+".") && strings.HasSuffix(name, ".provider") && len(texts) > 0 {
		p, _ := f.chosen(texts[0])
		return titled(p.Name, p.Credentials, p.Role)
	}
	field := name[strings.LastIndexByte(strings.TrimSuffix(name, ".time"), '.')+1:]
	if f := birth.Lookup(field); f != nil {
		return displayed(f, texts, "")
	}
	for i, text := range texts {
		word := cmp.Or(transferWords[text], birth.LabelIn(birth.TransferReasons, text), birth.LabelIn(birth.TransferModes, text))
		if word != "" && strings.HasPrefix(name, birth.TransferList+".") {
			texts = slices.Clone(texts)
			texts[i] = word
		}
	}
	return strings.Join(texts, ", ")
}

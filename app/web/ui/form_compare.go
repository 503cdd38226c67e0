package ui

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"birthregistry/app/birth"
	"birthregistry/app/drafts"
	"birthregistry/app/mapping/form"
	"birthregistry/views"
)

// merge merges the texts of this page (mine) with a draft that another page has stored. base holds
// the texts with which both pages were filled in. If only one page has changed a box, both gets
// that page's text. If the pages have changed a box to different texts, both gets this page's text,
// and other gets the other page's text. If that happened to no box, other is nil.
func merge(base url.Values, stored drafts.Draft, mine url.Values) (both url.Values, other *drafts.Other) {
	both, differing := form.Merge(base, form.Tidy(stored.Typed), form.Tidy(mine))
	for _, field := range differing {
		if field.Taken {
			continue
		}
		if other == nil {
			other = &drafts.Other{By: stored.By, At: stored.SavedAt, Typed: url.Values{}}
		}
		other.Typed[field.Name] = slices.Clone(field.Now)
	}
	return both, other
}

// otherPage lists the fields in which another page, or a later version of the record, differs from
// this form. If the user hadn't changed a field, the form now has the later version's value, and
// the field is marked as taken.
func (f *birthForm) otherPage() *views.FormChanged {
	other := f.stored.Other
	if other == nil {
		return nil
	}
	out := &views.FormChanged{Who: other.By, Version: other.Version, At: views.Moment(other.At, f.who.Practice.Location())}
	for _, name := range slices.Sorted(maps.Keys(other.Typed)) {
		row := views.FormChange{
			Name: name, Label: f.labelOf(name), OnFile: f.shown(name, other.Typed[name]), Yours: f.shown(name, f.typed[name]),
		}
		row.Taken = other.Version != 0 && row.OnFile == row.Yours
		out.Rows = append(out.Rows, row)
	}
	return out
}

func (f *birthForm) draftNotes() (notes []string) {
	d := f.stored
	if d.Note != "" {
		notes = append(notes, d.Note)
	}
	if d.Author != f.who.ID {
		notes = append(notes, d.By+" started this draft. If you save it, "+map[bool]string{false: "the record", true: "the change"}[f.amends()]+" will be in your name.")
	}
	if d.EndsSoon(time.Now()) {
		notes = append(notes, endsSoon(d, f.who.Practice.Location())+". Change or save it to keep it.")
	}
	return notes
}

// endsSoon returns a sentence that says on which day a draft will be deleted.
func endsSoon(d drafts.Draft, zone *time.Location) string {
	return "Deleted on " + d.EndsAt().In(zone).Format("Jan 2, 2006")
}

func (f *birthForm) draftView() views.FormDraft {
	out := views.FormDraft{Revision: f.revision, Author: f.author, Page: uuid.NewString(), State: "Not saved yet. Changes are saved as a draft."}
	if f.amends() {
		out.State = "Nothing is changed yet. Changes are saved as a draft."
	}
	if f.revision > 0 {
		out.State = savedAt(f.stored.SavedAt, f.who.Practice.Location()) + " as a draft"
	}
	return out
}

// labelOf returns the label of a form field as it reads in a list, such as the list of changes.
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

// shown returns the value of a form field in human-readable form.
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

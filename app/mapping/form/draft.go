package form

import (
	"net/url"
	"slices"
	"strings"

	"birthregistry/app/birth"
)

// confirmed is the name of the checkbox that confirms improbable values.
const confirmed = "confirm"

// Keep returns the part of a form that may be saved as an unfinished draft. It keeps the texts in
// the form's own boxes and in the boxes for the practice's custom fields, and records which
// warnings were confirmed. It leaves out any other name. A newborn, person or transfer without any
// text stays on the form.
func Keep(typed url.Values, custom []birth.CustomField) url.Values {
	kept := url.Values{}
	for name, texts := range typed {
		if known(name, custom) && (name != confirmed || strings.TrimSpace(strings.Join(texts, "")) != "") {
			kept[name] = slices.Clone(texts)
		}
	}
	for name, texts := range kept {
		if _, _, _, member := inList(name); !member && strings.TrimSpace(strings.Join(texts, "")) == "" {
			delete(kept, name)
		}
	}
	return kept
}

// known reports whether a form has a box with this name.
func known(name string, custom []birth.CustomField) bool {
	switch name {
	case "chart_number", "consent.granted", "consent.date_time", "consent.date_time.time", confirmed:
		return true
	}
	if own := func(f birth.CustomField) bool { return f.Name() == name }; slices.ContainsFunc(custom, own) {
		return true
	}
	base, isTime := strings.CutSuffix(name, ".time")
	list, _, field, member := inList(base)
	switch {
	case member && list == birth.ProviderList:
		return !isTime && slices.Contains([]string{"provider", "name", "credentials", "role", "attending"}, field)
	case member && list == birth.TransferList:
		return field == "datetime" || !isTime && slices.Contains([]string{"type", "direction", "urgency", "who", "reason", "reason_code", "mode"}, field)
	case !member:
		field = base
	}
	f := birth.Lookup(field)
	return f != nil && onForm(f) && (f.About == birth.Child) == member && (!isTime || f.Kind == birth.DateTime)
}

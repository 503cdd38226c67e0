package ui

import (
	"slices"
	"strings"

	"birthregistry/app/birth"
	"birthregistry/views"
)

// The form is checked before it is saved. While a person types, the list of the form's sections
// shows how complete each section is. When a person presses Save, a page of the draft lists the
// impossible values, the improbable ones, and the facts that the statistics lack. If there is
// nothing to list, pressing Save saves the birth.

// The states of a section, as the list of sections shows them.
const (
	stateEmpty    = "Empty"
	stateSome     = "Started"
	stateComplete = "Complete"
	stateToCheck  = "To check"
)

// saveAnyway is the button on the page that lists what to check. It saves the birth although
// facts are missing.
const saveAnyway = "record"

// missing returns the facts that the statistics need and the form doesn't state, in the order of
// the page. A fact with an impossible value is listed as a mistake, so it isn't listed as
// missing, too.
func (f *birthForm) missing() (lines []views.Mistake) {
	d := birth.Mask(f.form.Draft).Draft()
	impossible := map[string]bool{}
	for _, found := range f.found {
		if found.Blocks {
			impossible[found.Path().String()] = true
		}
	}
	for _, path := range birth.Missing(d.Children, d.Care) {
		name := formField(path)
		if !impossible[name] {
			lines = append(lines, views.Mistake{Name: name, Text: missingLabel(path, len(d.Children))})
		}
	}
	return lines
}

// confirmations maps rules to the texts of the boxes with which a user confirms an improbable
// value. The rule is the one that found the value improbable. "" stands for all other rules.
var confirmations = map[string]string{
	"":             "These values are correct",
	"no-attendant": "Nobody attended, or it is not known who",
	"namesake":     "This is somebody else",
}

func (m *fieldMaker) mark(sections []views.FormSection, f *birthForm) {
	doubtful := map[string]bool{}
	for _, found := range slices.Concat(f.form.Found(f.checked), f.found) {
		doubtful[found.Path().String()] = true
	}
	for i := range sections {
		sections[i].State = m.state(sections[i], doubtful)
	}
}

// state returns how complete a section is. It ignores findings about empty boxes, because the user
// may fill in those boxes next.
func (m *fieldMaker) state(s views.FormSection, doubtful map[string]bool) string {
	asked, filled, check := 0, 0, false
	some := false
	for _, g := range s.Groups {
		for _, f := range g.Fields {
			if !mayBeEmpty[lastPart(f.Name)] {
				asked++
				filled += map[bool]int{true: 1}[m.filledIn(f)]
			}
		}
		for _, f := range append(g.Fields[:len(g.Fields):len(g.Fields)], g.More...) {
			some = some || m.filledIn(f) && f.Kind != views.Yes
			check = check || m.filledIn(f) && doubtful[f.Name]
		}
	}
	switch {
	case check:
		return stateToCheck
	case !some:
		return stateEmpty
	case filled < asked:
		return stateSome
	}
	return stateComplete
}

// mayBeEmpty lists, by the last part of their names, the fields that may be empty in a complete
// section. Folded fields may always be empty, so they aren't listed.
var mayBeEmpty = map[string]bool{
	"chart_number": true, "credentials": true, "role": true, "attending": true, "urgency": true, "mode": true,
	"reason_code": true, "reason": true, "datetime": true, "date_time": true,
}

func lastPart(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// filledIn reports whether a user or a chart has filled in a field.
func (m *fieldMaker) filledIn(f views.FormField) bool {
	if person, is := strings.CutSuffix(f.Name, ".provider"); is && strings.TrimSpace(m.typed.Get(person+".name")) != "" {
		return true // a typed name, not a provider from the list
	}
	return f.Time != "" || strings.TrimSpace(strings.Join(m.typed[f.Name], "")) != ""
}

// sectionStates returns the states of the sections, by their ids.
func (f *birthForm) sectionStates() map[string]string {
	states := map[string]string{}
	f.directory.skip()
	for _, s := range newFieldMaker(f).sections(f) {
		states[s.ID] = s.State
	}
	return states
}

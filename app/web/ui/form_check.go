package ui

import (
	"slices"
	"strings"

	"birthregistry/app/birth"
	"birthregistry/views"
)

// The form is checked before it is saved. While a user types, the list of sections shows how
// complete each section is. When the user presses Save, a page of the draft lists impossible
// values, improbable values, and facts that the statistics need. If there is nothing to list, Save
// saves the birth.

// These are the states of a section in the list of sections.
const (
	stateEmpty    = "Empty"
	stateSome     = "Started"
	stateComplete = "Complete"
	stateToCheck  = "To check"
)

// saveAnyway is the value of the button that saves the birth although facts are missing. The button
// is on the page that lists what the user should check.
const saveAnyway = "record"

// missing lists the facts that the statistics need and the form lacks, in the order of the page. It
// leaves out a fact with an impossible value, because the page already lists that as a mistake.
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

// state returns how complete a section is. It ignores findings about empty fields, because the user
// may fill in those fields next.
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

// mayBeEmpty lists the fields that may be empty in a complete section. The keys are the last parts
// of field names. Fields that are hidden until the user opens them may always be empty, so they
// aren't listed.
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

// sectionStates returns the state of each section. The keys are the IDs of the sections.
func (f *birthForm) sectionStates() map[string]string {
	states := map[string]string{}
	f.directory.skip()
	for _, s := range newFieldMaker(f).sections(f) {
		states[s.ID] = s.State
	}
	return states
}

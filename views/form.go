package views

import (
	"cmp"
	"slices"
	"strings"

	"github.com/a-h/templ"
)

// BirthForm is the form "Record a birth". It also amends records.
type BirthForm struct {
	Heading string
	Action  string // the address to which it is sent
	// Fresh is the one-time token of a new record's form, and BaseVersion is the version that
	// filled an amendment's form.
	Fresh       string
	BaseVersion int
	// Record is the record that the form amends, or "".
	Record string
	// Draft is the draft that stores the form, and Discard is the address at which it is
	// discarded.
	Draft   FormDraft
	Discard string
	// Owner is the user for whom the form was made.
	Owner string
	// Kept holds text that was typed into custom fields that this form doesn't have, because they
	// are another practice's or retired. The form sends it again, but doesn't show it.
	Kept []Input
	// Notes are shown above the form, for example why it is already filled in.
	Notes []string
	// Chart is the chart that filled in the form, or nil.
	Chart *FormChart
	// Mistakes prevent saving. Warnings can be confirmed with a checkbox. Missing lists facts that
	// the statistics need; the birth can be saved without them.
	Mistakes []Mistake
	Warnings []Warning
	Missing  []Mistake
	// Ticked holds the confirmed warnings. A page that lists no warnings sends them again.
	Ticked string
	// Taken links to the record that already has the chart number. It is nil for users who may
	// not read it.
	Taken    *Link
	Changed  *FormChanged
	Sections []FormSection
	Cancel   string
}

// FormDraft describes the draft that stores a form. Revision is the draft's revision that the page
// shows, or 0 if nothing is stored yet. Author is the user who began the draft. Page is a random
// name for the page, because several pages may show the same draft. State says when the draft was
// saved.
type FormDraft struct {
	Revision    int
	Author      int64
	Page, State string
}

// Warning is an improbable value that the user must confirm. ID is the value of the confirming
// checkbox.
type Warning struct {
	Mistake
	ID      string
	Confirm string // the label of the checkbox
	Ticked  bool
}

// FormSection is a part of the form. State says how complete it is.
type FormSection struct {
	ID, Title, Intro, State string
	Groups                  []FormGroup
	Add, AddLabel           string // the button that adds a group
}

// FormGroup is a group of fields that belong together. Fields that are rarely needed are hidden
// until the user opens them. A group with a title also has an ID, and screen readers announce its
// title.
type FormGroup struct {
	ID, Title   string
	Fields      []FormField
	More        []FormField
	Open        bool
	Unfold      string // the button that fetches the rest of More, if the rest isn't on the page
	Remove      string // the button that removes the group, "" for none
	RemoveLabel string
	Removing    bool   // the user has asked to remove the group, and the button does so
	MoreOf      string // the newborn, or the part of the form, whose further facts are folded
	MoreLabel   string // the label of the folded fields, if not "More"
}

// FieldKind is the kind of control with which the form asks for a field.
type FieldKind uint8

// These are the kinds of fields.
const (
	Box         FieldKind = iota // one box
	DateAndTime                  // a box for the date and one for the time of day
	Clock                        // only the time of day
	Pick                         // a list from which one is chosen
	One                          // radio buttons
	Many                         // checkboxes
	Yes                          // a single checkbox
)

// FormField is a field of the form, with everything that the page shows about the field.
type FormField struct {
	Input
	Error   string
	Unit    string // shown after the box
	Kind    FieldKind
	Time    string // the text typed as the time of day
	Choices []Choice
	Chosen  bool // for Yes
	Focus   bool // the page opens with the cursor here
	// HintAt is the field whose hint also applies to this field, which doesn't repeat the hint.
	HintAt string
	// Reads is set if the page shows next to the box how it understands the text. Understood
	// is that reading, or "" if nothing is typed.
	Reads      bool
	Understood string
	Warning    string
	// Source states where the value came from, or is "" if it was typed.
	Source string
	// Offer is the EHR's value as the page shows it, and Use is the button that takes it. FromEHR
	// is the same value for the script to compare with the field's boxes: the texts that they would
	// hold, sorted and joined with spaces. If the field holds another value (Changed), the page
	// shows the offer instead of the source.
	Offer, Use, FromEHR string
	Changed             bool
	// Origin states where in the chart the EHR's value was found. Others lists the other values
	// that were found there.
	Origin string
	Others []string
	// Tips are further values in the chart.
	Tips []ChartHint
}

// ChartHint is a value in the chart that may belong in a field, but was not filled in
// automatically.
type ChartHint struct {
	Text string
	// Value is the value that can be used, and Take is the button that uses it; both are "" if
	// there is none.
	Value, Take string
}

// FormChart describes the chart that has filled in the form.
type FormChart struct {
	// Handle and As are sent with the form. Handle identifies the prefill, which is what was read
	// from the chart. As is the role, mother or newborn, under which the chart was read.
	Handle, As string
	EHR        string
	// Name, Born and Number are the patient's; "" if the chart doesn't state them.
	Name, Born, Number string
	Deceased           bool
	Read, Until        string // when the chart was read, and until when the registry keeps it
	Draft              bool   // the form is saved as a draft, which keeps the chart
	// Whose states whose chart it is, and Why states how the program knows. If it doesn't know,
	// Others lists the forms that the chart can fill in.
	Whose, Why string
	Others     []Link
	// Notices are about the whole chart. Unread lists what couldn't be read, Conduct how the
	// EHR's answers differed from the requests, and Unused what was read but not used.
	Notices, Unread, Conduct, Unused []string
}

// FormChanged lists the changes that somebody else made while the user was filling in the form.
type FormChanged struct {
	Who, At string // who made the version on file, and when
	Version int    // 0 for a draft
	Rows    []FormChange
}

// other returns the label of the values that were saved in the meantime.
func (c *FormChanged) other() string {
	if c.Version == 0 {
		return "The other page"
	}
	return "On file now"
}

// FormChange is a field that was changed elsewhere while the form was open: by somebody else, or on
// another page. The user may have changed the field in this form, too.
type FormChange struct {
	Name, Label, OnFile, Yours string
	Taken                      bool // the form shows the value on file
}

// SavedRecord describes a record that was just saved. Users who may not read records see the chart
// number and the time, but neither the version nor a link to the record.
type SavedRecord struct {
	Chart     string
	At        string
	Version   int // 0 for users who may not read it
	Amended   bool
	Unchanged bool
	Suspected bool
	Record    string // the address of the record, or "" for users who may not read it
}

// checking reports whether the page lists anything that the user should check.
func (p BirthForm) checking() bool { return len(p.Mistakes)+len(p.Warnings)+len(p.Missing) > 0 }

// save returns the value and the text of the button that saves the form. If the page of a new
// record lists what the user should check, the button saves the birth even if facts are missing.
func (p BirthForm) save() (do, text string) {
	if p.Record == "" && p.checking() {
		return "record", "Save this birth"
	}
	return "save", "Save"
}

// valued returns the attribute value of a box. If the box is empty, it returns no attribute, which
// keeps a form with many empty boxes small.
func valued(text string) templ.Attributes {
	if text == "" {
		return nil
	}
	return templ.Attributes{"value": text}
}

// classes returns the CSS classes of a field. For most fields, it returns "".
func (f FormField) classes() string {
	var all []string
	for class, is := range map[string]bool{"wrong": f.Error != "", "doubt": f.Warning != "", "long": f.Kind == Many} {
		if is {
			all = append(all, class)
		}
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

// described returns the IDs of the elements that describe a field.
func (f FormField) described() string {
	tips := ""
	if len(f.Tips) > 0 {
		tips = f.Tips[0].Text
	}
	var ids []string
	if at := cmp.Or(f.HintAt, f.Name); f.Hint+f.HintAt != "" {
		ids = append(ids, at+"-hint")
	}
	for _, part := range []struct{ end, text string }{
		{"-error", f.Error}, {"-warning", f.Warning}, {"-source", f.Source}, {"-tips", tips},
	} {
		if part.text != "" {
			ids = append(ids, f.Name+part.end)
		}
	}
	if f.Reads {
		ids = append(ids, f.readID())
	}
	return strings.Join(ids, " ")
}

// readID returns the ID of the line that shows how the form has understood a text.
func (f FormField) readID() string { return f.Name + "-read" }

// timeName returns the name of the box for the time of day.
func (f FormField) timeName() string { return f.Name + ".time" }

// grouped reports whether the field has several controls under one legend.
func (f FormField) grouped() bool { return f.Kind == DateAndTime || f.Kind == One || f.Kind == Many }

// attributes returns the attributes with which a screen reader finds the texts that the page shows
// about a field.
func (f FormField) attributes() templ.Attributes {
	a := templ.Attributes{}
	if f.Error != "" {
		a["aria-invalid"] = "true"
	}
	if text := f.described(); text != "" && !f.grouped() {
		a["aria-describedby"] = text
	}
	return a
}

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
	// Fresh is the one-time token in a new record's form. BaseVersion is the version that filled in
	// an amendment's form.
	Fresh       string
	BaseVersion int
	// Record is the record that the form amends, or "".
	Record string
	// Draft is the draft in which the form is stored. Discard is the address of the link with which
	// the user discards the draft.
	Draft   FormDraft
	Discard string
	// Owner identifies the user for whom the form was made.
	Owner string
	// Kept holds texts in custom fields that this form doesn't have, because the fields belong to
	// another practice or are retired. The form doesn't show these texts, but sends them back.
	Kept []Input
	// Notes lists notes that are shown above the form. One may say why the form is already filled
	// in.
	Notes []string
	// Chart is the chart that filled in the form, or nil.
	Chart *FormChart
	// Mistakes lists what must be corrected before the birth can be saved. Warnings lists doubtful
	// values, which the user can confirm with a checkbox. Missing lists facts that the statistics
	// need; the birth can be saved without them.
	Mistakes []Mistake
	Warnings []Warning
	Missing  []Mistake
	// Ticked identifies the warnings that the user has confirmed. A page that shows no warnings
	// sends it back unchanged.
	Ticked string
	// Taken links to the record that already has the chart number. It is nil for users who may not
	// read that record.
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
	Removing    bool   // the user has asked to remove the group; the button Remove now confirms that
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
	// HintAt is the ID of another field whose hint also applies to this field. This field then
	// doesn't repeat the hint.
	HintAt string
	// Reads is set if the page shows next to the box how it understands the typed text. Understood
	// says how, or is "" if nothing has been typed.
	Reads      bool
	Understood string
	Warning    string
	// Source says where the value came from. It is "" if the value was typed.
	Source string
	// Offer is the EHR's value as the page shows it, and Use is the button that fills it in.
	// Changed is set if the field has another value. The page then shows the offer instead of the
	// source. FromEHR is the EHR's value as the script compares it with the field's boxes: the
	// contents of the boxes, sorted and joined with spaces.
	Offer, Use, FromEHR string
	Changed             bool
	// Origin says where in the chart the EHR's value was found. Others lists the other values that
	// were found in that place.
	Origin string
	Others []string
	// Tips lists further values that were found in the chart.
	Tips []ChartHint
}

// ChartHint is a value in the chart that may belong in a field, but was not filled in
// automatically.
type ChartHint struct {
	Text string
	// Value is a value that the user can use, and Take is the button that fills it in. Both are ""
	// if there is no such value.
	Value, Take string
}

// FormChart describes the chart that has filled in the form.
type FormChart struct {
	// Handle and As are sent with the form. Handle identifies the prefill, which is the data read
	// from the chart. As is "mother" or "newborn", depending on whose chart the program takes it to
	// be.
	Handle, As string
	EHR        string
	// Name, Born and Number are the patient's name, date of birth and chart number. Each is "" if
	// the chart doesn't contain it.
	Name, Born, Number string
	Deceased           bool
	Read, Until        string // when the chart was read, and until when the registry keeps it
	Draft              bool   // the form is saved as a draft, which keeps the chart
	// Whose says whose chart it is, and Why says how the program knows. If it doesn't know, Others
	// links to the forms that the chart could fill in.
	Whose, Why string
	Others     []Link
	// Notices are about the whole chart. Unread lists what couldn't be read, and Unused lists what
	// was read but not used. Conduct lists ways in which the EHR's answers weren't as US Core
	// requires.
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

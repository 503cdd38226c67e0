package views

import (
	"slices"
	"strings"

	"github.com/a-h/templ"
)

// BirthForm is the form "Record a birth", also when it amends a record.
type BirthForm struct {
	Heading string
	Action  string // where it is sent
	// Fresh is the one-time token of a new record's form, BaseVersion the version that
	// an amendment was filled from.
	Fresh       string
	BaseVersion int
	// Draft is the draft that keeps the form; nil for an amendment.
	Draft *FormDraft
	// Owner is who it was made for.
	Owner string
	// Kept is what was typed into another practice's custom fields, which the form
	// does not show.
	Kept []Input
	// Notes are said over the form, such as why it is filled in already.
	Notes []string
	// Chart is the chart that filled the form in; nil without one.
	Chart *FormChart
	// Mistakes block. Warnings can be overridden by a tick. Missing are the facts that
	// the statistics need, which are listed once.
	Mistakes []Mistake
	Warnings []Warning
	Missing  []Mistake
	// Ticked are the warnings that were ticked already, for a page that lists none.
	Ticked string
	// Taken leads to the record that has the chart number; nil for who may not
	// read it.
	Taken    *Link
	Changed  *FormChanged
	Sections []FormSection
	Cancel   string
}

// FormDraft is the draft that keeps a form: the revision that the page shows, 0 for
// none yet, who began it, the name of the page itself, and when it was saved.
type FormDraft struct {
	Revision    int
	Author      int64
	Page, State string
}

// Warning is what is improbable: ID is the value of its tick.
type Warning struct {
	Mistake
	ID     string
	Ticked bool
}

// FormSection is a part of the form. State says how far it is.
type FormSection struct {
	ID, Title, Intro, State string
	Groups                  []FormGroup
	// Add is the button that adds a group, AddID the group it would make.
	Add, AddLabel, AddID string
}

// FormGroup is the fields that go together; those rarely needed are folded. A group with
// a title has an id, and is announced with its title.
type FormGroup struct {
	ID, Title   string
	Fields      []FormField
	More        []FormField
	Open        bool
	Unfold      string // the button that fetches the rest of More, if that isn't on the page
	Remove      string // the button that removes it, "" for none
	RemoveLabel string
	MoreOf      string // whose further facts are folded
	MoreLabel   string // what they are called, if not "More"
}

// FieldKind is how a field is asked for.
type FieldKind uint8

// The kinds of field.
const (
	Box         FieldKind = iota // one box
	DateAndTime                  // a box for the date and one for the time of day
	Clock                        // the time of day alone
	Pick                         // a list of which one is chosen
	One                          // radio buttons
	Many                         // checkboxes
	Yes                          // a single checkbox
)

// FormField is a field of the form with everything that the page shows about it.
type FormField struct {
	Input
	Kind    FieldKind
	Time    string // what was typed as the time of day
	Choices []Choice
	Chosen  bool // of Yes
	Focus   bool // the page opens with the cursor in it
	// Reads is set where the page says beside the box how its text is understood, and
	// Understood is that; "" while nothing is typed.
	Reads      bool
	Understood string
	Warning    string
	// Source says where the value came from, unless it was typed.
	Source string
	// Offer is what the EHR says, Use the button that takes it, and Told the same
	// as its boxes have it: the texts in order, with spaces between. It is shown
	// instead of the source where something else was typed: Changed.
	Offer, Use, FromEHR string
	Changed             bool
	// Origin says where in the chart the EHR's value was found, Others what else
	// was found there.
	Origin string
	Others []string
	// Tips are what the chart says besides.
	Tips []ChartHint
}

// ChartHint is something in the chart that may fit a field, and was not filled
// in.
type ChartHint struct {
	Text string
	// Value is what can be taken over, and Take the button that does; both are ""
	// where there is nothing to take.
	Value, Take string
}

// FormChart is the chart that filled the form in.
type FormChart struct {
	// Handle and As go with the form: which pre-fill it is, and as whose chart it
	// was understood.
	Handle, As string
	EHR        string
	// Name, Born and Number are the patient's; "" for what the chart does not say.
	Name, Born, Number string
	Deceased           bool
	Read, Until        string // times
	// Whose says whose chart it is, Why how that is known; Others are the forms
	// that it fills in when it is not.
	Whose, Why string
	Others     []Link
	// Notices are about the chart as a whole, Unread what could not be read,
	// Conduct how the EHR answered otherwise than asked, Unused what was read and not
	// used.
	Notices, Unread, Conduct, Unused []string
}

// FormChanged is what somebody else changed while the form was being filled in.
type FormChanged struct {
	Who, At string // of the version on file
	Version int    // 0 for a draft
	Rows    []FormChange
}

// other says whose the other values are.
func (c *FormChanged) other() string {
	if c.Version == 0 {
		return "The other page"
	}
	return "On file now"
}

// FormChange is a field that both have changed, or that only the other has.
type FormChange struct {
	Name, Label, OnFile, Yours string
	Taken                      bool // the form shows what is on file
}

// SavedRecord says what happened to a record that was saved. Users who may not read it see
// only the chart number.
type SavedRecord struct {
	Chart     string
	At        string
	Version   int // 0 for whom it is not
	Amended   bool
	Unchanged bool
	Suspected bool
	Record    string // where to see it, "" for whom it is not
}

// save returns the value and the text of the button that saves. A page that lists what to
// check saves the birth although facts are missing.
func (p BirthForm) save() (do, text string) {
	if p.Draft != nil && len(p.Mistakes)+len(p.Warnings)+len(p.Missing) > 0 {
		return "record", "Save this birth"
	}
	return "save", "Save"
}

// inPlace returns where the form is sent if the answer is the form itself; "" for a draft,
// whose posts are answered by a redirect to the right place.
func (p BirthForm) inPlace() string {
	if p.Draft != nil {
		return ""
	}
	return p.Action
}

// backTo has a button of a form that is answered in place lead to an element.
func backTo(action, id string) templ.Attributes {
	if action == "" {
		return nil
	}
	return templ.Attributes{"formaction": action + "#" + id}
}

// valued is what a box holds; an empty one goes without, as a form has many.
func valued(text string) templ.Attributes {
	if text == "" {
		return nil
	}
	return templ.Attributes{"value": text}
}

// classes says how a field looks otherwise than most; "" for most.
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

// described names the elements that say more about a field.
func (f FormField) described() string {
	tips := ""
	if len(f.Tips) > 0 {
		tips = f.Tips[0].Text
	}
	var ids []string
	for _, part := range []struct{ end, text string }{
		{"-hint", f.Hint}, {"-error", f.Error}, {"-warning", f.Warning}, {"-source", f.Source}, {"-tips", tips},
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

// readID is the line that says how a text is understood.
func (f FormField) readID() string { return f.Name + "-read" }

// timeName is the name of the box for the time of day.
func (f FormField) timeName() string { return f.Name + ".time" }

// grouped reports whether the field is several controls under one legend.
func (f FormField) grouped() bool { return f.Kind == DateAndTime || f.Kind == One || f.Kind == Many }

// attributes say to a screen reader what the page shows beside the box.
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

func orNothing(text string) string { return orElse(text, "–") }

// Package views holds the pages: templ components and the values that they show. It knows
// nothing of requests, sessions or the database; package web fills the values in.
//
// Pages work without JavaScript and have no inline script or style. All colors and
// sizes come from assets/app.css. Edit the .templ files, run go generate ./views, and
// commit the generated code.
package views

//go:generate go run github.com/a-h/templ/cmd/templ@v0.3.1020 generate

import "fmt"

// Page is what the frame of every page needs.
type Page struct {
	Title string
	// Error marks a page that reports a mistake in what was sent, for the title.
	Error bool
	// Person, Role and Practice are empty before the sign-in.
	Person, Role, Practice string
	Sandbox                bool
	// Several says that the person belongs to further practices.
	Several bool
	// Places are the parts of the registry that the person may see. Place is the one
	// that the page is in, and Within are its pages.
	Places, Within []NavItem
	Place          string
	// Find says that the header has the search box.
	Find bool
	// Framed says that another site may show the page inside one of its own: then
	// it leads nowhere, since no other page may be shown there.
	Framed bool
	// Alarm is what an admin has to see to, on every page until it is.
	Alarm string
	// Flash is said once, after an action.
	Flash string
	// Version is the program's, which only an admin has a use for; "" for others.
	Version string
	// Refresh is after how many seconds a browser without JavaScript loads the
	// page again, 0 for never.
	Refresh int
}

// NavItem is an entry of the navigation.
type NavItem struct {
	Href, Label string
	// Current marks the page itself, Contains the page or the place above it.
	Current, Contains bool
}

// title is what the browser's tab and its history read. It names no chart and
// no mother: the history may be shared with other machines.
func (p Page) title() string {
	t := p.Title
	if p.Practice != "" {
		t += " – " + p.Practice
	}
	t += " – Birth registry"
	if p.Sandbox {
		t = "SANDBOX – " + t
	}
	if p.Error {
		t = "Error: " + t
	}
	return t
}

// Input is one field of a form as it was typed, with what is wrong with it.
type Input struct {
	Name  string // also its id
	Label string
	Hint  string
	Value string
	Error string
	Type  string // text unless named
	Unit  string // written behind the box
	// Autocomplete is the browser's token, "off" unless named.
	Autocomplete string
	InputMode    string
	Width        string // xs, s, m or empty for the whole width
}

func (i Input) kind() string {
	if i.Type == "" {
		return "text"
	}
	return i.Type
}

func (i Input) autocomplete() string {
	if i.Autocomplete == "" {
		return "off"
	}
	return i.Autocomplete
}

// describedBy names the elements that say more about a field.
func describedBy(name, hint, problem string) string {
	switch {
	case hint != "" && problem != "":
		return name + "-hint " + name + "-error"
	case hint != "":
		return name + "-hint"
	case problem != "":
		return name + "-error"
	}
	return ""
}

// Choice is one of several answers.
type Choice struct {
	Value, Label, Hint string
	Chosen             bool
}

// choiceID is the id of a choice; the first one is where an error links to.
func choiceID(name string, n int) string {
	if n == 0 {
		return name
	}
	return fmt.Sprintf("%s-%d", name, n+1)
}

// Mistake is a line of the error summary; Name is the field it links to.
type Mistake struct{ Name, Text string }

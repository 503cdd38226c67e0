// Package views holds the pages: templ components, and the values that they show. Package views
// knows nothing about requests, sessions or the database. The packages below web fill in the
// values.
//
// Pages work without JavaScript and have no inline script or style. All colors and sizes come from
// assets/app.css. After editing a .templ file, run go generate ./views and commit the generated
// code.
package views

//go:generate go run github.com/a-h/templ/cmd/templ@v0.3.1020 generate

import "fmt"

// Page holds what the frame around a page shows.
type Page struct {
	Title string
	// Error is set if something that the user sent was wrong. The page's title then says so.
	Error bool
	// Person, Role and Practice are empty before the user signs in.
	Person, Role, Practice string
	Sandbox                bool
	// Several is set if the user also belongs to other practices.
	Several bool
	// Places lists the parts of the registry that the user may see. Place is the part to which the
	// page belongs. Within lists the pages of that part.
	Places, Within []NavItem
	Place          string
	// Find is set if the header of the page has the search box.
	Find bool
	// Framed is set if another site may show the page in a frame. The layout then has no links,
	// because no other page may be shown there.
	Framed bool
	// Alarm is a problem that an admin must take care of. Every page shows it until it is solved.
	Alarm string
	// Flash is a message that is shown once, after an action. FlashLink is the text of a link after
	// the message, unless FlashHref is "".
	Flash, FlashHref, FlashLink string
	// Version is the version of the program for admins, and "" for other users.
	Version string
	// Refresh is the number of seconds after which a browser without JavaScript loads the page
	// again. If it is 0, the page isn't loaded again.
	Refresh int
}

// NavItem is an entry of the navigation.
type NavItem struct {
	Href, Label string
	// Current is set if the entry links to the page itself. Contains is set if the entry links to
	// something to which the page belongs, such as a part of the registry or a period.
	Current, Contains bool
}

// help returns the address of the guide's page to which the page links. For a signed-in user, that
// is the page for practices, and otherwise the first page.
func (p Page) help() string {
	if p.Person != "" {
		return "/docs/practice"
	}
	return "/docs"
}

// title returns the title for the browser's tab and history. It contains neither a chart number nor
// a mother's name, because the browser may share its history with other machines.
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

// Input is a field of a form, with what was typed into it.
type Input struct {
	Name  string // the field's name, which is also its ID
	Label string
	Hint  string
	Value string
	Type  string // "text" unless set
	// Autocomplete is the value of the attribute autocomplete. "" means "off".
	Autocomplete string
	InputMode    string
	Width        string // xs, s, m, or "" for the whole width
}

// Choice is one of several answers, such as a radio button or an option in a list. Value is what
// the form sends, and Label is what the user reads.
type Choice struct {
	Value, Label, Hint string
	Chosen             bool
}

// choiceID returns the ID of the nth choice of a field. The ID of the first choice is the name of
// the field, because the lines of the error summary link to that name.
func choiceID(name string, n int) string {
	if n == 0 {
		return name
	}
	return fmt.Sprintf("%s-%d", name, n+1)
}

// Mistake is a line of the error summary. Name is the field to which the line links, or "" if the
// mistake concerns no field.
type Mistake struct{ Name, Text string }

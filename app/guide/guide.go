// Package guide renders the guides that the program serves under /docs: the Markdown pages of
// assets/guides, the changelog, and the reference.
//
// Facts that the code knows are filled in, so that the guide can't contradict the code. Errors come
// from the catalog, observation codes from the spine, roles from the permissions, limits from the
// operator's settings, and the reference from the OpenAPI document. New renders all pages. They
// hold no data of any practice.
package guide

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"birthregistry/app/birth"
	"birthregistry/assets"
)

// Facts holds what the pages state about an installation: its address and the operator's settings.
type Facts struct {
	// Base is the address of the service, without a slash at its end.
	Base               string
	RateLimit          int
	AnonymousRateLimit int
	MaxBodyBytes       int64
	BufferFor          time.Duration
	// Reading determines which resources of a Bundle are read.
	Reading birth.Reading
}

// Page is one page of the guide.
type Page struct {
	Name  string // the last part of its path, "" for the page at /docs
	Title string
	Part  string // the part of the guide that it belongs to
	// Markdown is the text of the page, with its placeholders filled in. HTML is the same text,
	// rendered. Neither includes the heading, which is in Title.
	Markdown, HTML string
}

// Path returns the page's path.
func (p Page) Path() string { return strings.TrimSuffix("/docs/"+p.Name, "/") }

// Guide is the rendered guide.
type Guide struct{ Pages []Page }

// parts lists the parts of the guide, with the names of their pages. Each part is for one kind of
// reader.
var parts = []struct {
	title string
	pages []string
}{
	{"Work in a practice", []string{"practice", "spreadsheets", "report", "client", "roles"}},
	{"Connect another system", []string{
		"index", "lint", "quickstart", "programs", "bundle", "codes", "bfdr", "messages", "records", "receipts", "webhooks", "sending", "errors", "reference", "ehr",
		"ehr-epic", "ehr-oracle", "ehr-athena", "ehr-canvas", "ehr-openemr",
	}},
	{"Run the registry", []string{"install", "operate", "sso", "recover", "leave", "upgrade", "secure", "size", "speed", "grow", "host"}},
	{"Evaluate it", []string{"security", "changelog"}},
}

// New renders the guide. It returns an error only if the pages themselves are wrong.
func New(facts Facts) (*Guide, error) {
	g := &Guide{}
	for _, part := range parts {
		for _, name := range part.pages {
			source, err := sourceOf(name)
			if err != nil {
				return nil, err
			}
			page, err := render(name, source, facts)
			if err != nil {
				return nil, fmt.Errorf("guide: page %s: %w", name, err)
			}
			page.Part = part.title
			g.Pages = append(g.Pages, page)
		}
	}
	return g, nil
}

// Must is like New, but panics if a page is wrong. The tests render all pages, so that this can't
// happen.
func Must(facts Facts) *Guide {
	g, err := New(facts)
	if err != nil {
		panic(err)
	}
	return g
}

// Page returns the page with this name, or nil if there is none. The page at /docs has the name "".
func (g *Guide) Page(name string) *Page {
	for i := range g.Pages {
		if g.Pages[i].Name == name {
			return &g.Pages[i]
		}
	}
	return nil
}

func sourceOf(name string) ([]byte, error) {
	switch name {
	case "changelog":
		return assets.Changelog, nil
	case "reference":
		return reference()
	}
	return assets.Guides.ReadFile("guides/" + name + ".md")
}

// render fills in the placeholders of a page and converts the page to HTML. The first line of
// source is the page's title.
func render(name string, source []byte, facts Facts) (Page, error) {
	text := string(source)
	if name != "reference" && name != "changelog" {
		var err error
		if text, err = facts.fill(text); err != nil {
			return Page{}, err
		}
	}
	title, body, _ := strings.Cut(text, "\n")
	title, ok := strings.CutPrefix(title, "# ")
	if !ok {
		return Page{}, errors.New("the first line is no title")
	}
	html, err := toHTML(body)
	if name == "index" {
		name = ""
	}
	return Page{Name: name, Title: title, Markdown: body, HTML: html}, err
}

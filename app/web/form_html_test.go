package web_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
)

// formPage is a parsed page.
type formPage struct {
	t    testing.TB
	root *html.Node
}

func parsePage(t testing.TB, p apptest.Page) formPage {
	t.Helper()
	root, err := html.Parse(strings.NewReader(p.Body))
	require.NoError(t, err)
	return formPage{t, root}
}

func attrOf(n *html.Node, name string) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}

// all returns the elements for which fits returns true.
func (p formPage) all(fits func(n *html.Node) bool) (found []*html.Node) {
	for n := range p.root.Descendants() {
		if n.Type == html.ElementNode && fits(n) {
			found = append(found, n)
		}
	}
	return found
}

// byID returns the one element with the ID.
func (p formPage) byID(id string) *html.Node {
	p.t.Helper()
	found := p.all(func(n *html.Node) bool { v, _ := attrOf(n, "id"); return v == id })
	require.Len(p.t, found, 1, "elements with id %s", id)
	return found[0]
}

func wordsOf(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// form returns the values that a browser would send with the page's form if no button is
// pressed.
func (p formPage) form() url.Values {
	p.t.Helper()
	typed := url.Values{}
	main := p.byID("main")
	for n := range main.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		name, named := attrOf(n, "name")
		value, _ := attrOf(n, "value")
		kind, _ := attrOf(n, "type")
		_, checked := attrOf(n, "checked")
		switch {
		case !named:
		case n.Data == "input" && (kind == "checkbox" || kind == "radio"):
			if checked {
				typed.Add(name, value)
			}
		case n.Data == "input":
			typed.Add(name, value)
		case n.Data == "select":
			for o := range n.Descendants() {
				if _, chosen := attrOf(o, "selected"); chosen && o.Data == "option" {
					v, _ := attrOf(o, "value")
					typed.Add(name, v)
				}
			}
		}
	}
	return typed
}

// summary returns the lines of the error summary with the fields to which they link.
func (p formPage) summary() (lines map[string]string) {
	lines = map[string]string{}
	for _, box := range p.all(func(n *html.Node) bool { v, _ := attrOf(n, "id"); return v == "error-summary" || v == "warnings" }) {
		for a := range box.Descendants() {
			if a.Type == html.ElementNode && a.Data == "a" {
				href, _ := attrOf(a, "href")
				lines[strings.TrimPrefix(href, "#")] = wordsOf(a)
			}
		}
	}
	return lines
}

// openForm opens the form and types into it.
func openForm(t testing.TB, b *apptest.Browser, typed url.Values) url.Values {
	t.Helper()
	answer := b.Get("/registry/capture")
	require.Equal(t, 200, answer.StatusCode)
	form := parsePage(t, answer).form()
	for name, texts := range typed {
		form[name] = texts
	}
	return form
}

// keeps sends a form that is stored as a draft, and returns the page that answers it.
func keeps(t testing.TB, b *apptest.Browser, path string, form url.Values) apptest.Page {
	t.Helper()
	answer := b.Post(path, form)
	require.Equal(t, 303, answer.StatusCode, answer.Body)
	return b.Get(answer.Header.Get("Location"))
}

// saves sends the form of an amendment, confirms what is unlikely, and requires that it is
// saved.
func saves(t testing.TB, b *apptest.Browser, path string, form url.Values) {
	t.Helper()
	page := keeps(t, b, path, form)
	if strings.Contains(page.Body, "id=\"warnings\"") {
		p := parsePage(t, page)
		form = p.form()
		tick, _ := attrOf(p.byID("confirm"), "value")
		form.Set("confirm", tick)
		page = keeps(t, b, path, form)
	}
	if !strings.Contains(page.Body, "<title>Saved") {
		require.Fail(t, "it is not saved", parsePage(t, page).summary())
	}
}

// birthOf returns a form without mistakes.
func birthOf(name string) url.Values {
	return url.Values{
		"mother_family_name": {name}, "mother_given_names": {"Amara"}, "mother_birth_date": {"5/17/1994"},
		"child.0.birth_date": {"3/2/2026"}, "child.0.birth_datetime.time": {"4:18 am"}, "child.0.birth_weight_g": {"7 lb 9 oz"},
		"person.0.name": {"Maren Lindqvist"}, "person.0.credentials": {"CPM"}, "person.0.attending": {"yes"},
	}
}

// The test checks what axe would, on the empty form, on one full of mistakes and on one filled
// in from a chart.
func TestTheFormWorksWithAScreenReader(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Provider)
	wrong := openForm(t, b, birthOf("Okonkwo"))
	for _, name := range []string{"gravida", "child.0.birth_date", "labor_onset_datetime", "mother_height_in", "child.1.birth_date", "x"} {
		wrong.Set(name, "?")
	}
	wrong.Set("mother_married", "?")
	wrong.Set("transfer.0.datetime", "?")
	doubtful := openForm(t, b, birthOf("Okonkwo"))
	doubtful.Set("child.0.birth_weight_g", "480")
	i.Pulled(b, mothersChart())
	pulled := b.Get(prefilled)
	changed := parsePage(t, pulled).form()
	changed.Set("gravida", "3")
	changed.Set("do", "add-child")
	for name, answer := range map[string]apptest.Page{
		"pulled": pulled, "pulled and changed": b.Post("/registry/capture", changed),
		"empty": b.Get("/registry/capture"), "wrong": b.Post("/registry/capture", wrong), "doubtful": b.Post("/registry/capture", doubtful),
	} {
		p := parsePage(t, answer)
		ids := map[string]bool{}
		for _, n := range p.all(func(n *html.Node) bool { _, ok := attrOf(n, "id"); return ok }) {
			id, _ := attrOf(n, "id")
			require.False(t, ids[id], "%s: id %s twice", name, id)
			ids[id] = true
		}
		labeled, within := map[string]bool{}, map[*html.Node]bool{}
		for _, n := range p.all(func(n *html.Node) bool { return n.Data == "label" }) {
			require.NotEmpty(t, wordsOf(n))
			if of, named := attrOf(n, "for"); named {
				require.True(t, ids[of], "%s: a label for %s", name, of)
				labeled[of] = true
				continue
			}
			control := firstElement(n)
			require.Equal(t, "input", control.Data, "%s: %s stands around its box", name, wordsOf(n))
			within[control] = true
		}
		for _, n := range p.all(func(n *html.Node) bool { return n.Data == "input" || n.Data == "select" }) {
			if kind, _ := attrOf(n, "type"); kind == "hidden" {
				continue
			}
			id, _ := attrOf(n, "id")
			require.True(t, labeled[id] || within[n], "%s: %s has a label", name, id)
		}
		for _, n := range p.all(func(n *html.Node) bool { return n.Data == "fieldset" }) {
			require.Equal(t, "legend", firstElement(n).Data, name)
		}
		for _, key := range []string{"aria-describedby", "aria-labelledby"} {
			for _, n := range p.all(func(n *html.Node) bool { _, ok := attrOf(n, key); return ok }) {
				refs, _ := attrOf(n, key)
				for _, ref := range strings.Fields(refs) {
					require.True(t, ids[ref], "%s: %s %s", name, key, ref)
				}
			}
		}
		for _, n := range p.all(func(n *html.Node) bool { href, _ := attrOf(n, "href"); return strings.HasPrefix(href, "#") }) {
			href, _ := attrOf(n, "href")
			require.True(t, ids[href[1:]], "%s: a link to %s", name, href)
		}
		require.Len(t, p.all(func(n *html.Node) bool { return n.Data == "h1" }), 1)
	}
}

func firstElement(n *html.Node) *html.Node {
	for d := range n.ChildNodes() {
		if d.Type == html.ElementNode {
			return d
		}
	}
	return nil
}

package web_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"birthregistry/app/access"
	"birthregistry/app/apptest"
)

// page is a parsed page.
type page struct {
	t    testing.TB
	root *html.Node
}

func parse(t testing.TB, p apptest.Page) page {
	t.Helper()
	root, err := html.Parse(strings.NewReader(p.Body))
	require.NoError(t, err)
	return page{t, root}
}

func attr(n *html.Node, name string) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}

// all returns the elements that fit.
func (p page) all(fits func(n *html.Node) bool) (found []*html.Node) {
	for n := range p.root.Descendants() {
		if n.Type == html.ElementNode && fits(n) {
			found = append(found, n)
		}
	}
	return found
}

// byID returns the one element with the id.
func (p page) byID(id string) *html.Node {
	p.t.Helper()
	found := p.all(func(n *html.Node) bool { v, _ := attr(n, "id"); return v == id })
	require.Len(p.t, found, 1, "elements with id %s", id)
	return found[0]
}

func words(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// form returns what a browser would send of the page's form, no button pressed.
func (p page) form() url.Values {
	p.t.Helper()
	typed := url.Values{}
	main := p.byID("main")
	for n := range main.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		name, named := attr(n, "name")
		value, _ := attr(n, "value")
		kind, _ := attr(n, "type")
		_, checked := attr(n, "checked")
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
				if _, chosen := attr(o, "selected"); chosen && o.Data == "option" {
					v, _ := attr(o, "value")
					typed.Add(name, v)
				}
			}
		}
	}
	return typed
}

// summary returns the lines of the error summary with the fields they link to.
func (p page) summary() (lines map[string]string) {
	lines = map[string]string{}
	for _, box := range p.all(func(n *html.Node) bool { v, _ := attr(n, "id"); return v == "error-summary" || v == "warnings" }) {
		for a := range box.Descendants() {
			if a.Type == html.ElementNode && a.Data == "a" {
				href, _ := attr(a, "href")
				lines[strings.TrimPrefix(href, "#")] = words(a)
			}
		}
	}
	return lines
}

// fill opens the form and types into it.
func fill(t testing.TB, b *apptest.Browser, typed url.Values) url.Values {
	t.Helper()
	answer := b.Get("/registry/capture")
	require.Equal(t, 200, answer.StatusCode)
	form := parse(t, answer).form()
	for name, texts := range typed {
		form[name] = texts
	}
	return form
}

// birthOf is a form with which nothing is wrong.
func birthOf(name string) url.Values {
	return url.Values{
		"mother_family_name": {name}, "mother_given_names": {"Amara"}, "mother_birth_date": {"5/17/1994"},
		"child.0.birth_date": {"3/2/2026"}, "child.0.birth_datetime.time": {"4:18 am"}, "child.0.birth_weight_g": {"7 lb 9 oz"},
		"person.0.name": {"Maren Lindqvist"}, "person.0.credentials": {"CPM"}, "person.0.attending": {"yes"},
	}
}

func TestABirthIsRecordedInOneForm(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, access.Provider)
	answer := b.Post("/registry/capture", fill(t, b, birthOf("Okonkwo")))
	require.Equal(t, 303, answer.StatusCode, answer.Body)
	require.Equal(t, "/registry/capture/saved", answer.Header.Get("Location"))
	saved := b.Get("/registry/capture/saved")
	require.Equal(t, 200, saved.StatusCode)
	require.Contains(t, saved.Body, "B-000001")
	require.Contains(t, saved.Body, "/registry/records/")
	require.Equal(t, saved.Body, b.Get("/registry/capture/saved").Body, "shown again on refresh")

	r := i.Record("B-000001")
	require.Equal(t, 1, r.Version)
	said := map[string]string{}
	for _, v := range append(append(r.Mother, r.Care...), r.Children[0]...) {
		require.Equal(t, "manual", string(v.Value.Source), v.Field.Name)
		said[v.Field.Name] = string(v.Value.JSON(v.Field.Kind))
	}
	require.Equal(t, "3430", said["birth_weight_g"])
	require.Equal(t, `"2026-03-02T04:18:00"`, said["birth_datetime"])
	require.Equal(t, "31", said["mother_age_years"])
	require.Equal(t, "1", said["plurality"])
	require.Equal(t, `"midwife"`, said["attendant_type"])
	require.NotContains(t, said, "live_birth", "silence is not no")
	require.NotContains(t, said, "doula_present")
	i.Clean()
}

func TestAMistakeIsShownBesideItsFieldAndLinkedFromTheSummary(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, access.Scribe)
	form := fill(t, b, birthOf("Okonkwo"))
	form.Set("child.0.birth_date", "")
	form.Set("child.0.birth_datetime.time", "")
	form.Set("gravida", "many")
	form.Set("mother_height_in", "12")
	form.Set("child.0.newborn_conditions", "none")
	form.Add("child.0.newborn_conditions", "nicu")
	answer := b.Post("/registry/capture", form)
	require.Equal(t, 422, answer.StatusCode)
	require.Contains(t, answer.Body, "<title>Error: ")
	p := parse(t, answer)
	lines := p.summary()
	require.Len(t, lines, 4)
	for name, text := range lines {
		field := p.byID(name) // what the link leads to
		require.Contains(t, []string{"input", "select"}, field.Data, name)
		require.Equal(t, "Error: "+text, words(p.byID(errorID(name))), "the same words beside the field")
		if kind, _ := attr(field, "type"); kind != "checkbox" {
			invalid, _ := attr(field, "aria-invalid")
			require.Equal(t, "true", invalid, name)
			described, _ := attr(field, "aria-describedby")
			require.Contains(t, strings.Fields(described), errorID(name), name)
		}
		require.NotContains(t, text, "many")
	}
	for _, d := range p.all(func(n *html.Node) bool { return n.Data == "details" }) {
		_, open := attr(d, "open")
		wrong := strings.Contains(words(d), "Error:")
		require.True(t, open || !wrong, "no mistake is folded away")
	}
	require.Equal(t, 0, i.Count())
	form = p.form()
	require.Equal(t, "many", form.Get("gravida"), "what was typed is kept")
	form.Set("gravida", "2")
	form.Set("mother_height_in", "66")
	form.Set("child.0.birth_date", "3/2/2026")
	form["child.0.newborn_conditions"] = []string{"nicu"}
	require.Equal(t, 303, b.Post("/registry/capture", form).StatusCode)
}

func errorID(name string) string { return name + "-error" }

func TestWhatIsImprobableIsSavedWithATick(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, access.Provider)
	form := fill(t, b, birthOf("Okonkwo"))
	form.Set("child.0.birth_weight_g", "480")
	answer := b.Post("/registry/capture", form)
	require.Equal(t, 422, answer.StatusCode)
	p := parse(t, answer)
	require.Equal(t, map[string]string{"child.0.birth_weight_g": "The birth weight is below 500 or above 6000 g: check it"}, p.summary())
	require.Equal(t, 0, i.Count())
	tick, _ := attr(p.byID("confirm"), "value")
	form = p.form()
	require.Equal(t, 422, b.Post("/registry/capture", form).StatusCode, "without the tick")

	other := p.form()
	other.Set("confirm", tick)
	other.Set("child.0.gestational_age_weeks", "18")
	require.Equal(t, 422, b.Post("/registry/capture", other).StatusCode, "the tick was for another warning")
	require.Equal(t, 0, i.Count())

	form.Set("confirm", tick)
	require.Equal(t, 303, b.Post("/registry/capture", form).StatusCode)
	require.Equal(t, 1, i.Count())
}

func TestAFormSentTwiceMakesOneRecord(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, access.Provider)
	form := fill(t, b, birthOf("Okonkwo"))
	for range 3 {
		require.Equal(t, 303, b.Post("/registry/capture", form).StatusCode)
	}
	require.Equal(t, 1, i.Count())

	form.Set("child.0.birth_weight_g", "3000") // back, changed, and sent again
	answer := b.Post("/registry/capture", form)
	require.Equal(t, 422, answer.StatusCode)
	require.Contains(t, answer.Body, "saved already, as B-000001")
	require.Equal(t, 1, i.Count())

	other := i.SignIn(i.Practice, access.Provider) // the token of somebody else names another record
	require.Equal(t, 303, other.Post("/registry/capture", form).StatusCode)
	require.Equal(t, 2, i.Count())
	require.Contains(t, other.Get("/registry/capture/saved").Body, "looks like a birth that is on file")
}

func TestAFormSentTwiceAtOnceMakesOneRecord(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, access.Provider)
	form := fill(t, b, birthOf("Okonkwo"))
	answers := make(chan int)
	for range 8 {
		go func() { answers <- b.Post("/registry/capture", form).StatusCode }()
	}
	for range 8 {
		require.Equal(t, 303, <-answers)
	}
	require.Equal(t, 1, i.Count())
}

func TestAScribeRecordsAndSeesTheNumberAlone(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, access.Scribe)
	require.Equal(t, 303, b.Post("/registry/capture", fill(t, b, birthOf("Okonkwo"))).StatusCode)
	saved := b.Get("/registry/capture/saved")
	require.Contains(t, saved.Body, "B-000001")
	require.NotContains(t, saved.Body, "/registry/records/")
	require.NotContains(t, saved.Body, "Okonkwo")
	id := i.Record("B-000001").ID
	require.Equal(t, 403, b.Get("/registry/records/"+id+"/amend").StatusCode)
	require.Equal(t, 403, b.Post("/registry/records/"+id+"/amend", birthOf("Okonkwo")).StatusCode)
	viewer := i.SignIn(i.Practice, access.Viewer)
	require.Equal(t, 403, viewer.Get("/registry/capture").StatusCode)
	require.Equal(t, 403, viewer.Post("/registry/capture", birthOf("Other")).StatusCode)
	require.Equal(t, 403, viewer.Get("/registry/records/"+id+"/amend").StatusCode)
	elsewhere := i.SignIn(i.AddPractice("Elsewhere"), access.Admin)
	require.Equal(t, 404, elsewhere.Get("/registry/records/"+id+"/amend").StatusCode)
	require.Equal(t, 404, elsewhere.Post("/registry/records/"+id+"/amend", birthOf("Other")).StatusCode)
	require.Equal(t, 303, elsewhere.Get("/registry/capture/saved").StatusCode, "nothing was saved there")
	require.Equal(t, 1, i.Record(id).Version)
}

func TestAChartNumberThatIsTakenIsNotOverwritten(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, access.Scribe)
	form := fill(t, b, birthOf("Okonkwo"))
	form.Set("chart_number", "C-1")
	require.Equal(t, 303, b.Post("/registry/capture", form).StatusCode)
	form = fill(t, b, birthOf("Lindqvist"))
	form.Set("chart_number", " C-1 ")
	answer := b.Post("/registry/capture", form)
	require.Equal(t, 422, answer.StatusCode)
	require.Contains(t, parse(t, answer).summary(), "chart_number")
	require.Equal(t, 1, i.Record("C-1").Version)
}

// What axe would look for, on the empty form and on one full of mistakes.
func TestTheFormCanBeUsedByEar(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, access.Provider)
	wrong := fill(t, b, birthOf("Okonkwo"))
	for _, name := range []string{"gravida", "child.0.birth_date", "labor_onset_datetime", "mother_height_in", "child.1.birth_date", "x"} {
		wrong.Set(name, "?")
	}
	wrong.Set("mother_married", "?")
	wrong.Set("transfer.0.datetime", "?")
	doubtful := fill(t, b, birthOf("Okonkwo"))
	doubtful.Set("child.0.birth_weight_g", "480")
	for name, answer := range map[string]apptest.Page{
		"empty": b.Get("/registry/capture"), "wrong": b.Post("/registry/capture", wrong), "doubtful": b.Post("/registry/capture", doubtful),
	} {
		p := parse(t, answer)
		ids := map[string]bool{}
		for _, n := range p.all(func(n *html.Node) bool { _, ok := attr(n, "id"); return ok }) {
			id, _ := attr(n, "id")
			require.False(t, ids[id], "%s: id %s twice", name, id)
			ids[id] = true
		}
		labelled := map[string]bool{}
		for _, n := range p.all(func(n *html.Node) bool { return n.Data == "label" }) {
			of, _ := attr(n, "for")
			require.True(t, ids[of], "%s: a label for %s", name, of)
			require.NotEmpty(t, words(n))
			labelled[of] = true
		}
		for _, n := range p.all(func(n *html.Node) bool { return n.Data == "input" || n.Data == "select" }) {
			if kind, _ := attr(n, "type"); kind == "hidden" {
				continue
			}
			id, _ := attr(n, "id")
			require.True(t, labelled[id], "%s: %s has a label", name, id)
		}
		for _, n := range p.all(func(n *html.Node) bool { return n.Data == "fieldset" }) {
			require.Equal(t, "legend", firstElement(n).Data, name)
		}
		for _, key := range []string{"aria-describedby", "aria-labelledby"} {
			for _, n := range p.all(func(n *html.Node) bool { _, ok := attr(n, key); return ok }) {
				refs, _ := attr(n, key)
				for _, ref := range strings.Fields(refs) {
					require.True(t, ids[ref], "%s: %s %s", name, key, ref)
				}
			}
		}
		for _, n := range p.all(func(n *html.Node) bool { href, _ := attr(n, "href"); return strings.HasPrefix(href, "#") }) {
			href, _ := attr(n, "href")
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

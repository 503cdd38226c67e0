package web_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
	courses "birthregistry/app/fixture"
)

// choicesAt returns the providers that a page offers for a person, in order: their labels, and
// their values by label.
func choicesAt(p formPage, person int) (labels []string, values map[string]string) {
	values = map[string]string{}
	for _, n := range p.all(func(n *html.Node) bool { return n.Data == "option" }) {
		if of, _ := attrOf(n.Parent, "name"); of == fmt.Sprintf("person.%d.provider", person) {
			value, _ := attrOf(n, "value")
			labels = append(labels, wordsOf(n))
			values[wordsOf(n)] = value
		}
	}
	return labels, values
}

// practiceOfTwo returns an installation whose practice knows Jane Rivers from three births and
// Sam Ek from one.
func practiceOfTwo(t *testing.T) *apptest.Installation {
	i := apptest.Start(t)
	for n, by := range []struct{ id, name, title string }{
		{"jane", "Jane Rivers", "CPM"}, {"sam", "Sam Ek", "RN"}, {"jane", "Jane Rivers", "CPM"}, {"jane", "Jane Rivers", "CPM"},
	} {
		i.Push(courses.BirthBy(fmt.Sprint("c", n), fmt.Sprint("Okafor", n), "2026-03-02", by.id, "", by.name, by.title))
	}
	return i
}

func TestTheAttendantIsChosenFromTheProvidersMostBirthsFirst(t *testing.T) {
	i := practiceOfTwo(t)
	b := i.SignIn(i.Practice, auth.Scribe)
	typed := birthOf("Haddad")
	for name := range typed {
		if strings.HasPrefix(name, "person.") {
			typed.Del(name)
		}
	}
	path, form := draftOf(t, b, typed)
	labels, values := choicesAt(parsePage(t, b.Get("/registry/capture")), 0)
	require.Equal(t, []string{"Not stated", "Jane Rivers, CPM · 3 births", "Sam Ek, RN · 1 birth"}, labels)
	form.Set("person.0.provider", values["Jane Rivers, CPM · 3 births"])
	form.Set("person.0.attending", "yes")
	press(t, b, path, "go-on", form)
	form = formAt(t, b, path)
	require.Equal(t, values["Jane Rivers, CPM · 3 births"], form.Get("person.0.provider"), "the draft keeps the choice")
	require.Equal(t, "/registry/capture/saved", press(t, b, path, "record", form))

	rec := i.Record(regexp.MustCompile(`B-\d+`).FindString(b.Get("/registry/capture/saved").Body))
	require.Equal(t, "Jane Rivers", rec.Providers[0].Name)
	require.True(t, rec.Providers[0].Attending)
	labels, _ = choicesAt(parsePage(t, b.Get("/registry/capture")), 0)
	require.Equal(t, "Jane Rivers, CPM · 4 births", labels[1])
	require.Len(t, labels, 3, "she is nobody new")
	i.Clean()
}

func TestATypedNameThatIsKnownIsTakenAndThePageSaysSo(t *testing.T) {
	i := practiceOfTwo(t)
	b := i.SignIn(i.Practice, auth.Provider)
	for _, name := range []string{"jane  RIVERS", "Rivers, Jane"} {
		typed := birthOf("Haddad" + name[:1])
		typed.Set("person.0.name", name)
		typed.Set("person.0.credentials", "")
		path, form := draftOf(t, b, typed)
		press(t, b, path, "go-on", form)
		p := parsePage(t, b.Get(path))
		require.Equal(t, "= Jane Rivers, CPM (on file)", wordsOf(p.byID("person.0.name-read")))
		require.Equal(t, "/registry/capture/saved", press(t, b, path, "record", p.form()))
	}
	labels, _ := choicesAt(parsePage(t, b.Get("/registry/capture")), 0)
	require.Equal(t, []string{"Not stated", "Jane Rivers, CPM · 5 births", "Sam Ek, RN · 1 birth"}, labels)
	i.Clean()
}

func TestADoubtfulNameIsAskedAboutAndNeverTaken(t *testing.T) {
	i := practiceOfTwo(t)
	b := i.SignIn(i.Practice, auth.Provider)
	typed := birthOf("Haddad")
	typed.Set("person.0.name", "jane rivers")
	typed.Set("person.0.credentials", "Birth doula")
	path, form := draftOf(t, b, typed)
	require.Equal(t, path+"?check=1", press(t, b, path, "save", form))
	p := parsePage(t, b.Get(path+"?check=1"))
	require.Contains(t, p.summary()["person.0.name"], "A provider with this name is on file")
	form = p.form()
	tick, _ := attrOf(p.byID("confirm"), "value")
	form.Add("confirm", tick)
	require.Equal(t, "/registry/capture/saved", press(t, b, path, "record", form), "somebody else, as the person confirmed")
	labels, _ := choicesAt(parsePage(t, b.Get("/registry/capture")), 0)
	require.Contains(t, labels, "jane rivers, Birth doula · 1 birth")
}

func TestAChoiceAndAnotherTypedNameContradictEachOther(t *testing.T) {
	i := practiceOfTwo(t)
	b := i.SignIn(i.Practice, auth.Provider)
	_, values := choicesAt(parsePage(t, b.Get("/registry/capture")), 0)
	path, form := draftOf(t, b, birthOf("Haddad")) // attended by Maren Lindqvist
	form.Set("person.0.provider", values["Sam Ek, RN · 1 birth"])
	require.Equal(t, path+"?check=1", press(t, b, path, "save", form))
	require.Contains(t, parsePage(t, b.Get(path+"?check=1")).summary()["person.0.provider"], "not both")
	for _, foreign := range []string{"999", "x", "-1"} {
		form = formAt(t, b, path)
		form.Set("person.0.provider", foreign)
		require.Equal(t, path+"?check=1", press(t, b, path, "save", form))
		require.Contains(t, b.Get(path+"?check=1").Body, "choose again")
	}
	require.Equal(t, 4, i.Count())
}

func TestAnAmendmentKeepsWhoAttendedInTheirRoleUntilSomebodyElseIsChosen(t *testing.T) {
	i := practiceOfTwo(t)
	b := i.SignIn(i.Practice, auth.Provider)
	amend := "/registry/records/" + i.Record("c0").ID + "/amend"
	form := formAt(t, b, amend)
	_, values := choicesAt(parsePage(t, b.Get(amend)), 0)
	require.Equal(t, values["Jane Rivers, CPM · 3 births"], form.Get("person.0.provider"))
	require.Empty(t, form.Get("person.0.name"))
	require.Equal(t, 303, b.Post(amend, form).StatusCode)
	require.Equal(t, 1, i.Record("c0").Version, "untouched, nothing is changed")

	form.Set("person.0.provider", values["Sam Ek, RN · 1 birth"])
	require.Equal(t, 303, b.Post(amend, form).StatusCode)
	rec := i.Record("c0")
	require.Equal(t, 2, rec.Version)
	require.Equal(t, "Sam Ek", rec.Providers[0].Name)
	require.Equal(t, "nurse", string(rec.Providers[0].Role))
	i.Clean()
}

func TestOfTwoWithOneNameTheChosenOneIsMeant(t *testing.T) {
	i := apptest.Start(t)
	i.Push(courses.BirthBy("1", "Okafor", "2026-03-02", "one", "1234567893", "Jane Rivers", "CPM"))
	i.Push(courses.BirthBy("2", "Haddad", "2026-03-03", "two", "1987654328", "Jane Rivers", "CPM"))
	i.Push(courses.BirthBy("3", "Novak", "2026-03-04", "two", "1987654328", "Jane Rivers", "CPM"))
	b := i.SignIn(i.Practice, auth.Provider)
	amend := "/registry/records/" + i.Record("1").ID + "/amend"
	form := formAt(t, b, amend)
	_, values := choicesAt(parsePage(t, b.Get(amend)), 0)
	require.NotEqual(t, form.Get("person.0.provider"), values["Jane Rivers, CPM · 2 births"])
	form.Set("person.0.provider", values["Jane Rivers, CPM · 2 births"])
	require.Equal(t, 303, b.Post(amend, form).StatusCode)
	labels, _ := choicesAt(parsePage(t, b.Get("/registry/capture")), 0)
	require.Contains(t, labels, "Jane Rivers, CPM · 3 births")
	i.Clean()
}

func TestAPageWithTwoHundredProvidersStaysSmall(t *testing.T) {
	t.Parallel()
	i := apptest.Start(t)
	for n := range 200 {
		i.Push(courses.BirthBy(fmt.Sprint("c", n), fmt.Sprint("Okafor", n), "2026-03-02", fmt.Sprint("p", n), "", fmt.Sprintf("Provider Number %c%c", 'A'+n/26, 'a'+n%26), "CPM"))
	}
	b := i.SignIn(i.Practice, auth.Scribe)
	page := b.Get("/registry/capture")
	labels, values := choicesAt(parsePage(t, page), 0)
	require.Len(t, labels, 201)
	require.LessOrEqual(t, len(page.Body), 100_000)

	twins := birthOf("Haddad")
	twins.Set("child.1.birth_date", "3/2/2026")
	for n, label := range labels[1:6] {
		twins.Set(fmt.Sprintf("person.%d.provider", n), values[label])
		twins.Del(fmt.Sprintf("person.%d.name", n))
	}
	twins.Set("person.5.provider", values[labels[200]])
	path, form := draftOf(t, b, twins)
	press(t, b, path, "go-on", form)
	page = b.Get(path)
	require.LessOrEqual(t, len(page.Body), 100_000, "twins, and six who were present")
	require.Equal(t, values[labels[200]], parsePage(t, page).form().Get("person.5.provider"), "whoever was chosen is listed")
}

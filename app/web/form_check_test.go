package web_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
)

// wholeBirth returns a form that has no mistakes and every value that the statistics need.
func wholeBirth() url.Values {
	whole := birthOf("Okonkwo")
	whole.Set("child.0.gestational_age_weeks", "39+4")
	whole.Set("child.0.delivery_method", "vaginal_spontaneous")
	return whole
}

func TestABirthWithNothingToCheckIsSavedAtOnce(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Scribe)
	path, form := draftOf(t, b, wholeBirth())
	require.Equal(t, "/registry/capture/saved", press(t, b, path, "save", form))
	require.Equal(t, 1, i.Count())
}

func TestPressingSaveListsWhatToCheckAndThenSaves(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Provider)
	typed := birthOf("Okonkwo")
	typed.Set("child.0.birth_weight_g", "480")
	typed.Set("gravida", "many")
	path, form := draftOf(t, b, typed)
	require.Equal(t, path+"?check=1", press(t, b, path, "save", form))
	p := parsePage(t, b.Get(path+"?check=1"))
	lines := p.summary()
	for _, name := range []string{"gravida", "child.0.birth_weight_g", "child.0.gestational_age_weeks", "child.0.delivery_method"} {
		require.Contains(t, lines, name)
		p.byID(name) // the link leads to this field
	}
	require.Equal(t, "Gestational age", lines["child.0.gestational_age_weeks"])
	panel := p.byID("warnings")
	require.Contains(t, wordsOf(panel), "These values are correct")
	require.Contains(t, wordsOf(panel), "Save this birth")

	form = p.form()
	require.Empty(t, form.Get("confirm"))
	form.Set("gravida", "2")
	require.Equal(t, path+"?check=1", press(t, b, path, "record", form), "the weight is improbable")
	tick, _ := attrOf(p.byID("confirm"), "value")
	form.Set("confirm", tick)
	require.Equal(t, path, press(t, b, path, "go-on", form))
	form = formAt(t, b, path)
	require.Equal(t, tick, form.Get("confirm"), "it was confirmed once")
	require.Equal(t, path+"?check=1", press(t, b, path, "save", form), "facts are missing")
	p = parsePage(t, b.Get(path+"?check=1"))
	_, ticked := attrOf(p.byID("confirm"), "checked")
	require.True(t, ticked)
	require.Zero(t, i.Count())
	require.Equal(t, "/registry/capture/saved", press(t, b, path, "record", p.form()))
	require.Equal(t, 1, i.Count())
}

func TestAValueThatCannotBeIsNotListedAsMissing(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Scribe)
	typed := wholeBirth()
	typed.Set("child.0.birth_weight_g", "99 lb")
	typed.Set("child.0.delivery_method", "")
	path, form := draftOf(t, b, typed)
	require.Equal(t, path+"?check=1", press(t, b, path, "save", form))
	missing := wordsOf(parsePage(t, b.Get(path+"?check=1")).byID("warnings"))
	require.Contains(t, missing, "Method of delivery")
	require.NotContains(t, missing, "Birth weight")
}

func TestAMissingAttendantIsConfirmedInItsOwnWords(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Provider)
	typed := wholeBirth()
	for name := range typed {
		if strings.HasPrefix(name, "person.") {
			typed.Del(name)
		}
	}
	path, form := draftOf(t, b, typed)
	require.Equal(t, path+"?check=1", press(t, b, path, "save", form))
	panel := wordsOf(parsePage(t, b.Get(path+"?check=1")).byID("warnings"))
	require.Contains(t, panel, "Nobody attended, or it is not known who")
	require.Contains(t, panel, "Until then, the birth is not saved.")
	require.NotContains(t, panel, "These values are correct")
}

func TestAnErrorAtABoxIsNotRepeatedAsHowToTypeIt(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Provider)
	typed := wholeBirth()
	typed.Set("child.0.birth_date", "3/2/26")
	path, form := draftOf(t, b, typed)
	press(t, b, path, "go-on", form)
	require.Equal(t, "Write the year with four digits", wordsOf(parsePage(t, b.Get(path)).byID("child.0.birth_date-read")), "before Save")
	form = formAt(t, b, path)
	press(t, b, path, "save", form)
	p := parsePage(t, b.Get(path+"?check=1"))
	require.Contains(t, wordsOf(p.byID("child.0.birth_date-error")), "write the year with four digits")
	require.Empty(t, wordsOf(p.byID("child.0.birth_date-read")))
}

func TestEachUnlikelyValueHasItsOwnConfirmation(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Provider)
	typed := wholeBirth()
	typed.Set("child.0.birth_weight_g", "6100")
	typed.Set("mother_height_in", "90")
	answer := b.Post("/registry/capture", openForm(t, b, typed))
	require.Equal(t, 422, answer.StatusCode)
	p := parsePage(t, answer)
	one, _ := attrOf(p.byID("confirm"), "value")
	two, _ := attrOf(p.byID("confirm-2"), "value")
	form := p.form()
	form["confirm"] = []string{one}
	answer = b.Post("/registry/capture", form)
	require.Equal(t, 422, answer.StatusCode, "one of the two")
	form = parsePage(t, answer).form()
	require.Equal(t, []string{one}, form["confirm"])
	form["confirm"] = []string{one, two}
	require.Equal(t, 303, b.Post("/registry/capture", form).StatusCode)
}

// statesOf returns the states in the list of sections, by the section's ID.
func statesOf(p formPage) map[string]string {
	states := map[string]string{}
	for _, word := range p.all(func(n *html.Node) bool { _, is := attrOf(n, "data-state"); return is }) {
		href, _ := attrOf(word.Parent, "href")
		states[strings.TrimPrefix(href, "#")] = wordsOf(word)
	}
	return states
}

func TestTheListOfSectionsShowsHowFarEachIs(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Provider)
	for id, state := range statesOf(parsePage(t, b.Get("/registry/capture"))) {
		require.Equal(t, "Empty", state, id)
	}
	typed := birthOf("Okonkwo")
	typed.Set("mother_postal_code", "97201")
	typed.Set("gravida", "many")
	typed.Set("consent.granted", "no")
	path, form := draftOf(t, b, typed)
	form.Set("do", "keep")
	answer := b.Post(path, form)
	require.Equal(t, 200, answer.StatusCode)
	var kept struct {
		Sections map[string]string `json:"sections"`
	}
	require.NoError(t, json.Unmarshal([]byte(answer.Body), &kept, json.RejectUnknownMembers(false)))
	shown := statesOf(parsePage(t, b.Get(path)))
	require.Equal(t, shown, kept.Sections, "the script is told the same")
	require.Equal(t, map[string]string{
		"mother": "Complete", "pregnancy": "To check", "labor": "Empty", "birth": "Empty", "newborns": "Started", "people": "Started",
		"transfers": "Empty", "after": "Empty", "consent": "Complete",
	}, shown)
}

package web_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
)

func TestABirthIsRecordedInOneForm(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Provider)
	answer := b.Post("/registry/capture", openForm(t, b, birthOf("Okonkwo")))
	require.Equal(t, 303, answer.StatusCode, answer.Body)
	require.Equal(t, "/registry/capture/saved", answer.Header.Get("Location"))
	saved := b.Get("/registry/capture/saved")
	require.Equal(t, 200, saved.StatusCode)
	require.Contains(t, saved.Body, "B-000001")
	require.Contains(t, saved.Body, "/registry/records/")
	require.Equal(t, saved.Body, b.Get("/registry/capture/saved").Body, "shown again on refresh")

	r := i.Record("B-000001")
	require.Equal(t, 1, r.Version)
	text := map[string]string{}
	for _, v := range append(append(r.Mother, r.Care...), r.Children[0]...) {
		require.Equal(t, "manual", string(v.Value.Source), v.Field.Name)
		text[v.Field.Name] = string(v.Value.JSON(v.Field.Kind))
	}
	require.Equal(t, "3430", text["birth_weight_g"])
	require.Equal(t, `"2026-03-02T04:18:00"`, text["birth_datetime"])
	require.Equal(t, "31", text["mother_age_years"])
	require.Equal(t, "1", text["plurality"])
	require.Equal(t, `"midwife"`, text["attendant_type"])
	require.NotContains(t, text, "live_birth", "silence is not no")
	require.NotContains(t, text, "doula_present")
	i.Clean()
}

func TestAMistakeIsShownAtItsFieldAndLinkedFromTheSummary(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Scribe)
	form := openForm(t, b, birthOf("Okonkwo"))
	form.Set("child.0.birth_date", "")
	form.Set("child.0.birth_datetime.time", "")
	form.Set("gravida", "many")
	form.Set("mother_height_in", "12")
	form.Set("child.0.newborn_conditions", "none")
	form.Add("child.0.newborn_conditions", "nicu")
	answer := b.Post("/registry/capture", form)
	require.Equal(t, 422, answer.StatusCode)
	require.Contains(t, answer.Body, "<title>Error: ")
	p := parsePage(t, answer)
	lines := p.summary()
	require.Len(t, lines, 4)
	for name, text := range lines {
		field := p.byID(name) // the link leads to this field
		require.Contains(t, []string{"input", "select"}, field.Data, name)
		require.Equal(t, "Error: "+text, wordsOf(p.byID(errorID(name))), "the same words next to the field")
		if kind, _ := attrOf(field, "type"); kind != "checkbox" {
			invalid, _ := attrOf(field, "aria-invalid")
			require.Equal(t, "true", invalid, name)
			described, _ := attrOf(field, "aria-describedby")
			require.Contains(t, strings.Fields(described), errorID(name), name)
		}
		require.NotContains(t, text, "many")
	}
	for _, d := range p.all(func(n *html.Node) bool { return n.Data == "details" }) {
		_, open := attrOf(d, "open")
		wrong := strings.Contains(wordsOf(d), "Error:")
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

func TestAnUnlikelyValueIsSavedOnceItIsConfirmed(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Provider)
	form := openForm(t, b, birthOf("Okonkwo"))
	form.Set("child.0.birth_weight_g", "480")
	answer := b.Post("/registry/capture", form)
	require.Equal(t, 422, answer.StatusCode)
	p := parsePage(t, answer)
	require.Equal(t, map[string]string{"child.0.birth_weight_g": "The birth weight is below 500 or above 6,000 g. Check it."}, p.summary())
	require.Equal(t, 0, i.Count())
	tick, _ := attrOf(p.byID("confirm"), "value")
	form = p.form()
	require.Equal(t, 422, b.Post("/registry/capture", form).StatusCode, "without the tick")

	other := p.form()
	other.Set("confirm", tick)
	other.Set("child.0.gestational_age_weeks", "18")
	require.Equal(t, 422, b.Post("/registry/capture", other).StatusCode, "the tick was for another warning")
	require.Equal(t, 0, i.Count())

	form.Set("confirm", tick)
	form.Set("child.0.birth_weight_g", "48")
	require.Equal(t, 422, b.Post("/registry/capture", form).StatusCode)
	form.Set("child.0.birth_weight_g", "6100")
	require.Equal(t, 422, b.Post("/registry/capture", form).StatusCode, "the tick was for another weight")
	require.Equal(t, 0, i.Count())

	form.Set("child.0.birth_weight_g", " 480")
	require.Equal(t, 303, b.Post("/registry/capture", form).StatusCode)
	require.Equal(t, 1, i.Count())
}

func TestAConfirmationDoesNotPassToAnotherNewborn(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Provider)
	form := openForm(t, b, birthOf("Okonkwo"))
	form.Set("child.0.birth_weight_g", "480")
	form.Set("child.1.birth_date", "3/2/2026")
	form.Set("child.1.birth_weight_g", "450")
	p := parsePage(t, b.Post("/registry/capture", form))
	form = p.form()
	tick, _ := attrOf(p.byID("confirm"), "value")
	form.Set("confirm", tick)
	form.Set("do", "remove-child.0")
	form = parsePage(t, b.Post("/registry/capture", form)).form()
	form.Del("plurality")
	require.Equal(t, "450", form.Get("child.0.birth_weight_g"))
	answer := b.Post("/registry/capture", form)
	require.Equal(t, 422, answer.StatusCode)
	require.Contains(t, parsePage(t, answer).summary(), "child.0.birth_weight_g")
}

func TestABirthThatIsStillToComeByThePracticesClockIsAskedAbout(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Provider)
	form := openForm(t, b, birthOf("Okonkwo"))
	form.Set("child.0.birth_date", time.Now().Add(20*time.Hour).UTC().Format("1/2/2006"))
	form.Set("child.0.birth_datetime.time", "11:59 pm")
	answer := b.Post("/registry/capture", form)
	require.Equal(t, 422, answer.StatusCode)
	require.Contains(t, answer.Body, "is later than now. Check the date and the time.")
}

func TestAFormSentTwiceMakesOneRecord(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Provider)
	form := openForm(t, b, birthOf("Okonkwo"))
	for range 3 {
		require.Equal(t, 303, b.Post("/registry/capture", form).StatusCode)
	}
	require.Equal(t, 1, i.Count())

	form.Set("child.0.birth_weight_g", "3000") // back to the form, changed, and sent again
	answer := b.Post("/registry/capture", form)
	require.Equal(t, 422, answer.StatusCode)
	require.Contains(t, answer.Body, "already saved as B-000001")
	require.Equal(t, "3000", parsePage(t, answer).form().Get("child.0.birth_weight_g"), "what was typed is kept")
	require.Equal(t, 1, i.Count())

	form.Del("owner")
	other := i.SignIn(i.Practice, auth.Provider) // another person's token refers to another record
	require.Equal(t, 303, other.Post("/registry/capture", form).StatusCode)
	require.Equal(t, 2, i.Count())
	require.Contains(t, other.Get("/registry/capture/saved").Body, "looks like one that is already on file")
}

func TestAFormSentTwiceAtOnceMakesOneRecord(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Provider)
	form := openForm(t, b, birthOf("Okonkwo"))
	answers := make(chan int)
	for range 8 {
		go func() { answers <- b.Post("/registry/capture", form).StatusCode }()
	}
	for range 8 {
		require.Equal(t, 303, <-answers)
	}
	require.Equal(t, 1, i.Count())
}

func TestAScribeRecordsABirthAndSeesOnlyItsNumber(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Scribe)
	require.Equal(t, 303, b.Post("/registry/capture", openForm(t, b, birthOf("Okonkwo"))).StatusCode)
	saved := b.Get("/registry/capture/saved")
	require.Contains(t, saved.Body, "B-000001")
	require.NotContains(t, saved.Body, "/registry/records/")
	require.NotContains(t, saved.Body, "Okonkwo")
	require.Regexp(t, `^\w+ \d+, \d{4}, `, fact(dom(t, saved), "Saved"))
	require.Contains(t, saved.Body, "You cannot reopen this record. If something is wrong, ask a provider or an admin to correct it.")
	require.Equal(t, 303, b.Post("/registry/capture", openForm(t, b, birthOf("Okonkwo"))).StatusCode)
	require.True(t, i.Record("B-000002").Suspected)
	require.NotContains(t, b.Get("/registry/capture/saved").Body, "on file", "what else is on file is not theirs to know")
	id := i.Record("B-000001").ID
	require.Equal(t, 403, b.Get("/registry/records/"+id+"/amend").StatusCode)
	require.Equal(t, 403, b.Post("/registry/records/"+id+"/amend", birthOf("Okonkwo")).StatusCode)
	viewer := i.SignIn(i.Practice, auth.Viewer)
	require.Equal(t, 403, viewer.Get("/registry/capture").StatusCode)
	require.Equal(t, 403, viewer.Post("/registry/capture", birthOf("Other")).StatusCode)
	require.Equal(t, 403, viewer.Get("/registry/records/"+id+"/amend").StatusCode)
	elsewhere := i.SignIn(i.AddPractice("Elsewhere"), auth.Admin)
	require.Equal(t, 404, elsewhere.Get("/registry/records/"+id+"/amend").StatusCode)
	require.Equal(t, 404, elsewhere.Post("/registry/records/"+id+"/amend", birthOf("Other")).StatusCode)
	require.Equal(t, 303, elsewhere.Get("/registry/capture/saved").StatusCode, "nothing was saved there")
	require.Equal(t, 1, i.Record(id).Version)
}

func TestAChartNumberThatIsTakenIsNotOverwritten(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Scribe)
	form := openForm(t, b, birthOf("Okonkwo"))
	form.Set("chart_number", "C-1")
	require.Equal(t, 303, b.Post("/registry/capture", form).StatusCode)
	form = openForm(t, b, birthOf("Lindqvist"))
	form.Set("chart_number", " C-1 ")
	answer := b.Post("/registry/capture", form)
	require.Equal(t, 422, answer.StatusCode)
	require.Contains(t, parsePage(t, answer).summary(), "chart_number")
	require.NotContains(t, answer.Body, "/registry/records/", "a scribe is led to no record")
	require.Equal(t, 1, i.Record("C-1").Version)
}

func TestANameOrNumberThatIsTooLongToBeStoredIsAMistake(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Provider)
	form := openForm(t, b, birthOf("Okonkwo"))
	form.Set("chart_number", strings.Repeat("ü", 150)) // two bytes each
	require.Equal(t, "Chart number: shorten it to 127 characters.", parsePage(t, b.Post("/registry/capture", form)).summary()["chart_number"])
	form.Set("chart_number", strings.Repeat("7", 256))
	answer := b.Post("/registry/capture", form)
	require.Equal(t, 422, answer.StatusCode)
	p := parsePage(t, answer)
	require.Equal(t, "Chart number: shorten it to 255 characters.", p.summary()["chart_number"])
	require.Equal(t, form.Get("chart_number"), p.form().Get("chart_number"))

	form = openForm(t, b, birthOf("Okonkwo"))
	form.Set("person.0.name", strings.Repeat("ﷺ", 60)) // 180 bytes, but much longer where names are compared
	answer = b.Post("/registry/capture", form)
	require.Equal(t, 422, answer.StatusCode)
	require.Contains(t, parsePage(t, answer).summary()["save"], "too long")
}

func TestATakenChartNumberIsListedWithTheOtherMistakesAndKeepsTheTick(t *testing.T) {
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "C-1"}.Bundle())
	b := i.SignIn(i.Practice, auth.Provider)
	form := openForm(t, b, birthOf("Okonkwo"))
	form.Set("chart_number", "C-1")
	form.Set("gravida", "many")
	answer := b.Post("/registry/capture", form)
	lines := parsePage(t, answer).summary()
	require.Contains(t, lines, "chart_number")
	require.Contains(t, lines, "gravida", "both at once")
	require.Equal(t, "/registry/records/"+i.Record("C-1").ID, link(dom(t, answer), "Record C-1"))

	form = openForm(t, b, birthOf("Okonkwo"))
	form.Set("child.0.birth_weight_g", "480")
	p := parsePage(t, b.Post("/registry/capture", form))
	tick, _ := attrOf(p.byID("confirm"), "value")
	form.Set("confirm", tick)
	form.Set("chart_number", "C-1")
	form = parsePage(t, b.Post("/registry/capture", form)).form()
	require.Equal(t, tick, form.Get("confirm"))
	form.Set("chart_number", "C-2")
	require.Equal(t, 303, b.Post("/registry/capture", form).StatusCode, "the warning is not ticked twice")
}

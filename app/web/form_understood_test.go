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

// readings are texts as clinicians type them, each with how the form says that it reads them.
var readings = []struct{ name, typed, want string }{
	{"child.0.gestational_age_weeks", "39+4", "= 39 weeks 4 days"},
	{"child.0.gestational_age_weeks", "39w4d", "= 39 weeks 4 days"},
	{"child.0.gestational_age_weeks", "39 4/7", "= 39 weeks 4 days"},
	{"child.0.gestational_age_weeks", "41", "= 41 weeks"},
	{"child.0.gestational_age_weeks", "39+9", "Enter 10 to 50 weeks and the days, such as 39+4"},
	{"child.0.birth_weight_g", "7lb 9", "= 3,430 g (7 lb 9 oz)"},
	{"child.0.birth_weight_g", "7#9", "= 3,430 g (7 lb 9 oz)"},
	{"child.0.birth_weight_g", "7 lb 9 oz", "= 3,430 g (7 lb 9 oz)"},
	{"child.0.birth_weight_g", "3.43 kg", "= 3,430 g (7 lb 9 oz)"},
	{"child.0.birth_weight_g", "3430", "= 3,430 g (7 lb 9 oz)"},
	{"child.0.birth_date", "3/2/2026", "= Monday, March 2, 2026"},
	{"child.0.birth_date", "2026-03", "= March 2026"},
	{"child.0.birth_date", "3/2/26", "Write the year with four digits"},
	{"child.0.birth_datetime.time", "1618", "= 4:18 PM"},
	{"child.0.birth_datetime.time", "4:18p", "= 4:18 PM"},
	{"labor_onset_datetime", "3/1/2026", "= Sunday, March 1, 2026"},
	{"mother_height_in", "5'6", "= 66 in (5 ft 6 in, 167.6 cm)"},
	{"delivery_weight_lb", "60 kg", "= 132.3 lb (60 kg)"},
	{"child.0.newborn_length_cm", "20 in", "= 50.8 cm (20 in)"},
	{"child.0.age_at_death_hours", "3 days", "= 72 hours (3 days)"},
	{"blood_loss_ml", "0.5 L", "= 500 mL"},
	{"blood_loss_ml", "500", ""},
	{"transfer.0.datetime", "3/2/2026", "= Monday, March 2, 2026"},
	{"consent.date_time", "3/2/2026", "= Monday, March 2, 2026"},
}

// lineOf returns the field next to which the page says how it reads a text: a time of birth is
// read together with its date.
func lineOf(name string) string {
	if name == "child.0.birth_datetime.time" {
		return "child.0.birth_datetime"
	}
	return name
}

func typedReading(name, text string) url.Values {
	form := url.Values{"child.0.birth_date": {"3/2/2026"}, "mother_family_name": {"Okonkwo"}, "transfer.0.reason": {"bleeding"}}
	form.Set(name, text)
	return form
}

func TestThePageShowsAtEachBoxHowItsTextIsUnderstood(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Scribe)
	for _, r := range readings {
		path, form := draftOf(t, b, typedReading(r.name, r.typed))
		press(t, b, path, "go-on", form)
		p := parsePage(t, b.Get(path))
		require.Equal(t, r.typed, p.form().Get(r.name), "the text stays as it was typed")
		line := p.byID(lineOf(r.name) + "-read")
		require.Equal(t, "output", line.Data, "which a screen reader says as it changes")
		require.Equal(t, r.want, wordsOf(line), r.typed)
	}
}

func TestTheScriptReceivesWithEachSaveHowTheTextsAreUnderstood(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Scribe)
	for _, r := range readings {
		path, form := draftOf(t, b, typedReading(r.name, r.typed))
		form.Set("do", "keep")
		answer := b.Post(path, form)
		require.Equal(t, 200, answer.StatusCode)
		var kept struct {
			Read map[string]string `json:"read"`
		}
		require.NoError(t, json.Unmarshal([]byte(answer.Body), &kept))
		require.Equal(t, r.want, kept.Read[lineOf(r.name)], r.typed)
		require.Contains(t, answer.Header.Get("Cache-Control"), "no-store")
	}
	require.NotContains(t, i.Log.String(), "7#9")
	require.NotContains(t, i.Log.String(), "3,430")
}

func TestEveryLineThatShowsAReadingDescribesItsBox(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Scribe)
	p := parsePage(t, b.Get("/registry/capture"))
	lines := p.all(func(n *html.Node) bool { return n.Data == "output" })
	require.Greater(t, len(lines), 20)
	described := map[string]bool{}
	for _, n := range p.all(func(n *html.Node) bool { return n.Data == "input" || n.Data == "fieldset" }) {
		ids, _ := attrOf(n, "aria-describedby")
		for _, id := range strings.Fields(ids) {
			described[id] = true
		}
	}
	for _, line := range lines {
		id, _ := attrOf(line, "id")
		require.True(t, described[id], id)
		require.Empty(t, wordsOf(line), "an empty form has nothing to say")
	}
}

func TestGestationIsOneBoxAndAPostWithTwoStillWorks(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Provider)
	old := birthOf("Okonkwo")
	old.Set("child.0.gestational_age_weeks", "39")
	old.Set("child.0.gestational_age_days", "4")
	path, form := draftOf(t, b, old)
	require.False(t, parsePage(t, b.Get("/registry/capture")).form().Has("child.0.gestational_age_days"))
	press(t, b, path, "go-on", form)
	form = formAt(t, b, path)
	require.Equal(t, "39+4", form.Get("child.0.gestational_age_weeks"))
	require.False(t, form.Has("child.0.gestational_age_days"))
	require.Equal(t, "/registry/capture/saved", press(t, b, path, "record", form))

	amend := "/registry/records/" + i.Record("B-000001").ID + "/amend"
	form = formAt(t, b, amend)
	require.Equal(t, "39+4", form.Get("child.0.gestational_age_weeks"))
	form.Set("child.0.gestational_age_weeks", "40+1")
	require.Equal(t, 303, b.Post(amend, form).StatusCode)
	text := map[string]string{}
	for _, v := range i.Record("B-000001").Children[0] {
		text[v.Field.Name] = string(v.Value.JSON(v.Field.Kind))
	}
	require.Equal(t, "40", text["gestational_age_weeks"])
	require.Equal(t, "1", text["gestational_age_days"])
}

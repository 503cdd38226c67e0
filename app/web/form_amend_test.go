package web_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
	"birthregistry/assets"
	"birthregistry/store"
)

// pushed returns an installation with a sample Bundle on file, and its record's ID.
func pushed(t *testing.T, sample string) (*apptest.Installation, string) {
	t.Helper()
	i := apptest.Start(t)
	body, err := assets.Samples.ReadFile("samples/" + sample + ".json")
	require.NoError(t, err)
	out := i.Push(string(body))
	require.Len(t, out.Accepted, 1)
	return i, out.Accepted[0].Submission
}

// Every sample goes through the real page and back; nothing may be lost or changed.
func TestAnUntouchedFormChangesNothing(t *testing.T) {
	for _, sample := range []string{"01-single-birth", "02-twins", "03-fetal-death", "04-amendment"} {
		t.Run(sample, func(t *testing.T) {
			i, id := pushed(t, sample)
			before := i.Record(id)
			b := i.SignIn(i.Practice, auth.Provider)
			path := "/registry/records/" + id + "/amend"
			answer := b.Get(path)
			require.Equal(t, 200, answer.StatusCode)
			saves(t, b, path, parsePage(t, answer).form()) // some samples have warnings of their own
			require.Contains(t, b.Get("/registry/capture/saved").Body, "Nothing was changed")
			require.Equal(t, before, i.Record(id))
		})
	}
}

func TestAnAmendmentChangesTheSourceOfChangedValuesOnly(t *testing.T) {
	i, id := pushed(t, "01-single-birth")
	b := i.SignIn(i.Practice, auth.Provider)
	path := "/registry/records/" + id + "/amend"
	answer := b.Get(path)
	require.Contains(t, answer.Body, "EHR push")
	form := parsePage(t, answer).form()
	require.Equal(t, "3420", form.Get("child.0.birth_weight_g"))
	require.Equal(t, "04:18 -05:00", form.Get("child.0.birth_datetime.time"))
	form.Set("child.0.birth_weight_g", "3450")
	form.Set("chart_number", "another")
	require.Equal(t, 303, b.Post(path, form).StatusCode)
	r := i.Record(id)
	require.Equal(t, 2, r.Version)
	require.Equal(t, "SAMPLE-0001", r.ChartNumber, "a chart number is for good")
	for _, v := range append(append(r.Mother, r.Care...), r.Children[0]...) {
		want := "fhir_push"
		if v.Field.Name == "birth_weight_g" {
			want = "manual"
		}
		require.Equal(t, want, string(v.Value.Source), v.Field.Name)
	}
	form = parsePage(t, b.Get(path)).form()
	form.Set("gravida", "9")
	require.Equal(t, 303, b.Post(path, form).StatusCode)
	for _, v := range i.Record(id).Care {
		require.Equal(t, "fhir_push", string(v.Value.Source), "%s, also after a second amendment", v.Field.Name)
	}
	require.Len(t, r.Providers, 2, "the people are still the same")
	require.Equal(t, i.RecordAt(id, 1).Providers, r.Providers)
	i.Clean()
}

func TestTheSecondOfTwoUsersToSaveSeesWhatChangedAndLosesNothing(t *testing.T) {
	i, id := pushed(t, "01-single-birth")
	path := "/registry/records/" + id + "/amend"
	olive, carla := i.SignIn(i.Practice, auth.Provider), i.SignIn(i.Practice, auth.Admin)
	first, second := parsePage(t, olive.Get(path)).form(), parsePage(t, carla.Get(path)).form()

	first.Set("child.0.birth_weight_g", "3450")
	first.Set("gravida", "3")
	first.Set("perineum", "first")
	require.Equal(t, 303, olive.Post(path, first).StatusCode)

	second.Set("child.0.birth_weight_g", "3400")
	second.Set("blood_loss_ml", "300")
	second.Set("perineum", "first")
	answer := keeps(t, carla, path, second)
	require.Equal(t, 200, answer.StatusCode)
	require.Equal(t, 2, i.Record(id).Version, "nothing is saved yet")
	p := parsePage(t, answer)
	require.Contains(t, answer.Body, "<h1>Amend record "+i.Record(id).ChartNumber+"</h1>")
	require.Regexp(t, `[A-Z][\w ]+ saved version 2 on \w+ \d+, \d{4}, `, wordsOf(p.byID("changed")))
	var rows []string
	for n := range p.byID("changed").Descendants() {
		if n.Type == html.ElementNode && n.Data == "tr" {
			rows = append(rows, wordsOf(n))
		}
	}
	require.Len(t, rows, 3, "the heading, what both changed, what the other changed: %v", rows)
	require.Contains(t, rows[1], "Newborn 1: Birth weight")
	require.Contains(t, rows[1], "3,450 g")
	require.Contains(t, rows[1], "3,400 g")
	require.True(t, strings.HasSuffix(rows[1], "yours"))
	require.Contains(t, rows[2], "Pregnancies")
	require.Contains(t, rows[2], "not changed by you")
	require.True(t, strings.HasSuffix(rows[2], "what is on file"), rows[2])

	again := p.form()
	require.Equal(t, "3400", again.Get("child.0.birth_weight_g"))
	require.Equal(t, "300", again.Get("blood_loss_ml"))
	require.Equal(t, "3", again.Get("gravida"), "what was left alone is what is on file")
	require.Equal(t, "2", again.Get("basis"))
	require.Equal(t, 303, carla.Post(path, again).StatusCode)
	text := map[string]string{}
	r := i.Record(id)
	require.Equal(t, 3, r.Version)
	for _, v := range append(r.Mother, r.Children[0]...) {
		text[v.Field.Name] = string(v.Value.JSON(v.Field.Kind))
	}
	require.Equal(t, "3400", text["birth_weight_g"])
	require.Equal(t, "300", text["blood_loss_ml"])
	require.Equal(t, "3", text["gravida"])
	require.Equal(t, `"first"`, text["perineum"])
}

func TestAnUnknownBaseVersionIsComparedWithTheRecordOnFile(t *testing.T) {
	i, id := pushed(t, "01-single-birth")
	path := "/registry/records/" + id + "/amend"
	b := i.SignIn(i.Practice, auth.Provider)
	for _, basis := range []string{"", "0", "-1", "99", "x", "1e0"} {
		form := parsePage(t, b.Get(path)).form()
		form.Set("basis", basis)
		form.Set("gravida", "5")
		answer := keeps(t, b, path, form)
		require.Contains(t, answer.Body, "This record has changed since you opened it", basis)
		require.Equal(t, 1, i.Record(id).Version)
		require.Equal(t, "5", parsePage(t, answer).form().Get("gravida"))
	}
	require.Equal(t, 404, b.Get("/registry/records/none/amend").StatusCode)
}

func TestAVoidedRecordIsNotAmendedAndNothingTypedIsLost(t *testing.T) {
	i, id := pushed(t, "01-single-birth")
	path := "/registry/records/" + id + "/amend"
	b := i.SignIn(i.Practice, auth.Provider)
	form := parsePage(t, b.Get(path)).form()
	form.Set("gravida", "7")
	i.Push(`{"resourceType":"Bundle","type":"batch","entry":[{"request":{"method":"DELETE","url":"Bundle?identifier=SAMPLE-0001"}}]}`)
	require.Equal(t, "voided", string(i.Record(id).State))
	require.Equal(t, 409, b.Get(path).StatusCode)
	answer := keeps(t, b, path, form)
	require.Equal(t, 409, answer.StatusCode)
	p := parsePage(t, answer)
	require.Contains(t, p.summary(), "save")
	require.Equal(t, "7", p.form().Get("gravida"))
	require.Equal(t, "voided", string(i.Record(id).State))
}

func TestOpeningTheFormOfARecordIsNotedInTheTrail(t *testing.T) {
	i, id := pushed(t, "01-single-birth")
	b := i.SignIn(i.Practice, auth.Provider)
	before := trail(t, i, "record.read")
	b.Get("/registry/records/" + id + "/amend")
	require.Equal(t, before+1, trail(t, i, "record.read"))
}

// trail counts the audit entries of an action.
func trail(t *testing.T, i *apptest.Installation, action string) (n int) {
	require.NoError(t, i.App.DB.View(t.Context(), func(v *store.View) error {
		return v.Trail(func(row store.Audit) error {
			if row.Action == action {
				n++
			}
			return nil
		})
	}))
	return n
}

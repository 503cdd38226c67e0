package web_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
	spine "birthregistry/app/birth"
	"birthregistry/app/smart"
	"birthregistry/store"
	"birthregistry/store/storetest"
)

func TestSavingDeletesThePreFillAndAFormSentTwiceStillMakesOneRecord(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Provider)
	handle := i.Pulled(b, mothersChart())
	form := completed(parsePage(t, b.Get(prefilled)).form())
	require.Equal(t, 303, b.Post("/registry/capture", form).StatusCode)
	_, err := i.App.Smart.Prefill(t.Context(), handle, auth.User{ID: b.User, Practice: store.Practice{ID: i.Practice}})
	require.ErrorIs(t, err, smart.ErrNoPrefill)
	require.Contains(t, b.Get(prefilled).Body, "No chart from an EHR is available")

	require.Equal(t, 303, b.Post("/registry/capture", form).StatusCode, "sent again")
	form.Set("gravida", "5")
	answer := b.Post("/registry/capture", form)
	require.Equal(t, 422, answer.StatusCode)
	require.Contains(t, answer.Body, "already saved as B-000001")
	require.Equal(t, 1, i.Count())
}

func TestAPreFillThatIsGoneIsReportedAndItsValuesStayAsTyped(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Provider)
	handle := i.Pulled(b, mothersChart())
	form := completed(parsePage(t, b.Get(prefilled)).form())
	require.NoError(t, i.App.Smart.Drop(handle))

	form.Set("do", "add-transfer")
	p := parsePage(t, b.Post("/registry/capture", form))
	require.Contains(t, wordsOf(p.byID("main")), "now count as entered by hand")
	form.Set("do", "save")
	answer := b.Post("/registry/capture", form)
	require.Equal(t, 422, answer.StatusCode)
	p = parsePage(t, answer)
	require.Contains(t, p.summary()["save"], "now count as entered by hand")
	again := p.form()
	require.Empty(t, again.Get("prefill"))
	for _, name := range []string{"mother_family_name", "mother_height_in", "child.0.birth_date", "person.0.name"} {
		require.Equal(t, form[name], again[name], name)
	}
	require.Equal(t, 0, i.Count())
	require.Equal(t, 303, b.Post("/registry/capture", again).StatusCode)
	require.Equal(t, "manual", sourcesOf(i, "B-000001")["mother_family_name"])
	require.Equal(t, spine.Manual, i.Record("B-000001").Head().Source)
}

func TestTheBrowserDecidesNeitherTheEHRsValuesNorWhosePreFillItIs(t *testing.T) {
	i := apptest.Start(t)
	b, other := i.SignIn(i.Practice, auth.Provider), i.SignIn(i.Practice, auth.Provider)
	handle := i.Pulled(b, mothersChart())
	b.Get(prefilled)
	stolen := openForm(t, other, completed(birthOf("Okonkwo")))
	stolen.Set("prefill", handle)
	stolen.Set("as", "mother")
	answer := other.Post("/registry/capture", stolen)
	require.Equal(t, 422, answer.StatusCode)
	require.NotContains(t, answer.Body, "Hill Hospital")
	require.NotContains(t, answer.Body, "MRN-7")
	require.Equal(t, 200, b.Get(prefilled).StatusCode)
	require.Contains(t, b.Get(prefilled).Body, "Hill Hospital", "still there for whose it is")
}

func TestAnEHROfAnotherPracticeFillsNothingIn(t *testing.T) {
	i, b, second := twoPractices(t)
	chart := mothersChart()
	chart.Practice = second
	i.Pulled(b, chart)
	answer := b.Get(prefilled)
	require.Equal(t, 200, answer.StatusCode)
	require.Contains(t, answer.Body, "connected for another practice")
	require.NotContains(t, answer.Body, "Amara")
	require.NotContains(t, answer.Body, "Hill Hospital")
	move(t, b, second)
	require.Contains(t, b.Get(prefilled).Body, "Amara Okonkwo", "who belongs to both switches")
}

func TestAPreFillSurvivesTheSignInAndIsDeletedWhenAnotherUserSignsIn(t *testing.T) {
	i := clinic(t)
	b := i.Stranger()
	i.Pulled(b, mothersChart())
	leadsTo(t, "/sign-in", b.Get(prefilled))
	leadsTo(t, prefilled, enter(t, b, "olive@example.org"))
	require.Contains(t, b.Get(prefilled).Body, "Amara Okonkwo")
	enter(t, b, "carla@example.org")
	answer := b.Get(prefilled)
	require.Equal(t, 200, answer.StatusCode)
	require.Contains(t, answer.Body, "No chart from an EHR is available")
	require.NotContains(t, answer.Body, "Amara")

	i.Pulled(b, mothersChart())
	require.Contains(t, b.Get(prefilled).Body, "Amara Okonkwo")
	leadsTo(t, "/sign-in", b.Post("/sign-out", nil))
	enter(t, b, "carla@example.org")
	require.NotContains(t, b.Get(prefilled).Body, "Amara", "dropped at the sign-out")
	for _, file := range []string{i.Config.DB, i.Config.DB + "-wal"} {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NotContains(t, string(content), "Amara", "what waits is sealed")
	}
}

func TestAPreFilledFormOutlivesTheSessionWithItsSources(t *testing.T) {
	i := clinic(t)
	b := i.Stranger()
	enter(t, b, "olive@example.org")
	i.Pulled(b, mothersChart())
	form := completed(parsePage(t, b.Get(prefilled)).form())
	_, err := i.App.Auth.EndUserSessions("olive@example.org")
	require.NoError(t, err)
	leadsTo(t, "/sign-in", b.Post("/registry/capture", form))
	leadsTo(t, "/registry/capture", enter(t, b, "olive@example.org"))
	p := parsePage(t, b.Get("/registry/capture"))
	require.Contains(t, wordsOf(p.byID("chart")), "Amara Okonkwo")
	require.Contains(t, p.near("mother_height_in"), "From EHR 170.2 cm")
	require.Contains(t, b.Get(prefilled+"?as=newborn").Body, "Amara Okonkwo", "and the chart waits in the new session")
	require.Equal(t, 303, b.Post("/registry/capture", p.form()).StatusCode)
	require.Equal(t, "ehr_pull", sourcesOf(i, "B-000001")["mother_height_in"])
}

// aged makes everything that waits this much older.
func aged(t *testing.T, i *apptest.Installation, by time.Duration) {
	t.Helper()
	storetest.Exec(t, i.Config.DB, fmt.Sprintf(`update prefills set created_at = created_at - %[1]d, used_at = used_at - %[1]d`, by.Milliseconds()))
	require.NoError(t, i.App.Smart.Sweep())
}

func TestAFormKeepsItsSourcesForHoursAndThroughOtherLaunches(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Provider)
	i.Pulled(b, mothersChart())
	first := completed(parsePage(t, b.Get(prefilled)).form())
	second := mothersChart()
	second.Reading.Patient.Name = "Ingrid Lindqvist"
	i.Pulled(b, second)
	require.Contains(t, b.Get(prefilled).Body, "Ingrid Lindqvist")
	aged(t, i, 3*time.Hour)

	first.Set("do", "add-transfer")
	p := parsePage(t, b.Post("/registry/capture", first))
	require.Contains(t, wordsOf(p.byID("chart")), "Amara Okonkwo", "each form has its own chart")
	require.Contains(t, p.near("mother_height_in"), "From EHR 170.2 cm")
	flip := p.all(func(n *html.Node) bool {
		return n.Data == "a" && strings.HasPrefix(wordsOf(n), "No, it is the newborn’s chart")
	})
	require.Len(t, flip, 1)
	href, _ := attrOf(flip[0], "href")
	require.Contains(t, b.Get(href).Body, "Amara Okonkwo", "and is started anew from it, not from the last launch")
	first.Set("do", "save")
	require.Equal(t, 303, b.Post("/registry/capture", first).StatusCode)
	require.Equal(t, "ehr_pull", sourcesOf(i, "B-000001")["mother_height_in"])
	require.Contains(t, b.Get(prefilled).Body, "Ingrid Lindqvist", "the other one waits")
}

func TestAFormLeftForADaySaysThatItsSourcesAreGoneBeforeItIsSaved(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Provider)
	i.Pulled(b, mothersChart())
	form := completed(parsePage(t, b.Get(prefilled)).form())
	aged(t, i, 23*time.Hour)
	form.Set("do", "add-transfer") // in use again
	require.Contains(t, b.Post("/registry/capture", form).Body, "Amara Okonkwo")
	aged(t, i, 23*time.Hour)
	require.Contains(t, b.Post("/registry/capture", form).Body, "Amara Okonkwo")
	aged(t, i, 25*time.Hour)
	form.Set("do", "save")
	answer := b.Post("/registry/capture", form)
	require.Equal(t, 422, answer.StatusCode)
	require.Contains(t, parsePage(t, answer).summary()["save"], "now count as entered by hand")
	require.Equal(t, 0, i.Count())
}

func TestSigningOutForgetsEveryChartThatTheSessionOpened(t *testing.T) {
	i := clinic(t)
	b := i.Stranger()
	enter(t, b, "olive@example.org")
	olive := auth.User{ID: userID(i, "olive@example.org"), Practice: store.Practice{ID: i.Practice}}
	var handles []string
	for range 3 {
		handles = append(handles, i.Pulled(b, mothersChart()))
		require.Contains(t, b.Get(prefilled).Body, "Amara")
	}
	for _, handle := range handles {
		_, err := i.App.Smart.Prefill(t.Context(), handle, olive)
		require.NoError(t, err)
	}
	leadsTo(t, "/sign-in", b.Post("/sign-out", nil))
	for _, handle := range handles {
		_, err := i.App.Smart.Prefill(t.Context(), handle, olive)
		require.ErrorIs(t, err, smart.ErrNoPrefill)
	}
}

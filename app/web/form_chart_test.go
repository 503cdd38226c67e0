package web_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
	spine "birthregistry/app/birth"
	"birthregistry/app/mapping/uscore"
	"birthregistry/app/smart"
	"birthregistry/store"
)

// ehr marks a value as the EHR's.
func ehr(v spine.Value) spine.Value {
	v.Source = spine.EHRPull
	return v
}

// mothersChart returns a chart as the launch hands it over: the mother's, unless the clinician
// says that it is the newborn's.
func mothersChart() smart.Prefill {
	mother := uscore.Filled{
		Notices: []string{"Two pregnancies are in the chart: the one due 2026-03-01 was chosen."},
		Unused:  []string{"Blood group: the form does not ask for it"},
	}
	mother.Draft.Mother.Set(spine.Must("mother_family_name"), ehr(spine.Value{Text: "Okonkwo"}))
	mother.Draft.Mother.Set(spine.Must("mother_birth_date"), ehr(spine.Value{Text: "1994-05-17"}))
	mother.Draft.Mother.Set(spine.Must("gravida"), ehr(spine.Value{Number: 2}))
	mother.Draft.Mother.Set(spine.Must("mother_height_in"), ehr(spine.Value{Number: 67}))
	mother.Draft.Mother.Set(spine.Must("risk_factors"), ehr(spine.Value{Set: []string{"diabetes_gestational"}}))
	mother.Draft.Providers = []spine.Provider{{Key: "typed", Name: "Maren Lindqvist", Role: spine.RoleMidwife, Attending: true, Source: spine.EHRPull}}
	mother.Origins = []uscore.Origin{
		{At: spine.At("mother_height_in"), Text: "170.2 cm, LOINC 8302-2, 2025-10-01", Others: []string{"168 cm, LOINC 8302-2, 2019-02-03"}},
		{At: spine.At("gravida"), Text: "2, LOINC 11996-6, 2025-10-01"},
		{At: spine.At("mother_birth_date"), Text: "May 17, 1994, the patient's date of birth"},
		{At: spine.Of(spine.ProviderList, 0, "name"), Text: "attender of the Encounter of 2026-03-02"},
	}
	mother.Hints = []uscore.Hint{
		{At: spine.At("prepregnancy_weight_lb"), Text: "68 kg, LOINC 29463-7, 2025-05-01: not said to be before pregnancy", Value: &spine.Value{Number: 149.9}},
		{At: spine.At("risk_factors"), Text: "chronic hypertension, provisional", Value: &spine.Value{Set: []string{"hypertension_prepregnancy"}}},
		{At: spine.At("chart_number"), Text: "medical record number", Value: &spine.Value{Text: "MRN-7"}},
		{At: spine.Of(spine.ChildList, 0, "birth_weight_g"), Text: "3400 g in her chart, which child is not said"},
		{At: spine.Of(spine.TransferList, 0, "type"), Text: "came from another hospital"},
	}
	newborn := uscore.Filled{}
	newborn.Draft.Children = make([]spine.Values, 1)
	newborn.Draft.Children[0].Set(spine.Must("child_family_name"), ehr(spine.Value{Text: "Okonkwo"}))
	newborn.Draft.Children[0].Set(spine.Must("birth_date"), ehr(spine.Value{Text: "1994-05-17"}))
	return smart.Prefill{
		EHR: "Hill Hospital", EHRID: 1, ReadAt: time.Now(),
		Unread: []string{"Conditions: the EHR gave no access"},
		Reading: uscore.Reading{
			Patient: uscore.Patient{Name: "Amara Okonkwo", BirthDate: "1994-05-17", Number: "MRN-7"},
			Role:    uscore.Mother, Why: "she is 31 years old and has a pregnancy in the chart",
			As: map[uscore.Role]uscore.Filled{uscore.Mother: mother, uscore.Newborn: newborn},
		},
	}
}

// hidden reports whether a part of a page is not shown.
func hidden(n *html.Node) bool {
	for ; n != nil; n = n.Parent {
		if _, ok := attrOf(n, "hidden"); ok {
			return true
		}
	}
	return false
}

// near returns the visible words of a field: its label and everything next to it.
func (p formPage) near(id string) string {
	p.t.Helper()
	for n := p.byID(id); n != nil; n = n.Parent {
		if class, _ := attrOf(n.Parent, "class"); class == "fields" {
			var b strings.Builder
			for d := range n.Descendants() {
				if d.Type == html.TextNode && !hidden(d) {
					b.WriteString(d.Data + " ")
				}
			}
			return strings.Join(strings.Fields(b.String()), " ")
		}
	}
	require.FailNow(p.t, "no field around "+id)
	return ""
}

// button returns the value of the button with these words.
func (p formPage) button(text string) string {
	p.t.Helper()
	found := p.all(func(n *html.Node) bool { return n.Data == "button" && strings.HasPrefix(wordsOf(n), text) })
	require.Len(p.t, found, 1, text)
	value, _ := attrOf(found[0], "value")
	return value
}

// sourcesOf returns the sources of a record's values by field.
func sourcesOf(i *apptest.Installation, chart string) map[string]string {
	r, all := i.Record(chart), map[string]string{}
	for _, values := range append(r.Children, r.Mother, r.Care) {
		for _, v := range values {
			all[v.Field.Name] = string(v.Value.Source)
		}
	}
	return all
}

// completed adds to a form the values that the chart lacks.
func completed(form url.Values) url.Values {
	form.Set("child.0.birth_date", "3/2/2026")
	form.Set("child.0.birth_weight_g", "3420")
	return form
}

const prefilled = "/registry/capture/prefill"

func TestAPreFilledFormSaysWhoseChartItIsAndWhereEveryValueWasFound(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Provider)
	i.Pulled(b, mothersChart())
	answer := b.Get(prefilled)
	require.Equal(t, 200, answer.StatusCode)
	p := parsePage(t, answer)
	banner := wordsOf(p.byID("chart"))
	for _, text := range []string{
		"From the chart in Hill Hospital", "Amara Okonkwo", "May 17, 1994", "MRN-7", "The mother’s", "she is 31 years old",
		"The chart stays with this draft until you save the birth or delete the draft", "Conditions: the EHR gave no access", "the one due 2026-03-01 was chosen",
		"Blood group: the form does not ask for it", "Read from the chart, but not used", "Procedures, staff and relatives are not read", "came from another hospital",
	} {
		require.Contains(t, banner, text)
	}
	require.NotContains(t, banner, "has died")
	form := p.form()
	require.Equal(t, "Okonkwo", form.Get("mother_family_name"))
	require.Equal(t, "67", form.Get("mother_height_in"))
	require.Contains(t, p.near("mother_height_in"), "From EHR 170.2 cm, LOINC 8302-2, 2025-10-01")
	require.Contains(t, p.near("mother_height_in"), "1 other value of Mother's height 168 cm")
	require.Contains(t, p.near("mother_birth_date"), "From EHR the patient's date of birth", "the date itself stands in the box")
	require.Contains(t, p.near("person.0.name"), "From EHR attender of the Encounter")
	require.Contains(t, p.near("prepregnancy_weight_lb"), "In the chart: 68 kg")
	require.Empty(t, form.Get("prepregnancy_weight_lb"), "a hint fills in nothing")
	require.NotContains(t, p.near("parity"), "EHR")
	require.Contains(t, p.near("child.0.birth_weight_g"), "which child is not said")
	for _, d := range p.all(func(n *html.Node) bool { return n.Data == "details" }) {
		if _, open := attrOf(d, "open"); strings.HasPrefix(wordsOf(d), "More") && !open {
			require.NotContains(t, wordsOf(d), "In the chart", "no hint is folded away")
			require.NotContains(t, wordsOf(d), "From EHR")
		}
	}
}

func TestValuesLeftAsTheEHRGaveThemKeepThatSourceAndAllOthersAreManual(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Scribe)
	i.Pulled(b, mothersChart())
	p := parsePage(t, b.Get(prefilled))
	form := completed(p.form())
	form.Set("gravida", "3")
	form.Set("source", "ehr_pull")
	form.Set("do", p.button("Use 149.9 lb"))
	answer := b.Post("/registry/capture", form)
	require.Equal(t, 200, answer.StatusCode)
	p = parsePage(t, answer)
	form = p.form()
	require.Equal(t, "149.9", form.Get("prepregnancy_weight_lb"), "taken over by its button")
	require.NotContains(t, wordsOf(p.byID("main")), "Use 149.9 lb", "once")
	require.Contains(t, p.near("gravida"), "The EHR says: 2; LOINC 11996-6, 2025-10-01 Use the EHR’s value")
	require.NotContains(t, p.near("gravida"), "From EHR")
	require.NotContains(t, p.near("mother_height_in"), "The EHR says")
	require.Equal(t, 303, b.Post("/registry/capture", form).StatusCode)

	r := i.Record("B-000001")
	got := sourcesOf(i, "B-000001")
	for _, name := range []string{"mother_family_name", "mother_birth_date", "mother_height_in", "risk_factors", "attendant_name"} {
		require.Equal(t, "ehr_pull", got[name], name)
	}
	for _, name := range []string{"gravida", "prepregnancy_weight_lb", "birth_date", "birth_weight_g", "plurality"} {
		require.Equal(t, "manual", got[name], name)
	}
	require.Equal(t, spine.EHRPull, r.Head().Source)
	i.Clean()
}

func TestTheRecordSaysThatNoChartStatedTheConsentOrTheTypedProviders(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Provider)
	i.Pulled(b, mothersChart())
	form := completed(parsePage(t, b.Get(prefilled)).form())
	form.Set("consent.granted", "yes")
	form.Set("person.1.name", "Robin Doula")
	form.Set("person.1.role", "doula")
	require.Equal(t, 303, b.Post("/registry/capture", form).StatusCode)
	page := wordsOf(parsePage(t, b.Get("/registry/records/"+i.Record("B-000001").ID)).byID("main"))
	require.Contains(t, page, "filled in from the EHR and saved by Robin Provider on "+today()+", unless marked otherwise")
	require.Contains(t, page, "AttendingMaren Lindqvist, midwife PresentRobin", "as most values")
	require.Contains(t, page, "PresentRobin Doula, doula Entered by hand")
	require.Contains(t, page, "ConsentGranted Entered by hand")
}

func TestAButtonBringsBackTheEHRsValueAndItsSource(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Provider)
	i.Pulled(b, mothersChart())
	form := completed(parsePage(t, b.Get(prefilled)).form())
	form.Set("gravida", "3")
	form.Set("person.0.name", "Somebody Else")
	form.Set("do", "add-child")
	p := parsePage(t, b.Post("/registry/capture", form))
	require.Contains(t, p.near("person.0.name"), "The EHR says: Maren Lindqvist")
	form = p.form()
	for _, use := range []string{"use.gravida", "use.person.0.name", "remove-child.1"} {
		form.Set("do", use)
		form = parsePage(t, b.Post("/registry/capture", form)).form()
	}
	require.Equal(t, "2", form.Get("gravida"))
	require.Equal(t, "Maren Lindqvist", form.Get("person.0.name"))
	require.Equal(t, 303, b.Post("/registry/capture", form).StatusCode)
	require.Equal(t, "ehr_pull", sourcesOf(i, "B-000001")["gravida"])
	require.Equal(t, "ehr_pull", sourcesOf(i, "B-000001")["attendant_name"])
}

func TestAHintIsAddedToTheChoicesAlreadyMade(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Provider)
	i.Pulled(b, mothersChart())
	p := parsePage(t, b.Get(prefilled))
	form := p.form()
	form.Set("do", p.button("Use "+spine.Must("risk_factors").LabelOf("hypertension_prepregnancy")))
	p = parsePage(t, b.Post("/registry/capture", form))
	require.ElementsMatch(t, []string{"diabetes_gestational", "hypertension_prepregnancy"}, p.form()["risk_factors"])
	form = p.form()
	form.Set("do", p.button("Use MRN-7"))
	require.Equal(t, "MRN-7", parsePage(t, b.Post("/registry/capture", form)).form().Get("chart_number"))
	for _, do := range []string{"take.3", "take.99", "take.-1", "take.x", "take."} { // values that may only be read, or that don't exist
		form = completed(form)
		form.Set("do", do)
		require.Equal(t, 303, b.Post("/registry/capture", form).StatusCode, "%s is no button: it saves", do)
		i.Pulled(b, mothersChart())
		form = parsePage(t, b.Get(prefilled)).form()
	}
}

func TestAHintWithAnotherPersonsNameTakesNothingOverFromThePersonBefore(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Provider)
	chart := mothersChart()
	mother := chart.Reading.As[uscore.Mother]
	mother.Hints = append(mother.Hints, uscore.Hint{At: spine.Of(spine.ProviderList, 0, "name"), Text: "Ada Post: launched the registry", Value: &spine.Value{Text: "Ada Post"}})
	chart.Reading.As[uscore.Mother] = mother
	i.Pulled(b, chart)
	p := parsePage(t, b.Get(prefilled))
	form := p.form()
	require.Equal(t, []string{"Maren Lindqvist", "midwife", "yes"}, []string{form.Get("person.0.name"), form.Get("person.0.role"), form.Get("person.0.attending")})
	form.Set("do", p.button("Use Ada Post"))
	form = parsePage(t, b.Post("/registry/capture", form)).form()
	require.Equal(t, []string{"Ada Post", "", ""}, []string{form.Get("person.0.name"), form.Get("person.0.role"), form.Get("person.0.attending")})

	form.Set("person.0.role", "doula")
	form.Set("do", "use.person.0.name")
	form = parsePage(t, b.Post("/registry/capture", form)).form()
	require.Equal(t, []string{"Maren Lindqvist", "midwife", "yes"}, []string{form.Get("person.0.name"), form.Get("person.0.role"), form.Get("person.0.attending")})

	form.Set("person.0.name", "")
	form.Set("person.0.role", "nurse")
	form.Set("do", p.button("Use Ada Post"))
	form = parsePage(t, b.Post("/registry/capture", form)).form()
	require.Equal(t, []string{"Ada Post", "nurse"}, []string{form.Get("person.0.name"), form.Get("person.0.role")}, "the role was chosen for the person to be named")
}

func TestTheClinicianSaysWhoseChartItIs(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Provider)
	i.Pulled(b, mothersChart())
	p := parsePage(t, b.Get(prefilled))
	flip := p.all(func(n *html.Node) bool {
		return strings.HasPrefix(wordsOf(n), "No, it is the newborn’s chart") && n.Data == "a"
	})
	require.Len(t, flip, 1)
	require.Contains(t, wordsOf(flip[0]), "start this form again")
	href, _ := attrOf(flip[0], "href")
	require.Regexp(t, `^`+prefilled+`\?as=newborn&chart=[0-9a-f]{12}$`, href)
	p = parsePage(t, b.Get(href))
	form := p.form()
	require.Empty(t, form.Get("mother_family_name"))
	require.Equal(t, "Okonkwo", form.Get("child.0.child_family_name"))
	require.NotContains(t, wordsOf(p.byID("chart")), "31 years old", "why it seemed the mother's")
	form.Set("child.0.birth_date", "3/2/2026")
	form.Set("mother_family_name", "Okonkwo")
	form.Set("person.0.name", "Lee")
	form.Set("person.0.role", "midwife")
	answer := b.Post("/registry/capture", form)
	require.Equal(t, 303, answer.StatusCode, answer.Body)
	got := sourcesOf(i, "B-000001")
	require.Equal(t, "ehr_pull", got["child_family_name"], "the same words, of the newborn")
	require.Equal(t, "manual", got["mother_family_name"])
	require.Equal(t, spine.EHRPull, i.Record("B-000001").Head().Source, "also where only the newborn's chart was read")

	chart := mothersChart()
	chart.Reading.Role, chart.Reading.Why = uscore.Unknown, "the chart has no date of birth"
	i.Pulled(b, chart)
	p = parsePage(t, b.Get(prefilled+"?as=<script>"))
	banner := wordsOf(p.byID("chart"))
	require.Contains(t, banner, "The chart does not say whether it is the mother’s or the newborn’s")
	require.Contains(t, banner, "It is the mother’s chart")
	require.Contains(t, banner, "It is the newborn’s chart")
	require.Empty(t, p.form().Get("mother_family_name"))
}

func TestThePanelOfTheChartIsFoldedWhileTheFormIsChecked(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Provider)
	i.Pulled(b, mothersChart())
	p := parsePage(t, b.Get(prefilled))
	require.NotContains(t, wordsOf(p.byID("chart")), "More about this chart")
	form := p.form()
	path := "/registry/drafts/" + form.Get("fresh")
	require.Equal(t, path+"?check=1", press(t, b, path, "save", form))
	page := b.Get(path + "?check=1")
	before, folded, found := strings.Cut(page.Body[strings.Index(page.Body, `id="chart"`):], "<summary>More about this chart</summary>")
	require.True(t, found)
	require.Contains(t, before, "Amara Okonkwo")
	require.NotContains(t, before, "The mother’s chart.")
	require.Contains(t, folded, "The mother’s chart.")
}

func TestADeathInTheChartIsShownAndBlocksNothing(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Provider)
	chart := mothersChart()
	chart.Reading.Patient.Deceased = true
	i.Pulled(b, chart)
	p := parsePage(t, b.Get(prefilled))
	require.Contains(t, wordsOf(p.byID("chart")), "The chart says that this patient has died.")
	require.Equal(t, 303, b.Post("/registry/capture", completed(p.form())).StatusCode)
}

func TestAUserWhoMayNotRecordBirthsIsShownNoChartAndItIsDeleted(t *testing.T) {
	i := clinic(t)
	b := i.SignIn(i.Practice, auth.Viewer)
	handle := i.Pulled(b, mothersChart())
	answer := b.Get(prefilled)
	require.Equal(t, 403, answer.StatusCode)
	require.NotContains(t, answer.Body, "Amara")
	carla := auth.User{ID: userID(i, "carla@example.org"), Role: auth.Admin, Practice: store.Practice{ID: i.Practice}}
	_, err := i.App.Smart.Prefill(t.Context(), handle, carla)
	require.ErrorIs(t, err, smart.ErrNoPrefill, "it waits for nobody else")
}

func TestAnEmptyChartGivesAnEmptyFormAndSaysSo(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Provider)
	chart := mothersChart()
	chart.Reading.As[uscore.Mother] = uscore.Filled{}
	i.Pulled(b, chart)
	require.Contains(t, b.Get(prefilled).Body, "The chart holds nothing that this form asks for. Fill in the form by hand.")
	other := i.SignIn(i.Practice, auth.Provider)
	answer := other.Get(prefilled)
	require.Equal(t, 200, answer.StatusCode)
	require.Contains(t, answer.Body, "No chart from an EHR is available")
	form := parsePage(t, answer).form()
	for name, texts := range birthOf("Okonkwo") {
		form[name] = texts
	}
	require.Equal(t, 303, other.Post("/registry/capture", form).StatusCode, "it is the form all the same")
}

func TestChartContentIsShownAsTextAndNeverAsHTML(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Provider)
	const script = `<script>alert(1)</script>"'`
	chart := mothersChart()
	chart.EHR, chart.Unread, chart.Reading.Why = script, []string{script}, script
	chart.Reading.Patient = uscore.Patient{Name: script, BirthDate: script, Number: script}
	filled := chart.Reading.As[uscore.Mother]
	filled.Notices, filled.Unused = []string{script}, []string{script}
	for n := range filled.Origins {
		filled.Origins[n].Text, filled.Origins[n].Others = script, []string{script}
	}
	for n := range filled.Hints {
		filled.Hints[n].Text = script
	}
	chart.Reading.As[uscore.Mother] = filled
	i.Pulled(b, chart)
	answer := b.Get(prefilled)
	require.NotContains(t, answer.Body, "<script>alert")
	require.Greater(t, strings.Count(answer.Body, "&lt;script&gt;"), 10)
	require.NotContains(t, i.Log.String(), "alert(1)")
}

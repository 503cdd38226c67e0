package app_test

import (
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/mapping/uscore"
	"birthregistry/app/smart"
	"birthregistry/store"
)

// chartOfAmara returns a chart as a launch hands it to the form.
func chartOfAmara() smart.Prefill {
	from := func(v birth.Value) birth.Value { v.Source = birth.EHRPull; return v }
	var f uscore.Filled
	for name, v := range map[string]birth.Value{
		"mother_family_name": {Text: "Okonkwo"}, "mother_given_names": {Text: "Amara"}, "mother_birth_date": {Text: "1994-05-17"},
		"mother_postal_code": {Text: "12201"}, "gravida": {Number: 2}, "estimated_due_date": {Text: "2026-03-01"},
		"mother_height_in": {Number: 67}, "risk_factors": {Set: []string{"diabetes_gestational"}},
	} {
		f.Draft.Mother.Set(birth.Must(name), from(v))
	}
	f.Origins = []uscore.Origin{
		{At: birth.At("mother_birth_date"), Text: "Patient.birthDate"},
		{At: birth.At("gravida"), Text: "2, LOINC 11996-6, 2025-10-01"},
		{At: birth.At("mother_height_in"), Text: "170.2 cm, LOINC 8302-2, 2025-10-01", Others: []string{"168 cm, LOINC 8302-2, 2019-02-03"}},
		{At: birth.At("risk_factors"), Text: "Gestational diabetes, SNOMED 11687002, 2025-11-20"},
	}
	f.Hints = []uscore.Hint{
		{At: birth.At("prepregnancy_weight_lb"), Text: "68 kg, LOINC 29463-7, 2025-05-01: not said to be before pregnancy", Value: &birth.Value{Number: 149.9}},
		{At: birth.At("chart_number"), Text: "medical record number", Value: &birth.Value{Text: "MRN-7"}},
		{At: birth.At("risk_factors"), Text: "hypertension, provisional", Value: &birth.Value{Set: []string{"hypertension_prepregnancy"}}},
		{At: birth.Of(birth.ChildList, 0, "birth_weight_g"), Text: "3400 g, LOINC 8339-4, 2026-03-02: which child is not said", Value: &birth.Value{Number: 3400}},
	}
	f.Notices = []string{"The chart has 2 pregnancies: the one due 2026-03-01 was taken, since it is nearest to today."}
	f.Unused = []string{"Weight 20 kg, 1999-07-02: a child's", "Blood group A, LOINC 883-9: the form does not ask for it"}
	return smart.Prefill{
		EHR: "Hill Hospital", EHRID: 1, ReadAt: time.Now(), Unread: []string{"Conditions: the EHR gave no access"},
		Reading: uscore.Reading{
			Patient: uscore.Patient{Name: "Amara Okonkwo", BirthDate: "1994-05-17", Number: "MRN-7", Deceased: true},
			Role:    uscore.Mother, Why: "She is 31 years old, and the chart has a pregnancy.",
			As: map[uscore.Role]uscore.Filled{uscore.Mother: f, uscore.Newborn: {}},
		},
	}
}

func TestAFormFilledInFromAChartIsCheckedChangedAndSaved(t *testing.T) {
	t.Parallel()
	i, p := practice(t)
	i.Practice = p
	who := i.SignIn(p, auth.Provider)
	i.Pulled(who, chartOfAmara())
	b := newBrowser(t, i.URL)
	b.signIn(who)
	b.look("/registry/capture/prefill")
	b.sees("From the chart in Hill Hospital", "has died", "When it was read, and how long it is kept")
	b.fill("gravida", "3")
	b.press("Use 149.9 lb for Weight before the pregnancy")
	require.Equal(t, "149.9", b.value("prepregnancy_weight_lb"))
	require.Equal(t, "#prepregnancy_weight_lb", script[string](b, `location.hash`), "back at the field")
	b.sees("The EHR says: 2")
	b.accessible()
	b.fits(320)
	b.picture("registry-capture-prefill-changed")
	b.submit(`button[value="use.gravida"]`)
	require.Equal(t, "2", b.value("gravida"))
	b.fill("child.0.birth_date", "3/2/2026")
	b.fill("person.0.name", "Lee")
	b.choose("person.0.role", "midwife")
	b.saveBirth()
	require.Equal(t, birth.EHRPull, i.Record("B-000001").Head().Source)
	b.open("/registry/capture/prefill")
	b.sees("No chart from an EHR is available")
}

func TestAnEHRMayShowTheEmbeddedLaunchInsideItsOwnPageAndNothingElse(t *testing.T) {
	t.Parallel()
	i := apptest.Start(t)
	ehr := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<!DOCTYPE html><title>EHR</title><iframe width="600" height="400" src="%s%s"></iframe>`, i.URL, html.EscapeString(r.URL.RequestURI()))
	}))
	t.Cleanup(ehr.Close)
	require.NoError(t, i.App.DB.Update(func(tx *store.Tx) error {
		_, _, err := tx.PutEHR(store.EHR{
			Issuer: "https://ehr.example.org/fhir", ClientID: "c", Auth: store.AuthPublic, Label: "Hill Hospital", Frames: []string{ehr.URL},
		})
		return err
	}))
	b := newBrowser(t, ehr.URL)
	b.open("/smart/launch?launch=token&iss=https://ehr.example.org/fhir")
	b.picture("smart-launch-framed")
	time.Sleep(300 * time.Millisecond) // the browser may complain a little later
	b.mu.Lock()
	complaints := b.complaints
	b.mu.Unlock()
	require.Empty(t, complaints)
	b.open("/sign-in")
	require.Eventually(t, func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		return len(b.complaints) > 0
	}, patience, 50*time.Millisecond, "the browser refuses to frame another page")
	b.run(chromedp.Navigate("about:blank")) // afterwards the browser no longer complains about that page
	b.mu.Lock()
	b.complaints = nil
	b.mu.Unlock()
	b.base = i.URL
	b.look("/smart/launch")
	b.look("/smart/callback")
	b.sees("This launch cannot continue", "support code")
}

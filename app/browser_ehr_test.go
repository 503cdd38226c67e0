package app_test

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"birthregistry/app"
	"birthregistry/app/apptest"
	"birthregistry/app/birth"
	"birthregistry/app/records"
)

// launchFrom opens the EHR's start page and presses its launch button.
func (b *browser) launchFrom(ehr *apptest.EHR, patient string) {
	b.Helper()
	b.leave(chromedp.Navigate(ehr.Address), "the EHR")
	b.click(`input[value="` + patient + `"]`)
	b.press("Record a birth")
}

func TestAClinicianLaunchesFromTheEHRSignsInChecksTheFormAndSaves(t *testing.T) {
	t.Parallel()
	for name, scripted := range map[string]bool{"with JavaScript": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			i, p := practice(t, func(c *app.Config) { c.Smart.Loopback = true })
			l := &ehrLaunch{i, t, apptest.StartEHR(t, i.URL)}
			l.list("", "registry-key")
			b := newBrowser(t, i.URL)
			if !scripted {
				b.withoutScript()
			}
			b.launchFrom(l.ehr, amara)
			require.Equal(t, "/sign-in", b.path())
			b.sees("Your EHR has sent you here to record a birth.")
			if scripted {
				b.accessible()
				b.fits(320)
				b.picture("sign-in-launch")
			}
			b.fill("email", robin)
			b.fill("password", password)
			b.press("Sign in")

			require.Equal(t, prefilled, b.path())
			require.NotContains(t, script[string](b, `location.href`), "code=", "the code has left the address bar")
			b.sees("From the chart in Test EHR", "Amara Grace Okonkwo", "MRN-1001")
			require.Equal(t, "Okonkwo", b.value("mother_family_name"))
			require.Equal(t, "67.1", b.value("mother_height_in"))
			require.Equal(t, "2", b.value("gravida"))
			if scripted {
				b.accessible()
				b.fits(320)
				b.picture("capture-prefill")
				b.offersAtOnce("gravida", "3", "2")
				chosen := `input[name="risk_factors"][value="diabetes_gestational"]`
				b.click(chosen)
				require.Contains(t, b.near("risk_factors"), "The EHR says", "what is chosen counts as what is typed")
				b.click(chosen)
				require.NotContains(t, b.near("risk_factors"), "The EHR says")
			}
			b.fill("gravida", "3")
			if b.value("child.0.birth_date") == "" {
				b.fill("child.0.birth_date", "2026-03-02")
			}
			b.saveBirth()

			i.Practice = p
			mother := map[string]records.Value{}
			for _, v := range i.Record("B-000001").Mother {
				mother[v.Field.Name] = v
			}
			require.Equal(t, birth.EHRPull, mother["mother_family_name"].Value.Source)
			require.Equal(t, birth.EHRPull, mother["mother_height_in"].Value.Source)
			require.Equal(t, birth.Manual, mother["gravida"].Value.Source, "what was changed is the clinician's")
			b.open(prefilled)
			require.Empty(t, b.value("mother_family_name"), "saved, it waits no more")
		})
	}
}

// offersAtOnce requires that the form offers the EHR's value next to its field as soon as the
// person types something else, and stops when the field has the EHR's value again.
func (b *browser) offersAtOnce(field, other, ehr string) {
	b.Helper()
	near := func() string { return b.near(field) }
	require.Contains(b, near(), "From EHR")
	require.NotContains(b, near(), "The EHR says")
	b.fill(field, other)
	require.Contains(b, near(), "The EHR says: "+ehr)
	require.Contains(b, near(), "Use the EHR’s value")
	require.NotContains(b, near(), "From EHR")
	b.accessible()
	b.fill(field, ehr)
	require.Contains(b, near(), "From EHR")
	require.NotContains(b, near(), "The EHR says")
}

// near returns the text next to a field.
func (b *browser) near(field string) string {
	return script[string](b, `document.getElementById("`+field+`-source").innerText`)
}

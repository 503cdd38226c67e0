package web_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
)

func TestNewbornsPeopleAndTransfersAreAddedAndRemovedWithoutAScript(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Provider)
	form := openForm(t, b, birthOf("Okonkwo"))
	press := func(button string) formPage {
		form.Set("do", button)
		answer := b.Post("/registry/capture", form)
		require.Equal(t, 200, answer.StatusCode, button)
		p := parsePage(t, answer)
		require.NotEmpty(t, p.all(func(n *html.Node) bool {
			v, _ := attrOf(n, "value")
			return n.Data == "button" && v == button || v == "add-child"
		}))
		form = p.form()
		return p
	}
	press("add-child")
	form.Set("child.1.birth_date", "3/2/2026")
	form.Set("child.1.birth_weight_g", "2600")
	press("add-person")
	press("add-transfer")
	form.Set("transfer.0.type", "neonatal")
	press("add-person") // the first one is still empty, so it is used again
	form.Set("person.1.name", "Chidi Abara")
	form.Set("person.1.credentials", "Birth doula")
	press("add-child")
	form.Set("child.2.birth_date", "3/2/2026")
	p := press("ask-child.1")
	require.Equal(t, "2600", form.Get("child.1.birth_weight_g"), "one tap removes nothing that was typed")
	do, _ := attrOf(p.byID("remove"), "value")
	p = press(do)
	require.Empty(t, p.all(func(n *html.Node) bool { v, _ := attrOf(n, "id"); return v == "child.2" }))
	require.Equal(t, "7 lb 9 oz", form.Get("child.0.birth_weight_g"), "typed text stays")
	require.Equal(t, "", form.Get("child.1.birth_weight_g"))
	require.Equal(t, 0, i.Count())
	form.Set("do", "save")
	answer := b.Post("/registry/capture", form)
	require.Equal(t, 303, answer.StatusCode, parsePage(t, answer).summary())
	r := i.Record("B-000001")
	require.Len(t, r.Children, 2)
	require.Len(t, r.Providers, 2)
	require.Equal(t, "doula", string(r.Providers[1].Role))
	require.Len(t, r.Transfers, 1)
}

func TestNoMoreNewbornsAreAddedThanABirthMayHave(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Provider)
	form := openForm(t, b, birthOf("Okonkwo"))
	form.Set("do", "add-child")
	for n := range 12 {
		answer := b.Post("/registry/capture", form)
		page := parsePage(t, answer)
		_, full := page.summary()["child.11.birth_date"]
		require.Equal(t, n == 11, full)
		form = page.form()
		form.Set("do", "add-child")
	}
	form.Set("child.12.birth_date", "3/2/2026")
	form.Set("do", "save")
	answer := b.Post("/registry/capture", form)
	require.Equal(t, 422, answer.StatusCode)
	require.Contains(t, parsePage(t, answer).summary()["child.11.birth_date"], "up to 12 newborns")
	require.Equal(t, "3/2/2026", parsePage(t, answer).form().Get("child.12.birth_date"))
	require.Equal(t, 0, i.Count())
}

func TestAnEmptyRowDoesNotShiftWhichRowIsRemoved(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Provider)
	form := openForm(t, b, birthOf("Okonkwo"))
	form.Set("person.1.name", "")
	form.Set("person.2.name", "Chidi Abara")
	form.Set("do", "remove-person.2")
	left := parsePage(t, b.Post("/registry/capture", form)).form()
	require.Equal(t, "Maren Lindqvist", left.Get("person.0.name"))
	require.NotContains(t, left, "person.1.name")
}

func TestWhateverIsTypedIsShownUnchanged(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Provider)
	texts := []string{
		`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `O'Brien & "Söhne"`, "אמא\u202e RTL \u200f", "👩🏽‍🍼 emoji", "=HYPERLINK(1)",
		`{{.}} ${x} %s`, "a\u0301", "  blanks  ", "</textarea></title>", "&lt;b&gt;",
	}
	form := openForm(t, b, birthOf("Okonkwo"))
	form.Set("gravida", "many") // so that the form comes back
	names := []string{
		"mother_family_name", "mother_given_names", "mother_postal_code", "facility_name", "child.0.child_given_names", "person.0.name",
		"person.0.credentials", "chart_number", "child.0.birth_date", "labor_onset_datetime", "labor_onset_datetime.time", "gravida",
		"consent.date_time", "mother_birth_date",
	}
	for _, text := range texts {
		for _, name := range names {
			form.Set(name, text)
		}
		answer := b.Post("/registry/capture", form)
		require.Equal(t, 422, answer.StatusCode)
		p := parsePage(t, answer)
		back := p.form()
		for _, name := range names {
			require.Equal(t, text, back.Get(name), name)
		}
		require.Empty(t, p.all(func(n *html.Node) bool {
			_, handler := attrOf(n, "onerror")
			_, style := attrOf(n, "style")
			src, _ := attrOf(n, "src")
			return handler || style || n.Data == "img" || n.Data == "script" && src != "/assets/app.js"
		}), "nothing typed became code")
		for _, line := range p.summary() {
			require.NotContains(t, line, text)
		}
		require.NotContains(t, i.Log.String(), "onerror")
	}
	require.Equal(t, 0, i.Count())
}

func TestTheFormCannotSetSourceVersionPracticeOrID(t *testing.T) {
	i := apptest.Start(t)
	other := i.AddPractice("Elsewhere")
	b := i.SignIn(i.Practice, auth.Provider)
	form := openForm(t, b, birthOf("Okonkwo"))
	for name, text := range map[string]string{
		"source": "ehr_pull", "gravida.source": "ehr_pull", "version": "7", "practice": "2", "uuid": "0199d3a1-7c4e-7b52-9d6f-3f0c8f6a1b27",
		"id": "0199d3a1-7c4e-7b52-9d6f-3f0c8f6a1b27", "state": "voided", "user": "1", "ig_version": "9.9", "stamp": "2036-01-01T00:00:00Z",
		"basis": "3", "attendant_type": "doula", "birth_month": "2020-01", "vbac": "yes", "person.0.key": "staff-17",
		"fresh": "0199d3a1-7c4e-7b52-9d6f-3f0c8f6a1b27", "gravida": "2",
	} {
		form.Set(name, text)
	}
	require.Equal(t, 303, b.Post("/registry/capture", form).StatusCode)
	r := i.Record("B-000001")
	require.Equal(t, 1, r.Version)
	require.Equal(t, "active", string(r.State))
	require.NotEqual(t, "0199d3a1-7c4e-7b52-9d6f-3f0c8f6a1b27", r.ID)
	require.Empty(t, r.IGVersion)
	require.NotContains(t, r.SourceStamp, "2036", "its stamp is the moment of saving")
	for _, v := range append(append(r.Mother, r.Care...), r.Children[0]...) {
		require.Equal(t, "manual", string(v.Value.Source), v.Field.Name)
		require.NotEqual(t, "vbac", v.Field.Name)
	}
	i.Practice = other
	require.Equal(t, 0, i.Count())
}

func TestAFormOfAnotherSiteOrTooLargeIsRefused(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Provider)
	body := birthOf("Okonkwo").Encode()
	answer := b.Do("POST", "/registry/capture", strings.NewReader(body), map[string]string{
		"Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "cross-site", "Origin": "https://elsewhere.example",
	})
	require.Equal(t, 403, answer.StatusCode)
	large := birthOf("Okonkwo")
	large.Set("reason", strings.Repeat("x", 300<<10))
	answer = b.Post("/registry/capture", large)
	require.Equal(t, 400, answer.StatusCode)
	require.Contains(t, answer.Body, "Nothing was saved")
	require.Equal(t, 400, b.Do("POST", "/registry/capture", strings.NewReader("a=%zz"), map[string]string{
		"Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin",
	}).StatusCode)
	require.Equal(t, 422, b.Post("/registry/capture", url.Values{}).StatusCode, "an empty form")
	require.Equal(t, 0, i.Count())
}

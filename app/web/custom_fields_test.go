package web_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
	spine "birthregistry/app/birth"
	"birthregistry/app/customfields"
)

const customFields = "/registry/fields"

func fieldForm(label, kind, options string) url.Values {
	return url.Values{"label": {label}, "kind": {kind}, "options": {options}}
}

func define(t *testing.T, i *apptest.Installation, b *apptest.Browser, label, kind, options string) spine.CustomField {
	t.Helper()
	require.Equal(t, 303, b.Post(customFields, fieldForm(label, kind, options)).StatusCode)
	all, err := i.App.CustomFields.List(t.Context(), i.Practice)
	require.NoError(t, err)
	return all[len(all)-1]
}

func TestAnAdminDefinesRenamesReordersAndRetiresFields(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Admin)
	page := b.Get(customFields)
	require.Contains(t, page.Body, customfields.Warning)
	require.Contains(t, page.Body, "There are none yet")
	tub := define(t, i, b, "Water <temperature>", "number", "")
	choice := define(t, i, b, "Room", "choice", "Blue\r\nGreen\r\n")
	page = b.Get(customFields)
	for _, text := range []string{"Water &lt;temperature&gt;", "x_water_temperature", "One of several choices", "<li>Green</li>", "is added to the form"} {
		require.Contains(t, page.Body, text)
	}
	at := func(f spine.CustomField, what string) string {
		return fmt.Sprintf("%s/%d/%s", customFields, f.ID, what)
	}
	require.Less(t, strings.Index(page.Body, "x_water"), strings.Index(page.Body, "x_room"))
	require.Equal(t, 303, b.Post(at(choice, "up"), nil).StatusCode)
	page = b.Get(customFields)
	require.Greater(t, strings.Index(page.Body, "x_water"), strings.Index(page.Body, "x_room"))
	require.Equal(t, 303, b.Post(at(choice, "down"), nil).StatusCode)

	require.Contains(t, b.Get(at(choice, "edit")).Body, "Retire “Room”")
	require.Equal(t, 303, b.Post(at(choice, "label"), url.Values{"label": {"Birth room"}}).StatusCode)
	require.Equal(t, 303, b.Post(at(tub, "retire"), nil).StatusCode)
	page = b.Get(customFields)
	require.Contains(t, page.Body, "Birth room")
	require.Contains(t, page.Body, "x_room")
	require.Contains(t, page.Body, "Retired</span>")
	require.Contains(t, b.Get(at(tub, "edit")).Body, "Bring “Water &lt;temperature&gt;” back")
	require.Equal(t, 303, b.Post(at(tub, "restore"), nil).StatusCode)
	require.NotContains(t, b.Get(customFields).Body, "Retired</span>")
	require.Equal(t, 404, b.Post(at(tub, "nonsense"), nil).StatusCode)
}

func TestAFieldThatIsRefusedKeepsWhatWasTyped(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Admin)
	f := define(t, i, b, "Room", "text", "")
	for text, form := range map[string]url.Values{
		"Write a label of 1 to 60 characters":  fieldForm(" ", "bool", ""),
		"Choose what the field asks for":       fieldForm("<b>Tub</b>", "", ""),
		"Write 2 to 50 different choices":      fieldForm("Pool", "choice", "Only one"),
		"The form has a field with this label": fieldForm("room", "date", ""),
	} {
		page := b.Post(customFields, form)
		require.Equal(t, 422, page.StatusCode, text)
		require.Contains(t, page.Body, text)
		if typed := form.Get("label"); !strings.Contains(typed, "<") {
			require.Contains(t, page.Body, `value="`+typed+`"`)
		} else {
			require.Contains(t, page.Body, "&lt;b&gt;Tub&lt;/b&gt;")
			require.NotContains(t, page.Body, "<b>Tub")
		}
	}
	page := b.Post(fmt.Sprintf("%s/%d/label", customFields, f.ID), url.Values{"label": {strings.Repeat("x", 61)}})
	require.Equal(t, 422, page.StatusCode)
	require.Contains(t, page.Body, strings.Repeat("x", 61))
	all, err := i.App.CustomFields.List(t.Context(), i.Practice)
	require.NoError(t, err)
	require.Len(t, all, 1)
}

func TestAFieldFormNamesEverythingThatIsWrongAtOnce(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Admin)
	define(t, i, b, "Room", "text", "")
	for form, names := range map[*url.Values][]string{
		{"label": {" "}}: {"label", "kind"},
		{"label": {" "}, "kind": {"choice"}, "options": {"Only one"}}:    {"label", "options"},
		{"label": {"room"}, "kind": {"choice"}, "options": {"Only one"}}: {"label", "options"},
	} {
		page := b.Post(customFields, *form)
		require.Equal(t, 422, page.StatusCode)
		lines := parsePage(t, page).summary()
		require.Len(t, lines, len(names))
		for _, name := range names {
			require.Contains(t, lines, name)
		}
	}
}

func TestOnlyAdminsOfThePracticeReachItsFields(t *testing.T) {
	i := apptest.Start(t)
	f := define(t, i, i.SignIn(i.Practice, auth.Admin), "Room", "text", "")
	paths := []string{"edit", "label", "retire", "restore", "up", "down"}
	for _, role := range []auth.Role{auth.Provider, auth.Scribe, auth.Viewer} {
		b := i.SignIn(i.Practice, role)
		require.Equal(t, 403, b.Get(customFields).StatusCode)
		require.Equal(t, 403, b.Post(customFields, fieldForm("Mine", "text", "")).StatusCode)
		for _, p := range paths[1:] {
			require.Equal(t, 403, b.Post(fmt.Sprintf("%s/%d/%s", customFields, f.ID, p), url.Values{"label": {"Mine"}}).StatusCode)
		}
	}
	stranger := i.SignIn(practiceWith(t, i, false, false), auth.Admin)
	require.NotContains(t, stranger.Get(customFields).Body, "x_room")
	require.Equal(t, 404, stranger.Get(fmt.Sprintf("%s/%d/edit", customFields, f.ID)).StatusCode)
	for _, p := range paths[1:] {
		require.Equal(t, 404, stranger.Post(fmt.Sprintf("%s/%d/%s", customFields, f.ID, p), url.Values{"label": {"Mine"}}).StatusCode)
	}
	all, err := i.App.CustomFields.List(t.Context(), i.Practice)
	require.NoError(t, err)
	require.Equal(t, []spine.CustomField{f}, all)
}

// Spec, "Canonical course-of-care spine": custom fields exist outside the FHIR lane.
func TestNoBundleFillsInACustomField(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Admin)
	define(t, i, b, "Tub", "text", "")
	define(t, i, b, "Dog", "bool", "")
	var extra []string
	for _, system := range []string{"urn:birthregistry:spine", "http://loinc.org", "urn:x"} {
		for _, code := range []string{"x_tub", "tub", "x_dog", "dog"} {
			extra = append(extra, fmt.Sprintf(`{"resourceType":"Observation","status":"final","subject":{"reference":"Patient/child0"},
				"code":{"coding":[{"system":%q,"code":%q}],"text":%q},"valueString":"Customword","valueBoolean":true,
				"extension":[{"url":%q,"valueString":"Customword"}],"x_tub":"Customword"}`, system, code, code, code))
		}
	}
	body := apptest.Course{Chart: "C-1", Extra: extra}.Bundle()
	body = strings.Replace(body, `{"resourceType":"Bundle",`, `{"resourceType":"Bundle","x_tub":"Customword","custom":{"tub":"Customword"},`, 1)
	accepted := i.Post(body)
	receipt := i.Receipt(accepted)
	out, err := receipt.ParseOutcome()
	require.NoError(t, err)
	require.Len(t, out.Accepted, 1)
	record := i.Record("C-1")
	require.Empty(t, record.Custom)
	doc, err := json.Marshal(record)
	require.NoError(t, err)
	answer := string(i.Do("GET", apptest.PathOf(accepted), "").Body)
	for _, word := range []string{"Customword", "tub", "x_dog"} {
		require.NotContains(t, string(doc), word)
		require.NotContains(t, answer, word)
	}
	require.NotRegexp(t, `\bx_`, string(i.Do("GET", "/openapi.json", "").Body))
}

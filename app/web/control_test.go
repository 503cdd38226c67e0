package web_test

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
	spine "birthregistry/app/birth"
	"birthregistry/app/records"
	"birthregistry/store"
)

func TestNoControlCharacterIsKeptOrSentBack(t *testing.T) {
	i := apptest.Start(t)
	_, err := i.App.CustomFields.Define(auth.Operator(store.Practice{ID: i.Practice}), spine.CustomField{Label: "Tub", Kind: spine.CustomText})
	require.NoError(t, err)
	b := i.SignIn(i.Practice, auth.Admin)
	form := openForm(t, b, birthOf("Oko\x00nkwo\x1b"))
	form.Set("x_tub", "lar\x00ge")
	form.Set("person.0.name", "Maren\x01 Lindqvist")
	form.Set("chart_number", "A\x001")
	answer := b.Post("/registry/capture", form)
	require.Equal(t, 422, answer.StatusCode)
	require.Equal(t, "Chart number: write it on one line; it has characters that cannot be read.", parsePage(t, answer).summary()["chart_number"])
	require.NotContains(t, answer.Body, "\x00")
	again := parsePage(t, answer).form()
	require.Equal(t, 422, b.Post("/registry/capture", again).StatusCode, "nor is the number guessed the second time")
	form.Set("chart_number", "A1")
	require.Equal(t, 303, b.Post("/registry/capture", form).StatusCode)
	r := i.Record("A1")
	require.Contains(t, textsOf(r.Mother), "Okonkwo")
	require.Equal(t, "large", r.CustomFields[0].Text)
	require.Equal(t, "Maren Lindqvist", r.Providers[0].Name)

	path := "/registry/records/" + r.ID
	decided := b.Post(path+"/void", url.Values{"reason": {"entered\x00 twice\r\nby me"}, "basis": {"1"}})
	require.Equal(t, 303, decided.StatusCode)
	require.Equal(t, 422, b.Post(path+"/restore", url.Values{"reason": {"\x00\x01"}}).StatusCode)
	for _, path := range []string{path, path + "/versions", "/registry/audit"} {
		require.NotContains(t, b.Get(path).Body, "\x00", path)
	}
	require.Contains(t, b.Get(path).Body, "entered twice")
	require.NotContains(t, b.Post("/registry/fields", url.Values{"label": {"a\x00b"}, "kind": {"text"}}).Body, "\x00")
}

// textsOf lists the texts of values.
func textsOf(values records.Values) (texts []string) {
	for _, v := range values {
		texts = append(texts, v.Value.Text)
	}
	return texts
}

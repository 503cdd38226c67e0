package web_test

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
)

func TestPW_1_InvitationResetAndAccountSayWhyTheyRefuseAPassword(t *testing.T) {
	i := apptest.Start(t)
	addUser(i, i.Practice, olive, auth.Viewer)
	invitation, _, err := i.App.Auth.AddUser(i.Practice, "new@example.org", "", auth.Viewer, "")
	require.NoError(t, err)
	reset, err := i.App.Auth.AccountLink(olive, auth.ResetOptions{})
	require.NoError(t, err)
	for bad, text := range map[string]string{
		"hunter2":             "at least 15 characters",
		"abcabcabcabcabc":     "repeats itself",
		"qwertyuiop09876":     "repeats itself",
		"iloveyou1234567":     "any people use this password",
		"birth-registry-1":    "built from the email address",
		"example.org example": "built from the email address",
	} {
		for path, c := range map[string]struct {
			b    *apptest.Browser
			form url.Values
		}{
			"/invite":           {i.Stranger(), url.Values{"code": {invitation.Code}, "password": {bad}}},
			"/reset":            {i.Stranger(), url.Values{"code": {reset.Code}, "password": {bad}}},
			"/account/password": {signedIn(i, olive), url.Values{"present": {password}, "next": {bad}}},
		} {
			page := c.b.Post(path, c.form)
			require.Equal(t, 422, page.StatusCode, "%s: %s", path, bad)
			require.Contains(t, page.Body, text, "%s: %s", path, bad)
			require.NotContains(t, page.Body, bad)
		}
	}
	leadsTo(t, "/registry", i.Stranger().Post("/sign-in", credentials(olive, password)))
}

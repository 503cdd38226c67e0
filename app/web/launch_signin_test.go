package web_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
)

const launchNote = "Your EHR has sent you here to record a birth."

// signInAfterLaunch returns a visitor whose launch has read the chart and led to the sign-in.
func signInAfterLaunch(t *testing.T) (*apptest.Installation, *apptest.Browser) {
	t.Helper()
	i, e := connected(t)
	addUser(i, i.Practice, olive, auth.Provider)
	b := i.Stranger()
	require.Equal(t, 303, b.Get(callback("state", e.launched(t, b), "code", "c")).StatusCode)
	leadsTo(t, "/sign-in", b.Get(prefilled))
	return i, b
}

func TestTheSignInSaysThatALaunchGoesOnAndNamesNoPatient(t *testing.T) {
	i, b := signInAfterLaunch(t)
	require.NotContains(t, i.Stranger().Get("/sign-in").Body, launchNote)
	page := b.Get("/sign-in")
	require.Contains(t, page.Body, launchNote)
	mistaken := b.Post("/sign-in", credentials(olive, wrong))
	require.Equal(t, 422, mistaken.StatusCode)
	require.Contains(t, mistaken.Body, launchNote)
	for _, name := range []string{"Okonkwo", "Amara", "1994"} {
		require.NotContains(t, page.Body+mistaken.Body, name)
	}
	leadsTo(t, prefilled, b.Post("/sign-in", credentials(olive, password)))
	require.Contains(t, b.Get(prefilled).Body, "From the chart in Hill Hospital")
}

// The page that was asked for is remembered for ten minutes, the chart for thirty.
func TestALaunchGoesOnWhenTheRequestedPageIsForgotten(t *testing.T) {
	i, e := connected(t)
	addUser(i, i.Practice, olive, auth.Provider)
	b := i.Stranger()
	back := b.Get(callback("state", e.launched(t, b), "code", "c"))
	only := map[string]string{"Cookie": "registry-session=" + sessionOf(back).Value, "Content-Type": "application/x-www-form-urlencoded"}
	require.Contains(t, i.Stranger().Do("GET", "/sign-in", nil, only).Body, launchNote)
	leadsTo(t, prefilled, i.Stranger().Do("POST", "/sign-in", strings.NewReader(credentials(olive, password).Encode()), only))
}

func TestTheSignInLeadsToAnotherPageThatWasAskedForAfterALaunch(t *testing.T) {
	_, b := signInAfterLaunch(t)
	leadsTo(t, "/sign-in", b.Get("/registry/statistics"))
	require.NotContains(t, b.Get("/sign-in").Body, launchNote)
	leadsTo(t, "/registry/statistics", b.Post("/sign-in", credentials(olive, password)))
}

package app_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/smart"
)

func TestTheClinicianWhoLaunchedFromTheEHRIsOfferedAsAttendant(t *testing.T) {
	t.Parallel()
	l := openEHRLaunch(t)
	const offer = "Jane Rivers, CNM: launched the registry from the EHR"
	require.NotContains(t, text(l.pull(l.browser(), "", amara)), offer, "nobody asked who launched")
	l.list("", public, func(e *smart.Listing) {
		e.Scopes = "openid fhirUser " + smart.UsualScopes + " patient/Practitioner.r"
	})
	require.Contains(t, text(l.pull(l.browser(), "", amara)), offer)

	l.list("", public, func(e *smart.Listing) { e.Scopes = "openid fhirUser " + smart.UsualScopes })
	form := l.pull(l.browser(), "", amara)
	require.Equal(t, http.StatusOK, form.StatusCode)
	require.NotContains(t, text(form), offer, "the EHR refused the Practitioner")
	l.Logs("is not offered as attendant")
}

package ui

import (
	"net/http"

	"birthregistry/app/smart"
	"birthregistry/app/web/pages"
)

// again is the advice for a problem that a new launch may solve.
const again = "Close this window and launch the registry again from the EHR. "

const thenCall = "If it happens again, call the person who runs the registry."

// launchProblems maps the errors of a launch to pages that explain them to a clinician. All
// problems with the state parameter have the same page, so that nobody learns which problem it was.
var launchProblems = []struct {
	err  error
	page *pages.Error
}{
	{smart.ErrNotConfigured, pages.NewError(
		http.StatusServiceUnavailable, "No EHR is connected yet",
		"The registry cannot be launched from this EHR yet. Call the person who runs the registry.", "", "",
	)},
	{smart.ErrMalformed, pages.NewError(
		http.StatusBadRequest, "The EHR left out something the launch needs",
		again+thenCall, "", "",
	)},
	{smart.ErrUnlisted, pages.NewError(
		http.StatusForbidden, "This EHR is not connected to the registry",
		"Nothing was read. If this EHR should be connected, call the person who runs the registry.", "", "",
	)},
	{smart.ErrRole, pages.NewError(
		http.StatusForbidden, "Your role does not allow recording births",
		"Nothing was read from the chart. Ask a practice admin to change your role, or sign out and launch the registry again "+
			"from the EHR as somebody who may record births.", "/registry", "Go to the home page",
	)},
	{smart.ErrState, pages.NewError(
		http.StatusBadRequest, "This launch cannot continue",
		"The launch was already used, took longer than ten minutes, or began in another browser. "+again+
			"If the EHR shows the registry inside its own window, have it open in a new window.", "", "",
	)},
	{smart.ErrNoCode, pages.NewError(
		http.StatusBadRequest, "The EHR left out something the launch needs",
		again+thenCall, "", "",
	)},
	{smart.ErrDenied, pages.NewError(
		http.StatusForbidden, "The EHR did not give access to the chart",
		"Nothing was read. Launch the registry again from the EHR and allow it to read the chart, or record the birth by hand.",
		pages.FormPath, "Record a birth by hand",
	)},
	{smart.ErrBusy, pages.NewError(
		http.StatusServiceUnavailable, "The EHR is busy",
		"Nothing was read. Wait a minute, then launch the registry again from the EHR, or record the birth by hand.",
		pages.FormPath, "Record a birth by hand",
	)},
	{smart.ErrSlow, pages.NewError(
		http.StatusGatewayTimeout, "The EHR took too long to answer",
		"Launch the registry again from the EHR, or record the birth by hand.", pages.FormPath, "Record a birth by hand",
	)},
	{smart.ErrNoPatient, pages.NewError(
		http.StatusUnprocessableEntity, "No patient is open in the EHR",
		"Open the patient’s chart in the EHR, then launch the registry again from there.", "", "",
	)},
	{smart.ErrUpstream, pages.NewError(
		http.StatusBadGateway, "The chart could not be read",
		"The EHR gave no answer that the registry can use. Launch the registry again from the EHR, or record the birth by hand. "+thenCall,
		pages.FormPath, "Record a birth by hand",
	)},
}

// TooManyLaunches is the page for a network address that launches too often.
var TooManyLaunches = pages.NewError(
	http.StatusTooManyRequests, "Too many launches at once",
	"Many launches came from your network within a minute. Wait a minute, then launch the registry again from the EHR.", "", "",
)

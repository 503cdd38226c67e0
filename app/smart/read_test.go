package smart

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAChartIsReadPageByPage(t *testing.T) {
	s := startStore(t)
	s.pageSize = 3
	for i := range 10 {
		s.add("Observation", fmt.Sprint("o", i), heightIn)
		s.add("Encounter", fmt.Sprint("e", i), "")
	}
	s.add("Condition", "c", "")
	chart, unread, err := s.read(t)
	require.NoError(t, err)
	require.Empty(t, unread)
	requireRead(t, chart, 1, 10, 10)
	require.Equal(t, "1990-01-02", chart.Patient.BirthDate)
	require.Equal(t, "o0", chart.Observations[0].ID)
	require.Equal(t, "o9", chart.Observations[9].ID)
	for _, u := range s.calls {
		require.NotContains(t, u.String(), testToken)
	}
}

func TestAnUnreadablePartIsNamedAndTheRestIsKept(t *testing.T) {
	for _, c := range []struct {
		path   string
		answer http.HandlerFunc
		unread string
		counts [3]int
	}{
		{"Condition", status(403), "Diagnoses could not be read: the EHR refused them.", [3]int{0, 1, 1}},
		{"Encounter", status(500), "Visits could not be read: the EHR gave no usable answer.", [3]int{1, 0, 1}},
		{"Observation", status(400), "Measurements could not be read: the EHR refused them.", [3]int{1, 1, 0}},
		{"Condition", status(302), "Diagnoses could not be read: the EHR gave no usable answer.", [3]int{0, 1, 1}},
		{"Condition", status(204), "Diagnoses could not be read: the EHR gave no usable answer.", [3]int{0, 1, 1}},
		{"Condition", text("<html>"), "Diagnoses could not be read: the EHR gave no usable answer.", [3]int{0, 1, 1}},
		{"Condition", text("[]"), "Diagnoses could not be read: the EHR gave no usable answer.", [3]int{0, 1, 1}},
		{"Condition", text(`{"resourceType":"OperationOutcome"}`), "Diagnoses could not be read: the EHR gave no usable answer.", [3]int{0, 1, 1}},
	} {
		s := startStore(t).full()
		s.on(c.path, c.answer)
		chart, unread, err := s.read(t)
		require.NoError(t, err, c.unread)
		require.Equal(t, []string{c.unread}, unread)
		requireRead(t, chart, c.counts[0], c.counts[1], c.counts[2])
	}
}

func TestWithoutTheLaunchedPatientThereIsNoChart(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"another patient": text(`{"resourceType":"Patient","id":"2"}`),
		"another type":    text(`{"resourceType":"Practitioner","id":"1"}`),
		"no id":           text(`{"resourceType":"Patient"}`),
		"an outcome":      text(`{"resourceType":"OperationOutcome","id":"1"}`),
		"a number as id":  text(`{"resourceType":"Patient","id":1}`),
		"a wrong shape":   text(`{"resourceType":"Patient","id":"1","name":{"family":"x"}}`),
		"two ids":         text(`{"resourceType":"Patient","id":"2","id":"1"}`),
		"no JSON":         text(`nothing`),
		"not found":       status(404),
		"gone":            status(410),
		"forbidden":       status(403),
		"token expired":   status(401),
		"failed":          status(500),
		"a redirect of ours": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/tenant/fhir/Patient/1?x", http.StatusFound)
		},
	} {
		s := startStore(t).full()
		s.on("Patient/1", answer)
		chart, unread, err := s.read(t)
		require.ErrorIs(t, err, ErrUpstream, name)
		require.Empty(t, chart, name)
		require.Empty(t, unread)
		require.Len(t, s.calls, 1, name)
	}
}

func TestAnInvalidIDNeverGoesIntoAURL(t *testing.T) {
	s := startStore(t)
	for _, bad := range []string{"", ".", "..", "../Observation", "a/b", "123?x=", "1#", "%2e%2e", "1 ", "1\n", strings.Repeat("1", 65)} {
		_, _, err := s.readOf(t, context.Background(), bad)
		require.ErrorIs(t, err, ErrUpstream, bad)
		require.False(t, isResourceID(bad), bad)
	}
	require.Empty(t, s.calls)
	for _, good := range []string{"1", "eq081-VQEgP8drUUqCWzHfw3", "a.b", strings.Repeat("1", 64)} {
		require.True(t, isResourceID(good), good)
	}
}

func TestATokenRevokedDuringAReadStopsTheLaunch(t *testing.T) {
	for _, path := range []string{"Condition", "Encounter", "Observation"} {
		s := startStore(t).full()
		s.on(path, status(401))
		chart, unread, err := s.read(t)
		require.ErrorIs(t, err, errSpent)
		require.ErrorIs(t, err, ErrUpstream)
		require.Empty(t, chart)
		require.Empty(t, unread)
	}
}

// If a chart changes between two pages, both may contain the same entry.
func TestAResourceOnTwoPagesIsReadOnce(t *testing.T) {
	s := startStore(t)
	s.pageSize = 1
	s.add("Encounter", "e", "")
	s.add("Encounter", "e", "")
	chart, unread, err := s.read(t)
	require.NoError(t, err)
	require.Empty(t, unread)
	requireRead(t, chart, 0, 1, 0)
}

// The reading decides which version counts, so that a withdrawn one that comes later is not lost.
func TestTwoVersionsOfAResourceAreBothRead(t *testing.T) {
	s := startStore(t)
	s.pageSize = 2
	for _, more := range []string{`,"status":"finished"`, `,"status":"finished"`, `,"status":"entered-in-error"`, `,"status":"finished"`} {
		s.add("Encounter", "e", more)
	}
	s.add("Encounter", "f", "")
	chart, unread, err := s.read(t)
	require.NoError(t, err)
	require.Empty(t, unread)
	requireRead(t, chart, 0, 3, 0)
	require.Equal(t, "entered-in-error", chart.Encounters[1].Status)
}

func TestTheReportOfAReadQuotesNothingOfTheEHR(t *testing.T) {
	canary := `{"resourceType":"OperationOutcome","issue":[{"diagnostics":"canary"}]}`
	s := startStore(t).full()
	s.on("Condition", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprint(w, canary)
	})
	s.on("Encounter", text(searchset("https://canary.example/", about("Patient/canary", "Encounter", "canary", ""))))
	s.on("Observation", text(`{"canary":`))
	_, unread, err := s.read(t)
	require.NoError(t, err)
	require.Len(t, unread, 4)
	for _, sentence := range unread {
		require.NotContains(t, sentence, "canary")
		require.NotContains(t, sentence, testToken)
	}
	s.on("Patient/1", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusInternalServerError)
		fmt.Fprint(w, canary)
	})
	_, _, err = s.read(t)
	require.NotContains(t, err.Error(), "canary")
	require.NotContains(t, err.Error(), s.URL)
}

func TestEveryReasonHasAText(t *testing.T) {
	for _, err := range []error{errRefused, errFailed, errOverload, errUnreadable, errLink, errTooMuch, errIncomplete, errTooLarge, ErrSlow, errConnection} {
		require.True(t, errors.Is(err, ErrUpstream) || errors.Is(err, ErrSlow) || errors.Is(err, ErrBusy))
		require.Regexp(t, `^the (EHR|chart)[a-zA-Z' ]+$`, inPlainWords(err))
	}
}

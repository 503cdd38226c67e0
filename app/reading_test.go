package app_test

import (
	"encoding/json"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/store"
)

const route = `{"resourceType":"Procedure","status":"completed","subject":{"reference":"Patient/mother0"},
	"category":{"coding":[{"system":"http://loinc.org","code":"73762-7"}]},
	"code":{"coding":[{"system":"http://snomed.info/sct","code":"11466000"}]}}`

// shown returns what record show --json prints for a version: the reading, the method of
// delivery, and the whole text.
func (s *installation) shown(chart string, flags ...string) (reading, method, text string) {
	s.t.Helper()
	text = s.command(append([]string{"record", "show", chart, "--practice", "1", "--json"}, flags...)...)
	var doc struct {
		Reading  string `json:"reading"`
		Children []struct {
			Method struct {
				Value string `json:"value"`
			} `json:"delivery_method"`
		} `json:"children"`
	}
	require.NoError(s.t, json.Unmarshal([]byte(text), &doc))
	return doc.Reading, doc.Children[0].Method.Value, text
}

// This test is about the built program: the setting, its environment variable, and where it is
// shown.
func TestTheReadingIsOneSettingOfServeAndShownWithTheOthers(t *testing.T) {
	s := newInstallation(t)
	push := func(stamp string) {
		course := apptest.Course{Chart: "A", Stamp: stamp, Extra: []string{route}}
		code, _, header := s.status("POST", "/api/registry/fhir/Bundle", course.Bundle())
		require.Equal(t, http.StatusAccepted, code)
		require.Equal(t, store.Completed, s.receipt(header.Get("Content-Location")).Status)
	}
	health := func() (doc map[string]any) {
		answer, err := http.Get("http://" + s.address + "/health/json")
		require.NoError(t, err)
		body, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		require.NoError(t, json.Unmarshal(body, &doc))
		return doc
	}

	s.start()
	push("2026-03-03T10:00:00Z")
	reading, method, _ := s.shown("A")
	require.Equal(t, [2]string{"spec", ""}, [2]string{reading, method}, "the default")
	require.Equal(t, []any{"reading: spec"}, health()["notes"])
	s.stop()

	t.Setenv("REGISTRY_READING", "bfdr")
	s.start()
	push("2026-03-04T10:00:00Z")
	reading, method, _ = s.shown("A")
	require.Equal(t, [2]string{"bfdr", "cesarean"}, [2]string{reading, method}, "by the twin")
	reading, method, _ = s.shown("A", "--version", "1")
	require.Equal(t, [2]string{"spec", ""}, [2]string{reading, method}, "each version says how it was read")
	require.Contains(t, s.command("record", "show", "A", "--practice", "1"), "bfdr")
	require.Equal(t, []any{"reading: bfdr"}, health()["notes"])
	found, _ := s.doctor()
	require.Contains(t, found["reading"].Found, "bfdr")
	s.stop() // its log is complete only once it has ended
	require.Contains(t, s.log.String(), `"reading":"bfdr"`)

	s.start("--reading", "spec")
	push("2026-03-05T10:00:00Z")
	reading, method, _ = s.shown("A")
	require.Equal(t, [2]string{"spec", ""}, [2]string{reading, method}, "the flag before the twin")
	s.kill()
}

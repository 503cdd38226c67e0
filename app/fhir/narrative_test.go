package fhir_test

import (
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"birthregistry/app/fhir"
)

func TestAResourceIsReadAndItsMarksAreNoticedWhereverItsNarrativeIs(t *testing.T) {
	const (
		status = `"status":"final"`
		marked = `"modifierExtension":[{"url":"x"}]`
	)
	narrative := `"text":{"status":"generated","div":"<div class=\"a\">modifierExtension\": {} [ \u0045xtension\" \\\\</div>` + strings.Repeat(`\"`, 5000) + `"}`
	for resource, want := range map[string]bool{
		`{"resourceType":"Observation",` + narrative + `,` + status + `}`:                                                            false,
		`{"resourceType":"Observation",` + narrative + `,` + status + `,` + marked + `}`:                                             true,
		`{"resourceType":"Observation",` + marked + `,` + narrative + `,` + status + `}`:                                             true,
		`{"resourceType":"Observation","id":"{","meta":{"tag":[]},"language":"]",` + narrative + `,` + status + `}`:                  false,
		`{"resourceType":"Observation","implicitRules":"x",` + narrative + `,` + status + `}`:                                        true,
		`{ "resourceType" : "Observation" , ` + strings.Replace(narrative, ":", " :\n", 1) + ` , ` + status + ` }`:                   false,
		`{"resourceType":"Observation",` + status + `,` + narrative + `}`:                                                            false,
		`{` + narrative + `,"resourceType":"Observation",` + status + `}`:                                                            false,
		`{` + narrative + `,` + narrative + `,"resourceType":"Observation",` + status + `,` + marked + `}`:                           true,
		`{"resourceType":"Observation","text":null,` + status + `}`:                                                                  false,
		`{"resourceType":"Observation","text":"[{",` + status + `,` + marked + `}`:                                                   true,
		`{"resourceType":"Observation","te\u0078t":{"div":"}"},` + status + `}`:                                                      false,
		`{"resourceType":"Observation","contained":[{"resourceType":"Patient",` + narrative + `}],` + narrative + `,` + status + `}`: false,
	} {
		doc := `{"resourceType":"Bundle","entry":[{"resource":` + resource + `,"fullUrl":"urn:a"},{"fullUrl":"urn:b","resource":` + resource + `}]}`
		seen := 0
		visit := func(e *fhir.Entry) error {
			seen++
			var o fhir.Observation
			require.NoError(t, e.Decode(&o))
			require.Equal(t, "final", o.Status, resource[:40])
			require.Equal(t, want, e.Marked(), resource[:40])
			require.Equal(t, resource, string(e.Resource))
			require.NotEmpty(t, e.FullURL)
			return nil
		}
		_, err := fhir.ReadWhole([]byte(doc), "Bundle", visit)
		require.NoError(t, err)
		_, err = fhir.ReadBundle(iotest.OneByteReader(strings.NewReader(doc)), "Bundle", visit)
		require.NoError(t, err)
		require.Equal(t, 4, seen)
	}
}

func TestADamagedNarrativeIsUnreadable(t *testing.T) {
	const doc = `{"entry":[{"resource":{"resourceType":"Observation","text":{"div":"x"},"status":"final"}}]}`
	for end := strings.Index(doc, "text"); end < len(doc)-3; end++ {
		_, err := fhir.ReadWhole([]byte(doc[:end]), "Bundle", func(*fhir.Entry) error { return nil })
		require.ErrorIs(t, err, fhir.ErrUnreadable, doc[:end])
		_, err = fhir.ReadBundle(strings.NewReader(doc[:end]), "Bundle", func(*fhir.Entry) error { return nil })
		require.ErrorIs(t, err, fhir.ErrUnreadable, doc[:end])
	}
}

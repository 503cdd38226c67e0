package fhir_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	experiment "github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"birthregistry/app/fhir"
	"birthregistry/assets"
)

// seeds are the samples and a hostile word or two for every rule of the door.
func seeds(f *testing.F) {
	entries, err := assets.Samples.ReadDir("samples")
	require.NoError(f, err)
	for _, e := range entries {
		sample, err := assets.Samples.ReadFile("samples/" + e.Name())
		require.NoError(f, err)
		f.Add(string(sample))
	}
	for _, body := range []string{
		``, `null`, `[]`, `{}`, `"x"`, `{"resourceType":"Bundle"}`, `{"resourceType":"Bundle","entry":[null,{},[],5]}`,
		`{"RESOURCETYPE":"Bundle"}`, `{"resourceType":"Bundle","a":"\u0000"}`, `{"resourceType":"Bundle","a":"\ud83d"}`,
		"{\"resourceType\":\"Bundle\",\"a\":\"\xc0\xaf\"}", `{"resourceType":"Bundle","a":1e9999}`, nested(64), nested(65),
		`{"resourceType":"Bundle","a":{"b":1,"b":2}}`, `{"resourceType":"Bundle"}{}`, `{"resourceType":"Bundle","entry":{}}`,
		`{"resourceType":"Bundle","entry":[{"resource":{"resourceType":"Bundle","entry":[{"resource":5}]}}]}`,
	} {
		f.Add(body)
	}
}

// FuzzScan: whatever the bytes, the scan returns; what it takes is JSON to
// others as well, with resourceType Bundle; and it does not matter how the
// bytes arrive.
func FuzzScan(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, body string) {
		err := fhir.Scan(strings.NewReader(body))
		require.Equal(t, err == nil, fhir.Scan(iotest.OneByteReader(strings.NewReader(body))) == nil, "byte by byte")
		if err != nil {
			require.Contains(t, []error{fhir.NotJSON, fhir.TooComplex, fhir.HasNUL, fhir.NotABundle}, err)
			return
		}
		require.True(t, json.Valid([]byte(body)))
		var members map[string]json.RawMessage
		require.NoError(t, json.Unmarshal([]byte(body), &members))
		var kind string
		require.NoError(t, json.Unmarshal(members["resourceType"], &kind))
		require.Equal(t, "Bundle", kind)

		_, err = fhir.ReadBundle(strings.NewReader(body), "Bundle", func(e *fhir.Entry) error {
			for _, into := range []any{
				new(fhir.Patient), new(fhir.Observation), new(fhir.Encounter), new(fhir.Practitioner), new(fhir.Composition),
				new(fhir.Consent),
			} {
				if len(e.Resource) > 0 {
					_ = e.Decode(into)
				}
			}
			return nil
		})
		require.NoError(t, err, "what the door takes is readable")
	})
}

// FuzzDecode: of what the door takes, Decode reads what a JSON library reads into
// the same shapes, and calls wrong what that calls wrong.
func FuzzDecode(f *testing.F) {
	seeds(f)
	for _, resource := range []string{
		`{"id":null,"name":[{"family":"a\"\\","given":["b\u00e9",null]},null],"identifier":[]}`, `{"name":{}}`, `{"name":[5]}`,
		`{"status":"x","provision":{"type":"permit","provision":[{"type":"deny"},{}]}}`, `{"provision":[]}`, `{"status":true}`,
		` { "st\u0061tus" : "\\\"" , "other":[{"]":"}"}], "meta" : { "profile" : [ "a" , "b" ] } } `, `{"type":{"coding":[{"code":1}]}}`,
	} {
		f.Add(`{"resourceType":"Bundle","entry":[{"resource":` + resource + `}]}`)
	}
	f.Fuzz(func(t *testing.T, body string) {
		if fhir.Scan(strings.NewReader(body)) != nil {
			return
		}
		_, err := fhir.ReadBundle(strings.NewReader(body), "Bundle", func(e *fhir.Entry) error {
			if len(e.Resource) == 0 {
				return nil
			}
			for _, into := range []any{new(fhir.Practitioner), new(fhir.Composition), new(fhir.Consent), new(fhir.HumanName)} {
				want := reflect.New(reflect.TypeOf(into).Elem()).Interface()
				wrong := experiment.Unmarshal(e.Resource, want)
				require.Equal(t, wrong == nil, e.Decode(into) == nil, "%T", into)
				if wrong == nil {
					require.Equal(t, want, into)
				}
			}
			return nil
		})
		require.NoError(t, err)
	})
}

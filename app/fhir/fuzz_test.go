package fhir_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	experiment "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"birthregistry/app/fhir"
	"birthregistry/assets"
)

// seeds adds the samples, and one or two hostile inputs for every rule of the scan.
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

// FuzzScan checks that Scan returns for any bytes, that a JSON library reads what it accepts
// as JSON with the resourceType Bundle, and that the result doesn't depend on how the bytes
// arrive.
func FuzzScan(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, body string) {
		err := fhir.Scan(strings.NewReader(body))
		require.Equal(t, err == nil, fhir.Scan(iotest.OneByteReader(strings.NewReader(body))) == nil, "byte by byte")
		if err != nil {
			var problem *fhir.Problem
			require.ErrorAs(t, err, &problem)
			require.Contains(t, []string{fhir.NotJSON.Name, fhir.TooComplex.Name, fhir.HasNUL.Name, fhir.NotABundle.Name}, problem.Name)
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

// named is a resource that may have one identifier or several.
type named struct {
	Identifier fhir.Identifiers `json:"identifier"`
}

// lenient makes the JSON library read numbers in texts, and one identifier where a list is
// expected.
var lenient = experiment.WithUnmarshalers(experiment.JoinUnmarshalers(
	experiment.UnmarshalFromFunc(func(dec *jsontext.Decoder, n *fhir.Number) error {
		value, err := dec.ReadToken()
		switch {
		case err != nil:
			return err
		case value.Kind() == 'n':
			return nil
		case value.Kind() != '0' && value.Kind() != '"':
			return errors.New("this is no number")
		}
		*n = fhir.ParseNumber(value.String())
		return nil
	}),
	experiment.UnmarshalFromFunc(func(dec *jsontext.Decoder, there *fhir.Present) error {
		value, err := dec.ReadValue()
		*there = fhir.Present(*there || value.Kind() != 'n')
		return err
	}),
	experiment.UnmarshalFromFunc(func(dec *jsontext.Decoder, all *fhir.Identifiers) error {
		if dec.PeekKind() != '{' {
			return errors.ErrUnsupported
		}
		*all = make(fhir.Identifiers, 1)
		return experiment.UnmarshalDecode(dec, &(*all)[0])
	}),
))

// FuzzDecode checks that, in any document that the scan accepts, Decode and a JSON library
// read the same values into the shapes and reject the same ones.
func FuzzDecode(f *testing.F) {
	seeds(f)
	for _, resource := range []string{
		`{"id":null,"name":[{"family":"a\"\\","given":["b\u00e9",null]},null],"identifier":[]}`, `{"name":{}}`, `{"name":[5]}`,
		`{"status":"x","provision":{"type":"permit","provision":[{"type":"deny"},{}]}}`, `{"provision":[]}`, `{"status":true}`,
		`{"multipleBirthInteger":"2","extension":[{"valueBoolean":false,"extension":[{"valueInteger":-1e2}]}]}`,
		`{"identifier":{"value":"A"}}`, `{"identifier":[{"value":"A"},null]}`, `{"valueQuantity":{"value":3.50,"unit":null},"valueBoolean":null}`,
		` { "st\u0061tus" : "\\\"" , "other":[{"]":"}"}], "meta" : { "profile" : [ "a" , "b" ] } } `, `{"type":{"coding":[{"code":1}]}}`,
	} {
		f.Add(`{"resourceType":"Bundle","entry":[{"resource":` + resource + `}]}`)
	}
	f.Fuzz(func(t *testing.T, body string) {
		if fhir.Scan(strings.NewReader(body)) != nil || strings.Contains(strings.ToLower(body), "absent") {
			return // the JSON library doesn't know the extension data-absent-reason
		}
		_, err := fhir.ReadBundle(strings.NewReader(body), "Bundle", func(e *fhir.Entry) error {
			if len(e.Resource) == 0 {
				return nil
			}
			for _, into := range []any{
				new(fhir.Patient), new(fhir.Observation), new(fhir.Encounter), new(fhir.Practitioner), new(fhir.Composition),
				new(fhir.Consent), new(fhir.HumanName), new(named),
			} {
				want := reflect.New(reflect.TypeOf(into).Elem()).Interface()
				wrong := experiment.Unmarshal(e.Resource, want, lenient)
				require.Equal(t, wrong == nil, fhir.Decode(e.Resource, into, place("here"), "") == nil, "%T", into)
				if wrong == nil {
					require.Equal(t, want, into)
					kept := reflect.New(reflect.TypeOf(into).Elem()).Interface()
					require.NoError(t, e.Decode(kept))
					require.Equal(t, want, kept, "nothing is lost of what is right")
				}
			}
			return nil
		})
		require.NoError(t, err)
	})
}

// FuzzRead checks that, in any document that the scan accepts, ReadBundle finds the same
// entries as a JSON library, unchanged, wherever its windows end. On any other input, which a
// damaged buffer may hold, it must terminate.
func FuzzRead(f *testing.F) {
	seeds(f)
	f.Add(`{"entry":[{"resource":{"name":[{"family":"a\\`)
	f.Fuzz(func(t *testing.T, body string) {
		if fhir.Scan(strings.NewReader(body)) != nil {
			_, _ = fhir.ReadBundle(strings.NewReader(body), "Bundle", func(e *fhir.Entry) error {
				_, _ = e.ReadBundle(func(*fhir.Entry) error { return nil })
				return e.Decode(new(fhir.Patient))
			})
			return
		}
		var bundle struct {
			Entry jsontext.Value `json:"entry"`
		}
		require.NoError(t, experiment.Unmarshal([]byte(body), &bundle))
		var entries []jsontext.Value
		_ = experiment.Unmarshal(bundle.Entry, &entries) // a value that isn't a list has no entries
		const window = 8 << 10
		for _, before := range []int{0, window - len(body)/2, window - len(body) + 1, 2*window - len(body) + 2} {
			from := strings.NewReader(strings.Repeat(" ", max(before, 0)) + body)
			seen := 0
			_, err := fhir.ReadBundle(iotest.HalfReader(from), "Bundle", func(e *fhir.Entry) error {
				require.Less(t, seen, len(entries))
				sameEntry(t, entries[seen], e)
				seen++
				return nil
			})
			require.NoError(t, err)
			require.Len(t, entries, seen)
		}
	})
}

// sameEntry requires that an entry was read as a JSON library reads it.
func sameEntry(t *testing.T, raw jsontext.Value, e *fhir.Entry) {
	var parts struct {
		FullURL  jsontext.Value `json:"fullUrl"`
		Request  jsontext.Value `json:"request"`
		Resource jsontext.Value `json:"resource"`
	}
	var fullURL string
	var request struct {
		Method string `json:"method"`
		URL    string `json:"url"`
	}
	var resource struct {
		Kind string `json:"resourceType"`
	}
	fits := experiment.Unmarshal(raw, &parts) == nil
	for into, part := range map[any]jsontext.Value{&fullURL: parts.FullURL, &request: parts.Request, &resource: parts.Resource} {
		fits = fits && (part == nil || experiment.Unmarshal(part, into) == nil)
	}
	if !fits {
		require.Error(t, e.Shape)
		return
	}
	require.NoError(t, e.Shape)
	require.Equal(t, []string{fullURL, request.Method, request.URL, resource.Kind}, []string{e.FullURL, e.Method, e.URL, e.Kind})
	if parts.Resource.Kind() == 'n' {
		parts.Resource = nil
	}
	require.Equal(t, string(parts.Resource), string(e.Resource))
}

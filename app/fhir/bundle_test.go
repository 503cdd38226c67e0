package fhir_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/fhir"
)

// read reads a Bundle at the place "Bundle" and returns its entries.
func read(t *testing.T, body string) (fhir.Head, []fhir.Entry) {
	t.Helper()
	require.NoError(t, fhir.Scan(strings.NewReader(body)), "the door lets it in")
	var entries []fhir.Entry
	head, err := fhir.ReadBundle(strings.NewReader(body), "Bundle", func(e *fhir.Entry) error {
		kept := *e
		kept.Resource = bytes.Clone(e.Resource) // it is valid only during the visit
		entries = append(entries, kept)
		return nil
	})
	require.NoError(t, err)
	return head, entries
}

func TestTheMembersOfABundleMayStandInAnyOrder(t *testing.T) {
	members := []string{
		`"resourceType":"Bundle"`, `"type":"document"`, `"identifier":{"system":"urn:x","value":"A-1"}`,
		`"meta":{"lastUpdated":"2026-03-03T09:30:00Z","profile":["http://x/y|2.0.0"]}`, `"timestamp":"2026-03-04T09:30:00Z"`,
		`"entry":[{"fullUrl":"urn:uuid:1","resource":{"resourceType":"Patient"}}]`, `"total":1`, `"link":[{"relation":"self"}]`,
	}
	want := fhir.Head{
		Type: "document", Identifier: fhir.ChartIdentity{Value: "A-1"}, Timestamp: "2026-03-04T09:30:00Z",
		Meta: fhir.Meta{LastUpdated: "2026-03-03T09:30:00Z", Profile: []string{"http://x/y|2.0.0"}},
	}
	for first := range members {
		order := append(append([]string{}, members[first:]...), members[:first]...)
		head, entries := read(t, "{"+strings.Join(order, ",")+"}")
		require.Equal(t, want, head)
		require.Len(t, entries, 1)
		require.Equal(t, "Patient", entries[0].Kind)
	}
}

// The test varies the document's length before the entry, so that every byte of the entry is
// the last of a window once.
func TestAnEntryIsReadWholeWhereverAReadEnds(t *testing.T) {
	const window, entries = 8 << 10, `[null,{"fullUrl":"urn:uuid:1"},5,true,"x",-1.5e3, [] , null]}`
	for before := range len(entries) + 1 {
		start := `{"resourceType":"Bundle","x":"`
		body := start + strings.Repeat("x", window-before-len(start)-len(`","entry":`)) + `","entry":` + entries
		_, all := read(t, body)
		require.Len(t, all, 8)
		require.Equal(t, "urn:uuid:1", all[1].FullURL)
		for i, e := range all {
			require.Equal(t, i < 2 || i == 7, e.Shape == nil, "entry %d, %d bytes before the end", i, before)
		}
	}
}

func TestTheMembersOfAnEntryMayStandInAnyOrder(t *testing.T) {
	_, entries := read(t, `{"resourceType":"Bundle","entry":[
		{"request":{"method":"DELETE","url":"Patient/1"},"resource":{"id":"a","resourceType":"Patient"},"fullUrl":"urn:uuid:1"},
		{"fullUrl":"urn:uuid:2","id":"x","resource":{"resourceType":"Observation"},"link":[],"search":{},"response":{"status":"200"}}
	]}`)
	require.Len(t, entries, 2)
	first, second := entries[0], entries[1]
	require.Equal(t, []string{"DELETE", "Patient/1", "Patient", "urn:uuid:1"}, []string{first.Method, first.URL, first.Kind, first.FullURL})
	require.JSONEq(t, `{"id":"a","resourceType":"Patient"}`, string(first.Resource))
	require.Equal(t, "Bundle.entry[0]", first.Place.String())
	require.Equal(t, "Bundle.entry[1].resource", second.Place.Resource())
	require.Equal(t, "Observation", second.Kind)
}

func TestTheKindOfAResourceIsFoundHoweverItIsWritten(t *testing.T) {
	for body, want := range map[string]string{
		`{"resourceType":"Patient"}`:                         "Patient",
		`{"resourceType":"Patient","id":"x"}`:                "Patient",
		` { "resourceType" : "Patient" } `:                   "Patient",
		`{"id":"x","resourceType":"Patient"}`:                "Patient",
		`{"resourceType":"Pati\u0065nt"}`:                    "Patient",
		`{"resource\u0054ype":"Patient"}`:                    "Patient",
		`{"resourceType":"a\"b"}`:                            `a"b`,
		`{"resourceType":""}`:                                "",
		`{"id":"x"}`:                                         "",
		`{"RESOURCETYPE":"Patient"}`:                         "",
		`{"contained":[{"resourceType":"Patient"}]}`:         "",
		`{"resourceType":null}`:                              "",
		`null`:                                               "",
		`{"text":{"div":"{\"resourceType\":\"Patient\"}"}}`:  "",
		`{"resourceType":"Bundle","entry":[{"resource":1}]}`: "Bundle",
	} {
		_, entries := read(t, `{"resourceType":"Bundle","entry":[{"resource":`+body+`}]}`)
		require.Equal(t, want, entries[0].Kind, body)
		require.NoError(t, entries[0].Shape, body)
	}
}

func TestNullEntriesAndMembersStateNothing(t *testing.T) {
	head, entries := read(t, `{"resourceType":"Bundle","type":null,"identifier":null,"meta":null,"timestamp":null,
		"entry":[null,{},{"resource":null,"request":null,"fullUrl":null}]}`)
	require.Equal(t, fhir.Head{}, head)
	require.Len(t, entries, 3)
	for _, e := range entries {
		require.NoError(t, e.Shape)
		require.Empty(t, e.Kind)
		require.Empty(t, e.Resource)
	}
	head, entries = read(t, `{"resourceType":"Bundle","entry":null}`)
	require.NoError(t, head.Shape)
	require.Empty(t, entries)
}

// wrong is a value that no member accepts, with a text that must not come back.
const wrong = "Okonkwo"

func requireShape(t *testing.T, err error, expression string) {
	t.Helper()
	var shape *fhir.ShapeError
	require.ErrorAs(t, err, &shape)
	require.Equal(t, expression, shape.Expression)
	require.NotContains(t, err.Error(), wrong)
}

func TestAWrongTypeInTheHeadNamesItsPlace(t *testing.T) {
	for member, expression := range map[string]string{
		`"identifier":[{"value":"Okonkwo"}]`: "Bundle.identifier",
		`"identifier":"Okonkwo"`:             "Bundle.identifier",
		`"identifier":{"value":5}`:           "Bundle.identifier.value",
		`"meta":"Okonkwo"`:                   "Bundle.meta",
		`"meta":{"profile":"Okonkwo"}`:       "Bundle.meta.profile",
		`"meta":{"profile":["a",5]}`:         "Bundle.meta.profile[1]",
		`"entry":{"Okonkwo":1}`:              "Bundle.entry",
		`"entry":"Okonkwo"`:                  "Bundle.entry",
	} {
		head, _ := read(t, `{"resourceType":"Bundle",`+member+`}`)
		requireShape(t, head.Shape, expression)
	}
	head, _ := read(t, `{"resourceType":"Bundle","meta":{"profile":1},"identifier":{"value":"A-1"}}`)
	requireShape(t, head.Shape, "Bundle.meta.profile")
	require.Equal(t, "A-1", head.Identifier.Value, "the rest is read")
}

func TestAStampOfTheWrongTypeIsTreatedAsAbsent(t *testing.T) {
	timestamp, updated := fhir.Lost{"timestamp"}, fhir.Lost{"meta.lastUpdated"}
	for member, lost := range map[string]fhir.Lost{
		`"type":["Okonkwo"]`: nil, `"type":5`: nil, `"timestamp":true`: timestamp, `"timestamp":["Okonkwo"]`: timestamp,
		`"meta":{"lastUpdated":{"Okonkwo":1}}`: updated, `"meta":{"lastUpdated":1772150400,"versionId":5}`: updated,
		`"identifier":{"type":{"coding":{"code":"a"}},"system":5}`: nil,
	} {
		head, _ := read(t, `{"resourceType":"Bundle",`+member+`}`)
		require.NoError(t, head.Shape, member)
		require.Equal(t, fhir.Head{Lost: lost}, head, member)
	}
}

func TestAWrongTypeInAnEntryNamesItsPlaceAndTheNextIsRead(t *testing.T) {
	for entry, expression := range map[string]string{
		`"Okonkwo"`:                            "Bundle.entry[1]",
		`5`:                                    "Bundle.entry[1]",
		`[{"Okonkwo":1}]`:                      "Bundle.entry[1]",
		`{"fullUrl":{"Okonkwo":1}}`:            "Bundle.entry[1].fullUrl",
		`{"request":"Okonkwo"}`:                "Bundle.entry[1].request",
		`{"request":{"method":5}}`:             "Bundle.entry[1].request.method",
		`{"request":{"url":["Okonkwo"]}}`:      "Bundle.entry[1].request.url",
		`{"resource":"Okonkwo"}`:               "Bundle.entry[1].resource",
		`{"resource":["Okonkwo"]}`:             "Bundle.entry[1].resource",
		`{"resource":false}`:                   "Bundle.entry[1].resource",
		`{"resource":{"resourceType":5}}`:      "Bundle.entry[1].resource.resourceType",
		`{"fullUrl":5,"resource":"Okonkwo"}`:   "Bundle.entry[1].fullUrl",
		`{"resource":5,"fullUrl":["Okonkwo"]}`: "Bundle.entry[1].resource",
	} {
		_, entries := read(t, `{"resourceType":"Bundle","entry":[{},`+entry+`,{"resource":{"resourceType":"Patient"}}]}`)
		require.Len(t, entries, 3)
		requireShape(t, entries[1].Shape, expression)
		require.NoError(t, entries[2].Shape)
		require.Equal(t, "Patient", entries[2].Kind)
	}
}

func TestAResourceIsDecodedAtItsPlace(t *testing.T) {
	_, entries := read(t, `{"resourceType":"Bundle","entry":[{"resource":{"resourceType":"Patient","id":"m",
		"name":[{"family":"Quinn"},{"given":["Jada",{"Okonkwo":1}]}]}}]}`)
	requireShape(t, entries[0].Decode(new(fhir.Patient)), "Bundle.entry[0].resource.name[1].given[1]")
	var named struct {
		ID string `json:"id"`
	}
	require.NoError(t, entries[0].Decode(&named), "what is not asked for is not read")
	require.Equal(t, "m", named.ID)
}

func TestTheFirstErrorOfAVisitEndsReading(t *testing.T) {
	stop := errors.New("stop")
	visits := 0
	_, err := fhir.ReadBundle(strings.NewReader(`{"entry":[{},{},{}]}`), "Bundle", func(*fhir.Entry) error {
		visits++
		return stop
	})
	require.ErrorIs(t, err, stop)
	require.Equal(t, 1, visits)
}

func TestADamagedBufferIsUnreadableAndTheErrorQuotesNothing(t *testing.T) {
	for _, body := range []string{
		``, `{`, `{"type"`, `{"entry":[`, `{"entry":[{"resource":`, `{"entry":[{"resource":{"a":"Okonkwo`, `{"entry":[{}`,
		`{"Okonkwo":Okonkwo}`, `{"entry":[{"a":1,}]}`, `{"entry":[{}]`, `{"type":"document"`,
	} {
		_, err := fhir.ReadBundle(strings.NewReader(body), "Bundle", func(*fhir.Entry) error { return nil })
		require.ErrorIs(t, err, fhir.ErrUnreadable, body)
		require.NotContains(t, err.Error(), wrong)
	}
}

package fhir_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"birthregistry/app/fhir"
)

func TestARoleIsReadFromTheLastSegmentOfAProfile(t *testing.T) {
	for url, want := range map[string]string{
		"http://hl7.org/fhir/us/vr-common-library/StructureDefinition/Patient-mother-vr":                  "Patient-mother-vr",
		"http://hl7.org/fhir/us/vr-common-library/StructureDefinition/Patient-mother-vr|2.0.0":            "Patient-mother-vr",
		"http://build.fhir.org/ig/HL7/vr-common-library/StructureDefinition-Patient-mother-vr.html":       "Patient-mother-vr",
		"http://build.fhir.org/ig/HL7/vr-common-library/StructureDefinition-Patient-mother-vr.html|2.0.0": "Patient-mother-vr",
		"http://x/StructureDefinition/Patient-child/":                                                     "Patient-child",
		"http://mother.example/StructureDefinition/Patient-child":                                         "Patient-child",
		"http://x/Patient-child|1/mother":                                                                 "Patient-child",
		"Patient-child":                                                                                   "Patient-child",
		"ombCategory":                                                                                     "ombCategory",
		"urn:oid:1.2.3":                                                                                   "urn:oid:1.2.3",
		"":                                                                                                "",
		"/":                                                                                               "",
		"|":                                                                                               "",
		"|2.0.0":                                                                                          "",
	} {
		require.Equal(t, want, fhir.LastSegment(url), "%q", url)
	}
}

func TestAnExtensionIsFoundWhereverItIsNested(t *testing.T) {
	e := fhir.Extensions{
		{URL: "http://x/Extension-reported-parent-age", Extension: fhir.Extensions{
			{URL: "http://hl7.org/fhir/us/core/StructureDefinition/us-core-birthsex", ValueCode: "F"},
			{URL: "deep", Extension: fhir.Extensions{{URL: "deeper", ValueString: "found"}}},
		}},
		{URL: "http://y/us-core-BIRTHSEX|5.0.1", ValueCode: "M"},
		{URL: "http://birthsex.example/other", ValueCode: "X"},
	}
	require.Equal(t, "M", e.Find("birthsex").ValueCode, "its own level first, whatever the case, host and version")
	require.Equal(t, "F", e[:1].Find("birthsex").ValueCode, "then inside the others")
	require.Equal(t, "found", e.Find("deeper").ValueString)
	require.Nil(t, e[2:].Find("birthsex"), "the host does not count")
	require.Nil(t, fhir.Extensions(nil).Find("birthsex"))
}

type place string

func (p place) String() string { return string(p) }

func decode(raw string, into any) error {
	return fhir.Decode(jsontext.Value(raw), into, place("here"), "")
}

// number decodes a quantity's value.
func number(t *testing.T, value string) (fhir.Number, error) {
	t.Helper()
	var q fhir.Quantity
	err := decode(`{"value":`+value+`,"unit":"g"}`, &q)
	if err == nil {
		require.Equal(t, "g", q.Unit, "the member behind it is read")
	}
	return q.Value, err
}

func TestNumbersAreReadAsJSONAndAsText(t *testing.T) {
	for value, want := range map[string]float64{
		`3400`: 3400, `3400.0`: 3400, `1e1`: 10, `1E+2`: 100, `-1`: -1, `0`: 0, `2.5e-1`: 0.25,
		`"3400"`: 3400, `" 3400.0 "`: 3400, `"1e1"`: 10, `"-1"`: -1, `"+7"`: 7,
	} {
		n, err := number(t, value)
		require.NoError(t, err, value)
		require.Equal(t, fhir.Number{Float: want, Set: true}, n, value)
	}
	n, err := number(t, `-0`)
	require.NoError(t, err)
	require.True(t, n.Set)
	require.Zero(t, n.Float)
}

func TestATextThatIsNotANumberStatesNothing(t *testing.T) {
	for _, value := range []string{
		`""`, `" "`, `"NaN"`, `"nan"`, `"Inf"`, `"-inf"`, `"+Infinity"`, `"0x10"`, `"0x1p4"`, `"0X1P4"`, `"1_000"`, `"0x_1p0"`,
		`"1,5"`, `"1.000,5"`, `"3400 g"`, `"12abc"`, `"--1"`, `"1e"`, `"٣"`, `"unknown"`, `null`, `1e999`, `-1e999`, `"1e999"`,
	} {
		n, err := number(t, value)
		require.NoError(t, err, value)
		require.Equal(t, fhir.Number{}, n, value)
	}
}

func TestAnotherTypeInPlaceOfANumberIsAWrongType(t *testing.T) {
	for _, value := range []string{`true`, `{}`, `[1]`, `{"value":1}`} {
		_, err := number(t, value)
		require.Error(t, err, value)
	}
}

func TestIdentifiersMayBeAListOrASingleOne(t *testing.T) {
	for body, want := range map[string]fhir.Identifiers{
		`{"value":"A"}`:                  {{Value: "A"}},
		`[{"value":"A"},{"value":"B"}]`:  {{Value: "A"}, {Value: "B"}},
		`[{"system":"urn:x","use":"x"}]`: {{System: "urn:x"}},
		`[]`:                             {},
		`null`:                           nil,
	} {
		var ids fhir.Identifiers
		require.NoError(t, decode(body, &ids), body)
		require.Equal(t, want, ids, body)
	}
	for _, body := range []string{`"A"`, `5`, `["A"]`, `[[{"value":"A"}]]`, `{"value":5}`, `[{"value":{}}]`} {
		require.Error(t, decode(body, new(fhir.Identifiers)), body)
	}
}

func TestMemberNamesAreCaseSensitive(t *testing.T) {
	var p fhir.Patient
	require.NoError(t, decode(`{"ID":"x","BirthDate":"2019","birthdate":"2019"}`, &p))
	require.Equal(t, fhir.Patient{}, p)
}

func TestUnreadMembersLeaveNoTrace(t *testing.T) {
	var p fhir.Patient
	require.NoError(t, decode(`{
		"text": {"div": "<div>Okonkwo</div>"}, "identifier": [{"system": "http://hl7.org/fhir/sid/us-ssn", "value": "132-22-4986"}],
		"telecom": [{"value": "555-0100"}], "photo": [{"data": "AAAA"}], "contact": [{"name": {"family": "Okonkwo"}}],
		"address": [{"line": ["14 Invented Lane"], "city": "Nowhere", "text": "14 Invented Lane"}],
		"contained": [{"resourceType": "Patient"}], "deceasedDateTime": "2019", "generalPractitioner": [{"display": "Okonkwo"}]
	}`, &p))
	number := fhir.IdentityOf("http://hl7.org/fhir/sid/us-ssn", "132-22-4986")
	require.Equal(t, fhir.Patient{Address: []fhir.Address{{}}, Identifier: fhir.Identities{number}}, p)
	require.NotContains(t, fmt.Sprintf("%+v %#v", p, p), "132-22", "an identifier can only be compared")
}

func TestIdentitiesAreEqualOnlyIfSystemAndValueAre(t *testing.T) {
	type mentions struct {
		Identifier fhir.Identities `json:"identifier"`
		Subject    fhir.Reference  `json:"subject"`
	}
	for body, same := range map[string]bool{
		`{"identifier":[{"system":"urn:a","value":"1"}],"subject":{"identifier":{"value":"1","system":"urn:a","period":{"start":"2019"}}}}`: true,
		`{"identifier":{"system":"urn:a","value":"1"},"subject":{"identifier":{"value":"\u0031","system":"urn:a"}}}`:                        true,
		`{"identifier":[7,null,{"value":"1"}],"subject":{"identifier":{"value":"1"}}}`:                                                      true,
		`{"identifier":[{"system":"urn:a","value":"1"}],"subject":{"identifier":{"value":"1"}}}`:                                            false,
		`{"identifier":[{"system":"urn:a","value":"1"}],"subject":{"identifier":{"value":"1","system":"urn:b"}}}`:                           false,
		`{"identifier":[{"system":"urn:a","value":1}],"subject":{"identifier":{"value":1,"system":"urn:a"}}}`:                               false,
		`{"identifier":[{"system":"urn:a","value":""}],"subject":{"identifier":{"value":"","system":"urn:a"}}}`:                             false,
		`{"identifier":"1","subject":{"identifier":"1"}}`:                                                                                   false,
		`{"identifier":null,"subject":{"identifier":null}}`:                                                                                 false,
	} {
		var p mentions
		require.NoError(t, decode(body, &p), body)
		found := slices.ContainsFunc(p.Identifier, func(i fhir.Identity) bool { return i.Known() && i == p.Subject.Identifier })
		require.Equal(t, same, found, body)
		require.Equal(t, !strings.Contains(body, "null}"), p.Subject.Identifier.Stated, body)
	}
}

func TestACodeIsFoundWhateverItsSystem(t *testing.T) {
	c := fhir.CodeableConcept{Coding: []fhir.Coding{{System: "urn:a", Code: "x"}, {Code: "ATND"}}, Text: "y"}
	require.True(t, c.HasCode("ATND"))
	require.True(t, c.HasCode("z", "x"))
	require.False(t, c.HasCode("atnd", "y"))
	require.False(t, c.HasCode())
	require.False(t, fhir.CodeableConcept{}.HasCode("x"))
}

func TestTheWeightOfAResourceCountsItsObjectsAndLists(t *testing.T) {
	require.Equal(t, 5, fhir.Weight([]byte(`{"a":[{"b":1},{}],"c":[]}`)))
	require.Zero(t, fhir.Weight(nil))
}

func TestADenyIsFoundAtAnyDepthAndAnUnknownDecisionPermitsNothing(t *testing.T) {
	var none *fhir.Provision
	require.True(t, none.Permits())
	require.True(t, (&fhir.Provision{}).Permits())
	require.False(t, (&fhir.Provision{Type: "deny"}).Permits())
	require.False(t, (&fhir.Provision{Type: "Permit"}).Permits())
	require.False(t, (&fhir.Provision{ModifierExtension: true}).Permits())
	permit := fhir.Provision{Type: "permit", Provision: []fhir.Provision{{Type: "permit"}}}
	require.True(t, permit.Permits())
	permit.Provision[0].Provision = []fhir.Provision{{}, {Type: "deny"}}
	require.False(t, permit.Permits())
}

func TestDecodeKeepingDropsAWrongValueAndReadsOn(t *testing.T) {
	var o fhir.Observation
	err := fhir.DecodeKeeping(jsontext.Value(`{"valueQuantity":{"value":3,"code":[{"x":"}]"}]},"status":"final","subject":{"reference":5},
		"effectivePeriod":{"start":7,"end":"2019"},"focus":[{"reference":"Patient/a"}],"dataAbsentReason":null}`), &o, place("here"), "")
	require.EqualError(t, err, "fhir: wrong JSON type at here.subject.reference")
	require.Equal(t, fhir.Observation{
		Status: "final", EffectivePeriod: fhir.Period{End: "2019"}, Focus: []fhir.Reference{{Reference: "Patient/a"}},
		Lost: fhir.Lost{"valueQuantity"},
	}, o)
	require.True(t, o.Lost.Any())
	require.True(t, o.Lost.Any("x", "valueQuantity"))
	require.False(t, o.Lost.Any("x"))
	require.False(t, fhir.Lost(nil).Any())
}

func TestAValueThatTheDocumentCallsAbsentIsNotRead(t *testing.T) {
	const absent = `{"extension":[{"url":"http://x/other"},{"url":"http://hl7.org/fhir/StructureDefinition/data-absent-reason","valueCode":"masked"}]}`
	var p fhir.Patient
	require.NoError(t, fhir.DecodeKeeping(jsontext.Value(`{"_gender":`+absent+`,"gender":"male","id":"p","_id":{"extension":[{"url":"http://x/other"}]},
		"multipleBirthInteger":1,"_multipleBirthInteger":`+absent+`,"name":[{"family":"XXX","_family":`+absent+`,"given":["Ann","X"],"_given":[null,`+absent+`]}],
		"extension":[{"url":"x","_url":`+absent+`,"valueCode":"M","_valueCode":`+absent+`}]}`), &p, place("here"), ""))
	require.Equal(t, "p", p.ID)
	require.Empty(t, p.Gender)
	require.False(t, p.MultipleBirth.Set)
	require.Equal(t, []fhir.HumanName{{Given: []string{"Ann", ""}}}, p.Name)
	require.Equal(t, fhir.Extensions{{URL: "x"}}, p.Extension)
	require.ElementsMatch(t, fhir.Lost{"gender", "multipleBirthInteger"}, p.Lost)

	var o fhir.Observation
	require.NoError(t, fhir.Decode(jsontext.Value(`{"valueQuantity":{"value":0,"_value":`+absent+`},"subject":{"reference":"Patient/a","_reference":`+absent+`},
		"_status":`+absent+`,"_issued":"absent","issued":"2026"}`), &o, place("here"), ""))
	require.Equal(t, fhir.Observation{ValueQuantity: &fhir.Quantity{}, Subject: fhir.Reference{Reference: "Patient/a"}, Issued: "2026"}, o, "a reference still refers to somebody")
	require.NoError(t, fhir.Decode(jsontext.Value(`{"gender":"male","_gender":`+absent+`}`), &p, place("here"), ""))
	require.Equal(t, "male", p.Gender, "a chart's gender may show that it is somebody else's")
}

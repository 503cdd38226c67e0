package fhir_test

import (
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"birthregistry/app/fhir"
)

// scan scans a body in one piece, byte by byte, and with the end in the last read, and
// requires the same result each time.
func scan(t *testing.T, body string) error {
	t.Helper()
	whole := fhir.Scan(strings.NewReader(body))
	if len(body) <= 1<<16 {
		require.Equal(t, whole, fhir.Scan(iotest.OneByteReader(strings.NewReader(body))), "byte by byte")
	}
	require.Equal(t, whole, fhir.Scan(iotest.DataErrReader(strings.NewReader(body))), "with the end in the last read")
	return whole
}

// nested returns a Bundle with a value at this depth.
func nested(depth int) string {
	return `{"resourceType":"Bundle","x":` + strings.Repeat("[", depth-1) + strings.Repeat("]", depth-1) + `}`
}

func members(n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`"m` + strconv.Itoa(i) + `":0`)
	}
	return b.String()
}

func list(n int, of string) string {
	return "[" + strings.TrimSuffix(strings.Repeat(of+",", n), ",") + "]"
}

func TestABundleIsAccepted(t *testing.T) {
	for name, body := range map[string]string{
		"the least there is":                `{"resourceType":"Bundle"}`,
		"white space around":                " \r\n\t{ \"resourceType\" : \"Bundle\" } \n",
		"members in any order":              `{"entry":[{"resource":{"resourceType":"Patient"}}],"type":"document","resourceType":"Bundle"}`,
		"the type written with an escape":   `{"resourceType":"B\u0075ndle"}`,
		"the member written with an escape": `{"resource\u0054ype":"Bundle"}`,
		"null entries":                      `{"resourceType":"Bundle","entry":[null,{}]}`,
		"entry that is no list":             `{"resourceType":"Bundle","entry":{"resource":1}}`,
		"the same name in two objects":      `{"resourceType":"Bundle","a":{"id":1},"b":{"id":1}}`,
		"names that differ by case":         `{"resourceType":"Bundle","RESOURCETYPE":"Patient","ID":1,"id":2}`,
		"characters beyond the BMP":         `{"resourceType":"Bundle","a":"😀","b":"\ud83d\ude00"}`,
		"a direction mark in a name":        "{\"resourceType\":\"Bundle\",\"\u202ea\":\"x\u202e\"}",
		"control characters as escapes":     `{"resourceType":"Bundle","a":"\u0001\t\n\u001f\u007f"}`,
		"an escaped backslash before u0000": `{"resourceType":"Bundle","a":"\\u0000"}`,
		"nearly U+0000":                     `{"resourceType":"Bundle","a":"\u0001 \u0010 \u0100 \u1000 \u000a0"}`,
		"-0, 1e1 and 3400.0":                `{"resourceType":"Bundle","a":[-0,1e1,3400.0,1E+02,-1.5e-7]}`,
		"64 digits":                         `{"resourceType":"Bundle","a":` + strings.Repeat("9", 64) + `}`,
		"an exponent of three digits":       `{"resourceType":"Bundle","a":1e999}`,
		"many short numbers":                `{"resourceType":"Bundle","a":` + list(5000, "1e1") + `}`,
		"digits in a string":                `{"resourceType":"Bundle","a":"` + strings.Repeat("9", 500) + `1e99999"}`,
		"depth 64":                          nested(64),
		"brackets in a string":              `{"resourceType":"Bundle","a":"` + strings.Repeat("[{", 200) + `"}`,
		"10,000 members":                    `{"resourceType":"Bundle","a":{` + members(10_000) + `}}`,
		"a list of 10,000":                  `{"resourceType":"Bundle","a":{"b":` + list(10_000, "0") + `}}`,
		"50,000 entries":                    `{"resourceType":"Bundle","entry":` + list(50_000, "{}") + `}`,
		"commas in strings":                 `{"resourceType":"Bundle","a":["` + strings.Repeat(",", 60_000) + `"]}`,
	} {
		t.Run(name, func(t *testing.T) { require.NoError(t, scan(t, body)) })
	}
}

func TestAResourceThatIsNotABundleIsRefused(t *testing.T) {
	for name, body := range map[string]string{
		"null":                       `null`,
		"true":                       `true`,
		"a number":                   `12`,
		"a number of many digits":    `20260302`,
		"a string":                   `"x"`,
		"a list":                     `[]`,
		"a list of a Bundle":         `[{"resourceType":"Bundle"}]`,
		"an object without a type":   `{}`,
		"another type":               `{"resourceType":"Patient"}`,
		"the type in another case":   `{"resourceType":"bundle"}`,
		"the member in another case": `{"RESOURCETYPE":"Bundle"}`,
		"the type with white space":  `{"resourceType":"Bundle "}`,
		"a type that is a list":      `{"resourceType":["Bundle"]}`,
		"a type that is an object":   `{"resourceType":{"Bundle":"Bundle"}}`,
		"a type that is null":        `{"resourceType":null}`,
		"the type further down":      `{"entry":[{"resourceType":"Bundle"}],"a":{"resourceType":"Bundle"}}`,
		"the type in an entry alone": `{"entry":{"resourceType":"Bundle"}}`,
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, fhir.NotABundle, scan(t, body)) })
	}
}

func TestABodyThatIsNotStrictJSONIsRefused(t *testing.T) {
	for name, body := range map[string]string{
		"nothing":                           ``,
		"white space":                       " \n",
		"XML":                               `<Bundle xmlns="http://hl7.org/fhir"><type value="document"/></Bundle>`,
		"a form":                            `resourceType=Bundle`,
		"a byte order mark, here":           "\ufeff" + `{"resourceType":"Bundle"}`,
		"UTF-16":                            "{\x00\"\x00r\x00",
		"cut off in the object":             `{"resourceType":"Bundle"`,
		"cut off after a comma":             `{"resourceType":"Bundle",`,
		"cut off in a name":                 `{"resourceType":"Bundle","ent`,
		"cut off in the entries":            `{"resourceType":"Bundle","entry":[{}`,
		"cut off in an entry":               `{"resourceType":"Bundle","entry":[{"a":`,
		"cut off in an escape":              `{"resourceType":"Bundle","a":"\u00`,
		"a second value":                    `{"resourceType":"Bundle"}{"resourceType":"Bundle"}`,
		"a second value behind white space": `{"resourceType":"Bundle"}` + "\n" + `1`,
		"trailing bytes":                    `{"resourceType":"Bundle"}x`,
		"a trailing bracket":                `{"resourceType":"Bundle"}}`,
		"a trailing NUL":                    `{"resourceType":"Bundle"}` + "\x00",
		"a trailing comma":                  `{"resourceType":"Bundle",}`,
		"a trailing comma in a list":        `{"resourceType":"Bundle","entry":[{},]}`,
		"a missing comma":                   `{"resourceType":"Bundle" "a":1}`,
		"a comment":                         `{"resourceType":"Bundle" /* x */}`,
		"single quotes":                     `{'resourceType':'Bundle'}`,
		"a name without quotes":             `{resourceType:"Bundle"}`,
		"NaN":                               `{"resourceType":"Bundle","a":NaN}`,
		"a leading zero":                    `{"resourceType":"Bundle","a":007}`,
		"a plus sign":                       `{"resourceType":"Bundle","a":+1}`,
		"hexadecimal":                       `{"resourceType":"Bundle","a":0x10}`,
		"a raw line break in a string":      "{\"resourceType\":\"Bundle\",\"a\":\"x\ny\"}",
		"a raw NUL in a string":             "{\"resourceType\":\"Bundle\",\"a\":\"x\x00y\"}",
		"an unknown escape":                 `{"resourceType":"Bundle","a":"\x41"}`,
		"the type twice":                    `{"resourceType":"Bundle","resourceType":"Bundle"}`,
		"the type twice, once escaped":      `{"resourceType":"Patient","resource\u0054ype":"Bundle"}`,
		"entry twice":                       `{"resourceType":"Bundle","entry":[],"entry":[]}`,
		"a repeated name in an entry":       `{"resourceType":"Bundle","entry":[{"resource":{"id":"a","id":"b"}}]}`,
		"a repeated name further down":      `{"resourceType":"Bundle","a":{"b":[{"c":{"id":1,"x":2,"id":3}}]}}`,
		"an invalid byte":                   "{\"resourceType\":\"Bundle\",\"a\":\"\xff\"}",
		"an invalid byte in a name":         "{\"resourceType\":\"Bundle\",\"\xff\":1}",
		"an overlong slash":                 "{\"resourceType\":\"Bundle\",\"a\":\"\xc0\xaf\"}",
		"an overlong NUL":                   "{\"resourceType\":\"Bundle\",\"a\":\"\xc0\x80\"}",
		"a surrogate in UTF-8":              "{\"resourceType\":\"Bundle\",\"a\":\"\xed\xa0\x80\"}",
		"beyond Unicode":                    "{\"resourceType\":\"Bundle\",\"a\":\"\xf4\x90\x80\x80\"}",
		"a character cut off":               "{\"resourceType\":\"Bundle\",\"a\":\"\xe2\x82\"}",
		"a lone high surrogate":             `{"resourceType":"Bundle","a":"\ud83d"}`,
		"a lone low surrogate":              `{"resourceType":"Bundle","a":"\ude00"}`,
		"surrogates the wrong way round":    `{"resourceType":"Bundle","a":"\ude00\ud83d"}`,
	} {
		t.Run(name, func(t *testing.T) { requireNotJSON(t, scan(t, body)) })
	}
}

// requireNotJSON requires that a body is refused as NotJSON, in a text that adds at most the
// position.
func requireNotJSON(t *testing.T, err error) {
	t.Helper()
	var problem *fhir.Problem
	require.ErrorAs(t, err, &problem)
	text := problem.Text
	of := *problem
	of.Text = fhir.NotJSON.Text
	require.Equal(t, *fhir.NotJSON, of)
	require.Regexp(t, "^"+regexp.QuoteMeta(fhir.NotJSON.Text)+`( The error is after byte \d+ of the body\.)?$`, text)
}

func TestASyntaxErrorIsReportedWithItsPositionAndWithoutWhatStandsThere(t *testing.T) {
	for body, at := range map[string]string{
		`{"resourceType":"Bundle" "secret":1}`:                 "25",
		`{"resourceType":"Bundle","secret":tru}`:               "37",
		`{"resourceType":"Bundle","entry":[{"secret":1},]}`:    "46",
		`{"resourceType":"Bundle"} {"secret":1}`:               "25",
		`{"resourceType":"Bundle","secret":1,"secret":2}`:      "36",
		`{"resourceType":"Bundle","entry":[{"secret":"x\q"}]}`: "46",
		`{"resourceType":"Bundle","entry":[{"secret":"x`:       "46",
		`secret`: "0",
	} {
		err := scan(t, body)
		requireNotJSON(t, err)
		require.ErrorContains(t, err, "The error is after byte "+at+" of the body.", body)
		require.NotContains(t, err.Error(), "secret")
	}
}

func TestAnAbsurdlyComplexBodyIsRefused(t *testing.T) {
	for name, body := range map[string]string{
		"depth 65": nested(65),
		"depth 65 in an entry": `{"resourceType":"Bundle","entry":[` + strings.Repeat(`{"a":`, 63) + `1` +
			strings.Repeat(`}`, 63) + `]}`,
		"65 digits":                      `{"resourceType":"Bundle","a":` + strings.Repeat("9", 65) + `}`,
		"65 digits behind the point":     `{"resourceType":"Bundle","a":0.` + strings.Repeat("9", 63) + `}`,
		"an exponent of four digits":     `{"resourceType":"Bundle","a":1e9999}`,
		"an exponent with zeros":         `{"resourceType":"Bundle","a":1e1000}`,
		"an exponent of nine digits":     `{"resourceType":"Bundle","a":1e999999999}`,
		"a small exponent":               `{"resourceType":"Bundle","a":1E-9999}`,
		"10,001 members":                 `{"resourceType":"Bundle","a":{"b":{` + members(10_001) + `}}}`,
		"10,001 members of a member":     `{"resourceType":"Bundle","meta":{` + members(10_001) + `}}`,
		"10,001 members of the Bundle":   `{"resourceType":"Bundle",` + members(10_000) + `}`,
		"a list of 10,001":               `{"resourceType":"Bundle","a":{"b":` + list(10_001, "0") + `}}`,
		"50,001 entries":                 `{"resourceType":"Bundle","entry":` + list(50_001, "{}") + `}`,
		"10,001 entries of an inner one": `{"resourceType":"Bundle","entry":[{"resource":{"entry":` + list(10_001, "{}") + `}}]}`,
	} {
		t.Run(name, func(t *testing.T) { requireTooComplex(t, body, "") })
	}
}

// requireTooComplex requires that a body is refused because of a limit and that the text names
// the limit.
func requireTooComplex(t *testing.T, body, limit string) {
	t.Helper()
	var problem *fhir.Problem
	require.ErrorAs(t, scan(t, body), &problem)
	require.Equal(t, fhir.TooComplex.Name, problem.Name)
	require.Contains(t, problem.Text, limit)
	require.NotEqual(t, fhir.TooComplex.Text, problem.Text)
}

func TestTheAnswerToATooComplexBodyNamesTheLimitItBreaks(t *testing.T) {
	list := func(n int) string { return "[" + strings.Repeat("0,", n-1) + "0]" }
	for limit, body := range map[string]string{
		"deeper than 64 levels":            strings.Repeat("[", 65),
		"longer than 64 characters":        `{"a":` + strings.Repeat("1", 65) + `}`,
		"exponent of more than 3 digits":   `{"a":1e1000}`,
		"more than 10000 members":          `{"a":{"b":` + list(10_001) + `}}`,
		"list of the Bundle has more than": `{"entry":` + list(50_001) + `}`,
	} {
		requireTooComplex(t, body, limit)
	}
}

func TestTheCharacterNULIsRefusedByItsName(t *testing.T) {
	for name, body := range map[string]string{
		"U+0000":                      `{"resourceType":"Bundle","a":"x\u0000"}`,
		"U+0000 in a name":            `{"resourceType":"Bundle","a\u0000":1}`,
		"U+0000 behind other escapes": `{"resourceType":"Bundle","a":"\\\"\n\u00e9\u0000"}`,
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, fhir.HasNUL, scan(t, body)) })
	}
	requireTooComplex(t, `{"a":"\u0001\u0010","b":`+strings.Repeat("9", 65)+`}`, "number")
}

func TestAnErrorOfTheReaderIsReturnedUnchanged(t *testing.T) {
	broken := errors.New("the connection broke")
	for _, before := range []string{"", `{"resourceType":"Bundle","entry":[{`, `{"resourceType":"Bundle"}`} {
		body := io.MultiReader(strings.NewReader(before), iotest.ErrReader(broken))
		require.ErrorIs(t, fhir.Scan(body), broken, "%q", before)
	}
}

func TestNoResultQuotesTheBody(t *testing.T) {
	for _, body := range []string{
		`{"resourceType":"Bundle","secret":"Okonkwo","secret":"Okonkwo"}`, `{"resourceType":"Okonkwo"}`, `Okonkwo`,
		`{"resourceType":"Bundle","a":Okonkwo}`, `{"resourceType":"Bundle","a":1e99999,"b":"Okonkwo"}`,
	} {
		err := fhir.Scan(strings.NewReader(body))
		require.Error(t, err)
		require.NotContains(t, err.Error(), "Okonkwo")
	}
}

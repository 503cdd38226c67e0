package bundle

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
	"birthregistry/app/mapping/mappingtest"
)

// nasty are documents that the scan accepts but that nobody should send.
var nasty = []string{
	`{"resourceType":"Bundle"}`,
	`{"resourceType":"Bundle","entry":{}}`,
	`{"resourceType":"Bundle","entry":[null,{},[],5,"x"]}`,
	strings.Repeat(`{"resourceType":"Bundle","entry":[{"resource":`, 5) + `{"resourceType":"Bundle"}` + strings.Repeat(`}]}`, 5),
	`{"resourceType":"Bundle","entry":[
		{"request":{"method":"DELETE","url":"Bundle?identifier=%zz|"},"fullUrl":"urn:uuid:/_history/"},
		{"request":{"method":"DELETE"},"resource":{"resourceType":"Patient","identifier":[{"value":"\u0001"}]}}
	]}`,
	`{"resourceType":"Bundle","identifier":{"value":"A"},"entry":[
		{"resource":{"resourceType":"Composition","status":"entered-in-error"}}
	]}`,
	`{"resourceType":"Bundle","entry":[
		{"resource":{"resourceType":"Patient","id":"m","meta":{"profile":["mother|2.0.0","|","/"]},
			"name":[{"given":[null,""]}],"birthDate":"0000-00-00"}},
		{"resource":{"resourceType":"Patient","meta":{"profile":["child"]},"multipleBirthInteger":1e300,
			"_birthDate":{"extension":[{"url":"partial-date-time","extension":[
				{"url":"year","valueInteger":1e300},{"url":"month","valueInteger":-0},{"url":"time","valueTime":"T"}]}]}}},
		{"resource":{"resourceType":"Observation","code":{"coding":[{"code":"11884-4"},{"code":"8339-4"}]},
			"valueQuantity":{"value":1e300,"code":"d"}}}
	]}`,
}

// FuzzRead checks that every document that the scan accepts can be read, and that its courses
// can be masked, compared and stored.
func FuzzRead(f *testing.F) {
	for _, body := range mappingtest.Samples(f) {
		f.Add(string(body))
	}
	for _, body := range nasty {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		if fhir.Scan(strings.NewReader(body)) == nil {
			requireSound(t, Reader{}, body)
			requireSound(t, wide, body)
		}
	})
}

// requireSound reads a document and checks the rules that hold for every item.
func requireSound(t require.TestingT, mapper Reader, body string) (accepted int) {
	all := read(t, mapper, body)
	for _, i := range all {
		require.Empty(t, i.Panic, "the mapper failed")
		require.Regexp(t, `^Bundle(\.entry\[\d+\])?$`, i.Rejected)
		require.LessOrEqual(t, len(i.Accepted), 100)
		switch {
		case i.Problem != nil:
			require.Zero(t, i.Problem.Status, "a problem of the receipt")
			require.Regexp(t, `^Bundle[\w.\[\]]*$`, i.Expression)
			require.Nil(t, i.Draft)
			require.False(t, i.Retraction)
		case i.Retraction:
			require.Nil(t, i.Draft)
			require.NotEmpty(t, i.Accepted)
		default:
			accepted++
			require.NotEmpty(t, i.Draft.Children)
			course := birth.Mask(*i.Draft)
			require.LessOrEqual(t, len(course.Fingerprints([]byte("key"), 1)), len(i.Draft.Children))
			restored, err := birth.Restore(course.Clinical(), course.Patient())
			require.NoError(t, err)
			require.Len(t, restored.Draft().Children, len(i.Draft.Children))
		}
	}
	require.LessOrEqual(t, len(all), len(body)/2+1)
	return accepted
}

// Bundles of exactly the members that the program reads, with words that have a meaning, reach
// places that flipped bytes do not.
func TestEveryBundleMadeFromTheShapesIsReadOrRejected(t *testing.T) {
	accepted, all := 0, maps.Clone(shapes)
	maps.Copy(all, wideShapes)
	rapid.Check(t, func(t *rapid.T) {
		resources := []m{mother(), child(), twin(2)}
		for range rapid.IntRange(0, 12).Draw(t, "resources") {
			kind := rapid.SampledFrom(slices.Sorted(maps.Keys(all))).Draw(t, "kind")
			doc := drawShape(t, reflect.TypeOf(all[kind]), 0).(m)
			resources = append(resources, doc.With(m{"resourceType": kind}))
		}
		body := text(t, bundle(resources...))
		accepted += requireSound(t, Reader{}, body)
		requireSound(t, wide, body)
	})
	require.Positive(t, accepted, "some of it is a course of care")
}

// vocabulary are the words that the mapping looks for, and some that it doesn't. It is sorted,
// so that a failure can be reproduced.
var vocabulary = func() []string {
	all := []string{
		"", "x", "mother", "child", "Patient/child", "Practitioner/mother", "urn:uuid:x", "official", "maiden", "home", "final",
		"entered-in-error", "active", "deny", "permit", "ATND", "hosp-trans", "other-hcf", "Midwife", "doula RN", "neonatal transfer to",
		"2019-02-12", "2019-02", "2019-02-12T13:00:00-07:00", "04:05:06", "female", "M", "UNK", "g", "wk", "d", "[lb_av]", "{score}", "min",
		"ombCategory", "us-core-race", "us-core-ethnicity", "us-core-birthsex", "patient-birthTime", "partial-date", "year", "month",
		"day", "time", "fetal-death", "multipleBirthTotal", "reported-parent-age", "reportedAge", "motherOrFather", "MTH", "a",
		"19712007", "768825008", "inputraceandethnicityMother", "White", "HispanicCuban", "Y", "N", "3", "-1", "é\u2028\"\\<",
	}
	for _, i := range BFDRItems {
		all = append(all, i.Profile, i.Category, i.Code, i.System)
	}
	all = append(all, "completed", "not-done", "confirmed", "refuted", "5", mapping.SOPTURL, mapping.SNOMEDURL, mapping.LOINCURL, "loc_birth", NoneOfThese)
	for code := range meanings {
		all = append(all, code)
	}
	for _, f := range birth.Spine {
		for _, c := range slices.Concat(f.Yes, f.No) {
			all = append(all, c.Code)
		}
		for _, o := range f.Options {
			all = append(all, o.Code)
			for _, c := range o.Codings {
				all = append(all, c.Code)
			}
		}
	}
	slices.Sort(all)
	return all
}()

// drawShape draws some members of a type, occasionally with a wrong value.
func drawShape(t *rapid.T, kind reflect.Type, depth int) any {
	if depth > 0 && rapid.IntRange(0, 400).Draw(t, "wrong") == 0 {
		return rapid.SampledFrom(wrongFor(kind)).Draw(t, "wrong value")
	}
	switch {
	case kind == reflect.TypeFor[fhir.Number]():
		return rapid.SampledFrom([]any{0, 1, 2, 9, 39, 277, 3400, -1, 0.5, 1e300, "7", "x", nil}).Draw(t, "number")
	case kind == reflect.TypeFor[*bool]() || kind == reflect.TypeFor[fhir.Present]():
		return rapid.Bool().Draw(t, "flag")
	case kind == reflect.TypeFor[fhir.Identity]():
		return rapid.SampledFrom([]any{m{"system": "urn:x", "value": "1"}, m{"value": "2"}, m{}, "1", nil}).Draw(t, "identity")
	case kind.Kind() == reflect.String:
		return rapid.SampledFrom(vocabulary).Draw(t, "word")
	case kind.Kind() == reflect.Pointer:
		return drawShape(t, kind.Elem(), depth)
	case kind.Kind() == reflect.Slice:
		list := l{}
		for range rapid.IntRange(0, 2).Draw(t, "elements") {
			list = append(list, drawShape(t, kind.Elem(), depth+1))
		}
		return list
	}
	doc := m{}
	for i := range kind.NumField() {
		name, _, _ := strings.Cut(kind.Field(i).Tag.Get("json"), ",")
		if name != "-" && depth < 6 && rapid.Bool().Draw(t, name) {
			doc[name] = drawShape(t, kind.Field(i).Type, depth+1)
		}
	}
	return doc
}

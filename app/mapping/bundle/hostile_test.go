package bundle

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

func repeat(n int, one func(int) m) []m {
	all := make([]m, n)
	for i := range all {
		all[i] = one(i)
	}
	return all
}

func TestACourseWithMoreElementsThanAnyRealOneIsRejected(t *testing.T) {
	codings := func(n int) m { return obs("x", m{"code": m{"coding": make([]m, n)}}) }
	fill := func(resources ...m) string {
		return strings.ReplaceAll(text(t, bundle(append([]m{mother(), child()}, resources...)...)), "null", "{}")
	}
	yield := func(body string) mapping.Item {
		require.NoError(t, fhir.Scan(strings.NewReader(body)), "the door lets it in")
		got := read(t, Reader{}, body)
		require.Len(t, got, 1)
		return got[0]
	}
	require.NotNil(t, yield(fill(repeat(19, func(int) m { return codings(9_990) })...)).Draft)
	requireRejected(t, yield(fill(repeat(21, func(int) m { return codings(9_990) })...)), "Bundle", fhir.TooManyElements, "Bundle.entry")
}

func TestAMessageAroundALargeBatchDoesNotCountAsALargeCourse(t *testing.T) {
	codings := l{}
	for range 9_000 {
		codings = append(codings, m{})
	}
	heavy := bundle(mother(), child(), obs("x", m{"code": m{"coding": codings}}))
	all := items(t, batch(batch(repeat(25, func(int) m { return heavy })...)))
	require.Len(t, all, 25)
	for _, i := range all {
		require.Nil(t, i.Problem)
	}
}

func TestACourseWithMoreChildrenThanAnyRealOneIsRejected(t *testing.T) {
	children := repeat(101, func(int) m { return child() })
	requireRejected(t, item(t, bundle(append(children, mother())...)), "Bundle", fhir.TooManyElements, "Bundle.entry")
	require.Len(t, item(t, bundle(append(children[1:], mother())...)).Draft.Children, 100)
}

func TestARejectionForATooLongChartNumberPointsAtTheChartNumber(t *testing.T) {
	numbered := func(n int) m {
		doc := bundle(mother(), child())
		doc["identifier"] = m{"value": strings.Repeat("7", n)}
		return doc
	}
	requireRejected(t, item(t, numbered(256)), "Bundle.entry[0]", fhir.BadChartNumber, "Bundle.identifier.value")
	require.NotNil(t, item(t, numbered(255)).Draft)
}

// A document as large as the scan and the element limit allow takes at most seconds, whatever
// it repeats.
func TestNothingThatIsRepeatedCostsMoreThanItsSize(t *testing.T) {
	id := func(i int) m { return m{"id": "x" + text(t, i)} }
	many := func(n int, code, display string) l {
		codings := l{}
		for range n {
			codings = append(codings, m{"code": code, "display": display})
		}
		return codings
	}
	providers := repeat(99, func(i int) m { return child(id(i)) })
	for name, resources := range map[string][]m{
		"practitioners": repeat(20_000, func(i int) m { return staff("p", id(i)) }),
		"encounters of many children": append(repeat(10_000, func(i int) m {
			return encounter(about("Patient/gone"), m{"hospitalization": m{"admitSource": concept("hosp-trans")}})
		}), providers...),
		"facts of many children": append(repeat(10_000, func(int) m { return obs("11884-4", quantity(39, "wk")) }), providers...),
		"findings":               repeat(15_000, func(i int) m { return obs("72519-2", coded("15628003")) }),
		"codings of a finding": repeat(10, func(int) m {
			category := append(many(9_000, "x", ""), m{"code": "73813-8"})
			return obs("", m{"code": m{"coding": category}, "valueCodeableConcept": m{"coding": many(9_000, "OTH", "")}})
		}),
		"texts of a finding": repeat(10, func(int) m {
			return obs("", m{"code": m{"coding": append(many(9_000, "x", "5 minute Apgar Score"), m{"code": "73813-8"})}, "valueCodeableConcept": m{"coding": many(9_000, "236958009", "None")}})
		}),
		"components": repeat(1_000, func(int) m {
			parts := l{}
			for range 20 {
				parts = append(parts, m{"code": concept("9274-2"), "valueInteger": 9})
			}
			return obs("48334-7", m{"component": parts})
		}),
		"identifiers": append(repeat(10_000, func(i int) m {
			return obs("9274-2", integer(9), m{"subject": m{"identifier": m{"system": "urn:x", "value": text(t, i)}}})
		}), repeat(5_000, func(i int) m {
			return patient("x"+text(t, i), "urn:none", m{"identifier": l{m{"system": "urn:x", "value": text(t, i)}}})
		})...),
		"routes of many children": append(repeat(15_000, func(int) m { return procedure("73762-7", "11466000", about("")) }), providers...),
		"conditions":              repeat(15_000, func(int) m { return condition("73775-9", "11687002") }),
		"places": repeat(20_000, func(i int) m {
			return m{"resourceType": "Location", "name": text(t, i), "type": l{codingOf(bfdrCodes, "loc_birth")}}
		}),
		"words of a type": {encounter(m{"type": l{m{"coding": many(9_999, "x", strings.Repeat("d", 400))}}})},
		"qualifications": {staff("p", m{"qualification": func() (all l) {
			for i := range 9_999 {
				all = append(all, m{"code": m{"text": text(t, i)}})
			}
			return all
		}()})},
	} {
		t.Run(name, func(t *testing.T) {
			body := text(t, bundle(append([]m{mother(), child()}, resources...)...))
			require.NoError(t, fhir.Scan(strings.NewReader(body)))
			start := time.Now()
			require.NoError(t, wide.Read(strings.NewReader(body), func(i mapping.Item) error {
				require.Nil(t, i.Problem)
				birth.Mask(*i.Draft)
				return nil
			}))
			require.Less(t, time.Since(start), 8*time.Second)
		})
	}
}

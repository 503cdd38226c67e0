package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// mark is a placeholder for the parts that differ from one Bundle to the next: the chart number and
// the mother's name. The load replaces it with a number of the same length.
const mark = "@@@@@@@@@@@@"

// course returns a course of care as a Bundle of about size bytes, with a mother, a child, an
// attendant and Observations. As in a Bundle from an EHR, codes have displays and there is a
// narrative, which the registry doesn't keep. The same size always gives the same Bundle.
func course(size int) string {
	chance := rand.New(rand.NewPCG(6, uint64(size)))
	var b strings.Builder
	b.WriteString(`{"resourceType":"Bundle","type":"document","identifier":{"system":"urn:charts","value":"` + mark + `"},"timestamp":"2026-04-01T07:00:00Z","entry":[`)
	b.WriteString(`{"fullUrl":"urn:uuid:5f0e8f52-4a1f-4b3f-9d3e-0c7f54a1d001","resource":{"resourceType":"Patient","id":"m",` + profile("mother") +
		`,"name":[{"use":"official","family":"Family ` + mark + `","given":["Amara","Ngozi"]}],"birthDate":"1991-01-09","address":[{"use":"home","line":["14 Mill Lane"],"city":"Brattleboro","state":"VT","postalCode":"05301"}]}},`)
	b.WriteString(`{"fullUrl":"urn:uuid:5f0e8f52-4a1f-4b3f-9d3e-0c7f54a1d002","resource":{"resourceType":"Patient","id":"c",` + profile("child") +
		`,"name":[{"use":"official","family":"Family ` + mark + `","given":["Ada"]}],"gender":"female","birthDate":"2026-03-04",` +
		`"_birthDate":{"extension":[{"url":"http://hl7.org/fhir/StructureDefinition/patient-birthTime","valueDateTime":"2026-03-04T01:15:00-04:00"}]}}},`)
	b.WriteString(`{"resource":{"resourceType":"Practitioner","id":"p","identifier":[{"system":"urn:staff","value":"17"}],"name":[{"family":"Lindqvist","given":["Eva"]}],"qualification":[{"code":{"text":"CPM"}}]}},`)
	b.WriteString(`{"resource":{"resourceType":"Encounter","id":"e","status":"finished","class":{"system":"http://terminology.hl7.org/CodeSystem/v3-ActCode","code":"IMP"},"subject":{"reference":"Patient/m"},"participant":[{"type":[{"coding":[{"code":"ATND"}]}],"individual":{"reference":"Practitioner/p"}}]}}`)
	for n, o := range observations {
		fmt.Fprintf(&b, `,{"resource":{"resourceType":"Observation","id":"o%d","status":"final","code":{"coding":[{"system":"http://loinc.org","code":"%s","display":"%s"}]},`+
			`"subject":{"reference":"Patient/c"},"effectiveDateTime":"2026-03-04T01:%02d:00-04:00",%s}}`, n, o[0], o[1], 15+n, o[2])
	}
	for n := 0; b.Len() < size-700; n++ {
		b.WriteString(condition(chance, n, 700))
	}
	if rest := size - b.Len() - 180; rest > 0 {
		b.WriteString(condition(chance, 99, rest+180))
	}
	return b.String() + `]}`
}

func profile(role string) string {
	return `"meta":{"profile":["http://hl7.org/fhir/us/vr-common-library/StructureDefinition/Patient-` + role + `-vr"]}`
}

// observations lists the Observations of a birth. Each has a LOINC code, a display text and a
// value.
var observations = [][3]string{
	{"8339-4", "Birth weight Measured", `"valueQuantity":{"value":3610,"unit":"g","system":"http://unitsofmeasure.org","code":"g"}`},
	{"9272-6", "1 minute Apgar Score", `"valueInteger":7`},
	{"9274-2", "5 minute Apgar Score", `"valueInteger":9`},
	{"11638-4", "[#] Parity", `"valueInteger":1`},
	{"68493-6", "Prenatal visits for this pregnancy #", `"valueInteger":11`},
}

// condition returns a Bundle entry of about size bytes: a Condition with a narrative. The registry
// doesn't keep the Condition.
func condition(chance *rand.Rand, n, size int) string {
	head := fmt.Sprintf(`,{"resource":{"resourceType":"Condition","id":"n%d","subject":{"reference":"Patient/m"},"text":{"status":"generated","div":"<div>`, n)
	const tail = `</div>"}}}`
	var text strings.Builder
	for text.Len() < size-len(head)-len(tail) {
		text.WriteString(words[chance.IntN(len(words))])
		fmt.Fprintf(&text, " %d ", chance.IntN(1000))
	}
	return head + text.String() + tail
}

var words = strings.Fields(`contractions regular every minutes cervix dilated effaced station vertex fetal heart rate baseline moderate
variability accelerations no decelerations membranes intact ruptured clear fluid mother resting comfortably position changed
hydration encouraged partner present doula support blood pressure pulse temperature within limits`)

// batch returns a batch Bundle that contains the Bundle one several times, as many as courses
// states. Each copy gets a different number, beginning with scattered(first).
func batch(one string, first, courses int) string {
	var b strings.Builder
	b.Grow(courses * (len(one) + 16))
	b.WriteString(`{"resourceType":"Bundle","type":"batch","entry":[`)
	for n := range courses {
		if n > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`{"resource":` + numbered(one, scattered(first+n)) + `}`)
	}
	return b.String() + `]}`
}

// numbered returns a Bundle in which every mark is replaced by the number n.
func numbered(one string, n uint64) string {
	return strings.ReplaceAll(one, mark, fmt.Sprintf("%0*d", len(mark), n))
}

package bundle

import (
	"testing"

	"birthregistry/app/birth"
)

// Documents in shapes that those of the corpus don't have.
func TestEverythingIsKeptOrDroppedForAReasonInAnyShape(t *testing.T) {
	time := extended(extension("http://hl7.org/fhir/StructureDefinition/patient-birthTime", m{"valueDateTime": "2026-03-02T04:18:00-05:00"}))
	replaced := m{"link": l{m{"type": "replaced-by", "other": m{"reference": "Patient/child"}}}}
	weight := func(more ...m) m { return obs("8339-4", append([]m{{"id": "w"}, quantity(3200, "g")}, more...)...) }
	withdrawn := m{"status": "entered-in-error"}
	history := withURLs(bundle(mother(), child(), weight(), weight(quantity(3300, "g"))), "", "", "urn:uuid:7", "urn:uuid:7")
	history["type"] = "history"
	for name, doc := range map[string]m{
		"a panel":              bundle(mother(), child(), panel("48334-7", about("Patient/child"), part("9272-6", integer(7)), part("9274-2", integer(12)), part("32401-2", integer(1)))),
		"a withdrawn panel":    bundle(mother(), child(), panel("48334-7", about("Patient/child").With(withdrawn), part("9272-6", integer(7)))),
		"a panel in versions":  withURLs(bundle(mother(), child(), panel("48334-7", about("Patient/child"), part("9272-6", integer(7))), panel("48334-7", about("Patient/child"), part("9272-6", integer(8)))), "", "", "urn:uuid:7", "urn:uuid:7"),
		"an amount in parts":   bundle(mother(), child(), panel("8339-4", about("Patient/child"), part("8339-4", quantity(7, "[lb_av]")), part("8339-4", quantity(9, "[oz_av]")))),
		"a merged child":       bundle(mother(), child(m{"id": "old", "gender": "male"}, replaced), child(m{"gender": "female"})),
		"a time at the child":  bundle(mother(), child(m{"birthDate": "2026-03-02"}, time)),
		"a time of no date":    bundle(mother(), child(time)),
		"a time of a month":    bundle(mother(), child(m{"birthDate": "2026-03"}, time)),
		"a time of another":    bundle(mother(), child(m{"birthDate": "2026-03-05"}, time)),
		"a history":            history,
		"versions in doubt":    withURLs(bundle(mother(), child(), weight(withdrawn), weight()), "", "", "urn:uuid:7", "urn:uuid:7"),
		"a contained father":   bundle(mother(), child(), obs("8302-2", quantity(67, "[in_i]"), about("#f"), m{"contained": l{m{"resourceType": "RelatedPerson", "id": "f"}}})),
		"a panel of the past":  bundle(mother(), child(), obs("x", m{"code": shown("x", "", "Previous pregnancy"), "hasMember": l{m{"reference": "Observation/w"}}}), weight(about("Patient/mother"))),
		"an impossible mother": bundle(mother(m{"birthDate": "2026-03-02"}), child(m{"birthDate": "2026-03-02"})),
	} {
		for _, reading := range []birth.Reading{birth.SpecReading, birth.BFDRReading} {
			t.Run(name+" "+string(reading), func(t *testing.T) {
				i := item(t, doc, Reader{Reading: reading, Traced: true})
				holdTrace(t, i, map[string]bool{})
			})
		}
	}
}

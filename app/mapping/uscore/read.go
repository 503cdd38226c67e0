package uscore

import (
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

// reader holds the content of a chart, sorted by type.
type reader struct {
	chart   fhir.Chart
	launch  Launch
	patient *fhir.ChartPatient
	today   mapping.Day

	born      mapping.Moment // when the patient was born, as far as it is known
	sex       string         // female, male or ""
	sexes     []string
	findings  []*finding
	diagnoses []*diagnosis
	visits    []*visit
	refuted   []*diagnosis
	losses    []loss
	// deliveries holds the final findings that state a time of delivery, ongoing the findings that
	// show that a pregnancy continued, and allMarks the result of findMarks. They are needed for
	// every finding, and a chart may have thousands.
	deliveries, ongoing []*finding
	allMarks            []mark
	// obscure holds the findings whose meaning isn't clear (finding.unclear). If one of them may be
	// about a field, no finding fills in this field.
	obscure []*finding

	// observations counts the Observations that may be used. The other fields count resources that
	// may not be used, by reason.
	observations, foreign, withdrawn, later, marked, several int
}

func newReader(c fhir.Chart, launch Launch) *reader {
	c.Partial = slices.Clone(c.Partial)
	r := &reader{chart: c, launch: launch, patient: &c.Patient, today: mapping.DayOf(launch.At.UTC())}
	r.born = r.birthDay()
	r.sexes = r.statedSexes()
	if len(r.sexes) == 1 {
		r.sex = r.sexes[0]
	}
	r.readFindings()
	r.readDiagnoses()
	r.readVisits()
	r.readLosses()
	r.allMarks = r.findMarks()
	return r
}

// isPatient reports whether a reference is to the launched patient. A resource about anybody else
// is never used, because it may be from another patient's chart.
func (r *reader) isPatient(reference string) bool {
	id, here := r.patientIn(reference)
	return here && id == r.patient.ID
}

// patientIn returns the ID of the Patient in a reference. The result here is true if the Patient is
// on the launch's server. The same ID on another server is another person.
func (r *reader) patientIn(reference string) (id string, here bool) {
	if base := strings.TrimSuffix(r.launch.Base, "/"); base != "" {
		reference = strings.TrimPrefix(reference, base+"/")
	}
	reference, _, _ = strings.Cut(reference, "/_history/")
	id, here = strings.CutPrefix(reference, "Patient/")
	return id, here && id != "" && !strings.ContainsAny(id, "/?#|")
}

// future reports whether a moment is certainly after the launch.
func (r *reader) future(m mapping.Moment) bool {
	if m.Instant {
		return m.At.After(r.launch.At)
	}
	const east = 14 * time.Hour // the offset from UTC at which each day begins first
	return m.Known() && m.First > mapping.DayOf(r.launch.At.UTC().Add(east))
}

// obscured records that the meaning of a resource isn't clear. If the resource matters, obscured
// marks its type as partly read, because the resource could have changed the reading.
func (r *reader) obscured(kind string, matters bool) {
	if matters {
		r.chart.Partial = append(r.chart.Partial, kind)
	}
}

// has reports whether a finding has one of the LOINC codes.
func (f *finding) has(codes ...string) bool {
	_, ok := codeIn(f.Code, mapping.LOINCURL, codes)
	return ok
}

// codeIn returns the first of the codes that a concept has in a code system. It looks at all
// codings of the concept, and ignores displays and texts.
func codeIn(c fhir.CodeableConcept, system string, codes []string) (string, bool) {
	for _, code := range codes {
		if slices.ContainsFunc(c.Coding, func(coding fhir.Coding) bool {
			return coding.Code == code && mapping.SystemOf(coding.System) == system
		}) {
			return code, true
		}
	}
	return "", false
}

// Written returns a resource as JSON. The order of members is always the same, so that versions of
// a resource can be compared and sorted. Written returns "" if the resource can't be written as
// JSON.
func Written(resource any) string {
	text, err := json.Marshal(resource, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return ""
	}
	return string(text)
}

// labelOf returns a value in human-readable form.
func labelOf(field *birth.Field, v birth.Value) string {
	switch field.Kind {
	case birth.Code:
		return field.LabelOf(v.Text)
	case birth.Codes:
		var labels []string
		for _, code := range v.Set {
			labels = append(labels, field.LabelOf(code))
		}
		return strings.Join(labels, ", ")
	}
	if field.Kind == birth.Date || field.Kind == birth.DateTime {
		return birth.When(v.Text)
	}
	return short(mapping.Typed(field, v), 80)
}

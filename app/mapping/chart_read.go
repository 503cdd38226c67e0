package mapping

import (
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
)

// chartReader holds what a chart says, sorted out.
type chartReader struct {
	chart   fhir.Chart
	launch  ChartLaunch
	patient *fhir.ChartPatient
	today   day

	born      moment // the patient, as far as the chart tells
	sex       string // female, male or ""
	sexes     []string
	findings  []noted
	diagnoses []diagnosis
	visits    []visit

	// what was read and is no use
	observations, foreign, withdrawn, later int
}

func newChartReader(c fhir.Chart, launch ChartLaunch) *chartReader {
	r := &chartReader{chart: c, launch: launch, patient: &c.Patient, today: dayOf(launch.At.UTC())}
	r.born = r.birthDay()
	r.sexes = r.statedSexes()
	if len(r.sexes) == 1 {
		r.sex = r.sexes[0]
	}
	r.readFindings()
	r.readDiagnoses()
	r.readVisits()
	return r
}

// isPatient reports whether a reference is to the patient launched. What is about
// anybody else is never used: it may be another patient's chart.
func (r *chartReader) isPatient(reference string) bool {
	reference, _, _ = strings.Cut(reference, "/_history/")
	return r.patient.ID != "" &&
		(reference == "Patient/"+r.patient.ID || strings.HasSuffix(reference, "/Patient/"+r.patient.ID))
}

// future reports whether a moment is certainly after the launch.
func (r *chartReader) future(m moment) bool {
	if m.instant {
		return m.at.After(r.launch.At)
	}
	const east = 14 * time.Hour // of UTC: where the day has begun already
	return m.known() && m.first > dayOf(r.launch.At.UTC().Add(east))
}

// has reports whether a finding has one of the codes of LOINC.
func (f *noted) has(codes ...string) bool {
	_, ok := codeIn(f.Code, loinc, codes)
	return ok
}

// codeIn returns the first of the codes that a concept carries in a code system;
// any of its codings counts, display and text never do.
func codeIn(c fhir.CodeableConcept, system string, codes []string) (string, bool) {
	for _, code := range codes {
		if slices.ContainsFunc(c.Coding, func(coding fhir.Coding) bool {
			return coding.Code == code && systemOf(coding.System) == system
		}) {
			return code, true
		}
	}
	return "", false
}

// written is a resource in one certain way, to tell two versions apart that
// nothing else tells apart.
func written(resource any) string {
	text, err := json.Marshal(resource, json.Deterministic(true))
	if err != nil {
		return ""
	}
	return string(text)
}

// filler makes what a chart fills in under one role.
type filler struct {
	*chartReader
	dating  bool       // the pregnancy's own dates are being read
	mothers bool       // it is the chart of a mother, not of a newborn
	preg    *pregnancy // nil when none was found
	births  plurality
	out     Filled
	used    map[string]bool // ids of the resources that were of use
}

func (r *chartReader) filler(mothers bool, p *pregnancy) *filler {
	f := &filler{
		chartReader: r, mothers: mothers, preg: p, used: map[string]bool{},
		out: Filled{Draft: birth.Draft{Children: []birth.Values{nil}}},
	}
	f.births = f.plurality()
	return f
}

func placeOfField(f *birth.Field) birth.Place {
	if f.About == birth.Child {
		return birth.Of(birth.ChildList, 0, f.Name)
	}
	return birth.At(f.Name)
}

// values are where the values of a field stand in the draft.
func (f *filler) values(field *birth.Field) *birth.Values {
	switch field.About {
	case birth.Mother:
		return &f.out.Draft.Mother
	case birth.Care:
		return &f.out.Draft.Care
	default:
		return &f.out.Draft.Children[0]
	}
}

// state fills in a value, if the field takes it.
func (f *filler) state(name string, v birth.Value, text string, others ...string) bool {
	field := birth.Must(name)
	v, ok := field.Accept(v)
	if !ok {
		return false
	}
	v.Source = birth.EHRPull
	f.values(field).Set(field, v)
	f.out.Origins = append(f.out.Origins, Origin{At: placeOfField(field), Text: text, Others: capped(others)})
	return true
}

// personal fills in what the Patient resource says of the person.
func (f *filler) personal(name string, v birth.Value, what string) {
	field := birth.Must(name)
	if kept, ok := field.Accept(v); ok {
		f.state(name, kept, labelOf(field, kept)+", "+what)
	}
}

// labelOf is a value as people read it.
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
	return short(Typed(field, v), 80)
}

// hint shows a value beside its field and says why it is not filled in.
func (f *filler) hint(name string, v *birth.Value, text, why string) {
	field := birth.Must(name)
	if v != nil {
		if kept, ok := field.Accept(*v); ok {
			v = &kept
		} else {
			v = nil
		}
	}
	f.hintAt(placeOfField(field), v, text, why)
}

func (f *filler) hintAt(at birth.Place, v *birth.Value, text, why string) {
	f.out.Hints = append(f.out.Hints, Hint{At: at, Text: text + ": " + why, Value: v})
}

func (f *filler) notice(text string) { f.out.Notices = append(f.out.Notices, text) }

const (
	mostOthers = 10 // further values shown of a field
	mostHints  = 3  // values shown of a field that do not fit
)

func capped(others []string) []string {
	others = slices.Compact(others)
	if len(others) > mostOthers {
		return append(slices.Clone(others[:mostOthers]), "and more")
	}
	return others
}

// withhold turns everything filled in into hints: the values may be right, but
// the chart as a whole is doubtful.
func (f *filler) withhold(why string) {
	d := f.out.Draft
	for _, o := range f.out.Origins {
		if o.At.List == birth.PersonList {
			f.hintAt(o.At, &birth.Value{Text: d.Providers[o.At.Index].Name}, o.Text, why)
			continue
		}
		v, _ := f.values(birth.Must(o.At.Field)).Get(o.At.Field)
		v.Source = ""
		f.hintAt(o.At, &v, o.Text, why)
	}
	f.out.Origins = nil
	f.out.Draft = birth.Draft{Children: []birth.Values{nil}}
}

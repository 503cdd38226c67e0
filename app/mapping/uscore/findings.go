package uscore

import (
	"cmp"
	"slices"
	"time"

	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

// finding is an Observation in a chart, or one component of it. It is about the patient and wasn't
// withdrawn.
type finding struct {
	fhir.Observation // for a component, with the component's code and value
	id               string
	when             mapping.Moment
	stated           mapping.Moment // the date that is its value, if any
	issued, updated  time.Time
	draft            bool                   // preliminary
	another          bool                   // Observation.focus may be someone other than the patient
	about            string                 // the ID of the focus, if it is exactly one other Patient of this EHR
	words            string                 // the amount in the chart's own form, if it is the total of components
	piece            bool                   // set if several components have the same code and can't be added up
	unclear          string                 // the reason why its meaning isn't clear, or ""
	around           []fhir.CodeableConcept // for a component, the code of the whole Observation
	remarks          []fhir.Note
	method           fhir.CodeableConcept
}

// readFindings reads the patient's Observations and their components, newest first. It leaves out
// Observations that were withdrawn (stands), that are dated after the launch, or that have a
// modifierExtension or implicitRules ([fhir.Marks]). It also leaves out components whose value is
// marked as absent. If findings have the same time, they are sorted by correction, time of issue,
// last change and ID. The order in which an EHR sends them therefore makes no difference.
func (r *reader) readFindings() {
	var all []*finding
	kind := kindOfResource[fhir.ChartObservation]{
		head:   func(o *fhir.ChartObservation) (string, *fhir.Meta) { return o.ID, &o.Meta },
		counts: func(o *fhir.ChartObservation) bool { return r.isPatient(o.Subject.Reference) && stands(o) },
	}
	for _, versions := range kind.each(r.chart.Observations) {
		if versions.unsettled() {
			r.several++
			all = append(all, r.readVersions(versions)...)
			continue
		}
		o := versions[0]
		f := r.noted(o)
		switch {
		case !r.isPatient(o.Subject.Reference):
			r.foreign++
		case !stands(o):
			r.withdrawn++
		case r.future(f.when):
			r.later++
		case o.Marked:
			r.marked++
			r.hide(f, o, unreadMarked)
		default:
			r.observations++
			all = append(all, parts(f, *o)...)
		}
	}
	slices.SortFunc(all, func(a, b *finding) int {
		return cmp.Or(
			b.when.At.Compare(a.when.At), cmp.Compare(b.standing(), a.standing()), b.issued.Compare(a.issued), b.updated.Compare(a.updated),
			cmp.Compare(a.id, b.id), cmp.Compare(a.says(), b.says()), cmp.Compare(firstCode(a.Code), firstCode(b.Code)),
		)
	})
	for _, f := range all {
		f.stated = mapping.MomentOf(mapping.DateTimeOf(&f.Observation))
		if !f.draft && f.has(deliveryTime) {
			r.deliveries = append(r.deliveries, f)
		}
		if !f.draft && !f.another && (f.pregnant() || f.has(dueCodes...) && f.stated.Known()) {
			r.ongoing = append(r.ongoing, f)
		}
	}
	r.findings = all
}

// stands reports whether an Observation has the status final, amended, corrected or preliminary.
func stands(o *fhir.ChartObservation) bool {
	return slices.Contains([]string{"final", "amended", "corrected", "preliminary"}, o.Status)
}

// hide sets aside a finding whose meaning isn't clear, with its components. They fill in nothing.
// No other finding with one of their codes fills in anything either (hidden). The argument why is
// the reason.
func (r *reader) hide(f *finding, o *fhir.ChartObservation, why string) {
	f.unclear = why
	whole := withParts(f, *o)
	r.obscure = append(r.obscure, whole...)
	r.obscured("Observation", slices.ContainsFunc(whole, func(f *finding) bool { return f.has(markCodes...) }))
}

// readVersions returns the findings from the versions of an Observation if it isn't known which
// version is the last. They are marked as drafts, so that none of them is filled in.
func (r *reader) readVersions(versions versions[fhir.ChartObservation]) (all []*finding) {
	for _, o := range versions {
		f := r.noted(o)
		if !r.isPatient(o.Subject.Reference) {
			continue
		}
		r.hide(f, o, severalVersions)
		if stands(o) && !o.Marked && !r.future(f.when) {
			f.draft = true
			all = append(all, parts(f, *o)...)
		}
	}
	return all
}

// standing returns a rank for findings with the same time. A correction ranks higher than what it
// corrects.
func (f *finding) standing() int {
	if f.Status == "amended" || f.Status == "corrected" {
		return 1
	}
	return 0
}

func (r *reader) noted(o *fhir.ChartObservation) *finding {
	issued := o.Issued
	if o.Effective() { // the Observation states its time, but not as a date
		issued = ""
	}
	f := &finding{
		Observation: o.Observation, id: o.ID, draft: o.Status == "preliminary", remarks: o.Note, method: o.Method,
		when: mapping.FirstMoment(
			o.EffectiveDateTime, o.EffectivePeriod.End, o.EffectivePeriod.Start, o.EffectiveInstant, issued,
		),
		issued: mapping.MomentOf(o.Issued).At, updated: mapping.MomentOf(o.Meta.LastUpdated).At,
	}
	if began := mapping.MomentOf(o.EffectivePeriod.Start); began.Known() && o.EffectiveDateTime == "" && mapping.MomentOf(o.EffectivePeriod.End).Known() {
		f.when.First = min(f.when.First, began.First) // it happened at some time in that period
	}
	for _, focus := range o.Focus {
		f.another = f.another || !r.isPatient(focus.Reference)
	}
	if f.another && len(o.Focus) == 1 {
		if id, here := r.patientIn(o.Focus[0].Reference); here {
			f.about = id
		}
	}
	return f
}

// parts returns the finding itself and its components, because panels have their values in
// components. It leaves out findings whose value is marked as absent. If two components are parts
// of one amount (pounds and ounces, feet and inches, weeks and days), parts returns only the
// finding itself, with this amount.
func parts(f *finding, o fhir.ChartObservation) (all []*finding) {
	if whole, words := summed(&o.Observation); whole != nil {
		f.ValueQuantity, f.words = whole, words
		return []*finding{f}
	}
	for _, part := range withParts(f, o) {
		if part.DataAbsentReason == nil {
			all = append(all, part)
		}
	}
	return all
}

// withParts returns the finding itself and its components. If several components have the same
// code, each of them is marked as a piece.
func withParts(f *finding, o fhir.ChartObservation) []*finding {
	all := []*finding{f}
	pieces := map[string]int{}
	for _, c := range o.Component {
		pieces[firstCode(c.Code)]++
	}
	for i, c := range o.Component {
		part := *f
		part.piece = pieces[firstCode(c.Code)] > 1
		part.around = []fhir.CodeableConcept{o.Code}
		part.Observation = o.Part(i)
		all = append(all, &part)
	}
	return all
}

func firstCode(c fhir.CodeableConcept) string {
	if len(c.Coding) == 0 {
		return ""
	}
	return mapping.SystemOf(c.Coding[0].System) + "|" + c.Coding[0].Code
}

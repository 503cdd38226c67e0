package uscore

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

// visit is an Encounter of the patient that took place or is taking place.
type visit struct {
	*fhir.ChartEncounter
	start, end mapping.Moment
}

func (r *reader) readVisits() {
	kind := kindOfResource[fhir.ChartEncounter]{
		head:   func(e *fhir.ChartEncounter) (string, *fhir.Meta) { return e.ID, &e.Meta },
		counts: func(e *fhir.ChartEncounter) bool { return r.isPatient(e.Subject.Reference) && happened(e) },
	}
	for _, versions := range kind.each(r.chart.Encounters) {
		if versions.unsettled() { // it isn't known where and when the patient was seen
			r.several++
			r.obscured("Encounter", slices.ContainsFunc(versions, func(e *fhir.ChartEncounter) bool {
				v := visit{ChartEncounter: e}
				return r.isPatient(e.Subject.Reference) && (v.inpatient() || v.typed(prenatalTypes...))
			}))
			continue
		}
		e := versions[0]
		v := &visit{ChartEncounter: e, start: mapping.MomentOf(e.Period.Start), end: mapping.MomentOf(e.Period.End)}
		switch {
		case !r.isPatient(e.Subject.Reference):
			r.foreign++
		case !happened(e):
			r.withdrawn++
		case r.future(v.start):
			r.later++
		case e.Marked:
			r.marked++
			r.obscured("Encounter", v.inpatient())
		default:
			r.visits = append(r.visits, v)
		}
	}
	slices.SortFunc(r.visits, func(a, b *visit) int {
		return cmp.Or(
			b.start.At.Compare(a.start.At), b.end.At.Compare(a.end.At), cmp.Compare(a.ID, b.ID),
			cmp.Compare(Written(a.ChartEncounter), Written(b.ChartEncounter)),
		)
	})
}

func happened(e *fhir.ChartEncounter) bool {
	return slices.Contains([]string{"finished", "in-progress", "arrived", "triaged", "onleave"}, e.Status)
}

// Codes in an Encounter (SNOMED CT, ICD-10-CM).
var (
	deliveryTypes   = []string{"177184002", "11466000", "700000006", "302383004", "61586001"}
	emergencyTypes  = []string{"183460006"} // an obstetric emergency, which mostly ends in a birth
	deliveryReasons = []string{"O80", "O82", "Z37"}
	prenatalTypes   = []string{"424441002", "424619006"}
	firstPrenatal   = prenatalTypes[:1]
)

// actCodes lists the URLs of v3-ActCode, which is the code system for the classes of Encounters. It
// also has "", for a class without a code system.
var actCodes = []string{
	"", "http://terminology.hl7.org/CodeSystem/v3-ActCode", "http://hl7.org/fhir/v3/ActCode", "urn:oid:2.16.840.1.113883.5.4",
}

// inpatient reports whether the class of a visit (v3-ActCode) means a stay. Emergency visits and
// observation visits also count as stays.
func (v *visit) inpatient() bool {
	return slices.Contains([]string{"IMP", "ACUTE", "NONAC", "EMER", "OBSENC"}, v.Class.Code) && slices.Contains(actCodes, mapping.SystemOf(v.Class.System))
}

// typed reports whether a visit has one of the types. It ignores a type whose text contradicts its
// code, such as a planned delivery or a false labor.
func (v *visit) typed(codes ...string) bool {
	return slices.ContainsFunc(v.Type, func(t fhir.CodeableConcept) bool {
		_, ok := codeIn(t, mapping.SNOMEDURL, codes)
		return ok && !slices.ContainsFunc(textsOf(t, anyCoding), visitWords.takesBack)
	})
}

// visitWords has words that don't contradict the type or the reason of a visit, although they
// contradict other codes.
var visitWords = wording{natural: alternatives(`expected`, `fetal`, `risks?`, `screening`)}

// ofDelivery reports whether a stay was for a birth, according to the chart. If the reason for the
// stay is the pregnancy, the stay may have been for something else.
func (v *visit) ofDelivery() bool {
	if !v.inpatient() {
		return false
	}
	return v.typed(deliveryTypes...) || slices.ContainsFunc(v.ReasonCode, func(reason fhir.CodeableConcept) bool {
		d := diagnosis{Condition: &fhir.Condition{Code: reason}}
		_, ok := d.is(nil, deliveryReasons)
		return ok && !slices.ContainsFunc(textsOf(reason, anyCoding), visitWords.takesBack)
	})
}

// ofEmergency reports whether a stay was for an emergency that usually ends in a birth.
func (v *visit) ofEmergency() bool { return v.inpatient() && v.typed(emergencyTypes...) }

// days returns the first and the last day of a visit. The result ok is false if the first day isn't
// known. A visit without an end is assumed to last until today, but at most longestStay days.
func (v *visit) days(today mapping.Day) (first, last mapping.Day, ok bool) {
	if !v.start.Exact() {
		return 0, 0, false
	}
	first, last = v.start.First, min(v.start.First+longestStay, max(today, v.start.First))
	if v.end.Exact() && v.end.Last >= first {
		last = v.end.Last
	}
	return first, last, true
}

// longestStay is the maximum number of days of a stay that still shows when the birth was.
const longestStay = 4

func (v *visit) origin() string {
	text := "stay"
	for _, t := range v.Type {
		if phrase := phraseOf(t); phrase != "" {
			text = phrase
			break
		}
	}
	text += ", " + dated(v.start)
	if v.end.Known() && v.end.Date() != v.start.Date() {
		text += " to " + dated(v.end)
	}
	return text
}

// stayed fills in the attending provider from the stay for the birth. It adds other facts from this
// stay, from the prenatal visits and from the transfers as hints. It doesn't fill in the date of
// birth, because an admission isn't a birth.
func (f *filler) stayed() {
	f.prenatal()
	f.transferred("mother")
	s := f.preg.stayOf()
	if s == nil {
		return
	}
	f.used["e"+s.ID] = true
	if !f.preg.exact {
		f.hint("birth_date", nil, s.origin(), "a stay does not state the day of the birth")
	}
	f.attended(s)
	for _, l := range s.Location {
		if name := birth.Tidy(l.Location.Display); name != "" && l.Status != "planned" && l.Status != "reserved" {
			f.hint("facility_name", &birth.Value{Text: name}, short(name, 80), "where the stay was, "+dated(s.start))
		}
	}
	f.methodOf(s)
}

// methodOf adds the method of delivery as a hint if it can be read from the type of the stay.
func (f *filler) methodOf(s *visit) {
	method := birth.Must("delivery_method")
	for _, t := range s.Type {
		for _, coding := range t.Coding {
			option := method.OptionFor("", coding.Code, false)
			if coding.Code == "177184002" { // a normal delivery
				option = "vaginal_spontaneous"
			}
			if option != "" && mapping.SystemOf(coding.System) == mapping.SNOMEDURL && !f.values(method).Has(method.Name) {
				f.hint(method.Name, &birth.Value{Text: option}, s.origin(), "the kind of stay, not what was done")
			}
		}
	}
}

// attended fills in the provider who is the stay's attending participant (ATND, in any code
// system). The name becomes a hint if there are several names, if it is a placeholder, or if it
// isn't clear that the stay was for the birth. The provider's own resource isn't read, so the role
// is derived from the credentials after the name.
func (f *filler) attended(s *visit) {
	at := birth.Of(birth.ProviderList, 0, "name")
	var names, apart []string
	add := func(v *visit) {
		if f.leftBefore(v.Period) {
			apart = mapping.Union(apart, f.attending(v))
			return
		}
		names = mapping.Union(names, f.attending(v))
	}
	add(s)
	for _, v := range f.visits { // the same birth may have a stay before a transfer and one after it
		if first, last, ok := v.days(f.today); ok && v != s && v.ofDelivery() && first <= f.preg.last+1 && last >= f.preg.first-1 {
			add(v)
		}
	}
	if len(names) == 0 {
		for _, name := range apart {
			f.hintAt(at, &birth.Value{Text: name}, short(name, 80), "the attending provider of a stay that ended before the birth or began after it")
		}
	}
	for _, name := range names {
		if len(names) > 1 || !s.ofDelivery() || placeholderProvider.MatchString(saying(name)) {
			why := "the attending provider of a stay that does not say that it was for the birth"
			switch {
			case len(names) > 1:
				why = "one of several attending providers"
			case s.ofDelivery():
				why = placeholderName
			}
			f.hintAt(at, &birth.Value{Text: name}, short(name, 80), why)
			continue
		}
		_, credentials, _ := strings.Cut(name, ",")
		p := mapping.TypedProvider(name, "", string(birth.RoleOf(credentials)), true)
		p.Source = birth.EHRPull
		if p.Role == birth.RoleOther { // the clinician has to enter the role
			p.Role = ""
		}
		f.out.Draft.Providers = []birth.Provider{p}
		f.out.Origins = append(f.out.Origins, Origin{At: at, Text: short(name, 80) + ", attending provider of the stay of " + dated(s.start)})
		if p.Role == "" {
			f.hintAt(birth.Of(birth.ProviderList, 0, "role"), nil, "Role", "the chart does not state the role; choose the right one")
		}
	}
}

// attending returns the names of a stay's attending participants. It leaves out those who left
// before the birth or came after it.
func (f *filler) attending(s *visit) (names []string) {
	for _, p := range s.Participant {
		name := birth.Tidy(p.Individual.Display)
		attends := slices.ContainsFunc(p.Type, func(t fhir.CodeableConcept) bool { return t.HasCode("ATND") })
		if attends && name != "" && !f.leftBefore(p.Period) && mayAttend(p.Individual.Reference) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// leftBefore reports whether a period certainly ended before the birth or began after it. On the day
// of the birth, the times of day decide, if the chart has them. Of a time in UTC, the local day isn't
// known.
func (f *filler) leftBefore(part fhir.Period) bool {
	first := f.bornAt().Text
	last := first
	if first == "" {
		if !f.preg.exact {
			return false
		}
		first, last = f.preg.first.Time().Format(time.DateOnly), f.preg.last.Time().Format(time.DateOnly)
	}
	from, to := mapping.MomentOf(part.Start), mapping.MomentOf(part.End)
	return to.Known() && birth.After(first, to.Text) || from.Known() && birth.After(from.Text, last)
}

// bornAt returns the time of the index birth. It returns the zero Moment if the chart doesn't have it,
// or has several.
func (f *filler) bornAt() (at mapping.Moment) {
	for _, o := range f.deliveries {
		if o.stated.Instant && f.preg.holds(o.stated) && !f.births.several {
			at = o.stated
		}
	}
	return at
}

// placeholderProvider matches texts that are used instead of a provider's name.
var placeholderProvider = alternatives(`unknown`, `unassigned`, `pending`, `none`, `provider`, `generic`, `test`, `not (on file|listed|available|applicable)`)

// mayAttend reports whether a reference may be to a person who attends births, rather than to a
// relative or a group of providers. It returns true for a reference without a type.
func mayAttend(reference string) bool {
	parts := strings.Split(reference, "/")
	kind := parts[max(0, len(parts)-2)]
	return len(parts) < 2 || kind == "Practitioner" || kind == "PractitionerRole"
}

// prenatalVisits returns the prenatal visits in the pregnancy, newest first. It also returns the
// earliest visit whose type is a first visit, or nil if there is none.
func (f *filler) prenatalVisits() (all []*visit, first *visit) {
	if f.preg == nil {
		return nil, nil
	}
	for _, v := range f.visits {
		if !v.typed(prenatalTypes...) || !f.preg.holds(v.start) || f.preg.born && v.start.First > f.preg.last {
			continue
		}
		all = append(all, v)
		if v.typed(firstPrenatal...) {
			first = v // the earliest, since the newest comes first
		}
	}
	return all, first
}

// prenatal counts the prenatal visits. It adds the date of the first visit and the count as hints.
func (f *filler) prenatal() {
	all, first := f.prenatalVisits()
	for _, v := range all {
		f.used["e"+v.ID] = true
	}
	if first != nil && !f.out.Draft.Mother.Has("prenatal_first_visit_date") {
		f.hint("prenatal_first_visit_date", &birth.Value{Text: first.start.Date()}, first.origin(), "the first that this EHR has; there may have been others before")
	}
	if count := len(all); count > 0 && !f.out.Draft.Mother.Has("prenatal_visit_count") {
		f.hint("prenatal_visit_count", &birth.Value{Number: float64(count)}, plural(count, "prenatal visit", "prenatal visits"), "counted in this EHR; there may have been others")
	}
}

// transferred adds the transfers of care in the pregnancy as hints.
func (f *filler) transferred(who string) {
	for _, v := range f.visits {
		if f.preg == nil || !f.preg.holds(v.start) {
			continue
		}
		for _, t := range mapping.TransfersOf(mapping.StayOf(&v.Encounter, who)) {
			f.used["e"+v.ID] = true
			text := strings.TrimSpace("transfer " + t.Direction)
			if t.Type != "" {
				text += ", " + t.Type
			}
			f.hintAt(birth.Of(birth.TransferList, 0, "type"), nil, text+", "+dated(v.start), "add a transfer if it belongs to this birth")
		}
	}
}

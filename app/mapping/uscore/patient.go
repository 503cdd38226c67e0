package uscore

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

// birthDay returns when the patient was born. If the date doesn't exist or is in the future,
// birthDay returns the zero Moment.
func (r *reader) birthDay() mapping.Moment {
	date, _ := mapping.BirthDate(&r.patient.Patient)
	if m := mapping.MomentOf(date); !r.future(m) {
		return m
	}
	return mapping.Moment{}
}

// sexCodes maps the SNOMED CT codes in us-core-individual-sex to the sexes.
var sexCodes = map[string]string{"248152002": "female", "248153007": "male"}

// statedSexes returns the different sexes in the Patient. The sex at birth comes first. statedSexes
// infers nothing from names.
func (r *reader) statedSexes() (all []string) {
	codes := []string{}
	if e := r.patient.Extension.Find("birthsex"); e != nil {
		codes = append(codes, codesOfExtension(e)...)
	}
	codes = append(codes, r.patient.Gender)
	if e := r.patient.Extension.Find("individual-sex"); e != nil {
		codes = append(codes, codesOfExtension(e)...)
	}
	for _, code := range codes {
		sex := cmp.Or(sexCodes[code], birth.Must("child_sex").OptionFor("", code, false))
		if (sex == "female" || sex == "male") && !slices.Contains(all, sex) {
			all = append(all, sex)
		}
	}
	return all
}

func codesOfExtension(e *fhir.Extension) []string {
	codes := []string{e.ValueCode}
	if e.ValueCoding != nil {
		codes = append(codes, e.ValueCoding.Code)
	}
	if e.ValueCodeableConcept != nil {
		for _, coding := range e.ValueCodeableConcept.Coding {
			codes = append(codes, coding.Code)
		}
	}
	return codes
}

// banner returns the patient in the form in which the banner shows them.
func (r *reader) banner() Patient {
	parted, plain := r.names()
	family, given := mapping.NameOf(parted)
	name := strings.TrimSpace(given + " " + family)
	if name == "" && len(plain) > 0 {
		name = plain[0]
	}
	return Patient{
		Name: short(name, 120), BirthDate: r.born.Text, Number: short(r.recordNumber(), 60),
		Deceased: r.patient.DeceasedBoolean || r.patient.DeceasedDateTime != "",
	}
}

// recordNumber returns the medical record number (v2-0203 MR) as the EHR writes it, or "" if there
// is none. It never returns another number of the person.
func (r *reader) recordNumber() string {
	number, best := "", 3
	for _, id := range r.patient.Identifier {
		start, end := mapping.MomentOf(id.Period.Start), mapping.MomentOf(id.Period.End)
		rank := map[string]int{"usual": 0, "official": 1, "": 2}
		at, fit := rank[id.Use]
		if fit && at < best && id.Type.HasCode("MR") && !mapping.OutsidePeriod(start, end, r.today) && strings.TrimSpace(id.Value) != "" {
			number, best = strings.TrimSpace(id.Value), at
		}
	}
	return number
}

var zip = regexp.MustCompile(`^\d{5}(-\d{4})?$`)

// postal fills in the postal code of the mother's present home. If there is no home in the United
// States, it uses addresses that don't say what they are for. It ignores a code that doesn't look
// like a ZIP code. If there are several homes, or if a home is abroad, the codes become hints.
func (f *filler) postal() {
	var homes, others []string
	for _, a := range f.patient.Address {
		start, end := mapping.MomentOf(a.Period.Start), mapping.MomentOf(a.Period.End)
		code := strings.TrimSpace(a.PostalCode)
		switch {
		case mapping.OutsidePeriod(start, end, f.today) || a.Type == "postal" || code == "00000" || strings.HasPrefix(code, "99999") || !zip.MatchString(code):
		case a.Use == "home" && !inTheStates(a.Country):
			f.hint("mother_postal_code", nil, code, "the postal code of another country")
		case a.Use == "home":
			homes = append(homes, code)
		case a.Use == "" && inTheStates(a.Country):
			others = append(others, code)
		}
	}
	if len(homes) == 0 {
		homes = others
	}
	slices.Sort(homes)
	homes = slices.CompactFunc(homes, func(b, a string) bool { return strings.HasPrefix(b, a) }) // 05401 and 05401-1234 are the same home
	for _, code := range homes {
		v := birth.Value{Text: code}
		if len(homes) == 1 {
			f.personal("mother_postal_code", v, "the home address")
		} else {
			f.hint("mother_postal_code", &v, code, "one of several home addresses")
		}
	}
}

// inTheStates reports whether a country is the United States, which has ZIP codes. It also returns
// true if country is "".
func inTheStates(country string) bool {
	return slices.Contains([]string{"", "us", "usa", "united states", "united states of america", "u s", "u s a", "840"}, strings.TrimSpace(saying(country)))
}

// identity fills in facts about the mother from the Patient.
func (f *filler) identity() {
	f.name("mother_family_name", "mother_given_names")
	f.dateOfBirth("mother_birth_date")
	f.postal()
	f.origin()
	f.number()
}

// origin fills in race and ethnicity. If their texts name something other than their codes, or if
// there are several ethnicities, they become hints.
func (f *filler) origin() {
	race, stated := birth.Must("mother_race"), f.patient.Extension.Find("us-core-race")
	v := birth.Value{Set: mapping.RaceCategories(stated, race)}
	switch {
	case len(v.Set) == 0:
	case mapping.NamesOther(stated, race, v.Set):
		f.hint(race.Name, &v, labelOf(race, v), saysOtherwise)
	default:
		f.personal(race.Name, v, "US Core race")
	}
	ethnicity, stated := birth.Must("mother_ethnicity"), f.patient.Extension.Find("us-core-ethnicity")
	codes := slices.Compact(mapping.RaceCategories(stated, ethnicity))
	for _, code := range codes {
		v := birth.Value{Text: code}
		switch {
		case len(codes) > 1:
			f.hint(ethnicity.Name, &v, ethnicity.LabelOf(code), "the chart states several")
		case mapping.NamesOther(stated, ethnicity, codes):
			f.hint(ethnicity.Name, &v, ethnicity.LabelOf(code), saysOtherwise)
		default:
			f.personal(ethnicity.Name, v, "US Core ethnicity")
		}
	}
}

func (f *filler) dateOfBirth(field string) {
	v := birth.Value{Text: f.born.Text}
	switch {
	case f.born.Exact():
		f.personal(field, v, "the patient's date of birth")
	case f.born.Known():
		f.hint(field, &v, dated(f.born), "only part of the date is known")
	}
}

// number adds the medical record number as a hint for the chart number. It doesn't fill it in,
// because chart numbers are unique in the practice and the practice chooses which number to use.
//
// If the number is too long or has a control character, the hint can't be applied. A shortened or
// cleaned number would be a different number.
func (f *filler) number() {
	number := f.recordNumber()
	if number == "" {
		return
	}
	at, shown := birth.At("chart_number"), short(number, mapping.MaxChart)
	if chart, ok := birth.Chart(number); ok && len(chart) <= mapping.MaxChart {
		f.hintAt(at, &birth.Value{Text: chart}, shown, "the EHR's medical record number")
		return
	}
	f.hintAt(at, nil, shown, "the EHR's medical record number, which is too long or holds a control character")
}

// child fills in facts about the newborn from the Patient.
func (f *filler) child() {
	f.name("child_family_name", "child_given_names")
	f.dateOfBirth("birth_date")
	if _, at := mapping.BirthDate(&f.patient.Patient); at != "" && f.born.Exact() {
		v := birth.Value{Text: at}
		switch m := mapping.MomentOf(at); {
		case f.future(m):
		case m.Date() != f.born.Text:
			f.hint("birth_datetime", &v, birth.When(at), "it is not on the date of birth")
		case atMidnight(at):
			f.hint("birth_datetime", &v, birth.When(at), midnight)
		default:
			f.personal("birth_datetime", v, "the patient's time of birth")
		}
	}
	sex := birth.Must("child_sex")
	for _, code := range f.sexes {
		v := birth.Value{Text: code}
		if len(f.sexes) == 1 {
			f.personal(sex.Name, v, "the patient's sex")
		} else {
			f.hint(sex.Name, &v, sex.LabelOf(code), "the chart contradicts itself")
		}
	}
	order := birth.Must("birth_order")
	if n := f.patient.MultipleBirth; n.Set && order.InRange(n.Float) {
		f.hint(order.Name, &birth.Value{Number: n.Float}, amountText(n.Float), "the patient's place in a multiple birth, as the EHR has it")
	}
	if e := f.patient.Extension.Find("mothersmaidenname"); e != nil && short(e.ValueString, 80) != "" {
		f.hint("mother_family_name", nil, short(e.ValueString, 80), "the mother's maiden name; she may go by another name now")
	}
	f.number()
}

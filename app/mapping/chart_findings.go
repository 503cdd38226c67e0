package mapping

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
)

// noted is an Observation of a chart, or one component of it, that says
// something about the patient and is not withdrawn.
type noted struct {
	fhir.Observation // code and value; those of the component
	id               string
	when             moment
	issued, updated  time.Time
	draft            bool   // preliminary
	another          bool   // Observation.focus is somebody else: the value is theirs
	words            string // the amount as the chart has it, where it is a sum
	piece            bool   // one of several components with its code, which nobody can put together
}

// findings reads the Observations: those of the patient alone that are final or
// preliminary, with a value, and not in the future. The newest comes first; ties
// go by issued, last change and id, so that the order in which an EHR sends them
// makes no difference.
func (r *chartReader) readFindings() {
	var all []noted
	for _, o := range latest(r.chart.Observations, func(o *fhir.ChartObservation) (string, string) { return o.ID, o.Meta.LastUpdated }) {
		f := noted{
			Observation: o.Observation, id: o.ID, draft: o.Status == "preliminary",
			when: firstOf(
				o.EffectiveDateTime, o.EffectivePeriod.End, o.EffectivePeriod.Start, o.EffectiveInstant, o.Issued,
			),
			issued: momentOf(o.Issued).at, updated: momentOf(o.Meta.LastUpdated).at,
		}
		for _, focus := range o.Focus {
			f.another = f.another || focus.Reference != "" && !r.isPatient(focus.Reference)
		}
		switch {
		case !r.isPatient(o.Subject.Reference):
			r.foreign++
		case !f.draft && !slices.Contains([]string{"final", "amended", "corrected"}, o.Status):
			r.withdrawn++
		case r.future(f.when):
			r.later++
		default:
			r.observations++
			all = append(all, parts(f, *o)...)
		}
	}
	slices.SortFunc(all, func(a, b noted) int {
		return cmp.Or(
			b.when.at.Compare(a.when.at), b.issued.Compare(a.issued), b.updated.Compare(a.updated),
			cmp.Compare(a.id, b.id), cmp.Compare(a.says(), b.says()), cmp.Compare(firstCode(a.Code), firstCode(b.Code)),
		)
	})
	r.findings = all
}

// parts are the finding itself, if it has a value, and its components (panels
// hold their values there). Two components that are parts of one amount (pounds
// and ounces, feet and inches, weeks and days) are one part.
func parts(f noted, o fhir.ChartObservation) (all []noted) {
	if whole, words := summed(o); whole != nil {
		f.ValueQuantity, f.words = whole, words
		return []noted{f}
	}
	if o.DataAbsentReason == nil {
		all = append(all, f)
	}
	pieces := map[string]int{}
	for _, c := range o.Component {
		pieces[firstCode(c.Code)]++
	}
	for _, c := range o.Component {
		if c.DataAbsentReason != nil {
			continue
		}
		part := f
		part.piece = pieces[firstCode(c.Code)] > 1
		part.Observation = fhir.Observation{
			Status: o.Status, Focus: o.Focus, Code: c.Code, ValueQuantity: c.ValueQuantity, ValueInteger: c.ValueInteger, ValueString: c.ValueString,
			ValueDateTime: c.ValueDateTime, ValueCodeableConcept: c.ValueCodeableConcept,
		}
		all = append(all, part)
	}
	return all
}

// summed adds up the components of an Observation without a value of its own
// that all carry its code: 7 lb and 4 oz, 5 ft and 6 in, 36 wk and 2 d.
func summed(o fhir.ChartObservation) (sum *fhir.Quantity, words string) {
	if o.ValueQuantity != nil || len(o.Component) != 2 {
		return nil, ""
	}
	var amounts [2]float64
	var size [2]unit
	for i, c := range o.Component {
		q := c.ValueQuantity
		if firstCode(c.Code) != firstCode(o.Code) || c.DataAbsentReason != nil || q == nil || !q.Value.Set || q.Comparator != "" || q.Value.Float < 0 {
			return nil, ""
		}
		amounts[i], size[i] = q.Value.Float, units[strings.TrimSpace(unitOf(q))]
	}
	if size[0].size < size[1].size {
		amounts[0], amounts[1], size[0], size[1] = amounts[1], amounts[0], size[1], size[0]
	}
	switch {
	case size[0] == units["[lb_av]"] && size[1] == units["[oz_av]"] && amounts[1] < 16:
		return &fhir.Quantity{Value: fhir.Number{Float: amounts[0]*16 + amounts[1], Set: true}, Code: "[oz_av]"},
			amountText(amounts[0]) + " lb " + amountText(amounts[1]) + " oz"
	case size[0] == units["[ft_i]"] && size[1] == units["[in_i]"] && amounts[1] < 12:
		return &fhir.Quantity{Value: fhir.Number{Float: amounts[0]*12 + amounts[1], Set: true}, Code: "[in_i]"},
			amountText(amounts[0]) + " ft " + amountText(amounts[1]) + " in"
	case size[0] == units["wk"] && size[1] == units["d"] && amounts[1] < 7:
		return &fhir.Quantity{Value: fhir.Number{Float: amounts[0]*7 + amounts[1], Set: true}, Code: "d"},
			amountText(amounts[0]) + " wk " + amountText(amounts[1]) + " d"
	}
	return nil, ""
}

func firstCode(c fhir.CodeableConcept) string {
	if len(c.Coding) == 0 {
		return ""
	}
	return systemOf(c.Coding[0].System) + "|" + c.Coding[0].Code
}

// latest drops all but the last version of what was read twice: an EHR may send
// the same resource for two searches.
func latest[T any](list []T, of func(*T) (id, updated string)) (kept []*T) {
	at := map[string]int{}
	for i := range list {
		id, updated := of(&list[i])
		before, seen := at[id]
		switch {
		case id == "" || !seen:
			at[id] = len(kept)
			kept = append(kept, &list[i])
		default:
			_, old := of(kept[before])
			newer := momentOf(updated).at.Compare(momentOf(old).at)
			if newer > 0 || newer == 0 && written(&list[i]) > written(kept[before]) {
				kept[before] = &list[i]
			}
		}
	}
	return kept
}

// says is what the chart says, in its own words and unit.
func (f *noted) says() string {
	switch q := f.ValueQuantity; {
	case f.words != "":
		return f.words
	case q != nil && q.Value.Set:
		return strings.TrimSpace(short(q.Comparator, 2) + " " + amountText(q.Value.Float) + " " + unitText(q))
	case f.ValueInteger.Set:
		return amountText(f.ValueInteger.Float)
	case f.ValueCodeableConcept != nil:
		return phraseOf(*f.ValueCodeableConcept)
	case f.ValueDateTime != "":
		return short(birth.When(f.ValueDateTime), 35)
	case f.ValueBoolean != nil:
		return map[bool]string{true: "yes", false: "no"}[*f.ValueBoolean]
	default:
		return short(f.ValueString, 60)
	}
}

// unitText is a unit as people read it: counts and scores have none.
func unitText(q *fhir.Quantity) string {
	text := short(cmp.Or(q.Unit, q.Code), 20)
	if text == "1" || strings.HasPrefix(text, "{") && strings.HasSuffix(text, "}") {
		return ""
	}
	return text
}

// phraseOf is what a concept calls itself.
func phraseOf(c fhir.CodeableConcept) string {
	phrase := c.Text
	for _, coding := range c.Coding {
		phrase = cmp.Or(phrase, coding.Display)
	}
	for _, coding := range c.Coding {
		phrase = cmp.Or(phrase, coding.Code)
	}
	return short(phrase, 80)
}

// amountText writes a number without the digits that a conversion left behind.
func amountText(n float64) string {
	text := strconv.FormatFloat(n, 'f', 3, 64)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// short is a text of an EHR as it is shown: without control characters, and cut.
func short(text string, most int) string {
	text = birth.Tidy(text)
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

// told is what the chart says, with date and code (uscore-mapping §6).
func (f *noted) told(code string) string {
	says := f.says()
	if says == "" {
		says = "no value"
	}
	on := dated(f.when)
	if f.ValueDateTime != "" { // which of the two dates is it?
		on = "recorded " + on
	}
	return says + ", " + on + ", LOINC " + code
}

// dated is a day as people write it.
func dated(m moment) string {
	if !m.known() {
		return "no date"
	}
	return birth.When(m.date())
}

// readAs reads the value of a finding as a field of the spine. It is stricter
// than a pushed document is read: codes count with their system, and a
// measure without a unit says nothing, nor does a piece of an amount.
func (f *noted) readAs(field *birth.Field) ([]stated, bool) {
	switch {
	case f.piece:
		return nil, false
	case field.Kind == birth.Code:
		return f.optionOf(field)
	case field.Name == "gestational_age_weeks" && f.ValueQuantity == nil:
		return weeksAndDays(f.ValueString)
	case f.ValueQuantity == nil && !bare(field):
		return nil, false
	}
	return valuesOf(&f.Observation, reading{field: field})
}

// bare reports whether a number needs no unit to be this field's: dates, counts,
// scores, and cigarettes a day, of which the code says what is counted.
func bare(f *birth.Field) bool { return f.Unit == "" || f.Unit == "{score}" || f.Unit == "/d" }

// optionOf reads a coded value (SNOMED CT). Codings that mean different options
// tell none.
func (f *noted) optionOf(field *birth.Field) ([]stated, bool) {
	option := ""
	if f.ValueCodeableConcept == nil {
		return nil, false
	}
	for _, coding := range f.ValueCodeableConcept.Coding {
		if systemOf(coding.System) != snomed {
			continue
		}
		switch o := field.OptionFor(coding.Code, false); {
		case o == "" || o == "unknown" || o == option:
		case option != "":
			return nil, false
		default:
			option = o
		}
	}
	return []stated{{field, birth.Value{Text: option}}}, option != ""
}

var gestationText = regexp.MustCompile(`^(\d{2}) ?(?:w|wk|wks|week|weeks)[ ,]*([0-6]) ?(?:d|day|days)$`)

// weeksAndDays reads 36w2d, as some systems write it.
func weeksAndDays(text string) ([]stated, bool) {
	m := gestationText.FindStringSubmatch(strings.ToLower(strings.TrimSpace(text)))
	if m == nil {
		return nil, false
	}
	q := &fhir.Quantity{Code: "d"}
	q.Value = fhir.Number{Float: fhir.ParseNumber(m[1]).Float*7 + fhir.ParseNumber(m[2]).Float, Set: true}
	return gestation(&fhir.Observation{ValueQuantity: q})
}
